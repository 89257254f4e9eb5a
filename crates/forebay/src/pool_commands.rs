//! `forebay pool`: asks the running daemon, prints its answer; a check also does without one.

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result, anyhow};

use crate::admin::client::{NoDaemon, call};
use crate::admin::commands::checked;
use crate::admin::protocol::{Answer, CheckView, Command, EfficiencyView, PoolView, ScrubView};
use crate::cli::{PoolCommand, ScrubCommand};
use crate::config::{Config, PoolConfig, size};
use crate::output::{print, print_json, print_pairs};
use crate::remote::unexpected;
use crate::serve::open_pool;

/// A check found differences; how many.
#[derive(Debug)]
pub struct Differences(u64);

impl fmt::Display for Differences {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "the pool is not consistent: {} differences; keep the pool's directory, and report them together with \
             the daemon's log",
            self.0
        )
    }
}

impl std::error::Error for Differences {}

/// Carries out a `forebay pool` command.
pub fn run(command: PoolCommand) -> Result<()> {
    match command {
        PoolCommand::Show { efficiency: wanted, json, settings } => {
            let socket = settings.load()?.admin_socket();
            let pool = match call(&socket, Command::PoolShow {})? {
                Answer::Pool(pool) => pool,
                other => return unexpected(&other),
            };
            let found = wanted.then(|| efficiency(&socket, None)).transpose()?;
            match found {
                None if json => print_json(&pool),
                None => show(&pool),
                Some(found) if json => print_json(&serde_json::json!({"pool": pool, "efficiency": found})),
                Some(found) => show(&pool).and_then(|()| show_efficiency(&found)),
            }
        }
        PoolCommand::Check { read, json, settings } => report(&check(&settings.load()?, read)?, json),
        PoolCommand::Scrub(command) => scrub(command),
    }
}

fn scrub(command: ScrubCommand) -> Result<()> {
    let (settings, command, json) = match command {
        ScrubCommand::Start(settings) => (settings, Command::ScrubStart {}, false),
        ScrubCommand::Stop(settings) => (settings, Command::ScrubStop {}, false),
        ScrubCommand::Status { json, settings } => (settings, Command::ScrubStatus {}, json),
    };
    match call(&settings.load()?.admin_socket(), command)? {
        Answer::Scrub(status) if json => print_json(&status),
        Answer::Scrub(status) => show_scrub(&status),
        other => unexpected(&other),
    }
}

/// What is stored for the files of a volume, or of all.
pub fn efficiency(socket: &Path, volume: Option<String>) -> Result<EfficiencyView> {
    match call(socket, Command::Efficiency { volume })? {
        Answer::Efficiency(found) => Ok(found),
        other => unexpected(&other),
    }
}

fn check(config: &Config, read: bool) -> Result<CheckView> {
    match call(&config.admin_socket(), Command::PoolCheck { read_chunks: read }) {
        Ok(Answer::Checked(report)) => Ok(report),
        Ok(other) => unexpected(&other),
        Err(error) if error.is::<NoDaemon>() && forebay_pool::Pool::is_in(&config.pool.directory) => {
            check_offline(&config.pool, read)
        }
        Err(error) => Err(error),
    }
}

/// The pool's lock keeps a daemon that starts meanwhile away.
fn check_offline(config: &PoolConfig, read: bool) -> Result<CheckView> {
    let runtime = tokio::runtime::Runtime::new().context("the asynchronous runtime cannot be started")?;
    runtime.block_on(async {
        let pool = open_pool(config).await?;
        let report = pool.check_report(read).await;
        let closed = pool.close().await;
        let report = report.map_err(|error| anyhow!("the pool cannot be checked: {error}"))?;
        closed.map_err(|error| anyhow!("the pool was not closed cleanly: {error}"))?;
        Ok(checked(report))
    })
}

fn report(report: &CheckView, json: bool) -> Result<()> {
    if json {
        print_json(report)?;
    } else {
        print_pairs(&[
            ("inodes", report.inodes.to_string()),
            ("extents", report.extents.to_string()),
            ("chunks", report.chunks.to_string()),
            ("segments", report.segments.to_string()),
            ("live", size::rounded(report.bytes_live)),
            (
                "read and verified",
                format!("{} ({} frames)", size::rounded(report.bytes_read), report.frames_read),
            ),
            ("differences", report.differences_count.to_string()),
        ])?;
        report.differences.iter().try_for_each(|difference| print(&format!("{difference}\n")))?;
    }
    if report.differences_count > 0 {
        return Err(Differences(report.differences_count).into());
    }
    if json { Ok(()) } else { print("the pool is consistent\n") }
}

fn show(pool: &PoolView) -> Result<()> {
    print_pairs(&[
        ("directory", pool.directory.clone()),
        ("id", pool.id.clone()),
        ("release", pool.release.clone()),
        ("starts", pool.boot.to_string()),
        ("size", size::rounded(pool.bytes_total)),
        ("free", size::rounded(pool.bytes_free)),
        ("used", size::rounded(pool.bytes_logical)),
        ("stored", size::rounded(pool.bytes_live.saturating_add(pool.bytes_inline))),
        ("to be given back", size::rounded(pool.bytes_dead)),
        ("segments", pool.segments.to_string()),
        ("volumes", pool.volumes.to_string()),
        ("inodes", pool.inodes_used.to_string()),
        ("orphans", pool.orphans.to_string()),
        ("copies", copies(&pool.scrub)),
        ("scrub", progress(&pool.scrub)),
        ("damaged", pool.scrub.damaged.to_string()),
    ])
}

/// Shows what deduplication and compression save.
pub fn show_efficiency(found: &EfficiencyView) -> Result<()> {
    print_pairs(&[
        ("logical", size::rounded(found.bytes_logical)),
        ("holes", size::rounded(found.bytes_holes)),
        ("deduplicated", size::rounded(found.bytes_deduplicated)),
        ("compressed", size::rounded(found.bytes_compressed)),
        ("physical", size::rounded(found.bytes_physical)),
        ("of it in metadata", size::rounded(found.bytes_inline)),
        ("ratio", format!("{:.2}:1", found.ratio)),
    ])
}

fn show_scrub(status: &ScrubView) -> Result<()> {
    let or_never = |time: &Option<String>| time.clone().unwrap_or_else(|| "never".to_owned());
    print_pairs(&[
        ("scrub", progress(status)),
        ("started", or_never(&status.started)),
        ("finished", or_never(&status.finished)),
        ("frames verified", status.frames.to_string()),
        ("bytes verified", size::rounded(status.bytes)),
        ("repaired", status.repaired.to_string()),
        ("damaged", status.damaged.to_string()),
        ("copies", copies(status)),
    ])?;
    status.damage.iter().try_for_each(|damage| print(&format!("{damage}\n")))
}

fn copies(status: &ScrubView) -> String {
    let missing = if status.degraded { ", degraded: the second is missing; the log says why" } else { "" };
    format!("{}{missing}", status.copies)
}

fn progress(status: &ScrubView) -> String {
    match (&status.finished, status.running) {
        (_, true) => {
            let done = status.bytes.saturating_mul(100) / status.bytes_total.max(1);
            format!("running, {}% done", done.min(100))
        }
        (Some(finished), false) => format!("last finished {finished}"),
        (None, false) => "never finished".to_owned(),
    }
}
