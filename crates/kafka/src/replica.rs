//! The files of one replica: segments, sizes and ages.

use std::collections::BTreeMap;
use std::time::SystemTime;

use forebay_pool::{InodeId, Result, Survey, SurveyedInode, SurveyedVolume};

use crate::layout::{Role, log_file};
use crate::report::Figures;

/// A rate is shown if the segments span at least this much time.
const RATE_SECONDS_MIN: f64 = 60.0;
const DAY_SECONDS: f64 = 86_400.0;

/// A file of a segment records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// Bytes of records.
    pub bytes: u64,
    /// The last change.
    pub mtime: SystemTime,
}

/// What is in a replica's directory.
#[derive(Default)]
pub(crate) struct Contents {
    /// Its files, with the segment that a file belongs to.
    pub files: Vec<(InodeId, Option<u64>)>,
    /// Segments by the offset of their first record.
    pub segments: BTreeMap<u64, Segment>,
    /// Counts and sizes; nothing that is stored.
    pub figures: Figures,
}

/// Lists the files of a directory. `is_new` says whether a file was not counted before: it may have several names.
pub(crate) fn contents(
    survey: &Survey,
    volume: &SurveyedVolume,
    directory: InodeId,
    is_new: &mut dyn FnMut(InodeId) -> bool,
) -> Result<Contents> {
    let mut contents = Contents::default();
    survey.each_entry(volume, directory, &mut |name, id| {
        let Some(inode) = survey.inode(volume, id)?.filter(|inode| inode.is_file) else { return Ok(()) };
        if !is_new(id) {
            return Ok(());
        }
        contents.figures.add(&sizes(&inode));
        let file = log_file(name);
        contents.files.push((id, file.map(|file| file.base)));
        if let Some(file) = file.filter(|file| file.role == Role::Log) {
            contents.segments.insert(file.base, Segment { bytes: inode.space_used, mtime: inode.mtime });
        }
        Ok(())
    })?;
    Ok(contents)
}

/// The sizes of one file.
pub(crate) fn sizes(inode: &SurveyedInode) -> Figures {
    Figures {
        files: 1,
        bytes_in_files: inode.space_used,
        bytes_holes: inode.size.saturating_sub(inode.space_used),
        ..Figures::default()
    }
}

impl Contents {
    /// Bytes written in a day: those of all segments but the oldest, in the time since the oldest was full.
    pub fn bytes_per_day(&self) -> Option<u64> {
        let mut segments = self.segments.values();
        let oldest = segments.next()?;
        let bytes: u64 = segments.map(|segment| segment.bytes).sum();
        let newest = self.segments.values().map(|segment| segment.mtime).max()?;
        let seconds = newest.duration_since(oldest.mtime).ok()?.as_secs_f64();
        let rate = |bytes: f64| (bytes / seconds * DAY_SECONDS) as u64;
        let bytes = bytes as f64;
        (seconds >= RATE_SECONDS_MIN).then(|| rate(bytes))
    }
}
