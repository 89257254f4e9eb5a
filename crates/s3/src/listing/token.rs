//! The continuation token of ListObjectsV2.

use s3s::{S3Error, S3Result};

use super::Start;
use crate::errors::invalid_argument;

/// The first byte of a token: its format and kind.
const AFTER_KEY: u8 = 1;
const WITHIN: u8 = 2;

/// An opaque text from which a listing goes on. It has a check, so that a token that was cut or changed is refused and
/// does not begin a listing somewhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContinuationToken(Start);

impl ContinuationToken {
    /// Makes a token of the place where the next page begins. Returns `None` for places that no ListObjectsV2 has.
    pub fn new(next: Start) -> Option<ContinuationToken> {
        matches!(next, Start::AfterKey(_) | Start::Within(_)).then_some(ContinuationToken(next))
    }

    /// Returns the text of the token.
    pub fn encode(&self) -> String {
        let (kind, key) = match &self.0 {
            Start::Within(key) => (WITHIN, key.as_str()),
            Start::AfterKey(key) | Start::AfterEntry(key, _) => (AFTER_KEY, key.as_str()),
            Start::Beginning => (AFTER_KEY, ""),
        };
        let mut bytes = vec![kind];
        bytes.extend_from_slice(key.as_bytes());
        let check = check(&bytes);
        bytes.extend_from_slice(&check);
        base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes)
    }

    /// Parses a token.
    pub fn parse(text: &str) -> S3Result<ContinuationToken> {
        let bytes = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text).map_err(|_| incorrect())?;
        let (body, found) = bytes.split_last_chunk::<4>().ok_or_else(incorrect)?;
        let (kind, key) = body.split_first().ok_or_else(incorrect)?;
        if check(body) != *found {
            return Err(incorrect());
        }
        let key = String::from_utf8(key.to_vec()).map_err(|_| incorrect())?;
        match *kind {
            AFTER_KEY => Ok(ContinuationToken(Start::AfterKey(key))),
            WITHIN => Ok(ContinuationToken(Start::Within(key))),
            _ => Err(incorrect()),
        }
    }

    /// Returns where a listing begins: behind the token if there is one, or else behind `start-after`. An empty text
    /// counts as none.
    pub fn start(token: Option<&str>, start_after: Option<&str>) -> S3Result<Start> {
        if let Some(token) = token.filter(|token| !token.is_empty()) {
            return Ok(ContinuationToken::parse(token)?.0);
        }
        Ok(match start_after.filter(|key| !key.is_empty()) {
            Some(key) => Start::AfterKey(key.to_owned()),
            None => Start::Beginning,
        })
    }
}

fn check(bytes: &[u8]) -> [u8; 4] {
    crc_fast::crc32_iscsi(bytes).to_be_bytes()
}

fn incorrect() -> S3Error {
    invalid_argument("The continuation token provided is incorrect")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_token_comes_before_start_after() {
        let token = ContinuationToken(Start::AfterKey("b".to_owned())).encode();
        let start = |token, after| ContinuationToken::start(token, after).unwrap();
        assert_eq!(start(Some(&token), Some("a")), Start::AfterKey("b".to_owned()));
        assert_eq!(start(Some(""), Some("a")), Start::AfterKey("a".to_owned()));
        assert_eq!(start(None, Some("")), Start::Beginning);
    }

    proptest! {
        #[test]
        fn tokens_lead_back_to_their_keys(key in any::<String>(), within in any::<bool>()) {
            let start = if within { Start::Within(key) } else { Start::AfterKey(key) };
            let token = ContinuationToken::new(start).unwrap();
            prop_assert_eq!(ContinuationToken::parse(&token.encode()).unwrap(), token);
        }

        #[test]
        fn changed_tokens_are_refused(key in ".{0,20}", at in any::<prop::sample::Index>(), new in "[a-zA-Z0-9_-]") {
            let mut token = ContinuationToken(Start::AfterKey(key)).encode();
            let at = at.index(token.len());
            prop_assume!(token[at..=at] != new);
            token.replace_range(at..=at, &new);
            prop_assert!(ContinuationToken::parse(&token).is_err());
        }

        #[test]
        fn no_token_panics(text in any::<String>()) {
            prop_assert!(ContinuationToken::parse(&text).is_err());
        }
    }
}
