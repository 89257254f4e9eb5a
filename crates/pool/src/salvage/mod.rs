//! Salvage: recovers Kafka's record batches, and other chunks, from segments alone, after all metadata is lost.
//!
//! ```text
//!  sources   .seg files of a pool, of its second copy, in lost+found: read only
//!     │ window, frames       every whole frame, whatever else is damaged
//!     ▼
//!  scan ──► catalog          chunks by their place, batches in runs; no content is kept
//!     │ batch                recognises record batches by their CRC
//!     │ join                 joins batches longer than a chunk from their pieces
//!     ▼
//!  link, evidence            links runs into streams, each a log or a part of one
//!     ▼
//!  write ──► target          logs/, other/, README.txt, and report.json last
//! ```
//! It works on directories, not on an open pool, and needs only the segments of a pool. Three things must hold: the
//! sources are not changed; a batch that is written has a correct CRC; and each distinct batch that was found is
//! written exactly once.
//!
//! Memory: about 16 MB, plus 350 bytes for each chunk of 32 to 256 KiB, and 70 bytes for each record batch. Measured in
//! total: 27 MB for a GB of batches of 16 KiB, and 86 MB for a GB of batches of 1 KiB.

mod batch;
mod catalog;
mod error;
mod evidence;
mod frames;
#[cfg(test)]
mod frames_tests;
mod join;
mod link;
#[cfg(test)]
mod link_tests;
mod places;
mod progress;
mod report;
mod run;
mod scan;
mod sources;
mod target;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod window;
mod write;

use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use catalog::{Catalog, Head};
pub use error::{Error, Result};
use frames::Fault;
use link::Stream;
pub use progress::{Phase, Progress};
pub use report::{DamageKind, DamageReport, IncompleteBatch, Links, OtherReport, Report, StreamReport};
use scan::Scanned;
use sources::Sources;
use write::{HeadKey, Writer, head_key, is_other};

/// The source and the target of a salvage.
#[derive(Clone, Debug)]
pub struct Options {
    /// The directory to read: a pool's directory, the directory of a second copy, or a folder of segments.
    pub from: PathBuf,
    /// Another directory with the same segments.
    pub copy: Option<PathBuf>,
    /// The directory to write to. It must not exist or must be empty.
    pub to: PathBuf,
    /// Also write chunks that are not Kafka's.
    pub other: bool,
}

/// Reads all segments and writes everything that can be recovered from them. Calls `progress` for each chunk. Blocks on
/// the disk.
pub fn salvage(options: &Options, progress: &dyn Fn(Progress)) -> Result<Report> {
    let directories: Vec<&Path> =
        [Some(options.from.as_path()), options.copy.as_deref()].into_iter().flatten().collect();
    let sources = sources::find(&directories)?;
    // Check this before reading, so that the user does not wait for a salvage that cannot be written.
    let to = target::create(&options.to, &sources.roots)?;
    let mut scanned = scan::scan(&sources, progress)?;
    let ranks = ranks(&scanned.catalog);
    join::join(&mut scanned.catalog, &ranks);
    scanned.catalog.settle();
    let streams = link::link(&scanned.catalog, &ranks);
    let salvage = Salvage { options, sources: &sources, scanned: &scanned, streams: &streams, to: &to };
    salvage.write(progress)
}

/// The rank of each chunk in the order in which the chunks were appended.
fn ranks(catalog: &Catalog) -> Vec<u32> {
    let mut order: Vec<u32> =
        (0..catalog.chunks.len()).map(|at| u32::try_from(at).unwrap_or(u32::MAX)).collect();
    order.sort_by_key(|at| catalog.chunks.get(*at as usize).map(|chunk| (chunk.segment, chunk.offset)));
    let mut ranks = vec![0; order.len()];
    for (rank, at) in (0..).zip(&order) {
        if let Some(slot) = ranks.get_mut(*at as usize) {
            *slot = rank;
        }
    }
    ranks
}

/// The result of the scan, ready to be written.
struct Salvage<'a> {
    options: &'a Options,
    sources: &'a Sources,
    scanned: &'a Scanned,
    streams: &'a [Stream],
    to: &'a Path,
}

impl Salvage<'_> {
    fn write(&self, progress: &dyn Fn(Progress)) -> Result<Report> {
        let other = self.other();
        let bytes_total = self.streams.iter().map(|stream| stream.bytes).sum::<u64>()
            + if other.written { other.bytes } else { 0 };
        // Each file may take up to one block more than it has bytes.
        let files = self.streams.len() as u64 * 2 + if other.written { other.chunks } else { 0 } + 4;
        target::require_room(self.to, bytes_total + files * crate::format::frames::BLOCK_BYTES)?;

        let done = Cell::new(0);
        let tell = |bytes: u64| {
            done.set(done.get() + bytes);
            progress(Progress { phase: Phase::Writing, bytes_done: done.get(), bytes_total });
        };
        let mut writer = Writer::new(&self.scanned.catalog, self.sources, &tell);
        target::write_file(&self.to.join("README.txt"), report::README.as_bytes())?;
        let logs = self.to.join("logs");
        target::create_folder(&logs)?;
        let mut report = self.report(other);
        for (number, stream) in self.streams.iter().enumerate() {
            let mut written = writer.stream(&logs, &stream_name(number), stream)?;
            let directory = |number: &u32| format!("logs/{}", stream_name(*number as usize));
            written.may_continue_in = stream.may_continue_in.iter().map(directory).collect();
            report.batches += written.batches;
            report.records += written.records;
            report.bytes_written += written.bytes;
            report.streams.push(written);
        }
        target::sync_folder(&logs)?;
        if other.written {
            writer.others(&self.to.join("other"))?;
        }
        self.complete(&mut report, &writer);
        let mut text = serde_json::to_vec_pretty(&report).unwrap_or_default();
        text.push(b'\n');
        target::write_file(&self.to.join("report.json"), &text)?;
        target::sync_folder(self.to)?;
        if let Some(above) = self.to.parent() {
            target::sync_folder(above)?;
        }
        Ok(report)
    }

    fn other(&self) -> OtherReport {
        let others = self.scanned.catalog.chunks.iter().filter(|chunk| is_other(chunk));
        let (mut chunks, mut bytes) = (0, 0);
        for chunk in others {
            chunks += 1;
            bytes += u64::from(chunk.bytes);
        }
        OtherReport { chunks, bytes, written: self.options.other }
    }

    /// The part of the report that is known before anything is written.
    fn report(&self, other: OtherReport) -> Report {
        let catalog = &self.scanned.catalog;
        Report {
            segments: self.sources.segments.len() as u64,
            files: self.sources.files.len() as u64,
            files_skipped: self.scanned.files_skipped,
            bytes_read: self.scanned.bytes_read,
            chunks: catalog.chunks.len() as u64,
            batches_joined: catalog.joined.len() as u64,
            other,
            ..Report::default()
        }
    }

    /// Adds the part of the report that is known after everything is written.
    fn complete(&self, report: &mut Report, writer: &Writer<'_>) {
        for (number, damage) in &self.scanned.damage {
            let kind = match damage.fault {
                Fault::Frame => DamageKind::Frame,
                Fault::Truncated => DamageKind::Truncated,
                Fault::Unrecognised => DamageKind::Unrecognised,
                Fault::Unreadable => DamageKind::Unreadable,
            };
            report.damaged.push(DamageReport {
                file: self.file(*number),
                offset: damage.range.start,
                bytes: damage.range.end.saturating_sub(damage.range.start),
                chunk: damage.id.map(|id| id.to_string()),
                kind,
                recovered: self.scanned.is_recovered(self.sources, *number, damage),
            });
        }
        let vanished =
            writer.vanished.iter().filter_map(|number| self.scanned.catalog.chunks.get(*number as usize));
        report.damaged.extend(vanished.map(|chunk| DamageReport {
            file: self.file(chunk.file),
            offset: chunk.offset,
            bytes: u64::from(chunk.bytes_stored),
            chunk: Some(chunk.id.to_string()),
            kind: DamageKind::Vanished,
            recovered: false,
        }));
        report.incomplete_batches = self.incomplete(writer);
        report.complete = report.lost() == 0 && report.incomplete_batches.is_empty();
    }

    /// Batches that begin in a chunk and are whole nowhere. For each, the chunk with most of its bytes.
    fn incomplete(&self, writer: &Writer<'_>) -> Vec<IncompleteBatch> {
        let catalog = &self.scanned.catalog;
        let bytes_found = |head: &Head| {
            let bytes = catalog.chunks.get(head.chunk as usize).map_or(0, |chunk| chunk.bytes);
            bytes.saturating_sub(head.located.at)
        };
        let mut longest: HashMap<HeadKey, &Head> = HashMap::new();
        for head in &catalog.heads {
            let key = head_key(&head.located.batch);
            if writer.heads.contains(&key) {
                let known = longest.entry(key).or_insert(head);
                if bytes_found(head) > bytes_found(known) {
                    *known = head;
                }
            }
        }
        let mut heads: Vec<&Head> = longest.into_values().collect();
        heads.sort_by_key(|head| head.chunk);
        let incomplete = heads.into_iter().filter_map(|head| {
            let chunk = catalog.chunks.get(head.chunk as usize)?;
            let batch = &head.located.batch;
            Some(IncompleteBatch {
                base_offset: batch.base_offset,
                last_offset: batch.next_offset.saturating_sub(1),
                bytes: batch.bytes,
                bytes_found: bytes_found(head),
                chunk: chunk.id.to_string(),
                file: self.file(chunk.file),
            })
        });
        incomplete.collect()
    }

    fn file(&self, number: u32) -> String {
        self.sources
            .files
            .get(number as usize)
            .map_or_else(String::new, |file| file.path.display().to_string())
    }
}

fn stream_name(number: usize) -> String {
    format!("stream-{:05}", number + 1)
}
