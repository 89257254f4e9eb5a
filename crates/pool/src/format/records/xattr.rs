//! Extended attributes.

use bytes::Bytes;

use super::{CHECKSUM_BYTES, Record, VERSION_SUMMED, checksum};
use crate::format::codec::{Decoded, Decoder, Encoder, Malformed};

/// The value of an extended attribute. Its name is in the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct XattrRecord {
    pub(crate) value: Bytes,
}

impl XattrRecord {
    /// The number of bytes that it adds to the bytes stored inline.
    pub(crate) fn bytes(&self) -> i64 {
        i64::try_from(self.value.len()).unwrap_or(i64::MAX)
    }
}

impl Record for XattrRecord {
    const NAME: &'static str = "extended attribute";
    fn version(&self) -> u8 {
        VERSION_SUMMED
    }
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        encoder.bytes(&checksum(self.version(), &self.value)).bytes(&self.value)
    }
    fn decode_fields(decoder: Decoder<'_>) -> Decoded<Self> {
        Self::decode_version(VERSION_SUMMED, decoder)
    }
    fn decode_version(version: u8, mut decoder: Decoder<'_>) -> Decoded<Self> {
        if version > VERSION_SUMMED {
            return Err(Malformed);
        }
        let expected: [u8; CHECKSUM_BYTES] = decoder.array()?;
        let value = decoder.rest();
        if checksum(version, value) != expected {
            return Err(Malformed);
        }
        Ok(XattrRecord { value: Bytes::copy_from_slice(value) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flipped_bit_in_a_value_is_found() {
        for value in [&b""[..], b"value"] {
            let record = XattrRecord { value: Bytes::copy_from_slice(value) };
            let stored = record.encode();
            assert_eq!(XattrRecord::decode(b"k", &stored).unwrap(), record);
            for at in 0..stored.len() {
                let mut damaged = stored.clone();
                damaged[at] ^= 0x10;
                assert!(XattrRecord::decode(b"k", &damaged).is_err(), "byte {at}");
            }
        }
    }

    // Until format 4 the checksum was another one.
    #[test]
    fn a_value_of_version_1_is_read() {
        let value = [&[1, 0], &blake3::hash(b"value").as_bytes()[..8], b"value"].concat();
        assert_eq!(XattrRecord::decode(b"k", &value).unwrap().value, &b"value"[..]);
        assert!(XattrRecord::decode(b"k", &[&[2], &value[1..]].concat()).is_err());
        assert!(XattrRecord::decode(b"k", &[&[3], &value[1..]].concat()).is_err());
    }
}
