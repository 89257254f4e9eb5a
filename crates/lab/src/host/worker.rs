//! The process that does a run, alone in its namespaces. See [`super::supervisor`] for why it ends when it should.

use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use rustix::process::{Signal, kill_current_process_group};
use serde::{Deserialize, Serialize};

use super::leftovers::RunFolders;
use super::site::Site;
use crate::client;
use crate::executable;
use crate::experiment;
use crate::progress::Progress;
use crate::report::{Recorder, RunResult};
use crate::request::{Request, Surroundings};

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
    pub fn surroundings(&self) -> Surroundings {
        match self {
            Self::Experiment(request) => request.surroundings(),
            Self::Client(_) => Surroundings::Guests,
        }
    }
}

/// Does a run, and leaves its result for the supervisor; returns the process's exit status.
pub fn run(order_path: &Path) -> Result<u8> {
    let WorkOrder { task, folders } = read_order(order_path)?;
    end_with_supervisor(task.surroundings(), order_path);
    let result = match task {
        Task::Experiment(request) => {
            let progress = Progress::new().noting(folders.stage());
            let result = perform(&request, &folders, &progress);
            progress.finish();
            serde_json::to_vec(&result?)?
        }
        Task::Client(order) => serde_json::to_vec(&client::work(&order, &folders)?)?,
    };
    let path = folders.worker_result();
    fs::write(&path, result).with_context(|| format!("write {}", path.display()))?;
    Ok(0)
}

fn read_order(path: &Path) -> Result<WorkOrder> {
    let text = fs::read(path).with_context(|| format!("read {}", path.display()))?;
    serde_json::from_slice(&text).context("parse the work order")
}

/// Removes what a run made whose supervisor is gone.
pub fn clean(order_path: &Path) -> Result<()> {
    read_order(order_path)?.folders.remove()
}

fn perform(request: &Request, folders: &RunFolders, progress: &Progress) -> Result<RunResult> {
    let experiment = experiment::find(&request.experiment).context("the work order names no experiment")?;
    let recorder = Recorder::new(progress.clone());
    let surroundings = request.surroundings();
    let (cache, out, daemon) = (request.cache.clone(), request.out.clone(), request.daemon.clone());
    let site = Site::create(surroundings, cache, out, folders.clone(), daemon)?;
    match surroundings {
        Surroundings::Guests => {
            recorder.version("user-mode-linux", site.tools()?.version("user-mode-linux")?);
        }
        Surroundings::Native | Surroundings::Cluster => {
            recorder.version("linux", rustix::system::uname().release().to_string_lossy());
        }
    }
    let why = experiment.run(&site, request, &recorder)?;
    Ok(recorder.finish(experiment.name(), &request.storage_names(), request.profile.name(), &why))
}

/// Ends this process, and with it the namespace, when the supervisor is gone or wants it so.
fn end_with_supervisor(surroundings: Surroundings, order_path: &Path) {
    let order_path = order_path.to_owned();
    std::thread::spawn(move || {
        let mut wish = [0u8; 1];
        // Sent or not, a read returns at the latest when the other end is closed. That nothing was sent is what tells a supervisor's death:
        // the kernel closes a dying process's files before its children have another parent.
        let is_wish = matches!(std::io::stdin().read(&mut wish), Ok(1));
        if surroundings == Surroundings::Cluster {
            if !is_wish {
                // In a process group of its own, so that it lives on, and acts when nothing of the run is left.
                let program = executable::lab().unwrap_or_default();
                let _ = Command::new(program).arg("clean").arg(order_path).process_group(0).spawn();
            }
            let _ = kill_current_process_group(Signal::KILL);
        }
        std::process::exit(1);
    });
}
