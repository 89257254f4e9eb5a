//! A pool that several machines can serve: waits until this one may, moves the addresses, and lets others know.
//!
//! What must hold: the pool is opened only with a claim; it is said to be released only after it was closed; and a process that learns that
//! another machine has the pool ends at once.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use forebay_address::{Held, Hook, HookError, Mac, Options, ServiceAddress};
use forebay_net::Answers;
use forebay_nfs::Endpoints;
use forebay_ownership::{Beats, Claim, Connections, Holder, Node, Owner, Standby, Takeover, check_directory};
use forebay_pool::{Permit, Pool};
use forebay_pool_postgres::Leaving;
use tokio::sync::watch::Receiver;
use tokio::task::JoinHandle;

use super::connections;
use super::database::Leased;
use super::notify::Notifier;
use super::signals::Shutdown;
use crate::commands::init::open_pool;
use crate::config::{Config, NodeConfig};

/// Exit status of a process that another machine has taken the pool from.
const STATUS_DEPOSED: i32 = 75;
/// How long another machine may still answer for an address after its node was fenced.
const ADDRESS_PATIENCE: Duration = Duration::from_secs(20);

/// How often an address is announced, a second apart, that a machine without the pool still answers for.
const DEFENCES: u32 = 300;

/// This machine, while it has the pool.
pub struct Owning {
    config: NodeConfig,
    name: String,
    holder: Option<Arc<Holder>>,
    /// The lease, if the pool's metadata lies in a database.
    leased: Option<Leased>,
    held: Vec<Held>,
    /// Machines that answer for an address without having the pool.
    passed_over: Vec<Mac>,
    /// The connections of clients to the last owner.
    inherited: Connections,
    /// The addresses and the program are to be undone.
    is_acquired: bool,
    claimed: Instant,
    was_fenced: bool,
}

impl Owning {
    /// Waits until this machine may open the pool; none if a stop was requested meanwhile.
    pub async fn wait(config: &Config, shutdown: &Shutdown) -> Result<Option<Owning>> {
        let (node, directory) = (config.node.clone(), &config.pool.directory);
        for program in [&node.fence, &node.on_acquire, &node.on_release].into_iter().flatten() {
            hook(&node, program).check().map_err(|error| anyhow!("{error}"))?;
        }
        let here = Node::here(node.name.as_deref())?;
        let name = here.name.clone();
        if config.pool.database.metadata.is_some() {
            let Some(leased) = Leased::wait(config, &here, shutdown).await? else { return Ok(None) };
            let inherited = leased.inherited();
            let owning = Owning::new(node, name, None, false);
            return Ok(Some(Owning { leased: Some(leased), inherited, ..owning }));
        }
        if !node.standby {
            require_unshared(directory)?;
            return Ok(Some(Owning::new(node, name, None, false)));
        }
        check_directory(directory, node.any_file_system)?;
        let standby = Standby { directory: directory.clone(), node: here, witness: node.witness };
        let notifier = Notifier::from_environment();
        notifier.ready("standby: another node serves the pool, or its state is being examined");
        let program = node.fence.as_deref().context("node.fence is not set")?;
        let claim = tokio::select! {
            claim = standby.wait(|owner| fence(hook(&node, program), owner)) => claim?,
            () = shutdown.clone().requested() => return Ok(None),
        };
        notifier.ready("taking the pool");
        let was_fenced = claim.takeover().fence_ms.is_some();
        tell_claim(&claim);
        let inherited = claim.connections().clone();
        let holder = Arc::new(claim.hold(deposed)?);
        Ok(Some(Owning { inherited, ..Owning::new(node, name, Some(holder), was_fenced) }))
    }

    fn new(config: NodeConfig, name: String, holder: Option<Arc<Holder>>, was_fenced: bool) -> Owning {
        Owning {
            config,
            name,
            holder,
            leased: None,
            held: Vec::new(),
            passed_over: Vec::new(),
            inherited: Connections::default(),
            is_acquired: false,
            claimed: Instant::now(),
            was_fenced,
        }
    }

    /// Who owns the pool, if several machines can serve it.
    fn holder(&self) -> Option<Arc<Holder>> {
        self.holder.clone()
    }

    /// Reads the last sign of life that this machine gave the others, if there can be others.
    pub fn beats(&self) -> Option<Box<dyn Fn() -> Beats + Send + Sync>> {
        match (self.holder(), &self.leased) {
            (Some(holder), _) => Some(Box::new(move || holder.beats())),
            (None, Some(leased)) => {
                let record = leased.record();
                Some(Box::new(move || record.beats()))
            }
            (None, None) => None,
        }
    }

    /// The lease, if the pool's metadata lies in a database.
    pub fn leased(&self) -> Option<&Leased> {
        self.leased.as_ref()
    }

    /// How the pool came to this machine.
    fn takeover(&self) -> Option<Takeover> {
        self.beats().map(|beats| beats().owner.takeover)
    }

    /// What the pool asks before each change of its files: another machine may have taken it while this process was stopped.
    pub fn permit(&self) -> Permit {
        match self.holder() {
            Some(holder) => Permit::asking(move || holder.confirm().map_err(|error| error.to_string())),
            None => Permit::default(),
        }
    }

    /// Whether another node may take the pool.
    pub fn is_shared(&self) -> bool {
        self.holder.is_some() || self.leased.is_some()
    }

    /// When answers may be sent.
    pub fn answers(&self) -> Answers {
        self.leased.as_ref().map(Leased::answers).unwrap_or_default()
    }

    /// Opens the pool.
    pub async fn open(&self, config: &Config) -> Result<Pool> {
        match &self.leased {
            Some(leased) => leased.open(config).await,
            None => open_pool(&config.pool, self.permit()).await,
        }
    }

    /// Adds the addresses and runs the program, now that the pool is open and `nfs` listens.
    pub async fn acquire(&mut self, nfs: SocketAddr) -> Result<()> {
        let (opened, begun) = (self.claimed.elapsed(), Instant::now());
        self.is_acquired = true;
        for address in self.config.addresses.clone() {
            let held = self.acquire_address(&address).await?;
            tracing::info!(%address, was_present = held.was_present(), "address acquired");
            self.held.push(held);
        }
        if let Some(program) = &self.config.on_acquire {
            let ran = hook(&self.config, program).run("acquire", &[&self.name], &[]).await;
            ran.map_err(|error| anyhow!("node.on_acquire: {error}"))?;
        }
        if let Some(leased) = &self.leased {
            leased.yield_addresses(self.config.addresses.clone(), self.passed_over.clone());
        }
        let addresses: Vec<IpAddr> = self.config.addresses.iter().map(ServiceAddress::ip).collect();
        connections::reset(&self.inherited, &addresses);
        let ip = self.config.addresses.first().map_or(nfs.ip(), ServiceAddress::ip);
        // Without an address that moves, nobody but this machine knows where to ask.
        let asked = (!ip.is_unspecified()).then(|| SocketAddr::new(ip, nfs.port()));
        if let Some(leased) = &self.leased {
            leased.serving(asked, milliseconds(opened), milliseconds(begun.elapsed()));
        }
        if let Some(holder) = &self.holder {
            holder.serving(asked, |takeover| {
                takeover.open_ms = Some(milliseconds(opened));
                takeover.address_ms = Some(milliseconds(begun.elapsed()));
            })?;
        }
        Ok(())
    }

    /// Tells the next owner which connections clients have to this one, until the task is ended. `None` if there is no other node.
    pub fn keep_list(&self, open: Receiver<BTreeMap<u64, Endpoints>>) -> Option<JoinHandle<()>> {
        let writer: connections::ListWriter = match (&self.holder, &self.leased) {
            (Some(holder), _) => {
                let holder = holder.clone();
                Arc::new(move |list| holder.record_connections(list).map_err(|error| error.to_string()))
            }
            (None, Some(leased)) => match leased.list_writer() {
                Ok(writer) => writer,
                Err(error) => {
                    tracing::warn!(%error, "if another node takes the pool, clients will notice late");
                    return None;
                }
            },
            (None, None) => return None,
        };
        Some(connections::keep_list(writer, self.inherited.own.clone(), open))
    }

    /// How the pool came from another node, if it did.
    pub fn taken(&self) -> Option<String> {
        let takeover = self.takeover()?;
        let from = takeover.from.filter(|from| *from != self.name)?;
        let fence = takeover.fence_ms.map_or_else(String::new, |ms| format!(", fencing took {ms} ms"));
        Some(format!(
            "node {} took the pool from node {from}, which had been silent for {} ms{fence}; opening took {} ms, the addresses {} ms",
            self.name,
            takeover.silent_ms,
            takeover.open_ms.unwrap_or_default(),
            takeover.address_ms.unwrap_or_default(),
        ))
    }

    /// After a fence, the address may be answered for a moment longer. With a lease nobody was fenced: the machine of an owner that was silent, of
    /// this pool's last owner or of one before, may go on to answer. Then this node takes the address, and announces it for so long that clients
    /// send to it. Whoever has the lease has the right to the address.
    async fn acquire_address(&mut self, address: &ServiceAddress) -> Result<Held> {
        let begun = Instant::now();
        // The node before is off, or has removed it. Clients try again 6.2 s after they lost it, and then only after 12.6 s.
        let takeover = self.takeover();
        let is_moved = takeover.as_ref().is_some_and(|takeover| takeover.from.is_some());
        let quick = Options { probes: 2, probe_interval: Duration::from_millis(100), ..Options::default() };
        let mut options = if is_moved { quick } else { Options::default() };
        loop {
            let tenure = self.leased.as_ref().map(Leased::tenure);
            // A node that took the address from a silent one may become silent itself, while it still announces.
            let is_owner = move || tenure.as_ref().is_none_or(|tenure| tenure.holds());
            match forebay_address::acquire_while(address, &options, is_owner).await {
                Ok(held) => return Ok(held),
                Err(error @ forebay_address::Error::Taken { .. })
                    if self.was_fenced && begun.elapsed() < ADDRESS_PATIENCE =>
                {
                    tracing::warn!(%error, "the fenced node still has the address; trying again");
                }
                Err(error @ forebay_address::Error::Taken { mac, .. })
                    if self.leased.is_some() && is_moved && options.probes > 0 =>
                {
                    tracing::warn!(%error, "the machine of a node that had the pool before still has the address; taking it");
                    self.passed_over.push(mac);
                    options = Options {
                        probes: 0,
                        announcements: DEFENCES,
                        announcement_interval: Duration::from_secs(1),
                        ..Options::default()
                    };
                }
                Err(error) => bail!("node.addresses: {error}"),
            }
        }
    }

    /// Removes the addresses, so that nothing that follows reaches clients: they repeat their requests at the next owner.
    pub async fn release_addresses(&mut self) {
        if !std::mem::take(&mut self.is_acquired) {
            return;
        }
        for held in self.held.drain(..) {
            let address = held.address().clone();
            match held.release().await {
                Ok(()) => tracing::info!(%address, "address released"),
                Err(error) => {
                    tracing::error!(%error, "an address was not removed; remove it before another node takes it")
                }
            }
        }
        if let Some(program) = &self.config.on_release
            && let Err(error) = hook(&self.config, program).run("release", &[&self.name], &[]).await
        {
            tracing::error!(%error, "node.on_release");
        }
    }

    /// Lets the other machines know that the pool is closed.
    pub fn release(self, leaving: Leaving) -> Result<()> {
        let moves = leaving != Leaving::Stopped;
        if let Some(leased) = self.leased {
            return leased.release(leaving);
        }
        match self.holder {
            Some(holder) => {
                holder.release(moves).context("the other nodes do not know that the pool is released")
            }
            None => Ok(()),
        }
    }
}

/// A pool that other machines can take must not be opened without a claim.
fn require_unshared(directory: &Path) -> Result<()> {
    match Owner::read(directory)? {
        None => Ok(()),
        Some(owner) => bail!(
            "pool {}: several nodes can serve it, last {}; start with --standby, or, if that is over, remove {} while no node \
             serves the pool",
            directory.display(),
            owner.node.name,
            directory.join("OWNER").display(),
        ),
    }
}

fn hook(node: &NodeConfig, program: &Path) -> Hook {
    Hook { program: program.to_owned(), timeout: node.program_time_max }
}

async fn fence(program: Hook, owner: Owner) -> Result<(), HookError> {
    program.run("fence", &[&owner.node.name], &[]).await
}

fn tell_claim(claim: &Claim) {
    let takeover = claim.takeover();
    match &takeover.from {
        Some(from) => tracing::info!(
            from,
            silent_ms = takeover.silent_ms,
            fence_ms = takeover.fence_ms,
            "this node takes the pool"
        ),
        None => tracing::info!("this node takes the pool, which no node had before"),
    }
}

/// Ends the process at once: whatever it still wrote could damage the other machine's pool.
fn deposed(owner: &Owner) {
    tracing::error!(node = %owner.node.name, "another node has taken the pool; stopping at once");
    std::process::exit(STATUS_DEPOSED);
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
