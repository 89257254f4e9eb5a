//! Volumes.

use std::time::SystemTime;

use super::{Record, decode_time, encode_time};
use crate::codec::{Decoded, Decoder, Encoder, Malformed};
use crate::keys::Epoch;
use crate::{Compression, Handle, InodeId, Volume, VolumeId, VolumeSpec};

/// A volume as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VolumeRecord {
    pub(crate) spec: VolumeSpec,
    pub(crate) root: InodeId,
    pub(crate) root_generation: u32,
    pub(crate) created: SystemTime,
    /// The epoch at which the volume's records are written.
    pub(crate) epoch: Epoch,
}

impl VolumeRecord {
    pub(crate) fn volume(&self, id: VolumeId) -> Volume {
        Volume {
            id,
            spec: self.spec.clone(),
            root: Handle { volume: id, inode: self.root, generation: self.root_generation },
            created: self.created,
        }
    }
}

impl Record for VolumeRecord {
    const NAME: &'static str = "volume";
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        let encoder = encoder
            .counted(self.spec.name.as_bytes())
            .counted(self.spec.junction_path.as_bytes())
            .u8(u8::from(self.spec.preserve_unlink))
            .u32(self.spec.uid)
            .u32(self.spec.gid)
            .u32(self.spec.mode)
            .u64(self.root.0)
            .u32(self.root_generation);
        let compression = match self.spec.compression {
            Compression::None => 0,
            Compression::Lz4 => 1,
            Compression::Zstd => 2,
        };
        encode_time(encoder, self.created).u64(self.epoch.0).u8(compression)
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| Malformed);
        let mut record = VolumeRecord {
            spec: VolumeSpec {
                name: text(decoder.counted()?)?,
                junction_path: text(decoder.counted()?)?,
                preserve_unlink: decoder.u8()? != 0,
                uid: decoder.u32()?,
                gid: decoder.u32()?,
                mode: decoder.u32()?,
                compression: Compression::None,
            },
            root: InodeId(decoder.u64()?),
            root_generation: decoder.u32()?,
            created: decode_time(&mut decoder)?,
            epoch: Epoch(decoder.u64()?),
        };
        record.spec.compression = match decoder.u8()? {
            0 => Compression::None,
            1 => Compression::Lz4,
            2 => Compression::Zstd,
            _ => return Err(Malformed),
        };
        decoder.finish()?;
        Ok(record)
    }
}
