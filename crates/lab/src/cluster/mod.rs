//! Kafka clusters: brokers on nodes, a controller and the tools on the host.
//!
//! [`Distribution`] is Kafka itself, from Maven. [`Cluster`] starts a KRaft controller on the host and one broker per node,
//! each with its log directory where the experiment says. [`Tools`] runs Kafka's own command-line tools and the records tool
//! against it. The controller is not what an experiment is about, so it never shares a fate with a broker.

mod archive;
mod broker;
mod config;
mod controller;
mod distribution;
mod excerpt;
mod format;
mod groups;
mod java;
mod loopback;
mod records;
mod tools;
mod visit;
mod watch;
mod workload;

use std::path::{Path, PathBuf};
use std::thread::ScopedJoinHandle;

use anyhow::{Context, Result, anyhow};

pub use broker::Broker;
use broker::Ready;
pub use config::Settings;
use controller::Controller;
pub use distribution::Distribution;
pub use excerpt::{failure_excerpt, failure_reason, storage_errors};
use format::format_place;
pub use groups::Offsets;
pub use loopback::Loopback;
pub use records::{Payload, Production, RecordsPlan};
pub use tools::{Assignment, Tools};
pub use visit::Visit;
pub use watch::{InSync, SyncWatch};
pub use workload::{Clients, Load, LoadResult, Turn};

use crate::host::{Node, Site};

/// A running cluster. Dropping it ends its programs.
#[derive(Debug)]
pub struct Cluster {
    kafka: Distribution,
    settings: Settings,
    /// What `controller.quorum.voters` says; of combined nodes, all of them.
    voters: String,
    folders: Folders,
    tools: Tools,
    brokers: Vec<Broker>,
    /// None if the brokers are controllers too.
    _controller: Option<Controller>,
}

/// Where a broker runs and keeps its logs.
#[derive(Debug)]
pub struct Place<'a> {
    /// The node.
    pub node: &'a Node,
    /// The folders for `log.dirs`, on the node, at least one; they are on the storage under test.
    pub log_folders: Vec<PathBuf>,
}

impl Cluster {
    /// Formats and starts a controller and one broker per place, with ids from 1, and waits until all of them serve. `index` tells
    /// the clusters of one site from each other.
    pub fn start(
        site: &Site,
        kafka: &Distribution,
        settings: &Settings,
        places: &[Place<'_>],
        index: u16,
    ) -> Result<Self> {
        let voters = config::voters(site.gateway(), index);
        // Brokers wait for their controller by themselves, so both may start at once.
        let (controller, brokers) = std::thread::scope(|scope| {
            let controller = scope.spawn(|| Controller::start(site, kafka, settings, index));
            let starts: Vec<_> = (1u32..)
                .zip(places)
                .map(|(id, place)| {
                    let (folders, voters) = (Folders::of(site), &voters);
                    scope.spawn(move || {
                        let apart = Apart { folders: &folders, kafka, settings, id, voters };
                        apart.format(place)?;
                        Broker::start(apart.ready(place)?)
                    })
                })
                .collect();
            let brokers: Vec<_> = starts.into_iter().map(join).collect();
            (join(controller), brokers)
        });
        let controller = controller.context("start the controller")?;
        let brokers = brokers.into_iter().collect::<Result<Vec<_>>>().context("start the brokers")?;
        Ok(Self::of(site, kafka, settings, voters, brokers, Some(controller)))
    }

    /// Starts one node per place, with ids from 1, that is broker and controller at once, and waits until all of them serve. The
    /// cluster's metadata is in their log folders then, with all else. The folders are formatted if the cluster is `new`.
    pub fn start_combined(
        site: &Site,
        kafka: &Distribution,
        settings: &Settings,
        places: &[Place<'_>],
        new: bool,
    ) -> Result<Self> {
        let voters = config::combined_voters(places.iter().map(|place| place.node.address()));
        let folders = Folders::of(site);
        let brokers: Vec<_> = std::thread::scope(|scope| {
            let start = |id, place: &Place<'_>| {
                let address = place.node.address();
                let text = |logs: &[PathBuf]| config::combined(settings, id, address, &voters, logs);
                let log_file = folders.log_file(place);
                if new {
                    let made = |logs: &[PathBuf], _: &Path| text(logs);
                    format_place(kafka, place, Path::new(""), &folders.scratch, &log_file, made)?;
                }
                Broker::start(Ready::make(log_file, kafka, settings, id, place, &text(&place.log_folders))?)
            };
            let starts: Vec<_> =
                (1u32..).zip(places).map(|(id, place)| scope.spawn(move || start(id, place))).collect();
            starts.into_iter().map(join).collect()
        });
        let brokers = brokers.into_iter().collect::<Result<Vec<_>>>().context("start the nodes")?;
        Ok(Self::of(site, kafka, settings, voters, brokers, None))
    }

    fn of(
        site: &Site,
        kafka: &Distribution,
        settings: &Settings,
        voters: String,
        brokers: Vec<Broker>,
        controller: Option<Controller>,
    ) -> Self {
        let (kafka, settings, folders) = (kafka.clone(), settings.clone(), Folders::of(site));
        let endpoints = brokers.iter().map(Broker::endpoint).collect();
        let tools = Tools::new(kafka.clone(), endpoints, folders.logs.clone());
        Self { kafka, settings, voters, folders, tools, brokers, _controller: controller }
    }

    /// The brokers, by id from 1.
    pub fn brokers(&self) -> &[Broker] {
        &self.brokers
    }

    /// Ends a broker in order (SIGTERM) and waits; its node and its log directory stay.
    pub fn stop_broker(&self, id: u32) -> Result<()> {
        self.broker(id)?.stop()
    }

    /// Starts a broker that has ended again, on its node, and waits until it serves.
    pub fn restart_broker(&mut self, id: u32, node: &Node) -> Result<()> {
        let broker = self.brokers.iter_mut().find(|broker| broker.id() == id);
        broker.with_context(|| format!("there is no broker {id}"))?.restart(node)
    }

    /// Formats what is not formatted in a place for a broker that runs elsewhere, so that it can be moved there.
    pub fn prepare(&self, id: u32, place: &Place<'_>) -> Result<()> {
        self.apart(id).format(place)
    }

    /// Starts a broker that has ended in a place that was prepared for it, and waits until it serves. What is in the place's log
    /// folders stays.
    pub fn move_broker(&mut self, id: u32, place: &Place<'_>) -> Result<()> {
        let moved = Broker::start(self.apart(id).ready(place)?)?;
        let broker = self.brokers.iter_mut().find(|broker| broker.id() == id);
        *broker.with_context(|| format!("there is no broker {id}"))? = moved;
        self.tools.set_endpoints(self.brokers.iter().map(Broker::endpoint).collect());
        Ok(())
    }

    fn apart(&self, id: u32) -> Apart<'_> {
        Apart {
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

/// Folders of the site that a cluster uses.
#[derive(Debug)]
struct Folders {
    logs: PathBuf,
    scratch: PathBuf,
}

impl Folders {
    fn of(site: &Site) -> Self {
        Self { logs: site.logs(), scratch: site.scratch().to_owned() }
    }

    /// What a broker in that place logs.
    fn log_file(&self, place: &Place<'_>) -> PathBuf {
        self.logs.join(format!("{}.log", place.node.name()))
    }
}

/// A broker that has its controller elsewhere, wherever it is to run.
struct Apart<'a> {
    folders: &'a Folders,
    kafka: &'a Distribution,
    settings: &'a Settings,
    id: u32,
    voters: &'a str,
}

impl Apart<'_> {
    fn properties(&self, place: &Place<'_>, logs: &[PathBuf], metadata: &Path) -> String {
        config::broker(self.settings, self.id, place.node.address(), self.voters, logs, metadata)
    }

    /// Formats what is not formatted in a place.
    fn format(&self, place: &Place<'_>) -> Result<()> {
        let log_file = self.folders.log_file(place);
        let properties = |logs: &[PathBuf], metadata: &Path| self.properties(place, logs, metadata);
        format_place(self.kafka, place, &metadata_of(place), &self.folders.scratch, &log_file, properties)
            .with_context(|| format!("format the folders of broker {} on {}", self.id, place.node.title()))
    }

    fn ready<'a>(&self, place: &Place<'a>) -> Result<Ready<'a>> {
        let text = self.properties(place, &place.log_folders, &metadata_of(place));
        Ready::make(self.folders.log_file(place), self.kafka, self.settings, self.id, place, &text)
    }
}

/// Where a broker in that place keeps the cluster's metadata: not what is tested, and gone with the node.
fn metadata_of(place: &Place<'_>) -> PathBuf {
    place.node.work_folder().join("metadata")
}

fn join<T>(thread: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|_| Err(anyhow!("a thread that starts the cluster panicked")))
}
