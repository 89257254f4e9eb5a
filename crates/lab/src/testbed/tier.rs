//! The tier of a testbed: an S3 server behind a relay, the plugin, and the brokers' settings for both.

use std::fs::File;
use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::own_cluster::Testbed;
use crate::cluster::{Distribution, Metrics, Plugin, StoreAddress, TierChecked};
use crate::host::{Environment, GuestCommand};
use crate::report::Recorder;
use crate::request::{Fault, Request, StorageKind, TierKind};
use crate::storage::{self, AccessKey, Buckets, Forebay, ObjectStore, Relay, Space, Storage};
use crate::wire::TreeEntry;

/// The bucket of a tier.
pub const BUCKET: &str = "tier";
/// The port of the S3 server of a daemon that also serves the log directories.
const S3_PORT: u16 = 9000;
/// The plugin's default region.
const REGION: &str = "us-east-1";
const METADATA_FACTOR: &str = "rlmm.config.remote.log.metadata.topic.replication.factor";
/// The plugin.
pub const PLUGIN_CLASS: &str = "forebay.tiered.ForebayRemoteStorageManager";
/// The plugin with Errors of the Java runtime in it, and the file in guests that switches them on.
const FAULTY_PLUGIN: &str = "forebay.faults.FaultyRemoteStorageManager";
const FAULTS_FILE: &str = "/run/forebay-lab-faults";
/// Kafka hands these settings to the plugin, without this.
const SETTING_PREFIX: &str = "rsm.config.";
const KAFKA_LOCAL: &str = "org.apache.kafka.server.log.remote.storage.LocalTieredStorage";
/// The folder of `kafka-local`, in the brokers' shared storage.
const LOCAL_FOLDER: &str = "/mnt/kafka/tier";

/// Time limit for the removal of a file.
const FILE_PATIENCE: Duration = Duration::from_secs(60);

/// A tier.
pub struct Tier {
    kind: TierKind,
    /// Whether segments are copied by reference.
    by_reference: bool,
    plugin: Plugin,
    /// Kafka, which has the classes of `kafka-local` and of the fault `errors`.
    kafka: Distribution,
    /// Whether Errors can be thrown inside the plugin.
    faulty: bool,
    /// None for `kafka-local`.
    server: Option<Server>,
}

struct Server {
    relay: Relay,
    /// The buckets, if the server is Forebay.
    buckets: Option<Buckets>,
    /// The plugin's settings, for `forebay-tier check`.
    config: PathBuf,
    settings: Vec<(String, String)>,
    /// Where brokers reach it, and with which key.
    address: StoreAddress,
    /// The server, if it is not the one of the log directories.
    store: Option<ObjectStore>,
}

impl Tier {
    /// Starts the storage of the log directories and the tier, with an empty bucket.
    pub fn start(
        environment: &Environment,
        request: &Request,
        recorder: &Recorder,
    ) -> Result<(Self, Box<dyn Storage>)> {
        let kind = request.tier.as_ref().context("the request names no tier")?.kind;
        let plugin = Plugin::open(&request.cache.folder, recorder.progress())?;
        let kafka = Distribution::open(&request.cache.folder, request.kafka, recorder.progress())?;
        let faulty = request.tier.as_ref().is_some_and(|tier| tier.faults.contains(&Fault::Errors));
        let storage_kind = request.storage()?;
        if *storage_kind == StorageKind::Forebay && kind.server() == Some(StorageKind::Forebay) {
            let address = SocketAddr::from((environment.gateway(), S3_PORT));
            let forebay = Forebay::start(environment, &["--s3-listen".to_owned(), address.to_string()])?;
            let buckets = forebay.buckets();
            let key = buckets.first_key()?;
            let by_reference = kind == TierKind::Forebay;
            let server =
                Server::prepare(environment, address, &key, Some(buckets), None, reference(by_reference))?;
            let tier = Self { kind, by_reference, plugin, kafka, faulty, server: Some(server) };
            return Ok((tier, Box::new(forebay)));
        }
        let server = match kind.server() {
            None => {
                ensure!(
                    *storage_kind != StorageKind::Local,
                    "tier {kind} is a directory that all brokers share: use --storage forebay"
                );
                None
            }
            Some(server) => {
                let store = storage::start_object_store(&server, environment)?;
                for (name, version) in &store.versions {
                    recorder.version(name, version);
                }
                let address = store.endpoint.trim_start_matches("http://").parse();
                let address = address.with_context(|| format!("parse {}", store.endpoint))?;
                let (buckets, key) =
                    (store.pool.as_ref().map(storage::SharedPool::buckets), store.key.clone());
                Some(Server::prepare(environment, address, &key, buckets, Some(store), reference(false))?)
            }
        };
        Ok((
            Self { kind, by_reference: false, plugin, kafka, faulty, server },
            storage::start(storage_kind, environment)?,
        ))
    }

    /// Its kind.
    pub fn kind(&self) -> TierKind {
        self.kind
    }

    /// Whether segments are copied by reference.
    pub fn is_by_reference(&self) -> bool {
        self.by_reference
    }

    /// The plugin.
    pub fn plugin(&self) -> &Plugin {
        &self.plugin
    }

    /// Switches Errors inside the plugins on or off. The tier must have been started with the fault `errors`.
    pub fn throw_errors(&self, testbed: &Testbed, on: bool) -> Result<()> {
        for node in &testbed.nodes {
            if on {
                node.write_file(FAULTS_FILE, b"")?;
            } else {
                let words = ["rm", "-f", FAULTS_FILE].map(str::to_owned);
                node.run(&GuestCommand::from_words(words.to_vec()), FILE_PATIENCE)?;
            }
        }
        Ok(())
    }

    /// The relay in front of its server, if it has one.
    pub fn relay(&self) -> Result<&Relay> {
        let server = self.server.as_ref().with_context(|| format!("tier {} has no server", self.kind))?;
        Ok(&server.relay)
    }

    /// Where brokers reach its server, behind the relay. `None` if it has none.
    pub fn address(&self) -> Option<&StoreAddress> {
        self.server.as_ref().map(|server| &server.address)
    }

    /// The buckets of its server, if that is Forebay.
    pub fn buckets(&self) -> Result<&Buckets> {
        let buckets = self.server.as_ref().and_then(|server| server.buckets.as_ref());
        buckets.with_context(|| format!("tier {} has no bucket whose size can be limited", self.kind))
    }

    /// The settings of brokers in a cluster of so many. Kafka's topic with the metadata of segments has three replicas, or fewer if there are
    /// fewer brokers.
    pub fn settings_for(&self, brokers: u32) -> Vec<(String, String)> {
        let mut all = self.settings();
        all.push((METADATA_FACTOR.to_owned(), brokers.min(3).to_string()));
        all
    }

    /// The settings of three brokers or more.
    pub fn settings(&self) -> Vec<(String, String)> {
        let of_kafka = [
            ("remote.log.storage.system.enable", "true"),
            ("remote.log.metadata.manager.listener.name", "PLAINTEXT"),
            ("rlmm.config.remote.log.metadata.topic.num.partitions", "3"),
            (METADATA_FACTOR, "3"),
            ("remote.log.manager.task.interval.ms", "1000"),
            ("log.retention.check.interval.ms", "1000"),
            ("log.initial.task.delay.ms", "1000"),
        ];
        let mut all: Vec<_> =
            of_kafka.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let mut set = |key: &str, value: &str| all.push((key.to_owned(), value.to_owned()));
        match &self.server {
            Some(server) => {
                let path = self.plugin.class_path();
                let (name, path) = if self.faulty {
                    (FAULTY_PLUGIN, format!("{path}:{}", self.kafka.faults_class_path()))
                } else {
                    (PLUGIN_CLASS, path)
                };
                set("remote.log.storage.manager.class.name", name);
                set("remote.log.storage.manager.class.path", &path);
                if self.faulty {
                    set("rsm.config.faults.file", FAULTS_FILE);
                }
                server.settings.iter().for_each(|(key, value)| set(key, value));
            }
            None => {
                set("remote.log.storage.manager.class.name", KAFKA_LOCAL);
                set("remote.log.storage.manager.class.path", &self.kafka.local_tier_class_path());
                set("rsm.config.dir", LOCAL_FOLDER);
                set("rsm.config.delete.on.close", "false");
            }
        }
        all
    }

    /// The settings of the plugin, without the prefix that Kafka takes away. Empty if the plugin is not ours.
    pub fn plugin_settings(&self) -> Vec<(String, String)> {
        let own = |(key, value): &(String, String)| {
            Some((key.strip_prefix(SETTING_PREFIX)?.to_owned(), value.clone()))
        };
        self.server.iter().flat_map(|server| &server.settings).filter_map(own).collect()
    }

    /// Compares Kafka's metadata with the bucket, and reads every object. `None` if there is no bucket.
    pub fn check(&self, testbed: &Testbed) -> Result<Option<TierChecked>> {
        let check = |server: &Server| testbed.cluster.tools().check_tier(&self.plugin, &server.config);
        self.server.as_ref().map(check).transpose()
    }

    /// The space of the pool that has its buckets, or the log directories. `None` if neither is Forebay.
    pub fn space(&self, testbed: &Testbed) -> Result<Option<Space>> {
        let store = self.server.as_ref().and_then(|server| server.store.as_ref());
        match store.and_then(|store| store.pool.as_ref()) {
            Some(pool) => pool.space().map(Some),
            None if testbed.storage.kind() == StorageKind::Forebay => testbed.storage.space().map(Some),
            None => Ok(None),
        }
    }

    /// The number of segments in the directory of `kafka-local`. `None` for other tiers.
    pub fn files(&self, testbed: &Testbed) -> Result<Option<u64>> {
        if self.server.is_some() {
            return Ok(None);
        }
        let tree = testbed.node(1)?.list_tree(LOCAL_FOLDER)?;
        let is_segment = |entry: &&TreeEntry| !entry.folder && entry.path.extension() == Some("log".as_ref());
        Ok(Some(tree.iter().filter(is_segment).count() as u64))
    }

    /// The sums of the plugins' counters over all brokers, since these started. Empty if the plugin is not ours.
    pub fn counters(&self, testbed: &Testbed) -> Result<Metrics> {
        let mut sums = Metrics::new();
        if self.server.is_none() {
            return Ok(sums);
        }
        for broker in testbed.cluster.brokers() {
            let bean = format!("forebay.tiered:type=RemoteStorageManager,broker={}", broker.id());
            for (name, value) in testbed.cluster.tools().metrics(broker, &bean)? {
                *sums.entry(name).or_default() += value;
            }
        }
        Ok(sums)
    }
}

fn reference(by_reference: bool) -> &'static str {
    if by_reference { "require" } else { "never" }
}

impl Server {
    /// Puts a relay in front of the server, makes the bucket, and writes the files for the plugin. Guests see the scratch folder.
    fn prepare(
        environment: &Environment,
        address: SocketAddr,
        key: &AccessKey,
        buckets: Option<Buckets>,
        store: Option<ObjectStore>,
        reference: &str,
    ) -> Result<Self> {
        let relay = Relay::start(environment.gateway(), address)?;
        match (&buckets, &store) {
            (Some(buckets), _) => buckets.create(BUCKET)?,
            (None, Some(store)) => store.create_bucket(BUCKET)?,
            (None, None) => {}
        }
        let credentials = environment.scratch().join("tier-credentials");
        let text =
            format!("[default]\naws_access_key_id = {}\naws_secret_access_key = {}\n", key.id, key.secret);
        File::options()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&credentials)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .with_context(|| format!("write {}", credentials.display()))?;
        let endpoint = format!("http://{}:{}", environment.gateway(), relay.port());
        let settings = [
            ("endpoint", endpoint.as_str()),
            ("bucket", BUCKET),
            ("credentials.file", &credentials.to_string_lossy()),
            ("reference", reference),
        ];
        let settings: Vec<_> = settings
            .iter()
            .map(|(key, value)| (format!("{SETTING_PREFIX}{key}"), (*value).to_owned()))
            .collect();
        let config = environment.scratch().join("tier.properties");
        let lines: String = settings.iter().map(|(key, value)| format!("{key}={value}\n")).collect();
        std::fs::write(&config, lines).with_context(|| format!("write {}", config.display()))?;
        let address = StoreAddress {
            name: BUCKET.to_owned(),
            endpoint,
            region: REGION.to_owned(),
            access_key: key.id.clone(),
            secret_key: key.secret.clone(),
            pid: None,
        };
        Ok(Self { relay, buckets, config, settings, address, store })
    }
}
