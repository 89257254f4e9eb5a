//! Resolves the host names of rules.
//!
//! Names are resolved in the background and again every [`REFRESH_PERIOD`], never while a request waits. The
//! last result is kept in the pool and stays in use after a restart or while the name service is down. Until
//! a new name has been resolved for the first time, clients whose access depends on it are asked to retry. A
//! name that could not be resolved matches no client.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;

use super::Policies;
use super::record::ADDRESSES_MAX;
use super::rule::HostAddresses;
use forebay_service::Clock;

/// How often names are resolved.
const REFRESH_PERIOD: Duration = Duration::from_secs(30);
/// Maximum duration of a lookup.
const LOOKUP_TIME_MAX: Duration = Duration::from_secs(10);
/// Maximum number of concurrent lookups.
const LOOKUPS_MAX: usize = 8;

/// The results for the names.
#[derive(Default)]
pub(super) struct Hosts {
    names: BTreeMap<String, Host>,
}

#[derive(Default)]
struct Host {
    /// `None` before the first lookup has ended.
    addresses: Option<Vec<IpAddr>>,
    failing: bool,
}

impl HostAddresses for Hosts {
    fn addresses(&self, host: &str) -> Option<&[IpAddr]> {
        self.names.get(host)?.addresses.as_deref()
    }
}

impl Hosts {
    /// Adds new names and removes those that no rule uses any more. Returns the removed names.
    pub fn keep(&mut self, names: &BTreeSet<String>) -> Vec<String> {
        let unused: Vec<String> = self.names.keys().filter(|name| !names.contains(*name)).cloned().collect();
        self.names.retain(|name, _| names.contains(name));
        for name in names {
            self.names.entry(name.clone()).or_default();
        }
        unused
    }

    /// Restores a result from the server's previous run.
    pub fn remember(&mut self, name: &str, addresses: Vec<IpAddr>) {
        if let Some(host) = self.names.get_mut(name) {
            host.addresses = Some(addresses);
        }
    }

    pub fn names(&self) -> Vec<String> {
        self.names.keys().cloned().collect()
    }

    /// Records the result of a lookup. Returns true if the addresses have changed.
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

    /// The addresses of a name, if known.
    pub fn found(&self, name: &str) -> Option<Vec<IpAddr>> {
        self.names.get(name).and_then(|host| host.addresses.clone())
    }
}

/// The source of addresses.
#[derive(Clone, Debug, Default)]
pub struct Resolver(Source);

#[derive(Clone, Debug, Default)]
enum Source {
    /// The system's configuration: files, DNS.
    #[default]
    System,
    Fixed(Arc<Mutex<HashMap<String, Vec<IpAddr>>>>),
}

impl Resolver {
    /// The system's resolver.
    pub fn system() -> Resolver {
        Resolver::default()
    }

    /// A resolver for tests, which knows only the names given by [`Resolver::set`].
    pub fn fixed() -> Resolver {
        Resolver(Source::Fixed(Arc::default()))
    }

    /// Sets the addresses of a name. Has no effect on the system's resolver.
    pub fn set(&self, name: &str, addresses: &[IpAddr]) {
        if let Source::Fixed(known) = &self.0 {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(name.to_owned(), addresses.to_vec());
        }
    }

    /// Makes a name unknown. Has no effect on the system's resolver.
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

/// Keeps the addresses of all host names up to date until the future is dropped.
pub(crate) async fn run(policies: Arc<Policies>, resolver: Resolver, clock: Clock) {
    loop {
        refresh(&policies, &resolver).await;
        tokio::select! {
            () = clock.sleep_until(clock.now().saturating_add(REFRESH_PERIOD)) => {}
            () = policies.names_changed() => {}
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
