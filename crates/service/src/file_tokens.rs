//! Tokens that name files.
//!
//! Whoever may read a file over one protocol gets its token, and gives it to another protocol, which then may read the file too, without
//! a path. A token holds for as long as the file exists, under any name and across restarts, and only for this pool.
//!
//! A token is hexadecimal digits of: version 1:1, pool:16, volume:4, inode:8, generation:4, keyed BLAKE3 of all before:32.

use std::fmt::Write;

use forebay_pool::{Handle, InodeId, Pool, PoolId, Result, VolumeId};

const PURPOSE: &str = "forebay 2026-11-25 tokens of files";
const VERSION: u8 = 1;
const NAMED_BYTES: usize = 33;
const TOKEN_BYTES: usize = NAMED_BYTES + 32;

/// Makes and reads the tokens of a pool.
#[derive(Clone)]
pub struct FileTokens {
    pool: PoolId,
    key: [u8; 32],
}

/// Why a text names no file of this pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoToken {
    /// It is not a token.
    Malformed,
    /// It is the token of another pool.
    OtherPool,
    /// This pool has not made it.
    Forged,
}

impl FileTokens {
    /// The tokens of a pool. Fails if the pool is closed.
    pub fn of(pool: &Pool) -> Result<FileTokens> {
        Ok(FileTokens { pool: pool.id(), key: pool.derived_key(PURPOSE)? })
    }

    /// The token of a file.
    pub fn token(&self, file: Handle) -> String {
        let mut bytes = Vec::with_capacity(TOKEN_BYTES);
        bytes.push(VERSION);
        bytes.extend(self.pool.0);
        bytes.extend(file.volume.0.to_be_bytes());
        bytes.extend(file.inode.0.to_be_bytes());
        bytes.extend(file.generation.to_be_bytes());
        let mac = blake3::keyed_hash(&self.key, &bytes);
        bytes.extend(mac.as_bytes());
        bytes.iter().fold(String::with_capacity(2 * TOKEN_BYTES), |mut text, byte| {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// The file that a token names. It may be gone.
    pub fn file(&self, token: &str) -> std::result::Result<Handle, NoToken> {
        let bytes = decode(token).ok_or(NoToken::Malformed)?;
        let (named, mac) = bytes.split_first_chunk::<NAMED_BYTES>().ok_or(NoToken::Malformed)?;
        let mac: [u8; 32] = mac.try_into().map_err(|_| NoToken::Malformed)?;
        let mut fields = Fields(named);
        let version = fields.take::<1>();
        let pool = fields.take();
        if version != [VERSION] {
            return Err(NoToken::Malformed);
        }
        if pool != self.pool.0 {
            return Err(NoToken::OtherPool);
        }
        // The comparison of hashes takes the same time wherever they differ.
        if blake3::keyed_hash(&self.key, named) != blake3::Hash::from_bytes(mac) {
            return Err(NoToken::Forged);
        }
        Ok(Handle {
            volume: VolumeId(u32::from_be_bytes(fields.take())),
            inode: InodeId(u64::from_be_bytes(fields.take())),
            generation: u32::from_be_bytes(fields.take()),
        })
    }
}

struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    /// The next bytes; zeros behind the end.
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let Some((field, rest)) = self.0.split_first_chunk::<N>() else { return [0; N] };
        self.0 = rest;
        *field
    }
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|digit| digit.to_digit(16).and_then(|digit| digit.try_into().ok())).collect();
    let digits = digits.filter(|digits| digits.len() == 2 * TOKEN_BYTES)?;
    Some(digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: Handle = Handle { volume: VolumeId(7), inode: InodeId(1 << 40), generation: 0xfeed_beef };

    fn tokens(pool: u8, key: u8) -> FileTokens {
        FileTokens { pool: PoolId([pool; 16]), key: [key; 32] }
    }

    #[test]
    fn a_token_names_its_file() {
        let token = tokens(1, 1).token(FILE);
        assert_eq!(token.len(), 130);
        assert_eq!(tokens(1, 1).file(&token), Ok(FILE));
    }

    #[test]
    fn other_pools_and_forgeries_are_told_apart() {
        let token = tokens(1, 1).token(FILE);
        assert_eq!(tokens(2, 1).file(&token), Err(NoToken::OtherPool));
        assert_eq!(tokens(1, 2).file(&token), Err(NoToken::Forged));
        for at in 34..token.len() {
            let mut altered = token.clone().into_bytes();
            altered[at] = if altered[at] == b'0' { b'1' } else { b'0' };
            let altered = String::from_utf8(altered).unwrap();
            assert_eq!(tokens(1, 1).file(&altered), Err(NoToken::Forged), "digit {at}");
        }
    }

    #[test]
    fn what_is_no_token_is_refused() {
        let token = tokens(1, 1).token(FILE);
        for text in
            ["", "00", "zz", &token[1..], &format!("{token}00"), &token.replacen("01", "02", 1), "\u{e9}"]
        {
            assert_eq!(tokens(1, 1).file(text), Err(NoToken::Malformed), "{text}");
        }
    }
}
