//! The SHA-256 fingerprint of a certificate, as the daemon, browsers and OpenSSL show it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Bytes of SHA-256.
const BYTES: usize = 32;

/// A fingerprint: 64 hexadecimal digits in upper case, with colons between the bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Parses one, with or without colons, in upper or lower case.
    pub fn parse(text: &str) -> Result<Fingerprint, String> {
        let digits: Vec<char> = text.trim().chars().filter(|letter| *letter != ':').collect();
        if digits.len() != BYTES * 2 || !digits.iter().all(char::is_ascii_hexdigit) {
            return Err(format!(
                "not a SHA-256 fingerprint; write its {} hexadecimal digits, with or without colons, as the daemon prints them",
                BYTES * 2
            ));
        }
        let pairs = digits.chunks(2).map(|pair| pair.iter().collect::<String>().to_ascii_uppercase());
        Ok(Fingerprint(pairs.collect::<Vec<_>>().join(":")))
    }

    /// Whether this is the fingerprint of a certificate.
    pub fn is_of(&self, certificate: &[u8]) -> bool {
        forebay_net::tls::fingerprint(certificate) == self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Fingerprint::parse(&text)
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> String {
        fingerprint.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_read_as_tools_write_them() {
        let shown = forebay_net::tls::fingerprint(b"certificate");
        let plain = shown.replace(':', "").to_lowercase();
        for text in [shown.as_str(), plain.as_str(), &format!(" {shown} ")] {
            let read = Fingerprint::parse(text).unwrap();
            assert!(read.is_of(b"certificate") && !read.is_of(b"another"), "{text}");
            assert_eq!(read.to_string(), shown);
        }
        for text in ["", "3A:5F", &plain[1..], &format!("g{}", &plain[1..]), "é"] {
            assert!(Fingerprint::parse(text).is_err(), "{text}");
        }
    }
}
