//! Random ids and secrets that look like AWS's.

use s3s::auth::SecretKey;

use crate::auth::error::{Error, Result};

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// An id of `start` and 16 characters, which hold 80 random bits.
pub(super) fn id(start: &str) -> Result<String> {
    let digits =
        random::<16>()?.map(|byte| BASE32.get(usize::from(byte & 31)).copied().map_or('A', char::from));
    Ok(start.chars().chain(digits).collect())
}

/// A secret of 40 characters, which hold 240 random bits.
pub(super) fn secret() -> Result<SecretKey> {
    Ok(SecretKey::from(base64_simd::STANDARD.encode_to_string(random::<30>()?)))
}

fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| Error::NoRandomness(error.to_string()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_secrets_look_like_those_of_aws() {
        let (one, other) = (id("AKIA").unwrap(), id("AKIA").unwrap());
        assert!(one != other && one.len() == 20 && one.starts_with("AKIA"));
        assert!(one.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()));
        assert_eq!(secret().unwrap().expose().len(), 40);
        assert_ne!(secret().unwrap().expose(), secret().unwrap().expose());
    }
}
