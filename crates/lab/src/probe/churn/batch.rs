//! Bytes that look like Kafka's record batches. The content of a batch depends only on a seed and its number.

use crate::probe::random::Random;

/// Bytes of a batch's header (record batch format v2).
const HEADER_BYTES: usize = 61;
/// The bytes that the length field does not count: the base offset and the field itself.
const UNCOUNTED_BYTES: usize = 12;

/// The batch with this number. Most batches are small, some have up to 128 KiB. The CRC is not valid, because
/// storages do not verify it.
pub fn batch(seed: u64, number: u64) -> Vec<u8> {
    let mut random = Random::new(seed ^ number.rotate_left(32));
    let largest = 1usize << (9 + random.below(9));
    let total = HEADER_BYTES + 1 + random.below(largest);
    let length = u32::try_from(total - UNCOUNTED_BYTES).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(total);
    bytes.extend_from_slice(&number.to_be_bytes());
    bytes.extend_from_slice(&length.to_be_bytes());
    // Leader epoch, and the magic of format v2.
    bytes.extend_from_slice(&[0, 0, 0, 0, 2]);
    bytes.extend_from_slice(&random.bytes(4));
    // Attributes (not compressed) and the last record's offset delta.
    bytes.extend_from_slice(&[0; 6]);
    // First and last timestamp.
    bytes.extend_from_slice(&number.to_be_bytes());
    bytes.extend_from_slice(&number.to_be_bytes());
    // No producer id, epoch or sequence.
    bytes.extend_from_slice(&[0xff; 14]);
    bytes.extend_from_slice(&1u32.to_be_bytes());
    bytes.extend(random.bytes(total - HEADER_BYTES));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_says_its_own_length_and_comes_again_from_its_number() {
        for number in 0..50 {
            let bytes = batch(1, number);
            let length = u32::from_be_bytes(bytes[8..12].try_into().unwrap()) as usize;
            assert_eq!((length + UNCOUNTED_BYTES, bytes[16]), (bytes.len(), 2));
            assert_eq!(u32::from_be_bytes(bytes[57..61].try_into().unwrap()), 1);
            assert_eq!(bytes, batch(1, number));
        }
        assert_ne!(batch(1, 3)[61..], batch(2, 3)[61..]);
    }
}
