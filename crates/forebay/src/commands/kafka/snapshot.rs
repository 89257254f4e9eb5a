//! The tables of `forebay kafka snapshot`.

use std::collections::BTreeMap;

use anyhow::Result;
use forebay_admin::views::{
    KafkaReplicaState, KafkaSnapshotReplicaView, KafkaSnapshotTopicDetailView, KafkaSnapshotView,
};

use super::tables::{headings, or_empty, or_none};
use crate::config::size::rounded;
use crate::output::{print_columns, print_line};

pub(super) fn topics(found: &KafkaSnapshotView) -> Result<()> {
    let rows = found.items.iter().map(|topic| {
        vec![
            topic.topic.clone(),
            topic.partitions.to_string(),
            topic.replicas.to_string(),
            topic.cluster.clone(),
        ]
    });
    print_columns(&["topic", "partitions", "replicas", "cluster"], rows)?;
    print_line("")?;
    let shown = found.items.len() as u64;
    if shown < found.total {
        print_line(&format!("the first {shown} of {} topics", found.total))?;
    }
    for problem in &found.problems {
        print_line(&format!("note: {problem}"))?;
    }
    print_line(&format!("snapshot {}@{} of {}", found.volume, found.snapshot, found.created))
}

pub(super) fn topics_csv(found: &KafkaSnapshotView) -> Vec<Vec<String>> {
    let rows = found.items.iter().map(|topic| {
        vec![
            topic.topic.clone(),
            topic.cluster.clone(),
            topic.partitions.to_string(),
            topic.replicas.to_string(),
        ]
    });
    [headings(&["topic", "cluster", "partitions", "replicas"])].into_iter().chain(rows).collect()
}

/// The offsets that a replica has: `0-9500`, or `0-9000+` if only the beginning of its last segment is known.
fn offsets(replica: &KafkaSnapshotReplicaView) -> String {
    let end = match replica.high_watermark {
        Some(mark) if mark >= replica.offset_last_segment => mark.to_string(),
        _ if replica.last_segment_bytes == 0 => replica.offset_last_segment.to_string(),
        _ => format!("{}+", replica.offset_last_segment),
    };
    format!("{}-{end}", replica.offset_start)
}

pub(super) fn topic(found: &KafkaSnapshotTopicDetailView) -> Result<()> {
    let rows = found.replicas.iter().map(|replica| {
        vec![
            replica.partition.to_string(),
            or_none(replica.node),
            replica.state.to_string(),
            replica.segments.to_string(),
            offsets(replica),
            rounded(replica.bytes_in_files),
            or_none(replica.newest.as_ref()),
        ]
    });
    print_columns(&["part", "node", "state", "segments", "offsets", "in files", "newest"], rows)?;
    let shown = found.replicas.len() as u64;
    if shown < found.total {
        print_line(&format!("the first {shown} of {} replicas", found.total))?;
    }
    print_line("")?;
    print_line("To copy a partition on a client, with the volume mounted at /mnt:")?;
    // One replica of each partition, one that was in use if there is any.
    let mut chosen: BTreeMap<(&str, u32), &KafkaSnapshotReplicaView> = BTreeMap::new();
    for replica in &found.replicas {
        let known = chosen.entry((&replica.cluster, replica.partition)).or_insert(replica);
        if known.state != KafkaReplicaState::Live && replica.state == KafkaReplicaState::Live {
            *known = replica;
        }
    }
    for replica in chosen.values() {
        print_line(&format!("  {}", replica.copy_command))?;
    }
    Ok(())
}

pub(super) fn topic_csv(found: &KafkaSnapshotTopicDetailView) -> Vec<Vec<String>> {
    let names = [
        "cluster",
        "partition",
        "node",
        "state",
        "segments",
        "offset_start",
        "offset_last_segment",
        "last_segment_bytes",
        "high_watermark",
        "bytes_in_files",
        "newest",
        "path",
    ];
    let rows = found.replicas.iter().map(|replica| {
        vec![
            replica.cluster.clone(),
            replica.partition.to_string(),
            or_empty(replica.node),
            replica.state.to_string(),
            replica.segments.to_string(),
            replica.offset_start.to_string(),
            replica.offset_last_segment.to_string(),
            replica.last_segment_bytes.to_string(),
            or_empty(replica.high_watermark),
            replica.bytes_in_files.to_string(),
            or_empty(replica.newest.as_ref()),
            replica.path.clone(),
        ]
    });
    [headings(&names)].into_iter().chain(rows).collect()
}
