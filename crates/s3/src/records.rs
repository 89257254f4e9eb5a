//! Walks the record batches of a Kafka log segment while its bytes pass.
//!
//! From Kafka's documentation, "Record Batch": numbers are big-endian, and a batch of version 2 begins with base offset:8, batch
//! length:4 (of the bytes after it), partition leader epoch:4, magic:1, CRC-32C:4 (of all bytes after it), attributes:2, last offset
//! delta:4. Versions 0 and 1 begin with offset:8, length:4 (of the bytes after it), CRC-32:4 (of all bytes after it), magic:1; such a
//! message is a batch of one offset here, its last one if it contains others. The producer has computed the CRC, so a batch whose CRC
//! is right is what the producer has sent.

use std::fmt::{self, Display, Formatter};

use crc_fast::CrcAlgorithm;

/// The bytes that all versions have up to the magic byte, which is the last of them.
const COMMON_BYTES: usize = 17;
/// The bytes of a batch of version 2 up to its last offset delta.
const HEAD_BYTES: usize = 27;
/// The bytes at the start of a batch that its length field does not count.
const UNCOUNTED_BYTES: u64 = 12;

/// A version of the format.
struct Version {
    /// The bytes that are read of a batch to know its length, its CRC and its offsets.
    head_bytes: usize,
    /// Where the CRC is.
    crc_at: usize,
    /// The bytes before those that the CRC covers.
    uncovered_bytes: usize,
    algorithm: CrcAlgorithm,
    /// The length field of a batch without content.
    length_min: i32,
}

impl Version {
    fn of(magic: u8) -> Option<Version> {
        let old = |length_min| Version {
            head_bytes: COMMON_BYTES,
            crc_at: 12,
            uncovered_bytes: 16,
            algorithm: CrcAlgorithm::Crc32IsoHdlc,
            length_min,
        };
        match magic {
            0 => Some(old(14)),
            1 => Some(old(22)),
            2 => Some(Version {
                head_bytes: HEAD_BYTES,
                crc_at: 17,
                uncovered_bytes: 21,
                algorithm: CrcAlgorithm::Crc32Iscsi,
                length_min: 49,
            }),
            _ => None,
        }
    }
}

/// The first and the last offset that a segment may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offsets {
    /// The least offset of a record.
    pub first: i64,
    /// The greatest offset of a record.
    pub last: i64,
}

impl Offsets {
    /// Parses `FIRST-LAST`.
    pub fn parse(text: &str) -> Option<Offsets> {
        let number = |text: &str| {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| digits)
        };
        let (first, last) = text.split_once('-')?;
        let offsets = Offsets { first: number(first)?, last: number(last)? };
        (offsets.first <= offsets.last).then_some(offsets)
    }
}

/// A place where the bytes are not what a segment with these offsets has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Where the batch begins, in bytes from the start of the segment.
    pub at: u64,
    /// What is wrong there.
    pub what: What,
}

/// Why a batch is not right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The segment has no batch.
    Empty,
    /// The version of the batch, which does not exist.
    Magic(u8),
    /// The length field is too small for a batch.
    Length(i32),
    /// The CRC in the batch and that of its bytes.
    Crc(u32, u32),
    /// The first offset of the batch, and the least that it may be.
    Falling(i64, i64),
    /// The last offset of the batch, and the greatest that it may be.
    Beyond(i64, i64),
    /// The segment ends within the batch.
    Torn,
}

impl Display for Wrong {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "the record batch at byte {} ", self.at)?;
        match self.what {
            What::Empty => write!(formatter, "is missing: the segment is empty"),
            What::Magic(magic) => {
                write!(formatter, "has the unknown version {magic}")
            }
            What::Length(length) => write!(formatter, "has the impossible length {length}"),
            What::Crc(said, is) => {
                write!(formatter, "is damaged: its CRC is {is:08x} instead of {said:08x}")
            }
            What::Falling(first, least) => write!(formatter, "begins with offset {first}, below {least}"),
            What::Beyond(last, most) => write!(formatter, "ends with offset {last}, above {most}"),
            What::Torn => write!(formatter, "is cut off by the end of the segment"),
        }
    }
}

/// Takes the bytes of a segment, and checks each batch as soon as it is there.
pub struct Walk {
    most: i64,
    /// The least offset that the next batch may begin with.
    least: i64,
    /// Where the next byte is.
    at: u64,
    batches: u64,
    batch: Batch,
}

/// The batch that the next byte belongs to.
enum Batch {
    Head { start: u64, bytes: [u8; HEAD_BYTES], filled: usize },
    Body { start: u64, left: u64, crc: Box<crc_fast::Digest>, said: u32 },
}

impl Batch {
    fn at(start: u64) -> Batch {
        Batch::Head { start, bytes: [0; HEAD_BYTES], filled: 0 }
    }
}

impl Walk {
    /// Begins at the start of a segment.
    pub fn new(offsets: Offsets) -> Walk {
        Walk { most: offsets.last, least: offsets.first, at: 0, batches: 0, batch: Batch::at(0) }
    }

    /// Takes the next bytes. Once it has failed, further results mean nothing.
    pub fn update(&mut self, mut bytes: &[u8]) -> Result<(), Wrong> {
        while !bytes.is_empty() {
            let (taken, next) = match &mut self.batch {
                Batch::Head { start, bytes: head, filled } => {
                    let needed = match Version::of(head[COMMON_BYTES - 1]) {
                        Some(version) if *filled >= COMMON_BYTES => version.head_bytes,
                        _ => COMMON_BYTES,
                    };
                    let taken = bytes.len().min(needed - *filled);
                    let (new, _) = bytes.split_at(taken);
                    head.iter_mut().skip(*filled).zip(new).for_each(|(to, from)| *to = *from);
                    *filled += taken;
                    let (start, head, filled) = (*start, *head, *filled);
                    (taken, self.begun(start, &head, filled)?)
                }
                Batch::Body { start, left, crc, said } => {
                    let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                    let (new, _) = bytes.split_at(taken);
                    crc.update(new);
                    *left -= taken as u64;
                    let next = if *left == 0 {
                        let is = crc.finalize() as u32;
                        if is != *said {
                            return Err(Wrong { at: *start, what: What::Crc(*said, is) });
                        }
                        self.batches += 1;
                        Some(Batch::at(self.at + taken as u64))
                    } else {
                        None
                    };
                    (taken, next)
                }
            };
            if let Some(next) = next {
                self.batch = next;
            }
            self.at += taken as u64;
            bytes = bytes.get(taken..).unwrap_or_default();
        }
        Ok(())
    }

    /// Checks that the segment ends where a batch ends. Returns the number of batches.
    pub fn finish(self) -> Result<u64, Wrong> {
        match self.batch {
            Batch::Head { filled: 0, .. } if self.batches > 0 => Ok(self.batches),
            Batch::Head { filled: 0, start, .. } => Err(Wrong { at: start, what: What::Empty }),
            Batch::Head { start, .. } | Batch::Body { start, .. } => {
                Err(Wrong { at: start, what: What::Torn })
            }
        }
    }

    /// Reads the head of a batch, once enough of it is there.
    fn begun(&mut self, start: u64, head: &[u8; HEAD_BYTES], filled: usize) -> Result<Option<Batch>, Wrong> {
        let wrong = |what| Err(Wrong { at: start, what });
        if filled < COMMON_BYTES {
            return Ok(None);
        }
        let [magic] = array(head, COMMON_BYTES - 1);
        let Some(version) = Version::of(magic) else { return wrong(What::Magic(magic)) };
        if filled < version.head_bytes {
            return Ok(None);
        }
        let (first, length) = (i64::from_be_bytes(array(head, 0)), i32::from_be_bytes(array(head, 8)));
        let said = u32::from_be_bytes(array(head, version.crc_at));
        let delta = if version.head_bytes == HEAD_BYTES { i32::from_be_bytes(array(head, 23)) } else { 0 };
        let Some(length) = u64::try_from(length).ok().filter(|_| length >= version.length_min) else {
            return wrong(What::Length(length));
        };
        if first < self.least {
            return wrong(What::Falling(first, self.least));
        }
        let last = first.saturating_add(i64::from(delta));
        if last > self.most {
            return wrong(What::Beyond(last, self.most));
        }
        if last < first {
            return wrong(What::Falling(last, first));
        }
        self.least = last.saturating_add(1);
        let mut crc = Box::new(crc_fast::Digest::new(version.algorithm));
        crc.update(head.get(version.uncovered_bytes..version.head_bytes).unwrap_or_default());
        let left = length + UNCOUNTED_BYTES - version.head_bytes as u64;
        Ok(Some(Batch::Body { start, left, crc, said }))
    }
}

/// The bytes of a field.
fn array<const N: usize>(head: &[u8; HEAD_BYTES], at: usize) -> [u8; N] {
    head.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
