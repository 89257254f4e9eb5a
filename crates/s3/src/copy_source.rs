//! The header x-amz-copy-source.

use s3s::S3Result;

use crate::error_document::Detailed;
use crate::errors::invalid_argument;
use crate::facts::VersionId;
use crate::names;
use crate::percent::{self, Plus};

const VERSION: &str = "?versionId=";

/// The object that a copy reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopySource {
    /// The bucket. It may be a reserved one.
    pub bucket: String,
    /// The key.
    pub key: String,
    /// The version, or the current one.
    pub version: Option<VersionId>,
}

impl CopySource {
    /// Parses `bucket/key` or `/bucket/key`, with `?versionId=` behind it if the copy reads a certain version. The key
    /// is percent-encoded; so may be the slash before it.
    pub fn parse(header: &str) -> S3Result<CopySource> {
        let (path, version) = match header.split_once(VERSION) {
            Some((path, version)) => (path, Some(version)),
            None => (header, None),
        };
        let argument =
            |message: &'static str| invalid_argument(message).argument("x-amz-copy-source", header);
        let decoded = |text: &str| {
            percent::decode(text, Plus::Space).ok_or_else(|| argument("Invalid copy source encoding"))
        };
        let path = decoded(path.strip_prefix('/').unwrap_or(path))?;
        let (bucket, key) = path.split_once('/').unwrap_or((&path, ""));
        if !names::has_bucket_form(bucket) {
            return Err(argument("Invalid copy source bucket name"));
        }
        if key.is_empty() {
            return Err(argument("Invalid copy source object key"));
        }
        names::check_key(key)?;
        let version = version.map(|version| VersionId::parse(&decoded(version)?)).transpose()?;
        Ok(CopySource { bucket: bucket.to_owned(), key: key.to_owned(), version })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn source(bucket: &str, key: &str, version: Option<VersionId>) -> CopySource {
        CopySource { bucket: bucket.to_owned(), key: key.to_owned(), version }
    }

    #[test]
    fn the_forms_that_clients_send_are_understood() {
        let plain = source("bucket", "a/b c", None);
        for header in ["bucket/a/b%20c", "/bucket/a/b+c", "bucket%2Fa%2Fb%20c", "bucket/a/b c"] {
            assert_eq!(CopySource::parse(header).unwrap(), plain, "{header}");
        }
        let old = CopySource::parse("bucket/key?versionId=00000000000000ff").unwrap();
        assert_eq!(old, source("bucket", "key", Some(VersionId::Number(255))));
        let null = CopySource::parse("bucket/what?%3F?versionId=null").unwrap();
        assert_eq!(null, source("bucket", "what??", Some(VersionId::Null)));
        assert_eq!(CopySource::parse("forebay--source/token").unwrap().bucket, "forebay--source");
    }

    #[test]
    fn only_one_leading_slash_is_removed_and_the_key_is_kept() {
        assert_eq!(CopySource::parse("/bucket//../a/").unwrap(), source("bucket", "/../a/", None));
        assert!(CopySource::parse("//bucket/a").is_err());
    }

    #[test]
    fn broken_sources_are_refused() {
        for header in [
            "",
            "/",
            "bucket",
            "bucket/",
            "/key",
            "Bucket/key",
            "bucket/%ZZ",
            "100%/foo",
            "bucket/%C3%",
            "bucket/%00",
            "192.168.1.1/foo",
            "arn:aws:s3:us-east-1:123456789012:accesspoint/a/object/b",
            "bucket/key?versionId=",
            "bucket/key?versionId=1",
        ] {
            assert!(CopySource::parse(header).is_err(), "{header}");
        }
    }

    proptest! {
        #[test]
        fn any_key_can_be_named(key in "[^\0]{1,300}") {
            let header = format!("bucket/{}", crate::percent::encode(&key));
            prop_assert_eq!(CopySource::parse(&header).unwrap(), source("bucket", &key, None));
        }

        #[test]
        fn no_header_panics(header in any::<String>()) {
            let _ = CopySource::parse(&header);
        }
    }
}
