//! `forebay serve`: opens the pool, starts the servers on it, and closes everything in order.
//!
//! What must hold: whatever ends the daemon in an orderly way, a signal or a failure, the pool is closed last,
//! after nobody can reach it any more; and every failure is one line that says what to do.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use forebay_nfs::{Server, ServerError, Shared, Tls};
use forebay_pool::{Pool, VolumeSpec};
use rustix::fs::Mode;
use rustix::process::{Resource, getrlimit, setrlimit, umask};
use tokio::signal::unix::Signal;

use crate::admin::check_socket_path;
use crate::admin::commands::Daemon;
use crate::admin::server::AdminServer;
use crate::config::{Config, ConfigError, PoolConfig};
use crate::signals::{self, Shutdown, Trigger};
use crate::{logging, output};

/// How long work that nobody waits for may still take when everything is closed.
const LEFTOVER_WORK_MAX: Duration = Duration::from_secs(5);

/// Files that the pool may have open: segments, tables of metadata, journals.
const FILES_OF_POOL: u64 = 1024;

/// Where the pool keeps what this file must remember, and under which key it is that the default volume was
/// made once: it must not come back after someone deleted it.
const RECORDS: &str = "forebay";
const DEFAULT_VOLUME_MADE: &[u8] = b"default-volume-made";

/// Serves until a signal asks to stop.
pub fn run(config: &Config) -> Result<()> {
    // Everything the daemon makes, the admin socket above all, is for its own user only.
    umask(Mode::from_raw_mode(0o077));
    logging::start(&config.log)?;
    let files_max = raise_file_limit();
    let runtime = tokio::runtime::Runtime::new().context("the asynchronous runtime cannot be started")?;
    let result = runtime.block_on(serve(config, files_max));
    runtime.shutdown_timeout(LEFTOVER_WORK_MAX);
    result
}

async fn serve(config: &Config, files_max: u64) -> Result<()> {
    check_socket_path(&config.admin_socket())?;
    let (trigger, shutdown) = signals::watch()?;
    let pool = tokio::select! {
        pool = open_pool(&config.pool) => pool?,
        () = shutdown.clone().requested() => return Ok(()),
    };
    let nfs_config = nfs_config(config, files_max);
    let served = serve_pool(config, nfs_config, &pool, &trigger, &shutdown).await;
    let closed = pool.close().await.map_err(|error| anyhow!("the pool was not closed cleanly: {error}"));
    served.and(closed)?;
    tracing::info!("stopped");
    Ok(())
}

async fn serve_pool(
    config: &Config,
    nfs_config: forebay_nfs::Config,
    pool: &Pool,
    trigger: &Trigger,
    shutdown: &Shutdown,
) -> Result<()> {
    make_default_volume(pool).await.map_err(|error| anyhow!("volume kafka cannot be made: {error}"))?;
    let nfs = Server::bind(pool.clone(), config.nfs.listen, nfs_config).await.map_err(explain)?;
    let address = nfs.local_addr();
    let daemon = Daemon { nfs: nfs.shared(), directory: config.pool.directory.clone() };
    let reloading = tokio::spawn(reload_when_asked(nfs.shared(), signals::reloads()?));
    let admin = AdminServer::bind(config.admin_socket(), daemon)?;
    let admin = tokio::spawn(admin.run(shutdown.clone().requested()));
    tracing::info!(%address, pool = %config.pool.directory.display(), boot = pool.boot(), "serving");
    output::print(&ready_line(pool, address))?;

    let served = nfs.run(shutdown.clone().requested()).await;
    reloading.abort();
    trigger.shut_down();
    admin.await.context("the admin socket's server failed")?;
    served.map_err(|error| anyhow!("the NFS server failed: {error}"))
}

/// Opens the pool as it is configured.
pub async fn open_pool(config: &PoolConfig) -> Result<Pool> {
    Pool::open(&config.directory, config.options()).await.map_err(|error| match error {
        forebay_pool::Error::Io { .. } => {
            anyhow!("{error}; the pool's directory must be writable, choose another with --pool-directory")
        }
        error => anyhow!("{error}"),
    })
}

/// Makes the volume `kafka` in a new pool, once in the pool's life.
async fn make_default_volume(pool: &Pool) -> forebay_pool::Result<()> {
    if pool.records(RECORDS)?.iter().any(|(key, _)| key == DEFAULT_VOLUME_MADE) {
        return Ok(());
    }
    // As a new local file system would be: root owns it, and gives it to the brokers' user with chown.
    let spec = VolumeSpec::new("kafka", "/kafka");
    match pool.volume_create(spec).await {
        // A crash came between the two steps below.
        Ok(_) | Err(forebay_pool::Error::Exists(_)) => {}
        Err(error) => return Err(error),
    }
    pool.record_put(RECORDS, DEFAULT_VOLUME_MADE, b"").await
}

/// At every SIGHUP reads the certificates again, and forgets what the database said of users and groups.
async fn reload_when_asked(nfs: Arc<Shared>, mut asked: Signal) {
    while asked.recv().await.is_some() {
        nfs.identities.forget();
        match nfs.tls.as_ref().map(Tls::reload) {
            None => tracing::info!(
                "SIGHUP: users and groups are looked up anew; there are no certificates to read"
            ),
            Some(Ok(())) => tracing::info!("SIGHUP: certificates were read again"),
            Some(Err(error)) => {
                tracing::error!(%error, "SIGHUP: certificates cannot be read again; the old ones stay in use");
            }
        }
    }
}

fn nfs_config(config: &Config, files_max: u64) -> forebay_nfs::Config {
    let connections_max = config.nfs.connections_max.min(connections_for(files_max));
    if connections_max < config.nfs.connections_max {
        tracing::warn!(
            files_max,
            connections_max,
            "nfs.connections_max is more than the limit of open files allows: raise it (LimitNOFILE= in the unit, or ulimit -Hn)"
        );
    }
    forebay_nfs::Config {
        lease_seconds: config.nfs.lease_seconds,
        grace_seconds: config.nfs.grace_seconds,
        connections_max,
        connections_per_client_max: config.nfs.connections_per_client_max,
        tls: config.nfs.tls(),
        id_domain: config.nfs.id_domain.clone(),
        owner_names: config.nfs.owner_names,
        requests_bytes_max: usize::try_from(config.nfs.requests_max).unwrap_or(usize::MAX),
        ..forebay_nfs::Config::default()
    }
}

/// Says what an operator can do about an NFS server that cannot be started.
fn explain(error: ServerError) -> anyhow::Error {
    let (address, source) = match error {
        ServerError::Bind { address, source } => (address, source),
        ServerError::Tls(error) => return ConfigError::new(format!("nfs.tls_…: {error}")).into(),
        error => return anyhow!("{error}"),
    };
    let (cause, remedy) = match source.kind() {
        ErrorKind::AddrInUse => (
            "the port is in use".to_owned(),
            "stop the other NFS server (`ss -ltnp` shows it), or choose another port with --nfs-listen",
        ),
        ErrorKind::PermissionDenied => (
            "not permitted".to_owned(),
            "ports below 1024 need root or CAP_NET_BIND_SERVICE; choose a higher one with --nfs-listen",
        ),
        ErrorKind::AddrNotAvailable => (
            "this machine does not have the address".to_owned(),
            "choose one of its own (`ip address` shows them), or 0.0.0.0, with --nfs-listen",
        ),
        _ => (source.to_string(), "choose another address with --nfs-listen"),
    };
    anyhow!("nfs.listen {address}: {cause}; {remedy}")
}

/// The line that says that clients can connect, and what to type there.
fn ready_line(pool: &Pool, address: SocketAddr) -> String {
    let Some(volume) = pool.volumes().into_iter().next() else {
        return "ready: there is no volume yet; make one with `forebay volume create NAME`\n".to_owned();
    };
    let host = if address.ip().is_unspecified() {
        rustix::system::uname().nodename().to_string_lossy().into_owned()
    } else if address.is_ipv6() {
        format!("[{}]", address.ip())
    } else {
        address.ip().to_string()
    };
    let port = if address.port() == 2049 { String::new() } else { format!(",port={}", address.port()) };
    let path = volume.spec.junction_path;
    format!(
        "ready: on a client, as root: mount -t nfs -o vers=4.2,hard,nconnect=4{port} {host}:{path} /mnt\n"
    )
}

/// Lets the daemon have as many files and connections open as the system allows it; returns how many.
fn raise_file_limit() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // Where this is forbidden the smaller limit stays, which serves small installations well.
    let _ = setrlimit(Resource::Nofile, limit);
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// How many connections there may be if the daemon may have so many files open: the pool needs some, and must never be without.
fn connections_for(files_max: u64) -> usize {
    let pool = (files_max / 8).max(FILES_OF_POOL.min(files_max / 2));
    usize::try_from(files_max.saturating_sub(pool)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_to_the_pool() {
        assert_eq!(connections_for(1024), 512);
        assert_eq!(connections_for(4096), 3072);
        assert_eq!(connections_for(20_000), 17_500);
        assert!(connections_for(u64::MAX) > 1 << 40);
    }
}
