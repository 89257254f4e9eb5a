//! Version ids as callers see them.

use std::fmt;

use s3s::S3Result;

use crate::error_document::Detailed;
use crate::errors::invalid_argument;

const DIGITS: usize = 16;
const NULL: &str = "null";
/// The lengths of the ids of AWS and of other servers.
const FOREIGN_LENGTHS: [usize; 3] = [26, 32, 36];
/// No version has this number: numbers are times in nanoseconds, and this one is in the year 2554.
const FOREIGN: u64 = u64::MAX;

/// The id of an object version: `null`, or 16 lowercase hexadecimal digits of the version's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VersionId {
    /// The version written while the bucket's versioning was not enabled. A key has at most one.
    Null,
    /// A version by its number.
    Number(u64),
}

impl VersionId {
    /// Parses an id strictly: each version has one text.
    pub fn parse(text: &str) -> S3Result<VersionId> {
        if text == NULL {
            return Ok(VersionId::Null);
        }
        let digits = text.len() == DIGITS && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let number = if digits { u64::from_str_radix(text, 16).ok() } else { None };
        let foreign = is_foreign(text).then_some(FOREIGN);
        number
            .or(foreign)
            .map(VersionId::Number)
            .ok_or_else(|| invalid_argument("Invalid version id specified").argument("versionId", text))
    }

    /// Parses the id that a request names. As in other servers, an empty one names no version.
    pub fn named(text: Option<&str>) -> S3Result<Option<VersionId>> {
        text.filter(|text| !text.is_empty()).map(VersionId::parse).transpose()
    }

    /// Returns the id of a stored version.
    pub fn of(number: u64, null_version: bool) -> VersionId {
        if null_version { VersionId::Null } else { VersionId::Number(number) }
    }
}

/// Whether this has the form of an id that another server gives out, such as AWS. A program that has moved here asks for such
/// versions, and learns that they do not exist.
fn is_foreign(text: &str) -> bool {
    FOREIGN_LENGTHS.contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

impl fmt::Display for VersionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VersionId::Null => f.write_str(NULL),
            VersionId::Number(number) => write!(f, "{number:0DIGITS$x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_the_text_that_was_given_out_is_accepted() {
        assert_eq!(VersionId::parse("null").unwrap(), VersionId::Null);
        assert_eq!(VersionId::Number(255).to_string(), "00000000000000ff");
        for text in
            ["", "NULL", "ff", "00000000000000FF", "+0000000000000ff", "000000000000000ff", " null", "ü"]
        {
            assert!(VersionId::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_id_of_another_server_is_one_that_no_version_has() {
        for text in ["01G65Z755AFWAKHE12NY0CQ9FH", "3HL4kqtJvjVBH40Nrjfkd.8bTtTQ_-y1"] {
            assert_eq!(VersionId::parse(text).unwrap(), VersionId::Number(u64::MAX), "{text}");
        }
    }

    proptest! {
        #[test]
        fn ids_lead_back_to_their_numbers(number in any::<u64>()) {
            let id = VersionId::of(number, false);
            prop_assert_eq!(VersionId::parse(&id.to_string()).unwrap(), id);
        }
    }
}
