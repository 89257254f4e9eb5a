//! `forebay pool`: sends a command to the running daemon and prints the response. A check also works without
//! a daemon; a salvage never uses one.

use std::fmt;
use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use forebay_admin::views::{
    BackupRequest, CheckRequest, CheckView, EfficiencyView, FormatView, JobState, JobView, MetadataView,
    NodeView, ObjectCostView, ObjectStoreView, PoolView, ProgressUnit, ScrubView,
};
use forebay_pool::Pool;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::arguments::{PoolCommand, ScrubCommand};
use super::create::{self, DatabaseArguments};
use super::{backup, capacity, recovery, salvage, set_back};
use crate::admin::client::{Client, NoDaemon};
use crate::arguments::{Format, Remote};
use crate::config::{ObjectStoreConfig, PoolConfig, size};
use crate::output::times::ago;
use crate::output::{print_as, print_line, print_pairs};

/// Interval for polling a job's progress: short at first, so that checking a small pool is fast, then longer.
const ASK_FIRST: Duration = Duration::from_millis(20);
const ASK_EVERY: Duration = Duration::from_millis(500);

/// The number of differences that a check found.
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
        PoolCommand::Show { efficiency, remote } => {
            let client = Client::new(&remote)?;
            let mut pool: PoolView = client.get("pool")?;
            if !efficiency {
                return print_as(remote.format(), &pool, show);
            }
            let found: EfficiencyView = client.get_patiently("pool/efficiency")?;
            pool.efficiency = Some(found.clone());
            let said = json!({"pool": pool, "efficiency": found});
            print_as(remote.format(), &said, |_| show(&pool))
        }
        PoolCommand::Check { read, remote } => report(&check(&remote, read)?, remote.format()),
        PoolCommand::Create {
            name,
            metadata,
            metadata_password_file,
            segments,
            endpoint,
            region,
            credentials_file,
            ca_file,
            sign_payloads,
        } => {
            let object_store = ObjectStoreConfig {
                endpoint,
                region,
                credentials_file,
                ca_file,
                sign_payloads,
                ..ObjectStoreConfig::default()
            };
            create::run(DatabaseArguments {
                name,
                metadata,
                password_file: metadata_password_file,
                segments,
                object_store,
            })
        }
        PoolCommand::Recover { accept_loss, settings } => {
            let config = settings.load()?;
            if config.pool.database.metadata.is_some() {
                return set_back::recover(&config, accept_loss);
            }
            recovery::recover(&config.pool, accept_loss)
        }
        PoolCommand::Backup { directory, keep, new, remote } => {
            backup::create(BackupRequest { directory, keep, new }, &remote)
        }
        PoolCommand::Backups { directory: None, remote } => backup::show(&remote),
        PoolCommand::Backups { directory: Some(directory), remote } => {
            backup::list(&directory, remote.format())
        }
        PoolCommand::Restore { directory, target, backup, output } => {
            backup::restore(&directory, backup, &target, output.format())
        }
        PoolCommand::VerifyBackup { directory, backup, output } => {
            backup::verify(&directory, backup, output.format())
        }
        PoolCommand::Capacity { volume, days, remote } => capacity::run(volume.as_deref(), days, &remote),
        PoolCommand::Promote { directory, first_is_lost, accept_loss } => {
            recovery::promote(&directory, first_is_lost, accept_loss)
        }
        PoolCommand::Upgrade { check: _, finalize, remote } => upgrade(finalize, &remote),
        PoolCommand::Owner(remote) => {
            let node: NodeView = Client::new(&remote)?.get("node")?;
            print_as(remote.format(), &node, show_node)
        }
        PoolCommand::Release(remote) => {
            let node: NodeView = Client::new(&remote)?.post("node/release", &json!({}))?;
            print_as(remote.format(), &node, |node| {
                print_line(&format!("node {} hands the pool over and stops", node.name))
            })
        }
        PoolCommand::LostFound(command) => recovery::lost_found(command),
        PoolCommand::Scrub(command) => scrub(command),
        PoolCommand::Salvage(arguments) => salvage::run(arguments),
    }
}

fn scrub(command: ScrubCommand) -> Result<()> {
    let (remote, status): (Remote, ScrubView) = match command {
        ScrubCommand::Start(remote) => {
            let status = Client::new(&remote)?.post("pool/scrub", &json!({}))?;
            (remote, status)
        }
        ScrubCommand::Stop(remote) => {
            let status = Client::new(&remote)?.end("pool/scrub")?;
            (remote, status)
        }
        ScrubCommand::Status { remote } => {
            let status = Client::new(&remote)?.get("pool/scrub")?;
            (remote, status)
        }
    };
    print_as(remote.format(), &status, show_scrub)
}

fn check(remote: &Remote, read: bool) -> Result<CheckView> {
    let client = Client::new(remote)?;
    match client.post::<JobView>("pool/check", &CheckRequest { read }) {
        Ok(job) => {
            let job = wait_for(&client, job)?;
            job.result.ok_or_else(|| anyhow!("job {}: the check was {}", job.id, job.state))
        }
        Err(error) if error.is::<NoDaemon>() => {
            let pool = remote.settings.load()?.pool;
            if pool.directory.is_dir() { check_offline(&pool, read) } else { Err(error) }
        }
        Err(error) => Err(error),
    }
}

/// Waits for the end of a job and shows its progress. Fails if the job did.
pub fn wait_for(client: &Client, mut job: JobView) -> Result<JobView> {
    let bar = progress_bar(&job);
    let mut wait = ASK_FIRST;
    while job.state == JobState::Running {
        std::thread::sleep(wait);
        wait = (wait * 2).min(ASK_EVERY);
        job = client.get(&format!("jobs/{}", job.id)).with_context(|| format!("job {} may go on", job.id))?;
        bar.set_length(job.progress.total);
        bar.set_position(job.progress.done);
    }
    bar.finish_and_clear();
    match &job.error {
        Some(error) => bail!("{error}"),
        None => Ok(job),
    }
}

fn progress_bar(job: &JobView) -> ProgressBar {
    let target =
        if stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let template = match job.progress.unit {
        ProgressUnit::Bytes => "{bar:40} {bytes} of {total_bytes} read, {eta} left",
        ProgressUnit::Chunks => "{bar:40} {pos} of {len} chunks",
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(job.progress.total), target).with_style(style)
}

/// Changes nothing. The pool's lock prevents a daemon from starting meanwhile.
fn check_offline(config: &PoolConfig, read: bool) -> Result<CheckView> {
    let runtime = tokio::runtime::Runtime::new().context("the asynchronous runtime cannot be started")?;
    let check = Pool::check_unopened(&config.directory, config.options(), read, Arc::default());
    match runtime.block_on(check) {
        Ok(report) => Ok(report.into()),
        Err(error @ forebay_pool::Error::Refused { .. }) => Err(error.into()),
        Err(error) => Err(anyhow!("the pool cannot be checked: {error}")),
    }
}

fn report(report: &CheckView, format: Format) -> Result<()> {
    print_as(format, report, |report| {
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
        report.differences.iter().try_for_each(|difference| print_line(difference))
    })?;
    if report.differences_count > 0 {
        return Err(Differences(report.differences_count).into());
    }
    if format.is_for_people() { print_line("the pool is consistent") } else { Ok(()) }
}

fn upgrade(finalize: bool, remote: &Remote) -> Result<()> {
    let client = Client::new(remote)?;
    let format = if finalize {
        client.post::<FormatView>("pool/finalize", &json!({}))?
    } else {
        match client.get::<Value>("pool") {
            // A daemon of the former release does not say it.
            Ok(pool) if pool["format"].is_null() => format_of(remote)?,
            Ok(pool) => serde_json::from_value(pool["format"].clone())
                .context("the daemon's answer has no format that this release knows")?,
            Err(error) if error.is::<NoDaemon>() => format_of(remote)?,
            Err(error) => return Err(error),
        }
    };
    print_as(remote.format(), &format, show_format)
}

/// The format of the pool in its directory, which may be in use.
fn format_of(remote: &Remote) -> Result<FormatView> {
    let directory = remote.settings.load()?.pool.directory;
    let runtime = tokio::runtime::Runtime::new().context("the asynchronous runtime cannot be started")?;
    Ok(runtime.block_on(Pool::format_of(&directory))?.into())
}

fn show_format(format: &FormatView) -> Result<()> {
    let FormatView { format: found, newest, can_go_back, news } = format;
    print_line(&format!(
        "the pool has format {found}; release {} reads and writes up to {newest}",
        env!("CARGO_PKG_VERSION")
    ))?;
    if found == newest {
        return print_line("there is nothing to upgrade");
    }
    news.iter().try_for_each(|news| print_line(&format!("format {newest} adds: {news}")))?;
    print_line(if *can_go_back {
        "the format is kept, and the former release can open the pool, until `forebay pool upgrade --finalize`"
    } else {
        "the first start of this release changes the format at once, and older releases cannot open the pool then: make a backup before"
    })
}

fn show(pool: &PoolView) -> Result<()> {
    let mut pairs = vec![
        ("directory", pool.directory.clone()),
        ("id", pool.id.clone()),
        ("release", pool.release.clone()),
        ("format", format_in_words(&pool.format)),
        ("times started", pool.boot.to_string()),
        ("size", size::rounded(pool.bytes_total)),
        ("free", size::rounded(pool.bytes_free)),
        ("used", size::rounded(pool.bytes_logical)),
        ("stored", size::rounded(pool.bytes_live.saturating_add(pool.bytes_inline))),
        ("reclaimable", size::rounded(pool.bytes_dead)),
        ("segments", pool.segments.to_string()),
        ("missing segments", pool.segments_missing.to_string()),
        ("in lost+found", lost_found(pool)),
        ("volumes", pool.volumes.to_string()),
        ("deleted volumes", deleted(pool)),
        ("inodes", pool.inodes_used.to_string()),
        ("orphans", pool.orphans.to_string()),
        ("copies", copies(&pool.scrub)),
        ("metadata copies", metadata_copies(&pool.metadata)),
        ("scrub", progress(&pool.scrub)),
        ("damaged", pool.scrub.damaged.to_string()),
    ];
    if let Some(bucket) = &pool.object_store {
        pairs.extend(bucket_pairs(bucket));
    }
    pairs.extend(efficiency_pairs(pool.efficiency.as_ref()));
    print_pairs(&pairs)
}

/// The bucket that has the segments.
fn bucket_pairs(bucket: &ObjectStoreView) -> Vec<(&'static str, String)> {
    let blocks = bucket.cache_hits.saturating_add(bucket.cache_misses);
    let hits = if blocks > 0 { bucket.cache_hits as f64 * 100.0 / blocks as f64 } else { 0.0 };
    let cached = size::rounded(bucket.cache_memory_bytes.saturating_add(bucket.cache_disk_bytes));
    let mut pairs = vec![
        ("bucket", bucket.place.clone()),
        ("  stored", format!("{} in {} requests", size::rounded(bucket.bytes_put), bucket.put)),
        ("  read", format!("{} in {} requests", size::rounded(bucket.bytes_got), bucket.get)),
        ("  cache", format!("{cached}; {hits:.0} % of the blocks that were read")),
    ];
    if let Some(cost) = &bucket.cost_per_month {
        let ObjectCostView { writes, reads, stored, total } = cost;
        let parts = format!("writes {writes:.2}, reads {reads:.2}, stored {stored:.2}");
        pairs.push(("  a month", format!("about {total:.2} at object_store.prices ({parts})")));
    }
    pairs
}

fn format_in_words(format: &FormatView) -> String {
    let newer = format!("; `forebay pool upgrade --finalize` changes it to {}", format.newest);
    format!("{}{}", format.format, if format.format < format.newest { newer.as_str() } else { "" })
}

/// The deleted volumes that can be recovered: `2 (1.5 GiB), the first until 2026-11-29T04:00:00Z`.
fn deleted(pool: &PoolView) -> String {
    match &pool.deleted_until {
        None => "none".to_owned(),
        Some(until) => {
            let used = size::rounded(pool.deleted_bytes_logical);
            format!("{} ({used}), the first until {until}", pool.deleted_volumes)
        }
    }
}

fn lost_found(pool: &PoolView) -> String {
    match pool.lost_found_segments {
        0 => "nothing".to_owned(),
        count => format!("{count} segments, {}", size::rounded(pool.lost_found_bytes)),
    }
}

/// The ratio of data to stored bytes, and its parts.
pub fn efficiency_pairs(found: Option<&EfficiencyView>) -> Vec<(&'static str, String)> {
    let Some(found) = found else { return vec![("ratio", "not calculated yet".to_owned())] };
    let ratio = match found.bytes_physical {
        0 => "nothing is stored".to_owned(),
        _ => format!("{:.2} : 1, calculated {}", found.ratio, ago(&found.calculated)),
    };
    let part = |name, sign: &str, bytes| (name, format!("{sign} {}", size::rounded(bytes)));
    let mut pairs = vec![("ratio", ratio)];
    if found.bytes_cloned > 0 || found.bytes_retained > 0 {
        pairs.push(part("  shown by volumes", " ", found.bytes_shown));
        pairs.push(part("  shared by clones", "-", found.bytes_cloned));
        pairs.push(part("  kept by snapshots", "+", found.bytes_retained));
    }
    pairs.extend([
        part("  data", "=", found.bytes_logical),
        part("  replicas", "-", found.bytes_deduplicated),
        part("  compression", "-", found.bytes_compressed),
        part("  stored", "=", found.bytes_physical),
        part("  holes, besides", " ", found.bytes_holes),
    ]);
    pairs
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
    status.damage.iter().try_for_each(|damage| print_line(damage))
}

fn show_node(node: &NodeView) -> Result<()> {
    let took = |ms: Option<u64>| ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms} ms"));
    let takeover = &node.takeover;
    print_pairs(&[
        ("node", node.name.clone()),
        ("state", node.phase.to_string()),
        ("since", node.since.clone()),
        ("last beat", format!("{} ms ago", node.beat_age_ms)),
        ("address", node.address.clone().unwrap_or_else(|| "-".to_owned())),
        ("takeover", takeover.kind.to_string()),
        ("node before", takeover.from.clone().unwrap_or_else(|| "none".to_owned())),
        ("was silent", took(Some(takeover.silent_ms))),
        ("fencing", took(takeover.fence_ms)),
        ("opening", took(takeover.open_ms)),
        ("addresses", took(takeover.address_ms)),
    ])
}

fn copies(status: &ScrubView) -> String {
    let missing = if status.degraded { ", degraded: the second is missing; the log says why" } else { "" };
    format!("{}{missing}", status.copies)
}

fn metadata_copies(metadata: &MetadataView) -> String {
    let more = match (metadata.keys_copied, metadata.keys_total, &metadata.cause) {
        _ if metadata.copies >= metadata.copies_wanted => String::new(),
        (Some(copied), Some(total), _) => {
            let percent = copied.saturating_mul(100) / total.max(1);
            format!(", and a second one is being built: {}%", percent.min(100))
        }
        (_, _, Some(cause)) => format!(", and the second one is missing: {cause}"),
        _ => ", and the second one is missing".to_owned(),
    };
    format!("{}{more}", metadata.copies)
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
