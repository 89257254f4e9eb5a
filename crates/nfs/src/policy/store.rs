//! The policies of one pool: loaded at the start, changed by the operator, queried for every client.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bytes::Bytes;
use forebay_pool::{Pool, VolumeId, is_name};
use forebay_service::volumes::ProtocolSettings;
use tokio::sync::{Mutex, Notify, OwnedMutexGuard};

use super::clients::Clients;
use super::error::PolicyError;
use super::hosts::Hosts;
use super::record::{self, HOSTS, POLICIES, RULES_MAX, VOLUMES};
use super::rule::{Access, Admission, Anonymous, Groups, NO_ID, Policy, Rule, Squash, TlsUse};
use crate::status::{OrStatus, status_of};
use forebay_nfs_proto::xdr::Status;

type Result<T> = std::result::Result<T, PolicyError>;

/// The policy of volumes that name none. It always exists.
pub const DEFAULT: &str = "default";

/// Maximum number of policies in one pool.
const POLICIES_MAX: usize = 1000;

/// The export policies of one pool, and the policy of each volume.
pub struct Policies {
    pool: Pool,
    known: RwLock<Known>,
    /// Increases after every change of `known`. A reader that loads it first never keeps an outdated
    /// decision.
    generation: AtomicU64,
    /// Held during a change, so that pool and memory agree.
    changing: Arc<Mutex<()>>,
    names_changed: Notify,
}

/// The data for decisions.
struct Known {
    policies: BTreeMap<String, Arc<Policy>>,
    /// By the volumes' names; volumes with `default` are absent.
    volumes: BTreeMap<String, String>,
    hosts: Hosts,
}

/// What determines the decision about a client and a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deciding {
    /// The volume's name; for a snapshot, that of its volume.
    pub volume: String,
    /// The name of the volume's policy.
    pub policy: String,
    /// The rule that matches the client, if any.
    pub rule: Option<Rule>,
}

/// Changes to a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleChange {
    /// The clients' access.
    pub access: Option<Access>,
    /// The clients' users that the server maps to the anonymous user.
    pub squash: Option<Squash>,
    /// The anonymous user.
    pub anonymous: Option<Anonymous>,
    /// Whether their connections must use TLS.
    pub tls: Option<TlsUse>,
    /// The source of their users' supplementary groups.
    pub groups: Option<Groups>,
}

impl Known {
    fn policy_of(&self, volume: &str) -> &str {
        self.volumes.get(volume).map_or(DEFAULT, String::as_str)
    }

    fn get(&self, policy: &str) -> Result<&Arc<Policy>> {
        self.policies.get(policy).ok_or_else(|| PolicyError::NotFound(policy.to_owned()))
    }

    /// Adds the host names of new rules and removes unused ones. Returns the removed names.
    fn keep_hosts(&mut self) -> Vec<String> {
        let rules = self.policies.values().flat_map(|policy| &policy.rules);
        let names: BTreeSet<String> = rules
            .filter_map(|rule| match &rule.clients {
                Clients::Host(name) => Some(name.clone()),
                _ => None,
            })
            .collect();
        self.hosts.keep(&names)
    }
}

impl Policies {
    /// Loads the pool's policies. Fails if one of them cannot be read.
    pub fn load(pool: Pool) -> Result<Policies> {
        let unreadable = |key: &[u8]| PolicyError::Unreadable { key: key.escape_ascii().to_string() };
        let mut policies = BTreeMap::from([(DEFAULT.to_owned(), Arc::new(Policy::open_to_everyone()))]);
        for (name, value) in pool.records(POLICIES)? {
            let policy = record::decode_policy(&value).ok_or_else(|| unreadable(&name))?;
            let name = record::text(&name).ok_or_else(|| unreadable(&name))?;
            policies.insert(name.to_owned(), Arc::new(policy));
        }
        let mut volumes = BTreeMap::new();
        for (volume, policy) in pool.records(VOLUMES)? {
            let names =
                record::text(&volume).zip(record::text(&policy)).ok_or_else(|| unreadable(&volume))?;
            volumes.insert(names.0.to_owned(), names.1.to_owned());
        }
        let mut known = Known { policies, volumes, hosts: Hosts::default() };
        known.keep_hosts();
        for (name, value) in pool.records(HOSTS)? {
            // A host record that cannot be read is resolved again.
            if let Some((name, addresses)) = record::text(&name).zip(record::decode_addresses(&value)) {
                known.hosts.remember(name, addresses);
            }
        }
        Ok(Policies {
            pool,
            known: RwLock::new(known),
            generation: AtomicU64::new(1),
            changing: Arc::default(),
            names_changed: Notify::new(),
        })
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        // Changes are single calls, so a panic elsewhere leaves no partial change.
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the data for decisions. The change is in effect when this returns.
    fn change<T>(&self, change: impl FnOnce(&mut Known) -> T) -> T {
        let result = change(&mut self.write());
        self.generation.fetch_add(1, Ordering::AcqRel);
        result
    }

    /// Increases whenever a decision may have changed.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// What the client at this address may do with a volume; [`Status::Stale`] if there is no such volume.
    pub(crate) fn decide(&self, volume: VolumeId, client: IpAddr) -> std::result::Result<Admission, Status> {
        let name = self.volume_name(volume)?;
        let known = self.read();
        let policy = known.get(known.policy_of(&name));
        Ok(policy.map_or(Admission::Hidden, |policy| policy.decide(client, &known.hosts)))
    }

    /// What currently determines the decision about the client at this address; `None` if the volume is gone
    /// or the decision is not known yet.
    pub fn deciding(&self, volume: VolumeId, client: IpAddr) -> Option<Deciding> {
        let volume = self.volume_name(volume).ok()?;
        let known = self.read();
        let policy = known.policy_of(&volume).to_owned();
        let rule = known.get(&policy).ok()?.rule_for(client, &known.hosts)?.cloned();
        Some(Deciding { volume, policy, rule })
    }

    /// The volume whose policy applies: for a snapshot, the volume that it belongs to.
    fn volume_name(&self, id: VolumeId) -> std::result::Result<String, Status> {
        match self.pool.snapshot_by_id(id) {
            Ok(snapshot) => return Ok(snapshot.volume_name),
            // A volume, or gone.
            Err(forebay_pool::Error::Stale) => {}
            Err(error) => return Err(status_of(error)),
        }
        let name = self.pool.volume_by_id(id).or_status()?.spec.name;
        // This fails for a snapshot that is just being taken.
        if self.pool.volume(&name).or_status()?.id == id { Ok(name) } else { Err(Status::Delay) }
    }

    // ---- queries ----

    /// All policies, by name.
    pub fn list(&self) -> Vec<(String, Arc<Policy>)> {
        self.read().policies.iter().map(|(name, policy)| (name.clone(), Arc::clone(policy))).collect()
    }

    /// One policy.
    pub fn get(&self, name: &str) -> Result<Arc<Policy>> {
        self.read().get(name).cloned()
    }

    /// The name of a volume's policy.
    pub fn of_volume(&self, volume: &str) -> String {
        self.read().policy_of(volume).to_owned()
    }

    /// The names of the volumes that use a policy.
    pub fn volumes_of(&self, policy: &str) -> Result<Vec<String>> {
        let volumes = self.pool.volumes()?.into_iter().map(|volume| volume.spec.name);
        let known = self.read();
        Ok(volumes.filter(|volume| known.policy_of(volume) == policy).collect())
    }

    // ---- policies ----

    /// Creates a policy without rules: no client can see a volume that uses it.
    pub async fn create(&self, name: &str) -> Result<()> {
        self.create_with(name, Vec::new()).await
    }

    /// Creates a policy with its rules in one step.
    pub async fn create_with(&self, name: &str, rules: Vec<Rule>) -> Result<()> {
        let _changing = self.changing.lock().await;
        if self.get(name).is_ok() {
            return Err(PolicyError::Exists(name.to_owned()));
        }
        self.put_new(name, rules).await
    }

    /// Replaces all rules of a policy in one step, or creates it. Returns whether it was created.
    pub async fn replace(&self, name: &str, rules: Vec<Rule>) -> Result<bool> {
        let _changing = self.changing.lock().await;
        if self.get(name).is_err() {
            return self.put_new(name, rules).await.map(|()| true);
        }
        check_rules(name, &rules)?;
        self.put(name, Policy { rules }).await.map(|()| false)
    }

    async fn put_new(&self, name: &str, rules: Vec<Rule>) -> Result<()> {
        check_name(name)?;
        check_rules(name, &rules)?;
        if self.read().policies.len() >= POLICIES_MAX {
            return Err(PolicyError::TooMany { name: name.to_owned(), what: "policies", max: POLICIES_MAX });
        }
        self.put(name, Policy { rules }).await
    }

    /// Deletes a policy that no volume uses.
    pub async fn delete(&self, name: &str) -> Result<()> {
        let _changing = self.changing.lock().await;
        self.get(name)?;
        if name == DEFAULT {
            return Err(PolicyError::Permanent);
        }
        let volumes = self.volumes_of(name)?;
        if !volumes.is_empty() {
            return Err(PolicyError::InUse { name: name.to_owned(), volumes: volumes.join(", ") });
        }
        // Assignments of deleted volumes, which a crash can leave behind.
        let left: Vec<String> = {
            let known = self.read();
            known
                .volumes
                .iter()
                .filter(|(_, policy)| *policy == name)
                .map(|(volume, _)| volume.clone())
                .collect()
        };
        for volume in left {
            self.forget(&volume).await?;
        }
        self.pool.record_delete(POLICIES, name.as_bytes()).await?;
        let unused = self.change(|known| {
            known.policies.remove(name);
            known.keep_hosts()
        });
        self.forget_hosts(unused).await
    }

    /// Gives a policy another name. Volumes that use it use it under its new name, without an interruption: until the last one does,
    /// both names are in force.
    pub async fn rename(&self, name: &str, new: &str) -> Result<()> {
        let _changing = self.changing.lock().await;
        let policy = Policy::clone(&*self.get(name)?);
        if name == new {
            return Ok(());
        }
        if name == DEFAULT || new == DEFAULT {
            return Err(PolicyError::Permanent);
        }
        check_name(new)?;
        if self.get(new).is_ok() {
            return Err(PolicyError::Exists(new.to_owned()));
        }
        self.put(new, policy).await?;
        let users: Vec<String> = {
            let known = self.read();
            let users = known.volumes.iter().filter(|(_, policy)| *policy == name);
            users.map(|(volume, _)| volume.clone()).collect()
        };
        for volume in users {
            self.set(&volume, new).await?;
        }
        // Deleted volumes get it back when they are recovered.
        for deleted in self.pool.deleted_volumes()? {
            if deleted.note == name.as_bytes() {
                self.pool.volume_renote(deleted.id, Bytes::copy_from_slice(new.as_bytes())).await?;
            }
        }
        self.pool.record_delete(POLICIES, name.as_bytes()).await?;
        let unused = self.change(|known| {
            known.policies.remove(name);
            known.keep_hosts()
        });
        self.forget_hosts(unused).await
    }

    /// Makes a policy durable, then puts it into effect.
    async fn put(&self, name: &str, policy: Policy) -> Result<()> {
        let nobody = |rule: &&Rule| [rule.anonymous.uid, rule.anonymous.gid].contains(&NO_ID);
        if let Some(rule) = policy.rules.iter().find(nobody) {
            return Err(PolicyError::BadAnonymous { name: name.to_owned(), clients: rule.clients.clone() });
        }
        self.pool.record_put(POLICIES, name.as_bytes(), &record::encode_policy(&policy)).await?;
        let unused = self.change(|known| {
            known.policies.insert(name.to_owned(), Arc::new(policy));
            known.keep_hosts()
        });
        self.names_changed.notify_one();
        self.forget_hosts(unused).await
    }

    async fn forget_hosts(&self, unused: Vec<String>) -> Result<()> {
        for name in unused {
            self.pool.record_delete(HOSTS, name.as_bytes()).await?;
        }
        Ok(())
    }

    // ---- rules ----

    /// Adds a rule at a position counted from 1, or at the end.
    pub async fn rule_add(&self, name: &str, rule: Rule, position: Option<usize>) -> Result<()> {
        let _changing = self.changing.lock().await;
        let mut policy = Policy::clone(&*self.get(name)?);
        let rules = policy.rules.len();
        if policy.rules.iter().any(|other| other.clients == rule.clients) {
            return Err(PolicyError::DuplicateRule { name: name.to_owned(), clients: rule.clients });
        }
        if rules >= RULES_MAX {
            return Err(PolicyError::TooMany { name: name.to_owned(), what: "rules", max: RULES_MAX });
        }
        let last = rules.saturating_add(1);
        let position = position.unwrap_or(last);
        if position == 0 || position > last {
            return Err(PolicyError::BadPosition { name: name.to_owned(), rules, last });
        }
        policy.rules.insert(position.saturating_sub(1), rule);
        self.put(name, policy).await
    }

    /// Changes the rule for exactly these clients in one step, so that their access is not interrupted.
    pub async fn rule_modify(&self, name: &str, clients: &Clients, change: RuleChange) -> Result<()> {
        let _changing = self.changing.lock().await;
        let mut policy = Policy::clone(&*self.get(name)?);
        let rule = policy.rules.iter_mut().find(|rule| rule.clients == *clients);
        let rule = rule.ok_or_else(|| no_such_rule(name, clients))?;
        rule.access = change.access.unwrap_or(rule.access);
        rule.squash = change.squash.unwrap_or(rule.squash);
        rule.anonymous = change.anonymous.unwrap_or(rule.anonymous);
        rule.tls = change.tls.unwrap_or(rule.tls);
        rule.groups = change.groups.unwrap_or(rule.groups);
        self.put(name, policy).await
    }

    /// Removes the rule for exactly these clients.
    pub async fn rule_remove(&self, name: &str, clients: &Clients) -> Result<()> {
        let _changing = self.changing.lock().await;
        let mut policy = Policy::clone(&*self.get(name)?);
        let before = policy.rules.len();
        policy.rules.retain(|rule| rule.clients != *clients);
        if policy.rules.len() == before {
            return Err(no_such_rule(name, clients));
        }
        self.put(name, policy).await
    }

    // ---- volumes ----

    /// Assigns a policy to a volume.
    pub async fn assign(&self, volume: &str, policy: &str) -> Result<()> {
        let _changing = self.changing.lock().await;
        self.pool.volume(volume)?;
        self.set(volume, policy).await
    }

    /// The hook by which new volumes get `policy` from their first moment, and by which deleted volumes lose theirs.
    pub fn assignment(self: &Arc<Self>, policy: &str) -> Assignment {
        Assignment { policies: self.clone(), policy: policy.to_owned() }
    }

    async fn set(&self, volume: &str, policy: &str) -> Result<()> {
        self.get(policy)?;
        if policy == DEFAULT {
            return self.forget(volume).await;
        }
        self.pool.record_put(VOLUMES, volume.as_bytes(), policy.as_bytes()).await?;
        self.change(|known| known.volumes.insert(volume.to_owned(), policy.to_owned()));
        Ok(())
    }

    async fn forget(&self, volume: &str) -> Result<()> {
        if self.read().volumes.contains_key(volume) {
            self.pool.record_delete(VOLUMES, volume.as_bytes()).await?;
            self.change(|known| known.volumes.remove(volume));
        }
        Ok(())
    }

    // ---- host names ----

    /// The addresses of a rule's host name; `None` if they are not known yet.
    pub fn host_addresses(&self, host: &str) -> Option<Vec<IpAddr>> {
        self.read().hosts.found(host)
    }

    pub(super) fn host_names(&self) -> Vec<String> {
        self.read().hosts.names()
    }

    /// Waits until there may be new names.
    pub(super) async fn names_changed(&self) {
        self.names_changed.notified().await;
    }

    /// Records the current addresses of a name.
    pub(super) async fn learn_host(&self, name: &str, found: std::result::Result<Vec<IpAddr>, String>) {
        let _changing = self.changing.lock().await;
        let is_found = found.is_ok();
        let changed = self.write().hosts.learn(name, found);
        if changed {
            self.generation.fetch_add(1, Ordering::AcqRel);
        }
        let Some(now) = self.read().hosts.found(name).filter(|_| changed && is_found) else { return };
        let record = record::encode_addresses(&now);
        if let Err(error) = self.pool.record_put(HOSTS, name.as_bytes(), &record).await {
            // The name is resolved again after a restart.
            tracing::warn!(host = name, %error, "the addresses of a host are not kept");
        }
    }
}

/// The choice of a policy for a volume; see [`Policies::assignment`].
pub struct Assignment {
    policies: Arc<Policies>,
    policy: String,
}

impl ProtocolSettings for Assignment {
    type Error = PolicyError;
    type Guard = OwnedMutexGuard<()>;

    async fn lock(&self) -> OwnedMutexGuard<()> {
        self.policies.changing.clone().lock_owned().await
    }

    async fn store(&self, volume: &str) -> Result<()> {
        self.policies.set(volume, &self.policy).await
    }

    async fn remove(&self, volume: &str) -> Result<()> {
        self.policies.forget(volume).await
    }

    fn kept(&self, volume: &str) -> Vec<u8> {
        self.policies.of_volume(volume).into_bytes()
    }

    fn describe(&self) -> Option<String> {
        Some(format!("export policy {}", self.policy))
    }
}

fn no_such_rule(name: &str, clients: &Clients) -> PolicyError {
    PolicyError::NoSuchRule { name: name.to_owned(), clients: clients.clone() }
}

/// Checks that a policy can have these rules: not too many, and no two for the same clients.
fn check_rules(name: &str, rules: &[Rule]) -> Result<()> {
    if rules.len() > RULES_MAX {
        return Err(PolicyError::TooMany { name: name.to_owned(), what: "rules", max: RULES_MAX });
    }
    for (index, rule) in rules.iter().enumerate() {
        if rules.iter().take(index).any(|other| other.clients == rule.clients) {
            return Err(PolicyError::DuplicateRule { name: name.to_owned(), clients: rule.clients.clone() });
        }
    }
    Ok(())
}

/// Policy names follow the rules for volume names.
fn check_name(name: &str) -> Result<()> {
    if is_name(name) { Ok(()) } else { Err(PolicyError::BadName(name.to_owned())) }
}
