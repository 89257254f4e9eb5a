//! Looks at fjall's journals before fjall does: tells a torn end from damage, and cuts off only the former.
//!
//! The pages of a journal that were written but not synced reach the disk in any order. If power fails then, a
//! batch can be there with a hole of zeros in its middle, and later ones whole. Nothing after the last sync was
//! ever acknowledged, so the right answer is to end the journal before the first batch that is not whole. fjall
//! would do so for some of the forms this takes, and refuse to open for others; and it would do it to damage in
//! the middle of what was synced as well, and so lose what was acknowledged. So it is decided here.
//!
//! Each batch carries a [`Mark`]: its number, and up to which number batches were durable when it was written.
//! A batch that is whole, behind one that is not, thereby tells whether the broken one had been synced. If it had, that
//! is damage: nothing is changed, and the pool does not open. Else the end is torn: it is kept in a file of its
//! own, and cut off. Journals other than the newest were synced before the next was begun, so in those nothing is torn.
//! The one case that cannot be told apart is damage in the very last group before a power loss, behind which nothing
//! was written; a pool that was closed in order ends in a batch that vouches for that group too.
//!
//! The form of a journal (fjall 3.1, numbers little-endian), which ends where it does not go on with a start, and
//! is filled up with zeros:
//! ```text
//! start: 01 items:4 sequence:8
//! item:  02 type:1 compression:1 keyspace:8 key length:2 value length:4 stored length:4 key value
//! clear: 04 keyspace:8
//! end:   03 checksum:8 "FJL" 03       the checksum is XXH3-64 of all items
//! ```

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{Advice, fadvise};

use crate::format::codec::{Decoded, Decoder, Encoder, Malformed};
use crate::{Error, Mismatch, Result};

const TAG_START: u8 = 1;
const TAG_ITEM: u8 = 2;
const TAG_END: u8 = 3;
const TAG_CLEAR: u8 = 4;
const MAGIC: &[u8] = b"FJL\x03";

/// The key under which each batch stores its mark. It sorts before all of the pool's own.
pub(super) const MARK_KEY: [u8; 1] = [0];

/// How far the journal was synced when a batch was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// Number of the batch; the one before it in the store's life has the number before.
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

/// A batch that is whole.
struct Whole {
    bytes: usize,
    /// Which fjall gives; it ascends, and its checksum does not cover it.
    sequence: u64,
    mark: Option<Mark>,
}

/// What tables and journals hold together.
#[derive(Debug)]
pub(super) struct Survey {
    /// Number of the last batch. All before it are there.
    pub(super) last: u64,
    torn: Vec<Torn>,
}

/// The end of a journal that was never acknowledged, or that is given up.
#[derive(Debug)]
struct Torn {
    path: PathBuf,
    /// Bytes of whole batches before it.
    whole: usize,
    rest: Vec<u8>,
}

/// Reads the journals in `directory`, and changes nothing. The tables hold all batches up to `in_tables`. An error if a journal is damaged, or a
/// batch is missing between others, or there is no journal. `accept`: what is behind the damage or the missing batch is taken for torn.
///
/// After a power failure the tables may be ahead of the journals, and what is written then follows in the same journal. So batches that
/// the tables hold need not be consecutive.
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
            // Behind something that was given up.
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
    /// Cuts off what is torn, if anything is, and keeps it aside.
    pub(super) fn repair(self) -> Result<()> {
        // The last first: what is cut off in front of something else would make a gap if this were interrupted.
        for Torn { path, whole, rest } in self.torn.into_iter().rev() {
            keep_aside(&path, whole, &rest)?;
            cut(&path, whole)?;
            tracing::warn!(path = %path.display(), bytes_kept = whole, "cut the torn end off the metadata journal");
        }
        Ok(())
    }
}

/// What is on the disk. After a sync that failed, the kernel keeps pages that never got there, and takes them for written: a journal that was read
/// from them would look whole until the power fails.
fn read_from_disk(path: &Path) -> Result<Vec<u8>> {
    let mut file = File::open(path).map_err(failed(path, "open the metadata journal"))?;
    // What a killed daemon has written is still good, and only what is clean is forgotten.
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

/// The start of a journal that consists of whole batches, none of which is missing.
struct Prefix {
    bytes: usize,
    last: Option<Mark>,
    /// Number of the last batch that is there, in the tables or in the journals so far.
    last_number: u64,
    /// The batches that are missing behind the prefix.
    gap: Option<Mismatch>,
}

/// `known`: all batches up to that number are there.
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

/// Whether what a batch that is not whole held, at the start of `rest`, had been made durable. `before` is the mark
/// of the last batch before it.
fn was_synced(rest: &[u8], before: Option<Mark>) -> bool {
    let mut broken = before.map(|mark| mark.batch.saturating_add(1));
    let mut at = 1;
    while let Some(found) = rest.get(at..).and_then(next_start) {
        at += found;
        match rest.get(at..).map(whole_batch) {
            Some(Ok(batch)) => {
                at += batch.bytes;
                let Some(mark) = batch.mark else { continue };
                // Without a batch before it: at the latest the one before the first that is whole again.
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

/// What is cut off is kept beside the journal, under a name that is not taken.
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

/// The batch at the start of `bytes`, if it is whole.
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
        mark = read_item(&mut decoder)?.or(mark);
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

/// Reads over an item; returns the mark if it is one.
fn read_item(decoder: &mut Decoder<'_>) -> Decoded<Option<Mark>> {
    match decoder.u8()? {
        TAG_CLEAR => {
            decoder.u64()?;
            Ok(None)
        }
        TAG_ITEM => {
            decoder.bytes(1 + 1 + 8)?;
            let key_bytes = usize::from(decoder.u16()?);
            decoder.u32()?;
            let value_bytes = usize::try_from(decoder.u32()?).map_err(|_| Malformed)?;
            let key = decoder.bytes(key_bytes)?;
            let value = decoder.bytes(value_bytes)?;
            Ok(if key == MARK_KEY { Mark::decode(value).ok() } else { None })
        }
        _ => Err(Malformed),
    }
}
