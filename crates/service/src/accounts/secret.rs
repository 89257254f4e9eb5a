//! The text of a token: `fb_`, the token's id, `_`, and 256 random bits, in hexadecimal.
//!
//! ```text
//! fb_0f3a9c5d7e21b846_9d0c…e1
//!    └── 64 bits ───┘ └ 256 ┘
//! ```
//!
//! The prefix helps scanners that search for leaked secrets. A hash without salt or stretching is enough for a random secret.

use std::fmt::{self, Display, Formatter};

use crate::error::{Error, Result};

const PREFIX: &str = "fb_";
const ID_DIGITS: usize = 16;
const SECRET_DIGITS: usize = 64;

/// A token's secret, with its id.
pub struct Secret {
    id: String,
    secret: String,
}

impl Secret {
    /// A new secret from the system's source of random numbers.
    pub fn draw() -> Result<Secret> {
        let mut bytes = [0; 40];
        getrandom::fill(&mut bytes).map_err(|error| Error::NoRandomness(error.to_string()))?;
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let (id, secret) = digits.split_at(ID_DIGITS);
        Ok(Secret { id: id.to_owned(), secret: secret.to_owned() })
    }

    /// Parses a token as a client sent it.
    pub fn read(text: &str) -> Option<Secret> {
        let (id, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
        let digits =
            |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        (digits(id, ID_DIGITS) && digits(secret, SECRET_DIGITS))
            .then(|| Secret { id: id.to_owned(), secret: secret.to_owned() })
    }

    /// The token's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The hash that is stored.
    pub fn hash(&self) -> blake3::Hash {
        blake3::hash(self.secret.as_bytes())
    }

    /// Whether the secret has this hash. Takes the same time whatever the answer.
    pub fn is_of(&self, hash: &blake3::Hash) -> bool {
        // `blake3::Hash` compares in constant time.
        self.hash() == *hash
    }
}

impl Display for Secret {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{PREFIX}{}_{}", self.id, self.secret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_back_and_only_it_is_of_its_hash() {
        let (one, other) = (Secret::draw().unwrap(), Secret::draw().unwrap());
        let read = Secret::read(&one.to_string()).unwrap();
        assert_eq!(read.id(), one.id());
        assert!(read.is_of(&one.hash()) && !read.is_of(&other.hash()));
        assert_ne!(one.id(), other.id());
    }

    #[test]
    fn what_is_no_token_is_not_read() {
        let good = Secret::draw().unwrap().to_string();
        for wrong in
            ["", "fb_", "fb_00_00", &good[1..], &good[..good.len() - 1], &format!("{good}0"), "fb_é_ß"]
        {
            assert!(Secret::read(wrong).is_none(), "{wrong}");
        }
    }
}
