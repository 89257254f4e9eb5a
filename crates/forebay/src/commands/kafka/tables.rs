//! The tables of `forebay kafka`: for people, in 80 columns, and for spreadsheets.

use anyhow::Result;
use forebay_admin::views::{
    KafkaAnswerView, KafkaBrokersView, KafkaChange, KafkaChangeKind, KafkaCleanupView, KafkaClustersView,
    KafkaCostView, KafkaFigures, KafkaQuestion, KafkaReportView, KafkaReturnedView, KafkaSharingView,
    KafkaTopicDetailView, KafkaTopicView, KafkaTopicsView,
};

use super::history;
use crate::config::size::rounded;
use crate::output::{print_columns, print_line, print_pairs};

/// Characters of a name in a table for people.
const NAME_MAX: usize = 22;
const PATH_MAX: usize = 34;

/// A name that fits, with its end cut.
pub(super) fn short(name: &str, max: usize) -> String {
    if name.chars().count() <= max {
        return name.to_owned();
    }
    let kept: String = name.chars().take(max.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// A path that fits, with its beginning cut.
fn short_path(path: &str) -> String {
    let length = path.chars().count();
    if length <= PATH_MAX {
        return path.to_owned();
    }
    let kept: String = path.chars().skip(length.saturating_sub(PATH_MAX - 1)).collect();
    format!("…{kept}")
}

/// `41s`, `12m`, `5h`, `6d`.
fn span(seconds: u64) -> String {
    match seconds {
        ..120 => format!("{seconds}s"),
        120..7200 => format!("{}m", seconds / 60),
        7200..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// The time since then.
pub(super) fn since(time: Option<&String>) -> String {
    let then = time.and_then(|time| humantime::parse_rfc3339_weak(time).ok());
    let age = then.map(|then| std::time::SystemTime::now().duration_since(then).unwrap_or_default());
    age.map_or_else(|| "-".to_owned(), |age| span(age.as_secs()))
}

pub(super) fn or_none<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

pub(super) fn or_empty<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.0}%", share * 100.0))
}

pub(super) fn growth(bytes: Option<i64>) -> String {
    match bytes {
        None => "-".to_owned(),
        Some(bytes) if bytes < 0 => format!("-{}", rounded(bytes.unsigned_abs())),
        Some(bytes) => rounded(bytes.unsigned_abs()),
    }
}

/// Says how old the figures are, and what is wrong with them.
fn say_report(report: &KafkaReportView) -> Result<()> {
    let how = match report.sampled_one_in {
        1 => "exact".to_owned(),
        count => format!("sampled, up to 1 chunk in {count}"),
    };
    print_line("")?;
    print_line(&format!("as of {} ({} ago), {how}", report.taken, span(report.age_ms / 1000)))?;
    for problem in &report.problems {
        print_line(&format!("note: {problem}"))?;
    }
    match &report.error {
        Some(error) => print_line(&format!("there is no newer report: {error}")),
        None => Ok(()),
    }
}

pub(super) fn headings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

const FIGURES: [&str; 6] =
    ["files", "bytes_in_files", "bytes_holes", "bytes_stored", "bytes_exclusive", "bytes_held"];

fn with_figures(mut row: Vec<String>, figures: &KafkaFigures) -> Vec<String> {
    let numbers = [
        figures.files,
        figures.bytes_in_files,
        figures.bytes_holes,
        figures.bytes_stored,
        figures.bytes_exclusive,
        figures.bytes_held,
    ];
    row.extend(numbers.map(|number| number.to_string()));
    row
}

fn with_figure_headings(names: &[&str]) -> Vec<String> {
    headings(&[names, &FIGURES[..]].concat())
}

pub(super) fn clusters(found: &KafkaClustersView) -> Result<()> {
    let rows = found.items.iter().map(|cluster| {
        vec![
            cluster.cluster.clone(),
            format!("{}/{}", cluster.log_directories_up, cluster.log_directories),
            cluster.topics.to_string(),
            cluster.partitions.to_string(),
            rounded(cluster.figures.bytes_in_files),
            rounded(cluster.figures.bytes_stored),
            format!("{:.2}", cluster.ratio),
        ]
    });
    print_columns(&["cluster", "up", "topics", "partitions", "in files", "stored", "ratio"], rows)?;
    print_line("")?;
    let totals = &found.totals;
    let row = |figures: &KafkaFigures| {
        format!("{} ({} bytes)", rounded(figures.bytes_stored), figures.bytes_stored)
    };
    print_pairs(&[
        ("stored for topics", row(&totals.topics)),
        ("other files of log directories", row(&totals.log_directories)),
        ("other files", row(&totals.other_files)),
        ("objects of buckets", row(&totals.objects)),
        ("deleted files that are open", row(&totals.deleted_files)),
        (
            "only in snapshots",
            format!("{} ({} bytes)", rounded(totals.bytes_snapshots), totals.bytes_snapshots),
        ),
        ("the pool", format!("{} ({} bytes)", rounded(totals.bytes_total), totals.bytes_total)),
    ])?;
    say_report(&found.report)
}

pub(super) fn clusters_csv(found: &KafkaClustersView) -> Vec<Vec<String>> {
    let mut rows = vec![with_figure_headings(&["row", "cluster", "topics", "partitions", "replicas"])];
    for cluster in &found.items {
        let counts = [cluster.topics, cluster.partitions, cluster.replicas].map(|count| count.to_string());
        let row = ["cluster".to_owned(), cluster.cluster.clone()].into_iter().chain(counts).collect();
        rows.push(with_figures(row, &cluster.figures));
    }
    let totals = &found.totals;
    let only = |bytes: u64| KafkaFigures { bytes_stored: bytes, ..KafkaFigures::default() };
    for (name, figures) in [
        ("log directories", totals.log_directories.clone()),
        ("other files", totals.other_files.clone()),
        ("objects", totals.objects.clone()),
        ("deleted files", totals.deleted_files.clone()),
        ("snapshots", only(totals.bytes_snapshots)),
        ("pool", only(totals.bytes_total)),
    ] {
        rows.push(with_figures(headings(&[name, "", "", "", ""]), &figures));
    }
    rows
}

pub(super) fn brokers(found: &KafkaBrokersView) -> Result<()> {
    let rows = found.items.iter().map(|broker| {
        let state = match broker.silent_ms {
            Some(silent) => format!("silent {}", span(silent / 1000)),
            None if broker.stopped_cleanly && broker.address.is_none() => "stopped".to_owned(),
            None => format!("{} {}", broker.state, since(broker.since.as_ref())),
        };
        vec![
            or_none(broker.node),
            short(&broker.path, NAME_MAX),
            or_none(broker.address.as_ref()),
            state,
            broker.replicas.to_string(),
            rounded(broker.figures.bytes_in_files),
            rounded(broker.figures.bytes_stored),
        ]
    });
    print_columns(&["node", "log directory", "runs on", "state", "replicas", "in files", "stored"], rows)?;
    say_report(&found.report)
}

pub(super) fn brokers_csv(found: &KafkaBrokersView) -> Vec<Vec<String>> {
    let names = ["node", "path", "volume", "state", "address", "since", "replicas"];
    let rows = found.items.iter().map(|broker| {
        let row = vec![
            or_empty(broker.node),
            broker.path.clone(),
            broker.volume.clone(),
            broker.state.to_string(),
            or_empty(broker.address.as_ref()),
            or_empty(broker.since.as_ref()),
            broker.replicas.to_string(),
        ];
        with_figures(row, &broker.figures)
    });
    [with_figure_headings(&names)].into_iter().chain(rows).collect()
}

/// What is unusual about a topic: `deleting`, `compacted`.
fn word(topic: &KafkaTopicView) -> &'static str {
    let count = |state: &str| topic.replicas.get(state).copied().unwrap_or_default();
    match () {
        () if count("live") == 0 && count("deleted") > 0 => "deleting",
        () if count("stray") > 0 => "stray",
        () if topic.is_compacted => "compacted",
        () => "",
    }
}

pub(super) fn topics(found: &KafkaTopicsView) -> Result<()> {
    let rows = found.items.iter().map(|topic| {
        let oldest = match word(topic) {
            "" => history::oldest(topic),
            word => word.to_owned(),
        };
        vec![
            short(&topic.topic, NAME_MAX),
            topic.partitions.to_string(),
            topic.factor.to_string(),
            rounded(topic.figures.bytes_in_files),
            rounded(topic.figures.bytes_stored),
            format!("{:.2}", topic.ratio),
            growth(topic.bytes_growth_per_day),
            oldest,
        ]
    });
    print_columns(&["topic", "parts", "f", "in files", "stored", "ratio", "per day", "oldest"], rows)?;
    let shown = found.items.len() as u64;
    if shown < found.total {
        print_line(&format!("{shown} of {} topics; --top shows more", found.total))?;
    }
    history::say_unusual(&found.items)?;
    say_report(&found.report)
}

pub(super) fn topics_csv(found: &KafkaTopicsView) -> Vec<Vec<String>> {
    let names = [
        "topic",
        "partitions",
        "factor",
        "state",
        "ratio",
        "bytes_growth_per_day",
        "bytes_growth_last_day",
        "bytes_written_per_day",
        "oldest",
        "age_ratio",
        "shared",
    ];
    let rows = found.items.iter().map(|topic| {
        let row = vec![
            topic.topic.clone(),
            topic.partitions.to_string(),
            topic.factor.to_string(),
            word(topic).to_owned(),
            format!("{:.3}", topic.ratio),
            or_empty(topic.bytes_growth_per_day),
            or_empty(topic.bytes_growth_last_day),
            or_empty(topic.bytes_written_per_day),
            or_empty(topic.oldest.as_ref()),
            or_empty(topic.age_ratio),
            or_empty(topic.shared),
        ];
        with_figures(row, &topic.figures)
    });
    [with_figure_headings(&names)].into_iter().chain(rows).collect()
}

pub(super) fn topic(found: &KafkaTopicDetailView) -> Result<()> {
    let topic = &found.topic;
    print_pairs(&[
        ("topic", topic.topic.clone()),
        ("partitions", format!("{}, factor {}", topic.partitions, topic.factor)),
        (
            "in files",
            format!(
                "{} (and {} of holes)",
                rounded(topic.figures.bytes_in_files),
                rounded(topic.figures.bytes_holes)
            ),
        ),
        ("stored", format!("{} ({} bytes)", rounded(topic.figures.bytes_stored), topic.figures.bytes_stored)),
        ("back if deleted", rounded(topic.figures.bytes_exclusive)),
        ("held by snapshots", rounded(topic.figures.bytes_held)),
        ("written per day", topic.bytes_written_per_day.map_or_else(|| "-".to_owned(), rounded)),
        ("grows per day", growth(topic.bytes_growth_per_day)),
        ("in the last day", growth(topic.bytes_growth_last_day)),
        ("oldest segment", since(topic.oldest.as_ref())),
    ])?;
    print_line("")?;
    let rows = found.partitions.iter().flat_map(|partition| {
        partition.replicas.iter().map(|replica| {
            vec![
                partition.partition.to_string(),
                or_none(replica.node),
                replica.state.to_string(),
                replica.segments.to_string(),
                format!("{}-{}", replica.offset_start, or_none(replica.high_watermark)),
                rounded(replica.figures.bytes_in_files),
                rounded(replica.figures.bytes_stored),
                percent(replica.shared),
            ]
        })
    });
    print_columns(&["part", "node", "state", "segments", "offsets", "in files", "stored", "shared"], rows)?;
    if (found.partitions.len() as u64) < topic.partitions {
        print_line(&format!("the first {} of {} partitions", found.partitions.len(), topic.partitions))?;
    }
    history::say_unusual(std::slice::from_ref(topic))?;
    say_report(&found.report)
}

pub(super) fn topic_csv(found: &KafkaTopicDetailView) -> Vec<Vec<String>> {
    let names = [
        "partition",
        "node",
        "state",
        "path",
        "segments",
        "offset_start",
        "high_watermark",
        "oldest",
        "shared",
        "reason",
    ];
    let rows = found.partitions.iter().flat_map(|partition| {
        partition.replicas.iter().map(|replica| {
            let row = vec![
                partition.partition.to_string(),
                or_empty(replica.node),
                replica.state.to_string(),
                replica.path.clone(),
                replica.segments.to_string(),
                replica.offset_start.to_string(),
                or_empty(replica.high_watermark),
                or_empty(replica.oldest.as_ref()),
                or_empty(replica.shared),
                or_empty(replica.reason.as_ref()),
            ];
            with_figures(row, &replica.figures)
        })
    });
    [with_figure_headings(&names)].into_iter().chain(rows).collect()
}

/// The cells of a row of the matrix, in the order of the brokers.
fn cells(found: &KafkaSharingView, row: usize) -> Vec<String> {
    let replicas = found.rows.get(row).map(|row| &row.replicas[..]).unwrap_or_default();
    let of = |node: &u32| replicas.iter().find(|cell| cell.node == Some(*node));
    found.nodes.iter().map(|node| of(node).map(|cell| percent(cell.shared)).unwrap_or_default()).collect()
}

pub(super) fn sharing(found: &KafkaSharingView) -> Result<()> {
    let nodes: Vec<String> = found.nodes.iter().map(|node| format!("broker {node}")).collect();
    let columns: Vec<&str> = ["partition"]
        .into_iter()
        .chain(nodes.iter().map(String::as_str))
        .chain(["in files", "stored"])
        .collect();
    let rows = found.rows.iter().enumerate().map(|(index, row)| {
        let mut line = vec![row.partition.to_string()];
        line.extend(cells(found, index));
        line.extend([rounded(row.bytes_in_files), rounded(row.bytes_stored)]);
        line
    });
    print_columns(&columns, rows)?;
    for row in &found.rows {
        for cell in &row.replicas {
            let Some(reason) = &cell.reason else { continue };
            let (partition, node) = (row.partition, or_none(cell.node));
            print_line(&format!(
                "{}-{partition} on broker {node} shares {}: {reason}",
                found.topic,
                percent(cell.shared)
            ))?;
        }
    }
    say_report(&found.report)
}

pub(super) fn sharing_csv(found: &KafkaSharingView) -> Vec<Vec<String>> {
    let mut rows = vec![headings(&["partition", "node", "shared", "reason"])];
    for row in &found.rows {
        for cell in &row.replicas {
            rows.push(vec![
                row.partition.to_string(),
                or_empty(cell.node),
                or_empty(cell.shared),
                or_empty(cell.reason.as_ref()),
            ]);
        }
    }
    rows
}

pub(super) fn cost(found: &KafkaCostView) -> Result<()> {
    let rows = found.items.iter().map(|row| {
        vec![
            short(&row.name, NAME_MAX + 8),
            row.topics.to_string(),
            rounded(row.figures.bytes_in_files),
            rounded(row.figures.bytes_stored),
            format!("{:.2}", row.cost),
        ]
    });
    let rest = vec![
        "all else in the pool".to_owned(),
        String::new(),
        String::new(),
        rounded(found.bytes_rest),
        format!("{:.2}", found.cost_rest),
    ];
    print_columns(&["name", "topics", "in files", "stored", "per month"], rows.chain([rest]))?;
    say_report(&found.report)
}

pub(super) fn cost_csv(found: &KafkaCostView) -> Vec<Vec<String>> {
    let mut rows = vec![with_figure_headings(&["name", "topics", "cost_per_month"])];
    for row in &found.items {
        let cells = vec![row.name.clone(), row.topics.to_string(), format!("{:.4}", row.cost)];
        rows.push(with_figures(cells, &row.figures));
    }
    let rest = KafkaFigures { bytes_stored: found.bytes_rest, ..KafkaFigures::default() };
    rows.push(with_figures(
        vec!["(rest of the pool)".to_owned(), String::new(), format!("{:.4}", found.cost_rest)],
        &rest,
    ));
    rows
}

fn words(change: &KafkaChange) -> String {
    let topic = change.topic.as_deref().unwrap_or_default();
    match change.kind {
        KafkaChangeKind::Delete => format!("delete {topic}"),
        KafkaChangeKind::Retain => format!("keep {topic} for {}", span(change.seconds.unwrap_or_default())),
        KafkaChangeKind::Factor => format!("{} replicas of {topic}", or_none(change.replicas)),
        KafkaChangeKind::Snapshot => {
            format!(
                "delete snapshot {}@{}",
                or_empty(change.volume.as_ref()),
                or_empty(change.snapshot.as_ref())
            )
        }
    }
}

fn answers<'a>(question: &KafkaQuestion, found: &'a KafkaAnswerView) -> Vec<(String, &'a KafkaReturnedView)> {
    let mut rows: Vec<_> = question.changes.iter().map(words).zip(&found.changes).collect();
    if rows.len() > 1 {
        rows.push(("all of it".to_owned(), &found.together));
    }
    rows
}

pub(super) fn what_if(question: &KafkaQuestion, found: &KafkaAnswerView) -> Result<()> {
    let rows = answers(question, found);
    let line = |(name, returned): &(String, &KafkaReturnedView)| {
        vec![
            short(name, PATH_MAX),
            rounded(returned.bytes_in_files),
            rounded(returned.bytes_returned),
            format!("{:.1}%", returned.share * 100.0),
            rounded(returned.bytes_held),
        ]
    };
    print_columns(&["change", "in files", "returns", "of pool", "held"], rows.iter().map(line))?;
    for note in found.changes.iter().flat_map(|returned| &returned.notes) {
        print_line(&format!("note: {note}"))?;
    }
    if rows.iter().any(|(_, returned)| returned.bytes_held > 0) {
        print_line("held: comes back only when the snapshots that show it are deleted as well")?;
    }
    Ok(())
}

pub(super) fn what_if_csv(question: &KafkaQuestion, found: &KafkaAnswerView) -> Vec<Vec<String>> {
    let names = ["change", "files", "bytes_in_files", "bytes_returned", "bytes_held", "share", "notes"];
    let rows = answers(question, found).into_iter().map(|(name, returned)| {
        vec![
            name,
            returned.files.to_string(),
            returned.bytes_in_files.to_string(),
            returned.bytes_returned.to_string(),
            returned.bytes_held.to_string(),
            returned.share.to_string(),
            returned.notes.join("; "),
        ]
    });
    [headings(&names)].into_iter().chain(rows).collect()
}

pub(super) fn cleanup(found: &KafkaCleanupView) -> Result<()> {
    let rows = found.items.iter().map(|one| {
        vec![
            short_path(&one.path),
            one.kind.to_string(),
            span(one.age_seconds),
            rounded(one.bytes_in_files),
            rounded(one.bytes_exclusive),
            or_none(one.held_by.as_ref()),
        ]
    });
    print_columns(&["directory", "why", "age", "in files", "returns", "broker on"], rows)?;
    let shown = found.items.len() as u64;
    if shown < found.total {
        print_line(&format!("{shown} of {} directories", found.total))?;
    }
    say_report(&found.report)
}

pub(super) fn cleanup_csv(found: &KafkaCleanupView) -> Vec<Vec<String>> {
    let names = [
        "path",
        "why",
        "cluster",
        "node",
        "topic",
        "age_seconds",
        "bytes_in_files",
        "bytes_exclusive",
        "held_by",
    ];
    let rows = found.items.iter().map(|one| {
        vec![
            one.path.clone(),
            one.kind.to_string(),
            one.cluster.clone(),
            or_empty(one.node),
            or_empty(one.topic.as_ref()),
            one.age_seconds.to_string(),
            one.bytes_in_files.to_string(),
            one.bytes_exclusive.to_string(),
            or_empty(one.held_by.as_ref()),
        ]
    });
    [headings(&names)].into_iter().chain(rows).collect()
}
