//! What a supervisor has its worker do.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::client;
use crate::host::RunFolders;
use crate::request::{EnvironmentKind, Request};

/// What the supervisor wants done.
#[derive(Debug, Serialize, Deserialize)]
pub struct WorkOrder {
    /// What the person asked for.
    pub task: Task,
    /// Where to keep what goes when the run ends.
    pub folders: RunFolders,
}

/// What a worker can do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Task {
    /// An experiment.
    Experiment(Request),
    /// A guest for a person.
    Client(client::Order),
}

impl Task {
    /// What surrounds the run.
    pub fn environment_kind(&self) -> EnvironmentKind {
        match self {
            Self::Experiment(request) => request.environment_kind(),
            Self::Client(_) => EnvironmentKind::Guests,
        }
    }
}

/// Reads a work order.
pub fn read_order(path: &Path) -> Result<WorkOrder> {
    let text = fs::read(path).with_context(|| format!("read {}", path.display()))?;
    serde_json::from_slice(&text).context("parse the work order")
}
