//! Has Kafka carry a plan out, and waits.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::described::{LogDir, LogDirs};
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
struct Progress<'a> {
    done: u64,
    bytes_done: u64,
    /// Replicas that are being copied, and the bytes that they have.
    copying: u64,
    bytes_copied: u64,
    /// The first replica that is neither at its place nor on the way.
    idle: Option<&'a Move>,
}

/// A reassignment that Kafka carries out.
struct Execution<'a> {
    tools: &'a Tools,
    /// The file with it.
    plan: &'a Path,
    moves: &'a [Move],
    /// Whether it has a throttle, which must be removed at the end.
    is_throttled: bool,
}

/// Carries out the moves of a reassignment.
pub fn execute(tools: &Tools, reassignment: &str, moves: &[Move], throttle: Option<u64>) -> Result<()> {
    let interrupted = watch_interrupt()?;
    let plan = keep(reassignment)?;
    let execution = Execution { tools, plan: &plan, moves, is_throttled: throttle.is_some() };
    if let Err(error) = tools.execute(&plan, throttle) {
        return Err(error.context(format!(
            "Kafka did not begin all moves; the plan is in {}{}",
            plan.display(),
            execution.throttle_left()
        )));
    }
    let bytes: u64 = moves.iter().map(|moved| moved.bytes).sum();
    eprintln!("Kafka copies {} replicas, {}; Ctrl-C ends only this command", moves.len(), rounded(bytes));
    execution.wait(&interrupted)?;
    let verified = tools.verify(&plan, execution.is_throttled);
    let verified = verified.with_context(|| {
        format!("all replicas are moved, but Kafka's tool did not confirm it{}", execution.throttle_left())
    })?;
    if let Some(line) = verified.lines().find(|line| is_unfinished(line)) {
        let line = line.trim();
        bail!(
            "not all replicas are where the plan has them: {line}; plan again{}",
            execution.throttle_left()
        );
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

impl Execution<'_> {
    fn wait(&self, interrupted: &AtomicBool) -> Result<()> {
        let (mut last, mut idle, mut unanswered) = (Progress::default(), 0, 0);
        loop {
            let asked = self.tools.log_dirs();
            match asked.and_then(|text| LogDirs::read(&text).context("the output of kafka-log-dirs.sh")) {
                Ok(dirs) => {
                    unanswered = 0;
                    let now = progress(&dirs, self.moves);
                    if now != last {
                        say(&now, self.moves.len());
                        idle = 0;
                    } else if now.copying == 0 {
                        idle += 1;
                    }
                    if now.done == self.moves.len() as u64 {
                        return Ok(());
                    }
                    if let Some(moved) = now.idle.filter(|_| idle >= IDLE_MAX) {
                        bail!("{}{}", self.why_idle(moved, &dirs), self.throttle_left());
                    }
                    last = now;
                }
                // A broker may be restarting.
                Err(error) => {
                    unanswered += 1;
                    if unanswered >= IDLE_MAX {
                        let context =
                            format!("the brokers do not say how far they are; {}", self.continues());
                        return Err(error.context(context));
                    }
                }
            }
            let asked_at = Instant::now();
            while asked_at.elapsed() < ASK_EVERY {
                if interrupted.load(Ordering::Relaxed) {
                    bail!("interrupted; {}", self.continues());
                }
                std::thread::sleep(LOOK_EVERY);
            }
        }
    }

    /// Why a replica is neither moved nor copied.
    fn why_idle(&self, moved: &Move, dirs: &LogDirs) -> String {
        let Move { partition, broker, .. } = moved;
        let plan = self.plan.display();
        let Some(described) = dirs.brokers.iter().find(|described| described.broker == *broker) else {
            return format!(
                "broker {broker} does not answer, and has not moved {partition} yet: start it, and plan again; the plan is in {plan}"
            );
        };
        let has = |it: &LogDir| it.partitions.iter().any(|replica| replica.partition == *partition);
        if described.log_dirs.iter().any(has) {
            format!(
                "broker {broker} has not moved {partition} and does not copy it: its log says why; the plan is in {plan}"
            )
        } else {
            format!(
                "broker {broker} has no {partition} any more: the topic was deleted, or Kafka has moved it to another broker; plan again"
            )
        }
    }

    /// The moves that Kafka still makes after this command.
    fn continues(&self) -> String {
        let verify = self.tools.verify_words(self.plan, self.is_throttled);
        let and = if self.is_throttled { " and removes the throttle" } else { "" };
        format!("Kafka continues to move the replicas. When it is done, this shows it{and}: {verify}")
    }

    /// How to remove a throttle by hand, if there is one.
    fn throttle_left(&self) -> String {
        if !self.is_throttled {
            return String::new();
        }
        let mut brokers: Vec<u32> = self.moves.iter().map(|moved| moved.broker).collect();
        brokers.sort_unstable();
        brokers.dedup();
        let numbers: Vec<String> = brokers.iter().map(ToString::to_string).collect();
        format!(
            "; the brokers {} keep the throttle until this is run for each of them: {}",
            numbers.join(", "),
            self.tools.unthrottle_words(brokers.first().copied().unwrap_or_default())
        )
    }
}

fn say(now: &Progress<'_>, all: usize) {
    let copying = match now.copying {
        0 => String::new(),
        count => format!("; {count} being copied have {}", rounded(now.bytes_copied)),
    };
    eprintln!("{} of {all} replicas are moved, {}{copying}", now.done, rounded(now.bytes_done));
}

fn progress<'a>(dirs: &LogDirs, moves: &'a [Move]) -> Progress<'a> {
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
            progress.idle = Some(moved);
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
        let moves = [to("t-0"), to("t-1"), to("t-2")];
        let now = progress(&dirs, &moves);
        assert_eq!((now.done, now.bytes_done, now.copying, now.bytes_copied), (1, 9, 1, 3));
        assert_eq!(now.idle, Some(&moves[0]));
    }

    #[test]
    fn lines_that_say_what_is_not_done_are_known() {
        assert!(is_unfinished("Reassignment of replica t-0-1 is still in progress."));
        assert!(is_unfinished("Partition t-0 on broker 1 is not being moved from log dir /a to /b."));
        assert!(!is_unfinished("Reassignment of replica t-0-1 completed successfully."));
        assert!(!is_unfinished("Clearing broker-level throttles on brokers 1,2,3"));
    }
}
