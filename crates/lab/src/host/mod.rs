//! The machine that a run uses: its network and folders, and the nodes on it.
//!
//! An experiment gets an [`Environment`]. A broker runs on a [`Node`]: a [`Guest`], which is a booted kernel, or a [`Native`] node, which is a
//! program of the host. Both have the same agent, so code that only uses the agent works on either. [`Process`] is a program on a node.
//! [`RunFolders`] are the folders that a run creates outside its results.

mod boot;
mod cgroup;
mod environment;
mod guest;
mod machine;
mod native;
mod network;
mod node;
mod prerequisites;
mod process;
mod process_tree;
mod processors;
mod run_folders;

pub use environment::Environment;
pub use guest::{Guest, GuestSpec};
pub use machine::{DEVICE, Machine};
pub use native::Native;
pub use network::{CONGESTION_CONTROL, PREFIX, Side, wait_for_port};
pub use node::Node;
pub use prerequisites::{Needs, check as check_prerequisites};
pub use process::{GuestCommand, Output, Process};
pub use processors::ProcessorSplit;
pub use run_folders::{RunFolders, abandoned};
