//! The brokers' log directories as a client sees them, independently of the daemon's views.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::wire::TreeEntry;

/// Kafka's name of a file that it is about to remove, or that a compaction is not finished with.
const UNFINISHED: [&str; 3] = ["deleted", "swap", "cleaned"];
/// Stat counts space in blocks of this size.
const STAT_BLOCK_BYTES: u64 = 512;
/// The length of the unique id in the name of a deleted replica's directory.
const ID_LENGTH: usize = 32;
const DELETED: &str = "-delete";

/// The log directories of all brokers, by node id.
pub type Trees = BTreeMap<u32, Vec<TreeEntry>>;

/// The files of a topic.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Files {
    /// Number of files.
    pub files: u64,
    /// Their sizes.
    pub bytes: u64,
    /// The space that they take by stat's count: without holes, in blocks.
    pub allocated_bytes: u64,
}

impl Files {
    /// Whether this is the space of files with this many bytes. Stat rounds each file up to a block.
    pub fn takes(&self, bytes_in_files: u64) -> bool {
        let most = bytes_in_files + self.files * (STAT_BLOCK_BYTES - 1);
        (bytes_in_files..=most).contains(&self.allocated_bytes)
    }
}

/// The topic of a replica's directory: `TOPIC-N`, or `TOPIC-N.ID-delete`.
fn topic_of(directory: &str) -> Option<&str> {
    let live = match directory.strip_suffix(DELETED).and_then(|rest| rest.rsplit_once('.')) {
        Some((rest, id)) if id.len() == ID_LENGTH => rest,
        _ => directory,
    };
    let (topic, partition) = live.rsplit_once('-')?;
    partition.bytes().all(|byte| byte.is_ascii_digit()).then_some(topic)
}

/// The name of the directory that an entry is in.
fn directory_of(entry: &TreeEntry) -> Option<&str> {
    entry.path.parent().and_then(Path::to_str).filter(|parent| !parent.is_empty())
}

/// The files of each topic, of all brokers.
pub fn topics(trees: &Trees) -> BTreeMap<String, Files> {
    let mut topics: BTreeMap<String, Files> = BTreeMap::new();
    for entry in trees.values().flatten().filter(|entry| !entry.folder) {
        let Some(topic) = directory_of(entry).and_then(topic_of) else { continue };
        let files = topics.entry(topic.to_owned()).or_default();
        files.files += 1;
        files.bytes += entry.bytes;
        files.allocated_bytes += entry.allocated_bytes;
    }
    topics
}

/// The directories of replicas that a broker is deleting.
pub fn deleted(tree: &[TreeEntry]) -> BTreeSet<String> {
    let folders = tree.iter().filter(|entry| entry.folder).filter_map(|entry| entry.path.to_str());
    folders.filter(|name| name.ends_with(DELETED)).map(str::to_owned).collect()
}

/// The offsets at which the segments of a replica begin.
pub fn bases(tree: &[TreeEntry], replica: &str) -> BTreeSet<u64> {
    let inside = tree.iter().filter(|entry| directory_of(entry) == Some(replica));
    let logs = inside.filter(|entry| entry.path.extension().is_some_and(|end| end == "log"));
    logs.filter_map(|entry| entry.path.file_stem()?.to_str()?.parse().ok()).collect()
}

/// The sizes of the records' files of a replica.
pub fn log_bytes(tree: &[TreeEntry], replica: &str) -> u64 {
    let inside = tree.iter().filter(|entry| directory_of(entry) == Some(replica));
    inside.filter(|entry| entry.path.extension().is_some_and(|end| end == "log")).map(|log| log.bytes).sum()
}

/// Whether a broker is about to remove or replace files.
pub fn is_unfinished(tree: &[TreeEntry]) -> bool {
    let ends = tree.iter().filter_map(|entry| entry.path.extension()?.to_str());
    ends.into_iter().any(|end| UNFINISHED.contains(&end))
}

/// The offset up to which a broker has compacted a topic's only partition, in the text of its `cleaner-offset-checkpoint`.
pub fn compacted_to(checkpoint: &str, topic: &str) -> Option<u64> {
    let line = checkpoint.lines().find_map(|line| line.strip_prefix(topic)?.strip_prefix(" 0 "));
    line?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef";

    fn file(path: &str, bytes: u64, allocated_bytes: u64) -> TreeEntry {
        TreeEntry { path: path.into(), folder: false, bytes, allocated_bytes }
    }

    fn trees() -> Trees {
        let folder =
            |path: String| TreeEntry { path: path.into(), folder: true, bytes: 0, allocated_bytes: 0 };
        let one = vec![
            file("meta.properties", 90, 512),
            file("a-b-0/00000000000000000000.log", 1000, 1024),
            file("a-b-0/00000000000000000007.log", 10, 512),
            file("a-b-0/00000000000000000007.index", 4096, 0),
            folder(format!("gone-0.{ID}-delete")),
            file(&format!("gone-0.{ID}-delete/00000000000000000000.log"), 5, 512),
        ];
        Trees::from([(1, one), (2, vec![file("a-b-12/00000000000000000003.log", 600, 1024)])])
    }

    #[test]
    fn files_count_for_the_topic_of_their_directory() {
        let found = topics(&trees());
        let files = |files, bytes, allocated_bytes| Files { files, bytes, allocated_bytes };
        assert_eq!(
            found,
            BTreeMap::from([("a-b".to_owned(), files(4, 5706, 2560)), ("gone".to_owned(), files(1, 5, 512))])
        );
        assert!(found["a-b"].takes(1610) && !found["a-b"].takes(2561) && !found["a-b"].takes(500));
        assert_eq!(topic_of("gone-0.short-delete"), None);
    }

    #[test]
    fn segments_and_deleted_replicas_are_found_by_name() {
        let tree = &trees()[&1];
        assert_eq!(bases(tree, "a-b-0"), BTreeSet::from([0, 7]));
        assert_eq!(log_bytes(tree, "a-b-0"), 1010);
        assert_eq!(deleted(tree), BTreeSet::from([format!("gone-0.{ID}-delete")]));
        assert!(!is_unfinished(tree));
        assert!(is_unfinished(&[file("a-0/00000000000000000000.log.deleted", 1, 512)]));
    }

    #[test]
    fn a_checkpoint_tells_how_far_a_topic_is_compacted() {
        assert_eq!(compacted_to("0\n2\nother 0 3\nkeyed 0 17\n", "keyed"), Some(17));
        assert_eq!(compacted_to("0\n1\nkeyed2 0 17\n", "keyed"), None);
    }
}
