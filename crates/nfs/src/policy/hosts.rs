//! What the host names of rules stand for.
//!
//! Names are looked up in the background and again every [`REFRESH_PERIOD`], never while a request waits. What
//! a name stood for last is kept in the pool: after a restart, or while the name service is down, it stands
//! for that. Until a new name was looked up for the first time, clients that it matters to are told to ask
//! again; a name that was never found stands for nobody.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;

use super::Policies;
use super::record::ADDRESSES_MAX;
use super::rule::HostAddresses;
use crate::shared::Shared;

/// How often names are looked up.
const REFRESH_PERIOD: Duration = Duration::from_secs(30);
/// How long a look-up may take.
const LOOKUP_TIME_MAX: Duration = Duration::from_secs(10);
/// Look-ups at a time.
const LOOKUPS_MAX: usize = 8;

/// What is known of the names.
#[derive(Default)]
pub(super) struct Hosts {
    names: BTreeMap<String, Host>,
}

#[derive(Default)]
struct Host {
    /// `None` before the first look-up has ended.
    addresses: Option<Vec<IpAddr>>,
    failing: bool,
}

impl HostAddresses for Hosts {
    fn addresses(&self, host: &str) -> Option<&[IpAddr]> {
        self.names.get(host)?.addresses.as_deref()
    }
}

impl Hosts {
    /// Takes up new names, and forgets those that no rule has any more; returns these.
    pub fn keep(&mut self, names: &BTreeSet<String>) -> Vec<String> {
        let unused: Vec<String> = self.names.keys().filter(|name| !names.contains(*name)).cloned().collect();
        self.names.retain(|name, _| names.contains(name));
        for name in names {
            self.names.entry(name.clone()).or_default();
        }
        unused
    }

    /// What a name stood for when the server last ran.
    pub fn remember(&mut self, name: &str, addresses: Vec<IpAddr>) {
        if let Some(host) = self.names.get_mut(name) {
            host.addresses = Some(addresses);
        }
    }

    pub fn names(&self) -> Vec<String> {
        self.names.keys().cloned().collect()
    }

    /// Takes note of what a look-up found; true if that changes what the name stands for.
    pub fn learn(&mut self, name: &str, found: Result<Vec<IpAddr>, String>) -> bool {
        let Some(host) = self.names.get_mut(name) else { return false };
        let addresses = match found {
            Ok(addresses) => {
                host.failing = false;
                addresses
            }
            Err(error) => {
                if !host.failing {
                    let known = host.addresses.as_deref().unwrap_or_default();
                    tracing::warn!(host = name, error, ?known, "a host of an export policy cannot be found");
                }
                host.failing = true;
                host.addresses.clone().unwrap_or_default()
            }
        };
        let changed = host.addresses.as_ref() != Some(&addresses);
        host.addresses = Some(addresses);
        changed
    }

    /// What a name stands for, if that was found out.
    pub fn found(&self, name: &str) -> Option<Vec<IpAddr>> {
        self.names.get(name).and_then(|host| host.addresses.clone())
    }
}

/// Where addresses come from.
#[derive(Clone, Debug, Default)]
pub struct Resolver(Source);

#[derive(Clone, Debug, Default)]
enum Source {
    /// What the system is configured to use: files, DNS.
    #[default]
    System,
    Fixed(Arc<Mutex<HashMap<String, Vec<IpAddr>>>>),
}

impl Resolver {
    /// What the system uses.
    pub fn system() -> Resolver {
        Resolver::default()
    }

    /// A resolver for tests, that knows no names but those of [`Resolver::set`].
    pub fn fixed() -> Resolver {
        Resolver(Source::Fixed(Arc::default()))
    }

    /// Changes what a name stands for. The system's resolver does not heed this.
    pub fn set(&self, name: &str, addresses: &[IpAddr]) {
        if let Source::Fixed(known) = &self.0 {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(name.to_owned(), addresses.to_vec());
        }
    }

    /// Makes a name unknown. The system's resolver does not heed this.
    pub fn forget(&self, name: &str) {
        if let Source::Fixed(known) = &self.0 {
            known.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        }
    }

    /// The addresses of a host, sorted.
    async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, String> {
        let found = match &self.0 {
            Source::Fixed(known) => {
                let known = known.lock().unwrap_or_else(PoisonError::into_inner);
                known.get(name).cloned().ok_or_else(|| "no such host".to_owned())?
            }
            Source::System => {
                let addresses = tokio::time::timeout(LOOKUP_TIME_MAX, tokio::net::lookup_host((name, 0)));
                let addresses = addresses.await.map_err(|_| "the name service does not answer".to_owned())?;
                addresses.map_err(|error| error.to_string())?.map(|address| address.ip()).collect()
            }
        };
        let unique: BTreeSet<IpAddr> = found.into_iter().map(|address| address.to_canonical()).collect();
        Ok(unique.into_iter().take(ADDRESSES_MAX).collect())
    }
}

/// Keeps the addresses of all host names up to date; runs until it is dropped.
pub(crate) async fn run(server: Arc<Shared>) {
    let clock = &server.config.clock;
    loop {
        refresh(&server.policies, &server.config.resolver).await;
        tokio::select! {
            () = clock.sleep_until(clock.now().saturating_add(REFRESH_PERIOD)) => {}
            () = server.policies.names_changed() => {}
        }
    }
}

async fn refresh(policies: &Policies, resolver: &Resolver) {
    let mut names = policies.host_names().into_iter();
    let mut lookups = JoinSet::new();
    loop {
        while lookups.len() < LOOKUPS_MAX
            && let Some(name) = names.next()
        {
            let resolver = resolver.clone();
            lookups.spawn(async move {
                let found = resolver.look_up(&name).await;
                (name, found)
            });
        }
        match lookups.join_next().await {
            Some(Ok((name, found))) => policies.learn_host(&name, found).await,
            Some(Err(error)) => tracing::error!(%error, "the look-up of a host failed"),
            None => return,
        }
    }
}
