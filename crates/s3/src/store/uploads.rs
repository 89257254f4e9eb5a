//! Multipart uploads in progress, and their parts.

use std::fmt;

use bytes::Bytes;
use forebay_pool::{BucketChange, BucketEntry, Draft, EntryContent, Result, Seek};
use s3s::{S3Error, S3ErrorCode};

use super::entries::Entries;
use super::publish::now_ns;
use super::tables::{Decided, ENDED_UPLOADS, PARTS, UPLOADS};
use super::version::damaged;
use crate::facts::{PartFacts, UploadFacts};

/// The parts that one change removes.
const REMOVED_AT_ONCE: usize = 128;

/// The number of an upload. Of the uploads of a key, the one that began first has the largest number, so that it is listed
/// first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UploadNumber(pub u64);

impl UploadNumber {
    /// The number of an upload that begins now.
    fn now() -> UploadNumber {
        UploadNumber(u64::MAX - now_ns())
    }

    /// Parses an upload id.
    pub fn parse(id: &str) -> std::result::Result<UploadNumber, S3Error> {
        let is_id = id.len() == 16 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let number = if is_id { u64::from_str_radix(id, 16).ok() } else { None };
        number.map(UploadNumber).ok_or_else(no_such_upload)
    }

    fn bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }
}

/// The upload id that clients see.
impl fmt::Display for UploadNumber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

/// The key of a part's entry.
pub fn part_key(upload: UploadNumber, number: u32) -> [u8; 12] {
    let mut key = [0; 12];
    key[..8].copy_from_slice(&upload.bytes());
    key[8..].copy_from_slice(&number.to_be_bytes());
    key
}

/// Stages a new upload.
pub fn new_upload(change: &mut BucketChange<'_, '_>, key: &str, facts: &UploadFacts) -> Result<UploadNumber> {
    let encoded: Bytes = facts.encode().map_err(damaged)?.into();
    let mut number = UploadNumber::now();
    // Two uploads of a key may begin at the same instant.
    while change.get(UPLOADS, key.as_bytes(), number.0)?.is_some() {
        number = UploadNumber(number.0.saturating_sub(1));
    }
    change.put(UPLOADS, key.as_bytes(), number.0, encoded, EntryContent::None)?;
    Ok(number)
}

/// The facts of an upload in progress.
pub fn upload_of(entries: &impl Entries, key: &str, upload: UploadNumber) -> Decided<UploadFacts> {
    match entries.entry(UPLOADS, key.as_bytes(), upload.0)? {
        Some(entry) => Ok(Ok(UploadFacts::decode(&entry.facts).map_err(damaged)?)),
        None => Ok(Err(no_such_upload())),
    }
}

/// Stages a part of an upload that is still in progress. It replaces the part with the same number.
pub fn put_part(
    change: &mut BucketChange<'_, '_>,
    key: &str,
    (upload, number): (UploadNumber, u32),
    facts: &PartFacts,
    draft: Draft,
) -> Decided<()> {
    if change.get(UPLOADS, key.as_bytes(), upload.0)?.is_none() {
        return Ok(Err(no_such_upload()));
    }
    let facts = facts.encode().map_err(damaged)?;
    change.put(PARTS, &part_key(upload, number), 0, facts.into(), EntryContent::Draft(draft))?;
    Ok(Ok(()))
}

/// The parts of an upload whose numbers are greater than `after`, in order.
pub fn parts_after(
    entries: &impl Entries,
    upload: UploadNumber,
    after: u32,
    parts_max: usize,
) -> Result<Vec<(u32, PartFacts, BucketEntry)>> {
    let (prefix, from) = (upload.bytes(), part_key(upload, after));
    let found = entries.entries(PARTS, &prefix, &Seek::PastKey(&from), parts_max)?;
    found
        .into_iter()
        .map(|entry| {
            let number = entry.key.get(8..).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
            let number = number.map(u32::from_be_bytes).ok_or_else(|| {
                forebay_pool::Error::Damaged("the key of a part of an upload is malformed".into())
            })?;
            Ok((number, PartFacts::decode(&entry.facts).map_err(damaged)?, entry))
        })
        .collect()
}

/// Stages the end of an upload. From then on it is not there any more; its parts are removed step by step.
pub fn end_upload(change: &mut BucketChange<'_, '_>, key: &str, upload: UploadNumber) -> Decided<()> {
    if !change.remove(UPLOADS, key.as_bytes(), upload.0)? {
        return Ok(Err(no_such_upload()));
    }
    change.put(ENDED_UPLOADS, &upload.bytes(), 0, Bytes::new(), EntryContent::None)?;
    Ok(Ok(()))
}

/// Stages the removal of some parts of uploads that have ended. Returns whether there are more.
pub fn remove_ended_parts(change: &mut BucketChange<'_, '_>) -> Result<bool> {
    let Some(ended) = change.entries(ENDED_UPLOADS, &[], &Seek::Start, 1)?.into_iter().next() else {
        return Ok(false);
    };
    let parts = change.entries(PARTS, &ended.key, &Seek::Key(&ended.key), REMOVED_AT_ONCE)?;
    let is_last = parts.len() < REMOVED_AT_ONCE;
    for part in parts {
        change.remove(PARTS, &part.key, part.version)?;
    }
    if is_last {
        change.remove(ENDED_UPLOADS, &ended.key, 0)?;
    }
    Ok(true)
}

fn no_such_upload() -> S3Error {
    S3Error::with_message(
        S3ErrorCode::NoSuchUpload,
        "The specified multipart upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.",
    )
}
