//! What the views must say.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};

use super::client;
use super::moment::Moment;
use super::{BROKERS, GONE_TOPIC, KEYED_TOPIC, NOT_COMPACTING, REBUILT, REBUILT_TOPIC};
use crate::report::{Recorder, number};
use crate::storage::{BrokerView, Cell, Leftover, TopicView};

/// A replica that shares less than this has a reason.
const SHARED_USUAL: f64 = 0.8;
/// The largest deviation of sampled figures from exact ones, as a fraction.
const SAMPLED_TOLERANCE: f64 = 0.02;
/// Compaction keeps less than this part of the records.
const COMPACTED_MAX: f64 = 0.5;
const COMPACTED_REASON: &str = "the topic is compacted";

/// Records the rows of a report as figures.
pub fn tell(moment: &Moment, recorder: &Recorder) {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    for topic in &moment.topics {
        let (name, figures) = (&topic.topic, &topic.figures);
        for (what, title, bytes) in [
            ("files", "in files", figures.bytes_in_files),
            ("stored", "stored", figures.bytes_stored),
            ("returns", "a deletion returns", figures.bytes_exclusive),
        ] {
            recorder.figure(
                &format!("{name}_{what}_mb"),
                &format!("Topic {name}: {title}"),
                megabytes(bytes),
                "MB",
            );
        }
    }
    let totals = &moment.totals;
    for (name, title, bytes) in [
        ("log_directories", "Other files of log directories: stored", totals.log_directories.bytes_stored),
        ("other_files", "Other files: stored", totals.other_files.bytes_stored),
        ("snapshots", "Only in snapshots: stored", totals.bytes_snapshots),
        ("pool", "Everything in the pool: stored", moment.pool_bytes),
    ] {
        recorder.figure(&format!("{name}_mb"), title, megabytes(bytes), "MB");
    }
    recorder.figure("report_ms", "Making the report", moment.report_ms as f64, "ms");
    recorder.setting("one chunk was looked at in", moment.sampled_one_in);
    let detail = if moment.problems.is_empty() { "none".to_owned() } else { moment.problems.join("; ") };
    recorder.check("problems", "The report has read everything", moment.problems.is_empty(), detail);
}

/// The rows add up to the pool's own figure, and none of those that must have something is empty.
pub fn rows(moment: &Moment, suffix: &str, recorder: &Recorder) {
    let (rows, total, pool) = (moment.rows(), moment.totals.bytes_total, moment.pool_bytes);
    let detail = format!("{rows} bytes in all rows, {total} by the report, {pool} by the pool");
    let title = "All rows add up to the pool's own figure of the same instant, to the byte";
    recorder.check(&format!("rows{suffix}"), title, rows == pool && total == pool, detail);
    let totals = &moment.totals;
    let empty: Vec<&str> = [
        ("other files of log directories", totals.log_directories.bytes_stored),
        ("other files", totals.other_files.bytes_stored),
        ("only in snapshots", totals.bytes_snapshots),
    ]
    .into_iter()
    .filter_map(|(row, bytes)| (bytes == 0).then_some(row))
    .collect();
    let detail =
        if empty.is_empty() { "all have".to_owned() } else { format!("nothing in: {}", empty.join(", ")) };
    let title = "Checkpoints, other files and what only a snapshot shows have rows of their own";
    recorder.check(&format!("rows_beside{suffix}"), title, empty.is_empty(), detail);
}

/// Each topic's files have the sizes that a client sees.
pub fn sizes(moment: &Moment, recorder: &Recorder) {
    let files = client::topics(&moment.trees);
    let mut wrong = Vec::new();
    let known: BTreeSet<&String> = moment.topics.iter().map(|topic| &topic.topic).collect();
    for name in files.keys().filter(|name| !known.contains(name)) {
        wrong.push(format!("the views do not have topic {name}"));
    }
    let (mut bytes, mut in_files) = (0, 0);
    for topic in &moment.topics {
        let (seen, figures) = (files.get(&topic.topic).copied().unwrap_or_default(), &topic.figures);
        let size = figures.bytes_in_files + figures.bytes_holes;
        bytes += size;
        in_files += figures.bytes_in_files;
        if (figures.files, size) != (seen.files, seen.bytes) || !seen.takes(figures.bytes_in_files) {
            wrong.push(format!(
                "{}: {} files of {size} bytes, {} without holes; a client sees {} of {} bytes, {} in blocks",
                topic.topic,
                figures.files,
                figures.bytes_in_files,
                seen.files,
                seen.bytes,
                seen.allocated_bytes
            ));
        }
    }
    let all = format!("{} topics with {bytes} bytes, {in_files} without holes", files.len());
    let is_right = wrong.is_empty() && !files.is_empty();
    let detail = if is_right { all } else { wrong.join("; ") };
    recorder.check(
        "sizes",
        "Bytes in files, holes and numbers of files of each topic are those that a client sees",
        is_right,
        detail,
    );
}

fn describe(cells: &[Cell]) -> String {
    let words = cells.iter().map(|cell| {
        let shared = cell.shared.map_or("nothing".to_owned(), |shared| format!("{:.1} %", shared * 100.0));
        let reason = cell.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        format!("broker {} shares {shared}{reason}", cell.node)
    });
    words.collect::<Vec<_>>().join("; ")
}

fn only(rows: &[Vec<Cell>]) -> Result<&[Cell]> {
    rows.first().filter(|_| rows.len() == 1).map(Vec::as_slice).context("the topic has one partition")
}

fn is_usual(cell: &Cell) -> bool {
    cell.shared.is_some_and(|shared| shared >= SHARED_USUAL)
}

/// The matrix names the replica that was rebuilt, and no other.
pub fn rebuilt(moment: &Moment, rows: &[Vec<Cell>], recorder: &Recorder) -> Result<()> {
    let cells = only(rows)?;
    let replica = format!("{REBUILT_TOPIC}-0");
    let of = |broker| moment.trees.get(&broker).map(|tree| client::bases(tree, &replica)).unwrap_or_default();
    let own = of(REBUILT);
    let others: BTreeSet<u64> = (1..=BROKERS).filter(|broker| *broker != REBUILT).flat_map(of).collect();
    let expected =
        format!("{} of its {} segments begin at offsets", own.difference(&others).count(), own.len());
    let is_right = |cell: &Cell| match &cell.reason {
        Some(reason) => cell.node == REBUILT && !is_usual(cell) && reason.starts_with(&expected),
        None => cell.node != REBUILT && is_usual(cell),
    };
    for cell in cells {
        let shared = cell.shared.unwrap_or(f64::NAN) * 100.0;
        let title =
            format!("Topic {REBUILT_TOPIC}: what another replica has too of that of broker {}", cell.node);
        recorder.figure(&format!("rebuilt_shared_{}_percent", cell.node), &title, shared, "%");
    }
    let passed = cells.len() == BROKERS as usize && cells.iter().all(is_right);
    let title = "The matrix names the replica that was rebuilt, with as many segments at other offsets as a client counts";
    let detail = if passed { describe(cells) } else { format!("{}; a client: {expected}", describe(cells)) };
    recorder.check("sharing_rebuilt", title, passed, detail);
    Ok(())
}

/// Two brokers have compacted a topic, and the matrix names that as the reason for which the third shares little with them.
pub fn compacted(
    moment: &Moment,
    compacted_to: &BTreeMap<u32, u64>,
    rows: &[Vec<Cell>],
    recorder: &Recorder,
) -> Result<()> {
    let replica = format!("{KEYED_TOPIC}-0");
    let bytes = |broker| moment.trees.get(&broker).map_or(0, |tree| client::log_bytes(tree, &replica)) as f64;
    let whole = bytes(NOT_COMPACTING);
    let mut is_compacted = whole > 0.0;
    let mut details = Vec::new();
    for (broker, offset) in compacted_to {
        let compacts = *broker != NOT_COMPACTING;
        is_compacted &= (*offset > 0) == compacts;
        is_compacted &= !compacts || bytes(*broker) < whole * COMPACTED_MAX;
        let offset = number(*offset as f64);
        details
            .push(format!("broker {broker}: {:.2} MB, compacted to offset {offset}", bytes(*broker) / 1e6));
    }
    let title = "Kafka has compacted the topic with repeating keys, and broker 2 has not";
    recorder.check("compacted", title, is_compacted, details.join("; "));

    let cells = only(rows)?;
    let has_reason =
        |cell: &Cell| cell.reason.as_ref().is_some_and(|reason| reason.starts_with(COMPACTED_REASON));
    let is_right = |cell: &Cell| match cell.node {
        NOT_COMPACTING => !is_usual(cell) && has_reason(cell),
        _ => is_usual(cell) || has_reason(cell),
    };
    let is_known = moment.topic(KEYED_TOPIC).is_some_and(|topic| topic.is_compacted);
    let passed = is_known && cells.len() == BROKERS as usize && cells.iter().all(is_right);
    let title = "The matrix names compaction where replicas of the compacted topic differ";
    recorder.check("sharing_compacted", title, passed, describe(cells));
    Ok(())
}

/// The deleted topic is shown as being deleted, and no other topic is.
pub fn deleted(moment: &Moment, recorder: &Recorder) {
    let count = |topic: &TopicView, state: &str| topic.replicas.get(state).copied().unwrap_or_default();
    let is_right = |topic: &TopicView| {
        let gone = if topic.topic == GONE_TOPIC { u64::from(BROKERS) } else { 0 };
        count(topic, "deleted") == gone && count(topic, "live") == u64::from(BROKERS) - gone
    };
    let details: Vec<String> = moment
        .topics
        .iter()
        .map(|topic| {
            format!("{}: {} live, {} deleted", topic.topic, count(topic, "live"), count(topic, "deleted"))
        })
        .collect();
    let passed = moment.topic(GONE_TOPIC).is_some() && moment.topics.iter().all(is_right);
    let title = "The deleted topic is shown with three replicas that are being deleted";
    recorder.check("deleted", title, passed, details.join("; "));
}

/// The clean-up list has these directories, with the addresses of their brokers, and no others.
pub fn cleanup(expected: &BTreeMap<String, Option<String>>, found: &[Leftover], recorder: &Recorder) {
    let is_right = |one: &Leftover| {
        one.kind == "deleted"
            && one.topic.as_deref() == Some(GONE_TOPIC)
            && expected.get(&one.path) == Some(&one.held_by)
    };
    let paths: BTreeSet<&String> = found.iter().map(|one| &one.path).collect();
    let passed = !expected.is_empty()
        && found.len() == expected.len()
        && paths.len() == found.len()
        && found.iter().all(is_right);
    let holder = |one: &Leftover| one.held_by.clone().unwrap_or_else(|| "nobody".to_owned());
    let details: Vec<String> =
        found.iter().map(|one| format!("{} ({}, held by {})", one.path, one.kind, holder(one))).collect();
    let detail = if details.is_empty() { "it is empty".to_owned() } else { details.join("; ") };
    let title =
        "The clean-up list has the directories of deleted replicas that a client sees, with their brokers";
    recorder.check("cleanup", title, passed, detail);
}

/// The figures of a report are those of a complete count: nearly, if the report sampled, and otherwise but for the rounding of each replica.
pub fn exact(report: &TopicView, exact: &TopicView, recorder: &Recorder) {
    let is_sampled = report.sampled_one_in > 1;
    let (one, other) = (&report.figures, &exact.figures);
    let near = |one: u64, other: u64| {
        let rounding = report.replicas.values().sum::<u64>();
        let tolerance = if is_sampled { (other as f64 * SAMPLED_TOLERANCE) as u64 } else { rounding };
        one.abs_diff(other) <= tolerance
    };
    let passed = exact.sampled_one_in == 1
        && one.bytes_in_files == other.bytes_in_files
        && one.files == other.files
        && near(one.bytes_stored, other.bytes_stored)
        && near(one.bytes_exclusive, other.bytes_exclusive);
    let detail = format!(
        "{}: {} bytes stored and {} returned by the report, which looked at one chunk in {}; {} and {} counted",
        report.topic,
        one.bytes_stored,
        one.bytes_exclusive,
        report.sampled_one_in,
        other.bytes_stored,
        other.bytes_exclusive
    );
    let title = "The report's figures of the largest topic are those of a complete count";
    recorder.check("exact", title, passed, detail);
}

/// What is not as expected, in words: each broker at its address, all up but the one that moves, which is in a state.
pub fn wrong_holders(found: &[BrokerView], expected: &BTreeMap<u32, String>, moved: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for (broker, address) in expected {
        let state = if *broker == super::MOVED { moved } else { "up" };
        let right = BrokerView { node: *broker, state: state.to_owned(), address: Some(address.clone()) };
        let seen: Vec<&BrokerView> = found.iter().filter(|seen| seen.node == *broker).collect();
        match seen.as_slice() {
            [seen] if **seen == right => {}
            [seen] => wrong.push(format!(
                "broker {broker} is {} at {} instead of {state} at {address}",
                seen.state,
                seen.address.as_deref().unwrap_or("no address")
            )),
            other => wrong.push(format!("broker {broker} has {} rows", other.len())),
        }
    }
    if found.len() != expected.len() {
        wrong.push(format!("{} rows for {} brokers", found.len(), expected.len()));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::storage::Totals;
    use crate::wire::TreeEntry;

    const OTHER_SEGMENTS: &str = "1 of its 2 segments begin at offsets where no other replica's do";

    fn topic(name: &str, bytes_stored: u64) -> TopicView {
        let figures = serde_json::json!({
            "files": 2, "bytes_in_files": 900, "bytes_holes": 100,
            "bytes_stored": bytes_stored, "bytes_exclusive": bytes_stored,
        });
        serde_json::from_value(serde_json::json!({
            "topic": name, "replicas": {"live": 3}, "is_compacted": false, "figures": figures, "sampled_one_in": 1,
        }))
        .unwrap()
    }

    fn totals(bytes_total: u64) -> Totals {
        let none = serde_json::json!({
            "files": 1, "bytes_in_files": 10, "bytes_holes": 0, "bytes_stored": 10, "bytes_exclusive": 10,
        });
        serde_json::from_value(serde_json::json!({
            "log_directories": none, "other_files": none, "objects": none, "deleted_files": none,
            "bytes_snapshots": 60, "bytes_total": bytes_total,
        }))
        .unwrap()
    }

    fn file(path: &str, bytes: u64) -> TreeEntry {
        TreeEntry { path: path.into(), folder: false, bytes, allocated_bytes: bytes.next_multiple_of(512) }
    }

    fn moment(pool_bytes: u64) -> Moment {
        let tree = |base: u64| {
            vec![
                file("rebuilt-0/00000000000000000000.log", 250),
                file(&format!("rebuilt-0/{base:020}.log"), 250),
            ]
        };
        Moment {
            pool_bytes,
            totals: totals(400),
            topics: vec![topic(REBUILT_TOPIC, 300)],
            trees: BTreeMap::from([(1, tree(50)), (2, tree(50)), (3, tree(70))]),
            report_ms: 1,
            sampled_one_in: 1,
            problems: Vec::new(),
        }
    }

    fn verdict(name: &str, judge: impl FnOnce(&Recorder)) -> bool {
        let recorder = Recorder::new(Progress::silent());
        judge(&recorder);
        let result = recorder.finish("views", "forebay", "laptop", "");
        result.checks.into_iter().find(|check| check.name == name).unwrap().passed
    }

    #[test]
    fn a_byte_that_is_missing_in_the_rows_fails() {
        assert!(verdict("rows", |recorder| rows(&moment(400), "", recorder)));
        assert!(!verdict("rows", |recorder| rows(&moment(401), "", recorder)));
    }

    #[test]
    fn sizes_must_be_those_that_a_client_sees() {
        let mut right = moment(400);
        right.trees = BTreeMap::from([(1, vec![file("rebuilt-0/a", 500), file("rebuilt-0/b", 500)])]);
        assert!(verdict("sizes", |recorder| sizes(&right, recorder)));
        right.trees = BTreeMap::from([(1, vec![file("rebuilt-0/a", 500), file("rebuilt-0/b", 501)])]);
        assert!(!verdict("sizes", |recorder| sizes(&right, recorder)));
    }

    #[test]
    fn only_the_replica_that_was_rebuilt_may_have_a_reason() {
        let cell = |node, shared, reason: Option<&str>| Cell {
            node,
            shared: Some(shared),
            reason: reason.map(str::to_owned),
        };
        let judge = |cells: [Cell; 3]| {
            verdict("sharing_rebuilt", |recorder| {
                rebuilt(&moment(400), &[cells.to_vec()], recorder).unwrap();
            })
        };
        let others = [cell(1, 1.0, None), cell(2, 1.0, None)];
        let [one, two] = others.clone();
        assert!(judge([one.clone(), two.clone(), cell(3, 0.3, Some(OTHER_SEGMENTS))]));
        assert!(!judge([one.clone(), two.clone(), cell(3, 0.3, Some("the other replicas lag"))]));
        assert!(!judge([one.clone(), two, cell(3, 0.9, None)]));
        assert!(!judge([one, cell(2, 0.3, Some(OTHER_SEGMENTS)), cell(3, 0.3, Some(OTHER_SEGMENTS))]));
    }

    #[test]
    fn a_report_that_counted_everything_is_equal_to_a_complete_count() {
        let judge = |stored, sampled_one_in| {
            let report = TopicView { sampled_one_in, ..topic("t", stored) };
            verdict("exact", |recorder| exact(&report, &topic("t", 10_000), recorder))
        };
        assert!(judge(10_000, 1) && judge(10_003, 1) && !judge(10_004, 1));
        assert!(judge(10_199, 4) && !judge(10_201, 4));
    }

    #[test]
    fn a_broker_must_be_where_it_runs() {
        let seen = |node, state: &str, address: &str| BrokerView {
            node,
            state: state.to_owned(),
            address: Some(address.to_owned()),
        };
        let expected = BTreeMap::from([(1, "10.0.0.9".to_owned()), (2, "10.0.0.2".to_owned())]);
        let wrong = |found: &[BrokerView]| wrong_holders(found, &expected, "up");
        assert!(wrong(&[seen(1, "up", "10.0.0.9"), seen(2, "up", "10.0.0.2")]).is_empty());
        let moved = wrong(&[seen(1, "up", "10.0.0.1"), seen(2, "up", "10.0.0.2")]);
        assert_eq!(moved, ["broker 1 is up at 10.0.0.1 instead of up at 10.0.0.9"]);
        assert_eq!(wrong(&[seen(1, "up", "10.0.0.9")]).len(), 2);
    }
}
