//! Inodes, directory entries and orphans.

use std::time::SystemTime;

use bytes::Bytes;

use super::{Record, VERSION, decode_time, encode_time};
use crate::format::codec::{Decoded, Decoder, Encoder, Malformed};
use crate::{Attributes, Handle, InodeId, Kind};

/// The version byte of a record that begins with what the inode has absorbed of the intent log.
const VERSION_ABSORBED: u8 = 2;

/// An inode as stored: its whole durable state except its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InodeRecord {
    pub(crate) generation: u32,
    pub(crate) kind: Kind,
    pub(crate) mode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) nlink: u32,
    pub(crate) size: u64,
    /// The number of bytes that extents cover.
    pub(crate) space_used: u64,
    pub(crate) change: u64,
    pub(crate) atime: SystemTime,
    pub(crate) mtime: SystemTime,
    pub(crate) ctime: SystemTime,
    pub(crate) btime: SystemTime,
    /// For a directory, the directory that holds it (a root holds itself). Otherwise 0.
    pub(crate) parent: InodeId,
    /// For a directory, the number of its entries. Otherwise 0.
    pub(crate) entries: u64,
    pub(crate) create_verifier: Option<[u8; 8]>,
    /// What the intent log holds of the inode up to this position is in its extents, or was removed.
    pub(crate) absorbed: u64,
}

impl InodeRecord {
    /// The record with its `change` raised to `floor` if it is lower.
    pub(crate) fn with_change_floor(self, floor: u64) -> Self {
        InodeRecord { change: self.change.max(floor), ..self }
    }

    /// The attributes according to the record alone.
    pub(crate) fn attributes(&self, handle: Handle) -> Attributes {
        Attributes {
            handle,
            kind: self.kind.clone(),
            mode: self.mode,
            uid: self.uid,
            gid: self.gid,
            nlink: self.nlink,
            size: self.size,
            space_used: self.space_used,
            change: self.change,
            atime: self.atime,
            mtime: self.mtime,
            ctime: self.ctime,
            btime: self.btime,
            create_verifier: self.create_verifier,
        }
    }
    pub(crate) fn is_directory(&self) -> bool {
        self.kind == Kind::Directory
    }
}

fn encode_kind(encoder: Encoder, kind: &Kind) -> Encoder {
    match kind {
        Kind::File => encoder.u8(1),
        Kind::Directory => encoder.u8(2),
        Kind::Symlink(target) => encoder.u8(3).counted(target),
        Kind::Fifo => encoder.u8(4),
        Kind::Socket => encoder.u8(5),
        Kind::CharacterDevice(major, minor) => encoder.u8(6).u32(*major).u32(*minor),
        Kind::BlockDevice(major, minor) => encoder.u8(7).u32(*major).u32(*minor),
    }
}

fn decode_kind(decoder: &mut Decoder<'_>) -> Decoded<Kind> {
    Ok(match decoder.u8()? {
        1 => Kind::File,
        2 => Kind::Directory,
        3 => Kind::Symlink(Bytes::copy_from_slice(decoder.counted()?)),
        4 => Kind::Fifo,
        5 => Kind::Socket,
        6 => Kind::CharacterDevice(decoder.u32()?, decoder.u32()?),
        7 => Kind::BlockDevice(decoder.u32()?, decoder.u32()?),
        _ => return Err(Malformed),
    })
}

impl Record for InodeRecord {
    const NAME: &'static str = "inode";
    fn version(&self) -> u8 {
        if self.absorbed == 0 { VERSION } else { VERSION_ABSORBED }
    }
    fn decode_version(version: u8, mut decoder: Decoder<'_>) -> Decoded<Self> {
        match version {
            VERSION => Self::decode_fields(decoder),
            VERSION_ABSORBED => {
                let absorbed = decoder.u64()?;
                Ok(InodeRecord { absorbed, ..Self::decode_fields(decoder)? })
            }
            _ => Err(Malformed),
        }
    }
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        let encoder = if self.absorbed == 0 { encoder } else { encoder.u64(self.absorbed) };
        let mut encoder = encode_kind(encoder, &self.kind)
            .u32(self.generation)
            .u32(self.mode)
            .u32(self.uid)
            .u32(self.gid)
            .u32(self.nlink)
            .u64(self.size)
            .u64(self.space_used)
            .u64(self.change);
        for time in [self.atime, self.mtime, self.ctime, self.btime] {
            encoder = encode_time(encoder, time);
        }
        let encoder = encoder.u64(self.parent.0).u64(self.entries);
        match self.create_verifier {
            None => encoder.u8(0),
            Some(verifier) => encoder.u8(1).bytes(&verifier),
        }
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let record = InodeRecord {
            kind: decode_kind(&mut decoder)?,
            generation: decoder.u32()?,
            mode: decoder.u32()?,
            uid: decoder.u32()?,
            gid: decoder.u32()?,
            nlink: decoder.u32()?,
            size: decoder.u64()?,
            space_used: decoder.u64()?,
            change: decoder.u64()?,
            atime: decode_time(&mut decoder)?,
            mtime: decode_time(&mut decoder)?,
            ctime: decode_time(&mut decoder)?,
            btime: decode_time(&mut decoder)?,
            parent: InodeId(decoder.u64()?),
            entries: decoder.u64()?,
            create_verifier: match decoder.u8()? {
                0 => None,
                1 => Some(decoder.array()?),
                _ => return Err(Malformed),
            },
            absorbed: 0,
        };
        decoder.finish()?;
        Ok(record)
    }
}

/// The inode that a name in a directory refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryRecord {
    pub(crate) inode: InodeId,
    pub(crate) generation: u32,
}

impl Record for EntryRecord {
    const NAME: &'static str = "directory entry";
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        encoder.u64(self.inode.0).u32(self.generation)
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let record = EntryRecord { inode: InodeId(decoder.u64()?), generation: decoder.u32()? };
        decoder.finish()?;
        Ok(record)
    }
}

/// An inode without a name. This record is deleted last, after all other records of the inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OrphanRecord {
    /// The inode's data is being freed, so it can no longer be held.
    pub(crate) freeing: bool,
}

impl Record for OrphanRecord {
    const NAME: &'static str = "orphan";
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        encoder.u8(u8::from(self.freeing))
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let freeing = match decoder.u8()? {
            0 => false,
            1 => true,
            _ => return Err(Malformed),
        };
        decoder.finish()?;
        Ok(OrphanRecord { freeing })
    }
}

/// A record with a different number in each field.
#[cfg(test)]
pub(crate) fn sample(kind: Kind) -> InodeRecord {
    let epoch = std::time::UNIX_EPOCH;
    InodeRecord {
        generation: 1,
        kind,
        mode: 0o644,
        uid: 2,
        gid: 3,
        nlink: 4,
        size: 5,
        space_used: 6,
        change: 7,
        atime: epoch,
        mtime: epoch,
        ctime: epoch,
        btime: epoch,
        parent: InodeId(8),
        entries: 9,
        create_verifier: Some([1; 8]),
        absorbed: 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_inode_is_read_back() {
        for kind in [
            Kind::File,
            Kind::Directory,
            Kind::Symlink(Bytes::from_static(b"../target")),
            Kind::Fifo,
            Kind::Socket,
            Kind::CharacterDevice(1, 3),
            Kind::BlockDevice(8, 0),
        ] {
            let record = sample(kind);
            let value = record.encode();
            assert_eq!(InodeRecord::decode(b"k", &value).unwrap(), record);
            for length in 0..value.len() {
                assert!(InodeRecord::decode(b"k", &value[..length]).is_err());
            }
        }
    }
}
