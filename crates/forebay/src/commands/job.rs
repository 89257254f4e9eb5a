//! `forebay job`.

use anyhow::Result;
use clap::Subcommand;
use forebay_admin::views::{JobView, List};

use crate::admin::client::Client;
use crate::arguments::Remote;
use crate::output::{print_as, print_columns, print_done, print_pairs};

/// `forebay job`.
#[derive(Debug, Subcommand)]
pub enum JobCommand {
    /// List running jobs and the most recent finished ones
    List {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show a job and its result
    Show {
        /// The job's id
        id: u64,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Cancel a job
    Cancel {
        /// The job's id
        id: u64,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

/// Carries out a `forebay job` command.
pub fn run(command: JobCommand) -> Result<()> {
    match command {
        JobCommand::List { remote } => {
            let jobs: List<JobView> = Client::new(&remote)?.get("jobs")?;
            print_as(remote.format(), &jobs.items, |jobs| list_jobs(jobs))
        }
        JobCommand::Show { id, remote } => {
            let job: JobView = Client::new(&remote)?.get(&format!("jobs/{id}"))?;
            print_as(remote.format(), &job, show_job)
        }
        JobCommand::Cancel { id, remote } => {
            let job: JobView = Client::new(&remote)?.end(&format!("jobs/{id}"))?;
            print_done(remote.format(), &job, &format!("cancelling job {id}"))
        }
    }
}

fn progress(job: &JobView) -> String {
    format!("{} of {} {}", job.progress.done, job.progress.total, job.progress.unit)
}

fn list_jobs(jobs: &[JobView]) -> Result<()> {
    let row = |job: &JobView| {
        let finished = job.finished.clone().unwrap_or_else(|| "-".to_owned());
        let (kind, state) = (job.kind.to_string(), job.state.to_string());
        vec![job.id.to_string(), kind, state, progress(job), job.started.clone(), finished, job.user.clone()]
    };
    print_columns(&["id", "kind", "state", "progress", "started", "finished", "by"], jobs.iter().map(row))
}

fn show_job(job: &JobView) -> Result<()> {
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let result = job.result.as_ref().map(|report| format!("{} differences", report.differences_count));
    print_pairs(&[
        ("id", job.id.to_string()),
        ("kind", job.kind.to_string()),
        ("state", job.state.to_string()),
        ("progress", progress(job)),
        ("started", job.started.clone()),
        ("finished", or_none(&job.finished)),
        ("by", job.user.clone()),
        ("result", or_none(&result)),
        ("error", or_none(&job.error)),
    ])
}
