//! The common basis of experiments: clusters on the storages under test, loads on them, and checks of their brokers, logs and records.
//!
//! A [`Testbed`] is a running cluster with its logs on one storage. [`Testbeds`] are several of them, for experiments that compare storages.
//! Each is a [`Target`], and so is a cluster that the lab did not start.

mod broker_node;
mod external_target;
mod history;
mod local_segments;
mod own_cluster;
mod replacement;
mod replicas;
mod tally;
mod target;
mod testbeds;
mod tier;
pub mod watch;

pub use broker_node::BrokerNode;
pub use history::{History, HistorySpec};
pub use local_segments::LocalSegments;
pub use own_cluster::{Layout, Testbed, TestbedSpec, figure};
pub use replacement::Replacement;
pub use replicas::Replicas;
pub use tally::{Tally, Title};
pub use target::Target;
pub use testbeds::{Outcome, Testbeds, Trial};
pub use tier::{BUCKET, PLUGIN_CLASS, Tier};
pub use watch::{Ended, describe_verification};
