//! The figures before and after a plan.

use anyhow::Result;
use serde_json::{Value, json};

use super::described::{Assignment, written};
use super::layout::Layout;
use super::plan::Plan;
use super::survey::{LeftOut, Partition, Reason, Survey};
use crate::config::size::rounded;
use crate::output::{print_columns, print_line, print_pairs};

/// The state of a cluster before or after a plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Partitions whose replicas lie in one pool.
    pub whole: u64,
    /// Partitions whose replicas lie in several.
    pub split: u64,
    /// Bytes of replicas.
    pub logical: u64,
    /// Bytes that pools store if they store what replicas of a partition share once: the largest replica of each partition in each pool.
    pub stored: u64,
    /// Bytes of replicas in each pool.
    pub pools: Vec<u64>,
}

impl State {
    /// The expected ratio of logical to stored bytes.
    pub fn ratio(&self) -> Option<f64> {
        (self.stored > 0).then(|| self.logical as f64 / self.stored as f64)
    }

    fn add(&mut self, partition: &Partition, directories: impl Iterator<Item = usize>, layout: &Layout) {
        let mut largest = vec![None; self.pools.len()];
        for (replica, directory) in partition.replicas.iter().zip(directories) {
            let pool = layout.directories[directory].pool;
            self.pools[pool] += replica.bytes;
            self.logical += replica.bytes;
            largest[pool] = largest[pool].max(Some(replica.bytes));
        }
        self.stored += largest.iter().flatten().sum::<u64>();
        match largest.iter().flatten().count() {
            0 => {}
            1 => self.whole += 1,
            _ => self.split += 1,
        }
    }
}

/// The report about a plan.
#[derive(Debug, PartialEq)]
pub struct Figures {
    /// The state now.
    pub before: State,
    /// The state when all is moved.
    pub after: State,
    /// Partitions of which a replica moves.
    pub partitions: u64,
    /// Replicas that move.
    pub replicas: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Figures {
    /// Those of a plan.
    pub fn of(survey: &Survey, plan: &Plan, layout: &Layout) -> Self {
        let empty = State { pools: vec![0; layout.pools.len()], ..State::default() };
        let mut figures = Self { before: empty.clone(), after: empty, partitions: 0, replicas: 0, bytes: 0 };
        for (partition, targets) in survey.partitions.iter().zip(&plan.targets) {
            let now = partition.replicas.iter().map(|replica| replica.directory);
            figures.before.add(partition, now, layout);
            figures.after.add(partition, targets.iter().copied(), layout);
            let moved = partition
                .replicas
                .iter()
                .zip(targets)
                .filter(|(replica, target)| replica.directory != **target);
            let (count, bytes) =
                moved.fold((0, 0), |(count, bytes), (replica, _)| (count + 1, bytes + replica.bytes));
            figures.partitions += u64::from(count > 0);
            figures.replicas += count;
            figures.bytes += bytes;
        }
        figures
    }
}

/// Kafka's reassignment: all replicas of each partition of which one moves.
pub fn reassignment(survey: &Survey, plan: &Plan, layout: &Layout) -> Value {
    let mut partitions = Vec::new();
    for (index, partition) in
        survey.partitions.iter().enumerate().filter(|(index, it)| plan.moves(*index, it))
    {
        let targets = plan.targets.get(index).map_or(&[][..], Vec::as_slice);
        let (topic, number) = &partition.name;
        let replicas: Vec<u32> = partition.replicas.iter().map(|replica| replica.broker).collect();
        let log_dirs: Vec<&str> =
            targets.iter().map(|target| layout.directories[*target].path.as_str()).collect();
        partitions
            .push(json!({"topic": topic, "partition": number, "replicas": replicas, "log_dirs": log_dirs}));
    }
    json!({"version": 1, "partitions": partitions})
}

/// Remarks besides the figures.
pub fn notes(survey: &Survey, plan: &Plan, figures: &Figures, layout: &Layout) -> Vec<String> {
    let mut notes: Vec<String> =
        survey.left_out.iter().map(|(reason, left)| left_out(*reason, left)).collect();
    let Some(limit) = plan.limit else { return notes };
    let share = figures.after.logical / (layout.pools.len() as u64).max(1);
    for (pool, (name, bytes)) in layout.pools.iter().zip(&figures.after.pools).enumerate() {
        if *bytes > limit {
            notes.push(format!(
                "pool {name} is {} above its share of {}: {}",
                percent(*bytes, share).trim_start_matches('+'),
                rounded(share),
                reason_of(pool, survey, plan, layout, limit)
            ));
        }
    }
    notes
}

/// Why a pool is above the limit.
fn reason_of(pool: usize, survey: &Survey, plan: &Plan, layout: &Layout, limit: u64) -> String {
    let lies_there = |target: &usize| layout.directories[*target].pool == pool;
    let (mut fixed, mut smallest) = (0, None);
    for (partition, targets) in survey.partitions.iter().zip(&plan.targets) {
        let bytes = partition.bytes();
        if !partition.is_free {
            let there = partition.replicas.iter().zip(targets).filter(|(_, target)| lies_there(target));
            fixed += there.map(|(replica, _)| replica.bytes).sum::<u64>();
        } else if bytes > 0 && targets.first().is_some_and(lies_there) {
            smallest =
                smallest.filter(|(least, _)| *least <= bytes).or(Some((bytes, written(&partition.name))));
        }
    }
    match smallest {
        _ if fixed > limit => {
            format!("{} of it belongs to partitions that this plan does not move", rounded(fixed))
        }
        Some((bytes, name)) => format!(
            "no other choice of whole partitions is more equal; the smallest one there, {name}, has {} with all replicas",
            rounded(bytes)
        ),
        None => "nothing in it can be moved".to_owned(),
    }
}

fn left_out(reason: Reason, left: &LeftOut) -> String {
    let LeftOut { count, first } = left;
    let which = match count {
        1 => format!("partition {first} is left out"),
        _ => format!("{count} partitions are left out, such as {first}"),
    };
    let why = match reason {
        Reason::Moving => {
            "it is being moved to another log directory; plan again when Kafka is done, and see the broker's log if this does not end"
        }
        Reason::Outside => "a replica of it is in a log directory that is in no pool (--other)",
        Reason::Reassigned => "Kafka moves it to other brokers; plan again when Kafka is done",
        Reason::Elsewhere => {
            "the brokers that have its replicas are not those of its assignment: a broker is down, or the assignment has just changed"
        }
        Reason::Unknown => {
            "the topics' description does not have it; describe topics and log directories at the same time"
        }
    };
    format!("{which}: {why}")
}

/// How far a pool is from its share, in percent.
fn percent(bytes: u64, share: u64) -> String {
    if share == 0 {
        return "-".to_owned();
    }
    let percent = ((bytes as f64 / share as f64 - 1.0) * 100.0).round();
    if percent == 0.0 { "0 %".to_owned() } else { format!("{percent:+.0} %") }
}

/// Prints the report.
pub fn print(figures: &Figures, layout: &Layout, notes: &[String]) -> Result<()> {
    let Figures { before, after, .. } = figures;
    let ratio = |state: &State| state.ratio().map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}:1"));
    let row = |name: &str, before: String, after: String| vec![name.to_owned(), before, after];
    print_columns(
        &["", "before", "after"],
        [
            row("partitions in one pool", before.whole.to_string(), after.whole.to_string()),
            row("partitions in several", before.split.to_string(), after.split.to_string()),
            row("replicas, stored once per pool", ratio(before), ratio(after)),
            row("expected to be stored", rounded(before.stored), rounded(after.stored)),
        ],
    )?;
    print_line("")?;
    let share = after.logical / (layout.pools.len() as u64).max(1);
    let pools = layout.pools.iter().zip(before.pools.iter().zip(&after.pools));
    let rows = pools.map(|(name, (before, after))| {
        vec![name.clone(), rounded(*before), rounded(*after), percent(*after, share)]
    });
    print_columns(&["pool", "before", "after", "to its share"], rows)?;
    print_line("")?;
    let moves = if figures.replicas == 0 {
        "nothing".to_owned()
    } else {
        format!(
            "{} replicas of {} partitions, {}",
            figures.replicas,
            figures.partitions,
            rounded(figures.bytes)
        )
    };
    print_pairs(&[("to move", moves)])?;
    for note in notes {
        print_line(note)?;
    }
    Ok(())
}

/// The replicas of a plan that move: topic, partition and broker, with the path of the target.
pub fn moves(survey: &Survey, plan: &Plan, layout: &Layout) -> Vec<Move> {
    let mut moves = Vec::new();
    for (partition, targets) in survey.partitions.iter().zip(&plan.targets) {
        for (replica, target) in partition.replicas.iter().zip(targets) {
            if replica.directory != *target {
                let target = layout.directories[*target].path.clone();
                moves.push(Move {
                    partition: written(&partition.name),
                    broker: replica.broker,
                    target,
                    bytes: replica.bytes,
                });
            }
        }
    }
    moves
}

/// A partition of the plan whose brokers are not those any more that it was planned for.
pub fn changed(survey: &Survey, plan: &Plan, now: &Assignment) -> Option<String> {
    let is_same = |partition: &Partition| {
        now.get(&partition.name).is_some_and(|assigned| {
            let planned = partition.replicas.iter().map(|replica| replica.broker);
            !assigned.is_changing && planned.eq(assigned.brokers.iter().copied())
        })
    };
    let mut moving = survey.partitions.iter().enumerate().filter(|(index, it)| plan.moves(*index, it));
    moving.find(|(_, partition)| !is_same(partition)).map(|(_, partition)| written(&partition.name))
}

/// A replica that moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// `TOPIC-NUMBER`
    pub partition: String,
    /// Its broker.
    pub broker: u32,
    /// Its new log directory.
    pub target: String,
    /// Its size.
    pub bytes: u64,
}
