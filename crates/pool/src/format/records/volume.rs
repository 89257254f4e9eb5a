//! Volumes and snapshots.

use std::time::SystemTime;

use bytes::Bytes;

use super::{Record, VERSION, decode_time, encode_time};
use crate::base::deadline::{Deadline, Moment};
use crate::format::codec::{Decoded, Decoder, Encoder, Malformed};
use crate::format::keys::Epoch;
use crate::{
    Compression, Handle, InodeId, Period, SnapshotName, SnapshotPolicy, Volume, VolumeId, VolumeSpec,
};

/// The version byte of a bucket's record. Releases that do not know buckets refuse it.
const VERSION_BUCKET: u8 = 2;

/// The version byte of a record that begins with a floor of the intent log.
const VERSION_FLOOR: u8 = 3;

/// The version byte of a record that begins with a floor of the intent log, and deadlines. Releases that do not know deleted volumes
/// refuse it, rather than show them.
const VERSION_DEADLINES: u8 = 4;

const FLAG_DELETED: u8 = 1;
const FLAG_EXPIRES: u8 = 2;
const FLAG_LOCKED: u8 = 4;
const FLAG_FOR_CLONE: u8 = 8;

/// The size of a pair of epochs.
const HIDDEN_BYTES: usize = 16;

/// A volume as stored. A snapshot is stored like a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VolumeRecord {
    /// For a snapshot, the snapshot's own name, and otherwise the settings of its volume when it was taken.
    pub(crate) spec: VolumeSpec,
    pub(crate) root: InodeId,
    pub(crate) root_generation: u32,
    pub(crate) created: SystemTime,
    /// The epoch at which the volume's records are written. For a snapshot, the epoch that it shows.
    pub(crate) epoch: Epoch,
    /// No inode shows a `change` below this value.
    pub(crate) change_floor: u64,
    /// The snapshot that the volume is a clone of.
    pub(crate) origin: Option<VolumeId>,
    /// Ranges of epochs, both ends included, whose records were rolled back.
    pub(crate) hidden: Vec<(Epoch, Epoch)>,
    /// Set if this is a snapshot.
    pub(crate) snapshot: Option<SnapshotRecord>,
    /// Whether it is a bucket, which has entries in place of directories.
    pub(crate) is_bucket: bool,
    /// What the intent log holds of the volume up to this position is from before the volume was created or rolled back, and
    /// never counts. Buckets have no log.
    pub(crate) log_floor: u64,
    /// Set if this is a deleted volume that can be recovered.
    pub(crate) deleted: Option<DeletedRecord>,
}

/// The fields that only a deleted volume has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeletedRecord {
    /// When it was deleted, in seconds since 1970.
    pub(crate) at: u64,
    /// When it is purged.
    pub(crate) until: Deadline,
    /// What the caller wants to know when the volume is recovered.
    pub(crate) note: Bytes,
}

/// The fields that only a snapshot has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SnapshotRecord {
    /// The volume of the snapshot.
    pub(crate) of: VolumeId,
    /// The schedule that took the snapshot. `None` if a user requested it.
    pub(crate) period: Option<Period>,
    /// When it is deleted.
    pub(crate) expires: Option<Deadline>,
    /// Until when it cannot be deleted.
    pub(crate) locked: Option<Deadline>,
    /// It was taken for a clone, and goes with it.
    pub(crate) is_for_clone: bool,
}

impl SnapshotRecord {
    /// A snapshot of a volume, without deadlines.
    pub(crate) fn new(of: VolumeId, period: Option<Period>) -> SnapshotRecord {
        SnapshotRecord { of, period, expires: None, locked: None, is_for_clone: false }
    }
}

impl VolumeRecord {
    pub(crate) fn root(&self, id: VolumeId) -> Handle {
        Handle { volume: id, inode: self.root, generation: self.root_generation }
    }
    pub(crate) fn volume(&self, id: VolumeId, clone_of: Option<SnapshotName>) -> Volume {
        Volume { id, spec: self.spec.clone(), root: self.root(id), created: self.created, clone_of }
    }
}

fn encode_spec(encoder: Encoder, spec: &VolumeSpec) -> Encoder {
    encoder
        .counted(spec.name.as_bytes())
        .counted(spec.junction_path.as_bytes())
        .u8(u8::from(spec.preserve_unlink))
        .u32(spec.uid)
        .u32(spec.gid)
        .u32(spec.mode)
        // A size of 0 would be useless, so it stands for no size.
        .u64(spec.size.unwrap_or(0))
        .u32(spec.snapshots.hourly)
        .u32(spec.snapshots.daily)
        .u32(spec.snapshots.weekly)
        .u8(match spec.compression {
            Compression::None => 0,
            Compression::Lz4 => 1,
            Compression::Zstd => 2,
        })
}

fn decode_spec(decoder: &mut Decoder<'_>) -> Decoded<VolumeSpec> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| Malformed);
    Ok(VolumeSpec {
        name: text(decoder.counted()?)?,
        junction_path: text(decoder.counted()?)?,
        preserve_unlink: decoder.u8()? != 0,
        uid: decoder.u32()?,
        gid: decoder.u32()?,
        mode: decoder.u32()?,
        size: Some(decoder.u64()?).filter(|size| *size > 0),
        // It is at the end of the record.
        max_bytes_per_second: None,
        snapshots: SnapshotPolicy { hourly: decoder.u32()?, daily: decoder.u32()?, weekly: decoder.u32()? },
        compression: match decoder.u8()? {
            0 => Compression::None,
            1 => Compression::Lz4,
            2 => Compression::Zstd,
            _ => return Err(Malformed),
        },
    })
}

/// Decodes a volume id. No volume has the id 0, so it stands for none.
fn decode_volume(decoder: &mut Decoder<'_>) -> Decoded<Option<VolumeId>> {
    Ok(Some(VolumeId(decoder.u32()?)).filter(|id| id.0 > 0))
}

fn period_number(period: Option<Period>) -> u8 {
    match period {
        None => 0,
        Some(Period::Hourly) => 1,
        Some(Period::Daily) => 2,
        Some(Period::Weekly) => 3,
    }
}

fn decode_snapshot(decoder: &mut Decoder<'_>) -> Decoded<Option<SnapshotRecord>> {
    let of = decode_volume(decoder)?;
    let period = match decoder.u8()? {
        0 => None,
        1 => Some(Period::Hourly),
        2 => Some(Period::Daily),
        3 => Some(Period::Weekly),
        _ => return Err(Malformed),
    };
    Ok(of.map(|of| SnapshotRecord::new(of, period)))
}

/// The fields that records with deadlines begin with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Deadlines {
    deleted: Option<DeletedRecord>,
    expires: Option<Deadline>,
    locked: Option<Deadline>,
    is_for_clone: bool,
}

fn encode_deadline(encoder: Encoder, deadline: Deadline) -> Encoder {
    encoder.u64(deadline.0.day).u64(deadline.0.open)
}

fn decode_deadline(decoder: &mut Decoder<'_>) -> Decoded<Deadline> {
    Ok(Deadline(Moment { day: decoder.u64()?, open: decoder.u64()? }))
}

impl Deadlines {
    fn of(record: &VolumeRecord) -> Deadlines {
        let taken = record.snapshot;
        Deadlines {
            deleted: record.deleted.clone(),
            expires: taken.and_then(|taken| taken.expires),
            locked: taken.and_then(|taken| taken.locked),
            is_for_clone: taken.is_some_and(|taken| taken.is_for_clone),
        }
    }

    fn flags(&self) -> u8 {
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        flag(self.deleted.is_some(), FLAG_DELETED)
            | flag(self.expires.is_some(), FLAG_EXPIRES)
            | flag(self.locked.is_some(), FLAG_LOCKED)
            | flag(self.is_for_clone, FLAG_FOR_CLONE)
    }

    fn encode(&self, encoder: Encoder) -> Encoder {
        let mut encoder = encoder.u8(self.flags());
        if let Some(deleted) = &self.deleted {
            encoder = encode_deadline(encoder.u64(deleted.at), deleted.until).counted(&deleted.note);
        }
        for deadline in [self.expires, self.locked].into_iter().flatten() {
            encoder = encode_deadline(encoder, deadline);
        }
        encoder
    }

    fn decode(decoder: &mut Decoder<'_>) -> Decoded<Deadlines> {
        let flags = decoder.u8()?;
        let known = FLAG_DELETED | FLAG_EXPIRES | FLAG_LOCKED | FLAG_FOR_CLONE;
        if flags & !known != 0 {
            return Err(Malformed);
        }
        let has = |flag: u8| flags & flag != 0;
        let deleted = if has(FLAG_DELETED) {
            let (at, until) = (decoder.u64()?, decode_deadline(decoder)?);
            Some(DeletedRecord { at, until, note: Bytes::copy_from_slice(decoder.counted()?) })
        } else {
            None
        };
        let expires = if has(FLAG_EXPIRES) { Some(decode_deadline(decoder)?) } else { None };
        let locked = if has(FLAG_LOCKED) { Some(decode_deadline(decoder)?) } else { None };
        Ok(Deadlines { deleted, expires, locked, is_for_clone: has(FLAG_FOR_CLONE) })
    }

    fn apply(self, record: &mut VolumeRecord) -> Decoded<()> {
        record.deleted = self.deleted;
        match &mut record.snapshot {
            Some(taken) => {
                taken.expires = self.expires;
                taken.locked = self.locked;
                taken.is_for_clone = self.is_for_clone;
                Ok(())
            }
            None if self.expires.is_some() || self.locked.is_some() || self.is_for_clone => Err(Malformed),
            None => Ok(()),
        }
    }
}

impl Record for VolumeRecord {
    const NAME: &'static str = "volume";
    fn version(&self) -> u8 {
        match self.log_floor {
            _ if self.is_bucket => VERSION_BUCKET,
            _ if Deadlines::of(self).flags() != 0 => VERSION_DEADLINES,
            0 => VERSION,
            _ => VERSION_FLOOR,
        }
    }
    fn decode_version(version: u8, mut decoder: Decoder<'_>) -> Decoded<Self> {
        match version {
            VERSION => Self::decode_fields(decoder),
            VERSION_BUCKET => Ok(VolumeRecord { is_bucket: true, ..Self::decode_fields(decoder)? }),
            VERSION_FLOOR => {
                let log_floor = decoder.u64()?;
                Ok(VolumeRecord { log_floor, ..Self::decode_fields(decoder)? })
            }
            VERSION_DEADLINES => {
                let (log_floor, deadlines) = (decoder.u64()?, Deadlines::decode(&mut decoder)?);
                let mut record = VolumeRecord { log_floor, ..Self::decode_fields(decoder)? };
                deadlines.apply(&mut record)?;
                Ok(record)
            }
            _ => Err(Malformed),
        }
    }
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        let encoder = match self.version() {
            VERSION_FLOOR => encoder.u64(self.log_floor),
            VERSION_DEADLINES => Deadlines::of(self).encode(encoder.u64(self.log_floor)),
            _ => encoder,
        };
        let encoder = encode_spec(encoder, &self.spec).u64(self.root.0).u32(self.root_generation);
        let mut encoder = encode_time(encoder, self.created)
            .u64(self.epoch.0)
            .u64(self.change_floor)
            .u32(self.origin.map_or(0, |origin| origin.0))
            .u32(self.snapshot.map_or(0, |snapshot| snapshot.of.0))
            .u8(period_number(self.snapshot.and_then(|snapshot| snapshot.period)));
        for (from, to) in &self.hidden {
            encoder = encoder.u64(from.0).u64(to.0);
        }
        // Records without a limit end here, as records did before limits existed.
        match self.spec.max_bytes_per_second {
            Some(limit) => encoder.u64(limit),
            None => encoder,
        }
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let mut record = VolumeRecord {
            spec: decode_spec(&mut decoder)?,
            root: InodeId(decoder.u64()?),
            root_generation: decoder.u32()?,
            created: decode_time(&mut decoder)?,
            epoch: Epoch(decoder.u64()?),
            change_floor: decoder.u64()?,
            origin: decode_volume(&mut decoder)?,
            snapshot: decode_snapshot(&mut decoder)?,
            hidden: Vec::new(),
            is_bucket: false,
            log_floor: 0,
            deleted: None,
        };
        while decoder.remaining() >= HIDDEN_BYTES {
            record.hidden.push((Epoch(decoder.u64()?), Epoch(decoder.u64()?)));
        }
        if decoder.remaining() > 0 {
            record.spec.max_bytes_per_second = Some(decoder.u64()?);
        }
        decoder.finish()?;
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::keys::EPOCH_FIRST;

    #[test]
    fn volumes_and_snapshots_are_read_back() {
        let spec = VolumeSpec { size: Some(5), ..VolumeSpec::new("kafka", "/kafka") };
        let volume = VolumeRecord {
            spec,
            root: InodeId(1),
            root_generation: 2,
            created: SystemTime::UNIX_EPOCH,
            epoch: EPOCH_FIRST,
            change_floor: 3,
            origin: Some(VolumeId(4)),
            hidden: vec![(Epoch(2), Epoch(3)), (Epoch(5), Epoch(5))],
            snapshot: None,
            is_bucket: false,
            log_floor: 0,
            deleted: None,
        };
        let floor = VolumeRecord { log_floor: 77, ..volume.clone() };
        let bucket = VolumeRecord { is_bucket: true, origin: None, hidden: Vec::new(), ..volume.clone() };
        assert_eq!(bucket.encode()[0], 2, "a release that knows no buckets must not take it for a volume");
        let taken = SnapshotRecord::new(VolumeId(1), Some(Period::Daily));
        let snapshot =
            VolumeRecord { snapshot: Some(taken), origin: None, hidden: Vec::new(), ..volume.clone() };
        let deadline = |day| Deadline(Moment { day, open: 9 });
        let note = Bytes::from_static(b"note");
        let deleted = DeletedRecord { at: 5, until: deadline(6), note };
        let deleted = VolumeRecord { deleted: Some(deleted), log_floor: 8, ..volume.clone() };
        assert_eq!(deleted.encode()[0], 4, "a release that knows no deleted volumes must not show it");
        let locked = SnapshotRecord {
            expires: Some(deadline(7)),
            locked: Some(deadline(8)),
            is_for_clone: true,
            ..taken
        };
        let locked = VolumeRecord { snapshot: Some(locked), ..snapshot.clone() };
        for record in [volume, snapshot, bucket, floor, deleted, locked] {
            let unlimited = record.encode();
            assert_eq!(VolumeRecord::decode(b"k", &unlimited).unwrap(), record);
            let spec = VolumeSpec { max_bytes_per_second: Some(7_000_000), ..record.spec.clone() };
            let record = VolumeRecord { spec, ..record };
            let limited = record.encode();
            assert_eq!(VolumeRecord::decode(b"k", &limited).unwrap(), record);
            assert_eq!(limited[..unlimited.len()], unlimited, "a volume without a limit is stored as ever");
            assert!(VolumeRecord::decode(b"k", &limited[..limited.len() - 1]).is_err());
        }
    }
}
