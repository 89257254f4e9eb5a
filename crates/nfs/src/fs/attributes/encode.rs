//! Attributes of a [`Node`] as `fattr4`.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use forebay_pool::{FILE_SIZE_MAX, Kind, NAME_BYTES_MAX, Space, VolumeId};

use super::{CLONE_BLOCK_BYTES, SETTABLE, absent, check_readable, is_readable, supported};
use crate::fs::Node;
use crate::referral::{Referral, pathname};
use crate::shared::Shared;
use crate::status::OrStatus;
use crate::tree::{FileHandle, PseudoId, Tree};
use forebay_nfs_proto::xdr::nfs4::attribute::*;
use forebay_nfs_proto::xdr::nfs4::{Bitmap, Fattr, FileType, FsLocations, Fsid, NfsTime, SpecData};
use forebay_nfs_proto::xdr::{Encode, Encoder, Status};

/// Filehandles never expire (`FH4_PERSISTENT`).
const FH_PERSISTENT: u32 = 0;
/// Names may be any bytes (`FSCHARSET_CAP4_CONTAINS_NON_UTF8`).
const CHARSET_CONTAINS_NON_UTF8: u32 = 1;
/// `change` only increases (`NFS4_CHANGE_TYPE_IS_MONOTONIC_INCR`): if two replies arrive out of order, a
/// client may discard the older one.
const CHANGE_IS_MONOTONIC_INCR: u32 = 0;
/// The pool has no limit on inodes, but clients want to see free ones.
const FILES_FREE_COUNT: u64 = 1 << 40;
/// Maximum number of names of one inode, as reported to clients.
const LINKS_MAX: u32 = 65_000;

/// The source of attributes that are not the node's own. Created once per operation.
pub struct Source<'a> {
    server: &'a Shared,
    minor_version: u32,
    tree: OnceCell<Arc<Tree>>,
}

impl<'a> Source<'a> {
    /// For an operation of this minor version.
    pub fn new(server: &'a Shared, minor_version: u32) -> Self {
        Source { server, minor_version, tree: OnceCell::new() }
    }

    /// Encodes the supported ones of the `requested` attributes; others are omitted, as the RFC requires.
    ///
    /// # Errors
    /// Returns [`Status::Inval`] if one of them can only be set, [`Status::Moved`] if another server has the file system and
    /// `fs_locations` is not requested, and the pool's error if it cannot report its space.
    pub fn encode(&self, node: &Node, requested: &Bitmap) -> Result<Fattr, Status> {
        check_readable(requested)?;
        let mask = match self.referral(node) {
            Some(_) => absent::returned(requested)?,
            None => self.readable(requested),
        };
        self.encode_all(node, mask, Status::Ok)
    }

    /// Like [`Source::encode`], for an entry of READDIR. If the client requests errors for each entry, the result has the
    /// error instead, and what is known besides.
    pub fn encode_entry(&self, node: Result<Node, Status>, requested: &Bitmap) -> Result<Fattr, Status> {
        let encoded = match &node {
            Ok(node) => self.encode(node, requested),
            Err(status) => Err(*status),
        };
        match (encoded, node) {
            (Err(Status::Moved), Ok(node)) if requested.contains(RDATTR_ERROR) => {
                self.encode_all(&node, absent::available(requested), Status::Moved)
            }
            (Err(status), _) if requested.contains(RDATTR_ERROR) => {
                Ok(Fattr { mask: Bitmap::of(&[RDATTR_ERROR]), values: Encoder::of(&status).into_bytes() })
            }
            (other, _) => other,
        }
    }

    fn readable(&self, requested: &Bitmap) -> Bitmap {
        let mut mask = Bitmap::default();
        let readable = requested.iter().filter(|attribute| is_readable(self.minor_version, *attribute));
        readable.for_each(|attribute| mask.insert(attribute));
        mask
    }

    /// Encodes the attributes in `mask`, all of which exist.
    fn encode_all(&self, node: &Node, mask: Bitmap, error: Status) -> Result<Fattr, Status> {
        let mut values = Encoder::new();
        let mut space = None;
        for attribute in mask.iter() {
            match attribute {
                RDATTR_ERROR => error.encode(&mut values),
                other => self.put(other, node, &mut space, &mut values)?,
            }
        }
        Ok(Fattr { mask, values: values.into_bytes() })
    }

    fn put(
        &self,
        attribute: u32,
        node: &Node,
        space: &mut Option<Space>,
        out: &mut Encoder,
    ) -> Result<(), Status> {
        match attribute {
            SUPPORTED_ATTRS => supported(self.minor_version).encode(out),
            SUPPATTR_EXCLCREAT => Bitmap::of(SETTABLE).encode(out),
            TYPE => file_type(&node.kind).encode(out),
            FH_EXPIRE_TYPE => FH_PERSISTENT.encode(out),
            CHANGE => node.change.encode(out),
            SIZE => node.size.encode(out),
            LINK_SUPPORT | SYMLINK_SUPPORT | UNIQUE_HANDLES | CANSETTIME | CASE_PRESERVING
            | CHOWN_RESTRICTED | HOMOGENEOUS | NO_TRUNC => true.encode(out),
            NAMED_ATTR | CASE_INSENSITIVE => false.encode(out),
            XATTR_SUPPORT => matches!(node.handle, FileHandle::Inode(_)).encode(out),
            FSID => self.fsid(node).encode(out),
            LEASE_TIME => self.server.config.lease_seconds.encode(out),
            FILEHANDLE => node.handle.to_wire(self.server.pool.id()).encode(out),
            FILEID => node.fileid().encode(out),
            FILES_AVAIL | FILES_FREE => FILES_FREE_COUNT.encode(out),
            FS_LOCATIONS => self.fs_locations(node).encode(out),
            FILES_TOTAL => self.space(node, space)?.inodes_used.saturating_add(FILES_FREE_COUNT).encode(out),
            MAXFILESIZE => FILE_SIZE_MAX.encode(out),
            MAXLINK => LINKS_MAX.encode(out),
            MAXNAME => (NAME_BYTES_MAX as u32).encode(out),
            MAXREAD | MAXWRITE => u64::from(self.server.config.io_bytes_max()).encode(out),
            MODE => node.mode.encode(out),
            NUMLINKS => node.nlink.encode(out),
            OWNER => self.server.identities.user_name(node.uid).encode(out),
            OWNER_GROUP => self.server.identities.group_name(node.gid).encode(out),
            RAWDEV => device(&node.kind).encode(out),
            SPACE_AVAIL | SPACE_FREE => self.space(node, space)?.bytes_free.encode(out),
            SPACE_TOTAL => self.space(node, space)?.bytes_total.encode(out),
            SPACE_USED => node.space_used.encode(out),
            TIME_ACCESS => time(node.atime).encode(out),
            TIME_CREATE => time(node.btime).encode(out),
            TIME_DELTA => NfsTime { seconds: 0, nseconds: 1 }.encode(out),
            TIME_METADATA => time(node.ctime).encode(out),
            TIME_MODIFY => time(node.mtime).encode(out),
            MOUNTED_ON_FILEID => self.mounted_on_fileid(node).encode(out),
            FS_CHARSET_CAP => CHARSET_CONTAINS_NON_UTF8.encode(out),
            CLONE_BLKSIZE => CLONE_BLOCK_BYTES.encode(out),
            CHANGE_ATTR_TYPE => CHANGE_IS_MONOTONIC_INCR.encode(out),
            // Listed as readable but not encoded above: a bug in this file.
            _ => return Err(Status::ServerFault),
        }
        Ok(())
    }

    /// Each volume is a separate file system, and so are each snapshot, each referral and the directories above the
    /// volumes.
    fn fsid(&self, node: &Node) -> Fsid {
        let mut major = [0; 8];
        major.copy_from_slice(&self.server.pool.id().0[..8]);
        let major = u64::from_be_bytes(major);
        let minor = match node.handle {
            FileHandle::Pseudo(id) if self.referral(node).is_some() => return absent::fsid(major, id),
            FileHandle::Pseudo(id) => self.volume_around(id).map_or(0, fsid_minor),
            FileHandle::Inode(handle) => fsid_minor(handle.volume),
        };
        Fsid { major, minor }
    }

    /// Where the file system is. For one that is here, only the path of its root is known: it has no other places.
    fn fs_locations(&self, node: &Node) -> FsLocations {
        if let Some(referral) = self.referral(node) {
            return referral.fs_locations();
        }
        let volume = match node.handle {
            FileHandle::Pseudo(id) => self.volume_around(id),
            FileHandle::Inode(handle) => Some(handle.volume),
        };
        let path = volume.and_then(|volume| self.tree().path_of(volume));
        FsLocations { fs_root: path.map_or_else(Vec::new, |path| pathname(&path)), locations: Vec::new() }
    }

    /// The referral at the node, if another server has the file system.
    fn referral(&self, node: &Node) -> Option<&Referral> {
        match node.handle {
            FileHandle::Pseudo(id) => self.tree().referral(id),
            FileHandle::Inode(_) => None,
        }
    }

    /// The `fileid` of the directory that a volume's root covers (RFC 8881 §5.8.2.23).
    fn mounted_on_fileid(&self, node: &Node) -> u64 {
        let FileHandle::Inode(handle) = node.handle else { return node.fileid() };
        self.tree().junction(handle).map_or_else(|| node.fileid(), |junction| junction.node.0)
    }

    fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| self.server.exports.tree())
    }

    /// The volume to whose file system a pseudo directory belongs.
    fn volume_around(&self, id: PseudoId) -> Option<VolumeId> {
        self.tree().directory(id).and_then(|directory| directory.volume)
    }

    /// Read once per reply, so that free and total space are consistent while other data fills the disk.
    fn space(&self, node: &Node, known: &mut Option<Space>) -> Result<Space, Status> {
        if let Some(space) = known {
            return Ok(*space);
        }
        let space = match node.handle {
            FileHandle::Pseudo(id) => match self.volume_around(id) {
                None => self.server.pool.space().or_status()?,
                Some(volume) => self.server.pool.volume_space(volume).or_status()?,
            },
            FileHandle::Inode(handle) => self.server.pool.volume_space(handle.volume).or_status()?,
        };
        Ok(*known.insert(space))
    }
}

/// 0 is the file system above the volumes.
fn fsid_minor(volume: VolumeId) -> u64 {
    u64::from(volume.0) + 1
}

fn file_type(kind: &Kind) -> FileType {
    match kind {
        Kind::File => FileType::Regular,
        Kind::Directory => FileType::Directory,
        Kind::Symlink(_) => FileType::Symlink,
        Kind::Fifo => FileType::Fifo,
        Kind::Socket => FileType::Socket,
        Kind::CharacterDevice(..) => FileType::CharacterDevice,
        Kind::BlockDevice(..) => FileType::BlockDevice,
    }
}

fn device(kind: &Kind) -> SpecData {
    match *kind {
        Kind::CharacterDevice(specdata1, specdata2) | Kind::BlockDevice(specdata1, specdata2) => {
            SpecData { specdata1, specdata2 }
        }
        _ => SpecData { specdata1: 0, specdata2: 0 },
    }
}

/// The `nfstime4` of a time. Nanoseconds count forward even before 1970.
fn time(time: SystemTime) -> NfsTime {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => NfsTime {
            seconds: i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
            nseconds: after.subsec_nanos(),
        },
        Err(error) => before_1970(error.duration()),
    }
}

fn before_1970(before: Duration) -> NfsTime {
    let whole = i64::try_from(before.as_secs()).unwrap_or(i64::MAX);
    match before.subsec_nanos() {
        0 => NfsTime { seconds: -whole, nseconds: 0 },
        part => NfsTime { seconds: (-whole).saturating_sub(1), nseconds: 1_000_000_000 - part },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_1970_count_forward() {
        let before = SystemTime::UNIX_EPOCH - Duration::new(1, 250_000_000);
        assert_eq!(time(before), NfsTime { seconds: -2, nseconds: 750_000_000 });
        let whole = SystemTime::UNIX_EPOCH - Duration::from_secs(3);
        assert_eq!(time(whole), NfsTime { seconds: -3, nseconds: 0 });
    }
}
