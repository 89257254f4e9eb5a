//! Where a broker runs and keeps its logs.

use std::path::PathBuf;

use crate::host::Node;

/// The node of a broker, and its log directories.
#[derive(Debug)]
pub struct Placement<'a> {
    /// The node.
    pub node: &'a Node,
    /// The folders for `log.dirs`, on the node, at least one; they are on the storage under test.
    pub log_folders: Vec<PathBuf>,
}
