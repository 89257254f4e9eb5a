//! Snapshots.

use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Check;

/// A snapshot to be taken of one volume.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSnapshot {
    /// Its name.
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub name: String,
}

impl Check for NewSnapshot {}

/// Snapshots to be taken of several volumes, all of one instant.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSnapshots {
    /// The volumes' names.
    #[schema(min_items = 1, max_items = 1000)]
    pub volumes: Vec<String>,
    /// The snapshots' name.
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub name: String,
}

impl Check for NewSnapshots {
    fn check(&self) -> Result<(), Problem> {
        if (1..=1000).contains(&self.volumes.len()) {
            Ok(())
        } else {
            Err(Problem::new("volumes", "name from 1 to 1000 volumes"))
        }
    }
}

/// How a volume is to be rolled back.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Rollback {
    /// Also if younger snapshots go with it.
    #[serde(default)]
    pub force: bool,
}

impl Check for Rollback {}

/// A snapshot.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SnapshotView {
    /// The volume that it was taken of.
    pub volume: String,
    /// Its own name.
    pub name: String,
    /// When it was taken.
    #[schema(format = DateTime)]
    pub created: String,
    /// Bytes of its files that are not holes.
    pub bytes_logical: u64,
    /// `hourly`, `daily` or `weekly`, if it was taken by the clock.
    pub period: Option<String>,
    /// Volumes that are clones of it.
    pub clones: Vec<String>,
}

impl SnapshotView {
    /// VOLUME@SNAPSHOT.
    pub fn full_name(&self) -> String {
        format!("{}@{}", self.volume, self.name)
    }
}
