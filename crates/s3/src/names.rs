//! The rules for names of buckets and keys.

use s3s::{S3Error, S3ErrorCode, S3Result};

use crate::errors::invalid_argument;

/// The most bytes of a key.
pub const KEY_BYTES_MAX: usize = 1024;

/// The prefix of bucket names that only the server itself uses.
pub const RESERVED_PREFIX: &str = "forebay--";

const BUCKET_BYTES_MIN: usize = 3;
const BUCKET_BYTES_MAX: usize = 63;

/// Prefixes that AWS reserves. Clients treat such names specially, so a bucket that has one would be unusable.
const AWS_PREFIXES: [&str; 3] = ["xn--", "sthree-", "amzn-s3-demo-"];
/// Suffixes that AWS reserves.
const AWS_SUFFIXES: [&str; 5] = ["-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3"];

/// Checks the name of a bucket that a caller wants to create or use.
pub fn check_bucket(name: &str) -> S3Result {
    let legal = has_bucket_form(name)
        && !is_reserved_bucket(name)
        && !AWS_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        && !AWS_SUFFIXES.iter().any(|suffix| name.ends_with(suffix));
    if legal {
        return Ok(());
    }
    Err(S3Error::with_message(S3ErrorCode::InvalidBucketName, "The specified bucket is not valid."))
}

/// Returns whether a name belongs to the server itself. No bucket can have it.
pub fn is_reserved_bucket(name: &str) -> bool {
    name.starts_with(RESERVED_PREFIX)
}

/// Returns whether a name has the length and the characters of a bucket's name.
pub fn has_bucket_form(name: &str) -> bool {
    let is_edge = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_inner = |byte: u8| is_edge(byte) || byte == b'.' || byte == b'-';
    let edges = [name.bytes().next(), name.bytes().next_back()];
    (BUCKET_BYTES_MIN..=BUCKET_BYTES_MAX).contains(&name.len())
        && name.bytes().all(is_inner)
        && edges.into_iter().flatten().all(is_edge)
        && !["..", ".-", "-."].iter().any(|pair| name.contains(pair))
        && !is_like_an_ip_address(name)
}

/// Checks the key of an object. A legal key is stored as it is: `..`, `//` and a leading `/` have no meaning.
pub fn check_key(key: &str) -> S3Result {
    if key.is_empty() {
        return Err(S3Error::new(S3ErrorCode::UserKeyMustBeSpecified));
    }
    if key.len() > KEY_BYTES_MAX {
        return Err(S3Error::with_message(S3ErrorCode::KeyTooLongError, "Your key is too long."));
    }
    if key.contains('\0') {
        return Err(invalid_argument("An object key must not contain a zero byte."));
    }
    Ok(())
}

/// Four groups of up to three digits, whether or not they make an address.
fn is_like_an_ip_address(name: &str) -> bool {
    let is_group = |group: &str| (1..=3).contains(&group.len()) && group.bytes().all(|b| b.is_ascii_digit());
    name.split('.').count() == 4 && name.split('.').all(is_group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_names_are_legal() {
        let longest = "a".repeat(63);
        for name in ["abc", "0bucket", "my.bucket-1", "1.2.3", "1.2.3.4.5", "1234.1.1.1", "xn-a", &longest] {
            assert!(check_bucket(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn names_that_break_dns_or_clients_are_refused() {
        let too_long = "a".repeat(64);
        for name in [
            "",
            "ab",
            &too_long,
            "Abc",
            "a_b",
            "-abc",
            "abc-",
            ".abc",
            "abc.",
            "a..b",
            "a.-b",
            "a-.b",
            "a b",
            "bücket",
            "192.168.5.4",
            "999.1.1.1",
            "a/b",
        ] {
            assert_eq!(*check_bucket(name).unwrap_err().code(), S3ErrorCode::InvalidBucketName, "{name}");
        }
    }

    #[test]
    fn reserved_names_are_refused() {
        for name in [
            "xn--abc",
            "sthree-abc",
            "sthree-configurator",
            "amzn-s3-demo-x",
            "abc-s3alias",
            "abc--ol-s3",
            "abc.mrap",
            "abc--x-s3",
            "abc--table-s3",
            "forebay--source",
        ] {
            assert!(check_bucket(name).is_err(), "{name}");
        }
        assert!(is_reserved_bucket("forebay--source"));
        assert!(has_bucket_form("forebay--source"));
        assert!(check_bucket("forebay-source").is_ok());
    }

    #[test]
    fn any_text_of_up_to_1024_bytes_is_a_key() {
        let longest = "ü".repeat(512);
        for key in ["a", "/", "..", "a//b", "/../a", "a\nb", "\u{10ffff}", &longest] {
            assert!(check_key(key).is_ok(), "{key}");
        }
        assert_eq!(*check_key(&"ü".repeat(513)).unwrap_err().code(), S3ErrorCode::KeyTooLongError);
        assert!(check_key("").is_err());
        assert!(check_key("a\0b").is_err());
    }
}
