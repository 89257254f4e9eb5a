//! `forebay`: the daemon, on the host, with a pool in the scratch folder.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::buckets::Buckets;
use super::interface::{HostServer, Space, Storage, Usage, Volumes, Written};
use super::nfs::mount_nfs;
use super::server::Server;
use super::usage;
use super::views::KafkaViews;
use crate::host::{Environment, Guest};
use crate::request::StorageKind;

/// The storage.
pub struct Forebay {
    kind: StorageKind,
    program: PathBuf,
    port: u16,
    server: Server,
    pool: PathBuf,
    log: PathBuf,
    listen: std::net::Ipv4Addr,
    arguments: Vec<String>,
    connections: u32,
}

/// The junction path of the volume that every new pool has.
pub(super) const JUNCTION_PATH: &str = "/kafka";
const PORT: u16 = 2049;
/// The port of another build, which may run beside the daemon under test.
const PORT_OTHER: u16 = 2051;
/// The port before the first of several pools.
const PORT_POOLS: u16 = 2060;
/// The port of the first of several pools.
pub const POOL_PORT: u16 = PORT_POOLS + 1;
const CONNECTIONS: u32 = 4;
/// Limited, so that the used space of the volume is that of the pool, without the other content of the host's disk.
pub(super) const POOL_SIZE_MAX: &str = "48GiB";
const PATIENCE: Duration = Duration::from_secs(30);

impl Forebay {
    /// Starts the daemon on an empty pool, with additional arguments.
    pub fn start(environment: &Environment, arguments: &[String]) -> Result<Self> {
        let program = environment.daemon()?.to_owned();
        Self::start_as(environment, StorageKind::Forebay, program, "forebay", PORT, arguments)
    }

    /// Starts the daemon of one of several pools, by its number from 1, with additional arguments.
    pub fn start_pool(environment: &Environment, number: u32, arguments: &[String]) -> Result<Self> {
        let program = environment.daemon()?.to_owned();
        let port = u16::try_from(number).ok().and_then(|number| PORT_POOLS.checked_add(number));
        let port = port.with_context(|| format!("there is no port for pool {number}"))?;
        Self::start_as(
            environment,
            StorageKind::Forebay,
            program,
            &format!("forebay-{number}"),
            port,
            arguments,
        )
    }

    /// Starts another build of the daemon on an empty pool.
    pub fn start_other(environment: &Environment, program: &Path) -> Result<Self> {
        if !program.is_file() {
            bail!("there is no program {}: name a build of the daemon", program.display());
        }
        let kind = StorageKind::Daemon(program.to_owned());
        Self::start_as(environment, kind, program.to_owned(), "forebay-other", PORT_OTHER, &[])
    }

    fn start_as(
        environment: &Environment,
        kind: StorageKind,
        program: PathBuf,
        name: &str,
        port: u16,
        arguments: &[String],
    ) -> Result<Self> {
        let mut storage = Self {
            kind,
            program,
            port,
            server: Server::new("forebay serve"),
            pool: environment.fresh(&format!("{name}-data"))?,
            log: environment.logs().join(format!("{name}.log")),
            listen: environment.gateway(),
            arguments: arguments.to_vec(),
            connections: CONNECTIONS,
        };
        storage.serve()?;
        Ok(storage)
    }

    fn serve(&mut self) -> Result<()> {
        let mut command = Command::new(&self.program);
        command.arg("serve").arg("--pool-directory").arg(&self.pool).args(["--pool-size-max", POOL_SIZE_MAX]);
        command.arg("--nfs-listen").arg(format!("{}:{}", self.listen, self.port));
        // Other daemons may run on this machine; this one is reached by its socket.
        command.args(["--api-listen", "off"]);
        command.args(&self.arguments);
        let log = File::options()
            .create(true)
            .append(true)
            .open(&self.log)
            .with_context(|| format!("open {}", self.log.display()))?;
        self.server.start(&mut command, log)?;
        // The daemon listens for clients before it opens the pool, and on this socket after that.
        self.server
            .wait_for_socket(&self.pool.join("admin.sock"), PATIENCE)
            .with_context(|| format!("forebay serve did not come up; its log is {}", self.log.display()))
    }
}

impl Forebay {
    /// The daemon's buckets. It must have been started with an S3 server.
    pub fn buckets(&self) -> Buckets {
        Buckets::new(self.program.clone(), self.pool.clone())
    }

    /// What the daemon knows of Kafka. It answers as long as the daemon runs.
    pub fn kafka_views(&self) -> KafkaViews {
        KafkaViews::new(self.program.clone(), self.pool.clone())
    }

    /// The options of mounts.
    fn options(&self) -> String {
        format!("vers=4.2,nconnect={},port={}", self.connections, self.port)
    }

    /// Runs a command of the daemon's program against the pool.
    fn admin(&self, words: &[&str]) -> Result<Output> {
        admin(&self.program, &self.pool, words)
    }

    /// Runs a command that must succeed; returns what it printed, and how long it took.
    fn administer(&self, words: &[&str]) -> Result<(Vec<u8>, Duration)> {
        administer(&self.program, &self.pool, words)
    }
}

/// Runs a command of the daemon's program against a pool.
fn admin(program: &Path, pool: &Path, words: &[&str]) -> Result<Output> {
    let mut command = Command::new(program);
    command.args(words).arg("--pool-directory").arg(pool);
    command.output().with_context(|| format!("run forebay {}", words.join(" ")))
}

/// Runs a command against a pool that must succeed; returns what it printed, and how long it took.
pub(super) fn administer(program: &Path, pool: &Path, words: &[&str]) -> Result<(Vec<u8>, Duration)> {
    let begun = Instant::now();
    let output = admin(program, pool, words)?;
    if !output.status.success() {
        bail!("forebay {} failed: {}", words.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok((output.stdout, begun.elapsed()))
}

/// The metrics of a pool's daemon.
fn metrics_of(pool: &Path) -> Result<String> {
    let socket = pool.join("admin.sock");
    let ask = || {
        let mut daemon = UnixStream::connect(&socket)?;
        daemon.write_all(b"GET /metrics HTTP/1.0\r\nHost: forebay\r\n\r\n")?;
        let mut answer = String::new();
        daemon.read_to_string(&mut answer)?;
        Ok::<_, std::io::Error>(answer)
    };
    let answer = ask().with_context(|| format!("ask {} for metrics", socket.display()))?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    if !head.lines().next().is_some_and(|line| line.ends_with(" 200 OK")) {
        bail!("{} gives no metrics: {}", socket.display(), head.lines().next().unwrap_or(""));
    }
    Ok(body.to_owned())
}

/// The space of a pool, from its daemon.
pub(super) fn space_of(program: &Path, pool: &Path) -> Result<Space> {
    let (said, _) = administer(program, pool, &["pool", "show", "--json"])?;
    let shown: PoolShown = serde_json::from_slice(&said).context("parse what pool show says")?;
    Ok(Space {
        logical: shown.bytes_logical,
        physical: shown.bytes_live.saturating_add(shown.bytes_inline),
        folder: usage::allocated_bytes(pool)?,
    })
}

impl Forebay {
    /// Changes the rule that every client has, `*` in the policy that every new volume has.
    pub fn change_rule(&self, change: &[&str]) -> Result<()> {
        self.administer(&[&["export", "rule", "modify", "default", "*"], change].concat()).map(drop)
    }

    /// Adds a rule for some clients in front of that of all others.
    pub fn add_first_rule(&self, clients: &str, words: &[&str]) -> Result<()> {
        let add = ["export", "rule", "add", "default", clients, "--position", "1"];
        self.administer(&[&add, words].concat()).map(drop)
    }

    /// Removes the rule for exactly these clients.
    pub fn remove_rule(&self, clients: &str) -> Result<()> {
        self.administer(&["export", "rule", "remove", "default", clients]).map(drop)
    }

    /// The output of `forebay nfs clients --json`.
    pub fn clients(&self) -> Result<serde_json::Value> {
        let (said, _) = self.administer(&["nfs", "clients", "--json"])?;
        serde_json::from_slice(&said).context("parse what nfs clients says")
    }

    /// Mounts the volume with a transport security of the client's choice: `none`, `tls` or `mtls`.
    pub fn mount_secured(&self, guest: &Guest, target: &str, security: &str) -> Result<()> {
        guest.load_modules(&["nfsv4"])?;
        mount_nfs(
            guest,
            self.listen,
            JUNCTION_PATH,
            &format!("{},xprtsec={security}", self.options()),
            target,
        )
    }
}

/// A backup that was made.
#[derive(Clone, Copy, Debug)]
pub struct MadeBackup {
    /// The time that it took.
    pub took: Duration,
    /// Bytes of the segments in it.
    pub bytes: u64,
    /// Bytes that were copied for it.
    pub bytes_copied: u64,
    /// Frames in it that are damaged.
    pub damaged: u64,
}

impl Forebay {
    /// Backs the pool up into a directory.
    pub fn back_up(&self, to: &Path) -> Result<MadeBackup> {
        let to = to.to_str().context("the directory for backups has no name in UTF-8")?;
        let (said, took) = self.administer(&["pool", "backup", to, "--json"])?;
        let made: BackupSaid = serde_json::from_slice(&said).context("parse what pool backup says")?;
        let BackupSaid { bytes, bytes_copied, damaged } = made;
        Ok(MadeBackup { took, bytes, bytes_copied, damaged })
    }

    /// Verifies the newest backup in a directory. Returns the time it took, and the number of damaged frames.
    pub fn verify_backup(&self, from: &Path) -> Result<(Duration, u64)> {
        let begun = Instant::now();
        let mut command = Command::new(&self.program);
        let output = command.args(["pool", "verify-backup", "--json"]).arg(from).output();
        let output = output.context("run forebay pool verify-backup")?;
        // 4: there is damage.
        if !matches!(output.status.code(), Some(0 | 4)) {
            bail!("forebay pool verify-backup failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let said: Verified =
            serde_json::from_slice(&output.stdout).context("parse what pool verify-backup says")?;
        Ok((begun.elapsed(), said.damaged))
    }

    /// Ends the daemon at once, and deletes its pool.
    pub fn lose(&mut self) -> Result<()> {
        self.server.kill()?;
        std::fs::remove_dir_all(&self.pool).with_context(|| format!("remove {}", self.pool.display()))
    }

    /// Restores the newest backup into a new pool, and serves that. Returns the time that the restore took.
    pub fn restore(&mut self, from: &Path, pool: &Path) -> Result<Duration> {
        let begun = Instant::now();
        let mut command = Command::new(&self.program);
        let output = command.args(["pool", "restore"]).arg(from).arg(pool).output();
        let output = output.context("run forebay pool restore")?;
        if !output.status.success() {
            bail!("forebay pool restore failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let took = begun.elapsed();
        pool.clone_into(&mut self.pool);
        self.serve()?;
        Ok(took)
    }
}

/// The fields of `forebay pool backup --json` that the lab needs.
#[derive(Deserialize)]
struct BackupSaid {
    bytes: u64,
    bytes_copied: u64,
    damaged: u64,
}

/// The fields of `forebay pool verify-backup --json` that the lab needs.
#[derive(Deserialize)]
struct Verified {
    damaged: u64,
}

impl Volumes for Forebay {
    fn create(&self, name: &str) -> Result<()> {
        self.administer(&["volume", "create", name]).map(drop)
    }

    fn mount(&self, guest: &Guest, name: &str, target: &str) -> Result<()> {
        guest.load_modules(&["nfsv4"])?;
        mount_nfs(guest, self.listen, &format!("/{name}"), &self.options(), target)
    }

    fn limit(&self, name: &str, bytes_per_second: Option<u64>) -> Result<()> {
        let limit = bytes_per_second.map_or_else(|| "none".to_owned(), |bytes| bytes.to_string());
        self.administer(&["volume", "modify", name, "--max-bytes-per-second", &limit]).map(drop)
    }

    fn snapshot(&self, volumes: &[String], name: &str) -> Result<Duration> {
        Ok(self.administer(&["snapshot", "create", &volumes.join(","), name])?.1)
    }

    fn clone_snapshot(&self, volume: &str, snapshot: &str, name: &str) -> Result<Duration> {
        Ok(self.administer(&["volume", "clone", &format!("{volume}@{snapshot}"), name])?.1)
    }
}

/// The fields of `forebay pool show --json` that the lab needs.
#[derive(Deserialize)]
struct PoolShown {
    bytes_logical: u64,
    bytes_live: u64,
    bytes_inline: u64,
}

/// The differences that `forebay pool check --read --json` has found.
pub(super) fn differences_of(output: &Output) -> Result<Vec<String>> {
    // 4: there are differences.
    if !matches!(output.status.code(), Some(0 | 4)) {
        bail!("forebay pool check failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let checked: PoolChecked =
        serde_json::from_slice(&output.stdout).context("parse what pool check says")?;
    Ok(checked.differences)
}

/// The fields of `forebay pool check --json` that the lab needs.
#[derive(Deserialize)]
struct PoolChecked {
    differences: Vec<String>,
}

impl Storage for Forebay {
    fn kind(&self) -> StorageKind {
        self.kind.clone()
    }

    fn versions(&self) -> Vec<(String, String)> {
        if self.kind != StorageKind::Forebay {
            return Vec::new();
        }
        vec![("forebay".into(), env!("CARGO_PKG_VERSION").into())]
    }

    fn set_connections(&mut self, count: u32) {
        self.connections = count;
    }

    fn mount(&self, guest: &Guest, target: &str) -> Result<()> {
        guest.load_modules(&["nfsv4"])?;
        mount_nfs(guest, self.listen, JUNCTION_PATH, &self.options(), target)
    }

    fn host_server(&self) -> Option<HostServer> {
        let address = (self.listen, self.port).into();
        Some(HostServer { address, path: JUNCTION_PATH, pid: self.server.pid()?, data: self.pool.clone() })
    }

    fn can_be_killed(&self) -> bool {
        true
    }

    fn kill(&mut self) -> Result<()> {
        self.server.kill()
    }

    fn restart(&mut self) -> Result<()> {
        self.serve()
    }

    fn renew(&mut self) -> Result<()> {
        self.stop()?;
        self.serve()
    }

    fn volumes(&self) -> Result<&dyn Volumes> {
        Ok(self)
    }

    fn space(&self) -> Result<Space> {
        space_of(&self.program, &self.pool)
    }

    fn usage(&self) -> Result<Usage> {
        usage::of_process(self.server.pid().context("forebay does not run")?)
    }

    fn written(&self) -> Result<Written> {
        let metrics = metrics_of(&self.pool)?;
        let count = |name: &str| {
            let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            let number = line.and_then(|number| number.parse().ok());
            number.with_context(|| format!("the daemon's metrics have no {name}"))
        };
        let segments: u64 = count("forebay_pool_segment_appended_bytes_total")?;
        let metadata = count("forebay_pool_metadata_written_bytes_total")?;
        Ok(Written {
            stored: segments.saturating_add(metadata),
            // Builds from before there was a log have no such line.
            logged: count("forebay_pool_log_bytes_total").unwrap_or_default(),
        })
    }

    fn check(&self) -> Result<Vec<String>> {
        differences_of(&self.admin(&["pool", "check", "--read", "--json"])?)
    }

    fn stop(&mut self) -> Result<()> {
        self.server.stop(PATIENCE)
    }
}
