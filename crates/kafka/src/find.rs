//! Finds log directories, and reads the small files that describe them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use forebay_pool::{Handle, InodeId, Pool, Result, Survey, SurveyedInode, SurveyedVolume};

use crate::layout::{self, CHECKPOINT_BYTES_MAX, Checkpoint, META_BYTES_MAX, Meta, TOPIC_ID_BYTES_MAX};

/// The maximum number of log directories.
pub(crate) const DIRECTORIES_MAX: usize = 10_000;
/// The maximum number of directories above a log directory.
const DEPTH_MAX: usize = 100;
/// Bytes read at a time.
const READ_BYTES: u32 = 1 << 20;

/// A log directory that was found.
pub(crate) struct Found {
    /// The index of its volume in the survey.
    pub volume: usize,
    pub path: String,
    pub handle: Handle,
    pub meta: Meta,
    pub lock: Option<Handle>,
    pub is_clean: bool,
    pub last_change: Option<SystemTime>,
    pub high_watermarks: Checkpoint,
    /// The partitions that the broker compacts.
    pub compacted: HashSet<(String, u32)>,
}

/// What finding returns.
#[derive(Default)]
pub(crate) struct Finding {
    pub directories: Vec<Found>,
    /// Bytes of all files that are not holes, as volumes show them.
    pub bytes: u64,
    pub problems: Vec<String>,
}

/// A directory with a file `meta.properties`.
struct Candidate {
    volume: usize,
    directory: Handle,
    path: String,
    meta: SurveyedInode,
    others: HashMap<&'static [u8], SurveyedInode>,
}

/// Finds the log directories of all volumes.
pub(crate) async fn find(pool: &Pool, survey: &Arc<Survey>) -> Result<Finding> {
    let of = survey.clone();
    let candidates = tokio::task::spawn_blocking(move || candidates(&of)).await;
    let (candidates, bytes) = candidates.unwrap_or(Err(forebay_pool::Error::Cancelled))?;
    let mut finding = Finding { bytes, ..Finding::default() };
    if candidates.len() > DIRECTORIES_MAX {
        let message =
            format!("there are {} log directories; the first {DIRECTORIES_MAX} are shown", candidates.len());
        finding.problems.push(message);
    }
    for candidate in candidates.into_iter().take(DIRECTORIES_MAX) {
        let (found, problems) = describe(pool, candidate).await;
        finding.directories.extend(found);
        finding.problems.extend(problems);
    }
    Ok(finding)
}

fn candidates(survey: &Survey) -> Result<(Vec<Candidate>, u64)> {
    let (mut found, mut bytes) = (Vec::new(), 0_u64);
    for (index, volume) in survey.volumes.iter().enumerate() {
        let mut directories = Vec::new();
        survey.each_inode(volume, &mut |inode| {
            bytes = bytes.saturating_add(inode.space_used);
            directories.extend(inode.parent.map(|parent| (inode.handle, parent)));
            Ok(())
        })?;
        if volume.is_bucket {
            continue;
        }
        let first = found.len();
        for (directory, _) in &directories {
            // One more than the maximum, so that it is known that there are more.
            if found.len() > DIRECTORIES_MAX {
                break;
            }
            let Some(meta) = file(survey, volume, directory.inode, layout::META)? else { continue };
            let mut others = HashMap::new();
            for name in [layout::LOCK, layout::CLEAN_SHUTDOWN, layout::HIGH_WATERMARKS, layout::CLEANER] {
                others.extend(file(survey, volume, directory.inode, name)?.map(|inode| (name, inode)));
            }
            let path = String::new();
            found.push(Candidate { volume: index, directory: *directory, path, meta, others });
        }
        let parents = directories.iter().map(|(directory, parent)| (directory.inode, *parent)).collect();
        name(survey, volume, &parents, found.get_mut(first..).unwrap_or_default())?;
    }
    found.sort_by(|one, other| (one.volume, &one.path).cmp(&(other.volume, &other.path)));
    Ok((found, bytes))
}

/// Finds the paths of directories from the server's root. Each directory above them is read once.
fn name(
    survey: &Survey,
    volume: &SurveyedVolume,
    parents: &HashMap<InodeId, InodeId>,
    candidates: &mut [Candidate],
) -> Result<()> {
    let above = |at: &InodeId| parents.get(at).copied().filter(|parent| parent != at);
    // The directories whose names are wanted, by the directory that holds them.
    let mut wanted: HashMap<InodeId, HashSet<InodeId>> = HashMap::new();
    for candidate in candidates.iter() {
        let mut at = candidate.directory.inode;
        for _ in 0..DEPTH_MAX {
            let Some(parent) = above(&at) else { break };
            if !wanted.entry(parent).or_default().insert(at) {
                break;
            }
            at = parent;
        }
    }
    let mut names: HashMap<InodeId, String> = HashMap::new();
    for (parent, children) in wanted {
        survey.each_entry(volume, parent, &mut |entry, inode| {
            if children.contains(&inode) {
                names.insert(inode, String::from_utf8_lossy(entry).into_owned());
            }
            Ok(())
        })?;
    }
    for candidate in candidates {
        let (mut parts, mut at) = (Vec::new(), candidate.directory.inode);
        while let Some(parent) = above(&at).filter(|_| parts.len() < DEPTH_MAX) {
            parts.push(names.get(&at).map_or("?", String::as_str));
            at = parent;
        }
        parts.push(volume.volume.spec.junction_path.trim_end_matches('/'));
        parts.reverse();
        candidate.path = parts.join("/");
    }
    Ok(())
}

/// The regular file of that name in a directory.
fn file(
    survey: &Survey,
    volume: &SurveyedVolume,
    directory: InodeId,
    name: &[u8],
) -> Result<Option<SurveyedInode>> {
    let Some(id) = survey.find(volume, directory, name)? else { return Ok(None) };
    Ok(survey.inode(volume, id)?.filter(|inode| inode.is_file))
}

async fn describe(pool: &Pool, candidate: Candidate) -> (Option<Found>, Vec<String>) {
    let Candidate { volume, directory, path, meta, others } = candidate;
    let mut problems = Vec::new();
    let content = content(pool, meta.handle, META_BYTES_MAX).await;
    let Some(meta) = content.as_deref().and_then(layout::meta) else {
        problems.push(format!(
            "{path}/meta.properties is not Kafka's: the directory is not shown as a log directory"
        ));
        return (None, problems);
    };
    let mut read = async |name: &'static [u8]| {
        let Some(inode) = others.get(name) else { return Checkpoint::default() };
        let content = self::content(pool, inode.handle, CHECKPOINT_BYTES_MAX).await;
        content.as_deref().and_then(layout::checkpoint).unwrap_or_else(|| {
            let name = String::from_utf8_lossy(name);
            problems.push(format!("{path}/{name} is not complete, and was not used"));
            Checkpoint::default()
        })
    };
    let high_watermarks = read(layout::HIGH_WATERMARKS).await;
    let compacted = read(layout::CLEANER).await.into_keys().collect();
    let found = Found {
        volume,
        path,
        handle: directory,
        meta,
        lock: others.get(layout::LOCK).map(|inode| inode.handle),
        is_clean: others.contains_key(layout::CLEAN_SHUTDOWN),
        last_change: others.get(layout::HIGH_WATERMARKS).map(|inode| inode.mtime),
        high_watermarks,
        compacted,
    };
    (Some(found), problems)
}

/// The content of a file; `None` if it is too large or cannot be read.
pub(crate) async fn content(pool: &Pool, file: Handle, bytes_max: u64) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    loop {
        let offset = content.len() as u64;
        let read = pool.read(file, offset, READ_BYTES).await.ok()?;
        read.pieces.iter().for_each(|piece| content.extend_from_slice(piece));
        if content.len() as u64 > bytes_max {
            return None;
        }
        if read.eof || content.len() as u64 == offset {
            return Some(content);
        }
    }
}

/// The topic's id in a replica's directory.
pub(crate) async fn topic_id(pool: &Pool, metadata: &SurveyedInode) -> Option<String> {
    layout::topic_id(&content(pool, metadata.handle, TOPIC_ID_BYTES_MAX).await?)
}
