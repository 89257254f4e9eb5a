//! Entries of buckets.

use bytes::Bytes;

use super::{CHECKSUM_BYTES, Record, VERSION_SUMMED, checksum};
use crate::InodeId;
use crate::format::codec::{Decoded, Decoder, Encoder, Malformed};

/// An entry of a bucket. Its key has the table, the entry's key and its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BucketEntryRecord {
    /// The inode that the entry owns, with its generation.
    pub(crate) content: Option<(InodeId, u32)>,
    /// The protocol's own bytes.
    pub(crate) facts: Bytes,
}

impl BucketEntryRecord {
    /// The number of bytes that count as stored inline.
    pub(crate) fn bytes(&self) -> i64 {
        i64::try_from(self.facts.len()).unwrap_or(i64::MAX)
    }
}

impl Record for BucketEntryRecord {
    const NAME: &'static str = "bucket entry";
    fn version(&self) -> u8 {
        VERSION_SUMMED
    }
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        let (inode, generation) = self.content.unwrap_or((InodeId(0), 0));
        let sum = checksum(self.version(), &self.facts);
        encoder.u64(inode.0).u32(generation).bytes(&sum).bytes(&self.facts)
    }
    fn decode_fields(decoder: Decoder<'_>) -> Decoded<Self> {
        Self::decode_version(VERSION_SUMMED, decoder)
    }
    fn decode_version(version: u8, mut decoder: Decoder<'_>) -> Decoded<Self> {
        if version > VERSION_SUMMED {
            return Err(Malformed);
        }
        let (inode, generation) = (InodeId(decoder.u64()?), decoder.u32()?);
        let expected: [u8; CHECKSUM_BYTES] = decoder.array()?;
        let facts = decoder.rest();
        if checksum(version, facts) != expected {
            return Err(Malformed);
        }
        let content = (inode.0 != 0).then_some((inode, generation));
        Ok(BucketEntryRecord { content, facts: Bytes::copy_from_slice(facts) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_back_and_damaged_facts_are_found() {
        for content in [None, Some((InodeId(7), 9))] {
            let record = BucketEntryRecord { content, facts: Bytes::from_static(b"facts") };
            let mut stored = record.encode();
            assert_eq!(BucketEntryRecord::decode(b"k", &stored).unwrap(), record);
            let last = stored.len() - 1;
            stored[last] ^= 1;
            assert!(BucketEntryRecord::decode(b"k", &stored).is_err());
        }
    }

    // Until format 4 the checksum was another one.
    #[test]
    fn a_value_of_version_1_is_read() {
        let sum = blake3::hash(b"facts");
        let sum = &sum.as_bytes()[..8];
        let value = [&[1, 0][..], &7u64.to_le_bytes(), &9u32.to_le_bytes(), sum, b"facts"].concat();
        let read = BucketEntryRecord::decode(b"k", &value).unwrap();
        assert_eq!(
            read,
            BucketEntryRecord { content: Some((InodeId(7), 9)), facts: Bytes::from_static(b"facts") }
        );
        assert!(BucketEntryRecord::decode(b"k", &[&[2], &value[1..]].concat()).is_err());
    }
}
