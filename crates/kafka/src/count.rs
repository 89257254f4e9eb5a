//! Counts what extents of files store: in equal parts, alone, and shared among replicas.

use std::collections::HashMap;

use forebay_pool::{
    InodeId, Result, Sample, StoredChunk, Survey, SurveyedChunk, SurveyedExtent, SurveyedVolume,
};

/// Fractions of bytes are counted in units of 2 to the power of minus this.
pub(crate) const PART_BITS: u32 = 40;

/// The number of extents whose chunks are kept in memory at a time. Each takes some 100 bytes.
pub(crate) const EXTENTS_MAX: u64 = 1 << 20;

/// What a group of files stores.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group {
    /// The equal parts of chunks, in units of 2^-[`PART_BITS`], of the sample.
    pub parts: u128,
    /// Bytes in the metadata store.
    pub inline: u64,
    /// Of these, bytes that a deletion returns.
    pub inline_returned: u64,
    /// Bytes of frames to which nothing else refers, of the inner sample.
    pub alone: u64,
    /// Bytes of the inner sample's extents, and of those whose chunk another group has too.
    pub chunk_bytes: u64,
    pub shared_bytes: u64,
}

/// A chunk that was seen.
struct Seen {
    stored: StoredChunk,
    /// Extents seen so far that refer to it.
    references: u32,
    /// A bit for each group that refers to it.
    groups: u64,
    is_pinned: bool,
    /// Groups of an earlier set refer to it too.
    is_older: bool,
}

/// What is counted until all groups were seen.
pub(crate) struct Counter<'a> {
    survey: &'a Survey,
    /// The chunks whose parts are counted.
    sample: Sample,
    /// The chunks that are remembered. A part of the sample.
    inner: Sample,
    /// A part of all samples of a report.
    common: Sample,
    seen: HashMap<u64, Seen>,
    /// Chunk, group and length of each extent in the inner sample, if groups are compared.
    extents: Option<Vec<(u64, usize, u32)>>,
    groups: Vec<Group>,
    /// Bytes of frames in the inner sample that the deletion of everything counted so far returns, and would return without snapshots.
    pub returned: u64,
    pub held: u64,
    /// Parts of the common sample's chunks.
    pub common_parts: u128,
}

impl<'a> Counter<'a> {
    /// `inner` must be a part of `sample`, and `common` too.
    pub fn new(
        survey: &'a Survey,
        (sample, inner, common): (Sample, Sample, Sample),
        compares: bool,
    ) -> Counter<'a> {
        Counter {
            survey,
            sample,
            inner,
            common,
            seen: HashMap::new(),
            extents: compares.then(Vec::new),
            groups: Vec::new(),
            returned: 0,
            held: 0,
            common_parts: 0,
        }
    }

    /// Counts a file of a group.
    pub fn file(&mut self, volume: &SurveyedVolume, file: InodeId, group: usize) -> Result<()> {
        let survey = self.survey;
        survey.each_extent(volume, file, &mut |extent| self.extent(extent, group))
    }

    /// Counts an extent of a group.
    pub fn extent(&mut self, extent: SurveyedExtent, group: usize) -> Result<()> {
        if self.groups.len() <= group {
            self.groups.resize(group + 1, Group::default());
        }
        let bytes = u64::from(extent.bytes);
        let mut part = 0;
        if let Some(chunk) = extent.chunk {
            if !self.sample.has(chunk) {
                return Ok(());
            }
            let stored = self.chunk(chunk, group, extent.is_own, extent.is_pinned)?;
            if extent.is_own
                && let Some(stored) = stored
            {
                part = (u128::from(stored.bytes_stored) << PART_BITS) / u128::from(stored.references);
                self.common_parts += if self.common.has(chunk) { part } else { 0 };
            }
        }
        let is_inner = extent.chunk.filter(|chunk| self.inner.has(*chunk));
        if let (Some(chunk), Some(extents)) = (is_inner, &mut self.extents) {
            extents.push((chunk.mark(), group, extent.bytes));
        }
        let Some(sums) = self.groups.get_mut(group) else { return Ok(()) };
        sums.parts += part;
        if is_inner.is_some() {
            sums.chunk_bytes += bytes;
        }
        if extent.chunk.is_none() && extent.is_own {
            sums.inline += bytes;
            sums.inline_returned += if extent.is_pinned { 0 } else { bytes };
        }
        Ok(())
    }

    /// Notes an extent's reference to a chunk. Returns what is stored for the chunk.
    fn chunk(
        &mut self,
        chunk: SurveyedChunk,
        group: usize,
        is_own: bool,
        is_pinned: bool,
    ) -> Result<Option<StoredChunk>> {
        if !self.inner.has(chunk) {
            return self.survey.stored(chunk);
        }
        let mark = chunk.mark();
        if !self.seen.contains_key(&mark) {
            let Some(stored) = self.survey.stored(chunk)? else { return Ok(None) };
            self.seen
                .insert(mark, Seen { stored, references: 0, groups: 0, is_pinned: false, is_older: false });
        }
        let Some(seen) = self.seen.get_mut(&mark) else { return Ok(None) };
        seen.references = seen.references.saturating_add(u32::from(is_own));
        seen.groups |= 1 << (group % 64);
        seen.is_pinned |= is_pinned;
        Ok(Some(seen.stored))
    }

    /// Ends a set of groups, such as the replicas of a partition, and returns what they store. Chunks to which something that was not
    /// counted yet refers are kept, up to a limit; of those beyond it nothing is assumed to be returned.
    pub fn end(&mut self) -> Vec<Group> {
        let mut groups = std::mem::take(&mut self.groups);
        if let Some(extents) = &mut self.extents {
            for (mark, group, bytes) in extents.drain(..) {
                let others = |seen: &Seen| seen.groups & !(1 << (group % 64)) != 0;
                if self.seen.get(&mark).is_some_and(others)
                    && let Some(group) = groups.get_mut(group)
                {
                    group.shared_bytes += u64::from(bytes);
                }
            }
        }
        let (mut returned, mut held) = (0, 0);
        self.seen.retain(|_, seen| {
            if seen.references < seen.stored.references {
                (seen.groups, seen.is_older) = (0, true);
                return true;
            }
            let bytes = u64::from(seen.stored.bytes_stored);
            if seen.is_pinned {
                held += bytes;
                return false;
            }
            returned += bytes;
            let only = usize::try_from(seen.groups.trailing_zeros()).unwrap_or_default();
            if seen.groups.count_ones() == 1
                && !seen.is_older
                && let Some(group) = groups.get_mut(only)
            {
                group.alone += bytes;
            }
            false
        });
        self.returned += returned;
        self.held += held;
        if self.seen.len() as u64 > EXTENTS_MAX {
            self.seen.clear();
        }
        groups
    }
}
