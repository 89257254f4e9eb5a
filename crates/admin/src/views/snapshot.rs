//! Snapshots.

use std::time::{Duration, SystemTime};

use forebay_pool::{SnapshotChange, SnapshotSpec};

use super::fields::{given, present};
use crate::base::problem::Problem;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::Check;

/// A snapshot to take of one volume.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSnapshot {
    /// The snapshot's name.
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub name: String,
    /// When the snapshot is deleted automatically, in UTC; default never.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        format = DateTime,
        pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
        nullable = false
    )]
    pub expires: Option<String>,
    /// Until when nobody can delete the snapshot, in UTC. Requires the role admin.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        format = DateTime,
        pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
        nullable = false
    )]
    pub locked_until: Option<String>,
}

impl Check for NewSnapshot {
    fn check(&self) -> Result<(), Problem> {
        snapshot_spec(self.expires.as_deref(), self.locked_until.as_deref()).map(drop)
    }
}

/// When a snapshot expires, and until when it is locked.
pub fn snapshot_spec(expires: Option<&str>, locked_until: Option<&str>) -> Result<SnapshotSpec, Problem> {
    Ok(SnapshotSpec {
        expires: expires.map(|text| coming("expires", text)).transpose()?,
        locked_until: locked_until.map(|text| coming("locked_until", text)).transpose()?,
    })
}

/// A time to come.
fn coming(field: &'static str, text: &str) -> Result<SystemTime, Problem> {
    let wrong = || Problem::new(field, "must be a time to come, in UTC, such as 2027-01-31T00:00:00Z");
    let time = humantime::parse_rfc3339(text).map_err(|_| wrong())?;
    let latest = SystemTime::now().checked_add(DEADLINE_MAX).ok_or_else(wrong)?;
    if time > latest {
        return Err(Problem::new(field, "must be within the next hundred years"));
    }
    if time > SystemTime::now() { Ok(time) } else { Err(wrong()) }
}

/// A hundred years.
const DEADLINE_MAX: Duration = Duration::from_secs(3_155_760_000);

/// Changes to a snapshot. Fields that are absent stay unchanged.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SnapshotEdit {
    /// Another name.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$", nullable = false)]
    pub name: Option<String>,
    /// When the snapshot is deleted automatically, in UTC; null means never.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(
        value_type = Option<String>,
        format = DateTime,
        pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"
    )]
    pub expires: Option<Option<String>>,
    /// Until when nobody can delete the snapshot, in UTC. A lock can be made longer, and never shorter. Requires the role admin.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        format = DateTime,
        pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
        nullable = false
    )]
    pub locked_until: Option<String>,
}

impl SnapshotEdit {
    /// The change that the pool is asked to make.
    pub fn change(&self) -> Result<SnapshotChange, Problem> {
        let expires = self.expires.as_ref().map(|expires| expires.as_deref());
        let expires = expires.map(|text| text.map(|text| coming("expires", text)).transpose()).transpose()?;
        let locked_until =
            self.locked_until.as_deref().map(|text| coming("locked_until", text)).transpose()?;
        Ok(SnapshotChange { name: self.name.clone(), expires, locked_until })
    }
}

impl Check for SnapshotEdit {
    fn check(&self) -> Result<(), Problem> {
        self.change().map(drop)
    }
}

/// Snapshots to take of several volumes at the same instant.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSnapshots {
    /// The volumes' names.
    #[schema(min_items = 1, max_items = 1000)]
    pub volumes: Vec<String>,
    /// The name of each snapshot.
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub name: String,
    /// When the snapshot is deleted automatically, in UTC; default never.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        format = DateTime,
        pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
        nullable = false
    )]
    pub expires: Option<String>,
    /// Until when nobody can delete the snapshot, in UTC. Requires the role admin.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        format = DateTime,
        pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
        nullable = false
    )]
    pub locked_until: Option<String>,
}

impl Check for NewSnapshots {
    fn check(&self) -> Result<(), Problem> {
        if (1..=1000).contains(&self.volumes.len()) {
            snapshot_spec(self.expires.as_deref(), self.locked_until.as_deref()).map(drop)
        } else {
            Err(Problem::new("volumes", "name from 1 to 1000 volumes"))
        }
    }
}

/// The options of a rollback.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Rollback {
    /// Whether to delete newer snapshots.
    #[serde(default)]
    pub force: bool,
}

impl Check for Rollback {}

/// A snapshot.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SnapshotView {
    /// The volume that it belongs to.
    pub volume: String,
    /// The snapshot's name.
    pub name: String,
    /// When it was taken.
    #[schema(format = DateTime)]
    pub created: String,
    /// Bytes of file data, holes excluded.
    pub bytes_logical: u64,
    /// `hourly`, `daily` or `weekly` for a scheduled snapshot.
    pub period: Option<String>,
    /// Volumes that are clones of the snapshot.
    pub clones: Vec<String>,
    /// Deleted volumes that are clones of the snapshot and can be recovered. They keep it, too.
    pub clones_deleted: Vec<String>,
    /// When it is deleted automatically; null means never.
    #[schema(format = DateTime)]
    pub expires: Option<String>,
    /// Until when nobody can delete it; null if it is not locked.
    #[schema(format = DateTime)]
    pub locked_until: Option<String>,
    /// Whether it was taken for a clone, and is deleted with the clone.
    pub for_clone: bool,
}

/// The space that the deletion of each snapshot of a volume would free.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SnapshotSpaceView {
    /// When it was calculated.
    #[schema(format = DateTime)]
    pub as_of: String,
    /// Whether it is an estimate from a sample, because the volume is large.
    pub estimate: bool,
    /// The snapshots, by age.
    pub items: Vec<SnapshotFreesView>,
}

/// The space that the deletion of a snapshot would free.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SnapshotFreesView {
    /// The snapshot's name.
    pub name: String,
    /// Bytes that its deletion frees, if no other one is deleted. What it shares with another snapshot is not among them.
    pub frees_bytes: u64,
}

impl SnapshotView {
    /// The name in the form VOLUME@SNAPSHOT.
    pub fn full_name(&self) -> String {
        format!("{}@{}", self.volume, self.name)
    }
}
