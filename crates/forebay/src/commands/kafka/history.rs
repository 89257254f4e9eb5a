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
    for topic in topics {
        if topic.is_growing_fast {
            print_line(&format!(
                "{} grows fast: {} in the last day, usually {}",
                topic.topic,
                growth(topic.bytes_growth_last_day),
                growth(topic.bytes_growth_per_day)
            ))?;
        }
        if let Some(older) = &topic.older {
            print_line(&format!(
                "{}-{} on broker {} keeps old records: {}, its peers {}",
                topic.topic,
                older.partition,
                or_none(older.node),
                since(Some(&older.oldest)),
                since(Some(&older.oldest_of_peers))
            ))?;
        }
    }
    Ok(())
}
