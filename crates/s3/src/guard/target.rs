//! The bucket and the key that a request names.

use hyper::Uri;
use hyper::header::HeaderMap;

use super::percent::decode_path;
use super::refusal::Refusal;
use crate::host::bucket_of_host;

/// Most bytes that a key may have, decoded.
const KEY_BYTES_MAX: usize = 1024;

/// The kind of thing that a request names. Limits depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Service,
    Bucket,
    Object,
}

impl Target {
    pub(super) fn parse(uri: &Uri, headers: &HeaderMap, domains: &[String]) -> Result<Target, Refusal> {
        let path = decode_path(uri.path())?;
        let Some(path) = path.strip_prefix('/') else { return Err(Refusal::InvalidUri) };
        let (has_bucket, key) = if bucket_of_host(headers, domains).is_some() {
            (true, path)
        } else {
            let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
            (!bucket.is_empty(), key)
        };
        if path.contains('\0') {
            return Err(Refusal::InvalidUri);
        }
        if key.len() > KEY_BYTES_MAX {
            return Err(Refusal::KeyTooLong { bytes: key.len(), bytes_max: KEY_BYTES_MAX });
        }
        Ok(match (has_bucket, key) {
            (false, "") => Target::Service,
            (true, "") => Target::Bucket,
            _ => Target::Object,
        })
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HOST;

    use super::*;

    fn parse(host: &'static str, path: &str) -> Result<Target, Refusal> {
        let headers = [(HOST, host.parse().unwrap())].into_iter().collect();
        Target::parse(&path.parse().unwrap(), &headers, &["s3.example.com".to_owned()])
    }

    #[test]
    fn the_bucket_is_in_the_path_or_in_the_host() {
        for host in
            ["s3.example.com", "localhost:9000", "192.0.2.1:9000", "[2001:db8::1]:9000", "xs3.example.com"]
        {
            assert_eq!(parse(host, "/"), Ok(Target::Service), "{host}");
            assert_eq!(parse(host, "/bucket"), Ok(Target::Bucket));
            assert_eq!(parse(host, "/bucket/"), Ok(Target::Bucket));
            assert_eq!(parse(host, "/bucket/key"), Ok(Target::Object));
            assert_eq!(parse(host, "//key"), Ok(Target::Object));
        }
        for host in ["bucket.s3.example.com", "my.Bucket.S3.example.com:9000"] {
            assert_eq!(parse(host, "/"), Ok(Target::Bucket), "{host}");
            assert_eq!(parse(host, "/key"), Ok(Target::Object));
        }
    }

    #[test]
    fn a_key_has_at_most_1024_decoded_bytes() {
        let key = |count: usize| "%E2%82%ac".repeat(count);
        assert_eq!(parse("h", &format!("/b/a{}", key(341))), Ok(Target::Object));
        let refused = Err(Refusal::KeyTooLong { bytes: 1026, bytes_max: 1024 });
        assert_eq!(parse("h", &format!("/b/{}", key(342))), refused);
        assert_eq!(parse("b.s3.example.com", &format!("/{}", key(342))), refused);
    }

    #[test]
    fn a_path_that_is_no_text_or_has_a_zero_byte_is_refused() {
        for path in ["/b/%ff", "/b/a%00b", "/%00/a", "/b/%", "*"] {
            assert_eq!(parse("h", path), Err(Refusal::InvalidUri), "{path}");
        }
    }
}
