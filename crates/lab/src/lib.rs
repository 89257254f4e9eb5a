//! The lab: real Kafka brokers on real Linux NFS clients, on one machine, and a verdict that anyone can check.
//!
//! Input: the name of an experiment, the storages to try and a profile (sizes). Output: a directory with `result.json`,
//! `report.html` and logs, and an exit status (0 pass, 1 could not run, 2 usage, 4 verdict fail).
//!
//! How a run is put together:
//!
//! * [`command`] is the command line. The process that the user starts becomes the *supervisor* ([`run::supervisor`]): it makes the run's
//!   folders, then starts the *worker* ([`run::worker`], the same program) in a network, process and mount namespace of its own. When the
//!   worker ends, or the supervisor dies, the kernel ends everything inside and removes the network and the mounts, so nothing is left behind.
//! * The worker makes a [`host::Environment`] (bridge, kernel, scratch folder) and gives it to the experiment ([`experiment`]).
//! * Runs on a directory of this host (`mount:DIR`) have no guests, but native nodes ([`host::Native`]): the same agent as a program
//!   of the host. Runs on an existing cluster have neither, and no namespaces ([`request::EnvironmentKind`]).
//! * The experiment boots guests: `environment.boot(GuestSpec)` gives a [`host::Guest`], a User-Mode Linux kernel whose root is the
//!   host's file system and whose init is this program ([`agent`]). `guest.spawn(Command)` starts a program there,
//!   `guest.mount(&MountSpec, …)` mounts a storage.
//! * A [`storage::Storage`] holds the brokers' logs: Forebay, the kernel's NFS servers, Ganesha, a local disk.
//! * [`testbed`] starts a cluster ([`cluster`]) on a storage, with which most experiments begin.
//! * [`client`] is not a run: it gives the user one such guest, with mounts from any server that this host reaches.
//! * [`report`] turns the experiment's outcome into `result.json` and `report.html`.
//!
//! No module uses one above it. From the ground up: `exec`, `executable`, `output`, `progress` and `wire`; `toolbox` (fetched programs),
//! `report`, `request` (the user's requests), `agent`, `host`, `probe`, `cluster`, `storage`, `testbed`, `experiment`, `client`, `run`,
//! `command`.
//!
//! Open `host/environment.rs` first.

mod agent;
mod client;
mod cluster;
mod command;
mod exec;
mod executable;
mod experiment;
mod host;
mod output;
mod probe;
mod progress;
mod report;
mod request;
mod run;
mod storage;
mod testbed;
mod toolbox;
mod wire;

pub use command::main;
// For the tests of the program, which start a cluster for it.
pub use cluster::{Distribution, Loopback};
pub use progress::Progress;
pub use request::KafkaVersion;
