//! Resolves filehandles and names to objects.

use forebay_pool::Kind;

use crate::fs::access::{self, EXECUTE, WRITE};
use crate::fs::{Node, name};
use crate::shared::Shared;
use crate::status::{OrStatus, status_of};
use crate::tree::SNAPSHOTS;
use crate::tree::{FileHandle, PseudoId, Tree};
use forebay_nfs_proto::rpc::Credential;
use forebay_nfs_proto::xdr::Status;

/// The object that a filehandle names.
pub async fn node(server: &Shared, handle: FileHandle) -> Result<Node, Status> {
    match handle {
        FileHandle::Inode(handle) => Ok(server.pool.getattr(handle).await.or_status()?.into()),
        FileHandle::Pseudo(id) => pseudo(&server.exports.tree(), id),
    }
}

/// A directory of the pseudo file system, which is stale once the last volume and the last referral below it are gone;
/// or a referral.
fn pseudo(tree: &Tree, id: PseudoId) -> Result<Node, Status> {
    match tree.directory(id) {
        Some(directory) => Ok(Node::pseudo(id, directory, tree)),
        None => tree.referral(id).map(|_| Node::referral(id, tree)).ok_or(Status::Stale),
    }
}

/// Whether the object is in a file system that another server has.
pub fn is_absent(server: &Shared, handle: FileHandle) -> bool {
    matches!(handle, FileHandle::Pseudo(id) if server.exports.tree().referral(id).is_some())
}

/// The directory that a filehandle names.
pub async fn directory(server: &Shared, handle: FileHandle) -> Result<Node, Status> {
    let node = node(server, handle).await?;
    if node.kind == Kind::Directory { Ok(node) } else { Err(Status::NotDir) }
}

/// A directory in which `credential` may look up names. A symbolic link instead of a directory has its own
/// error, since clients follow symbolic links themselves.
pub async fn search_directory(
    server: &Shared,
    credential: &Credential,
    handle: FileHandle,
) -> Result<Node, Status> {
    let node = node(server, handle).await?;
    match node.kind {
        Kind::Directory => {
            access::require(credential, &node, EXECUTE)?;
            Ok(node)
        }
        Kind::Symlink(_) => Err(Status::Symlink),
        _ => Err(Status::NotDir),
    }
}

/// A directory in which `credential` may create and remove names, and its handle in the pool.
pub async fn writable_directory(
    server: &Shared,
    credential: &Credential,
    handle: FileHandle,
) -> Result<(forebay_pool::Handle, Node), Status> {
    let node = directory(server, handle).await?;
    let handle = handle.writable()?;
    if server.pool.is_read_only(handle.volume).or_status()? {
        return Err(Status::RoFs);
    }
    access::require(credential, &node, WRITE | EXECUTE)?;
    Ok((handle, node))
}

/// Checks whether `credential`, which may change `directory`, may also remove `name` from it: in a directory
/// with the sticky bit, only its own files.
pub async fn check_victim(
    server: &Shared,
    credential: &Credential,
    directory: &Node,
    name: &[u8],
) -> Result<(), Status> {
    let FileHandle::Inode(handle) = directory.handle else { return Err(Status::RoFs) };
    if !access::is_sticky_for(credential, directory) {
        return Ok(());
    }
    match server.pool.lookup(handle, name).await {
        Ok(victim) if victim.uid == credential.uid => Ok(()),
        Ok(_) => Err(Status::Access),
        Err(forebay_pool::Error::NotFound(_)) => Ok(()),
        Err(error) => Err(status_of(error)),
    }
}

/// Looks up `name` in a directory, across junctions.
pub async fn lookup(
    server: &Shared,
    credential: &Credential,
    directory: FileHandle,
    name: &[u8],
) -> Result<Node, Status> {
    name::check(name)?;
    search_directory(server, credential, directory).await?;
    match directory {
        FileHandle::Inode(handle) => match snapshots(server, handle, name) {
            Some(id) => node(server, FileHandle::Pseudo(id)).await,
            None => Ok(server.pool.lookup(handle, name).await.or_status()?.into()),
        },
        FileHandle::Pseudo(id) => node(server, pseudo_child(&server.exports.tree(), id, name)?).await,
    }
}

/// The directory of snapshots, if `name` in `directory` refers to it.
pub fn snapshots(server: &Shared, directory: forebay_pool::Handle, name: &[u8]) -> Option<PseudoId> {
    if name == SNAPSHOTS { server.exports.tree().snapshots(directory, name) } else { None }
}

/// Checks whether `name` can be created or removed in `directory`: the name of the directory of snapshots is
/// reserved.
pub fn check_changed(server: &Shared, directory: forebay_pool::Handle, name: &[u8]) -> Result<(), Status> {
    snapshots(server, directory, name).map_or(Ok(()), |_| Err(Status::Exist))
}

/// Whether the object is read-only: above the volumes, and in snapshots.
pub fn is_read_only(server: &Shared, handle: FileHandle) -> Result<bool, Status> {
    match handle {
        FileHandle::Pseudo(_) => Ok(true),
        FileHandle::Inode(handle) => server.pool.is_read_only(handle.volume).or_status(),
    }
}

fn pseudo_child(tree: &Tree, directory: PseudoId, name: &[u8]) -> Result<FileHandle, Status> {
    let directory = tree.directory(directory).ok_or(Status::Stale)?;
    let (id, child) = directory.child(name).ok_or(Status::NoEnt)?;
    Ok(child.volume_root.map_or(FileHandle::Pseudo(id), FileHandle::Inode))
}

/// The parent of a directory, across junctions; [`Status::NoEnt`] for the server's root.
pub async fn parent(
    server: &Shared,
    credential: &Credential,
    directory: FileHandle,
) -> Result<FileHandle, Status> {
    search_directory(server, credential, directory).await?;
    match directory {
        FileHandle::Inode(handle) => match server.pool.parent(handle).await.or_status()? {
            Some(above) => Ok(FileHandle::Inode(above.handle)),
            None => {
                let junction = server.exports.tree().junction(handle).ok_or(Status::NoEnt)?;
                Ok(FileHandle::Pseudo(junction.parent))
            }
        },
        FileHandle::Pseudo(id) => {
            let tree = server.exports.tree();
            tree.directory(id).ok_or(Status::Stale)?.parent.ok_or(Status::NoEnt)
        }
    }
}
