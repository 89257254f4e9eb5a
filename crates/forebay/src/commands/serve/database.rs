//! A pool whose metadata lies in a database: waits for its lease, opens it, and gives it up.

use std::fs::File;
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, anyhow, bail};
use forebay_address::{Mac, Options, ServiceAddress};
use forebay_net::Answers;
use forebay_ownership::{Beats, Connections, Node, Owner, Phase, Takeover};
use forebay_pool::store::{Backends, FileSegments, FileSystemRoom, Notes};
use forebay_pool::{Pool, PoolOptions};
use forebay_pool_postgres::{
    Candidacy, Database, Lease, LeaseOptions, Leaving, PostgresMeta, PostgresOptions, Request, TakenFrom,
    Tenure, name_of,
};
use forebay_pool_s3::{BucketOptions, BucketRoom, BucketSegments, CacheOptions};
use rustix::fs::FlockOperation;
use tokio::sync::watch::Receiver;

use super::connections::ListWriter;
use super::notify::Notifier;
use super::signals::Shutdown;
use crate::config::{Config, DatabaseConfig, Place};

/// The most bytes of an object that is a segment. It is stored with one request.
const OBJECT_BYTES_MAX: u64 = 32 << 20;

/// Exit status of a process that another one has taken the pool from.
const STATUS_DEPOSED: i32 = 75;

/// The lease is taken at the first look if it is free or this machine's own. Who waits for longer does not have the addresses.
const FIRST_LOOKS_MAX: Duration = Duration::from_secs(2);
/// How long removing the addresses may take before the process ends.
const REMOVAL_MAX: Duration = Duration::from_secs(1);
/// How often it is asked who else has an address, while the lease cannot be renewed.
const ADDRESS_LOOK_EVERY: Duration = Duration::from_millis(500);
/// How often it is looked whether machines still answer that had an address without the pool.
const PASSED_OVER_LOOK_EVERY: Duration = Duration::from_secs(10);

/// The lease of a pool, and what else this process has while it serves the pool.
pub struct Leased {
    lease: Lease,
    database: Database,
    record: Arc<Record>,
    /// Locked as long as this process lives: the next one on this machine may take the lease at once.
    _lock: File,
}

/// This node as the owner, for people and for metrics.
pub struct Record {
    owner: Mutex<Owner>,
    tenure: Arc<Tenure>,
}

impl Record {
    /// The last renewal of the lease.
    pub fn beats(&self) -> Beats {
        let owner = self.owner.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Beats { owner, age: self.tenure.renewal_age(), failures: self.tenure.failures() }
    }
}

/// The owner that a node becomes with its takeover. The takeover itself is the fence: from its commit on, the owner before can commit nothing.
fn owner_of(node: &Node, taken: &TakenFrom) -> Owner {
    let is_silent = !taken.silent.is_zero();
    let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Owner {
        node: node.clone(),
        instance: String::new(),
        phase: Phase::Opening,
        address: None,
        beat: 0,
        since: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        takeover: Takeover {
            from: taken.from.as_deref().map(name_of).map(str::to_owned),
            silent_ms: milliseconds(taken.silent),
            fence_ms: is_silent.then(|| milliseconds(taken.took)),
            open_ms: None,
            address_ms: None,
        },
        moves: false,
    }
}

/// The database of the settings.
pub fn database_of(config: &DatabaseConfig) -> Result<Database> {
    let (url, name) =
        config.metadata.as_deref().zip(config.name.as_deref()).context("pool.metadata is not set")?;
    let database = Database::of(url, name).map_err(|error| anyhow!("{error}"))?;
    with_password_of(database, "pool.metadata_password_file", config.password_file.as_deref())
}

/// The database with the password in a file, if there is one. `setting` names the file's setting in errors.
pub fn with_password_of(database: Database, setting: &str, file: Option<&Path>) -> Result<Database> {
    let Some(file) = file else { return Ok(database) };
    let text =
        std::fs::read_to_string(file).map_err(|error| anyhow!("{setting} {}: {error}", file.display()))?;
    Ok(database.with_password(text.lines().next().unwrap_or_default()))
}

/// The segments in a bucket, with a cache on this machine.
pub fn bucket_of(config: &Config, bucket: &str, prefix: &str) -> Result<BucketSegments> {
    let address = config.object_store.address(bucket, prefix)?;
    let own = || config.pool.directory.join("bucket-cache");
    let directory = config.object_store.cache_directory.clone().unwrap_or_else(own);
    let cache = CacheOptions {
        directory: (config.object_store.cache_size > 0).then_some(directory),
        disk_bytes: config.object_store.cache_size,
        ..CacheOptions::default()
    };
    let options = BucketOptions { cache, ..BucketOptions::default() };
    BucketSegments::open(address, options).map_err(|error| anyhow!("{error}"))
}

/// The stores of the pool that this process has the lease of, and how to open it.
pub fn backends_of(config: &Config, database: &Database, lease: &Lease) -> Result<(Backends, PoolOptions)> {
    let metadata = PostgresMeta::open(database, lease.owned(), PostgresOptions::default());
    let metadata = Arc::new(metadata.map_err(|error| anyhow!("{error}"))?);
    let mut options = PoolOptions { copies_directory: None, ..config.pool.options() };
    let backends = match &config.pool.database.segments {
        Some(Place::Bucket { bucket, prefix }) => {
            let store = bucket_of(config, bucket, prefix)?;
            options.segment_bytes = options.segment_bytes.min(OBJECT_BYTES_MAX);
            options.keep_dead_segments = Duration::from_secs(config.object_store.keep_deleted_hours * 3600);
            let notes = Some(Notes::Store(Box::new(store.notes())));
            Backends { metadata, segments: Arc::new(store), room: Box::new(BucketRoom), notes }
        }
        Some(Place::Directory(segments)) => Backends {
            metadata,
            segments: Arc::new(FileSegments::open(segments, config.pool.direct_io)),
            room: Box::new(FileSystemRoom(segments.clone())),
            notes: Some(Notes::Directory(segments.clone())),
        },
        None => bail!("pool.segments is not set"),
    };
    Ok((backends, options))
}

/// Names the pool in a refusal, whose type determines the exit status.
pub fn in_database(error: forebay_pool::Error, database: &Database) -> anyhow::Error {
    match error {
        error @ forebay_pool::Error::Refused { .. } => error.in_pool_at(&name_in(database)).into(),
        error => anyhow!("{error}"),
    }
}

/// The pool and its database, for people.
pub fn name_in(database: &Database) -> String {
    format!("{} in {}", database.name(), database.place())
}

impl Leased {
    /// Waits until this process may serve the pool; none if a stop was requested meanwhile.
    pub async fn wait(config: &Config, node: &Node, shutdown: &Shutdown) -> Result<Option<Leased>> {
        let database = database_of(&config.pool.database)?;
        if let Some(Place::Directory(segments)) = &config.pool.database.segments {
            require_directory(segments)?;
        }
        let directory = &config.pool.directory;
        let lock = lock(directory)?;
        // The same machine since the same start, and the same lock. Containers may have one name and one path for different files.
        let place = directory.canonicalize().unwrap_or_else(|_| directory.clone());
        let file =
            lock.metadata().map_or_else(|_| String::new(), |file| format!(" {}:{}", file.dev(), file.ino()));
        let identity = format!("{} {} {}{file}", node.name, node.boot, place.display());
        let candidacy = Candidacy { node: identity, restarts: true, priority: config.node.priority };
        Notifier::from_environment().ready("waiting for the pool: another node may serve it");
        let stop = Arc::new(AtomicBool::new(false));
        let (waiting_for, stopping, addresses) =
            (database.clone(), stop.clone(), config.node.addresses.clone());
        let mut waiting = tokio::task::spawn_blocking(move || {
            let on_loss = move |owner: &str| deposed(owner, addresses.clone());
            Lease::wait(&waiting_for, candidacy, LeaseOptions::default(), &stopping, on_loss)
        });
        let (mut has_looked, first_looks) = (false, tokio::time::sleep(FIRST_LOOKS_MAX));
        tokio::pin!(first_looks);
        let taken = loop {
            tokio::select! {
                taken = &mut waiting => break taken.context("the thread that waits for the pool ended")?,
                () = shutdown.clone().requested() => {
                    stop.store(true, Ordering::Release);
                    return Ok(None);
                }
                () = &mut first_looks, if !has_looked => {
                    has_looked = true;
                    remove_leftover(&config.node.addresses).await;
                }
            }
        };
        let Some(lease) = taken.map_err(|error| anyhow!("{error}"))? else { return Ok(None) };
        let owner = owner_of(node, lease.taken_from());
        if let Takeover { from: Some(from), silent_ms, .. } = &owner.takeover {
            tracing::info!(from, silent_ms, "this node takes the pool");
        }
        let record = Arc::new(Record { owner: Mutex::new(owner), tenure: lease.tenure() });
        Ok(Some(Leased { lease, database, record, _lock: lock }))
    }

    /// This node as the owner.
    pub fn record(&self) -> Arc<Record> {
        self.record.clone()
    }

    /// The database and the pool.
    pub fn database(&self) -> Database {
        self.database.clone()
    }

    /// Requests in the database to hand the pool over.
    pub fn requests(&self) -> Receiver<Option<Request>> {
        self.lease.requests()
    }

    /// Records that clients are served at this address, and how long that took.
    pub fn serving(&self, address: Option<SocketAddr>, open_ms: u64, address_ms: u64) {
        {
            let mut owner = self.record.owner.lock().unwrap_or_else(PoisonError::into_inner);
            (owner.phase, owner.address) = (Phase::Serving, address);
            (owner.takeover.open_ms, owner.takeover.address_ms) = (Some(open_ms), Some(address_ms));
        }
        self.lease.serving(open_ms, address_ms);
    }

    /// Opens the pool.
    pub async fn open(&self, config: &Config) -> Result<Pool> {
        let (backends, options) = backends_of(config, &self.database, &self.lease)?;
        Pool::open_on(backends, options).await.map_err(|error| in_database(error, &self.database))
    }

    /// Until when it is certain that this process has the pool.
    pub fn tenure(&self) -> Arc<Tenure> {
        self.lease.tenure()
    }

    /// Holds answers while it is not certain that this process has the pool.
    pub fn answers(&self) -> Answers {
        let tenure = self.lease.tenure();
        Answers::while_true(move || tenure.holds())
    }

    /// The connections of clients to the owner before, as far as it has told.
    pub fn inherited(&self) -> Connections {
        Connections::decode(self.lease.inherited_clients()).unwrap_or_default()
    }

    /// Where this node tells the next one about its clients.
    pub fn list_writer(&self) -> Result<ListWriter> {
        let clients = self.lease.clients().map_err(|error| anyhow!("{error}"))?;
        Ok(Arc::new(move |list| clients.tell(list.encode()).map_err(|error| error.to_string())))
    }

    /// Ends the process if another machine answers for an address while the lease cannot be renewed: it can only have taken the pool, and
    /// clients must not find this node any more. It cannot be asked in the database, which this node does not reach. The machines that were passed
    /// over when this node took the address answer for it without having the pool.
    pub fn yield_addresses(&self, addresses: Vec<ServiceAddress>, mut passed_over: Vec<Mac>) {
        let tenure = self.lease.tenure();
        let once = Options { probes: 1, ..Options::default() };
        tokio::spawn(async move {
            let mut looked = Instant::now();
            loop {
                tokio::time::sleep(ADDRESS_LOOK_EVERY).await;
                if tenure.holds() {
                    if !passed_over.is_empty() && looked.elapsed() >= PASSED_OVER_LOOK_EVERY {
                        looked = Instant::now();
                        passed_over = still_there(&addresses, &passed_over, &once).await;
                    }
                    continue;
                }
                for address in &addresses {
                    if let Ok(Some(mac)) = forebay_address::other_owner(address, &once).await
                        && !passed_over.contains(&mac)
                        && !tenure.holds()
                    {
                        tracing::error!(%address, %mac, "another machine has the pool's address, so it has the pool; stopping at once");
                        leave(addresses.clone());
                    }
                }
            }
        });
    }

    /// Lets others take the pool, which must be closed.
    pub fn release(self, leaving: Leaving) -> Result<()> {
        let released = tokio::task::block_in_place(|| self.lease.release(leaving));
        released.map_err(|error| anyhow!("the other nodes do not know that the pool is released: {error}"))
    }
}

/// Ends the process at once: what it still answered could be wrong. Clients must not find it any more either.
fn deposed(owner: &str, addresses: Vec<ServiceAddress>) {
    tracing::error!(node = name_of(owner), "another node has taken the pool; stopping at once");
    leave(addresses);
}

/// Removes the addresses and ends the process.
fn leave(addresses: Vec<ServiceAddress>) {
    // In a thread of its own: whoever calls this may be a task, whose runtime must not be waited for.
    let (done, removed) = std::sync::mpsc::sync_channel(1);
    std::thread::spawn(move || {
        if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
            runtime.block_on(remove_leftover(&addresses));
        }
        let _ = done.send(());
    });
    let _ = removed.recv_timeout(REMOVAL_MAX);
    std::process::exit(STATUS_DEPOSED);
}

/// Those of some machines that still answer for an address. The others may get it later, with the pool.
async fn still_there(addresses: &[ServiceAddress], known: &[Mac], once: &Options) -> Vec<Mac> {
    let mut there = Vec::new();
    for address in addresses {
        match forebay_address::other_owner(address, once).await {
            Ok(mac) => there.extend(mac.filter(|mac| known.contains(mac))),
            Err(_) => return known.to_vec(),
        }
    }
    there
}

/// Removes addresses that this machine has although another one serves the pool.
async fn remove_leftover(addresses: &[ServiceAddress]) {
    for address in addresses {
        if !matches!(forebay_address::check(address).await, Ok(true)) {
            continue;
        }
        match forebay_address::release(address).await {
            Ok(()) => {
                tracing::warn!(%address, "the address was left here and is removed: another node serves the pool")
            }
            Err(error) => tracing::error!(%error, "an address was left here; remove it"),
        }
    }
}

/// A shared file system that is not mounted must not become a pool.
pub fn require_directory(segments: &Path) -> Result<()> {
    if !segments.is_dir() {
        bail!(
            "pool.segments {}: there is no such directory; mount the file system that all nodes share, or create it",
            segments.display()
        );
    }
    Ok(())
}

fn lock(directory: &Path) -> Result<File> {
    std::fs::create_dir_all(directory).map_err(|error| {
        anyhow!(
            "{}: {error}; the daemon's directory must be writable; choose another with --pool-directory",
            directory.display()
        )
    })?;
    if Pool::is_in(directory) {
        bail!(
            "{}: holds a pool itself; a daemon of a pool in a database needs a directory of its own: choose another with --pool-directory",
            directory.display()
        );
    }
    let path = directory.join("LOCK");
    let opened = File::options().create(true).truncate(false).write(true).mode(0o600).open(&path);
    let file = opened.map_err(|error| anyhow!("{}: {error}", path.display()))?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::WOULDBLOCK) => bail!(
            "{}: in use by another daemon; stop it first, or choose another directory with --pool-directory",
            directory.display()
        ),
        Err(error) => bail!("{}: {error}", path.display()),
    }
}
