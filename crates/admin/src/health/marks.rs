//! Acknowledgements and silences of alerts. They are records in the pool, so they move with it.
//!
//! An acknowledgement is of one alert, until it is resolved: it still counts, but no notice repeats it. A silence is of all alerts that it
//! matches, until a time: they count for nothing and are not delivered, but are shown.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::SystemTime;

use forebay_pool::Pool;
use forebay_service::disk::{from_millis, millis};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::tracker::Alert;
use crate::base::problem::Problem;
use crate::error::{ApiError, Code, Result};

/// The namespaces of the records: acknowledgements by alert, silences by number.
const ACKNOWLEDGEMENTS: &str = "alert-acknowledgements";
const SILENCES: &str = "alert-silences";
/// How many there can be.
const ACKNOWLEDGEMENTS_MAX: usize = 2000;
const SILENCES_MAX: usize = 200;

/// An acknowledgement of an alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acknowledgement {
    /// Who acknowledged it.
    pub by: String,
    /// The comment; may be empty.
    pub comment: String,
    /// When, and since when the alert fired, in milliseconds since 1970.
    at: u64,
    since: u64,
}

impl Acknowledgement {
    /// When it was acknowledged.
    pub fn at(&self) -> SystemTime {
        from_millis(self.at)
    }
}

/// A silence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Silence {
    /// Only alerts of this rule; `None`: of all.
    pub rule: Option<String>,
    /// Only alerts of this object; `None`: of all.
    pub object: Option<String>,
    /// Who asked for it.
    pub by: String,
    /// Why.
    pub comment: String,
    /// When it was created and when it ends, in milliseconds since 1970.
    created: u64,
    until: u64,
}

impl Silence {
    /// A silence that begins now.
    pub fn new(
        rule: Option<String>,
        object: Option<String>,
        until: SystemTime,
        by: String,
        comment: String,
    ) -> Silence {
        Silence { rule, object, by, comment, created: millis(SystemTime::now()), until: millis(until) }
    }

    /// When it was created.
    pub fn created(&self) -> SystemTime {
        from_millis(self.created)
    }

    /// When it ends.
    pub fn until(&self) -> SystemTime {
        from_millis(self.until)
    }

    fn matches(&self, alert: &Alert, now: u64) -> bool {
        let is_of =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        now < self.until && is_of(&self.rule, alert.rule.name) && is_of(&self.object, &alert.object)
    }
}

/// See the module.
pub struct Marks {
    pool: Pool,
    known: RwLock<Known>,
    /// Held while something changes, so that pool and memory agree.
    changing: Mutex<()>,
}

#[derive(Default)]
struct Known {
    acknowledgements: BTreeMap<String, Acknowledgement>,
    silences: BTreeMap<u64, Silence>,
}

impl Marks {
    /// Reads the acknowledgements and silences. Records of another release are left out, and stay in the pool.
    pub fn load(pool: Pool) -> Marks {
        let mut known = Known::default();
        for (key, record) in records::<Acknowledgement>(&pool, ACKNOWLEDGEMENTS) {
            known.acknowledgements.insert(key, record);
        }
        for (key, record) in records::<Silence>(&pool, SILENCES) {
            if let Ok(number) = key.parse() {
                known.silences.insert(number, record);
            }
        }
        Marks { pool, known: RwLock::new(known), changing: Mutex::new(()) }
    }

    /// The acknowledgement of an alert. One of an earlier alert of the same rule and object does not count.
    pub fn acknowledgement(&self, alert: &Alert) -> Option<Acknowledgement> {
        let known = self.read();
        let found = known.acknowledgements.get(&alert.id());
        found.filter(|one| one.since == millis(alert.since)).cloned()
    }

    /// The silence of an alert that lasts longest.
    pub fn silence(&self, alert: &Alert, now: SystemTime) -> Option<(u64, Silence)> {
        let now = millis(now);
        let known = self.read();
        let matching = known.silences.iter().filter(|(_, silence)| silence.matches(alert, now));
        matching.max_by_key(|(_, silence)| silence.until).map(|(number, silence)| (*number, silence.clone()))
    }

    /// All silences that have not ended.
    pub fn silences(&self, now: SystemTime) -> Vec<(u64, Silence)> {
        let now = millis(now);
        let known = self.read();
        known
            .silences
            .iter()
            .filter(|(_, one)| now < one.until)
            .map(|(number, one)| (*number, one.clone()))
            .collect()
    }

    /// Acknowledges an alert.
    pub async fn acknowledge(&self, alert: &Alert, by: String, comment: String) -> Result<()> {
        let _changing = self.changing.lock().await;
        self.trim(alert).await?;
        let made = Acknowledgement { by, comment, at: millis(SystemTime::now()), since: millis(alert.since) };
        self.put(ACKNOWLEDGEMENTS, &alert.id(), &made).await?;
        self.write().acknowledgements.insert(alert.id(), made);
        Ok(())
    }

    /// Takes an acknowledgement back. Returns whether there was one.
    pub async fn unacknowledge(&self, alert: &str) -> Result<bool> {
        let _changing = self.changing.lock().await;
        if !self.read().acknowledgements.contains_key(alert) {
            return Ok(false);
        }
        self.pool.record_delete(ACKNOWLEDGEMENTS, alert.as_bytes()).await?;
        self.write().acknowledgements.remove(alert);
        Ok(true)
    }

    /// Adds a silence, and returns its number.
    pub async fn add_silence(&self, silence: Silence) -> Result<u64> {
        let _changing = self.changing.lock().await;
        let now = millis(SystemTime::now());
        let over: Vec<u64> = self
            .read()
            .silences
            .iter()
            .filter(|(_, one)| one.until <= now)
            .map(|(number, _)| *number)
            .collect();
        for number in over {
            self.forget(number).await?;
        }
        if self.read().silences.len() >= SILENCES_MAX {
            let cause = format!("there are {SILENCES_MAX}, which is the most that there can be");
            return Err(ApiError::new(Code::TooMany, "silences", cause)
                .with_remedy("end some that are no longer needed"));
        }
        let number = self.read().silences.keys().next_back().copied().unwrap_or_default().saturating_add(1);
        self.put(SILENCES, &number.to_string(), &silence).await?;
        self.write().silences.insert(number, silence);
        Ok(number)
    }

    /// Ends a silence, and returns it.
    pub async fn end_silence(&self, number: u64) -> Result<Option<Silence>> {
        let _changing = self.changing.lock().await;
        let found = self.read().silences.get(&number).cloned();
        if found.is_some() {
            self.forget(number).await?;
        }
        Ok(found)
    }

    async fn forget(&self, number: u64) -> Result<()> {
        self.pool.record_delete(SILENCES, number.to_string().as_bytes()).await?;
        self.write().silences.remove(&number);
        Ok(())
    }

    /// Makes room: the acknowledgements of alerts that are resolved are never looked at again, and the oldest go.
    async fn trim(&self, alert: &Alert) -> Result<()> {
        while self.read().acknowledgements.len() >= ACKNOWLEDGEMENTS_MAX {
            let oldest = {
                let known = self.read();
                let others = known.acknowledgements.iter().filter(|(id, _)| **id != alert.id());
                others.min_by_key(|(_, one)| one.at).map(|(id, _)| id.clone())
            };
            let Some(oldest) = oldest else { return Ok(()) };
            self.pool.record_delete(ACKNOWLEDGEMENTS, oldest.as_bytes()).await?;
            self.write().acknowledgements.remove(&oldest);
        }
        Ok(())
    }

    async fn put(&self, namespace: &'static str, key: &str, record: &impl Serialize) -> Result<()> {
        let text = serde_json::to_vec(record).map_err(|error| Problem::new("alert", error.to_string()))?;
        Ok(self.pool.record_put(namespace, key.as_bytes(), &text).await?)
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
}

fn records<Record: DeserializeOwned>(pool: &Pool, namespace: &'static str) -> Vec<(String, Record)> {
    let all = pool.records(namespace).unwrap_or_else(|error| {
        tracing::warn!(namespace, %error, "cannot be read: alerts are shown without acknowledgements and silences");
        Vec::new()
    });
    let read = |key: &[u8], value: &[u8]| {
        Some((std::str::from_utf8(key).ok()?.to_owned(), serde_json::from_slice(value).ok()?))
    };
    all.into_iter().filter_map(|(key, value)| read(&key, &value)).collect()
}
