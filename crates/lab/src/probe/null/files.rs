//! The names and sizes that the server keeps.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use forebay_nfs_proto::xdr::nfs4::attribute::*;
use forebay_nfs_proto::xdr::nfs4::{Bitmap, DirectoryEntry, Fattr, FileType, Fsid, NfsTime, SpecData};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encode, Encoder, Status};

/// The number of the root.
pub const ROOT: u64 = 1;
/// The name of the export below the root.
pub const EXPORT: &[u8] = b"kafka";

/// The supported attributes: every attribute that [`Files::attributes`] encodes.
const SUPPORTED: &[u32] = &[
    SUPPORTED_ATTRS,
    TYPE,
    FH_EXPIRE_TYPE,
    CHANGE,
    SIZE,
    LINK_SUPPORT,
    SYMLINK_SUPPORT,
    NAMED_ATTR,
    FSID,
    UNIQUE_HANDLES,
    LEASE_TIME,
    RDATTR_ERROR,
    FILEHANDLE,
    FILEID,
    MAXFILESIZE,
    MAXNAME,
    MAXREAD,
    MAXWRITE,
    MODE,
    NUMLINKS,
    OWNER,
    OWNER_GROUP,
    RAWDEV,
    SPACE_AVAIL,
    SPACE_FREE,
    SPACE_TOTAL,
    SPACE_USED,
    TIME_ACCESS,
    TIME_CREATE,
    TIME_DELTA,
    TIME_METADATA,
    TIME_MODIFY,
    MOUNTED_ON_FILEID,
    SUPPATTR_EXCLCREAT,
];
const SETTABLE: &[u32] = &[SIZE, MODE, OWNER, OWNER_GROUP, TIME_ACCESS_SET, TIME_MODIFY_SET];
const LEASE_SECONDS: u32 = 90;
const IO_BYTES_MAX: u64 = 1 << 20;
const SPACE_BYTES: u64 = 1 << 40;
const FILE_BYTES_MAX: u64 = 1 << 62;
const NAME_BYTES_MAX: u32 = 255;

struct Node {
    kind: FileType,
    size: u64,
    change: u64,
    children: BTreeMap<Vec<u8>, u64>,
}

/// All files and directories. A file keeps its number when its name is removed.
pub struct Files {
    nodes: HashMap<u64, Node>,
}

impl Files {
    /// The root and the export.
    pub fn new() -> Self {
        let root = Node { kind: FileType::Directory, size: 0, change: 1, children: BTreeMap::new() };
        let mut files = Self { nodes: HashMap::from([(ROOT, root)]) };
        files.make(ROOT, EXPORT, FileType::Directory);
        files
    }

    /// Whether there is a file or directory of this number.
    pub fn has(&self, id: u64) -> bool {
        self.nodes.contains_key(&id)
    }

    /// The number of a directory's entry.
    pub fn lookup(&self, directory: u64, name: &[u8]) -> Result<u64, Status> {
        self.node(directory)?.children.get(name).copied().ok_or(Status::NoEnt)
    }

    /// The number of a directory's entry, which is made if it does not exist.
    pub fn make(&mut self, directory: u64, name: &[u8], kind: FileType) -> u64 {
        let id = self.nodes.len() as u64 + ROOT;
        let Some(parent) = self.nodes.get_mut(&directory) else { return directory };
        if let Some(known) = parent.children.get(name) {
            return *known;
        }
        parent.change += 1;
        parent.children.insert(name.to_vec(), id);
        self.nodes.insert(id, Node { kind, size: 0, change: 1, children: BTreeMap::new() });
        id
    }

    /// Removes a name.
    pub fn remove(&mut self, directory: u64, name: &[u8]) -> Result<(), Status> {
        let parent = self.nodes.get_mut(&directory).ok_or(Status::Stale)?;
        parent.change += 1;
        parent.children.remove(name).map(drop).ok_or(Status::NoEnt)
    }

    /// The entries of a directory with these attributes.
    pub fn list(&self, directory: u64, wanted: &Bitmap) -> Result<Vec<DirectoryEntry>, Status> {
        // The cookies 0, 1 and 2 have a meaning of their own.
        let entries = self.node(directory)?.children.iter().zip(3..);
        entries
            .map(|((name, id), cookie)| {
                let attributes = self.attributes(*id, wanted)?;
                Ok(DirectoryEntry { cookie, name: Bytes::copy_from_slice(name), attributes })
            })
            .collect()
    }

    /// A file's size.
    pub fn size(&self, id: u64) -> Result<u64, Status> {
        Ok(self.node(id)?.size)
    }

    /// Changes a file's size.
    pub fn resize(&mut self, id: u64, size: impl FnOnce(u64) -> u64) -> Result<(), Status> {
        let node = self.nodes.get_mut(&id).ok_or(Status::Stale)?;
        node.size = size(node.size);
        node.change += 1;
        Ok(())
    }

    /// Sets the size, if it is among these attributes. The others are ignored.
    pub fn set(&mut self, id: u64, given: &Fattr) -> Result<(), Status> {
        if !given.mask.contains(SIZE) {
            return Ok(());
        }
        // No attribute that can be set has a lower number, so the size comes first.
        let size = u64::decode(&mut Decoder::new(given.values.clone())).map_err(|_| Status::BadXdr)?;
        self.resize(id, |_| size)
    }

    /// The wanted attributes of a file or directory, as far as they are supported.
    pub fn attributes(&self, id: u64, wanted: &Bitmap) -> Result<Fattr, Status> {
        let node = self.node(id)?;
        let (mut mask, mut values) = (Bitmap::default(), Encoder::new());
        for attribute in wanted.iter().filter(|attribute| SUPPORTED.contains(attribute)) {
            mask.insert(attribute);
            put(attribute, id, node, &mut values);
        }
        Ok(Fattr { mask, values: values.into_bytes() })
    }

    fn node(&self, id: u64) -> Result<&Node, Status> {
        self.nodes.get(&id).ok_or(Status::Stale)
    }
}

/// The filehandle of a number.
pub fn handle(id: u64) -> Bytes {
    Bytes::copy_from_slice(&id.to_be_bytes())
}

fn put(attribute: u32, id: u64, node: &Node, out: &mut Encoder) {
    let changed = i64::try_from(node.change).unwrap_or(i64::MAX);
    match attribute {
        SUPPORTED_ATTRS => Bitmap::of(&[SUPPORTED, SETTABLE].concat()).encode(out),
        SUPPATTR_EXCLCREAT => Bitmap::of(SETTABLE).encode(out),
        TYPE => node.kind.encode(out),
        FH_EXPIRE_TYPE | RDATTR_ERROR => 0u32.encode(out),
        CHANGE => node.change.encode(out),
        SIZE | SPACE_USED => node.size.encode(out),
        LINK_SUPPORT | SYMLINK_SUPPORT | NAMED_ATTR => false.encode(out),
        UNIQUE_HANDLES => true.encode(out),
        FSID => Fsid { major: 1, minor: 1 }.encode(out),
        LEASE_TIME => LEASE_SECONDS.encode(out),
        FILEHANDLE => handle(id).encode(out),
        FILEID | MOUNTED_ON_FILEID => id.encode(out),
        MAXFILESIZE => FILE_BYTES_MAX.encode(out),
        MAXNAME => NAME_BYTES_MAX.encode(out),
        MAXREAD | MAXWRITE => IO_BYTES_MAX.encode(out),
        MODE => (if node.kind == FileType::Directory { 0o755u32 } else { 0o644 }).encode(out),
        NUMLINKS => 1u32.encode(out),
        OWNER | OWNER_GROUP => Bytes::from_static(b"0").encode(out),
        RAWDEV => SpecData { specdata1: 0, specdata2: 0 }.encode(out),
        SPACE_AVAIL | SPACE_FREE | SPACE_TOTAL => SPACE_BYTES.encode(out),
        TIME_DELTA => NfsTime { seconds: 0, nseconds: 1 }.encode(out),
        // Clients compare times only to see whether something has changed.
        _ => NfsTime { seconds: changed, nseconds: 0 }.encode(out),
    }
}
