//! Hosts: the namespace a run lives in, and the guests in it.
//!
//! [`supervisor`] starts and cleans up, [`worker`] is what it starts, [`Site`] is what the worker works with, [`Guest`] a
//! booted kernel, [`Process`] a program in a guest. [`toolbox`] holds what is fetched from Debian ([`apt`], and [`mirror`]
//! finds from where) and from crates.io ([`cargo`]).

mod apt;
mod cargo;
mod files;
mod guest;
mod leftovers;
mod mirror;
mod network;
mod prerequisites;
mod process;
mod processors;
mod site;
pub mod supervisor;
pub mod toolbox;
pub mod worker;

pub use guest::{Guest, GuestSpec};
pub use leftovers::RunFolders;
pub use network::{Side, wait_for_port};
pub use prerequisites::check as check_prerequisites;
pub use process::{GuestCommand, Output, Process};
pub use processors::Halves;
pub use site::Site;
