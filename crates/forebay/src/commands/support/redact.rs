//! Removes everything that looks like a secret from a text. This is a last guard: nothing that goes into a
//! bundle should contain one.

/// The prefix of API tokens, and the markers of private keys.
const TOKEN: &[u8] = b"fb_";
const KEY_BEGINS: &[u8] = b"-----BEGIN ";
const KEY: &[u8] = b"PRIVATE KEY-----";
const KEY_ENDS: &[u8] = b"-----END ";
const REMOVED: &[u8] = b"[removed]";
/// Shorter words are not tokens.
const TOKEN_BYTES_MIN: usize = 32;

/// The name of a secret access key in the files of AWS's tools.
const ACCESS_KEY: &[u8] = b"aws_secret_access_key";

/// The text without tokens, private keys in PEM, and secret access keys.
pub fn secrets(text: &[u8]) -> Vec<u8> {
    let mut clean = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        match secret_at(rest) {
            0 => {
                clean.push(*first);
                rest = after;
            }
            length => {
                clean.extend_from_slice(REMOVED);
                rest = rest.get(length..).unwrap_or_default();
            }
        }
    }
    clean
}

/// The length of the secret at the start of the text, or 0.
fn secret_at(text: &[u8]) -> usize {
    if text.starts_with(TOKEN) {
        let length = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        return if length >= TOKEN_BYTES_MIN { length } else { 0 };
    }
    if text.starts_with(ACCESS_KEY) {
        // The name goes with its value, up to the end of the line.
        return text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
    }
    if !text.starts_with(KEY_BEGINS) {
        return 0;
    }
    let label = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
    if find(text.get(..label).unwrap_or_default(), KEY).is_none() {
        return 0;
    }
    // A key without its end, as in a truncated log, extends to the end of the text.
    let Some(end) = find(text, KEY_ENDS) else { return text.len() };
    let tail = text.get(end..).unwrap_or_default();
    end.saturating_add(find(tail, KEY).map_or(tail.len(), |key| key.saturating_add(KEY.len())))
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> String {
        String::from_utf8(secrets(text.as_bytes())).unwrap()
    }

    #[test]
    fn tokens_and_private_keys_are_taken_out_and_nothing_else() {
        let token = format!("fb_{}_{}", "0f".repeat(8), "9d".repeat(32));
        assert_eq!(cleaned(&format!("a {token}, b {token}")), "a [removed], b [removed]");
        assert_eq!(cleaned("fb_short fb_ x-fb_y"), "fb_short fb_ x-fb_y");
        let key = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----";
        assert_eq!(cleaned(&format!("before\n{key}\nafter")), "before\n[removed]\nafter");
        assert_eq!(cleaned("-----BEGIN PRIVATE KEY-----\nMHcC"), "[removed]");
        let credentials =
            "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = abc/+def\nregion = x";
        assert_eq!(cleaned(credentials), "[default]\naws_access_key_id = AKIA1\n[removed]\nregion = x");
        let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
        assert_eq!(cleaned(certificate), certificate);
        assert_eq!(secrets(&[0xff, 0, b'f']), [0xff, 0, b'f']);
    }
}
