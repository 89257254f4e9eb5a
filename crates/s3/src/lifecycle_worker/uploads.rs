//! Aborting uploads: those that a rule is about, and those that were abandoned.

use bytes::Bytes;
use forebay_pool::{BucketChange, Result, Seek};

use super::{Done, PAGE_ENTRIES, PAUSE};
use crate::clock::DAY_MS;
use crate::configuration::lifecycle::Lifecycle;
use crate::facts::UploadFacts;
use crate::shared::Shared;
use crate::store::{Entries, Setting, Stored, UPLOADS, UploadNumber, end_upload, parts_after, upload_of};

/// An upload is abandoned if it was initiated this long ago and no part was stored since. Its parts take space that nobody sees
/// in a listing of objects, so it is aborted whatever the bucket's rules are.
const ABANDONED_AFTER_MS: u64 = 7 * DAY_MS;
/// Uploads that one change aborts.
const ABORTED_AT_ONCE: usize = 64;
/// Parts that are read at once.
const PAGE_PARTS: usize = 1000;

/// An upload that seems due.
struct Candidate {
    key: String,
    upload: UploadNumber,
    is_abandoned: bool,
}

/// Aborts the uploads of a bucket that are due.
pub(super) async fn pass(
    shared: &Shared,
    stored: &Stored,
    lifecycle: Option<&Lifecycle>,
    now_ms: u64,
) -> Result<Done> {
    let mut done = Done::default();
    let mut last: Option<(Bytes, u64)> = None;
    loop {
        let from = last.as_ref().map_or(Seek::Start, |(key, number)| Seek::PastVersion(key, *number));
        let page = stored.entries(UPLOADS, &[], &from, PAGE_ENTRIES)?;
        let is_last = page.len() < PAGE_ENTRIES;
        last = page.last().map(|entry| (entry.key.clone(), entry.version));
        let mut due = Vec::new();
        for entry in page {
            let Ok(key) = String::from_utf8(entry.key.into()) else { continue };
            let upload = UploadNumber(entry.version);
            // It may have ended meanwhile.
            let Ok(facts) = upload_of(stored, &key, upload)? else { continue };
            let is_abandoned = is_abandoned(stored, upload, &facts, now_ms)?;
            if is_abandoned || is_due(lifecycle, &key, &facts, now_ms) {
                due.push(Candidate { key, upload, is_abandoned });
            }
        }
        while !due.is_empty() {
            let some = due.split_off(due.len().saturating_sub(ABORTED_AT_ONCE));
            let change = move |change: &mut BucketChange<'_, '_>| abort(change, &some, now_ms);
            done.uploads_aborted += stored.pool.bucket_change(stored.bucket, change).await?;
            shared.ended_uploads.notify_one();
            tokio::time::sleep(PAUSE).await;
        }
        if is_last {
            return Ok(done);
        }
        tokio::task::yield_now().await;
    }
}

/// Stages the end of uploads that are still due. Returns their number. That no part came meanwhile is not asked again: there may
/// be thousands, and an upload that slept for a week loses little.
fn abort(change: &mut BucketChange<'_, '_>, candidates: &[Candidate], now_ms: u64) -> Result<u64> {
    let lifecycle: Option<Lifecycle> = Setting::Lifecycle.get(change)?;
    let mut aborted = 0;
    for candidate in candidates {
        let Ok(facts) = upload_of(change, &candidate.key, candidate.upload)? else { continue };
        let is_due = candidate.is_abandoned || is_due(lifecycle.as_ref(), &candidate.key, &facts, now_ms);
        if is_due && end_upload(change, &candidate.key, candidate.upload)?.is_ok() {
            aborted += 1;
        }
    }
    Ok(aborted)
}

fn is_due(lifecycle: Option<&Lifecycle>, key: &str, facts: &UploadFacts, now_ms: u64) -> bool {
    lifecycle.is_some_and(|lifecycle| lifecycle.upload_due(key, facts.initiated_ms, now_ms).is_some())
}

fn is_abandoned(
    entries: &impl Entries,
    upload: UploadNumber,
    facts: &UploadFacts,
    now_ms: u64,
) -> Result<bool> {
    let is_old = |ms: u64| ms.saturating_add(ABANDONED_AFTER_MS) <= now_ms;
    if !is_old(facts.initiated_ms) {
        return Ok(false);
    }
    let mut after = 0;
    loop {
        let page = parts_after(entries, upload, after, PAGE_PARTS)?;
        if page.iter().any(|(_, part, _)| !is_old(part.modified_ms)) {
            return Ok(false);
        }
        match page.last() {
            Some((number, ..)) if page.len() == PAGE_PARTS => after = *number,
            _ => return Ok(true),
        }
    }
}
