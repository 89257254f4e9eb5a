//! The user's requests to the lab.

mod kafka_version;
mod storage_kind;
mod tier;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::toolbox::{Cache, Toolset};
pub use kafka_version::KafkaVersion;
pub use storage_kind::StorageKind;
pub use tier::{Fault, TierKind, TierRequest};

/// The size of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Small enough for a laptop or a CI machine: minutes.
    Laptop,
    /// The sizes of the reports that the lab repeats.
    Full,
}

impl Profile {
    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Laptop => "laptop",
            Self::Full => "full",
        }
    }
}

/// The kind of environment of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvironmentKind {
    /// Guests, on networks of the lab's own.
    Guests,
    /// Native nodes, on a loopback network of the lab's own.
    Native,
    /// The machine's network, with an existing cluster.
    Cluster,
    /// The machine's network, with servers of the lab's own on loopback addresses.
    Host,
}

impl EnvironmentKind {
    /// Whether the run has namespaces of its own, for which the lab needs root.
    pub fn has_namespaces(self) -> bool {
        matches!(self, Self::Guests | Self::Native)
    }
}

/// A cluster that the lab did not start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterAddress {
    /// The bootstrap servers: `HOST:PORT`, separated by commas.
    pub bootstrap: String,
    /// A Java properties file with further client settings (`security.protocol`, `sasl.…`).
    pub client_config: Option<PathBuf>,
}

impl ClusterAddress {
    /// Its name in results: `cluster:HOST`, of the first address.
    pub fn name(&self) -> String {
        let first = self.bootstrap.split(',').next().unwrap_or_default();
        format!("cluster:{}", first.rsplit_once(':').map_or(first, |(host, _)| host))
    }
}

/// A cluster that the lab did not start, with the data of one run. `cluster/external.rs` has its operations.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExternalCluster {
    /// Its address.
    pub cluster: ClusterAddress,
    /// The prefix of the run's topic names, which no other topics have: letters, digits and `-`.
    pub topic_prefix: String,
    /// Where Kafka's own tools are kept.
    pub cache: PathBuf,
    /// A file of the run. It exists if the run may have created topics.
    pub mark: PathBuf,
}

/// One run in one worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// Name of the experiment.
    pub experiment: String,
    /// The storages: exactly one, unless the experiment compares storages within one run.
    pub storages: Vec<StorageKind>,
    /// The cluster to run on, instead of storages.
    pub cluster: Option<ClusterAddress>,
    /// The sizes.
    pub profile: Profile,
    /// The number of repetitions of each measurement; with `None`, the experiment decides.
    pub repetitions: Option<u32>,
    /// The parts of the experiment to run; empty for all of them.
    pub parts: Vec<String>,
    /// The folder of results.
    pub out: PathBuf,
    /// The cache of fetched programs.
    pub cache: Cache,
    /// The program of the daemon, if one of the storages is Forebay.
    pub daemon: Option<PathBuf>,
    /// Whether the experiment needs neither guests nor namespaces.
    pub is_on_host: bool,
    /// The tier and the faults of an experiment on tiered storage.
    pub tier: Option<TierRequest>,
    /// The version of Kafka.
    pub kafka: KafkaVersion,
    /// The storages that the user named and that cannot be had here, with the reasons.
    pub missing: Vec<(String, String)>,
}

impl Request {
    /// The tool sets that it needs.
    pub fn toolsets(&self, of_experiment: &[Toolset]) -> Vec<Toolset> {
        let mut sets = Vec::new();
        if self.environment_kind() == EnvironmentKind::Guests {
            sets.push(Toolset::Guests);
        }
        sets.extend_from_slice(of_experiment);
        sets.extend(self.tier.as_ref().and_then(|tier| tier.kind.toolset()));
        if self.storages.contains(&StorageKind::Ganesha) && !sets.contains(&Toolset::Bench) {
            sets.push(Toolset::Bench);
        }
        sets
    }

    /// Leaves out the storages whose servers cannot be had, according to `obtain`, which gets the server's tool set.
    pub fn leave_out_missing(&mut self, obtain: impl Fn(Toolset) -> Result<()>) {
        let mut missing = Vec::new();
        self.storages.retain(|kind| match kind.own_toolset().map_or(Ok(()), &obtain) {
            Ok(()) => true,
            Err(error) => {
                missing.push((kind.name(), format!("{error:#}")));
                false
            }
        });
        self.missing.append(&mut missing);
    }

    /// The one storage of an experiment that does not compare several.
    pub fn storage(&self) -> Result<&StorageKind> {
        self.storages.first().context("no storage is named")
    }

    /// The kind of environment that the run needs.
    pub fn environment_kind(&self) -> EnvironmentKind {
        if self.cluster.is_some() {
            EnvironmentKind::Cluster
        } else if self.is_on_host {
            EnvironmentKind::Host
        } else if self.storages.iter().all(|kind| kind.folder().is_some()) {
            EnvironmentKind::Native
        } else {
            EnvironmentKind::Guests
        }
    }

    /// The names of the storages or of the cluster.
    pub fn names(&self) -> Vec<String> {
        match &self.cluster {
            Some(cluster) => vec![cluster.name()],
            None => self.storages.iter().map(StorageKind::name).collect(),
        }
    }

    /// The names of the storages or of the cluster, as in results.
    pub fn storage_names(&self) -> String {
        self.names().join(",")
    }

    /// Whether the user requested a part of the experiment.
    pub fn wants(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|wanted| wanted == part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_is_named_for_its_first_host() {
        let name =
            |bootstrap: &str| ClusterAddress { bootstrap: bootstrap.into(), client_config: None }.name();
        assert_eq!(name("kafka-1.example:9092,kafka-2.example:9092"), "cluster:kafka-1.example");
        assert_eq!(name("[::1]:9092"), "cluster:[::1]");
    }
}
