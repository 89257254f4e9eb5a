//! Runs: the process that a person starts, and the process that does the work.
//!
//! [`supervisor`] starts a worker in namespaces of its own and cleans up behind it; [`worker`] is what it starts. [`experiment`] and [`client`] are
//! the supervisor's side of an experiment and of a guest for a person.

pub mod client;
pub mod experiment;
mod leftovers;
pub mod supervisor;
mod task;
pub mod worker;

pub use leftovers::sweep;
