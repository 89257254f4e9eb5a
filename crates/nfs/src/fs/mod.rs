//! The pool as NFS clients see it: objects, their attributes and permissions.
//!
//! Operations pass a filehandle ([`crate::tree::FileHandle`]) and get a [`Node`] with an object's attributes,
//! whether it is an inode of a volume or a directory of the pseudo file system. Changes go directly to the
//! pool. Start at [`resolve`], which finds objects; [`access`] checks permissions.

pub mod access;
pub mod attributes;
mod change;
pub mod name;
mod new;
mod node;
mod resolve;
mod setting;

pub use change::change_info;
pub use new::new_inode;
pub use node::Node;
pub use resolve::{
    check_changed, check_victim, directory, is_absent, is_read_only, lookup, node, parent, search_directory,
    snapshots, writable_directory,
};
pub use setting::authorize;
