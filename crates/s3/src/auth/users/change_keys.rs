//! Creates, disables and deletes access keys, and stores when they were last used.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use super::known::KnownKey;
use super::record::{self, KEYS, KeyRecord, seconds};
use super::{AccessKey, CreatedKey, Inner, Users, draw};
use crate::auth::error::{Error, Result};

/// Two, so that a key can be replaced by another one while both are valid.
const KEYS_OF_USER_MAX: usize = 2;
/// How often the times of last use are stored, at most.
const FLUSH_INTERVAL: Duration = Duration::from_secs(60);

impl Users {
    /// Creates an access key. Its secret is in the result and nowhere else.
    pub async fn create_key(&self, user: &str, expires: Option<SystemTime>) -> Result<CreatedKey> {
        let user = user.to_owned();
        self.change(move |inner| async move {
            let _changing = inner.changing.lock().await;
            if inner.user(&user)?.keys.len() >= KEYS_OF_USER_MAX {
                return Err(Error::TooManyKeys(user));
            }
            let now = SystemTime::now();
            if expires.is_some_and(|expires| expires <= now) {
                return Err(Error::BadExpiry);
            }
            let (id, secret) = (draw::id("AKIA")?, draw::secret()?);
            let sealed = inner.master.seal(&id, &secret)?;
            let record = KeyRecord {
                user,
                sealed: hex_simd::encode_to_string(sealed, hex_simd::AsciiCase::Lower),
                created: seconds(now),
                expires: expires.map(seconds),
                disabled: false,
                last_used: None,
            };
            inner.put_key(&id, &record).await?;
            inner.write().keys.insert(id.clone(), KnownKey::new(record, Some(secret.clone())));
            Ok(CreatedKey { secret, key: inner.key(&id)? })
        })
        .await
    }

    /// Disables or enables an access key.
    pub async fn set_key_disabled(&self, id: &str, disabled: bool) -> Result<AccessKey> {
        let id = id.to_owned();
        self.change(move |inner| async move {
            let _changing = inner.changing.lock().await;
            let record = inner.key_record(&id)?;
            inner.put_key(&id, &KeyRecord { disabled, ..record }).await?;
            if let Some(key) = inner.write().keys.get_mut(&id) {
                key.record.disabled = disabled;
            }
            inner.key(&id)
        })
        .await
    }

    /// Deletes an access key: it is refused from now on.
    pub async fn delete_key(&self, id: &str) -> Result<AccessKey> {
        let id = id.to_owned();
        self.change(|inner| async move {
            let _changing = inner.changing.lock().await;
            let key = inner.key(&id)?;
            inner.pool.record_delete(KEYS, id.as_bytes()).await?;
            inner.write().keys.remove(&id);
            Ok(key)
        })
        .await
    }

    /// Notes that a valid signature was made with an access key.
    pub fn used(&self, id: &str) {
        if let Some(key) = self.0.read().keys.get(id) {
            key.last_used.store(seconds(SystemTime::now()), Ordering::Relaxed);
        }
    }

    /// Stores when keys were last used, unless that was done within the last minute. The flag stores it in any case, such as when the
    /// daemon stops. Returns the number of keys.
    pub async fn flush_last_used(&self, in_any_case: bool) -> Result<usize> {
        self.change(move |inner| async move {
            let _changing = inner.changing.lock().await;
            let is_early = inner.flushed().is_some_and(|flushed| flushed.elapsed() < FLUSH_INTERVAL);
            if is_early && !in_any_case {
                return Ok(0);
            }
            *inner.flushed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            let is_changed = |key: &KnownKey| key.last_used() != key.record.last_used;
            let changed: Vec<String> = {
                let known = inner.read();
                known.keys.iter().filter(|(_, key)| is_changed(key)).map(|(id, _)| id.clone()).collect()
            };
            for id in &changed {
                let record = inner.key_record(id)?;
                inner.put_key(id, &record).await?;
                if let Some(key) = inner.write().keys.get_mut(id) {
                    key.record.last_used = record.last_used;
                }
            }
            Ok(changed.len())
        })
        .await
    }
}

impl Inner {
    fn flushed(&self) -> Option<Instant> {
        *self.flushed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A key's record, with the time of its last use.
    fn key_record(&self, id: &str) -> Result<KeyRecord> {
        let known = self.read();
        let key = known.keys.get(id).ok_or_else(|| Error::KeyNotFound(id.to_owned()))?;
        Ok(KeyRecord { last_used: key.last_used(), ..key.record.clone() })
    }

    async fn put_key(&self, id: &str, record: &KeyRecord) -> Result<()> {
        Ok(self.pool.record_put(KEYS, id.as_bytes(), &record::encode(record)?).await?)
    }
}
