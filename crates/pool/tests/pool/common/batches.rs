//! Record batches as Kafka writes them, for tests and measurements.

/// A batch with this payload and a header of version 2. Its CRC depends on the base offset and the payload, but is not
/// Kafka's.
pub fn batch(base_offset: u64, attributes: u16, payload: &[u8]) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    let hash = hasher.update(&base_offset.to_le_bytes()).update(payload).finalize();
    let length = 49 + u32::try_from(payload.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(61 + payload.len());
    bytes.extend(base_offset.to_be_bytes());
    bytes.extend(length.to_be_bytes());
    bytes.extend(3i32.to_be_bytes());
    bytes.push(2);
    bytes.extend(&hash.as_bytes()[..4]);
    bytes.extend(attributes.to_be_bytes());
    bytes.extend(9i32.to_be_bytes());
    bytes.extend(1_700_000_000_000i64.to_be_bytes());
    bytes.extend(1_700_000_000_009i64.to_be_bytes());
    bytes.extend((-1i64).to_be_bytes());
    bytes.extend((-1i16).to_be_bytes());
    bytes.extend((-1i32).to_be_bytes());
    bytes.extend(10i32.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// Bytes that do not repeat.
pub fn random(seed: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof().fill(&mut bytes);
    bytes
}

/// About `bytes` bytes of batches. `payload` makes the payload of each batch from its number.
pub fn log(bytes: usize, attributes: u16, payload: impl Fn(u64) -> Vec<u8>) -> Vec<u8> {
    let mut log = Vec::with_capacity(bytes);
    for number in 0.. {
        if log.len() >= bytes {
            break;
        }
        log.extend(batch(number * 10, attributes, &payload(number)));
    }
    log
}
