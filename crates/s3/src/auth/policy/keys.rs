//! The condition keys that policies can name, and their values in a request.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::net::IpAddr;
use std::time::SystemTime;

use super::date::Date;

const EXISTING_OBJECT_TAG: &str = "s3:ExistingObjectTag/";
const REQUEST_OBJECT_TAG: &str = "s3:RequestObjectTag/";

macro_rules! keys {
    ($($(#[doc = $doc:literal])+ $key:ident $name:literal,)+) => {
        /// A condition key.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Key {
            $($(#[doc = $doc])+ $key,)+
            /// The value of a tag that the object has, by the tag's key.
            ExistingObjectTag(String),
            /// The value of a tag that the request gives an object, by the tag's key.
            RequestObjectTag(String),
        }

        /// The keys that have one name.
        const NAMED: &[(&str, Key)] = &[$(($name, Key::$key),)+];

        impl Display for Key {
            fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
                match self {
                    $(Key::$key => formatter.write_str($name),)+
                    Key::ExistingObjectTag(tag) => write!(formatter, "{EXISTING_OBJECT_TAG}{tag}"),
                    Key::RequestObjectTag(tag) => write!(formatter, "{REQUEST_OBJECT_TAG}{tag}"),
                }
            }
        }
    };
}

keys! {
    /// The client's IP address.
    SourceIp "aws:SourceIp",
    /// `true` if the request came over TLS.
    SecureTransport "aws:SecureTransport",
    /// The user's name. A request without a signature has none. [`super::Request`] sets it.
    Username "aws:username",
    /// The user's id, or `anonymous`. [`super::Request`] sets it.
    UserId "aws:userid",
    /// The time of the request. [`Context`] sets it.
    CurrentTime "aws:CurrentTime",
    /// The time of the request, in seconds since 1970. [`Context`] sets it.
    EpochTime "aws:EpochTime",
    /// The header `User-Agent`.
    UserAgent "aws:UserAgent",
    /// The header `Referer`.
    Referer "aws:Referer",
    /// The user's ARN. A request without a signature has none. [`super::Request`] sets it.
    PrincipalArn "aws:PrincipalArn",
    /// The parameter `prefix` of a listing.
    Prefix "s3:prefix",
    /// The parameter `delimiter` of a listing.
    Delimiter "s3:delimiter",
    /// The parameter `max-keys` of a listing.
    MaxKeys "s3:max-keys",
    /// The parameter `versionId`.
    VersionId "s3:VersionId",
    /// The header `x-amz-acl`.
    Acl "s3:x-amz-acl",
    /// The header `x-amz-grant-full-control`.
    GrantFullControl "s3:x-amz-grant-full-control",
    /// The header `x-amz-grant-read`.
    GrantRead "s3:x-amz-grant-read",
    /// The header `x-amz-grant-read-acp`.
    GrantReadAcp "s3:x-amz-grant-read-acp",
    /// The header `x-amz-grant-write`.
    GrantWrite "s3:x-amz-grant-write",
    /// The header `x-amz-grant-write-acp`.
    GrantWriteAcp "s3:x-amz-grant-write-acp",
    /// The header `x-amz-content-sha256`.
    ContentSha256 "s3:x-amz-content-sha256",
    /// `AWS4-HMAC-SHA256`.
    SignatureVersion "s3:signatureversion",
    /// The age of the signature, in milliseconds.
    SignatureAge "s3:signatureAge",
    /// `REST-HEADER` or `REST-QUERY-STRING`.
    AuthType "s3:authType",
    /// The keys of all tags that the request gives an object.
    RequestObjectTagKeys "s3:RequestObjectTagKeys",
    /// The header `x-amz-object-lock-mode`, or the mode of the request's body.
    ObjectLockMode "s3:object-lock-mode",
    /// The time until which the request locks an object.
    ObjectLockRetainUntilDate "s3:object-lock-retain-until-date",
    /// `ON` or `OFF`: the legal hold that the request sets.
    ObjectLockLegalHold "s3:object-lock-legal-hold",
    /// For how many days the request locks an object.
    ObjectLockRemainingRetentionDays "s3:object-lock-remaining-retention-days",
    /// The header `x-amz-copy-source`: bucket and key, without a slash at the start.
    CopySource "s3:x-amz-copy-source",
    /// The header `x-amz-metadata-directive`.
    MetadataDirective "s3:x-amz-metadata-directive",
    /// The header `x-amz-server-side-encryption`.
    ServerSideEncryption "s3:x-amz-server-side-encryption",
    /// The header `x-amz-storage-class`.
    StorageClass "s3:x-amz-storage-class",
    /// The header `If-Match`.
    IfMatch "s3:if-match",
    /// The header `If-None-Match`.
    IfNoneMatch "s3:if-none-match",
    /// `true` if the request makes an object appear; `false` for parts of multipart uploads.
    ObjectCreationOperation "s3:ObjectCreationOperation",
}

impl Key {
    /// A key by its name. Names are compared without regard to case, as in AWS; the keys of tags are not.
    pub fn parse(name: &str) -> Option<Key> {
        let tag = |prefix: &str| {
            let start = name.get(..prefix.len())?;
            let tag = name.get(prefix.len()..)?;
            (start.eq_ignore_ascii_case(prefix) && !tag.is_empty()).then(|| tag.to_owned())
        };
        let named = NAMED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        named
            .map(|(_, key)| key.clone())
            .or_else(|| tag(EXISTING_OBJECT_TAG).map(Key::ExistingObjectTag))
            .or_else(|| tag(REQUEST_OBJECT_TAG).map(Key::RequestObjectTag))
    }

    /// Whether one request can have several values of the key.
    pub fn has_many_values(&self) -> bool {
        *self == Key::RequestObjectTagKeys
    }
}

/// What a request says about itself: the values of condition keys.
#[derive(Clone, Debug, Default)]
pub struct Context(BTreeMap<Key, Vec<String>>);

impl Context {
    /// A context with nothing but the time of the request.
    pub fn at(now: SystemTime) -> Context {
        let now = Date::from(now);
        Context::default()
            .with(Key::CurrentTime, now.to_string())
            .with(Key::EpochTime, now.seconds().to_string())
    }

    /// Adds a value of a key.
    #[must_use]
    pub fn with(mut self, key: Key, value: impl Into<String>) -> Context {
        self.add(key, value);
        self
    }

    /// Adds a value of a key.
    pub fn add(&mut self, key: Key, value: impl Into<String>) {
        self.0.entry(key).or_default().push(value.into());
    }

    /// Adds a value of a key if there is one, such as a header's.
    pub fn add_some(&mut self, key: Key, value: Option<impl Into<String>>) {
        if let Some(value) = value {
            self.add(key, value);
        }
    }

    /// Adds the client's address. An IPv4 address that is written as IPv6 becomes IPv4.
    pub fn add_source_ip(&mut self, address: IpAddr) {
        self.add(Key::SourceIp, address.to_canonical().to_string());
    }

    /// Adds a tag that the request gives an object: its value and its key.
    pub fn add_request_tag(&mut self, tag: &str, value: &str) {
        self.add(Key::RequestObjectTag(tag.to_owned()), value);
        self.add(Key::RequestObjectTagKeys, tag);
    }

    /// Replaces all values of a key.
    pub fn set(&mut self, key: Key, value: Option<String>) {
        self.0.remove(&key);
        self.add_some(key, value);
    }

    /// The values of a key: none if the request has nothing of the kind.
    pub(super) fn values(&self, key: &Key) -> &[String] {
        self.0.get(key).map_or(&[], Vec::as_slice)
    }

    /// The value of a key, unless there is none or more than one.
    pub(super) fn value(&self, key: &Key) -> Option<&str> {
        match self.values(key) {
            [value] => Some(value),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_without_regard_to_case_but_tags_with() {
        assert_eq!(Key::parse("AWS:sourceip"), Some(Key::SourceIp));
        assert_eq!(Key::parse("s3:existingobjecttag/Team"), Some(Key::ExistingObjectTag("Team".to_owned())));
        assert_ne!(Key::parse("s3:ExistingObjectTag/team"), Key::parse("s3:ExistingObjectTag/Team"));
        for wrong in ["", "aws:", "s3:ExistingObjectTag/", "s3:RequestObjectTag", "aws:SourceIp ", "s3:é"] {
            assert_eq!(Key::parse(wrong), None, "{wrong}");
        }
        for (name, key) in NAMED {
            assert_eq!((key.to_string().as_str(), Key::parse(name).as_ref()), (*name, Some(key)));
        }
    }

    #[test]
    fn an_address_of_ipv4_is_one_however_it_arrived() {
        let mut context = Context::default();
        context.add_source_ip("::ffff:192.0.2.1".parse().unwrap());
        assert_eq!(context.value(&Key::SourceIp), Some("192.0.2.1"));
    }
}
