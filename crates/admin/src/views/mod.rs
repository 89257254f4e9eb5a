//! What is said over the interface: the bodies of requests and answers, as types.
//!
//! Both sides use them, the handlers here and the command line, so they cannot disagree; the OpenAPI document is
//! made of them. Bodies of requests refuse fields that they do not know, and what their schema says of values (patterns, bounds)
//! is checked by [`Check`] or by who takes the value. Sizes are in bytes, times are UTC as RFC 3339 writes them.

mod account;
mod event;
mod export;
mod job;
mod lab;
mod nfs;
mod pool;
mod snapshot;
mod volume;
mod words;

use crate::problem::Problem;
use std::time::SystemTime;

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

pub use account::{NewToken, Role, SetUser, TokenCreated, TokenView, UserView, WhoView};
pub use event::{EventView, Severity};
pub use export::{
    Access, Groups, NewPolicy, NewRule, PolicyRules, PolicyView, RuleChange, RuleView, Security, Squash,
    TlsUse,
};
pub use job::{JobKind, JobState, JobView, ProgressUnit, ProgressView};
pub use lab::{LabPageView, LabReportKind, LabReportView, LabReportsView, LabRunView, LabVerdict};
pub use nfs::{
    BackChannel, ClientState, ClientView, FileView, LockKind, LockView, NfsView, OpenView, OperationView,
    SessionView, TlsState,
};
pub use pool::{
    CheckRequest, CheckView, EfficiencyView, HealthStatus, HealthView, LostSegmentView, PoolView, ScrubView,
};
pub use snapshot::{NewSnapshot, NewSnapshots, Rollback, SnapshotView};
pub use volume::{
    Compression, NewClone, NewVolume, Plan, Shown, VolumeEdit, VolumeSettings, VolumeView, WaitsView,
};

/// Several of something.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct List<T> {
    /// They.
    pub items: Vec<T>,
    /// How many there are; more than `items` has if a limit was given.
    pub total: u64,
}

impl<T> List<T> {
    /// All that there are.
    pub fn all(items: Vec<T>) -> List<T> {
        let total = items.len() as u64;
        List { items, total }
    }
}

/// Checks what the types of a body's fields cannot say.
pub trait Check {
    /// What is wrong, and what would be right: `size: must be at most …`.
    fn check(&self) -> Result<(), Problem> {
        Ok(())
    }
}

/// The largest number of bytes that is taken. Many languages have no greater whole number.
pub const BYTES_MAX: u64 = i64::MAX.unsigned_abs();

/// The largest number of a user or group: the next one stands for no one.
pub const ID_MAX: u32 = u32::MAX - 1;

/// The number of a user or group that there can be.
fn check_id(field: &str, id: Option<u32>) -> Result<(), Problem> {
    match id {
        Some(id) if id > ID_MAX => Err(Problem::new(
            field,
            format!("must be at most {ID_MAX}: {id} stands for no user and no group"),
        )),
        _ => Ok(()),
    }
}

/// A number of bytes within bounds that fit everyone's whole numbers.
fn check_bytes(field: &str, bytes: Option<u64>) -> Result<(), Problem> {
    match bytes {
        Some(bytes) if bytes == 0 || bytes > BYTES_MAX => {
            let cause = format!("must be at least 1 byte and at most {BYTES_MAX}");
            Err(Problem::new(field, cause).with_remedy("null removes the limit"))
        }
        _ => Ok(()),
    }
}

/// Reads a field that may be null as `Some(None)`, so that `None` is left for one that is absent.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

/// Reads a field that may be absent, but not null.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A time as the interface writes it.
pub fn time(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}
