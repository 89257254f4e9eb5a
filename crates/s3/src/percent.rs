//! Percent encoding, as URLs and `encoding-type=url` have it.

/// How `+` is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plus {
    /// As a space, as in a query string.
    Space,
    /// As itself, as in a path.
    Itself,
}

/// Decodes `%XX`. Returns `None` for a broken escape, or bytes that are not UTF-8.
pub fn decode(text: &str, plus: Plus) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => hex(bytes.next()?)? << 4 | hex(bytes.next()?)?,
            b'+' if plus == Plus::Space => b' ',
            other => other,
        });
    }
    String::from_utf8(decoded).ok()
}

/// Encodes everything but letters, digits and `-_.~/`. A space becomes `%20`, which every decoder understands.
pub fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_plus_is_a_space_only_in_a_query() {
        assert_eq!(decode("a+b%20c", Plus::Space).as_deref(), Some("a b c"));
        assert_eq!(decode("a+b%20c", Plus::Itself).as_deref(), Some("a+b c"));
    }

    #[test]
    fn broken_escapes_are_refused() {
        for text in ["%", "%4", "%zz", "%FF", "a%2"] {
            assert_eq!(decode(text, Plus::Space), None, "{text}");
        }
    }

    #[test]
    fn keys_of_a_listing_are_encoded_as_clients_expect() {
        assert_eq!(encode("foo+1/bar"), "foo%2B1/bar");
        assert_eq!(encode("quux ab/thüd"), "quux%20ab/th%C3%BCd");
    }

    proptest! {
        #[test]
        fn what_was_encoded_decodes_to_itself(text in any::<String>()) {
            prop_assert_eq!(decode(&encode(&text), Plus::Space), Some(text.clone()));
            prop_assert_eq!(decode(&encode(&text), Plus::Itself), Some(text));
        }
    }
}
