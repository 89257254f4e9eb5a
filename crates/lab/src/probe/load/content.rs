//! Content that no storage can deduplicate or compress: it is unique and has no pattern.
//!
//! [`words`] are a counter put through a mixing function (SplitMix64's), so a reader can check any part of a file without the
//! part before it. [`batches`] are Kafka's record batches around such words.

use bytes::{BufMut, Bytes, BytesMut};

const WORD_BYTES: usize = 8;
/// Bytes of a record batch before its records.
const BATCH_HEADER_BYTES: usize = 61;
/// Bytes of a batch that its length field does not count: base offset and the field itself.
const BATCH_LENGTH_EXCLUDES: usize = 12;
/// Bytes of one record's value.
const VALUE_BYTES: usize = 1024;
/// Records of one batch: 16 KiB is a producer's default batch.
const RECORDS: usize = 15;
const TIMESTAMP_MS: i64 = 1_700_000_000_000;

/// The word at `index` of the sequence of `seed`.
pub fn word(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A different seed for each stream of a run.
pub fn seed(run: u64, stream: usize) -> u64 {
    word(run, stream as u64 | 1 << 40)
}

/// `count` bytes of the sequence, starting at its word `first`.
pub fn words(seed: u64, first: u64, count: usize) -> Bytes {
    let mut bytes = BytesMut::with_capacity(count.next_multiple_of(WORD_BYTES));
    for index in 0..count.div_ceil(WORD_BYTES) as u64 {
        bytes.put_u64_le(word(seed, first.wrapping_add(index)));
    }
    bytes.truncate(count);
    bytes.freeze()
}

/// Whether the first and the last word of `bytes`, read at `offset` of a file of [`words`], are correct. `offset` and the length
/// must be multiples of eight.
pub fn is_right(seed: u64, offset: u64, bytes: &[u8]) -> bool {
    let at = offset / WORD_BYTES as u64;
    let last = (bytes.len() / WORD_BYTES) as u64;
    let first_right = bytes.first_chunk().is_some_and(|first| u64::from_le_bytes(*first) == word(seed, at));
    let end_right = bytes
        .last_chunk()
        .is_some_and(|end| u64::from_le_bytes(*end) == word(seed, at + last.saturating_sub(1)));
    first_right && end_right
}

/// Record batches (magic 2) with ascending offsets, truncated to `count` bytes.
pub fn batches(seed: u64, count: usize) -> Bytes {
    let mut log = BytesMut::with_capacity(count + 2 * RECORDS * VALUE_BYTES);
    let mut first = 0;
    let mut base_offset = 0i64;
    while log.len() < count {
        put_batch(&mut log, seed, &mut first, base_offset);
        base_offset += RECORDS as i64;
    }
    log.truncate(count);
    log.freeze()
}

fn put_batch(log: &mut BytesMut, seed: u64, first: &mut u64, base_offset: i64) {
    let start = log.len();
    log.put_bytes(0, BATCH_HEADER_BYTES);
    for index in 0..RECORDS {
        put_record(log, index as u64, seed, first);
    }
    let batch = log.split_off(start);
    log.unsplit(with_header(batch, base_offset));
}

/// A record without key and headers: attributes, timestamp and offset deltas, key, value, number of headers.
fn put_record(log: &mut BytesMut, index: u64, seed: u64, first: &mut u64) {
    let mut head = BytesMut::with_capacity(16);
    head.put_u8(0);
    put_varint(&mut head, 0);
    put_varint(&mut head, index << 1);
    // A key length of -1 means that there is no key.
    put_varint(&mut head, 1);
    put_varint(&mut head, (VALUE_BYTES as u64) << 1);
    put_varint(log, ((head.len() + VALUE_BYTES + 1) as u64) << 1);
    log.extend_from_slice(&head);
    for _ in 0..VALUE_BYTES / WORD_BYTES {
        log.put_u64_le(word(seed, *first));
        *first += 1;
    }
    put_varint(log, 0);
}

/// Appends a number that is already in zigzag form.
fn put_varint(out: &mut BytesMut, mut number: u64) {
    while number >= 0x80 {
        out.put_u8(number as u8 | 0x80);
        number >>= 7;
    }
    out.put_u8(number as u8);
}

fn with_header(mut batch: BytesMut, base_offset: i64) -> BytesMut {
    let mut after_crc = BytesMut::with_capacity(40);
    after_crc.put_i16(0);
    after_crc.put_i32(RECORDS as i32 - 1);
    after_crc.put_i64(TIMESTAMP_MS);
    after_crc.put_i64(TIMESTAMP_MS);
    // No idempotent producer: id, epoch and sequence are -1.
    after_crc.put_i64(-1);
    after_crc.put_i16(-1);
    after_crc.put_i32(-1);
    after_crc.put_i32(RECORDS as i32);
    let length = (batch.len() - BATCH_LENGTH_EXCLUDES) as i32;
    let crc_at = BATCH_HEADER_BYTES - after_crc.len() - 4;
    let mut header = BytesMut::with_capacity(BATCH_HEADER_BYTES);
    header.put_i64(base_offset);
    header.put_i32(length);
    header.put_i32(0);
    header.put_u8(2);
    header.put_u32(0);
    header.extend_from_slice(&after_crc);
    for (to, from) in batch.iter_mut().zip(&header) {
        *to = *from;
    }
    let crc = crc32c::crc32c(batch.get(crc_at + 4..).unwrap_or_default());
    for (to, from) in batch.iter_mut().skip(crc_at).zip(crc.to_be_bytes()) {
        *to = from;
    }
    batch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_have_the_header_and_the_checksum_that_kafka_wants() {
        let log = batches(7, 100_000);
        assert_eq!(log.len(), 100_000);
        let (mut at, mut offset) = (0, 0i64);
        while let Some(header) = log.get(at..at + BATCH_HEADER_BYTES) {
            let length =
                u32::from_be_bytes(header[8..12].try_into().unwrap()) as usize + BATCH_LENGTH_EXCLUDES;
            assert_eq!(i64::from_be_bytes(header[..8].try_into().unwrap()), offset);
            assert_eq!(header[16], 2);
            let Some(batch) = log.get(at..at + length) else { break };
            let crc = u32::from_be_bytes(header[17..21].try_into().unwrap());
            assert_eq!(crc32c::crc32c(&batch[21..]), crc);
            assert_eq!(i32::from_be_bytes(header[57..61].try_into().unwrap()), RECORDS as i32);
            at += length;
            offset += RECORDS as i64;
        }
        assert!(offset > 4 * RECORDS as i64);
    }

    #[test]
    fn any_place_of_a_file_of_words_can_be_checked() {
        let file = words(3, 0, 4096);
        assert!(is_right(3, 1024, &file[1024..2048]));
        assert!(!is_right(3, 1032, &file[1024..2048]));
        assert!(!is_right(4, 1024, &file[1024..2048]));
    }

    #[test]
    fn streams_differ() {
        assert_ne!(batches(seed(1, 0), 4096), batches(seed(1, 1), 4096));
        assert_ne!(batches(seed(1, 0), 4096), batches(seed(2, 0), 4096));
    }
}
