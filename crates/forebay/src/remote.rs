//! The commands that talk to a daemon and print its response.

pub mod account;
pub mod export;
pub mod lab;
pub mod nfs;
pub mod profile;
mod traffic;
mod volume;
pub mod watch;

pub use volume::{run, run_snapshot};
