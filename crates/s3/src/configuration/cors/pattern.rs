//! Patterns with one `*`.

/// Returns whether a text matches a pattern in which `*` stands for any text. A second `*` has no meaning.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == text };
    text.strip_prefix(head).is_some_and(|rest| rest.ends_with(tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text) in [
            ("*", ""),
            ("*", "http://a"),
            ("http://*.b.com", "http://a.b.com"),
            ("http://*", "http://"),
            ("x-amz-*", "x-amz-date"),
            ("a*a", "aa"),
            ("a", "a"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("", "a"),
            ("a*a", "a"),
            ("http://*.b.com", "http://b.com"),
            ("http://*", "https://a"),
            ("a", "A"),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
