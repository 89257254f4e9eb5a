//! What a change would return: the bytes of chunks to which nothing would refer any more.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use forebay_pool::{CheckWatch, InodeId, Pool, Result, Sample, Survey, VolumeId};

use crate::count::{Counter, EXTENTS_MAX};
use crate::layout::State;
use crate::replica::contents;
use crate::report::{Cluster, Partition, Replica, Report, Topic};
use crate::scan::{EXTENT_BYTES, bits_for, blocking};

/// A change that someone thinks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Topics are deleted.
    Delete {
        /// The topic, or the beginning of topics and `*`.
        topic: String,
    },
    /// Segments whose last record is older are deleted.
    Retain {
        /// The topic, or the beginning of topics and `*`.
        topic: String,
        /// The retention.
        age: Duration,
    },
    /// Partitions keep at most this many replicas.
    Factor {
        /// The topic, or the beginning of topics and `*`.
        topic: String,
        /// The number of replicas.
        replicas: u64,
    },
    /// A snapshot is deleted.
    Snapshot {
        /// The volume.
        volume: String,
        /// The snapshot.
        snapshot: String,
    },
}

/// What a change would return.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Returned {
    /// Number of files that would be deleted.
    pub files: u64,
    /// Bytes of these files that are not holes.
    pub bytes_in_files: u64,
    /// Bytes that would be free.
    pub bytes_returned: u64,
    /// Bytes that would be free as well if no snapshot showed them.
    pub bytes_held: u64,
    /// One of 2 to the power of this many chunks was looked at; 0 if all were.
    pub sample_bits: u32,
    /// What the change does not concern, in sentences.
    pub notes: Vec<String>,
}

/// The answer.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Each change by itself.
    pub changes: Vec<Returned>,
    /// All changes together. This can be more than their sum: two topics may share what neither returns alone.
    pub together: Returned,
}

type Files = BTreeMap<VolumeId, HashSet<InodeId>>;

/// What changes to the files of a cluster, by its key, would return at this instant.
pub async fn what_if(
    pool: &Pool,
    (report, cluster): (Arc<Report>, String),
    changes: Vec<Change>,
    watch: Arc<CheckWatch>,
) -> Result<Answer> {
    let survey = pool.survey(watch).await?;
    blocking(move || {
        let mut answer = Answer::default();
        let Some(cluster) = report.cluster(&cluster) else { return Ok(answer) };
        for change in &changes {
            answer.changes.push(returned(&survey, cluster, std::slice::from_ref(change))?);
        }
        answer.together = match &answer.changes[..] {
            [only] => only.clone(),
            _ => returned(&survey, cluster, &changes)?,
        };
        Ok(answer)
    })
    .await
}

fn returned(survey: &Survey, cluster: &Cluster, changes: &[Change]) -> Result<Returned> {
    let mut returned = Returned::default();
    let mut files = Files::new();
    for change in changes {
        choose(survey, cluster, change, (&mut files, &mut returned))?;
    }
    let by_id = |id: VolumeId| survey.volumes.iter().find(|seen| seen.volume.id == id);
    for (id, files) in &files {
        let Some(volume) = by_id(*id) else { continue };
        for file in files {
            let Some(inode) = survey.inode(volume, *file)? else { continue };
            returned.files += 1;
            returned.bytes_in_files = returned.bytes_in_files.saturating_add(inode.space_used);
        }
    }
    let sample = Sample::new(bits_for(returned.bytes_in_files / EXTENT_BYTES, EXTENTS_MAX), 0);
    let mut counter = Counter::new(survey, (sample, sample, Sample::new(Sample::BITS_MAX, 0)), false);
    for (id, files) in &files {
        let Some(volume) = by_id(*id) else { continue };
        for file in files {
            counter.file(volume, *file, 0)?;
        }
    }
    for change in changes {
        let Change::Snapshot { volume, snapshot } = change else { continue };
        let Some(of) = survey.volumes.iter().find(|seen| seen.volume.spec.name == *volume) else {
            returned.notes.push(format!("volume {volume} does not exist"));
            continue;
        };
        if !survey.each_extent_only_in(of, snapshot, &mut |extent| counter.extent(extent, 1))? {
            returned.notes.push(format!("volume {volume} has no snapshot {snapshot}"));
        }
    }
    let groups = counter.end();
    let inline: u64 = groups.iter().map(|group| group.inline_returned).sum();
    let inline_held: u64 = groups.iter().map(|group| group.inline - group.inline_returned).sum();
    returned.sample_bits = sample.bits();
    returned.bytes_returned = (counter.returned << sample.bits()).saturating_add(inline);
    returned.bytes_held = (counter.held << sample.bits()).saturating_add(inline_held);
    Ok(returned)
}

/// Whether a topic has this name, or begins with what is before a `*` at the end.
pub(crate) fn is_meant(pattern: &str, topic: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == topic, |beginning| topic.starts_with(beginning))
}

fn choose(
    survey: &Survey,
    cluster: &Cluster,
    change: &Change,
    (files, returned): (&mut Files, &mut Returned),
) -> Result<()> {
    let (Change::Delete { topic: pattern }
    | Change::Retain { topic: pattern, .. }
    | Change::Factor { topic: pattern, .. }) = change
    else {
        return Ok(());
    };
    let topics: Vec<(&String, &Topic)> =
        cluster.topics.iter().filter(|(name, _)| is_meant(pattern, name)).collect();
    if topics.is_empty() {
        returned.notes.push(format!("no topic is named {pattern}"));
    }
    for (name, topic) in topics {
        for partition in topic.partitions.values() {
            match change {
                Change::Retain { .. } if partition.is_compacted => {
                    let note = format!(
                        "{name} is compacted, and has no retention by age unless it is deleted as well"
                    );
                    if !returned.notes.contains(&note) {
                        returned.notes.push(note);
                    }
                }
                Change::Retain { age, .. } => {
                    let before = survey.taken.checked_sub(*age).unwrap_or(SystemTime::UNIX_EPOCH);
                    for replica in live(partition) {
                        add(survey, replica, Some(before), files)?;
                    }
                }
                Change::Factor { replicas, .. } => {
                    let keep = usize::try_from(*replicas).unwrap_or(usize::MAX);
                    for replica in live(partition).skip(keep) {
                        add(survey, replica, None, files)?;
                    }
                }
                Change::Delete { .. } | Change::Snapshot { .. } => {
                    for replica in &partition.replicas {
                        add(survey, replica, None, files)?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn live(partition: &Partition) -> impl Iterator<Item = &Replica> {
    partition.replicas.iter().filter(|replica| replica.state == State::Live)
}

/// Adds the files of a replica; with `before` those of segments whose last change was earlier, without the newest segment.
fn add(survey: &Survey, replica: &Replica, before: Option<SystemTime>, files: &mut Files) -> Result<()> {
    let id = replica.handle.volume;
    let Some(volume) = survey.volumes.iter().find(|seen| seen.volume.id == id) else { return Ok(()) };
    let contents = contents(survey, volume, replica.handle.inode, &mut |_| true)?;
    let newest = contents.segments.keys().next_back();
    let goes = |base: &Option<u64>| match (before, base) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(before), Some(base)) => {
            Some(base) != newest && contents.segments.get(base).is_some_and(|segment| segment.mtime < before)
        }
    };
    let gone = contents.files.iter().filter(|(_, base)| goes(base)).map(|(file, _)| *file);
    files.entry(id).or_default().extend(gone);
    Ok(())
}
