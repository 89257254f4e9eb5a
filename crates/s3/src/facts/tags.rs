//! Tags of objects and buckets.

use std::collections::BTreeMap;

use s3s::{S3Error, S3ErrorCode, S3Result, dto};
use serde::{Deserialize, Serialize};

use crate::errors::{bad_request, invalid_argument};
use crate::percent::{self, Plus};

/// The most tags of an object.
pub const OBJECT_TAGS_MAX: usize = 10;
/// The most tags of a bucket.
pub const BUCKET_TAGS_MAX: usize = 50;

const KEY_CHARS_MAX: usize = 128;
const VALUE_CHARS_MAX: usize = 256;
/// The prefix of tags that only the service itself may set.
const SYSTEM_PREFIX: &str = "aws:";

/// A set of tags, ordered by key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tags(BTreeMap<String, String>);

impl Tags {
    /// Parses the header x-amz-tagging: `key=value&key=value`, percent-encoded.
    pub fn parse_header(header: &str) -> S3Result<Tags> {
        let mut tags = Tags::default();
        for pair in header.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let key = percent::decode(key, Plus::Space).ok_or_else(badly_encoded)?;
            let value = percent::decode(value, Plus::Space).ok_or_else(badly_encoded)?;
            if key.is_empty() || tags.0.contains_key(&key) {
                return Err(badly_encoded());
            }
            check_tag(&key, &value)?;
            tags.0.insert(key, value);
        }
        tags.check_count(OBJECT_TAGS_MAX)?;
        Ok(tags)
    }

    /// Takes the tags of an object from a document.
    pub fn of_object(set: &[dto::Tag]) -> S3Result<Tags> {
        Tags::from_set(set, OBJECT_TAGS_MAX)
    }

    /// Takes the tags of a bucket from a document.
    pub fn of_bucket(set: &[dto::Tag]) -> S3Result<Tags> {
        Tags::from_set(set, BUCKET_TAGS_MAX)
    }

    /// Takes the tags of a bucket.
    pub fn of_bucket_pairs(pairs: &BTreeMap<String, String>) -> S3Result<Tags> {
        pairs.iter().try_for_each(|(key, value)| check_tag(key, value))?;
        let tags = Tags(pairs.clone());
        tags.check_count(BUCKET_TAGS_MAX)?;
        Ok(tags)
    }

    fn from_set(set: &[dto::Tag], count_max: usize) -> S3Result<Tags> {
        let mut tags = Tags::default();
        for tag in set {
            let key = tag.key.clone().unwrap_or_default();
            let value = tag.value.clone().unwrap_or_default();
            check_tag(&key, &value)?;
            if tags.0.insert(key, value).is_some() {
                return Err(invalid_tag("Cannot provide multiple Tags with the same key"));
            }
        }
        tags.check_count(count_max)?;
        Ok(tags)
    }

    /// Returns the tags for a document.
    pub fn to_set(&self) -> dto::TagSet {
        let tag = |(key, value): (&String, &String)| dto::Tag {
            key: Some(key.clone()),
            value: Some(value.clone()),
        };
        self.0.iter().map(tag).collect()
    }

    /// Returns the number of tags.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no tags.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of a tag.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Returns the tags in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Returns whether all tags of another set are here, with the same values.
    pub fn contains_all(&self, other: &Tags) -> bool {
        other.iter().all(|(key, value)| self.get(key) == Some(value))
    }

    fn check_count(&self, count_max: usize) -> S3Result {
        if self.len() <= count_max {
            return Ok(());
        }
        Err(bad_request(
            "BadRequest",
            match count_max {
                OBJECT_TAGS_MAX => "Object tags cannot be greater than 10",
                _ => "Bucket tag count cannot be greater than 50",
            },
        ))
    }
}

/// Checks the length and the characters of a tag.
pub(crate) fn check_tag(key: &str, value: &str) -> S3Result {
    if key.starts_with(SYSTEM_PREFIX) {
        return Err(invalid_tag("System tags cannot be added/updated by requester"));
    }
    if key.is_empty() || key.chars().count() > KEY_CHARS_MAX || !key.chars().all(is_allowed) {
        return Err(invalid_tag("The TagKey you have provided is invalid"));
    }
    if value.chars().count() > VALUE_CHARS_MAX || !value.chars().all(is_allowed) {
        return Err(invalid_tag("The TagValue you have provided is invalid"));
    }
    Ok(())
}

fn is_allowed(c: char) -> bool {
    let is_space = c.is_whitespace() && !c.is_control();
    c.is_alphanumeric() || is_space || "+-=._:/@".contains(c)
}

fn invalid_tag(message: &'static str) -> S3Error {
    S3Error::with_message(S3ErrorCode::InvalidTag, message)
}

fn badly_encoded() -> S3Error {
    invalid_argument(
        "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag \
         name duplicates.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(key: &str, value: &str) -> dto::Tag {
        dto::Tag { key: Some(key.to_owned()), value: Some(value.to_owned()) }
    }

    fn code(result: S3Result<Tags>) -> String {
        result.unwrap_err().code().as_str().to_owned()
    }

    #[test]
    fn the_header_is_a_query_string() {
        let tags = Tags::parse_header("a=1&b&c=x%20y+z&d=%C3%BC").unwrap();
        assert_eq!(tags.iter().collect::<Vec<_>>(), [("a", "1"), ("b", ""), ("c", "x y z"), ("d", "ü")]);
        assert!(Tags::parse_header("").unwrap().is_empty());
    }

    #[test]
    fn headers_that_are_not_a_query_string_are_refused() {
        for header in ["a=1&a=2", "=1", "a=%zz", "%ff=1"] {
            assert_eq!(code(Tags::parse_header(header)), "InvalidArgument", "{header}");
        }
        assert_eq!(code(Tags::parse_header("a%26b=1")), "InvalidTag");
    }

    #[test]
    fn limits_count_characters() {
        let longest = tag(&"ü".repeat(128), &"ü".repeat(256));
        assert!(Tags::of_object(&[longest]).is_ok());
        assert_eq!(code(Tags::of_object(&[tag(&"k".repeat(129), "")])), "InvalidTag");
        assert_eq!(code(Tags::of_object(&[tag("k", &"v".repeat(257))])), "InvalidTag");
        assert_eq!(code(Tags::of_object(&[tag("", "v")])), "InvalidTag");
        assert_eq!(code(Tags::of_object(&[tag("a", ""), tag("a", "")])), "InvalidTag");
        assert_eq!(code(Tags::of_object(&[tag("aws:a", "")])), "InvalidTag");
        assert_eq!(code(Tags::of_object(&[tag("a", "tab\t")])), "InvalidTag");
    }

    #[test]
    fn an_object_has_ten_tags_and_a_bucket_fifty() {
        let set: Vec<_> = (0..51).map(|n| tag(&n.to_string(), "")).collect();
        assert!(Tags::of_object(&set[..10]).is_ok());
        assert_eq!(code(Tags::of_object(&set[..11])), "BadRequest");
        assert!(Tags::of_bucket(&set[..50]).is_ok());
        assert_eq!(code(Tags::of_bucket(&set)), "BadRequest");
    }

    #[test]
    fn a_set_survives_the_way_to_the_protocol_and_back() {
        let tags = Tags::parse_header("b=2&a=1").unwrap();
        assert_eq!(Tags::of_object(&tags.to_set()).unwrap(), tags);
        assert!(tags.contains_all(&Tags::parse_header("a=1").unwrap()));
        assert!(!tags.contains_all(&Tags::parse_header("a=2").unwrap()));
    }
}
