//! Snapshots.

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
}

impl Check for NewSnapshot {}

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
}

impl SnapshotView {
    /// The name in the form VOLUME@SNAPSHOT.
    pub fn full_name(&self) -> String {
        format!("{}@{}", self.volume, self.name)
    }
}
