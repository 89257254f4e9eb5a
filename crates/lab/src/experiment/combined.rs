//! Clusters whose nodes are brokers and controllers, each with a volume of its own. So the volumes hold the cluster's metadata and its records,
//! and a copy of all of them at one instant is a cluster.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::cluster::{Assignment, Broker, Cluster, Distribution, Placement, Production, Settings};
use crate::host::{Environment, Guest, GuestSpec, Side};
use crate::progress::Tone;
use crate::report::Recorder;
use crate::storage::Storage;

/// The number of nodes.
pub const BROKERS: u32 = 3;
const MOUNT_POINT: &str = "/mnt/kafka";
const DATA: &str = "/mnt/kafka/data";
const PATIENCE: Duration = Duration::from_secs(600);
const GUEST_MEMORY_MIB: u32 = 1000;
const HEAP_MIB: u32 = 400;
const PAUSE: Duration = Duration::from_millis(200);

/// The settings of the nodes. On a machine with fewer processors than nodes, Kafka's default timeouts are too short.
pub fn settings() -> Settings {
    let more = [
        ("controller.quorum.fetch.timeout.ms", "20000"),
        ("controller.quorum.election.timeout.ms", "5000"),
        ("controller.quorum.request.timeout.ms", "20000"),
        // On the clones, the registrations of the first cluster's nodes must expire before their copies can register.
        ("broker.session.timeout.ms", "20000"),
        ("initial.broker.registration.timeout.ms", "300000"),
        ("replica.lag.time.max.ms", "120000"),
        ("offsets.topic.num.partitions", "1"),
    ];
    let more = more.map(|(key, value)| (key.to_owned(), value.to_owned()));
    Settings {
        heap_mib: HEAP_MIB,
        segment_bytes: 16 << 20,
        delete_delay_ms: 60_000,
        more: BTreeMap::from(more),
        metrics: false,
    }
}

/// A cluster and its guests. Dropping it ends both, the cluster first.
pub struct Nodes {
    /// The cluster.
    pub cluster: Cluster,
    _guests: Vec<Guest>,
}

/// What clusters are started with.
pub struct Base<'a> {
    /// Where they run.
    pub environment: &'a Environment,
    /// Kafka.
    pub kafka: &'a Distribution,
    /// The storage, which must have volumes.
    pub storage: &'a dyn Storage,
    /// Where events go.
    pub recorder: &'a Recorder,
}

impl Base<'_> {
    /// Boots guests, mounts a volume in each, and starts a node there. `new` says that the volumes are empty.
    pub fn start(&self, volumes: &[String], side: Side, new: bool) -> Result<Nodes> {
        let spec = |name: &String| GuestSpec { side, ..GuestSpec::new(name, GUEST_MEMORY_MIB) };
        let guests = self.environment.boot_all(&volumes.iter().map(spec).collect::<Vec<_>>())?;
        for (guest, volume) in guests.iter().zip(volumes) {
            self.storage.volumes()?.mount(guest, volume, MOUNT_POINT)?;
            if new {
                guest.make_folder(DATA)?;
            }
        }
        let placements: Vec<Placement<'_>> =
            guests.iter().map(|node| Placement { node, log_folders: vec![PathBuf::from(DATA)] }).collect();
        let cluster = Cluster::start_combined(self.environment, self.kafka, &settings(), &placements, new)?;
        drop(placements);
        for name in volumes {
            self.recorder.begin(name, "serving", Tone::Good);
        }
        self.recorder
            .event(Tone::Good, format_args!("{} nodes serve, on {}", guests.len(), volumes.join(", ")));
        Ok(Nodes { cluster, _guests: guests })
    }
}

impl Nodes {
    /// Creates a topic that is flushed at every message, so that an acknowledged record is on the server.
    pub fn create_topic(&self, topic: &str, partitions: u32, recorder: &Recorder) -> Result<()> {
        let assignment = Assignment::even(topic, partitions, BROKERS, BROKERS, 0);
        let settings = [("min.insync.replicas", "2".to_owned()), ("flush.messages", "1".to_owned())];
        recorder.setting(
            "topic",
            format!(
                "{partitions} partitions, factor {BROKERS}, min.insync.replicas 2, acks all, flush.messages 1"
            ),
        );
        self.cluster.tools().create_topic(&assignment, &settings)
    }

    /// The nodes that have ended, and how.
    pub fn ended(&self) -> Result<Vec<String>> {
        let mut ended = Vec::new();
        for broker in self.cluster.brokers() {
            if let Some(exit) = broker.exit()? {
                ended.push(format!("{} ({exit})", name_of(broker)));
            }
        }
        Ok(ended)
    }
}

/// Waits until this many records are acknowledged, or all are.
pub fn wait_for(production: &Production, share: u64) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    while production.acknowledged() < share && !production.has_ended() {
        ensure!(
            Instant::now() < deadline,
            "{} records are acknowledged after {} s",
            production.acknowledged(),
            PATIENCE.as_secs()
        );
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// A node's name, which is also the name of its guest and of its log.
fn name_of(broker: &Broker) -> String {
    broker.log_file().file_stem().unwrap_or(Path::new(MOUNT_POINT).as_os_str()).to_string_lossy().into_owned()
}
