//! Writes streams as Kafka's log files, and other chunks as separate files. Reads and verifies everything once more.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::batch::{Batch, Located, recognise};
use super::catalog::{Catalog, Chunk, Use};
use super::error::{Result, failed};
use super::frames::content_without_header;
use super::link::Stream;
use super::report::StreamReport;
use super::run::{Piece, Run, Source};
use super::sources::Sources;
use super::target::{create_folder, sync_folder, write_file};
use crate::format::frames::content_by_sum;

/// The maximum size of a log file. This is Kafka's own default.
const LOG_BYTES_MAX: u64 = 1 << 30;
/// The maximum number of segment files that are kept open.
const FILES_OPEN_MAX: usize = 256;
const WRITE: &str = "write the file";

/// Identifies a batch whose end is missing: its base offset, length and CRC.
pub(super) type HeadKey = (i64, u32, u32);

pub(super) fn head_key(batch: &Batch) -> HeadKey {
    (batch.base_offset, batch.bytes, batch.crc)
}

/// Copies from the sources into the target.
pub(super) struct Writer<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) sources: &'a Sources,
    /// Called with the number of bytes written.
    pub(super) progress: &'a dyn Fn(u64),
    files: HashMap<u32, File>,
    /// Batches of which a part was found by itself, and which have not been found whole.
    pub(super) heads: HashSet<HeadKey>,
    /// Chunks that can no longer be read.
    pub(super) vanished: BTreeSet<u32>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(catalog: &'a Catalog, sources: &'a Sources, progress: &'a dyn Fn(u64)) -> Writer<'a> {
        let heads = catalog.heads.iter().map(|head| head_key(&head.located.batch)).collect();
        Writer { catalog, sources, progress, files: HashMap::new(), heads, vanished: BTreeSet::new() }
    }

    /// Writes a stream into a new directory.
    pub(super) fn stream(&mut self, folder: &Path, name: &str, stream: &Stream) -> Result<StreamReport> {
        let folder = folder.join(name);
        create_folder(&folder)?;
        let mut log = Log::new(folder, name);
        let mut segments = BTreeSet::new();
        let catalog = self.catalog;
        for run in stream.runs.iter().filter_map(|run| catalog.runs.get(*run as usize)) {
            let Some(batches) = self.batches(run, &mut segments) else { continue };
            for (batch, parts) in batches {
                self.heads.remove(&head_key(&batch));
                log.append(&batch, &parts)?;
                (self.progress)(u64::from(batch.bytes));
            }
        }
        let names = segments.into_iter().filter_map(|segment| self.sources.segments.get(segment as usize));
        log.report.segments = names.cloned().collect();
        log.report.links = stream.links;
        log.report.begins_ambiguously = stream.begins_ambiguously;
        log.finish()
    }

    /// The batches of a run in pieces, or `None` if they can no longer be read.
    fn batches(&mut self, run: &Run, segments: &mut BTreeSet<u32>) -> Option<Vec<(Batch, Vec<Bytes>)>> {
        match run.source {
            Source::Chunk { chunk, start, end } => {
                let content = self.content(chunk, segments)?;
                let content =
                    content.get(start as usize..end as usize).map(|part| content.slice_ref(part))?;
                let batch = |located: Located| (located.batch, vec![content.slice(located.range())]);
                Some(recognise(&content).batches.into_iter().map(batch).collect())
            }
            Source::Joined(number) => {
                let joined = self.catalog.joined.get(number as usize)?;
                let mut parts = Vec::with_capacity(joined.pieces.len());
                for piece in &joined.pieces {
                    parts.push(match piece {
                        Piece::Chunk(chunk) => self.content(*chunk, segments)?,
                        Piece::Zeros(bytes) => Bytes::from(vec![0; *bytes as usize]),
                    });
                }
                Some(vec![(joined.batch, parts)])
            }
        }
    }

    /// Writes every chunk that is not entirely Kafka's into a new directory.
    pub(super) fn others(&mut self, folder: &Path) -> Result<()> {
        create_folder(folder)?;
        let catalog = self.catalog;
        for (number, chunk) in catalog.chunks.iter().enumerate().filter(|(_, chunk)| is_other(chunk)) {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let Some(content) = self.content(number, &mut BTreeSet::new()) else { continue };
            write_file(&folder.join(chunk.id.to_string()), &content)?;
            (self.progress)(content.len() as u64);
        }
        sync_folder(folder)
    }

    /// Reads and verifies a chunk's content again.
    fn content(&mut self, number: u32, segments: &mut BTreeSet<u32>) -> Option<Bytes> {
        let chunk = self.catalog.chunks.get(number as usize)?;
        segments.insert(chunk.segment);
        let content = self.read(chunk);
        if content.is_none() {
            self.vanished.insert(number);
        }
        content
    }

    fn read(&mut self, chunk: &Chunk) -> Option<Bytes> {
        if !self.files.contains_key(&chunk.file) {
            if self.files.len() >= FILES_OPEN_MAX {
                self.files.clear();
            }
            let path = &self.sources.files.get(chunk.file as usize)?.path;
            self.files.insert(chunk.file, File::open(path).ok()?);
        }
        let mut frame = vec![0; chunk.bytes_stored as usize];
        self.files.get(&chunk.file)?.read_exact_at(&mut frame, chunk.offset).ok()?;
        let frame = Bytes::from(frame);
        let content = content_by_sum(&frame, chunk.id).ok();
        content.or_else(|| content_without_header(&frame, chunk.id, chunk.facts))
    }
}

/// Whether `--other` writes the chunk.
pub(super) fn is_other(chunk: &Chunk) -> bool {
    matches!(chunk.is, Use::Other | Use::Partly)
}

/// The files of one stream.
struct Log {
    folder: PathBuf,
    file: Option<LogFile>,
    report: StreamReport,
}

struct LogFile {
    path: PathBuf,
    output: BufWriter<File>,
    base_offset: i64,
    bytes: u64,
}

impl Log {
    fn new(folder: PathBuf, name: &str) -> Log {
        let report = StreamReport { directory: format!("logs/{name}"), ..StreamReport::default() };
        Log { folder, file: None, report }
    }

    fn append(&mut self, batch: &Batch, parts: &[Bytes]) -> Result<()> {
        let fits = |file: &LogFile| {
            file.bytes + u64::from(batch.bytes) <= LOG_BYTES_MAX
                // Kafka's indexes store offsets relative to the base offset in 32 bits.
                && batch.next_offset.saturating_sub(file.base_offset) <= i64::from(i32::MAX)
        };
        if !self.file.as_ref().is_some_and(fits) {
            self.end_file()?;
            self.begin_file(batch.base_offset)?;
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        for part in parts {
            file.output.write_all(part).map_err(failed(&file.path, WRITE))?;
        }
        file.bytes += u64::from(batch.bytes);
        self.count(batch);
        Ok(())
    }

    fn begin_file(&mut self, base_offset: i64) -> Result<()> {
        let name = format!("{base_offset:020}.log");
        let path = self.folder.join(&name);
        let file = File::create_new(&path).map_err(failed(&path, "create the file"))?;
        let output = BufWriter::with_capacity(1 << 20, file);
        self.file = Some(LogFile { path, output, base_offset, bytes: 0 });
        self.report.files.push(name);
        Ok(())
    }

    fn end_file(&mut self) -> Result<()> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let end = || file.output.into_inner().map_err(|error| error.into_error())?.sync_all();
        end().map_err(failed(&file.path, WRITE))
    }

    fn count(&mut self, batch: &Batch) {
        let report = &mut self.report;
        if report.batches == 0 {
            report.first_offset = batch.base_offset;
        } else {
            let missing = batch.base_offset.saturating_sub(report.last_offset).saturating_sub(1);
            report.offsets_missing += u64::try_from(missing).unwrap_or(0);
        }
        report.last_offset = batch.next_offset.saturating_sub(1);
        report.batches += 1;
        report.records += u64::try_from(batch.records).unwrap_or(0);
        report.bytes += u64::from(batch.bytes);
        let least = |known: Option<i64>, new: i64| known.map_or(new, |known| known.min(new));
        let most = |known: Option<i64>, new: i64| known.map_or(new, |known| known.max(new));
        if batch.base_timestamp >= 0 {
            report.first_timestamp_ms = Some(least(report.first_timestamp_ms, batch.base_timestamp));
        }
        if batch.max_timestamp >= 0 {
            report.last_timestamp_ms = Some(most(report.last_timestamp_ms, batch.max_timestamp));
        }
    }

    fn finish(mut self) -> Result<StreamReport> {
        self.end_file()?;
        sync_folder(&self.folder)?;
        Ok(self.report)
    }
}
