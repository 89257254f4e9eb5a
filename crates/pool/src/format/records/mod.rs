//! The values in the metadata store: one type for each kind of record, with its stored form.
//!
//! Every value starts with a version byte and a flags byte. Flag bit 0 marks a deletion at one epoch, which hides the
//! value of an older epoch. Such a value, a *tombstone*, ends after the flags. Readers of a view never see a tombstone.

mod bucket_entry;
mod extent;
mod inode;
mod space;
mod volume;
mod xattr;

pub(crate) use bucket_entry::BucketEntryRecord;
pub(crate) use extent::{ChunkRecord, Content, EXTENT_BYTES_MAX, Extent, ExtentRecord};
#[cfg(test)]
pub(crate) use inode::sample as sample_inode;
pub(crate) use inode::{EntryRecord, InodeRecord, OrphanRecord};
pub(crate) use space::{Counters, PoolRecord, SegmentRecord, StartRecord, UsageRecord};
pub(crate) use volume::{DeletedRecord, SnapshotRecord, VolumeRecord};
pub(crate) use xattr::XattrRecord;

use xxhash_rust::xxh3::xxh3_64;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::format::codec::{Decoded, Decoder, Encoder, Malformed};
use crate::{Error, Result};

const VERSION: u8 = 1;
const DELETED: u8 = 1;

/// The value of an item that was deleted at an epoch.
pub(crate) const TOMBSTONE: &[u8] = &[VERSION, DELETED];

/// The size of the checksum of bytes that are not in a chunk.
const CHECKSUM_BYTES: usize = 8;

/// The version of a value with bytes whose checksum is XXH3-64.
const VERSION_SUMMED: u8 = 2;

/// The checksum that is stored with bytes that are not in a chunk, to detect damage: XXH3-64, and the beginning of the BLAKE3 hash in
/// values of version 1.
fn checksum(version: u8, bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    if version >= VERSION_SUMMED {
        return xxh3_64(bytes).to_le_bytes();
    }
    let mut sum = [0; CHECKSUM_BYTES];
    sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..CHECKSUM_BYTES]);
    sum
}

/// Whether a value says that the item does not exist.
pub(crate) fn is_tombstone(value: &[u8]) -> bool {
    value == TOMBSTONE
}

/// A kind of value.
pub(crate) trait Record: Sized {
    /// The name of the kind in messages.
    const NAME: &'static str;
    fn encode_fields(&self, encoder: Encoder) -> Encoder;
    fn decode_fields(decoder: Decoder<'_>) -> Decoded<Self>;

    /// The version byte. A value with a version that a release does not know is malformed to it.
    fn version(&self) -> u8 {
        VERSION
    }
    /// Decodes the fields of a value of this version.
    fn decode_version(version: u8, decoder: Decoder<'_>) -> Decoded<Self> {
        if version == VERSION { Self::decode_fields(decoder) } else { Err(Malformed) }
    }

    /// The value as stored.
    fn encode(&self) -> Vec<u8> {
        self.encode_fields(Encoder::with_capacity(128).u8(self.version()).u8(0)).done()
    }

    /// Decodes the value that was stored under `key`.
    fn decode(key: &[u8], value: &[u8]) -> Result<Self> {
        let mut decoder = Decoder::new(value);
        let decoded = match (decoder.u8(), decoder.u8()) {
            (Ok(version), Ok(0)) => Self::decode_version(version, decoder),
            _ => Err(Malformed),
        };
        decoded.map_err(|Malformed| malformed(Self::NAME, key))
    }
}

/// The error for a value or a key that cannot be decoded.
pub(crate) fn malformed(name: &str, key: &[u8]) -> Error {
    let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    Error::Damaged(format!("{name} record under key {hex} of the metadata store is malformed"))
}

/// Writes seconds and nanoseconds since 1970. Times before 1970 have negative seconds.
pub(crate) fn encode_time(encoder: Encoder, time: SystemTime) -> Encoder {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => {
            encoder.i64(i64::try_from(after.as_secs()).unwrap_or(i64::MAX)).u32(after.subsec_nanos())
        }
        Err(before) => {
            let before = before.duration();
            let seconds = i64::try_from(before.as_secs()).unwrap_or(i64::MAX - 1);
            match before.subsec_nanos() {
                0 => encoder.i64(-seconds).u32(0),
                nanos => encoder.i64(-seconds - 1).u32(1_000_000_000 - nanos),
            }
        }
    }
}

pub(crate) fn decode_time(decoder: &mut Decoder<'_>) -> Decoded<SystemTime> {
    let seconds = decoder.i64()?;
    let nanos = decoder.u32()?;
    if nanos >= 1_000_000_000 {
        return Err(Malformed);
    }
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let base = if seconds >= 0 { UNIX_EPOCH.checked_add(whole) } else { UNIX_EPOCH.checked_sub(whole) };
    base.and_then(|base| base.checked_add(Duration::from_nanos(u64::from(nanos)))).ok_or(Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_and_after_1970_keep_their_nanoseconds() {
        for time in [
            UNIX_EPOCH,
            UNIX_EPOCH + Duration::new(5, 7),
            UNIX_EPOCH - Duration::new(5, 7),
            UNIX_EPOCH - Duration::from_secs(3),
        ] {
            let bytes = encode_time(Encoder::default(), time).done();
            assert_eq!(decode_time(&mut Decoder::new(&bytes)), Ok(time));
        }
    }

    #[test]
    fn a_value_of_another_version_or_cut_short_is_damage() {
        let value = Counters { inode_next: 3, volume_next: 4, era: 5 }.encode();
        assert!(Counters::decode(b"k", &value).is_ok());
        let mut newer = value.clone();
        newer[0] = 2;
        assert!(matches!(Counters::decode(b"k", &newer), Err(Error::Damaged(_))));
        for length in 0..value.len() {
            assert!(Counters::decode(b"k", &value[..length]).is_err());
        }
    }
}
