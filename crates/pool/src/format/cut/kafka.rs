//! The headers of Kafka's record batches, which is all that cutting needs.
//!
//! From Kafka's documentation, "Record Batch": numbers are big-endian, and the header of version 2 has 61 bytes: base
//! offset:8, batch length:4 (of the bytes after it), partition leader epoch:4, magic:1, CRC-32C:4, attributes:2, last
//! offset delta:4, base timestamp:8, max timestamp:8, producer id:8, producer epoch:2, base sequence:4, records:4.
//!
//! The CRC is not verified. Bytes that look like a header in every field almost always are one. Random bytes look like
//! one very rarely, and that only costs sharing.

/// The size of a header.
pub(crate) const HEADER_BYTES: usize = 61;
/// The maximum number of zeros at the start of a header: base offset 0, and the upper bytes of a length of at least 49.
pub(super) const LEADING_ZEROS_MAX: usize = 11;
/// The bytes at the start of a batch that its length field does not count.
const UNCOUNTED_BYTES: u32 = 12;
/// The offset of the magic byte.
const MAGIC_AT: usize = 16;
/// The offset of the attributes.
const ATTRIBUTES_AT: usize = 21;
/// The longest batch that is accepted. Kafka's own default limit is 1 MiB.
const BATCH_BYTES_MAX: u32 = 1 << 30;
/// The attribute bits that have a meaning: codec, timestamp type, transactional, control, delete horizon.
const ATTRIBUTES: u16 = 0x7f;
const CODEC: u16 = 0x07;
const CODEC_MAX: u16 = 4;

/// The fields of a header that cutting needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// The size of the batch, including the header.
    pub(crate) bytes: u32,
    pub(crate) crc: u32,
    pub(crate) is_compressed: bool,
}

/// Reads big-endian fields at fixed offsets in a header.
struct Fields<'a>(&'a [u8; HEADER_BYTES]);

impl Fields<'_> {
    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut array = [0; N];
        // All offsets used below are within the header. Otherwise, zeros would fail the check of the magic byte.
        if let Some(bytes) = self.0.get(at..at + N) {
            array.copy_from_slice(bytes);
        }
        array
    }
    fn i16(&self, at: usize) -> i16 {
        i16::from_be_bytes(self.array(at))
    }
    fn i32(&self, at: usize) -> i32 {
        i32::from_be_bytes(self.array(at))
    }
    fn i64(&self, at: usize) -> i64 {
        i64::from_be_bytes(self.array(at))
    }
}

/// The batch that begins with these bytes, if they look like a header.
pub(crate) fn parse(header: &[u8; HEADER_BYTES]) -> Option<Batch> {
    let fields = Fields(header);
    let [magic] = fields.array(MAGIC_AT);
    let attributes = u16::from_be_bytes(fields.array(ATTRIBUTES_AT));
    let known = magic == 2 && attributes & !ATTRIBUTES == 0 && attributes & CODEC <= CODEC_MAX;
    if !known {
        return None;
    }
    let bytes = u32::from_be_bytes(fields.array(8)).checked_add(UNCOUNTED_BYTES)?;
    let (offset_delta, records) = (fields.i32(23), fields.i32(57));
    let counts = offset_delta >= 0 && records >= 0 && i64::from(records) <= i64::from(offset_delta) + 1;
    // -1 means "none" in each of these.
    let longs = [fields.i64(27), fields.i64(35), fields.i64(43)].iter().all(|value| *value >= -1);
    let ints = fields.i32(12) >= -1 && i32::from(fields.i16(51)) >= -1 && fields.i32(53) >= -1;
    let sized = bytes as usize >= HEADER_BYTES && bytes <= BATCH_BYTES_MAX;
    (counts && longs && ints && sized && fields.i64(0) >= 0).then(|| Batch {
        bytes,
        crc: u32::from_be_bytes(fields.array(17)),
        is_compressed: attributes & CODEC != 0,
    })
}

/// The start of the first header within the bytes, except one at their very start.
pub(crate) fn find(bytes: &[u8]) -> Option<usize> {
    let magics = bytes.get(MAGIC_AT + 1..)?;
    memchr::memchr_iter(2, magics).map(|at| at + 1).find(|at| {
        // The upper byte of the attributes rules out most candidates before the full check.
        bytes.get(at + ATTRIBUTES_AT) == Some(&0)
            && bytes
                .get(*at..)
                .and_then(|rest| rest.first_chunk())
                .is_some_and(|header| parse(header).is_some())
    })
}
