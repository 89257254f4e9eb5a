//! What every experiment with Kafka begins with: a storage, guests that mount it, and a cluster with its logs there.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::cluster::{Cluster, Distribution, Place, Settings};
use crate::host::{Guest, GuestSpec, Site};
use crate::report::{Recorder, Tone};
use crate::request::Request;
use crate::storage::{self, Storage};

/// Where guests mount the storage.
const MOUNT_POINT: &str = "/mnt/kafka";

/// How large the bed is.
pub struct BedSpec {
    /// Number of brokers, each in a guest of its own.
    pub brokers: u32,
    /// Memory of each broker's guest.
    pub guest_memory_mib: u32,
    /// What brokers are told.
    pub settings: Settings,
}

/// A running cluster on a running storage. Dropping it ends all, the cluster first.
pub struct Bed {
    pub cluster: Cluster,
    pub guests: Vec<Guest>,
    pub storage: Box<dyn Storage>,
}

impl Bed {
    /// Starts the one storage that is asked for, boots the guests, mounts, and starts the cluster.
    pub fn start(site: &Site, request: &Request, spec: &BedSpec, recorder: &Recorder) -> Result<Self> {
        let kind = *request.storages.first().context("no storage is named")?;
        let kafka = Distribution::open(&request.cache.folder, recorder.progress())?;
        recorder.version("kafka", kafka.version()?);
        recorder.stage("storage");
        let mut storage = storage::start(kind, site)?;
        for (name, version) in storage.versions() {
            recorder.version(&name, version);
        }
        recorder.stage("guests");
        let guests = boot(site, spec, storage.as_mut())?;
        recorder.event(Tone::Plain, format_args!("{} guests booted and mounted {kind}", guests.len()));
        recorder.stage("brokers");
        let places: Vec<Place<'_>> =
            (1u32..).zip(&guests).map(|(id, guest)| Place { guest, log_folder: log_folder(id) }).collect();
        for (key, value) in spec.settings.all() {
            recorder.setting(&format!("broker {key}"), value);
        }
        recorder.setting("brokers", spec.brokers);
        recorder.setting("broker heap, MiB", spec.settings.heap_mib);
        recorder.setting("guest memory, MiB", spec.guest_memory_mib);
        let cluster = Cluster::start(site, &kafka, &spec.settings, &places)?;
        for broker in cluster.brokers() {
            recorder.begin(&actor(broker.id()), "serving", Tone::Good);
        }
        recorder.event(
            Tone::Plain,
            format_args!("{} brokers serve, with Kafka {}", guests.len(), kafka.version()?),
        );
        Ok(Self { cluster, guests, storage })
    }
}

impl Bed {
    /// Makes every guest forget what it knows of the storage, so that what is read next comes from there.
    pub fn drop_caches(&self) -> Result<()> {
        self.guests.iter().try_for_each(Guest::drop_caches)
    }
}

impl Bed {
    /// Makes every guest send to the storage what it keeps for it.
    pub fn sync(&self) -> Result<()> {
        self.guests.iter().try_for_each(Guest::sync)
    }

    /// The guest of a broker.
    pub fn guest(&self, broker: u32) -> Result<&Guest> {
        let (_, guest) =
            (1u32..).zip(&self.guests).find(|(id, _)| *id == broker).context("no such broker")?;
        Ok(guest)
    }

    /// A broker's log directory, in its guest.
    pub fn log_folder(&self, broker: u32) -> Result<&Path> {
        let brokers = self.cluster.brokers();
        let broker = brokers.iter().find(|candidate| candidate.id() == broker).context("no such broker")?;
        Ok(broker.log_folder())
    }

    /// Starts a broker that has ended again, where it was.
    pub fn restart_broker(&mut self, broker: u32) -> Result<()> {
        let (_, guest) =
            (1u32..).zip(&self.guests).find(|(id, _)| *id == broker).context("no such broker")?;
        self.cluster.restart_broker(broker, guest)
    }
}

fn boot(site: &Site, spec: &BedSpec, storage: &mut dyn Storage) -> Result<Vec<Guest>> {
    let mut specs: Vec<GuestSpec> =
        (1..=spec.brokers).map(|id| GuestSpec::new(format!("broker{id}"), spec.guest_memory_mib)).collect();
    for guest in &mut specs {
        storage.prepare(site, guest)?;
    }
    let guests = site.boot_all(&specs)?;
    for (id, guest) in (1u32..).zip(&guests) {
        storage.mount(guest, MOUNT_POINT)?;
        guest.make_folder(log_folder(id))?;
    }
    Ok(guests)
}

fn log_folder(broker: u32) -> PathBuf {
    Path::new(MOUNT_POINT).join(format!("broker{broker}"))
}

/// A broker's lane in the record.
pub fn actor(broker: u32) -> String {
    format!("broker {broker}")
}

/// A figure out of a summary of the records tool; 0 if it is not there.
pub fn figure(summary: &serde_json::Map<String, Value>, name: &str) -> f64 {
    summary.get(name).and_then(Value::as_f64).unwrap_or(0.0)
}
