//! Object stores: S3 servers on loopback addresses of this host, each on an empty folder of its disk, or one that the lab did not start.
//!
//! Every kind is one file here. [`start`] waits until the server listens, and returns its address and a key that may create buckets.

mod forebay;
mod garage;
mod minio;
mod versitygw;

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::buckets::Buckets;
use super::forebay::space_of;
use super::interface::Space;
use super::server::Server;
use super::usage;
use crate::host::Environment;
use crate::request::StorageKind;

/// Time limit for a server to start, and to stop.
const PATIENCE: Duration = Duration::from_secs(60);
/// The region of servers that have no default of their own.
const REGION: &str = "us-east-1";

/// An access key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessKey {
    /// Its id.
    pub id: String,
    /// Its secret.
    pub secret: String,
}

impl AccessKey {
    /// The key of servers that let the lab choose it. They are reached from this host only.
    fn own() -> Self {
        Self { id: "forebaylab".to_owned(), secret: "forebay-lab-secret".to_owned() }
    }
}

/// The pool of a daemon that serves it over S3 and over NFS.
#[derive(Debug, Clone)]
pub struct SharedPool {
    program: PathBuf,
    folder: PathBuf,
    /// The address of the NFS server.
    pub nfs: SocketAddr,
}

impl SharedPool {
    /// Its buckets.
    pub fn buckets(&self) -> Buckets {
        Buckets::new(self.program.clone(), self.folder.clone())
    }

    /// The size of its content, and the space that it takes.
    pub fn space(&self) -> Result<Space> {
        space_of(&self.program, &self.folder)
    }
}

/// A running object store. Dropping it ends its server.
pub struct ObjectStore {
    /// Its kind.
    pub kind: StorageKind,
    /// Its address, `http://HOST:PORT`.
    pub endpoint: String,
    /// Its region.
    pub region: String,
    /// The key for it.
    pub key: AccessKey,
    /// Names and versions of its software.
    pub versions: Vec<(String, String)>,
    /// How it was started, for reports. `None` if the lab did not start it.
    pub command: Option<String>,
    /// The pool that it shares with an NFS server, if it is Forebay.
    pub pool: Option<SharedPool>,
    /// The folder in which every folder is a bucket, if the server has one.
    bucket_folder: Option<PathBuf>,
    server: Option<Server>,
}

impl ObjectStore {
    /// The server's process, if the lab started it.
    pub fn pid(&self) -> Option<u32> {
        self.server.as_ref().and_then(Server::pid)
    }

    /// The server's resident memory in bytes, if the lab started it.
    pub fn resident(&self) -> Option<u64> {
        usage::of_process(self.pid()?).ok().map(|usage| usage.resident)
    }

    /// Makes an empty bucket, if buckets are folders of this host.
    pub fn create_bucket(&self, name: &str) -> Result<()> {
        let root = self.bucket_folder.as_ref().with_context(|| {
            format!("the lab cannot make a bucket on {}, whose buckets are not folders", self.kind)
        })?;
        fs::create_dir(root.join(name)).with_context(|| format!("make {}", root.join(name).display()))
    }

    /// Stops the server cleanly.
    pub fn stop(mut self) -> Result<()> {
        self.server.take().map_or(Ok(()), |mut server| server.stop(PATIENCE))
    }
}

/// Starts an empty object store.
pub fn start(kind: &StorageKind, environment: &Environment) -> Result<ObjectStore> {
    match kind {
        StorageKind::Forebay => forebay::start(environment),
        StorageKind::Versitygw => versitygw::start(environment),
        StorageKind::Garage => garage::start(environment),
        StorageKind::Minio => minio::start(environment),
        StorageKind::Url(url) => existing(url),
        other => bail!("{other} is not an object store"),
    }
}

/// An object store that the lab did not start.
fn existing(url: &str) -> Result<ObjectStore> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let needed = |name: &str| {
        variable(name).with_context(|| format!("{name} is not set: the key for {url} is read from it"))
    };
    let region = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION"));
    Ok(ObjectStore {
        kind: StorageKind::Url(url.to_owned()),
        endpoint: url.to_owned(),
        region: region.unwrap_or_else(|| REGION.to_owned()),
        key: AccessKey { id: needed("AWS_ACCESS_KEY_ID")?, secret: needed("AWS_SECRET_ACCESS_KEY")? },
        versions: Vec::new(),
        command: None,
        pool: None,
        bucket_folder: None,
        server: None,
    })
}

/// Ports of the loopback address that nothing uses now. Another program can take one before the server does; the server then ends, and the
/// run says so.
fn free_ports<const COUNT: usize>() -> Result<[u16; COUNT]> {
    // All are open at once, so that they differ.
    let mut listeners = Vec::with_capacity(COUNT);
    let mut ports = [0; COUNT];
    for port in &mut ports {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("find a free port on 127.0.0.1")?;
        *port = listener.local_addr().context("find a free port on 127.0.0.1")?.port();
        listeners.push(listener);
    }
    Ok(ports)
}

/// Starts a server with a log, and waits until it listens on the port.
fn run(name: &'static str, command: &mut Command, environment: &Environment, port: u16) -> Result<Server> {
    let log = environment.logs().join(format!("{name}.log"));
    let file = File::create(&log).with_context(|| format!("create {}", log.display()))?;
    let mut server = Server::new(name);
    server.start(command, file)?;
    server
        .wait_for_port(Ipv4Addr::LOCALHOST, port, PATIENCE)
        .with_context(|| format!("{name} did not come up; its log is {}", log.display()))?;
    Ok(server)
}

/// The words of a command, for a report.
fn words(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or_default().to_owned();
    let arguments = command.get_args().map(|word| word.to_string_lossy().into_owned());
    std::iter::once(program).chain(arguments).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_ports_differ() {
        let mut ports: [u16; 8] = free_ports().unwrap();
        ports.sort_unstable();
        assert!(ports.windows(2).all(|pair| pair[0] < pair[1]) && ports[0] > 0, "{ports:?}");
    }

    #[test]
    fn a_report_names_the_program_without_its_folder() {
        let mut command = Command::new("/opt/cache/bin/versitygw");
        assert_eq!(words(command.args(["posix", "/srv/a"])), "versitygw posix /srv/a");
    }
}
