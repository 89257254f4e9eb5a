//! The tables of `forebay kafka history`, and what is unusual about growth and age.

use anyhow::Result;
use forebay_admin::views::{KafkaHistoryView, KafkaTopicView};

use super::tables::{growth, headings, or_empty, or_none, since};
use crate::config::size::rounded;
use crate::output::{print_columns, print_line};

pub(super) fn table(found: &KafkaHistoryView) -> Result<()> {
    // The growth of a day needs the day before.
    let before = |at: usize| found.days.get(at.checked_sub(1)?).map(|day| day.bytes_in_files);
    let grown = |at: usize, now: u64| {
        let grown = before(at).map(|before| i128::from(now) - i128::from(before));
        growth(grown.map(|grown| i64::try_from(grown).unwrap_or(i64::MAX)))
    };
    let rows = found.days.iter().enumerate().map(|(at, day)| {
        vec![
            day.date.clone(),
            day.partitions.to_string(),
            rounded(day.bytes_in_files),
            grown(at, day.bytes_in_files),
            rounded(day.bytes_stored),
            rounded(day.bytes_exclusive),
            day.bytes_written_per_day.map_or_else(|| "-".to_owned(), rounded),
        ]
    });
    print_columns(&["date", "partitions", "in files", "growth", "stored", "returns", "written"], rows)?;
    match (&found.topic, found.days.is_empty()) {
        (Some(topic), true) => {
            print_line(&format!("topic {topic} has no days yet, or a thousand topics store more"))
        }
        _ => Ok(()),
    }
}

pub(super) fn csv(found: &KafkaHistoryView) -> Vec<Vec<String>> {
    let names = [
        "topic",
        "date",
        "partitions",
        "bytes_in_files",
        "bytes_stored",
        "bytes_exclusive",
        "bytes_written_per_day",
    ];
    let rows = found.days.iter().map(|day| {
        vec![
            or_empty(found.topic.as_ref()),
            day.date.clone(),
            day.partitions.to_string(),
            day.bytes_in_files.to_string(),
            day.bytes_stored.to_string(),
            day.bytes_exclusive.to_string(),
            or_empty(day.bytes_written_per_day),
        ]
    });
    [headings(&names)].into_iter().chain(rows).collect()
}

/// Names the topics that grow fast, and replicas that keep records too long.
pub(super) fn say_unusual(topics: &[KafkaTopicView]) -> Result<()> {
    topics.iter().flat_map(unusual).try_for_each(|line| print_line(&line))
}

fn unusual(topic: &KafkaTopicView) -> Vec<String> {
    let mut lines = Vec::new();
    if topic.is_growing_fast {
        let (last_day, usual) = (growth(topic.bytes_growth_last_day), growth(topic.bytes_growth_per_day));
        lines.push(format!("{} grows fast: {last_day} in the last day, usually {usual}", topic.topic));
    }
    if let Some(older) = &topic.older {
        let (age, of_peers) = (since(Some(&older.oldest)), since(Some(&older.oldest_of_peers)));
        let (partition, node) = (older.partition, or_none(older.node));
        lines.push(format!(
            "{}-{partition} on broker {node} keeps old records: {age}, its peers {of_peers}",
            topic.topic
        ));
    }
    lines
}

/// The age of the oldest record, and how many times that of other replicas it is if it differs: `21d 3.0x`.
pub(super) fn oldest(topic: &KafkaTopicView) -> String {
    let age = since(topic.oldest.as_ref());
    match topic.age_ratio {
        Some(ratio) if ratio >= 1.05 => format!("{age} {ratio:.1}x"),
        _ => age,
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use forebay_admin::views::{KafkaFigures, KafkaOlderView, time};

    use super::*;

    fn days_ago(days: u64) -> String {
        time(SystemTime::now() - Duration::from_secs(days * 86_400 + 60))
    }

    fn topic() -> KafkaTopicView {
        KafkaTopicView {
            topic: "orders".to_owned(),
            is_cut: false,
            partitions: 1,
            factor: 3,
            replicas: [("live".to_owned(), 3)].into(),
            is_compacted: false,
            figures: KafkaFigures::default(),
            ratio: 3.0,
            share: 0.1,
            bytes_growth_per_day: Some(1 << 30),
            bytes_growth_last_day: Some(5 << 30),
            is_growing_fast: false,
            bytes_written_per_day: None,
            oldest: Some(days_ago(21)),
            age_ratio: Some(1.0),
            older: None,
            shared: None,
            sampled_one_in: 1,
        }
    }

    #[test]
    fn what_is_unusual_about_a_topic_is_said_below_the_table() {
        assert_eq!((unusual(&topic()), oldest(&topic())), (Vec::new(), "21d".to_owned()));
        let older = KafkaOlderView {
            partition: 4,
            node: Some(3),
            oldest: days_ago(21),
            oldest_of_peers: days_ago(7),
        };
        let topic =
            KafkaTopicView { is_growing_fast: true, age_ratio: Some(3.0), older: Some(older), ..topic() };
        assert_eq!(oldest(&topic), "21d 3.0x");
        let expected = [
            "orders grows fast: 5.00 GiB in the last day, usually 1.00 GiB",
            "orders-4 on broker 3 keeps old records: 21d, its peers 7d",
        ];
        assert_eq!(unusual(&topic), expected);
    }
}
