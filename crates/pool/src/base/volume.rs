//! The settings of a volume: their types, what they may be, and how a change is made.
//!
//! To add a setting, begin here. It is stored by `format/records/volume.rs`.

use super::error::{Error, Result};
use super::limits::VOLUME_RATE_MIN;

/// How chunks are compressed when they are stored. A chunk that would not shrink is stored uncompressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    None,
    /// LZ4: cheap.
    #[default]
    Lz4,
    /// Zstandard, level 1: smaller, and slower.
    Zstd,
}

impl std::fmt::Display for Compression {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Compression::None => "none",
            Compression::Lz4 => "lz4",
            Compression::Zstd => "zstd",
        })
    }
}

impl std::str::FromStr for Compression {
    type Err = crate::Error;
    fn from_str(name: &str) -> crate::Result<Self> {
        match name {
            "none" => Ok(Compression::None),
            "lz4" => Ok(Compression::Lz4),
            "zstd" => Ok(Compression::Zstd),
            _ => Err(crate::Error::invalid(format!("compression {name}"), "must be none, lz4 or zstd")),
        }
    }
}

/// The properties that a caller chooses for a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeSpec {
    /// 1 to 64 characters of `a-z A-Z 0-9 _ - .`, not starting with `.` or `-`.
    pub name: String,
    /// Absolute path at which the volume is mounted, such as `/kafka`. Must not be `/`, or be above or below the path of
    /// another volume.
    pub junction_path: String,
    /// Whether the server promises clients that open files survive their removal (`OPEN4_RESULT_PRESERVE_UNLINKED`).
    /// The pool keeps such files in either case.
    pub preserve_unlink: bool,
    /// Owner of the root directory.
    pub uid: u32,
    /// Group of the root directory.
    pub gid: u32,
    /// Permission bits of the root directory.
    pub mode: u32,
    /// The compression of new writes.
    pub compression: Compression,
    /// The most bytes of files, holes not counted, that the volume may hold; `None`: no limit but the pool's. May exceed the
    /// pool's space: a volume takes no space before data is written to it.
    pub size: Option<u64>,
    /// Bytes that clients may read and write per second, at least [`crate::VOLUME_RATE_MIN`]; `None`: unlimited. The pool only
    /// stores this limit; the protocol servers enforce it.
    pub max_bytes_per_second: Option<u64>,
    /// How many scheduled snapshots are kept.
    pub snapshots: SnapshotPolicy,
}

/// How many of the scheduled snapshots are kept. With 0 of a period, none are taken for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotPolicy {
    /// Snapshots taken at each full hour.
    pub hourly: u32,
    /// Snapshots taken at midnight, UTC.
    pub daily: u32,
    /// Snapshots taken at midnight before each Sunday, UTC.
    pub weekly: u32,
}

impl VolumeSpec {
    /// A volume with this name and path, owned by root, with the defaults for the rest.
    pub fn new(name: &str, junction_path: &str) -> VolumeSpec {
        VolumeSpec {
            name: name.to_owned(),
            junction_path: junction_path.to_owned(),
            preserve_unlink: true,
            uid: 0,
            gid: 0,
            mode: 0o755,
            size: None,
            max_bytes_per_second: None,
            compression: Compression::default(),
            snapshots: SnapshotPolicy::default(),
        }
    }

    /// Gives the volume another name. A path that is `/` and the old name follows it.
    pub(crate) fn rename(&mut self, name: String) {
        if self.junction_path.strip_prefix('/') == Some(&self.name) {
            self.junction_path = format!("/{name}");
        }
        self.name = name;
    }

    /// An error unless a volume can have these settings, whatever other volumes there are. Name and path are checked apart.
    pub(crate) fn check(&self) -> Result<()> {
        check_owner(Some(self.uid), Some(self.gid))?;
        check_size(self.size)?;
        check_rate(self.max_bytes_per_second)
    }
}

/// Changes to a volume; `None` leaves a property unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeChange {
    /// Its name. A path that is `/` and the old name follows it, unless another path is set too.
    pub name: Option<String>,
    /// The most bytes that the volume may hold; `Some(None)`: no limit but the pool's.
    pub size: Option<Option<u64>>,
    /// Where it is mounted. Handles of its inodes stay valid.
    pub junction_path: Option<String>,
    /// Whether clients are told that open files survive their removal.
    pub preserve_unlink: Option<bool>,
    /// Owner of the root directory.
    pub uid: Option<u32>,
    /// Group of the root directory.
    pub gid: Option<u32>,
    /// Permission bits of the root directory.
    pub mode: Option<u32>,
    /// The compression of new writes.
    pub compression: Option<Compression>,
    /// How many scheduled snapshots are kept.
    pub snapshots: Option<SnapshotPolicy>,
    /// Bytes that clients may read and write per second; `Some(None)`: unlimited.
    pub max_bytes_per_second: Option<Option<u64>>,
}

impl VolumeChange {
    /// An error unless a volume can have that owner and group. The rest is checked with the whole of the settings.
    pub(crate) fn check(&self) -> Result<()> {
        check_owner(self.uid, self.gid)
    }

    /// Makes the change. Owner and permissions are the root directory's, and stay here as the volume was created with.
    pub(crate) fn apply(self, spec: &mut VolumeSpec) {
        if let Some(name) = self.name {
            spec.rename(name);
        }
        if let Some(size) = self.size {
            spec.size = size;
        }
        if let Some(path) = self.junction_path {
            spec.junction_path = path;
        }
        if let Some(limit) = self.max_bytes_per_second {
            spec.max_bytes_per_second = limit;
        }
        spec.preserve_unlink = self.preserve_unlink.unwrap_or(spec.preserve_unlink);
        spec.compression = self.compression.unwrap_or(spec.compression);
        spec.snapshots = self.snapshots.unwrap_or(spec.snapshots);
    }
}

/// An error unless a volume can have that size.
fn check_size(size: Option<u64>) -> Result<()> {
    match size {
        Some(0) => Err(Error::invalid("size", "must be at least 1 byte")),
        _ => Ok(()),
    }
}

/// An error unless a volume's root directory can have that owner and group.
fn check_owner(uid: Option<u32>, gid: Option<u32>) -> Result<()> {
    if [uid, gid].contains(&Some(u32::MAX)) {
        return Err(Error::invalid(
            "owner and group",
            "4294967295 stands for no one, so choose another number",
        ));
    }
    Ok(())
}

/// An error unless clients of a volume can have that limit.
fn check_rate(limit: Option<u64>) -> Result<()> {
    match limit {
        Some(limit) if limit < VOLUME_RATE_MIN => Err(Error::invalid(
            format!("a limit of {limit} bytes per second"),
            format!("must be at least {VOLUME_RATE_MIN}"),
        )),
        _ => Ok(()),
    }
}
