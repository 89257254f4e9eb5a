//! The list of parts of a completed object.
//!
//! GET and HEAD with `partNumber`, and GetObjectAttributes, need the size of each part. A short list is stored in
//! the object's facts. A long one, of up to 10,000 parts, is split into chunks that the caller stores elsewhere.

use std::ops::Range;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Format;
use super::defaults::is_default;
use super::format::{FactsError, decode, encode};

/// The most parts whose list is stored in the object's facts.
pub const PARTS_INLINE_MAX: usize = 100;
/// The parts of a chunk: with a SHA-256 each, 35 KiB.
const CHUNK_PARTS: usize = 500;
const WHAT: &str = "the parts of an object";

/// One part of a completed object. It is stored as `[number, size]` or `[number, size, checksum]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRecord {
    /// The number that the uploader gave it.
    pub number: u32,
    /// The number of bytes.
    pub size: u64,
    /// The checksum, base64, in the algorithm of the object.
    pub checksum: Option<String>,
}

/// The parts of a completed object, as far as its facts have them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parts {
    /// The number of parts.
    #[serde(rename = "n")]
    pub count: u32,
    /// All parts, or none if they are stored in chunks.
    #[serde(rename = "l", default, skip_serializing_if = "is_default")]
    pub inline: Vec<PartRecord>,
}

/// A stored chunk of a long list.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Chunk {
    #[serde(rename = "f")]
    format: Format,
    /// The position of the first part in the list.
    #[serde(rename = "i")]
    first: usize,
    #[serde(rename = "l")]
    parts: Vec<PartRecord>,
}

impl Parts {
    /// Splits a list into what the object's facts have, and the chunks that the caller stores: none if the list is
    /// short.
    pub fn split(list: Vec<PartRecord>) -> Result<(Parts, Vec<Vec<u8>>), FactsError> {
        let count = u32::try_from(list.len()).unwrap_or(u32::MAX);
        if list.len() <= PARTS_INLINE_MAX {
            return Ok((Parts { count, inline: list }, Vec::new()));
        }
        let chunk = |(index, parts): (usize, &[PartRecord])| {
            encode(WHAT, &Chunk { format: Format, first: index * CHUNK_PARTS, parts: parts.to_vec() })
        };
        let chunks = list.chunks(CHUNK_PARTS).enumerate().map(chunk).collect::<Result<_, _>>()?;
        Ok((Parts { count, inline: Vec::new() }, chunks))
    }

    /// Returns whether the list is stored in chunks.
    pub fn is_chunked(&self) -> bool {
        self.inline.is_empty() && self.count > 0
    }

    /// Returns the number of stored chunks.
    pub fn chunk_count(&self) -> usize {
        if !self.is_chunked() {
            return 0;
        }
        usize::try_from(self.count).unwrap_or(usize::MAX).div_ceil(CHUNK_PARTS)
    }

    /// Returns the whole list, given the stored chunks in their order. Returns `None` if a chunk is missing or out of
    /// place, which the caller reports as damage.
    pub fn join<C: AsRef<[u8]>>(&self, chunks: &[C]) -> Result<Option<Vec<PartRecord>>, FactsError> {
        if !self.is_chunked() {
            return Ok(Some(self.inline.clone()));
        }
        let mut list = Vec::new();
        for bytes in chunks {
            let chunk: Chunk = decode(WHAT, bytes.as_ref())?;
            if chunk.first != list.len() {
                return Ok(None);
            }
            list.extend(chunk.parts);
        }
        Ok((u32::try_from(list.len()) == Ok(self.count)).then_some(list))
    }
}

/// Returns the bytes of the object that a part holds, or `None` if no part has this number.
pub fn part_bytes(list: &[PartRecord], number: u32) -> Option<Range<u64>> {
    let mut start = 0u64;
    for part in list {
        let end = start.checked_add(part.size)?;
        if part.number == number {
            return Some(start..end);
        }
        start = end;
    }
    None
}

impl Serialize for PartRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.checksum {
            None => (self.number, self.size).serialize(serializer),
            Some(checksum) => (self.number, self.size, checksum).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for PartRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PartRecord, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Stored {
            Plain(u32, u64),
            Checked(u32, u64, String),
        }
        Ok(match Stored::deserialize(deserializer)? {
            Stored::Plain(number, size) => PartRecord { number, size, checksum: None },
            Stored::Checked(number, size, sum) => PartRecord { number, size, checksum: Some(sum) },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: u32) -> Vec<PartRecord> {
        let record = |number| PartRecord { number, size: 5 << 30, checksum: Some("v".repeat(44)) };
        (1..=count).map(record).collect()
    }

    #[test]
    fn a_list_of_any_length_survives_being_stored() {
        for count in [1, 100, 101, 500, 501, 1000, 10_000] {
            let (parts, chunks) = Parts::split(list(count)).unwrap();
            assert_eq!(parts.is_chunked(), count > 100);
            assert_eq!(parts.chunk_count(), chunks.len());
            assert!(chunks.iter().all(|chunk| chunk.len() < 64 << 10));
            assert_eq!(parts.join(&chunks).unwrap(), Some(list(count)));
        }
    }

    #[test]
    fn missing_and_misplaced_chunks_are_noticed() {
        let (parts, mut chunks) = Parts::split(list(1200)).unwrap();
        assert_eq!(parts.join(&chunks[..2]).unwrap(), None);
        assert_eq!(parts.join(&chunks[1..]).unwrap(), None);
        chunks.swap(0, 1);
        assert_eq!(parts.join(&chunks).unwrap(), None);
        assert!(parts.join(&[b"{}"]).is_err());
    }

    #[test]
    fn a_part_is_found_by_the_number_that_the_uploader_gave_it() {
        let record = |number, size| PartRecord { number, size, checksum: None };
        let list = [record(1, 10), record(3, 5), record(7, 1)];
        assert_eq!(part_bytes(&list, 1), Some(0..10));
        assert_eq!(part_bytes(&list, 3), Some(10..15));
        assert_eq!(part_bytes(&list, 7), Some(15..16));
        assert_eq!(part_bytes(&list, 2), None);
        assert_eq!(part_bytes(&[record(1, u64::MAX), record(2, 1)], 2), None);
    }
}
