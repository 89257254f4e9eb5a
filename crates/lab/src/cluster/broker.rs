//! A broker on a node.

use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::config::{self, BROKER_PORT, Settings};
use super::java::{self, Size};
use super::{Distribution, Place, failure_reason};
use crate::host::{GuestCommand, Node, Process, Site};
use crate::wire::Exit;

const FORMAT_PATIENCE: Duration = Duration::from_secs(120);
const START_PATIENCE: Duration = Duration::from_secs(300);
/// How long a broker may take to move its leaderships away and to close its logs.
const STOP_PATIENCE: Duration = Duration::from_secs(120);
/// In the node's work folder: not what is tested, and gone with the node.
const METADATA_FOLDER: &str = "metadata";
const CONFIG_FILE: &str = "broker.properties";
/// What a broker logs when the cluster has let it in.
pub(super) const STARTED: &str = "Kafka Server started";

/// A broker, running or ended. Dropping it ends it.
#[derive(Debug)]
pub struct Broker {
    id: u32,
    address: SocketAddr,
    log_folders: Vec<PathBuf>,
    log_file: PathBuf,
    /// How many times it has said that it started, before its last start.
    starts_before: usize,
    command: GuestCommand,
    process: Process,
}

impl Broker {
    /// Formats the log folders that are not, starts the broker and waits until it serves.
    pub(super) fn start(
        logs: &Path,
        kafka: &Distribution,
        settings: &Settings,
        (id, voters): (u32, &str),
        place: &Place<'_>,
    ) -> Result<Self> {
        let Place { node, log_folders } = place;
        let metadata = node.work_folder().join(METADATA_FOLDER);
        let text = config::broker(settings, id, node.address(), voters, log_folders, &metadata);
        node.make_folder(metadata)?;
        let log_file = logs.join(format!("{}.log", node.name()));
        Self::configure_and_start(kafka, settings, id, place, &text, log_file, true)
    }

    /// The same for a node that is controller too; its folder is formatted only if it is `new`.
    pub(super) fn start_combined(
        site: &Site,
        kafka: &Distribution,
        settings: &Settings,
        (id, voters): (u32, &str),
        place: &Place<'_>,
        new: bool,
    ) -> Result<Self> {
        let Place { node, log_folders } = place;
        let text = config::combined(settings, id, node.address(), voters, log_folders);
        let log_file = site.logs().join(format!("{}.log", node.name()));
        Self::configure_and_start(kafka, settings, id, place, &text, log_file, new)
    }

    fn configure_and_start(
        kafka: &Distribution,
        settings: &Settings,
        id: u32,
        Place { node, log_folders }: &Place<'_>,
        text: &str,
        log_file: PathBuf,
        new: bool,
    ) -> Result<Self> {
        let file = node.work_folder().join(CONFIG_FILE);
        node.write_file(&file, text.as_bytes())?;
        let file = file.to_string_lossy();
        let size = Size { heap_mib: settings.heap_mib };
        let java = |main: &str, arguments: &[&str]| {
            let words = java::words(kafka, size, "info", main, arguments);
            GuestCommand::from_words(words).log(&log_file)
        };
        if new {
            let format =
                ["format", "--ignore-formatted", "--cluster-id", config::CLUSTER_ID, "--config", &file];
            node.run(&java("kafka.tools.StorageTool", &format), FORMAT_PATIENCE)
                .with_context(|| format!("format the log folder of broker {id}"))?;
        }
        let command = java("kafka.Kafka", &[&file]);
        let address = SocketAddr::from((node.address(), BROKER_PORT));
        let log_folders = log_folders.clone();
        let starts_before = starts(&log_file);
        let process = node.spawn(&command)?;
        let broker = Self { id, address, log_folders, log_file, starts_before, command, process };
        broker.wait_until_it_serves(node)?;
        Ok(broker)
    }

    /// Ends it in order and waits.
    pub(super) fn stop(&self) -> Result<()> {
        let exit = self.process.stop(STOP_PATIENCE)?;
        // 143: a Java program that SIGTERM ended in order.
        if !matches!(exit.code, Some(0 | 143)) {
            bail!("broker {} did not end in order ({exit}); see {}", self.id, self.log_file.display());
        }
        Ok(())
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

    /// How its process ended, or `None` while it runs. An error means that its node is gone.
    pub fn exit(&self) -> Result<Option<Exit>> {
        self.process.exit()
    }

    /// Its log directory, on its node; the first of several.
    pub fn log_folder(&self) -> &Path {
        self.log_folders.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// What it logged, on the host.
    pub fn log_file(&self) -> &Path {
        &self.log_file
    }
}

/// How many times a broker's log says that it started.
fn starts(log_file: &Path) -> usize {
    std::fs::read_to_string(log_file).unwrap_or_default().matches(STARTED).count()
}
