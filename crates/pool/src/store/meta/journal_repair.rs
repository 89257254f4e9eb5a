//! Examines fjall's journals before fjall opens them: tells a torn end from damage, and cuts off only a torn end.
//!
//! Journal pages that were written but not synced reach the disk in any order. If power fails then, a batch can be on disk with
//! a hole of zeros in its middle, and later batches whole. Nothing after the last sync was ever acknowledged, so the correct
//! answer is to end the journal before the first batch that is not whole. fjall does so for some forms of this, and refuses to
//! open for others. But it would also do so for damage in the middle of what was synced, and so lose acknowledged batches.
//! Therefore this module decides.
//!
//! Each batch carries a [`Mark`]: its number, and the number up to which batches were durable when it was written. A whole
//! batch after a broken one thereby shows whether the broken one had been synced. If it had, the journal is damaged: nothing is
//! changed, and the pool does not open. Otherwise the end is torn: it is saved to a file of its own and cut off. Journals other
//! than the newest were synced before the next one was started, so they have no torn end. One case cannot be told apart: damage
//! in the very last group before a power loss, with nothing written after it. A pool that was closed in order ends in a batch
//! that vouches for the last group too.
//!
//! The format of a journal (fjall 3.1, numbers little-endian). A journal ends where the next byte is not a start marker, and is
//! filled up with zeros:
//! ```text
//! start: 01 items:4 sequence:8
//! item:  02 type:1 compression:1 keyspace:8 key length:2 value length:4 stored length:4 key value
//! clear: 04 keyspace:8
//! end:   03 checksum:8 "FJL" 03       the checksum is XXH3-64 of all items
//! ```

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use rustix::fs::{Advice, fadvise};

use super::Batch;
use crate::format::codec::{Decoded, Decoder, Encoder, Malformed};
use crate::format::keys::Key;
use crate::{Error, Mismatch, Permit, Result};

const TAG_START: u8 = 1;
const TAG_ITEM: u8 = 2;
const TAG_END: u8 = 3;
const TAG_CLEAR: u8 = 4;
const TYPE_VALUE: u8 = 0;
const TYPE_DELETION: u8 = 1;
const MAGIC: &[u8] = b"FJL\x03";

/// The key under which each batch stores its mark. It sorts before all of the pool's own.
pub(super) const MARK_KEY: [u8; 1] = [0];

/// How far the journal was synced when a batch was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// Number of the batch, counted over the whole life of the store without gaps.
    pub(super) batch: u64,
    /// All batches up to this number were durable.
    pub(super) durable: u64,
}

impl Mark {
    pub(super) fn encode(self) -> Vec<u8> {
        Encoder::with_capacity(16).u64(self.batch).u64(self.durable).done()
    }

    pub(super) fn decode(value: &[u8]) -> Decoded<Mark> {
        let mut decoder = Decoder::new(value);
        let mark = Mark { batch: decoder.u64()?, durable: decoder.u64()? };
        decoder.finish()?;
        Ok(mark)
    }
}

/// A key, and its value or `None` if it is deleted.
type Change = (Key, Option<Bytes>);
/// The same in a journal.
type Item<'a> = (&'a [u8], Option<&'a [u8]>);

/// A whole batch.
struct Whole {
    bytes: usize,
    /// The sequence number that fjall assigns. It ascends, and the checksum does not cover it.
    sequence: u64,
    mark: Option<Mark>,
}

/// What the tables and journals hold together.
#[derive(Debug)]
pub(super) struct Survey {
    /// Number of the last batch. All earlier batches exist.
    pub(super) last: u64,
    torn: Vec<Torn>,
}

/// The end of a journal that was never acknowledged, or that recovery gives up.
#[derive(Debug)]
struct Torn {
    path: PathBuf,
    /// Bytes of the whole batches before it.
    whole: usize,
    rest: Vec<u8>,
}

/// Reads the journals in `directory`, and changes nothing. The tables hold all batches up to `in_tables`. Returns an error if a
/// journal is damaged, if a batch is missing between others, or if there is no journal. With `accept`, everything after the
/// damage or the missing batch is treated as torn.
///
/// After a power failure the tables may be ahead of the journals, and later batches then follow in the same journal. So batches
/// that the tables hold need not be consecutive in the journals.
pub(super) fn survey(directory: &Path, in_tables: u64, accept: bool) -> Result<Survey> {
    let journals = journals(directory)?;
    let Some(newest) = journals.last().cloned() else {
        let part = directory.join("0.jnl");
        return Err(Error::refused(Mismatch::MetadataPart {
            part,
            state: "missing, and so is every other journal",
        }));
    };
    let mut survey = Survey { last: in_tables, torn: Vec::new() };
    for path in journals {
        let journal = read_from_disk(&path)?;
        if !survey.torn.is_empty() {
            // This journal follows one whose end is given up.
            survey.torn.push(Torn { path, whole: 0, rest: journal });
            continue;
        }
        let prefix = whole_prefix(&journal, survey.last);
        survey.last = prefix.last_number;
        let rest = journal.get(prefix.bytes..).unwrap_or_default();
        if rest.iter().all(|byte| *byte == 0) {
            continue;
        }
        let is_torn = prefix.gap.is_none() && path == newest && !was_synced(rest, prefix.last);
        if !is_torn && !accept {
            let journal = Mismatch::Journal { journal: path, offset: prefix.bytes as u64 };
            return Err(Error::refused(prefix.gap.unwrap_or(journal)));
        }
        survey.torn.push(Torn { path, whole: prefix.bytes, rest: rest.to_vec() });
    }
    Ok(survey)
}

impl Survey {
    /// Cuts off the torn ends, if any, and keeps them in separate files. Asks before each of these: the next owner of the pool writes to
    /// the same journals, and a cut would take what it wrote.
    pub(super) fn repair(self, permit: &Permit) -> Result<()> {
        // The last journal first: if an earlier one were cut first and this were interrupted, there would be a gap.
        for Torn { path, whole, rest } in self.torn.into_iter().rev() {
            permit.confirm()?;
            keep_aside(&path, whole, &rest)?;
            permit.confirm()?;
            cut(&path, whole)?;
            tracing::warn!(path = %path.display(), bytes_kept = whole, "cut the torn end off the metadata journal");
        }
        Ok(())
    }
}

/// Reads the file from the disk. After a failed sync, the kernel keeps pages that never reached the disk and treats them as
/// written: a journal read from those pages would look whole until power fails.
fn read_from_disk(path: &Path) -> Result<Vec<u8>> {
    let mut file = File::open(path).map_err(failed(path, "open the metadata journal"))?;
    // Pages that a killed daemon has written are still good, and only clean pages are dropped from the cache.
    file.sync_all().map_err(failed(path, "sync the metadata journal"))?;
    fadvise(&file, 0, None, Advice::DontNeed)
        .map_err(|error| failed(path, "forget what is cached of the metadata journal")(error.into()))?;
    let mut journal = Vec::new();
    file.read_to_end(&mut journal).map_err(failed(path, "read the metadata journal"))?;
    Ok(journal)
}

fn failed(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, action, source }
}

/// All journals, oldest first.
fn journals(directory: &Path) -> Result<Vec<PathBuf>> {
    let action = "list the metadata journals";
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(directory, action)(error)),
    };
    let mut journals: Vec<(u64, PathBuf)> = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed(directory, action))?.path();
        let number =
            path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".jnl"));
        let Some(number) = number.and_then(|number| number.parse().ok()) else { continue };
        journals.push((number, path));
    }
    journals.sort();
    Ok(journals.into_iter().map(|(_, path)| path).collect())
}

/// The start of a journal that consists of whole batches without a gap.
struct Prefix {
    bytes: usize,
    last: Option<Mark>,
    /// Number of the last batch, in the tables or in the journals so far.
    last_number: u64,
    /// The batches that are missing after the prefix.
    gap: Option<Mismatch>,
}

/// `known`: all batches up to this number exist.
fn whole_prefix(journal: &[u8], known: u64) -> Prefix {
    let mut prefix = Prefix { bytes: 0, last: None, last_number: known, gap: None };
    let mut sequence = None;
    while let Some(batch) = journal.get(prefix.bytes..).and_then(|rest| whole_batch(rest).ok()) {
        if sequence >= Some(batch.sequence) {
            break;
        }
        if let Some(mark) = batch.mark {
            let next = prefix.last_number.saturating_add(1);
            if mark.batch > next {
                prefix.gap = Some(Mismatch::Gap { from: next, to: mark.batch.saturating_sub(1) });
                break;
            }
            prefix.last_number = prefix.last_number.max(mark.batch);
            prefix.last = Some(mark);
        }
        prefix.bytes += batch.bytes;
        sequence = Some(batch.sequence);
    }
    prefix
}

/// Whether the broken batch at the start of `rest` had been made durable. `before` is the mark of the last batch before it.
fn was_synced(rest: &[u8], before: Option<Mark>) -> bool {
    let mut broken = before.map(|mark| mark.batch.saturating_add(1));
    let mut at = 1;
    while let Some(found) = rest.get(at..).and_then(next_start) {
        at += found;
        match rest.get(at..).map(whole_batch) {
            Some(Ok(batch)) => {
                at += batch.bytes;
                let Some(mark) = batch.mark else { continue };
                // Without a batch before it, the number is at most that of the batch before the next whole one.
                let broken = *broken.get_or_insert(mark.batch.saturating_sub(1));
                if mark.durable >= broken {
                    return true;
                }
            }
            _ => at += 1,
        }
    }
    false
}

fn next_start(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == TAG_START)
}

/// Saves what is cut off in a file beside the journal, under an unused name.
fn keep_aside(path: &Path, offset: usize, rest: &[u8]) -> Result<()> {
    let used = rest.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let kept = rest.get(..used).unwrap_or_default();
    for number in 0..u32::MAX {
        let aside = path.with_extension(format!("jnl.{offset}-{number}.torn"));
        let mut file = match File::create_new(&aside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            other => other.map_err(failed(&aside, "keep the torn end of the metadata journal"))?,
        };
        let written = file.write_all(kept).and_then(|()| file.sync_all());
        let synced = written.and_then(|()| match aside.parent() {
            Some(directory) => File::open(directory)?.sync_all(),
            None => Ok(()),
        });
        return synced.map_err(failed(&aside, "keep the torn end of the metadata journal"));
    }
    Ok(())
}

fn cut(path: &Path, bytes: usize) -> Result<()> {
    let file =
        OpenOptions::new().write(true).open(path).map_err(failed(path, "open the metadata journal"))?;
    file.set_len(bytes as u64).map_err(failed(path, "cut the metadata journal"))?;
    file.sync_all().map_err(failed(path, "sync the metadata journal"))
}

/// Decodes the batch at the start of `bytes`, if it is whole.
fn whole_batch(bytes: &[u8]) -> Decoded<Whole> {
    let mut decoder = Decoder::new(bytes);
    if decoder.u8()? != TAG_START {
        return Err(Malformed);
    }
    let items = decoder.u32()?;
    let sequence = decoder.u64()?;
    let items_at = bytes.len() - decoder.remaining();
    let mut mark = None;
    for _ in 0..items {
        let change = read_item(&mut decoder)?;
        let of_mark = change.filter(|(key, _)| *key == MARK_KEY).and_then(|(_, value)| value);
        mark = of_mark.and_then(|value| Mark::decode(value).ok()).or(mark);
    }
    let items_end = bytes.len() - decoder.remaining();
    if decoder.u8()? != TAG_END {
        return Err(Malformed);
    }
    let checksum = decoder.u64()?;
    let magic = decoder.bytes(MAGIC.len())?;
    let content = bytes.get(items_at..items_end).ok_or(Malformed)?;
    if magic != MAGIC || xxhash_rust::xxh3::xxh3_64(content) != checksum {
        return Err(Malformed);
    }
    Ok(Whole { bytes: bytes.len() - decoder.remaining(), sequence, mark })
}

/// Reads an item: a key, and its value or `None` if it is deleted. Returns `None` for any other item.
fn read_item<'a>(decoder: &mut Decoder<'a>) -> Decoded<Option<Item<'a>>> {
    match decoder.u8()? {
        TAG_CLEAR => {
            decoder.u64()?;
            Ok(None)
        }
        TAG_ITEM => {
            let kind = decoder.u8()?;
            decoder.bytes(1 + 8)?;
            let key_bytes = usize::from(decoder.u16()?);
            decoder.u32()?;
            let value_bytes = usize::try_from(decoder.u32()?).map_err(|_| Malformed)?;
            let key = decoder.bytes(key_bytes)?;
            let value = decoder.bytes(value_bytes)?;
            Ok(match kind {
                TYPE_VALUE => Some((key, Some(value))),
                TYPE_DELETION => Some((key, None)),
                _ => None,
            })
        }
        _ => Err(Malformed),
    }
}

/// The batches after this number, in order, if the journals in `directory` have all of them. `None` if one is missing, or if they are
/// longer than `bytes_max`. Must follow a repair, before anything is written.
pub(super) fn batches_after(directory: &Path, number: u64, bytes_max: usize) -> Result<Option<Vec<Batch>>> {
    let (mut batches, mut next, mut length) = (Vec::new(), number.saturating_add(1), 0);
    for path in journals(directory)? {
        let journal = read_from_disk(&path)?;
        let mut at = 0;
        while let Some(rest) = journal.get(at..)
            && let Ok(whole) = whole_batch(rest)
        {
            let of_batch = rest.get(..whole.bytes).unwrap_or_default();
            at += whole.bytes;
            let Some(mark) = whole.mark.filter(|mark| mark.batch >= next) else { continue };
            length += whole.bytes;
            if mark.batch > next || length > bytes_max {
                return Ok(None);
            }
            let Ok(changes) = changes_of(of_batch) else { return Ok(None) };
            batches.push(Batch { changes });
            next = next.saturating_add(1);
        }
    }
    Ok(Some(batches))
}

/// The changes of a whole batch, without its mark.
fn changes_of(batch: &[u8]) -> Decoded<Vec<Change>> {
    let mut decoder = Decoder::new(batch);
    decoder.u8()?;
    let items = decoder.u32()?;
    decoder.u64()?;
    let mut changes = Vec::new();
    for _ in 0..items {
        let (key, value) = read_item(&mut decoder)?.ok_or(Malformed)?;
        if key != MARK_KEY {
            changes.push((key.to_vec(), value.map(Bytes::copy_from_slice)));
        }
    }
    Ok(changes)
}
