//! Kafka clusters: brokers on nodes, a controller and the tools on the host.
//!
//! [`Distribution`] is Kafka itself, from Maven. [`Cluster`] starts a KRaft controller, or ZooKeeper, on the host and one broker per node,
//! each with the log directory that the experiment chooses. [`Tools`] runs Kafka's own command-line tools and the records tool
//! against it. The controller is not under test, so it never runs on the node of a broker.

mod archive;
mod broker;
mod config;
mod controller;
mod copying;
mod distribution;
mod excerpt;
mod external;
mod format;
mod groups;
mod install;
mod java;
mod kafka_tests;
mod loopback;
mod maven;
mod objects;
mod placement;
mod plugin;
mod reading;
mod records;
mod scripts;
mod segments;
mod tiering;
mod tools;
mod watch;
mod workload;

use std::path::{Path, PathBuf};
use std::thread::ScopedJoinHandle;

use anyhow::{Context, Result, anyhow};

pub use broker::Broker;
use broker::Ready;
pub use config::Settings;
use controller::Controller;
pub use copying::{CopyLine, CopyPlan};
pub use distribution::Distribution;
pub use excerpt::{failure_excerpt, failure_reason, storage_errors};
use format::format_placement;
pub use groups::Offsets;
pub use kafka_tests::{KafkaTests, TestClass, TestLine};
pub use loopback::Loopback;
pub use objects::{Checked, Kind, Measured, ObjectsTool, RangesPlan, StoreAddress};
pub use placement::Placement;
pub use plugin::Plugin;
pub use reading::{ReadPlan, ReadResult, RepeatedRead};
pub use records::{Payload, Production, RecordsPlan, Summary};
pub use segments::{SegmentCounts, SegmentsWatch};
pub use tiering::{Metrics, TierChecked, TierReading, TierWatch};
pub use tools::{Assignment, Tools};
pub use watch::{InSync, SyncWatch};
pub use workload::{Clients, Load, LoadResult, Turn};

use crate::host::{Environment, Node};

/// A running cluster. Dropping it ends its programs.
#[derive(Debug)]
pub struct Cluster {
    kafka: Distribution,
    settings: Settings,
    /// The value of `controller.quorum.voters`, with combined nodes all of them; or that of `zookeeper.connect`.
    voters: String,
    folders: Folders,
    tools: Tools,
    brokers: Vec<Broker>,
    /// None if the brokers are controllers too.
    _controller: Option<Controller>,
}

impl Cluster {
    /// Formats and starts a controller and one broker per placement, with ids from 1, and waits until all of them serve. `index` tells
    /// the clusters of one environment from each other.
    pub fn start(
        environment: &Environment,
        kafka: &Distribution,
        settings: &Settings,
        placements: &[Placement<'_>],
        index: u16,
    ) -> Result<Self> {
        let voters = if kafka.kafka_version().has_zookeeper() {
            config::zookeeper_address(environment.gateway(), index)
        } else {
            config::voters(environment.gateway(), index)
        };
        // Brokers wait for their controller by themselves, so both may start at once.
        let (controller, brokers) = std::thread::scope(|scope| {
            let controller = scope.spawn(|| Controller::start(environment, kafka, settings, index));
            let starts: Vec<_> = (1u32..)
                .zip(placements)
                .map(|(id, placement)| {
                    let (folders, voters) = (Folders::of(environment), &voters);
                    scope.spawn(move || {
                        let apart = BrokerSetup { folders: &folders, kafka, settings, id, voters };
                        apart.format(placement)?;
                        Broker::start(apart.ready(placement)?)
                    })
                })
                .collect();
            let brokers: Vec<_> = starts.into_iter().map(join).collect();
            (join(controller), brokers)
        });
        let controller = controller.context("start the controller")?;
        let brokers = brokers.into_iter().collect::<Result<Vec<_>>>().context("start the brokers")?;
        Ok(Self::of(environment, kafka, settings, voters, brokers, Some(controller)))
    }

    /// Starts one combined node (broker and controller) per placement, with ids from 1, and waits until all of them serve. The
    /// cluster's metadata is then in their log directories. The folders are formatted if the cluster is `new`.
    pub fn start_combined(
        environment: &Environment,
        kafka: &Distribution,
        settings: &Settings,
        placements: &[Placement<'_>],
        new: bool,
    ) -> Result<Self> {
        let voters = config::combined_voters(placements.iter().map(|placement| placement.node.address()));
        let folders = Folders::of(environment);
        let brokers: Vec<_> = std::thread::scope(|scope| {
            let start = |id, placement: &Placement<'_>| {
                let address = placement.node.address();
                let text = |logs: &[PathBuf]| config::combined(settings, id, address, &voters, logs);
                let log_file = folders.log_file(placement);
                if new {
                    let made = |logs: &[PathBuf], _: &Path| text(logs);
                    format_placement(kafka, placement, Path::new(""), &folders.scratch, &log_file, made)?;
                }
                Broker::start(Ready::make(
                    log_file,
                    kafka,
                    settings,
                    id,
                    placement,
                    &text(&placement.log_folders),
                )?)
            };
            let starts: Vec<_> = (1u32..)
                .zip(placements)
                .map(|(id, placement)| scope.spawn(move || start(id, placement)))
                .collect();
            starts.into_iter().map(join).collect()
        });
        let brokers = brokers.into_iter().collect::<Result<Vec<_>>>().context("start the nodes")?;
        Ok(Self::of(environment, kafka, settings, voters, brokers, None))
    }

    fn of(
        environment: &Environment,
        kafka: &Distribution,
        settings: &Settings,
        voters: String,
        brokers: Vec<Broker>,
        controller: Option<Controller>,
    ) -> Self {
        let (kafka, settings, folders) = (kafka.clone(), settings.clone(), Folders::of(environment));
        let endpoints = brokers.iter().map(Broker::endpoint).collect();
        let tools = Tools::new(kafka.clone(), endpoints, folders.logs.clone());
        Self { kafka, settings, voters, folders, tools, brokers, _controller: controller }
    }

    /// The brokers, by id from 1.
    pub fn brokers(&self) -> &[Broker] {
        &self.brokers
    }

    /// Stops a broker cleanly (SIGTERM) and waits; its node and its log directory stay.
    pub fn stop_broker(&self, id: u32) -> Result<()> {
        self.broker(id)?.stop()
    }

    /// Kills a broker with kill -9; its node and its log directory stay.
    pub fn kill_broker(&self, id: u32) -> Result<()> {
        self.broker(id)?.kill()
    }

    /// Restarts a broker that has ended, on its node, and waits until it serves.
    pub fn restart_broker(&mut self, id: u32, node: &Node) -> Result<()> {
        let broker = self.brokers.iter_mut().find(|broker| broker.id() == id);
        broker.with_context(|| format!("there is no broker {id}"))?.restart(node)
    }

    /// Formats a second placement for a broker, so that the broker can be moved there.
    pub fn prepare(&self, id: u32, placement: &Placement<'_>) -> Result<()> {
        self.apart(id).format(placement)
    }

    /// Starts a broker that has ended on a placement that was prepared for it, and waits until it serves. The content of its log
    /// directories stays.
    pub fn move_broker(&mut self, id: u32, placement: &Placement<'_>) -> Result<()> {
        let moved = Broker::start(self.apart(id).ready(placement)?)?;
        let broker = self.brokers.iter_mut().find(|broker| broker.id() == id);
        *broker.with_context(|| format!("there is no broker {id}"))? = moved;
        self.tools.set_endpoints(self.brokers.iter().map(Broker::endpoint).collect());
        Ok(())
    }

    fn apart(&self, id: u32) -> BrokerSetup<'_> {
        BrokerSetup {
            folders: &self.folders,
            kafka: &self.kafka,
            settings: &self.settings,
            id,
            voters: &self.voters,
        }
    }

    fn broker(&self, id: u32) -> Result<&Broker> {
        self.brokers
            .iter()
            .find(|broker| broker.id() == id)
            .with_context(|| format!("there is no broker {id}"))
    }

    /// The tools, which talk to this cluster.
    pub fn tools(&self) -> &Tools {
        &self.tools
    }
}

/// Folders of the environment that a cluster uses.
#[derive(Debug)]
struct Folders {
    logs: PathBuf,
    scratch: PathBuf,
}

impl Folders {
    fn of(environment: &Environment) -> Self {
        Self { logs: environment.logs(), scratch: environment.scratch().to_owned() }
    }

    /// The log file of a broker on that placement.
    fn log_file(&self, placement: &Placement<'_>) -> PathBuf {
        self.logs.join(format!("{}.log", placement.node.name()))
    }
}

/// The data for the properties of a broker with a separate controller, besides its placement.
struct BrokerSetup<'a> {
    folders: &'a Folders,
    kafka: &'a Distribution,
    settings: &'a Settings,
    id: u32,
    voters: &'a str,
}

impl BrokerSetup<'_> {
    fn properties(&self, placement: &Placement<'_>, logs: &[PathBuf], metadata: &Path) -> String {
        let address = placement.node.address();
        if self.kafka.kafka_version().has_zookeeper() {
            return config::broker_of_zookeeper(self.settings, self.id, address, self.voters, logs);
        }
        config::broker(self.settings, self.id, address, self.voters, logs, metadata)
    }

    /// Formats those folders of a placement that are not formatted.
    fn format(&self, placement: &Placement<'_>) -> Result<()> {
        if self.kafka.kafka_version().has_zookeeper() {
            return Ok(());
        }
        let log_file = self.folders.log_file(placement);
        let properties = |logs: &[PathBuf], metadata: &Path| self.properties(placement, logs, metadata);
        format_placement(
            self.kafka,
            placement,
            &metadata_of(placement),
            &self.folders.scratch,
            &log_file,
            properties,
        )
        .with_context(|| format!("format the folders of broker {} on {}", self.id, placement.node.title()))
    }

    fn ready<'a>(&self, placement: &Placement<'a>) -> Result<Ready<'a>> {
        let text = self.properties(placement, &placement.log_folders, &metadata_of(placement));
        Ready::make(self.folders.log_file(placement), self.kafka, self.settings, self.id, placement, &text)
    }
}

/// The folder of the cluster's metadata on a broker. It is not on the storage under test, and is removed with the node.
fn metadata_of(placement: &Placement<'_>) -> PathBuf {
    placement.node.work_folder().join("metadata")
}

fn join<T>(thread: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|_| Err(anyhow!("a thread that starts the cluster panicked")))
}
