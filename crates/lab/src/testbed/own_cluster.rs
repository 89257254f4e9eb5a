//! A testbed: a storage, nodes that have it mounted, and a cluster with its logs there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use super::broker_node::BrokerNode;
use super::target::{CpuTime, Target};
use crate::agent::caches;
use crate::cluster::{Assignment, Broker, Cluster, Distribution, Placement, Settings, Tools, failure_reason};
use crate::host::{Environment, Guest, GuestCommand, GuestSpec, ProcessorSplit};
use crate::progress::Tone;
use crate::report::Recorder;
use crate::request::Request;
use crate::request::StorageKind;
use crate::storage::{self, Storage};

/// The mount point in guests; with several volumes, the prefix of their mount points.
const MOUNT_POINT: &str = "/mnt/kafka";

/// The size and layout of a testbed.
#[derive(Debug, Clone)]
pub struct TestbedSpec {
    /// Number of brokers, each on a node of its own.
    pub brokers: u32,
    /// Memory of each broker's node, if that is a guest.
    pub guest_memory_mib: u32,
    /// The settings of the brokers.
    pub settings: Settings,
    /// The use of the storage.
    pub layout: Layout,
    /// The division of the machine's processors, if brokers run on their half.
    pub processors: Option<ProcessorSplit>,
}

/// How brokers use the storage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Layout {
    /// The number of volumes for each broker, each with a log directory. With 0, all brokers share one volume, with a folder for each.
    /// On a storage without volumes, folders are used instead.
    pub volumes: u32,
    /// TCP connections of each client to its NFS server (`nconnect`); `None`: the lab's default.
    pub connections: Option<u32>,
}

/// A running cluster on a running storage. Dropping it ends both, the cluster first.
pub struct Testbed {
    pub cluster: Cluster,
    pub nodes: Vec<BrokerNode>,
    pub storage: Box<dyn Storage>,
    /// The storage's name.
    name: String,
    /// The prefix of the names of nodes and logs; empty if the run has one testbed.
    prefix: String,
    layout: Layout,
    processors: Option<ProcessorSplit>,
    /// The folder of the storage's files: those of a server, or the disks of guests.
    scratch: PathBuf,
}

impl Testbed {
    /// Starts the requested storage and the nodes, mounts the storage, and starts the cluster.
    pub fn start(
        environment: &Environment,
        request: &Request,
        spec: &TestbedSpec,
        recorder: &Recorder,
    ) -> Result<Self> {
        Self::start_beside(environment, request, request.storage()?, None, spec, recorder)
    }

    /// Like [`Testbed::start`], on the given storage. `index` distinguishes the testbeds of one run; `None` if there is only one.
    pub fn start_beside(
        environment: &Environment,
        request: &Request,
        kind: &StorageKind,
        index: Option<u16>,
        spec: &TestbedSpec,
        recorder: &Recorder,
    ) -> Result<Self> {
        recorder.stage("storage");
        Self::start_on(environment, request, storage::start(kind, environment)?, index, spec, recorder)
    }

    /// Like [`Testbed::start_beside`], on a storage that has been started.
    pub fn start_on(
        environment: &Environment,
        request: &Request,
        mut storage: Box<dyn Storage>,
        index: Option<u16>,
        spec: &TestbedSpec,
        recorder: &Recorder,
    ) -> Result<Self> {
        let kafka = Distribution::open(&request.cache.folder, request.kafka, recorder.progress())?;
        let version = kafka.version()?;
        recorder.version("kafka", &version);
        if let Some(warning) = request.kafka.warning() {
            recorder.event(Tone::Bad, warning);
        }
        let kind = &storage.kind();
        if let Some(count) = spec.layout.connections {
            storage.set_connections(count);
        }
        for (name, version) in storage.versions() {
            recorder.version(&name, version);
        }
        spec.tell(recorder);
        recorder.stage("nodes");
        let prefix = index.map(|_| format!("{}-", kind.file_name())).unwrap_or_default();
        let nodes = start_nodes(environment, spec, &prefix, storage.as_mut())?;
        nodes.first().into_iter().for_each(|node| node.tell(spec.guest_memory_mib, recorder));
        recorder.event(Tone::Plain, format_args!("{} nodes have {kind} mounted", nodes.len()));
        recorder.stage("brokers");
        let placements: Vec<Placement<'_>> = (1u32..)
            .zip(&nodes)
            .map(|(id, node)| Placement { node, log_folders: log_folders(storage.as_ref(), id, spec.layout) })
            .collect();
        let cluster = Cluster::start(environment, &kafka, &spec.settings, &placements, index.unwrap_or(0))?;
        drop(placements);
        let (name, layout, processors) = (kind.name(), spec.layout, spec.processors);
        if let Some(split) = &processors {
            nodes.iter().for_each(|node| node.confine(split));
        }
        let scratch = environment.scratch().to_owned();
        let testbed = Self { cluster, nodes, storage, name, prefix, layout, processors, scratch };
        for broker in testbed.cluster.brokers() {
            recorder.begin(&testbed.actor(broker.id()), "serving", Tone::Good);
        }
        recorder.event(
            Tone::Plain,
            format_args!("{} brokers serve on {kind}, with Kafka {version}", testbed.nodes.len()),
        );
        Ok(testbed)
    }
}

impl TestbedSpec {
    /// Brokers on one volume, on all of the machine's processors.
    pub fn new(brokers: u32, guest_memory_mib: u32, settings: Settings) -> Self {
        Self { brokers, guest_memory_mib, settings, layout: Layout::default(), processors: None }
    }

    fn tell(&self, recorder: &Recorder) {
        for (key, value) in self.settings.all() {
            recorder.setting(&format!("broker {key}"), value);
        }
        recorder.setting("brokers", self.brokers);
        recorder.setting("broker heap, MiB", self.settings.heap_mib);
        if let Some((brokers, rest)) = self.processors.map(|split| split.counts()) {
            recorder.setting("processors of all brokers together", brokers);
            recorder.setting("processors of the storage's server and the load", rest);
        }
    }
}

impl Testbed {
    /// A broker's lane in the record.
    pub fn actor(&self, broker: u32) -> String {
        match self.prefix.as_str() {
            "" => format!("broker {broker}"),
            _ => format!("{} broker {broker}", self.name),
        }
    }

    /// Drops the caches of every node, so that later reads come from the storage.
    pub fn drop_caches(&self) -> Result<()> {
        self.nodes.iter().try_for_each(|node| node.drop_caches())
    }

    /// Writes the dirty pages of every node to the storage.
    pub fn sync(&self) -> Result<()> {
        self.nodes.iter().try_for_each(|node| node.sync())
    }

    /// The volumes that brokers have of their own.
    pub fn volume_names(&self) -> Vec<String> {
        let brokers = self.cluster.brokers().iter().map(Broker::id);
        let of =
            |broker| (1..=self.layout.volumes).map(move |volume| volume_name(&self.prefix, broker, volume));
        brokers.flat_map(of).collect()
    }

    /// Adds to an error the brokers that ended, with the reasons, and the machines that do not answer. These are closer to the cause
    /// than the errors of clients.
    pub fn explained<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| match self.lost() {
            Ok(lost) if !lost.is_empty() => error.context(lost.join("; ")),
            _ => error,
        })
    }

    /// The node of a broker.
    pub fn node(&self, broker: u32) -> Result<&BrokerNode> {
        let found = (1u32..).zip(&self.nodes).find(|(id, _)| *id == broker);
        found.map(|(_, node)| node).context("no such broker")
    }

    /// A broker's log directory, on its node; the first if it has several.
    pub fn log_folder(&self, broker: u32) -> Result<&Path> {
        let brokers = self.cluster.brokers();
        let broker = brokers.iter().find(|candidate| candidate.id() == broker).context("no such broker")?;
        Ok(broker.log_folder())
    }

    /// A broker's log directory on one of its volumes, by the volume's number from 1.
    pub fn pool_folder(&self, broker: u32, volume: u32) -> PathBuf {
        let folders = log_folders(self.storage.as_ref(), broker, self.layout);
        let found = (1..).zip(folders).find(|(number, _)| *number == volume);
        found.map(|(_, folder)| folder).unwrap_or_default()
    }

    /// Gives every partition of these topics another leader: the last of its replicas.
    pub fn change_leaders(&self, assignments: &mut [Assignment]) -> Result<()> {
        for assignment in assignments {
            *assignment = assignment.with_other_leaders();
            self.cluster.tools().begin_reassignment(assignment)?;
        }
        self.cluster.tools().elect_preferred_leaders()
    }

    /// Restarts a broker that has ended, on its node.
    pub fn restart_broker(&mut self, broker: u32) -> Result<()> {
        let found = (1u32..).zip(&self.nodes).find(|(id, _)| *id == broker);
        self.cluster.restart_broker(broker, found.context("no such broker")?.1)
    }

    /// Ends a broker, removes its logs, and starts it again, so that it copies them from the others. The file that identifies the broker
    /// stays: only the logs are lost.
    pub fn lose_logs(&mut self, broker: u32, recorder: &Recorder) -> Result<()> {
        self.cluster.stop_broker(broker)?;
        recorder.end(&self.actor(broker), Tone::Plain);
        let keep = ["-mindepth", "1", "-maxdepth", "1", "!", "-name", "meta.properties"];
        let remove = GuestCommand::new("find")
            .arg(self.log_folder(broker)?.to_string_lossy())
            .args(keep)
            .args(["-exec", "rm", "-r", "{}", "+"]);
        self.node(broker)?.run(&remove, Duration::from_secs(120))?;
        recorder.event(Tone::Plain, format_args!("the logs of broker {broker} are removed"));
        self.restart_broker(broker)?;
        recorder.begin(&self.actor(broker), "serving", Tone::Good);
        Ok(())
    }

    /// Starts a standby node for a broker, with the storage mounted as on the broker's own node and the log directories formatted.
    pub fn boot_standby(
        &mut self,
        environment: &Environment,
        name: &str,
        memory_mib: u32,
        broker: u32,
    ) -> Result<BrokerNode> {
        let node = self.boot_empty_standby(environment, name, memory_mib, broker)?;
        let log_folders = log_folders(self.storage.as_ref(), broker, self.layout);
        self.cluster.prepare(broker, &Placement { node: &node, log_folders })?;
        Ok(node)
    }

    fn boot_empty_standby(
        &mut self,
        environment: &Environment,
        name: &str,
        memory_mib: u32,
        broker: u32,
    ) -> Result<BrokerNode> {
        let name = format!("{}{name}", self.prefix);
        if let Some(folder) = self.storage.folder() {
            return environment.start_native(&name, folder, self.processors).map(BrokerNode::Native);
        }
        let mut spec = GuestSpec::new(name, memory_mib);
        (spec.processors, spec.seat) = (self.processors, Some(broker));
        self.storage.prepare(environment, &mut spec)?;
        let guest = environment.boot(&spec)?;
        mount(&guest, broker, self.layout, &self.prefix, self.storage.as_ref())?;
        log_folders(self.storage.as_ref(), broker, self.layout)
            .into_iter()
            .try_for_each(|folder| guest.make_folder(folder))?;
        Ok(BrokerNode::Guest(guest))
    }

    /// Starts a broker that has ended on a standby node, which replaces its own. Kills the old node, and removes the files that only
    /// it used.
    pub fn move_broker(&mut self, environment: &Environment, broker: u32, standby: BrokerNode) -> Result<()> {
        let log_folders = log_folders(self.storage.as_ref(), broker, self.layout);
        self.cluster.move_broker(broker, &Placement { node: &standby, log_folders })?;
        let found = (1u32..).zip(&mut self.nodes).find(|(id, _)| *id == broker);
        let left = std::mem::replace(found.context("no such broker")?.1, standby);
        left.kill()?;
        self.storage.discard(environment, left.name())
    }
}

impl Target for Testbed {
    fn name(&self) -> &str {
        &self.name
    }

    fn tools(&self) -> &Tools {
        self.cluster.tools()
    }

    fn brokers(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    fn keeps_topics(&self) -> bool {
        // On such a storage the deletion of a topic ends its brokers, as `silly-rename` shows.
        self.storage.renames_unlinked()
    }

    fn cpu(&self) -> Result<Option<Vec<CpuTime>>> {
        self.nodes.iter().map(BrokerNode::cpu).collect::<Result<_>>().map(Some)
    }

    fn server_cpu(&self) -> Result<Option<Duration>> {
        self.storage.host_server().map(|server| storage::cpu_of_process(server.pid)).transpose()
    }

    fn sync(&self) -> Result<()> {
        Self::sync(self)
    }

    fn forget(&self) -> Result<()> {
        self.drop_caches()?;
        // Guests' disks are files on the host, and so is a server's data.
        caches::forget(&self.scratch)
    }

    fn ended(&self) -> Result<Vec<String>> {
        let mut ended = Vec::new();
        if let Some(server) = self.storage.host_server()
            && storage::process_has_ended(server.pid)
        {
            ended.push(format!("{}'s server ended", self.name));
        }
        for broker in self.cluster.brokers() {
            let actor = self.actor(broker.id());
            // The agent of a machine without power does not report how its broker ended.
            if let Some(status) = self.node(broker.id())?.ended()? {
                ended.push(format!("{actor} ended with its machine ({status})"));
            } else if let Some(exit) = broker.exit()? {
                let why = failure_reason(broker.log_file()).map(|why| format!(": {why}")).unwrap_or_default();
                ended.push(format!("{actor} ended ({exit}){why}"));
            }
        }
        Ok(ended)
    }

    fn silent(&self) -> Result<Vec<String>> {
        let mut silent = Vec::new();
        for broker in self.cluster.brokers() {
            let node = self.node(broker.id())?;
            if node.ended()?.is_none() && !node.answers() {
                silent.push(format!("{}'s machine runs and does not answer", self.actor(broker.id())));
            }
        }
        Ok(silent)
    }
}

fn start_nodes(
    environment: &Environment,
    spec: &TestbedSpec,
    prefix: &str,
    storage: &mut dyn Storage,
) -> Result<Vec<BrokerNode>> {
    let names: Vec<String> = (1..=spec.brokers).map(|id| format!("{prefix}broker{id}")).collect();
    let nodes: Vec<BrokerNode> = match storage.folder() {
        Some(folder) => {
            let start = |name: &String| {
                environment.start_native(name, folder, spec.processors).map(BrokerNode::Native)
            };
            names.iter().map(start).collect::<Result<_>>()?
        }
        None => {
            boot(environment, spec, prefix, &names, storage)?.into_iter().map(BrokerNode::Guest).collect()
        }
    };
    for (id, node) in (1u32..).zip(&nodes) {
        let folders = log_folders(storage, id, spec.layout);
        folders.into_iter().try_for_each(|folder| node.make_folder(folder))?;
    }
    Ok(nodes)
}

fn boot(
    environment: &Environment,
    spec: &TestbedSpec,
    prefix: &str,
    names: &[String],
    storage: &mut dyn Storage,
) -> Result<Vec<Guest>> {
    let mut specs: Vec<GuestSpec> =
        names.iter().map(|name| GuestSpec::new(name, spec.guest_memory_mib)).collect();
    for (id, guest) in (1u32..).zip(&mut specs) {
        (guest.processors, guest.seat) = (spec.processors, Some(id));
        storage.prepare(environment, guest)?;
    }
    let guests = environment.boot_all(&specs)?;
    for (id, guest) in (1u32..).zip(&guests) {
        if let Ok(volumes) = storage.volumes() {
            (1..=spec.layout.volumes)
                .try_for_each(|volume| volumes.create(&volume_name(prefix, id, volume)))?;
        }
        mount(guest, id, spec.layout, prefix, storage)?;
    }
    Ok(guests)
}

/// Mounts the storage of a broker's logs in its guest.
fn mount(guest: &Guest, broker: u32, layout: Layout, prefix: &str, storage: &dyn Storage) -> Result<()> {
    match storage.volumes() {
        Ok(volumes) if layout.volumes > 0 => (1..=layout.volumes).try_for_each(|volume| {
            volumes.mount(guest, &volume_name(prefix, broker, volume), &format!("{MOUNT_POINT}/{volume}"))
        }),
        _ => storage.mount(guest, MOUNT_POINT),
    }
}

/// Name of a broker's own volume.
fn volume_name(prefix: &str, broker: u32, volume: u32) -> String {
    format!("{prefix}broker{broker}-{volume}")
}

fn log_folders(storage: &dyn Storage, broker: u32, layout: Layout) -> Vec<PathBuf> {
    let root = storage.folder().unwrap_or(Path::new(MOUNT_POINT));
    let folder = format!("broker{broker}");
    match layout.volumes {
        0 => vec![root.join(folder)],
        count => (1..=count).map(|volume| root.join(volume.to_string()).join(&folder)).collect(),
    }
}

/// A figure of a summary of the records tool; 0 if it is missing.
pub fn figure(summary: &serde_json::Map<String, Value>, name: &str) -> f64 {
    summary.get(name).and_then(Value::as_f64).unwrap_or(0.0)
}
