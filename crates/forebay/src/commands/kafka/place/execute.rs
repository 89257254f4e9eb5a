//! Has Kafka carry a plan out, and waits.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::described::LogDirs;
use super::report::Move;
use super::tools::{Tools, keep};
use crate::config::size::rounded;

/// The time between two questions to the brokers, and that between two looks at the signal.
const ASK_EVERY: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Moves that Kafka does not do, and does not have in progress, are given up after this many questions in a row.
const IDLE_MAX: u32 = 12;

/// How far the moves are.
#[derive(Debug, Default, PartialEq, Eq)]
struct Progress {
    done: u64,
    bytes_done: u64,
    /// Replicas that are being copied, and the bytes that they have.
    copying: u64,
    bytes_copied: u64,
    /// The first replica that is neither at its place nor on the way.
    idle: Option<String>,
}

/// Carries out the moves of a reassignment.
pub fn execute(tools: &Tools, reassignment: &str, moves: &[Move], throttle: Option<u64>) -> Result<()> {
    let interrupted = watch_interrupt()?;
    let plan = keep(reassignment)?;
    if let Err(error) = tools.execute(&plan, throttle) {
        return Err(
            error.context(format!("Kafka did not begin all moves; the plan is in {}", plan.display()))
        );
    }
    let bytes: u64 = moves.iter().map(|moved| moved.bytes).sum();
    eprintln!("Kafka copies {} replicas, {}; Ctrl-C ends only this command", moves.len(), rounded(bytes));
    wait(tools, &plan, moves, &interrupted)?;
    let verified = tools.verify(&plan)?;
    if let Some(line) = verified.lines().find(|line| is_unfinished(line)) {
        bail!("not all replicas are where the plan has them: {}; plan again", line.trim());
    }
    fs::remove_file(&plan).with_context(|| format!("{} cannot be removed", plan.display()))
}

/// Whether a line of `--verify` says that something is not done.
fn is_unfinished(line: &str) -> bool {
    [
        "still in progress",
        "is not being moved",
        "is being moved to",
        "cannot be found",
        "is not found",
        "There is no active",
    ]
    .iter()
    .any(|text| line.contains(text))
}

fn wait(tools: &Tools, plan: &Path, moves: &[Move], interrupted: &AtomicBool) -> Result<()> {
    let (mut last, mut idle) = (Progress::default(), 0);
    loop {
        let asked =
            tools.log_dirs().and_then(|text| LogDirs::read(&text).context("the output of kafka-log-dirs.sh"));
        let asked = asked.with_context(|| {
            format!("the brokers do not say how far they are; {}", continues(tools, plan))
        })?;
        let now = progress(&asked, moves);
        if now != last {
            say(&now, moves.len());
            idle = 0;
        } else if now.copying == 0 {
            idle += 1;
        }
        if now.done == moves.len() as u64 {
            return Ok(());
        }
        if let Some(replica) = now.idle.as_ref().filter(|_| idle >= IDLE_MAX) {
            bail!(
                "Kafka has not moved {replica} and does not copy it: its broker's log says why; the plan is in {}",
                plan.display()
            );
        }
        last = now;
        let asked_at = Instant::now();
        while asked_at.elapsed() < ASK_EVERY {
            if interrupted.load(Ordering::Relaxed) {
                bail!("interrupted; {}", continues(tools, plan));
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

/// The moves that Kafka still makes after this command.
fn continues(tools: &Tools, plan: &Path) -> String {
    format!(
        "Kafka continues to move the replicas. When it is done, this shows it and removes a throttle: {}",
        tools.verify_words(plan)
    )
}

fn say(now: &Progress, all: usize) {
    let copying = match now.copying {
        0 => String::new(),
        count => format!("; {count} being copied have {}", rounded(now.bytes_copied)),
    };
    eprintln!("{} of {all} replicas are moved, {}{copying}", now.done, rounded(now.bytes_done));
}

fn progress(dirs: &LogDirs, moves: &[Move]) -> Progress {
    // By broker and partition: the directory of the replica, and the size of its copy.
    let mut current: BTreeMap<(u32, &str), &str> = BTreeMap::new();
    let mut copies: BTreeMap<(u32, &str), i64> = BTreeMap::new();
    for broker in &dirs.brokers {
        for dir in &broker.log_dirs {
            for replica in &dir.partitions {
                let name = (broker.broker, replica.partition.as_str());
                if replica.is_future {
                    copies.insert(name, replica.size);
                } else {
                    current.insert(name, &dir.log_dir);
                }
            }
        }
    }
    let mut progress = Progress::default();
    for moved in moves {
        let name = (moved.broker, moved.partition.as_str());
        if current.get(&name).is_some_and(|directory| *directory == moved.target) {
            progress.done += 1;
            progress.bytes_done = progress.bytes_done.saturating_add(moved.bytes);
        } else if let Some(bytes) = copies.get(&name) {
            progress.copying += 1;
            progress.bytes_copied = progress.bytes_copied.saturating_add(u64::try_from(*bytes).unwrap_or(0));
        } else if progress.idle.is_none() {
            progress.idle = Some(format!("{} of broker {}", moved.partition, moved.broker));
        }
    }
    progress
}

/// Becomes true with the first Ctrl-C.
fn watch_interrupt() -> Result<Arc<AtomicBool>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("the asynchronous runtime cannot be started")?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = interrupted.clone();
    // The handler must be in place before the moves begin.
    let mut signal = {
        let _guard = runtime.enter();
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())
            .context("SIGINT cannot be watched")?
    };
    std::thread::spawn(move || {
        runtime.block_on(signal.recv());
        flag.store(true, Ordering::Relaxed);
    });
    Ok(interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replica_is_moved_when_it_is_in_its_directory_and_not_a_copy_there() {
        let json = r#"{"brokers":[{"broker":1,"logDirs":[
            {"logDir":"/p1","error":null,"partitions":[{"partition":"t-0","size":5},{"partition":"t-1","size":7}]},
            {"logDir":"/p2","error":null,"partitions":[{"partition":"t-1","size":3,"isFuture":true},{"partition":"t-2","size":9}]}]}]}"#;
        let dirs = LogDirs::read(json).unwrap();
        let to =
            |partition: &str| Move { partition: partition.into(), broker: 1, target: "/p2".into(), bytes: 9 };
        let now = progress(&dirs, &[to("t-0"), to("t-1"), to("t-2")]);
        assert_eq!((now.done, now.bytes_done, now.copying, now.bytes_copied), (1, 9, 1, 3));
        assert_eq!(now.idle.as_deref(), Some("t-0 of broker 1"));
    }

    #[test]
    fn lines_that_say_what_is_not_done_are_known() {
        assert!(is_unfinished("Reassignment of replica t-0-1 is still in progress."));
        assert!(is_unfinished("Partition t-0 on broker 1 is not being moved from log dir /a to /b."));
        assert!(!is_unfinished("Reassignment of replica t-0-1 completed successfully."));
        assert!(!is_unfinished("Clearing broker-level throttles on brokers 1,2,3"));
    }
}
