//! The data that clients write: slices of one stock of bytes. So no bytes are generated or copied for a write, and the
//! same bytes are written often enough to be shared.
//!
//! The second half of the stock is a Kafka log: consecutive record batches (v2 header: base offset, length, magic 2,
//! CRC-32C), as three replicas would append them.

use std::sync::OnceLock;

use bytes::Bytes;

use super::random::Random;

/// The size of each half of the stock.
const HALF_BYTES: usize = 1 << 20;

struct Stock {
    random: Bytes,
    log: Bytes,
    /// The ends of the batches in the log.
    ends: Vec<usize>,
    zeros: Bytes,
}

fn stock() -> &'static Stock {
    static STOCK: OnceLock<Stock> = OnceLock::new();
    STOCK.get_or_init(|| {
        let mut random = vec![0; HALF_BYTES];
        blake3::Hasher::new().update(b"stock").finalize_xof().fill(&mut random);
        let (log, ends) = kafka_log(&random);
        Stock { random: random.into(), log, ends, zeros: vec![0; HALF_BYTES].into() }
    })
}

/// Random bytes, sometimes from so few places that the same bytes were written before.
pub(super) fn any(random: &mut Random, length: usize) -> Bytes {
    let places = if random.permille(300) { 3 } else { 4096 };
    let length = length.clamp(1, HALF_BYTES);
    let at = (random.below(places) as usize * 4099) % (HALF_BYTES - length + 1);
    stock().random.slice(at..at + length)
}

/// Zeros.
pub(super) fn zeros(length: usize) -> Bytes {
    stock().zeros.slice(..length.min(HALF_BYTES))
}

/// About `length` bytes of the log from `at` on, up to the end of a batch if `whole`. Empty at the end of the log.
pub(super) fn log(at: usize, length: usize, whole: bool) -> Bytes {
    let log = &stock().log;
    let mut end = at.saturating_add(length.max(1)).min(log.len());
    if whole {
        let ends = &stock().ends;
        end = ends.get(ends.partition_point(|batch| *batch < end)).copied().unwrap_or(log.len());
    }
    log.slice(at.min(end)..end)
}

fn kafka_log(filling: &[u8]) -> (Bytes, Vec<usize>) {
    let mut random = Random::new(2);
    let (mut log, mut ends) = (Vec::with_capacity(HALF_BYTES), Vec::new());
    let mut base_offset = 0u64;
    while log.len() < HALF_BYTES - 80_000 {
        let large = random.permille(100);
        let length = random.between(1, if large { 60_000 } else { 9_000 }) as usize;
        let from = random.below((filling.len() - length) as u64) as usize;
        let records = random.between(1, 40) as u32;
        log.extend(batch(base_offset, records, &filling[from..from + length]));
        base_offset += u64::from(records);
        ends.push(log.len());
    }
    (log.into(), ends)
}

/// A record batch, as in Kafka's message format version 2.
fn batch(base_offset: u64, records: u32, payload: &[u8]) -> Vec<u8> {
    let mut summed = Vec::with_capacity(40 + payload.len());
    summed.extend(0u16.to_be_bytes()); // attributes
    summed.extend((records - 1).to_be_bytes()); // last offset delta
    summed.extend(1_700_000_000_000u64.to_be_bytes()); // base timestamp
    summed.extend(1_700_000_000_000u64.to_be_bytes()); // max timestamp
    summed.extend(u64::MAX.to_be_bytes()); // producer id
    summed.extend(u16::MAX.to_be_bytes()); // producer epoch
    summed.extend(u32::MAX.to_be_bytes()); // base sequence
    summed.extend(records.to_be_bytes());
    summed.extend(payload);
    let mut batch = Vec::with_capacity(21 + summed.len());
    batch.extend(base_offset.to_be_bytes());
    batch.extend((summed.len() as u32 + 9).to_be_bytes()); // bytes after this field
    batch.extend(0u32.to_be_bytes()); // partition leader epoch
    batch.push(2); // magic
    batch.extend(crc32c(&summed).to_be_bytes());
    batch.extend(summed);
    batch
}

fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0x82f6_3b78 * (crc & 1)))
    })
}

#[test]
fn the_checksum_is_the_one_of_rfc_3720() {
    assert_eq!(crc32c(b"123456789"), 0xe306_9283);
}
