//! Cuts the torn end off fjall's journal after a power loss.
//!
//! The pages of a journal that were written but not synced reach the disk in any order. If power fails then,
//! a batch can be there with a hole of zeros in its middle. fjall cuts off a batch that ends early, but takes one
//! with a wrong checksum for damage and does not open. Nothing after the last sync was ever acknowledged, so
//! the right answer is the same: end the journal before the first batch that is not whole.
//!
//! The form of a journal (fjall 3.1, numbers little-endian):
//! ```text
//! start: 01 items:4 sequence:8
//! item:  02 type:1 compression:1 keyspace:8 key length:2 value length:4 stored length:4 key value
//! clear: 04 keyspace:8
//! end:   03 checksum:8 magic:4        the checksum is XXH3-64 of all items
//! ```

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use crate::codec::{Decoded, Decoder, Malformed};
use crate::{Error, Result};

const TAG_START: u8 = 1;
const TAG_ITEM: u8 = 2;
const TAG_END: u8 = 3;
const TAG_CLEAR: u8 = 4;
const MAGIC_BYTES: usize = 4;

/// Ends the newest journal in `directory` before its first batch that is not whole.
pub(super) fn cut_torn_end(directory: &Path) -> Result<()> {
    let Some(path) = newest_journal(directory)? else { return Ok(()) };
    let io = |action| {
        let path = path.clone();
        move |source| Error::Io { path, action, source }
    };
    let journal = std::fs::read(&path).map_err(io("read the metadata journal"))?;
    let whole = whole_bytes(&journal);
    let file = OpenOptions::new().write(true).open(&path).map_err(io("open the metadata journal"))?;
    file.set_len(whole as u64).map_err(io("cut the metadata journal"))?;
    file.sync_all().map_err(io("sync the metadata journal"))?;
    tracing::warn!(path = %path.display(), bytes_kept = whole, "cut the torn end off the metadata journal");
    Ok(())
}

fn newest_journal(directory: &Path) -> Result<Option<PathBuf>> {
    let listing =
        |source| Error::Io { path: directory.to_path_buf(), action: "list the metadata journals", source };
    let mut newest: Option<(u64, PathBuf)> = None;
    for entry in std::fs::read_dir(directory).map_err(listing)? {
        let path = entry.map_err(listing)?.path();
        let number =
            path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".jnl"));
        let Some(number) = number.and_then(|number| number.parse().ok()) else { continue };
        if newest.as_ref().is_none_or(|(known, _)| number > *known) {
            newest = Some((number, path));
        }
    }
    Ok(newest.map(|(_, path)| path))
}

/// How many bytes of the journal are whole batches.
fn whole_bytes(journal: &[u8]) -> usize {
    let mut whole = 0;
    while let Some(length) = journal.get(whole..).and_then(|rest| batch_bytes(rest).ok()) {
        whole += length;
    }
    whole
}

/// The length of the batch at the start of `bytes`, if it is whole.
fn batch_bytes(bytes: &[u8]) -> Decoded<usize> {
    let mut decoder = Decoder::new(bytes);
    if decoder.u8()? != TAG_START {
        return Err(Malformed);
    }
    let items = decoder.u32()?;
    decoder.u64()?;
    let items_at = bytes.len() - decoder.remaining();
    for _ in 0..items {
        skip_item(&mut decoder)?;
    }
    let items_end = bytes.len() - decoder.remaining();
    if decoder.u8()? != TAG_END {
        return Err(Malformed);
    }
    let checksum = decoder.u64()?;
    decoder.bytes(MAGIC_BYTES)?;
    let content = bytes.get(items_at..items_end).ok_or(Malformed)?;
    if xxhash_rust::xxh3::xxh3_64(content) != checksum {
        return Err(Malformed);
    }
    Ok(bytes.len() - decoder.remaining())
}

fn skip_item(decoder: &mut Decoder<'_>) -> Decoded<()> {
    match decoder.u8()? {
        TAG_CLEAR => {
            decoder.u64()?;
        }
        TAG_ITEM => {
            decoder.bytes(1 + 1 + 8)?;
            let key = usize::from(decoder.u16()?);
            decoder.u32()?;
            let value = usize::try_from(decoder.u32()?).map_err(|_| Malformed)?;
            decoder.bytes(key)?;
            decoder.bytes(value)?;
        }
        _ => return Err(Malformed),
    }
    Ok(())
}
