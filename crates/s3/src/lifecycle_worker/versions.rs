//! Expiring objects, and removing versions and delete markers.

use std::collections::VecDeque;

use bytes::Bytes;
use forebay_pool::{BucketChange, BucketEntry, Result, Seek};

use super::{Done, PAGE_ENTRIES, PAUSE};
use crate::conditions::DeleteConditions;
use crate::configuration::lifecycle::{self, Action, Due, Lifecycle, Place};
use crate::store::{BucketFacts, Entries, OBJECTS, Removal, Setting, Stored, Version, remove};

/// The versions of a key that a change looks at to find the place of one: more than any rule keeps, and the current one.
const VERSIONS_SCANNED_MAX: usize = 102;
/// The entries that one change looks at to find places.
const SCANNED_AT_ONCE: usize = 256;
/// The versions that one change removes.
const REMOVED_AT_ONCE: usize = 32;

/// A version that seemed due when the bucket was scanned.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) key: String,
    pub(super) number: u64,
    /// How many versions of the key were newer.
    pub(super) newer_count: usize,
    /// The next newer version.
    pub(super) newer: Option<u64>,
}

/// Goes through all versions of a bucket, and removes what is due.
pub(super) async fn pass(stored: &Stored, lifecycle: &Lifecycle, now_ms: u64) -> Result<Done> {
    let mut done = Done::default();
    let mut walk = Walk { stored, page: VecDeque::new(), last: None, is_last_page: false };
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut newer: Option<(Bytes, Version, usize)> = None;
    while let Some(entry) = walk.next().await? {
        let key = entry.key.clone();
        let version = Version::of(entry)?;
        let newer_of_key = newer.as_ref().filter(|(newer_key, ..)| *newer_key == key);
        let newer_count = newer_of_key.map_or(0, |(.., count)| count + 1);
        let place = match newer_of_key {
            None => Place::Current { is_only_version: walk.peek_key()?.is_none_or(|next| *next != key) },
            Some((_, newer, count)) => noncurrent(newer, *count),
        };
        if let Ok(text) = std::str::from_utf8(&key)
            && due(lifecycle, text, &version, place, now_ms).is_some()
        {
            candidates.push(Candidate {
                key: text.to_owned(),
                number: version.number,
                newer_count,
                newer: newer_of_key.map(|(_, newer, _)| newer.number),
            });
        }
        newer = Some((key, version, newer_count));
        let scanned: usize = candidates.iter().map(Candidate::scanned).sum();
        if candidates.len() >= REMOVED_AT_ONCE || scanned >= SCANNED_AT_ONCE {
            done.add(carry_out(stored, std::mem::take(&mut candidates), now_ms).await?);
        }
    }
    if !candidates.is_empty() {
        done.add(carry_out(stored, candidates, now_ms).await?);
    }
    Ok(done)
}

async fn carry_out(stored: &Stored, candidates: Vec<Candidate>, now_ms: u64) -> Result<Done> {
    let change = move |change: &mut BucketChange<'_, '_>| remove_due(change, &candidates, now_ms);
    let done = stored.pool.bucket_change(stored.bucket, change).await?;
    tokio::time::sleep(PAUSE).await;
    Ok(done)
}

/// Stages what is still due. The oldest versions of a key go first, so that the places of the others stay the same.
pub(super) fn remove_due(
    change: &mut BucketChange<'_, '_>,
    candidates: &[Candidate],
    now_ms: u64,
) -> Result<Done> {
    let mut done = Done::default();
    let Some(lifecycle) = Setting::Lifecycle.get::<Lifecycle>(change)? else { return Ok(done) };
    let owner = Setting::Facts.get::<BucketFacts>(change)?.map(|facts| facts.owner).unwrap_or_default();
    for candidate in candidates.iter().rev() {
        let Some((version, place)) = candidate.locate(change)? else { continue };
        let Some(due) = due(&lifecycle, &candidate.key, &version, place, now_ms) else { continue };
        let (id, count) = match due.action {
            Action::Expire => (None, &mut done.objects_expired),
            Action::RemoveVersion => (Some(version.id()), &mut done.versions_removed),
        };
        let removal = Removal {
            key: candidate.key.clone(),
            id,
            conditions: DeleteConditions::default(),
            bypass: false,
            caller: owner.clone(),
            now_ms,
        };
        if remove(change, removal)?.is_ok() {
            *count += 1;
        }
    }
    Ok(done)
}

/// What is due for a version, unless object lock forbids it.
fn due<'a>(
    lifecycle: &'a Lifecycle,
    key: &str,
    version: &Version,
    place: Place,
    now_ms: u64,
) -> Option<Due<'a>> {
    let facts = &version.facts;
    let seen = lifecycle::Version {
        key,
        tags: &facts.tags,
        size: facts.size,
        modified_ms: facts.modified_ms,
        is_delete_marker: facts.delete_marker,
        place,
    };
    let is_removable =
        |due: &Due<'_>| due.action == Action::Expire || facts.lock.permits_removal(now_ms, false);
    lifecycle.due(&seen, now_ms).filter(is_removable)
}

/// The place of a version whose next newer version has `newer_count` versions before it, the current one included.
fn noncurrent(newer: &Version, newer_count: usize) -> Place {
    Place::Noncurrent {
        since_ms: newer.facts.modified_ms,
        newer_noncurrent: u32::try_from(newer_count).unwrap_or(u32::MAX),
    }
}

impl Candidate {
    /// How many versions of the key a change looks at.
    fn scanned(&self) -> usize {
        self.newer_count.saturating_add(2).min(VERSIONS_SCANNED_MAX)
    }

    /// Finds the version and its place now. Returns `None` if it is gone, or its place cannot be told.
    fn locate(&self, entries: &impl Entries) -> Result<Option<(Version, Place)>> {
        let key = self.key.as_bytes();
        let found = entries.entries(OBJECTS, key, &Seek::Key(key), self.scanned())?;
        let is_cut_off = found.len() == self.scanned();
        let mut newer: Option<Version> = None;
        let mut count = 0;
        for entry in found.into_iter().take_while(|entry| entry.key == key) {
            let version = Version::of(entry)?;
            if version.number == self.number {
                let place = match &newer {
                    None => {
                        let next = entries.entries(OBJECTS, key, &Seek::PastVersion(key, self.number), 1)?;
                        Place::Current { is_only_version: next.iter().all(|next| next.key != key) }
                    }
                    Some(newer) => noncurrent(newer, count - 1),
                };
                return Ok(Some((version, place)));
            }
            newer = Some(version);
            count += 1;
        }
        // It may be behind the versions that were looked at. Then at least these are newer, which is enough for any rule.
        let (Some(newer), true) = (self.newer, is_cut_off) else { return Ok(None) };
        let version = entries.entry(OBJECTS, key, self.number)?;
        let newer = entries.entry(OBJECTS, key, newer)?;
        let (Some(version), Some(newer)) = (version, newer) else { return Ok(None) };
        Ok(Some((Version::of(version)?, noncurrent(&Version::of(newer)?, count.saturating_sub(1)))))
    }
}

/// Reads all versions of a bucket, page by page.
struct Walk<'a> {
    stored: &'a Stored,
    page: VecDeque<BucketEntry>,
    last: Option<(Bytes, u64)>,
    is_last_page: bool,
}

impl Walk<'_> {
    async fn next(&mut self) -> Result<Option<BucketEntry>> {
        if self.page.is_empty() {
            tokio::task::yield_now().await;
        }
        self.fill()?;
        Ok(self.page.pop_front())
    }

    /// The key of the next entry.
    fn peek_key(&mut self) -> Result<Option<&Bytes>> {
        self.fill()?;
        Ok(self.page.front().map(|entry| &entry.key))
    }

    fn fill(&mut self) -> Result<()> {
        if !self.page.is_empty() || self.is_last_page {
            return Ok(());
        }
        let from = self.last.as_ref().map_or(Seek::Start, |(key, number)| Seek::PastVersion(key, *number));
        let page = self.stored.entries(OBJECTS, &[], &from, PAGE_ENTRIES)?;
        self.is_last_page = page.len() < PAGE_ENTRIES;
        self.last = page.last().map(|entry| (entry.key.clone(), entry.version));
        self.page = page.into();
        Ok(())
    }
}
