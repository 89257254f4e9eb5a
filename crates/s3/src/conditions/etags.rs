//! The lists of ETags in If-Match and If-None-Match.

use hyper::HeaderMap;

/// The value of If-Match or If-None-Match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Etags {
    /// `*`, which any object matches.
    Any,
    /// A list.
    List(Vec<Etag>),
}

/// An ETag without its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Etag {
    weak: bool,
    value: String,
}

impl Etags {
    /// Reads a header, which may come several times. Clients of S3 send ETags with and without quotes.
    pub(super) fn from_headers(headers: &HeaderMap, name: &str) -> Option<Etags> {
        let values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        let joined = values.collect::<Vec<_>>().join(",");
        (!joined.trim().is_empty()).then(|| Etags::parse(&joined))
    }

    pub(super) fn parse(text: &str) -> Etags {
        if text.trim() == "*" {
            return Etags::Any;
        }
        Etags::List(split(text).into_iter().map(Etag::parse).collect())
    }

    /// Compares as If-Match does: a weak ETag never matches.
    pub(super) fn matches_strongly(&self, etag: &str) -> bool {
        match self {
            Etags::Any => true,
            Etags::List(list) => list.iter().any(|known| !known.weak && known.value == etag),
        }
    }

    /// Compares as If-None-Match does: weak and strong ETags are equal.
    pub(super) fn matches_weakly(&self, etag: &str) -> bool {
        match self {
            Etags::Any => true,
            Etags::List(list) => list.iter().any(|known| known.value == etag),
        }
    }
}

impl Etag {
    fn parse(text: &str) -> Etag {
        let (weak, quoted) = match text.strip_prefix("W/") {
            Some(rest) if rest.starts_with('"') => (true, rest),
            _ => (false, text),
        };
        let value = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted);
        Etag { weak, value: value.to_owned() }
    }
}

/// Splits a list at the commas that are not within quotes.
fn split(list: &str) -> Vec<&str> {
    let mut in_quotes = false;
    let parts = list.split(|c| {
        in_quotes ^= c == '"';
        c == ',' && !in_quotes
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotes_are_optional_and_lists_are_split() {
        for text in ["abc", "\"abc\"", " \"x\" , abc", "\"x,y\",\"abc\"", ",abc,"] {
            assert!(Etags::parse(text).matches_strongly("abc"), "{text}");
        }
        for text in ["", "ab", "\"ab\"c", "\"x,abc\"", "W/abc", "a, *"] {
            assert!(!Etags::parse(text).matches_strongly("abc"), "{text}");
        }
    }

    #[test]
    fn weak_tags_match_only_weakly() {
        let weak = Etags::parse("W/\"abc\"");
        assert!(!weak.matches_strongly("abc"));
        assert!(weak.matches_weakly("abc"));
        assert!(Etags::parse(" * ").matches_strongly("anything"));
    }

    #[test]
    fn headers_that_come_twice_are_one_list() {
        let mut headers = HeaderMap::new();
        assert_eq!(Etags::from_headers(&headers, "if-match"), None);
        headers.append("if-match", "\"a\"".parse().unwrap());
        headers.append("if-match", "b".parse().unwrap());
        let etags = Etags::from_headers(&headers, "if-match").unwrap();
        assert!(etags.matches_strongly("a") && etags.matches_strongly("b"));
    }

    proptest! {
        #[test]
        fn no_list_panics(text in any::<String>()) {
            let _ = Etags::parse(&text).matches_weakly("abc");
        }
    }
}
