//! What one backup consists of.
//!
//! A file of two lines: JSON, and "blake3:" with the BLAKE3-256 of the JSON in hexadecimal.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::stream::Totals;
use crate::format::keys::SegmentId;
use crate::{Backup, Error, PoolId, Result};

/// The version of manifests that is written, and the only one that is read.
const VERSION: u32 = 1;
const SUM_WORD: &str = "blake3:";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    version: u32,
    /// The name of the backup.
    pub(crate) name: String,
    /// Counts the backups of a directory. Times may jump.
    pub(crate) number: u64,
    pub(crate) pool: String,
    /// The release that made it.
    pub(crate) release: String,
    /// The format of the pool.
    pub(crate) format: u32,
    /// The start of the pool in which it was made, and the start's mark.
    pub(crate) start: u64,
    pub(crate) mark: u32,
    /// The last batch of metadata that it has.
    pub(crate) batch: u64,
    /// The instant that it shows, and when it was finished, in seconds since 1970.
    taken: u64,
    finished: u64,
    pub(crate) volumes: Vec<String>,
    /// The number of metadata records, and the BLAKE3-256 of them in hexadecimal.
    records: u64,
    hash: String,
    /// The segments that it needs, and how many bytes of each.
    segments: Vec<(String, u64)>,
    /// Those of them in which the frames below are.
    damaged_segments: Vec<String>,
    /// Frames that were damaged in the pool, too.
    pub(crate) damaged: u64,
    /// Bytes that were copied for it.
    pub(crate) bytes_copied: u64,
}

/// What a manifest is made of.
pub(crate) struct Taken {
    pub(crate) name: String,
    pub(crate) number: u64,
    pub(crate) pool: PoolId,
    pub(crate) format: u32,
    pub(crate) start: u64,
    pub(crate) mark: u32,
    pub(crate) batch: u64,
    pub(crate) taken: SystemTime,
    pub(crate) finished: SystemTime,
    pub(crate) volumes: Vec<String>,
    pub(crate) totals: Totals,
    pub(crate) segments: Vec<(SegmentId, u64)>,
    pub(crate) damaged_segments: BTreeSet<SegmentId>,
    pub(crate) damaged: u64,
    pub(crate) bytes_copied: u64,
}

impl Manifest {
    pub(crate) fn new(taken: Taken) -> Manifest {
        Manifest {
            version: VERSION,
            name: taken.name,
            number: taken.number,
            pool: taken.pool.to_string(),
            release: env!("CARGO_PKG_VERSION").to_owned(),
            format: taken.format,
            start: taken.start,
            mark: taken.mark,
            batch: taken.batch,
            taken: seconds(taken.taken),
            finished: seconds(taken.finished),
            volumes: taken.volumes,
            records: taken.totals.records,
            hash: hex(&taken.totals.hash),
            segments: taken.segments.into_iter().map(|(id, bytes)| (id.to_string(), bytes)).collect(),
            damaged_segments: taken.damaged_segments.iter().map(ToString::to_string).collect(),
            damaged: taken.damaged,
            bytes_copied: taken.bytes_copied,
        }
    }

    /// The text of the file.
    pub(crate) fn text(&self) -> Result<String> {
        let json = serde_json::to_string(self);
        let json = json.map_err(|error| Error::Damaged(format!("a backup cannot be described: {error}")))?;
        let sum = blake3::hash(json.as_bytes()).to_hex();
        Ok(format!("{json}\n{SUM_WORD}{sum}\n"))
    }

    /// Reads the text of the file at `path`.
    pub(crate) fn parse(path: &Path, text: &str) -> Result<Manifest> {
        let damaged = |cause: String| {
            Error::Damaged(format!("the backup that {} describes cannot be used: {cause}", path.display()))
        };
        let (json, sum) = text
            .strip_suffix('\n')
            .and_then(|text| text.split_once('\n'))
            .and_then(|(json, sum)| Some((json, sum.strip_prefix(SUM_WORD)?)))
            .ok_or_else(|| damaged("the file is cut short".to_owned()))?;
        if *sum != *blake3::hash(json.as_bytes()).to_hex() {
            return Err(damaged("the file does not match its checksum".to_owned()));
        }
        let manifest: Manifest = serde_json::from_str(json).map_err(|error| damaged(error.to_string()))?;
        if manifest.version != VERSION {
            let (found, known) = (manifest.version, VERSION);
            return Err(damaged(format!(
                "it has version {found}, and this release reads {known}; use the release that made it ({})",
                manifest.release
            )));
        }
        Ok(manifest)
    }

    /// The segments that it needs, and how many bytes of each.
    pub(crate) fn segments(&self) -> Result<Vec<(SegmentId, u64)>> {
        let parsed = self.segments.iter().map(|(id, bytes)| {
            let id = u64::from_str_radix(id, 16).map_err(|_| {
                Error::Damaged(format!("backup {} names a segment that cannot be: {id}", self.name))
            })?;
            Ok((SegmentId(id), *bytes))
        });
        parsed.collect()
    }

    /// The segments that were read back whole, and how many bytes of each.
    pub(crate) fn verified(&self) -> Result<Vec<(SegmentId, u64)>> {
        let is_whole = |id: &SegmentId| !self.damaged_segments.contains(&id.to_string());
        Ok(self.segments()?.into_iter().filter(|(id, _)| is_whole(id)).collect())
    }

    /// Whether these are the records that were written.
    pub(crate) fn has(&self, totals: &Totals) -> bool {
        totals.records == self.records && hex(&totals.hash) == self.hash
    }

    /// The number of metadata records.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// The bytes of all segments that it needs.
    pub(crate) fn bytes(&self) -> u64 {
        self.segments.iter().map(|(_, bytes)| *bytes).fold(0, u64::saturating_add)
    }

    pub(crate) fn described(&self) -> Backup {
        Backup {
            name: self.name.clone(),
            pool: self.pool.clone(),
            release: self.release.clone(),
            taken: time(self.taken),
            finished: time(self.finished),
            volumes: self.volumes.clone(),
            bytes: self.bytes(),
            bytes_copied: self.bytes_copied,
            damaged: self.damaged,
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn time(seconds: u64) -> SystemTime {
    // Times that a file claims may be impossible.
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds.min(253_402_300_799))).unwrap_or(UNIX_EPOCH)
}
