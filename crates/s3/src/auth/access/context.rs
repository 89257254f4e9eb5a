//! What a request says about itself, for the conditions of policies.

use std::time::SystemTime;

use forebay_net::http::{Peer, Secured};
use hyper::http::Extensions;
use hyper::{HeaderMap, Uri};

use crate::auth::policy::{Context, Key};
use crate::facts::Tags;
use crate::percent::{self, Plus};

/// The values of condition keys for a request. `is_signed`: its signature was checked.
pub fn context(uri: &Uri, headers: &HeaderMap, extensions: &Extensions, is_signed: bool) -> Context {
    let mut context = Context::at(SystemTime::now());
    if let Some(Peer::Tcp(address)) = extensions.get::<Peer>() {
        context.add_source_ip(address.ip());
    }
    let is_secured = extensions.get::<Secured>().is_some();
    context.add(Key::SecureTransport, is_secured.to_string());
    for (name, key) in [
        ("user-agent", Key::UserAgent),
        ("referer", Key::Referer),
        ("x-amz-acl", Key::Acl),
        ("x-amz-grant-full-control", Key::GrantFullControl),
        ("x-amz-grant-read", Key::GrantRead),
        ("x-amz-grant-read-acp", Key::GrantReadAcp),
        ("x-amz-grant-write", Key::GrantWrite),
        ("x-amz-grant-write-acp", Key::GrantWriteAcp),
        ("x-amz-content-sha256", Key::ContentSha256),
        ("x-amz-object-lock-mode", Key::ObjectLockMode),
        ("x-amz-object-lock-retain-until-date", Key::ObjectLockRetainUntilDate),
        ("x-amz-object-lock-legal-hold", Key::ObjectLockLegalHold),
        ("x-amz-metadata-directive", Key::MetadataDirective),
        ("x-amz-server-side-encryption", Key::ServerSideEncryption),
        ("x-amz-storage-class", Key::StorageClass),
        ("if-match", Key::IfMatch),
        ("if-none-match", Key::IfNoneMatch),
    ] {
        context.add_some(key, headers.get(name).and_then(|value| value.to_str().ok()));
    }
    if let Some(source) = headers.get("x-amz-copy-source").and_then(|value| value.to_str().ok()) {
        context.add(Key::CopySource, source.trim_start_matches('/'));
    }
    let query = uri.query().unwrap_or_default();
    for (name, key) in [
        ("prefix", Key::Prefix),
        ("delimiter", Key::Delimiter),
        ("max-keys", Key::MaxKeys),
        ("versionId", Key::VersionId),
    ] {
        context.add_some(key, parameter(query, name));
    }
    if is_signed {
        context.add(Key::SignatureVersion, "AWS4-HMAC-SHA256");
        let is_presigned = parameter(query, "X-Amz-Signature").is_some();
        context.add(Key::AuthType, if is_presigned { "REST-QUERY-STRING" } else { "REST-HEADER" });
    }
    let tags = headers.get("x-amz-tagging").and_then(|value| value.to_str().ok());
    for (tag, value) in tags.and_then(|tags| Tags::parse_header(tags).ok()).unwrap_or_default().iter() {
        context.add_request_tag(tag, value);
    }
    context
}

/// A parameter of a query, decoded.
pub fn parameter(query: &str, name: &str) -> Option<String> {
    query.split('&').find_map(|pair| {
        let (found, value) = pair.split_once('=').unwrap_or((pair, ""));
        (percent::decode(found, Plus::Space)? == name).then(|| percent::decode(value, Plus::Space))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded() {
        assert_eq!(parameter("list-type=2&prefix=a%2Fb+c&prefix=x", "prefix").as_deref(), Some("a/b c"));
        assert_eq!(parameter("versionId", "versionId").as_deref(), Some(""));
        assert_eq!(parameter("", "prefix"), None);
    }
}
