//! Directories that could go: deleted replicas that stay, strays, and log directories that no broker uses.

use std::time::{Duration, SystemTime};

use forebay_pool::Handle;

use crate::layout::State;
use crate::report::{Report, Topic};

/// A log directory that nobody has locked or changed for this long is abandoned.
pub const ABANDONED_AFTER: Duration = Duration::from_secs(3 * 86_400);

/// Why a directory could go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// A broker renamed it to delete it, and did not.
    Deleted,
    /// The cluster's metadata do not have it.
    Stray,
    /// No broker has the log directory locked.
    Abandoned,
}

/// A directory that could go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// The cluster's key.
    pub cluster: String,
    /// The broker.
    pub node: Option<u32>,
    /// The topic; `None` for a log directory.
    pub topic: Option<String>,
    /// The path from the server's root.
    pub path: String,
    /// Why it could go.
    pub why: Why,
    /// How long it has been so.
    pub age: Duration,
    /// Bytes of its files that are not holes.
    pub bytes_in_files: u64,
    /// Bytes that deleting it returns.
    pub bytes_exclusive: u64,
}

/// The directories that could go, the largest first. A broker has `deleted_after` to delete a directory that it has renamed. `is_locked` says
/// whether a client has a file locked.
pub fn leftovers(
    report: &Report,
    now: SystemTime,
    deleted_after: Duration,
    is_locked: &dyn Fn(Handle) -> bool,
) -> Vec<Leftover> {
    let since = |time: SystemTime| now.duration_since(time).unwrap_or_default();
    let mut found = Vec::new();
    for cluster in &report.clusters {
        for log in &cluster.log_directories {
            let age = log.last_change.map(since).unwrap_or_default();
            if age >= ABANDONED_AFTER && !log.lock.is_some_and(is_locked) {
                found.push(Leftover {
                    cluster: cluster.key.clone(),
                    node: log.node,
                    topic: None,
                    path: log.path.clone(),
                    why: Why::Abandoned,
                    age,
                    bytes_in_files: log.figures.bytes_in_files,
                    bytes_exclusive: log.figures.bytes_exclusive,
                });
            }
        }
        for (name, topic) in &cluster.topics {
            for (replica, why) in replicas(topic) {
                let Some(log) = cluster.log_directories.get(replica.directory) else { continue };
                let age = since(replica.changed);
                if why == Why::Deleted && age < deleted_after {
                    continue;
                }
                found.push(Leftover {
                    cluster: cluster.key.clone(),
                    node: log.node,
                    topic: Some(name.clone()),
                    path: format!("{}/{}", log.path, replica.name),
                    why,
                    age,
                    bytes_in_files: replica.figures.bytes_in_files,
                    bytes_exclusive: replica.figures.bytes_exclusive,
                });
            }
        }
    }
    found.sort_by(|one, other| other.bytes_in_files.cmp(&one.bytes_in_files).then(one.path.cmp(&other.path)));
    found
}

fn replicas(topic: &Topic) -> impl Iterator<Item = (&crate::report::Replica, Why)> {
    topic.replicas().filter_map(|replica| match replica.state {
        State::Deleted => Some((replica, Why::Deleted)),
        State::Stray => Some((replica, Why::Stray)),
        State::Live | State::Future => None,
    })
}
