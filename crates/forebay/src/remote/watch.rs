//! `forebay event` and `forebay job`.

use std::time::Duration;

use anyhow::Result;
use forebay_admin::views::{EventView, JobView, List, Severity};

use crate::admin::client::Client;
use crate::cli::{EventCommand, JobCommand, Remote};
use crate::output::{print_as, print_columns, print_done, print_next, print_pairs};

/// How often `--follow` polls for new events.
const FOLLOW_EVERY: Duration = Duration::from_secs(1);

/// Carries out a `forebay event` command.
pub fn run_event(command: EventCommand) -> Result<()> {
    let EventCommand::List { follow, severity, limit, remote } = command;
    let events: List<EventView> =
        Client::new(&remote)?.get(&format!("events?severity={severity}&limit={limit}"))?;
    if follow {
        return follow_on(&remote, severity, events.items);
    }
    print_as(remote.format(), &events.items, |events| list_events(events))
}

/// Prints existing events and then new ones, one per line, until the user interrupts it or the reader is
/// gone. It also ends when the daemon restarts.
fn follow_on(remote: &Remote, severity: Severity, mut events: Vec<EventView>) -> Result<()> {
    let client = Client::new(remote)?;
    let mut after = 0;
    loop {
        for event in &events {
            after = after.max(event.id);
            if print_next(remote.format(), event, line)?.is_break() {
                return Ok(());
            }
        }
        std::thread::sleep(FOLLOW_EVERY);
        let next: List<EventView> =
            client.get(&format!("events?after={after}&severity={severity}&limit=1000"))?;
        // Without an event seen so far, the response has the latest events, and all of them are new.
        events = next.items;
    }
}

fn line(event: &EventView) -> String {
    format!("{} {} {}: {}{}", event.time, event.severity, event.object, event.message, by(event))
}

fn by(event: &EventView) -> String {
    match (&event.user, &event.address) {
        (Some(user), Some(address)) if user != address => format!(" (by {user} at {address})"),
        (Some(user), _) => format!(" (by {user})"),
        _ => String::new(),
    }
}

fn list_events(events: &[EventView]) -> Result<()> {
    let row = |event: &EventView| {
        let user = event.user.clone().unwrap_or_else(|| "-".to_owned());
        vec![
            event.time.clone(),
            event.severity.to_string(),
            event.object.clone(),
            event.message.clone(),
            user,
        ]
    };
    print_columns(&["time", "severity", "object", "what", "by"], events.iter().map(row))
}

/// Carries out a `forebay job` command.
pub fn run_job(command: JobCommand) -> Result<()> {
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
