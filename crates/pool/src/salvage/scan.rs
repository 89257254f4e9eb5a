//! Reads every segment file once, and fills the catalog.

use super::catalog::Catalog;
use super::error::{Result, failed};
use super::frames::{Damage, Fault, Footer, footer, walk};
use super::progress::{Phase, Progress};
use super::sources::{SegmentFile, Sources};
use super::window::Window;

/// The result of the scan.
#[derive(Default)]
pub(super) struct Scanned {
    pub(super) catalog: Catalog,
    /// Damaged parts, by file number.
    pub(super) damage: Vec<(u32, Damage)>,
    /// The number of files that were not read, because a whole file has the same frames.
    pub(super) files_skipped: u64,
    pub(super) bytes_read: u64,
    /// Whether each file has a whole footer.
    footers: Vec<bool>,
}

/// Reads all segment files.
pub(super) fn scan(sources: &Sources, progress: &dyn Fn(Progress)) -> Result<Scanned> {
    let mut scanned = Scanned { footers: vec![false; sources.files.len()], ..Scanned::default() };
    let (mut bytes_done, bytes_total) = (0, sources.bytes());
    // The segment and footer of the last file that was whole.
    let mut whole: Option<(u32, Footer)> = None;
    for (place, file) in sources.files.iter().enumerate() {
        let number = u32::try_from(place).unwrap_or(u32::MAX);
        let mut window = Window::open(&file.path)
            .map_err(failed(&file.path, "read the segment (run as a user who may)"))?;
        let footer = footer(&mut window);
        if let Some(slot) = scanned.footers.get_mut(place) {
            *slot = footer.is_some();
        }
        let is_same = |footer: &Footer| {
            whole.as_ref().is_some_and(|(segment, whole)| {
                *segment == file.segment && (whole.start, &whole.frames) == (footer.start, &footer.frames)
            })
        };
        if footer.as_ref().is_some_and(is_same) {
            scanned.files_skipped += 1;
        } else {
            let tell = |at: u64| {
                progress(Progress { phase: Phase::Reading, bytes_done: bytes_done + at, bytes_total })
            };
            let is_whole = scanned.file(number, file, &mut window, footer.as_ref(), &tell)?;
            scanned.bytes_read += file.bytes;
            whole = footer.filter(|_| is_whole).map(|footer| (file.segment, footer)).or(whole);
        }
        bytes_done += file.bytes;
        progress(Progress { phase: Phase::Reading, bytes_done, bytes_total });
    }
    Ok(scanned)
}

impl Scanned {
    /// Reads one file. Returns whether it has no damage.
    fn file(
        &mut self,
        number: u32,
        file: &SegmentFile,
        window: &mut Window,
        footer: Option<&Footer>,
        tell: &dyn Fn(u64),
    ) -> Result<bool> {
        let mut outcome = Ok(());
        let catalog = &mut self.catalog;
        let damage = walk(window, footer, &mut |found, end| {
            if outcome.is_ok() {
                outcome = catalog.add(number, file, &found);
            }
            tell(end);
        });
        outcome?;
        let is_whole = damage.is_empty();
        self.damage.extend(damage.into_iter().map(|damage| (number, damage)));
        Ok(is_whole)
    }

    /// Whether all data of a damaged part was found elsewhere.
    pub(super) fn is_recovered(&self, sources: &Sources, number: u32, damage: &Damage) -> bool {
        if let Some(id) = damage.id {
            return self.catalog.has(id);
        }
        let overlaps =
            |other: &Damage| other.range.start < damage.range.end && damage.range.start < other.range.end;
        if damage.fault == Fault::Unreadable && self.footers.get(number as usize) == Some(&true) {
            // The footer lists all frames, so the damaged ones are known.
            let mut here = self.damage.iter().filter(|(file, other)| *file == number && overlaps(other));
            return here.all(|(_, other)| other.id.is_none_or(|id| self.catalog.has(id)));
        }
        let Some(own) = sources.files.get(number as usize) else { return false };
        sources.files.iter().enumerate().any(|(place, file)| {
            let is_other = place != number as usize && file.segment == own.segment;
            is_other
                && file.bytes >= damage.range.end
                && !self
                    .damage
                    .iter()
                    .any(|(known, other)| *known as usize == place && other.id.is_none() && overlaps(other))
        })
    }
}
