//! Hosts: the namespace a run lives in, and the nodes in it.
//!
//! [`supervisor`] starts and cleans up, [`worker`] is what it starts, [`Site`] is what the worker works with. A [`Node`] is where a
//! broker runs: a [`Guest`], which is a booted kernel, or a [`Native`] node, which is a program of the host. Both have the same agent, so
//! that whoever only asks the agent need not know which it is. [`Process`] is a program on a node. [`toolbox`] holds what is fetched from Debian ([`apt`], and [`mirror`]
//! finds from where) and from crates.io ([`cargo`]).

mod apt;
mod cargo;
mod cgroup;
mod family;
mod files;
mod guest;
mod leftovers;
mod mirror;
mod native;
mod network;
mod node;
mod prerequisites;
mod process;
mod processors;
mod site;
pub mod supervisor;
pub mod toolbox;
pub mod worker;

pub use files::output_within;
pub use guest::{Guest, GuestSpec};
pub use leftovers::RunFolders;
pub use native::Native;
pub use network::{CONGESTION_CONTROL, Side, wait_for_port};
pub use node::Node;
pub use prerequisites::{Needs, check as check_prerequisites};
pub use process::{GuestCommand, Output, Process};
pub use processors::Halves;
pub use site::Site;
