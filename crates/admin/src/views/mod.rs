//! The types of request and response bodies.
//!
//! The handlers and the command line both use them, so they cannot disagree, and the OpenAPI document is
//! generated from them. Request bodies reject unknown fields. Limits in the schema (patterns, bounds) are
//! checked by [`Check`] or by the code that uses the value. Sizes are in bytes; times are UTC in RFC 3339
//! format.

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

/// A list of objects.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct List<T> {
    /// The objects.
    pub items: Vec<T>,
    /// The total number of objects; larger than the length of `items` if a limit was given.
    pub total: u64,
}

impl<T> List<T> {
    /// A complete list.
    pub fn all(items: Vec<T>) -> List<T> {
        let total = items.len() as u64;
        List { items, total }
    }
}

/// Checks what the types of a body's fields cannot express.
pub trait Check {
    /// Returns what is wrong and what would be valid: `size: must be at most …`.
    fn check(&self) -> Result<(), Problem> {
        Ok(())
    }
}

/// The largest accepted number of bytes. Many languages have no larger integers.
pub const BYTES_MAX: u64 = i64::MAX.unsigned_abs();

/// The largest user or group id. The next number means "no one".
pub const ID_MAX: u32 = u32::MAX - 1;

/// Checks that a user or group id is valid.
fn check_id(field: &str, id: Option<u32>) -> Result<(), Problem> {
    match id {
        Some(id) if id > ID_MAX => Err(Problem::new(
            field,
            format!("must be at most {ID_MAX}: {id} stands for no user and no group"),
        )),
        _ => Ok(()),
    }
}

/// Checks that a number of bytes is within bounds that every language's integers can hold.
fn check_bytes(field: &str, bytes: Option<u64>) -> Result<(), Problem> {
    match bytes {
        Some(bytes) if bytes == 0 || bytes > BYTES_MAX => {
            let cause = format!("must be at least 1 byte and at most {BYTES_MAX}");
            Err(Problem::new(field, cause).with_remedy("null removes the limit"))
        }
        _ => Ok(()),
    }
}

/// Reads a field that may be null as `Some(None)`, so that `None` means the field is absent.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

/// Reads a field that may be absent, but not null.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A time in the API's format.
pub fn time(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}
