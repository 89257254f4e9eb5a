//! A broker on a node.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::config::{BROKER_PORT, METRICS_PORT, Settings};
use super::distribution::Distribution;
use super::excerpt::failure_reason;
use super::java::{self, Size};
use super::placement::Placement;
use crate::host::{GuestCommand, Node, Process};
use crate::wire::Exit;

const START_PATIENCE: Duration = Duration::from_secs(300);
/// Time limit for a broker to hand over its leaderships and to close its logs.
const STOP_PATIENCE: Duration = Duration::from_secs(120);
/// The number of the signal that kills a process.
const SIGKILL: i32 = 9;
const CONFIG_FILE: &str = "broker.properties";
/// The log message of a broker that has joined the cluster.
pub(super) const STARTED: &str = "Kafka Server started";
/// The beginning of the message of a broker with ZooKeeper; its id and `started` follow.
const STARTED_WITH_ZOOKEEPER: &str = "kafka.server.KafkaServer - [KafkaServer id=";

/// A broker, running or ended. Dropping it ends it.
#[derive(Debug)]
pub struct Broker {
    id: u32,
    address: SocketAddr,
    log_folders: Vec<PathBuf>,
    log_file: PathBuf,
    /// The number of starts in its log, before its last start.
    starts_before: usize,
    command: GuestCommand,
    process: Process,
}

impl Broker {
    /// Starts it on a formatted placement, and waits until it serves.
    pub(super) fn start(ready: Ready<'_>) -> Result<Self> {
        let Ready { id, node, log_folders, log_file, command } = ready;
        let address = SocketAddr::from((node.address(), BROKER_PORT));
        let starts_before = starts(&log_file);
        let process = node.spawn(&command)?;
        let broker = Self { id, address, log_folders, log_file, starts_before, command, process };
        broker.wait_until_it_serves(node)?;
        Ok(broker)
    }

    /// Stops it cleanly and waits.
    pub(super) fn stop(&self) -> Result<()> {
        let exit = self.process.stop(STOP_PATIENCE)?;
        // 143: SIGTERM stopped the Java program cleanly.
        if !matches!(exit.code, Some(0 | 143)) {
            bail!("broker {} did not stop cleanly ({exit}); see {}", self.id, self.log_file.display());
        }
        Ok(())
    }

    /// Kills it with kill -9 and waits until it has ended.
    pub(super) fn kill(&self) -> Result<()> {
        self.process.signal(SIGKILL)?;
        self.process.wait(STOP_PATIENCE).map(drop)
    }

    /// Starts it again after it has ended.
    pub(super) fn restart(&mut self, node: &Node) -> Result<()> {
        self.starts_before = starts(&self.log_file);
        self.process = node.spawn(&self.command)?;
        self.wait_until_it_serves(node)
    }

    fn wait_until_it_serves(&self, node: &Node) -> Result<()> {
        let deadline = Instant::now() + START_PATIENCE;
        let file = self.log_file.display();
        loop {
            if let Some(exit) = self.exit()? {
                let why = failure_reason(&self.log_file).map(|why| format!(": {why}")).unwrap_or_default();
                bail!("broker {} ended while it started ({exit}){why}; see {file}", self.id);
            }
            if starts(&self.log_file) > self.starts_before && self.answers() {
                return Ok(());
            }
            if Instant::now() > deadline {
                let patience = START_PATIENCE.as_secs();
                bail!("broker {} on {} does not serve after {patience} s; see {file}", self.id, node.title());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Its id.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// `address:port`, for clients.
    pub fn endpoint(&self) -> String {
        self.address.to_string()
    }

    /// Whether its port accepts a connection.
    pub fn answers(&self) -> bool {
        TcpStream::connect_timeout(&self.address, Duration::from_secs(2)).is_ok()
    }

    /// How its process ended, or `None` while it runs. An error means that its node has ended.
    pub fn exit(&self) -> Result<Option<Exit>> {
        self.process.exit()
    }

    /// The address of its metrics, if it serves them.
    pub fn metrics_endpoint(&self) -> SocketAddr {
        SocketAddr::from((self.address.ip(), METRICS_PORT))
    }

    /// Its log directory, on its node; the first of several.
    pub fn log_folder(&self) -> &Path {
        self.log_folders.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// Its log file, on the host.
    pub fn log_file(&self) -> &Path {
        &self.log_file
    }
}

/// A broker that has its properties on a node, and can be started.
pub(super) struct Ready<'a> {
    id: u32,
    node: &'a Node,
    log_folders: Vec<PathBuf>,
    log_file: PathBuf,
    command: GuestCommand,
}

impl<'a> Ready<'a> {
    /// Writes the properties of a broker to its node.
    pub(super) fn make(
        log_file: PathBuf,
        kafka: &Distribution,
        settings: &Settings,
        id: u32,
        placement: &Placement<'a>,
        properties: &str,
    ) -> Result<Self> {
        let node = placement.node;
        let file = node.work_folder().join(CONFIG_FILE);
        node.write_file(&file, properties.as_bytes())?;
        let size = Size { heap_mib: settings.heap_mib };
        let mut words = java::words(kafka, size, "info", "kafka.Kafka", &[&file.to_string_lossy()]);
        if settings.metrics {
            // Behind the name of the program.
            words.splice(1..1, metrics_options(node.address()));
        }
        let command = GuestCommand::from_words(words).log(&log_file);
        Ok(Self { id, node, log_folders: placement.log_folders.clone(), log_file, command })
    }
}

/// The options of Java with which a broker serves its metrics.
fn metrics_options(address: Ipv4Addr) -> Vec<String> {
    let option = |name: &str, value: &str| format!("-D{name}={value}");
    let port = METRICS_PORT.to_string();
    vec![
        option("com.sun.management.jmxremote.port", &port),
        option("com.sun.management.jmxremote.rmi.port", &port),
        option("com.sun.management.jmxremote.authenticate", "false"),
        option("com.sun.management.jmxremote.ssl", "false"),
        option("java.rmi.server.hostname", &address.to_string()),
    ]
}

/// The number of starts in a broker's log.
fn starts(log_file: &Path) -> usize {
    let log = std::fs::read_to_string(log_file).unwrap_or_default();
    let with_zookeeper =
        |line: &&str| line.contains(STARTED_WITH_ZOOKEEPER) && line.trim_end().ends_with("] started");
    log.matches(STARTED).count() + log.lines().filter(with_zookeeper).count()
}
