//! `encoding-type`: how a listing returns keys, prefixes, markers and delimiters.

use s3s::{S3Result, dto};

use crate::errors::invalid_argument;
use crate::percent;

/// How a listing returns keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// As they are. XML cannot express some keys.
    #[default]
    None,
    /// Percent-encoded.
    Url,
}

impl Encoding {
    /// Parses `encoding-type`.
    pub fn parse(encoding: Option<&str>) -> S3Result<Encoding> {
        match encoding {
            None => Ok(Encoding::None),
            Some("url") => Ok(Encoding::Url),
            Some(_) => Err(invalid_argument("Invalid Encoding Method specified in Request")),
        }
    }

    /// Encodes a key, prefix, marker or delimiter.
    pub fn apply(self, text: &str) -> String {
        match self {
            Encoding::None => text.to_owned(),
            Encoding::Url => percent::encode(text),
        }
    }

    /// Returns the type for the answer.
    pub fn to_dto(self) -> Option<dto::EncodingType> {
        (self == Encoding::Url).then(|| dto::EncodingType::from_static(dto::EncodingType::URL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_url_is_known() {
        assert_eq!(Encoding::parse(Some("url")).unwrap().apply("a b/+"), "a%20b/%2B");
        assert_eq!(Encoding::parse(None).unwrap().apply("a b/+"), "a b/+");
        assert!(Encoding::parse(Some("URL")).is_err());
    }
}
