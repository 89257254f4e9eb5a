//! Filehandles: what they identify, and their encoding.
//!
//! A handle identifies the pool and an object in it by number, never by path, so it stays valid across
//! renames and restarts. Clients must treat the bytes as opaque, and the server must not trust the bytes that
//! clients send.
//!
//! ```text
//! byte  0       format, 1
//! byte  1       what follows: 0 a directory of the pseudo file system, 1 an inode
//! bytes 2..18   pool id
//! pseudo:  18..26   node (big endian, as all numbers here)
//! inode:   18..22   volume    22..30   inode    30..34   generation
//! ```

use bytes::{BufMut, Bytes, BytesMut};
use forebay_pool::{Handle, InodeId, PoolId, VolumeId};

use forebay_nfs_proto::xdr::Status;

/// The id of a directory of the pseudo file system. It is derived from the path, so it is the same after a
/// restart. Greater than 2 and at most `i64::MAX`, because it also serves as a READDIR cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PseudoId(pub u64);

/// What a filehandle identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileHandle {
    /// A directory above the volumes.
    Pseudo(PseudoId),
    /// An inode of a volume.
    Inode(Handle),
}

const FORMAT: u8 = 1;
const KIND_PSEUDO: u8 = 0;
const KIND_INODE: u8 = 1;

impl FileHandle {
    /// The handle's bytes for clients: at most 34 of the 128 that RFC 8881 allows.
    pub fn to_wire(self, pool: PoolId) -> Bytes {
        let mut out = BytesMut::with_capacity(34);
        out.put_u8(FORMAT);
        match self {
            FileHandle::Pseudo(node) => {
                out.put_u8(KIND_PSEUDO);
                out.put_slice(&pool.0);
                out.put_u64(node.0);
            }
            FileHandle::Inode(handle) => {
                out.put_u8(KIND_INODE);
                out.put_slice(&pool.0);
                out.put_u32(handle.volume.0);
                out.put_u64(handle.inode.0);
                out.put_u32(handle.generation);
            }
        }
        out.freeze()
    }

    /// Decodes a client's bytes. Returns [`Status::Stale`] if they are from another pool, and
    /// [`Status::BadHandle`] if no server of this kind produced them. Whether the object still exists is
    /// checked when it is used.
    pub fn from_wire(bytes: &[u8], pool: PoolId) -> Result<FileHandle, Status> {
        let (&[format, kind], rest) = bytes.split_first_chunk().ok_or(Status::BadHandle)?;
        let (owner, body) = rest.split_first_chunk().ok_or(Status::BadHandle)?;
        let handle = match (format, kind) {
            (FORMAT, KIND_PSEUDO) => {
                let node = body.try_into().map_err(|_| Status::BadHandle)?;
                FileHandle::Pseudo(PseudoId(u64::from_be_bytes(node)))
            }
            (FORMAT, KIND_INODE) => FileHandle::Inode(inode_from_wire(body).ok_or(Status::BadHandle)?),
            _ => return Err(Status::BadHandle),
        };
        if PoolId(*owner) == pool { Ok(handle) } else { Err(Status::Stale) }
    }

    /// The inode, for an operation that the read-only pseudo file system refuses.
    pub fn writable(self) -> Result<Handle, Status> {
        match self {
            FileHandle::Inode(handle) => Ok(handle),
            FileHandle::Pseudo(_) => Err(Status::RoFs),
        }
    }
}

fn inode_from_wire(body: &[u8]) -> Option<Handle> {
    let (volume, body) = body.split_first_chunk()?;
    let (inode, body) = body.split_first_chunk()?;
    let generation = body.try_into().ok()?;
    Some(Handle {
        volume: VolumeId(u32::from_be_bytes(*volume)),
        inode: InodeId(u64::from_be_bytes(*inode)),
        generation: u32::from_be_bytes(generation),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const POOL: PoolId = PoolId([7; 16]);

    fn inode(volume: u32, inode: u64, generation: u32) -> FileHandle {
        FileHandle::Inode(Handle { volume: VolumeId(volume), inode: InodeId(inode), generation })
    }

    #[test]
    fn a_handle_of_another_pool_is_stale() {
        for handle in [inode(1, 2, 3), FileHandle::Pseudo(PseudoId(9))] {
            let wire = handle.to_wire(PoolId([8; 16]));
            assert_eq!(FileHandle::from_wire(&wire, POOL), Err(Status::Stale));
        }
    }

    #[test]
    fn every_cut_or_lengthened_handle_is_bad() {
        for handle in [inode(1, 2, 3), FileHandle::Pseudo(PseudoId(9))] {
            let mut wire = handle.to_wire(POOL).to_vec();
            for length in 0..wire.len() {
                assert_eq!(FileHandle::from_wire(&wire[..length], POOL), Err(Status::BadHandle));
            }
            wire.push(0);
            assert_eq!(FileHandle::from_wire(&wire, POOL), Err(Status::BadHandle));
        }
    }

    proptest! {
        #[test]
        fn a_handle_comes_back_as_it_went(volume: u32, number: u64, generation: u32) {
            for handle in [inode(volume, number, generation), FileHandle::Pseudo(PseudoId(number))] {
                let wire = handle.to_wire(POOL);
                prop_assert!(wire.len() <= 128);
                prop_assert_eq!(FileHandle::from_wire(&wire, POOL), Ok(handle));
            }
        }

        #[test]
        fn arbitrary_bytes_are_refused_or_name_something(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = FileHandle::from_wire(&bytes, POOL);
        }
    }
}
