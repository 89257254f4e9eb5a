//! The process that does a run, alone in its namespaces. See [`super::supervisor`] for why it ends when it should.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::leftovers::RunFolders;
use super::site::Site;
use crate::experiment;
use crate::progress::Progress;
use crate::report::{Recorder, RunResult};
use crate::request::Request;

/// What the supervisor wants done.
#[derive(Debug, Serialize, Deserialize)]
pub struct WorkOrder {
    /// What the person asked for.
    pub request: Request,
    /// Where to keep what goes when the run ends.
    pub folders: RunFolders,
}

/// Does a run, and leaves its result for the supervisor; returns the process's exit status.
pub fn run(order_path: &Path) -> Result<u8> {
    end_with_supervisor();
    let text = fs::read(order_path).with_context(|| format!("read {}", order_path.display()))?;
    let WorkOrder { request, folders } = serde_json::from_slice(&text).context("parse the work order")?;
    let progress = Progress::new();
    let result = perform(&request, &folders, &progress);
    progress.finish();
    let path = folders.worker_result();
    fs::write(&path, serde_json::to_vec(&result?)?).with_context(|| format!("write {}", path.display()))?;
    Ok(0)
}

fn perform(request: &Request, folders: &RunFolders, progress: &Progress) -> Result<RunResult> {
    let experiment = experiment::find(&request.experiment).context("the work order names no experiment")?;
    let recorder = Recorder::new(progress.clone());
    let site = Site::create(request.cache.clone(), request.out.clone(), folders.clone())?;
    recorder.version("user-mode-linux", site.tools().version("user-mode-linux")?);
    let why = experiment.run(&site, request, &recorder)?;
    let storages: Vec<_> = request.storages.iter().map(|kind| kind.name()).collect();
    Ok(recorder.finish(experiment.name(), &storages.join(","), request.profile.name(), &why))
}

/// Ends this process, and with it the namespace, when the supervisor is gone or wants it so.
fn end_with_supervisor() {
    std::thread::spawn(|| {
        let mut nothing = [0u8; 1];
        // Nothing is ever sent: a read returns only when the other end is closed.
        let _ = std::io::stdin().read(&mut nothing);
        std::process::exit(1);
    });
}
