//! S3 users, groups and access keys: records of the pool, and all of them in memory.
//!
//! What must hold:
//! - The secret of a key is shown once, when the key is created; it is stored sealed.
//! - A change is durable before it is in force and before it is answered. Once begun, it is carried out even if its caller goes away,
//!   so that memory and pool agree.
//! - A key whose user is gone is worthless, whatever records a crash left.
//!
//! `known.rs` is the memory, `record.rs` the records; the changes are in `change_*.rs`.

mod change_groups;
mod change_keys;
mod change_users;
mod draw;
mod identity;
mod known;
mod record;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex as StdMutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Instant, SystemTime};

use forebay_pool::{Pool, is_name};
use tokio::sync::Mutex;

use super::error::{Error, Result};
use super::seal::MasterKey;
pub use identity::{Found, Identity, Refusal};
use known::Known;

/// The group whose members may do everything. It is built in.
pub const ADMINISTRATORS: &str = "administrators";

/// The policy of that group.
const ALLOW_ALL: &str =
    r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"*","Resource":"*"}}"#;

/// The users, groups and keys of one pool. Clones share them.
#[derive(Clone)]
pub struct Users(Arc<Inner>);

struct Inner {
    pool: Pool,
    master: MasterKey,
    known: RwLock<Known>,
    /// Held while something changes, so that pool and memory agree.
    changing: Mutex<()>,
    /// When the times of last use were last stored.
    flushed: StdMutex<Option<Instant>>,
}

/// A user.
#[derive(Clone, Debug)]
pub struct User {
    /// The user's name.
    pub name: String,
    /// The user's id: `aws:userid`.
    pub id: String,
    /// When the user was created.
    pub created: SystemTime,
    /// All requests of the user are refused.
    pub disabled: bool,
    /// The names of the user's groups.
    pub groups: BTreeSet<String>,
    /// The ids of the user's access keys.
    pub keys: Vec<String>,
}

/// A group.
#[derive(Clone, Debug)]
pub struct Group {
    /// The group's name.
    pub name: String,
    /// When the group was created.
    pub created: SystemTime,
    /// The names of its users.
    pub members: BTreeSet<String>,
    /// The texts of its policies, by name.
    pub policies: BTreeMap<String, String>,
}

/// An access key, without its secret.
#[derive(Clone, Debug)]
pub struct AccessKey {
    /// The key's id, which is no secret.
    pub id: String,
    /// The user it belongs to.
    pub user: String,
    /// When it was created.
    pub created: SystemTime,
    /// When it expires; `None`: never.
    pub expires: Option<SystemTime>,
    /// Requests with it are refused.
    pub disabled: bool,
    /// When it was last used.
    pub last_used: Option<SystemTime>,
    /// Its secret can be decrypted. If not, the master key is another one, and the user needs a new key.
    pub is_readable: bool,
}

/// An access key that was just created.
pub struct CreatedKey {
    /// The secret. It cannot be shown again.
    pub secret: s3s::auth::SecretKey,
    /// The key.
    pub key: AccessKey,
}

/// Whether the pool has secrets of access keys. See [`MasterKey::load_or_create`].
pub fn has_secrets(pool: &Pool) -> Result<bool> {
    Ok(!pool.records(record::KEYS)?.is_empty())
}

impl Users {
    /// Reads the users, groups and keys of a pool. The master key is in the file, which is created if the pool has no secrets.
    pub fn open(pool: Pool, master_key_file: &Path) -> Result<Users> {
        let master = MasterKey::load_or_create(master_key_file, has_secrets(&pool)?)?;
        Users::load(pool, master)
    }

    /// Reads the users, groups and keys of a pool. Fails if one of the records cannot be read. A key whose secret the master key does
    /// not open is not such a failure: the key is refused when it is used.
    pub fn load(pool: Pool, master: MasterKey) -> Result<Users> {
        let known = RwLock::new(Known::load(&pool, &master)?);
        Ok(Users(Arc::new(Inner {
            pool,
            master,
            known,
            changing: Mutex::default(),
            flushed: StdMutex::default(),
        })))
    }

    /// The user and secret of an access key, or why it is refused.
    pub fn lookup(&self, key_id: &str) -> std::result::Result<Found, Refusal> {
        self.0.read().lookup(key_id, SystemTime::now())
    }

    /// All users, by name.
    pub fn users(&self) -> Vec<User> {
        let known = self.0.read();
        known.users.keys().filter_map(|name| known.user(name)).collect()
    }

    /// One user.
    pub fn user(&self, name: &str) -> Result<User> {
        self.0.user(name)
    }

    /// All groups, by name.
    pub fn groups(&self) -> Vec<Group> {
        let known = self.0.read();
        known.groups.keys().filter_map(|name| known.group(name)).collect()
    }

    /// One group.
    pub fn group(&self, name: &str) -> Result<Group> {
        self.0.group(name)
    }

    /// All access keys, by id.
    pub fn keys(&self) -> Vec<AccessKey> {
        let known = self.0.read();
        known.keys.keys().filter_map(|id| known.key(id)).collect()
    }

    /// One access key.
    pub fn key(&self, id: &str) -> Result<AccessKey> {
        self.0.key(id)
    }

    /// Carries out a change to its end, even if the caller goes away.
    async fn change<T, F>(&self, change: impl FnOnce(Arc<Inner>) -> F) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        tokio::spawn(change(self.0.clone())).await.unwrap_or(Err(Error::Interrupted))
    }
}

impl Inner {
    fn user(&self, name: &str) -> Result<User> {
        self.read().user(name).ok_or_else(|| Error::UserNotFound(name.to_owned()))
    }

    fn group(&self, name: &str) -> Result<Group> {
        self.read().group(name).ok_or_else(|| Error::GroupNotFound(name.to_owned()))
    }

    fn key(&self, id: &str) -> Result<AccessKey> {
        self.read().key(id).ok_or_else(|| Error::KeyNotFound(id.to_owned()))
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn check_name(what: &'static str, name: &str) -> Result<()> {
    if is_name(name) { Ok(()) } else { Err(Error::BadName { what, name: name.to_owned() }) }
}

#[cfg(test)]
mod tests;
