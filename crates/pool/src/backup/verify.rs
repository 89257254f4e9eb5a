//! Reads everything that a backup consists of, and compares it with what the metadata in it says.

use std::collections::BTreeMap;
use std::path::Path;

use super::manifest::Manifest;
use super::repository::Repository;
use super::stream::{self, Totals};
use super::{BackupWatch, VerifyReport};
use crate::format::frames::{CHUNK_BYTES_MAX, FRAME_HEADER_BYTES_MAX, Names, Naming, whole_content};
use crate::format::keys::{self, ChunkId, SegmentId};
use crate::format::records::{ChunkRecord, PoolRecord, Record, malformed};
use crate::store::segment::{FileSegments, SegmentStore};
use crate::{Error, Result};

/// The number of chunks that one pass over the metadata remembers. Each takes about 60 bytes.
const CHUNKS_MAX: u64 = if cfg!(test) { 20 } else { 4 << 20 };

/// The chunk that a key is of; `None` for keys of other records.
fn chunk_of(key: &[u8]) -> Option<ChunkId> {
    if key.first() == Some(&keys::CHUNK) { keys::chunk_in(key) } else { None }
}

/// What the metadata needs of a segment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Need {
    /// Where the last frame ends.
    pub(crate) end: u64,
    pub(crate) chunks: u64,
    /// Bytes of the frames.
    pub(crate) bytes: u64,
}

/// What the metadata needs of each segment.
#[derive(Debug, Default)]
pub(crate) struct Needs(pub(crate) BTreeMap<SegmentId, Need>);

impl Needs {
    /// Counts a record, if it is of a chunk.
    pub(crate) fn count(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        if chunk_of(key).is_some() {
            let chunk = ChunkRecord::decode(key, value)?;
            let need = self.0.entry(chunk.segment).or_default();
            need.end = need.end.max(chunk.offset.saturating_add(u64::from(chunk.bytes_stored)));
            need.chunks += 1;
            need.bytes = need.bytes.saturating_add(u64::from(chunk.bytes_stored));
        }
        Ok(())
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.0.values().map(|need| need.bytes).fold(0, u64::saturating_add)
    }

    /// Segments in groups, none with more chunks than can be remembered, unless a single one has.
    fn groups(&self) -> Vec<Vec<SegmentId>> {
        let (mut groups, mut chunks) = (Vec::<Vec<SegmentId>>::new(), u64::MAX);
        for (id, need) in &self.0 {
            chunks = chunks.saturating_add(need.chunks);
            match groups.last_mut() {
                Some(group) if chunks <= CHUNKS_MAX => group.push(*id),
                _ => {
                    groups.push(vec![*id]);
                    chunks = need.chunks;
                }
            }
        }
        groups
    }
}

/// The frames that were read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Read {
    pub(crate) frames: u64,
    pub(crate) bytes: u64,
}

/// Reads the frame of each chunk that the metadata names in these segments, and calls `wrong` for those that are missing or damaged.
pub(crate) fn frames(
    metadata: &Path,
    segments: &dyn SegmentStore,
    needs: &Needs,
    watch: &BackupWatch,
    wrong: &mut dyn FnMut(ChunkId, &ChunkRecord) -> Result<()>,
) -> Result<Read> {
    let mut read = Read::default();
    for group in needs.groups() {
        let (names, chunks) = chunks_in(metadata, &group, watch)?;
        for (id, record) in chunks {
            watch.go_on()?;
            let length = record.bytes_stored as usize;
            let is_possible = length <= CHUNK_BYTES_MAX + FRAME_HEADER_BYTES_MAX;
            let frame =
                if is_possible { segments.read(record.segment, record.offset, length)? } else { None };
            if frame.is_none_or(|frame| whole_content(&frame, id, &names).is_err()) {
                wrong(id, &record)?;
            }
            read.frames += 1;
            read.bytes = read.bytes.saturating_add(u64::from(record.bytes_stored));
            watch.count(u64::from(record.bytes_stored));
        }
    }
    Ok(read)
}

/// The chunks that the metadata names in a group of segments, in the order of their places.
fn chunks_in(
    metadata: &Path,
    group: &[SegmentId],
    watch: &BackupWatch,
) -> Result<(Names, Vec<(ChunkId, ChunkRecord)>)> {
    let (mut names, mut chunks) = (None, Vec::new());
    stream::read(metadata, &mut |key, value| {
        if key == keys::pool() {
            let pool = PoolRecord::decode(key, &value)?;
            // The kind decides about new names only.
            names = Some(Names::new(&pool.name_key, Naming::Keyed));
        }
        if let Some(id) = chunk_of(key) {
            let record = ChunkRecord::decode(key, &value)?;
            if group.binary_search(&record.segment).is_ok() {
                chunks.push((id, record));
            }
            if chunks.len() % 4096 == 0 {
                watch.go_on()?;
            }
        }
        Ok(())
    })?;
    chunks.sort_unstable_by_key(|(_, record)| (record.segment, record.offset));
    let names = names.ok_or_else(|| malformed(PoolRecord::NAME, &keys::pool()))?;
    Ok((names, chunks))
}

/// Reads the metadata of a backup, and what it needs of segments.
pub(crate) fn needs_of(
    manifest: &Manifest,
    metadata: &Path,
    visit: &mut stream::Visit<'_>,
) -> Result<(Needs, Totals)> {
    let mut needs = Needs::default();
    let totals = stream::read(metadata, &mut |key, value| {
        needs.count(key, &value)?;
        visit(key, value)
    })?;
    if !manifest.has(&totals) {
        return Err(Error::Damaged(format!(
            "the metadata in {} is not that of backup {}",
            metadata.display(),
            manifest.name
        )));
    }
    Ok((needs, totals))
}

/// Verifies a backup; without a name, the newest.
pub(crate) fn verify(directory: &Path, name: Option<&str>, watch: &BackupWatch) -> Result<VerifyReport> {
    let repository = Repository::open_to_read(directory)?;
    let (manifest, _held) = repository.hold(name)?;
    let metadata = repository.metadata(&manifest.name);
    let (needs, _) = needs_of(&manifest, &metadata, &mut |_, _| watch.go_on())?;
    let segments = FileSegments::open_to_read(&repository.segments());
    report(&manifest, &metadata, &segments, &needs, watch)
}

/// Reads all frames that a backup needs from these segments.
pub(crate) fn report(
    manifest: &Manifest,
    metadata: &Path,
    segments: &dyn SegmentStore,
    needs: &Needs,
    watch: &BackupWatch,
) -> Result<VerifyReport> {
    watch.expect(needs.bytes());
    let (mut damage, mut damaged) = (Vec::new(), 0);
    let read = frames(metadata, segments, needs, watch, &mut |_, record| {
        damaged += 1;
        if damage.len() < VerifyReport::DESCRIBED_MAX {
            damage.push(format!("the chunk at {}: missing or damaged", record.place()));
        }
        Ok(())
    })?;
    let Read { frames, bytes } = read;
    Ok(VerifyReport {
        backup: manifest.described(),
        records: manifest.records(),
        frames,
        bytes,
        damage,
        damaged,
    })
}
