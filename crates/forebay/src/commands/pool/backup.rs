//! `forebay pool backup`, `backups`, `verify-backup` and `restore`. The daemon makes backups; the other three read directories themselves.

use std::fmt;
use std::io::{IsTerminal, stderr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use forebay_admin::views::{BackupRequest, BackupView, BackupsView, JobView};
use forebay_pool::{BackupWatch, Pool, VerifyReport};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use super::run::wait_for;
use crate::admin::client::Client;
use crate::arguments::{Format, Remote};
use crate::commands::init::check_owner_of_files;
use crate::config::size;
use crate::output::{print_as, print_columns, print_line, print_pairs};

const SHOWN_EVERY: Duration = Duration::from_millis(200);

/// The number of frames of a backup that are missing or damaged.
#[derive(Debug)]
pub struct DamagedFrames(u64);

impl fmt::Display for DamagedFrames {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "the backup is damaged: {} frames are missing or wrong; keep it, check its disk, and try another one (`forebay pool backups \
             DIRECTORY` lists them)",
            self.0
        )
    }
}

impl std::error::Error for DamagedFrames {}

/// Has the daemon make a backup, and waits for it.
pub fn create(mut request: BackupRequest, remote: &Remote) -> Result<()> {
    let client = Client::new(remote)?;
    // A relative path is relative to this command, not to the daemon.
    if let Some(directory) = &mut request.directory {
        *directory = std::path::absolute(&*directory).context("the directory's path cannot be completed")?;
    }
    let job: JobView = client.post("pool/backups", &request)?;
    let job = wait_for(&client, job)?;
    let made = job.backup.ok_or_else(|| anyhow!("job {}: the backup was {}", job.id, job.state))?;
    print_as(remote.format(), &made, show_one)
}

/// Shows the schedule and the last backup.
pub fn show(remote: &Remote) -> Result<()> {
    let backups: BackupsView = Client::new(remote)?.get("pool/backups")?;
    print_as(remote.format(), &backups, |backups| {
        let none = || "none".to_owned();
        let schedule = match (&backups.directory, backups.every_hours) {
            (Some(directory), Some(hours)) => format!("every {hours} h into {directory}"),
            _ => "none; set backup.directory".to_owned(),
        };
        let last = backups.last.as_ref().map_or_else(none, |last| last.taken.clone());
        print_pairs(&[
            ("schedule", schedule),
            ("kept", backups.keep.map_or_else(|| "all".to_owned(), |keep| keep.to_string())),
            ("next due", backups.due.clone().unwrap_or_else(none)),
            ("last backup", last),
            ("in", backups.last_directory.clone().unwrap_or_else(|| "-".to_owned())),
            ("failed", backups.failed.clone().unwrap_or_else(|| "no".to_owned())),
        ])?;
        backups.error.iter().try_for_each(|error| print_line(&format!("error: {error}")))
    })
}

fn show_one(backup: &BackupView) -> Result<()> {
    print_pairs(&[
        ("backup", backup.name.clone()),
        ("of the instant", backup.taken.clone()),
        ("finished", backup.finished.clone()),
        ("volumes", backup.volumes.join(", ")),
        ("size", size::rounded(backup.bytes)),
        ("copied", size::rounded(backup.bytes_copied)),
        ("damaged frames", backup.damaged.to_string()),
    ])
}

/// Lists the backups in a directory.
pub fn list(directory: &Path, format: Format) -> Result<()> {
    let runtime = tokio::runtime::Runtime::new().context("the asynchronous runtime cannot be started")?;
    let found = runtime.block_on(Pool::backups(directory))?;
    let items: Vec<BackupView> = found.backups.into_iter().map(BackupView::from).collect();
    print_as(format, &json!({"items": items, "broken": found.broken}), |_| {
        let row = |backup: &BackupView| {
            vec![
                backup.name.clone(),
                backup.taken.clone(),
                size::rounded(backup.bytes),
                size::rounded(backup.bytes_copied),
                backup.damaged.to_string(),
                backup.volumes.len().to_string(),
            ]
        };
        print_columns(&["name", "instant", "size", "copied", "damaged", "volumes"], items.iter().map(row))?;
        found.broken.iter().try_for_each(|broken| print_line(&format!("cannot be used: {broken}")))
    })
}

/// Verifies a backup.
pub fn verify(directory: &Path, name: Option<String>, format: Format) -> Result<()> {
    let report = watched("verified", |watch| Pool::verify_backup(directory, name, watch))?;
    print_as(format, &described(&report), |_| show_report(&report, "verified"))?;
    fail_if_damaged(&report)
}

/// Makes a pool of a backup.
pub fn restore(directory: &Path, name: Option<String>, target: &Path, format: Format) -> Result<()> {
    check_owner_of_files(target)?;
    let report = watched("restored", |watch| Pool::restore(directory, name, target, watch))?;
    print_as(format, &described(&report), |_| {
        show_report(&report, "restored and verified")?;
        print_line(&format!(
            "{} is a pool now: name it as pool.directory, and start the daemon",
            target.display()
        ))
    })?;
    fail_if_damaged(&report)
}

fn fail_if_damaged(report: &VerifyReport) -> Result<()> {
    if report.damaged > 0 { Err(DamagedFrames(report.damaged).into()) } else { Ok(()) }
}

fn described(report: &VerifyReport) -> serde_json::Value {
    json!({
        "backup": BackupView::from(report.backup.clone()),
        "records": report.records,
        "frames": report.frames,
        "bytes": report.bytes,
        "damaged": report.damaged,
        "damage": report.damage,
    })
}

fn show_report(report: &VerifyReport, done: &str) -> Result<()> {
    let backup = BackupView::from(report.backup.clone());
    print_pairs(&[
        ("backup", backup.name),
        ("of the instant", backup.taken),
        ("pool", report.backup.pool.clone()),
        ("volumes", backup.volumes.join(", ")),
        ("metadata records", report.records.to_string()),
        (done, format!("{} ({} frames)", size::rounded(report.bytes), report.frames)),
        ("damaged frames", report.damaged.to_string()),
    ])?;
    report.damage.iter().try_for_each(|damage| print_line(damage))
}

/// Does work that takes long, and shows its progress. Ctrl-C cancels it.
fn watched<F>(done: &'static str, work: impl FnOnce(Arc<BackupWatch>) -> F) -> Result<VerifyReport>
where
    F: Future<Output = forebay_pool::Result<VerifyReport>>,
{
    let runtime = tokio::runtime::Runtime::new().context("the asynchronous runtime cannot be started")?;
    let watch = Arc::<BackupWatch>::default();
    let target =
        if stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let template = format!("{{bar:40}} {{bytes}} of {{total_bytes}} {done}, {{eta}} left");
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::with_draw_target(Some(0), target).with_style(style);
    let outcome = runtime.block_on(async {
        let mut work = std::pin::pin!(work(watch.clone()));
        let mut ticks = tokio::time::interval(SHOWN_EVERY);
        loop {
            tokio::select! {
                outcome = &mut work => break outcome,
                _ = ticks.tick() => {
                    let (done, total) = watch.bytes();
                    bar.set_length(total);
                    bar.set_position(done);
                }
                _ = tokio::signal::ctrl_c() => watch.cancel(),
            }
        }
    });
    bar.finish_and_clear();
    Ok(outcome?)
}
