//! The records of the pool, in memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use forebay_pool::Pool;
use s3s::auth::SecretKey;

use super::record::{self, GROUPS, GroupRecord, KEYS, KeyRecord, USERS, UserRecord, at};
use super::{ADMINISTRATORS, ALLOW_ALL, AccessKey, Found, Group, Identity, Refusal, User};
use crate::auth::error::Result;
use crate::auth::policy::{Policy, Principal};
use crate::auth::seal::MasterKey;

#[derive(Default)]
pub(super) struct Known {
    pub(super) users: BTreeMap<String, UserRecord>,
    pub(super) groups: BTreeMap<String, KnownGroup>,
    pub(super) keys: BTreeMap<String, KnownKey>,
}

pub(super) struct KnownGroup {
    pub(super) record: GroupRecord,
    policies: Vec<Arc<Policy>>,
}

pub(super) struct KnownKey {
    pub(super) record: KeyRecord,
    /// `None` if it cannot be opened.
    pub(super) secret: Option<SecretKey>,
    /// Seconds since 1970; 0: never.
    pub(super) last_used: AtomicU64,
}

impl KnownGroup {
    pub(super) fn new(record: GroupRecord) -> Result<KnownGroup> {
        let parse = |text: &String| Policy::parse_group(text.as_bytes()).map(Arc::new);
        let policies = record.policies.values().map(parse).collect::<std::result::Result<_, _>>()?;
        Ok(KnownGroup { record, policies })
    }
}

impl KnownKey {
    pub(super) fn new(record: KeyRecord, secret: Option<SecretKey>) -> KnownKey {
        let last_used = AtomicU64::new(record.last_used.unwrap_or(0));
        KnownKey { record, secret, last_used }
    }

    pub(super) fn last_used(&self) -> Option<u64> {
        Some(self.last_used.load(Ordering::Relaxed)).filter(|seconds| *seconds > 0)
    }
}

impl Known {
    pub(super) fn load(pool: &Pool, master: &MasterKey) -> Result<Known> {
        let mut known = Known::default();
        for (key, value) in pool.records(USERS)? {
            let (name, user) = record::decode("user", &key, &value)?;
            known.users.insert(name, user);
        }
        let administrators = GroupRecord {
            created: 0,
            members: [].into(),
            policies: [("all".to_owned(), ALLOW_ALL.to_owned())].into(),
        };
        known.groups.insert(ADMINISTRATORS.to_owned(), KnownGroup::new(administrators)?);
        for (key, value) in pool.records(GROUPS)? {
            let (name, group) = record::decode("group", &key, &value)?;
            let group = KnownGroup::new(group)
                .map_err(|error| record::unreadable("group", &key, &error.to_string()))?;
            known.groups.insert(name, group);
        }
        for (key, value) in pool.records(KEYS)? {
            let (id, key): (String, KeyRecord) = record::decode("access key", &key, &value)?;
            let sealed = hex_simd::decode_to_vec(&key.sealed).ok();
            let secret = sealed.and_then(|sealed| master.open(&id, &sealed));
            known.keys.insert(id, KnownKey::new(key, secret));
        }
        Ok(known)
    }

    pub(super) fn lookup(&self, id: &str, now: SystemTime) -> std::result::Result<Found, Refusal> {
        let key = self.keys.get(id).ok_or(Refusal::UnknownKey)?;
        let user = self.users.get(&key.record.user).ok_or(Refusal::UserGone)?;
        if user.disabled {
            return Err(Refusal::UserDisabled);
        }
        if key.record.disabled {
            return Err(Refusal::KeyDisabled);
        }
        if key.record.expires.is_some_and(|expires| at(expires) <= now) {
            return Err(Refusal::KeyExpired);
        }
        let secret = key.secret.clone().ok_or(Refusal::SecretUnreadable)?;
        let name = &key.record.user;
        let groups = || self.groups.iter().filter(|(_, group)| group.record.members.contains(name));
        let identity = Identity {
            principal: Principal::User { name: name.clone(), id: user.id.clone() },
            key_id: id.to_owned(),
            groups: groups().map(|(group, _)| group.clone()).collect(),
            policies: groups().flat_map(|(_, group)| group.policies.iter().cloned()).collect(),
        };
        Ok(Found { identity, secret })
    }

    pub(super) fn user(&self, name: &str) -> Option<User> {
        let record = self.users.get(name)?;
        let groups = self.groups.iter().filter(|(_, group)| group.record.members.contains(name));
        Some(User {
            name: name.to_owned(),
            id: record.id.clone(),
            created: at(record.created),
            disabled: record.disabled,
            groups: groups.map(|(group, _)| group.clone()).collect(),
            keys: self.keys_of(name),
        })
    }

    pub(super) fn group(&self, name: &str) -> Option<Group> {
        let KnownGroup { record, .. } = self.groups.get(name)?;
        Some(Group {
            name: name.to_owned(),
            created: at(record.created),
            members: record.members.clone(),
            policies: record.policies.clone(),
        })
    }

    pub(super) fn key(&self, id: &str) -> Option<AccessKey> {
        let key = self.keys.get(id)?;
        Some(AccessKey {
            id: id.to_owned(),
            user: key.record.user.clone(),
            created: at(key.record.created),
            expires: key.record.expires.map(at),
            disabled: key.record.disabled,
            last_used: key.last_used().map(at),
            is_readable: key.secret.is_some(),
        })
    }

    /// The ids of a user's keys.
    pub(super) fn keys_of(&self, user: &str) -> Vec<String> {
        let of_user = self.keys.iter().filter(|(_, key)| key.record.user == user);
        of_user.map(|(id, _)| id.clone()).collect()
    }
}
