//! Hashing a body while it arrives.

use crc_fast::CrcAlgorithm;
use hex_simd::AsciiCase;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

use super::{Algorithm, Checksum};

/// A hasher that computes the MD5, which is the ETag, and any number of checksums in one pass.
pub struct Digests {
    size: u64,
    md5: Md5,
    hashers: Vec<(Algorithm, Hasher)>,
}

enum Hasher {
    Crc(Box<crc_fast::Digest>),
    Sha1(Box<Sha1>),
    Sha256(Box<Sha256>),
}

/// One checksum of bytes that pass.
pub struct Running {
    algorithm: Algorithm,
    hasher: Hasher,
}

impl Running {
    /// Starts the checksum.
    pub fn new(algorithm: Algorithm) -> Running {
        Running { algorithm, hasher: Hasher::new(algorithm) }
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }

    /// Returns the checksum of all bytes added.
    pub fn finish(self) -> Checksum {
        Checksum::of_bytes(self.algorithm, &self.hasher.finish(self.algorithm))
    }
}

/// What a body hashed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sums {
    /// The number of bytes.
    pub size: u64,
    /// The MD5.
    pub md5: [u8; 16],
    values: Vec<(Algorithm, Vec<u8>)>,
}

impl Digests {
    /// Starts hashing. An algorithm that is named twice is computed once.
    pub fn new(algorithms: impl IntoIterator<Item = Algorithm>) -> Digests {
        let mut hashers: Vec<(Algorithm, Hasher)> = Vec::new();
        for algorithm in algorithms {
            if hashers.iter().all(|(known, _)| *known != algorithm) {
                hashers.push((algorithm, Hasher::new(algorithm)));
            }
        }
        Digests { size: 0, md5: Md5::new(), hashers }
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.md5.update(bytes);
        for (_, hasher) in &mut self.hashers {
            hasher.update(bytes);
        }
    }

    /// Returns the sums of all bytes added.
    pub fn finish(self) -> Sums {
        let value = |(algorithm, hasher): (Algorithm, Hasher)| (algorithm, hasher.finish(algorithm));
        Sums {
            size: self.size,
            md5: self.md5.finalize().into(),
            values: self.hashers.into_iter().map(value).collect(),
        }
    }
}

impl Sums {
    /// Hashes a body that is in memory.
    pub fn of(algorithms: impl IntoIterator<Item = Algorithm>, bytes: &[u8]) -> Sums {
        let mut digests = Digests::new(algorithms);
        digests.update(bytes);
        digests.finish()
    }

    /// Returns the ETag of the body as a single object or part, without quotes.
    pub fn etag(&self) -> String {
        hex_simd::encode_to_string(self.md5, AsciiCase::Lower)
    }

    /// Returns the raw value of an algorithm, if it was computed.
    pub fn value(&self, algorithm: Algorithm) -> Option<&[u8]> {
        self.values.iter().find(|(known, _)| *known == algorithm).map(|(_, value)| value.as_slice())
    }

    /// Returns the checksum of an algorithm, if it was computed.
    pub fn checksum(&self, algorithm: Algorithm) -> Option<Checksum> {
        self.value(algorithm).map(|value| Checksum::of_bytes(algorithm, value))
    }
}

impl Hasher {
    fn new(algorithm: Algorithm) -> Hasher {
        match algorithm {
            Algorithm::Crc32 => Hasher::Crc(Box::new(crc_fast::Digest::new(CrcAlgorithm::Crc32IsoHdlc))),
            Algorithm::Crc32c => Hasher::Crc(Box::new(crc_fast::Digest::new(CrcAlgorithm::Crc32Iscsi))),
            Algorithm::Crc64Nvme => Hasher::Crc(Box::new(crc_fast::Digest::new(CrcAlgorithm::Crc64Nvme))),
            Algorithm::Sha1 => Hasher::Sha1(Box::default()),
            Algorithm::Sha256 => Hasher::Sha256(Box::default()),
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Hasher::Crc(crc) => crc.update(bytes),
            Hasher::Sha1(sha1) => sha1.update(bytes),
            Hasher::Sha256(sha256) => sha256.update(bytes),
        }
    }

    fn finish(self, algorithm: Algorithm) -> Vec<u8> {
        match self {
            Hasher::Crc(crc) => crc_bytes(algorithm, crc.finalize()),
            Hasher::Sha1(sha1) => sha1.finalize().to_vec(),
            Hasher::Sha256(sha256) => sha256.finalize().to_vec(),
        }
    }
}

/// Returns a CRC as its bytes in network order.
pub(super) fn crc_bytes(algorithm: Algorithm, crc: u64) -> Vec<u8> {
    let unused = size_of::<u64>().saturating_sub(algorithm.value_bytes());
    crc.to_be_bytes().into_iter().skip(unused).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    #[test]
    fn known_bodies_hash_to_known_values() {
        let sums = Sums::of(Algorithm::ALL, b"123456789");
        let text = |algorithm| sums.checksum(algorithm).unwrap().value;
        assert_eq!(sums.size, 9);
        assert_eq!(sums.etag(), "25f9e794323b453885f5181f1b624d0b");
        assert_eq!(text(Algorithm::Crc32), "y/Q5Jg==");
        assert_eq!(text(Algorithm::Crc32c), "4waSgw==");
        assert_eq!(text(Algorithm::Crc64Nvme), "rosUhgp5mIg=");
        assert_eq!(text(Algorithm::Sha1), "98O8HYCOBHMq32eZZczDTKeuNEE=");
        assert_eq!(text(Algorithm::Sha256), "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=");
    }

    #[test]
    fn only_what_was_asked_for_is_computed() {
        let sums = Sums::of([Algorithm::Sha1, Algorithm::Sha1], b"");
        assert!(sums.value(Algorithm::Sha1).is_some());
        assert_eq!(sums.value(Algorithm::Crc32), None);
        assert_eq!(sums.values.len(), 1);
        assert_eq!(sums.etag(), "d41d8cd98f00b204e9800998ecf8427e");
    }

    proptest! {
        #[test]
        fn pieces_do_not_change_the_sums(pieces in vec(vec(any::<u8>(), 0..300), 0..8)) {
            let mut digests = Digests::new(Algorithm::ALL);
            pieces.iter().for_each(|piece| digests.update(piece));
            prop_assert_eq!(digests.finish(), Sums::of(Algorithm::ALL, &pieces.concat()));
        }
    }
}
