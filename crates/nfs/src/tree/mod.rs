//! The tree from the server's root down to the volumes, and the filehandles of the objects in it.

mod exports;
mod handle;

pub use exports::{Exports, PseudoDirectory, SNAPSHOTS, Tree};
pub use handle::{FileHandle, PseudoId};
