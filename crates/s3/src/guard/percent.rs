//! Percent-decoding (RFC 3986, 2.1) that accepts no malformed escape, so that s3s cannot understand one differently.

use std::borrow::Cow;

use super::refusal::Refusal;

/// A decoded path, or part of one.
pub(super) fn decode_path(text: &str) -> Result<Cow<'_, str>, Refusal> {
    decode(text, false)
}

/// A decoded name or value of a query, in which `+` is a space.
pub(super) fn decode_query(text: &str) -> Result<Cow<'_, str>, Refusal> {
    decode(text, true)
}

fn decode(text: &str, plus_is_space: bool) -> Result<Cow<'_, str>, Refusal> {
    if !text.bytes().any(|byte| byte == b'%' || (plus_is_space && byte == b'+')) {
        return Ok(Cow::Borrowed(text));
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = (bytes.next().and_then(digit), bytes.next().and_then(digit));
                let (Some(high), Some(low)) = digits else { return Err(Refusal::InvalidUri) };
                high << 4 | low
            }
            b'+' if plus_is_space => b' ',
            byte => byte,
        });
    }
    String::from_utf8(decoded).map(Cow::Owned).map_err(|_| Refusal::InvalidUri)
}

fn digit(byte: u8) -> Option<u8> {
    u8::try_from(char::from(byte).to_digit(16)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_and_malformed_ones_refused() {
        for (text, path, query) in [
            ("", "", ""),
            ("/a/b", "/a/b", "/a/b"),
            ("a+b", "a+b", "a b"),
            ("%41%e2%82%ac%2F", "A€/", "A€/"),
            ("%2B%25", "+%", "+%"),
        ] {
            assert_eq!(decode_path(text).unwrap(), path);
            assert_eq!(decode_query(text).unwrap(), query);
        }
        for text in ["%", "%4", "%zz", "a%+1", "%ff", "%c3(", "%e2%82"] {
            assert_eq!(decode_path(text), Err(Refusal::InvalidUri), "{text}");
            assert_eq!(decode_query(text), Err(Refusal::InvalidUri), "{text}");
        }
    }
}
