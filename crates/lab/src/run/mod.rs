//! Runs: the process that the user starts, and the process that does the work.
//!
//! [`supervisor`] starts a [`worker`] in new namespaces and cleans up after it. [`experiment`] and [`client`] are the supervisor's side of an
//! experiment and of a guest for the user.

pub mod client;
pub mod experiment;
mod leftovers;
pub mod supervisor;
mod task;
pub mod worker;

pub use leftovers::sweep;
