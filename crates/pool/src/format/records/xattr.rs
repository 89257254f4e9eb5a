//! Extended attributes.

use bytes::Bytes;

use super::{CHECKSUM_BYTES, Record, checksum};
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
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        encoder.bytes(&checksum(&self.value)).bytes(&self.value)
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let expected: [u8; CHECKSUM_BYTES] = decoder.array()?;
        let value = decoder.rest();
        if checksum(value) != expected {
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
}
