//! The names of chunks: a name follows from the content, so equal contents have equal names.
//!
//! A *keyed* name is the tag of AEGIS-128L used as a MAC, with 256 bits, under a key that only the pool has
//! (draft-irtf-cfrg-aegis-aead, section 5.4). Without the key nobody can find two contents with one name. Until format 4 a name was
//! the BLAKE3-256 of the content. Chunks keep the name that they were stored under, and the version of a frame says which kind it
//! is. Decision 36 has the reasons.

use aegis::aegis128l::Aegis128LMac;

use crate::format::keys::ChunkId;

const PURPOSE: &str = "forebay pool: names of chunks";

/// A kind of name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    /// The BLAKE3-256 of the content.
    Hashed,
    /// The tag of the content under the pool's key.
    Keyed,
}

/// In tests, all contents that begin with this have the same name.
#[cfg(test)]
pub(crate) const ALIKE: &[u8] = b"a content whose name is that of others\n";

/// Names chunks.
#[derive(Clone)]
pub(crate) struct Names {
    /// The state that all tags begin with.
    start: Aegis128LMac<32>,
    naming: Naming,
}

impl Names {
    /// The names of this kind that the pool with this secret gives.
    pub(crate) fn new(secret: &[u8; 32], naming: Naming) -> Names {
        let mut key = [0; 16];
        let derived = blake3::derive_key(PURPOSE, secret);
        key.iter_mut().zip(derived).for_each(|(to, from)| *to = from);
        Names { start: Aegis128LMac::new(&key), naming }
    }

    /// The kind of the names that are given.
    pub(crate) fn naming(&self) -> Naming {
        self.naming
    }

    /// The name of a chunk with this content.
    pub(crate) fn name(&self, content: &[u8]) -> ChunkId {
        self.name_as(self.naming, content)
    }

    /// The kind of a name of this content, or `None` if it is the name of another content.
    pub(crate) fn naming_of(&self, id: ChunkId, content: &[u8]) -> Option<Naming> {
        [Naming::Keyed, Naming::Hashed].into_iter().find(|naming| self.name_as(*naming, content) == id)
    }

    pub(super) fn name_as(&self, naming: Naming, content: &[u8]) -> ChunkId {
        #[cfg(test)]
        let content = if content.starts_with(ALIKE) { ALIKE } else { content };
        match naming {
            Naming::Hashed => hashed(content),
            Naming::Keyed => {
                let mut mac = self.start.clone();
                mac.update(content);
                ChunkId(mac.finalize())
            }
        }
    }
}

/// The name that a content had until format 4. It needs no key.
pub(crate) fn hashed(content: &[u8]) -> ChunkId {
    ChunkId(*blake3::hash(content).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyed(secret: [u8; 32]) -> Names {
        Names::new(&secret, Naming::Keyed)
    }

    // Anything else would make the chunks of existing pools unreadable.
    #[test]
    fn names_never_change() {
        let names = keyed([7; 32]);
        assert_eq!(
            names.name(b"some records").to_string(),
            "c64ac44e9a02bcd58a4a905c87cb6bc82cd55db266496c0180598272b1aed46a"
        );
        assert_eq!(
            Names::new(&[7; 32], Naming::Hashed).name(b"some records"),
            ChunkId(*blake3::hash(b"some records").as_bytes())
        );
    }

    #[test]
    fn every_pool_has_names_of_its_own() {
        let (one, other) = (keyed([7; 32]), keyed([8; 32]));
        assert_ne!(one.name(b"x"), other.name(b"x"));
        assert_eq!(one.naming_of(one.name(b"x"), b"x"), Some(Naming::Keyed));
        assert_eq!(one.naming_of(hashed(b"x"), b"x"), Some(Naming::Hashed));
        assert_eq!(one.naming_of(other.name(b"x"), b"x"), None);
    }

    #[test]
    fn contents_that_differ_in_a_bit_or_in_zeros_at_the_end_have_different_names() {
        let names = keyed([7; 32]);
        let content: Vec<u8> = (1..=255).cycle().take(1000).collect();
        let mut seen = std::collections::HashSet::new();
        for length in 0..content.len() {
            assert!(seen.insert(names.name(&content[..length])));
        }
        for zeros in 1..100 {
            assert!(seen.insert(names.name(&vec![0; zeros])));
        }
        for bit in 0..content.len() * 8 {
            let mut other = content.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(seen.insert(names.name(&other)));
        }
    }
}
