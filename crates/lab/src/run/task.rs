//! The task that a supervisor gives to its worker.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::client;
use crate::host::RunFolders;
use crate::request::{EnvironmentKind, Request};

/// The content of the file that the worker reads.
#[derive(Debug, Serialize, Deserialize)]
pub struct WorkerTask {
    /// The task.
    pub task: Task,
    /// The folders for files that are removed when the run ends.
    pub folders: RunFolders,
}

/// A task.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Task {
    /// Run an experiment.
    Experiment(Request),
    /// Run a guest for the user.
    Client(client::GuestRequest),
}

impl Task {
    /// The kind of environment that it needs.
    pub fn environment_kind(&self) -> EnvironmentKind {
        match self {
            Self::Experiment(request) => request.environment_kind(),
            Self::Client(_) => EnvironmentKind::Guests,
        }
    }
}

/// Reads the file with a worker's task.
pub fn read_task(path: &Path) -> Result<WorkerTask> {
    let text = fs::read(path).with_context(|| format!("read {}", path.display()))?;
    serde_json::from_slice(&text).context("parse the worker's task")
}
