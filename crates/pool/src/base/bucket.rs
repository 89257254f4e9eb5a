//! Buckets: their settings, and the entries of their tables.

use std::time::SystemTime;

use bytes::Bytes;

use super::types::{Handle, VolumeId};
use super::volume::{Compression, VolumeSpec};

/// The properties that a caller chooses for a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketSpec {
    /// 1 to 64 characters of `a-z A-Z 0-9 _ - .`, not starting with `.` or `-`. Buckets and volumes share their names. A
    /// protocol may allow fewer.
    pub name: String,
    /// The most bytes that the bucket's content may have; `None`: no limit but the pool's.
    pub size: Option<u64>,
    /// Bytes that clients may read and write per second; `None`: unlimited. The pool only stores this limit.
    pub max_bytes_per_second: Option<u64>,
    /// The compression of new content.
    pub compression: Compression,
}

impl BucketSpec {
    /// A bucket with this name and the defaults for the rest.
    pub fn new(name: &str) -> BucketSpec {
        BucketSpec {
            name: name.to_owned(),
            size: None,
            max_bytes_per_second: None,
            compression: Compression::default(),
        }
    }

    /// The settings of the volume that the bucket is. It has no junction path.
    pub(crate) fn volume(self) -> VolumeSpec {
        VolumeSpec {
            size: self.size,
            max_bytes_per_second: self.max_bytes_per_second,
            compression: self.compression,
            ..VolumeSpec::new(&self.name, "")
        }
    }
}

/// Changes to a bucket; `None` leaves a property unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BucketUpdate {
    /// The most bytes that the content may have; `Some(None)`: no limit but the pool's.
    pub size: Option<Option<u64>>,
    /// Bytes that clients may read and write per second; `Some(None)`: unlimited.
    pub max_bytes_per_second: Option<Option<u64>>,
    /// The compression of new content.
    pub compression: Option<Compression>,
}

/// A bucket: a volume with tables of entries in place of directories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The bucket's id.
    pub id: VolumeId,
    /// Its properties.
    pub spec: BucketSpec,
    /// When it was created.
    pub created: SystemTime,
    /// Bytes of its content, in all tables, without holes.
    pub bytes_logical: u64,
    /// Entries with content, in all tables.
    pub objects: u64,
}

/// The number of a table of a bucket. A protocol gives tables their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Table(pub u8);

/// An entry of a bucket: one version of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketEntry {
    /// The key.
    pub key: Bytes,
    /// The version. Of the versions of a key, the one with the largest number comes first.
    pub version: u64,
    /// The protocol's own bytes.
    pub facts: Bytes,
    /// The content that the entry owns.
    pub content: Option<Handle>,
}

/// The place where a scan of a table starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seek<'a> {
    /// The first entry.
    Start,
    /// The first entry whose key is not less than these bytes.
    Key(&'a [u8]),
    /// Behind all versions of this key.
    PastKey(&'a [u8]),
    /// Behind this version of a key, before its older versions.
    PastVersion(&'a [u8], u64),
    /// Behind all keys that begin with these bytes.
    PastPrefix(&'a [u8]),
}
