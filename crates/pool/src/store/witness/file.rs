//! A state in a file with three slots. The first two are written alternately, without a sync; the third is only written with
//! a sync. So whatever a power failure does to the slot being written, another slot is whole.
//!
//! ```text
//! slot, at 0, 4096 and 8192: one line, then zeros
//!     forebay-state 1 serial=N pool=… start=… mark=… phase=… batch=… tables=….… [log=FROM.LAST.FILES[.DOUBLED[.SINCE]]] sum=CHECKSUM
//! ```
//! The slot with the highest serial is the state. The checksum is the first 8 bytes, in hexadecimal, of the BLAKE3 of the
//! text before ` sum=`. Each slot lies in a block of its own and is written in place.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::{Found, State};
use crate::base::sync;
use crate::format::codec::{Decoded, Malformed};
use crate::{Error, Result};

/// The file's name, in the pool's and in the copy's directory.
pub(crate) const STATE_FILE: &str = "STATE";
const WORD: &str = "forebay-state 1";
const SLOT_BYTES: u64 = 4096;
const SLOTS: u64 = 3;
/// The slot that is only written with a sync.
const SLOT_SYNCED: u64 = 2;
/// Longest line, in bytes.
const LINE_BYTES_MAX: usize = 512;

/// See the module.
pub(crate) struct StateFile {
    path: PathBuf,
    written: Mutex<Written>,
}

#[derive(Default)]
struct Written {
    file: Option<File>,
    /// The serial of the newest slot.
    serial: u64,
}

fn failed(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, action, source }
}

impl StateFile {
    /// The state file of `directory`, which need not exist.
    pub(crate) fn of(directory: &Path) -> StateFile {
        StateFile { path: directory.join(STATE_FILE), written: Mutex::default() }
    }

    /// The state file at a path, which need not exist.
    pub(crate) fn at(path: PathBuf) -> StateFile {
        StateFile { path, written: Mutex::default() }
    }

    /// Reads the state. Changes nothing.
    pub(crate) fn read(&self) -> Result<Found> {
        Ok(match self.newest()? {
            Slots::NoFile => Found::Missing,
            Slots::Unreadable => Found::Damaged,
            Slots::Newest(_, state) => Found::There(state),
        })
    }

    fn newest(&self) -> Result<Slots> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Slots::NoFile),
            Err(error) => return Err(failed(&self.path, "open the pool's state")(error)),
        };
        let slots = (0..SLOTS).filter_map(|slot| read_slot(&file, slot));
        let newest = slots.max_by_key(|(serial, _)| *serial);
        Ok(newest.map_or(Slots::Unreadable, |(serial, state)| Slots::Newest(serial, state)))
    }

    /// Writes the state into the next slot. With `durably`, makes the state and the file's name durable.
    pub(crate) fn write(&self, state: &State, durably: bool) -> Result<()> {
        let mut written = sync::lock(&self.written);
        if written.file.is_none() {
            let serial = if let Slots::Newest(serial, _) = self.newest()? { serial } else { 0 };
            *written = Written { file: Some(self.open()?), serial };
        }
        let Written { file: Some(file), serial } = &mut *written else { return Err(Error::Closed) };
        *serial += 1;
        let slot = slot(*serial, state);
        let write = || {
            let number = if durably { SLOT_SYNCED } else { *serial % SLOT_SYNCED };
            file.write_all_at(slot.as_bytes(), number * SLOT_BYTES)?;
            if durably { file.sync_all() } else { Ok(()) }
        };
        write().map_err(failed(&self.path, "write the pool's state"))
    }

    /// Opens the file, or creates it at its full length, so that slots are later written in place.
    fn open(&self) -> Result<File> {
        let open = || {
            let mut options = OpenOptions::new();
            let file = options.read(true).write(true).create(true).truncate(false).open(&self.path)?;
            if file.metadata()?.len() < SLOTS * SLOT_BYTES {
                file.write_all_at(&[0], SLOTS * SLOT_BYTES - 1)?;
                let zeros = vec![0; SLOT_BYTES as usize];
                for slot in 0..SLOTS {
                    if read_slot(&file, slot).is_none() {
                        file.write_all_at(&zeros, slot * SLOT_BYTES)?;
                    }
                }
                file.sync_all()?;
                if let Some(directory) = self.path.parent() {
                    File::open(directory)?.sync_all()?;
                }
            }
            Ok(file)
        };
        open().map_err(failed(&self.path, "open the pool's state"))
    }
}

/// What the slots hold.
enum Slots {
    NoFile,
    Unreadable,
    /// The highest serial, and its state.
    Newest(u64, State),
}

fn checksum(line: &str) -> String {
    blake3::hash(line.as_bytes()).to_hex()[..16].to_owned()
}

fn slot(serial: u64, state: &State) -> String {
    let line = format!("{WORD} serial={serial} {}", state.fields());
    let sum = checksum(&line);
    let mut slot = format!("{line} sum={sum}\n");
    // Overwrites the rest of an older, longer line.
    while slot.len() < LINE_BYTES_MAX {
        slot.push('\0');
    }
    slot
}

/// A state as a text of its own.
pub(super) fn text_of(state: &State) -> String {
    slot(1, state)
}

/// The state in such a text; none if it is damaged.
pub(super) fn state_in(text: &[u8]) -> Option<State> {
    parse_slot(text).ok().map(|(_, state)| state)
}

fn read_slot(file: &File, slot: u64) -> Option<(u64, State)> {
    let mut bytes = [0; LINE_BYTES_MAX];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, slot * SLOT_BYTES + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    parse_slot(bytes.get(..filled)?).ok()
}

fn parse_slot(bytes: &[u8]) -> Decoded<(u64, State)> {
    let text = std::str::from_utf8(bytes).map_err(|_| Malformed)?;
    let (line, rest) = text.split_once('\n').ok_or(Malformed)?;
    let (line, sum) = line.split_once(" sum=").ok_or(Malformed)?;
    if sum != checksum(line) || rest.bytes().any(|byte| byte != 0) {
        return Err(Malformed);
    }
    let fields = line.strip_prefix(WORD).and_then(|rest| rest.strip_prefix(" serial=")).ok_or(Malformed)?;
    let (serial, fields) = fields.split_once(' ').ok_or(Malformed)?;
    Ok((serial.parse().map_err(|_| Malformed)?, State::parse(fields)?))
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    fn bytes_of(directory: &Path) -> Vec<u8> {
        std::fs::read(directory.join(STATE_FILE)).unwrap()
    }

    fn put(directory: &Path, bytes: &[u8]) {
        std::fs::write(directory.join(STATE_FILE), bytes).unwrap();
    }

    #[test]
    fn the_last_state_that_was_written_is_the_one_that_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let file = StateFile::of(directory.path());
        assert_eq!(file.read().unwrap(), Found::Missing);
        for batch in 1..=5 {
            let state = State { batch, ..sample() };
            file.write(&state, batch == 1).unwrap();
            assert_eq!(file.read().unwrap(), Found::There(state));
        }
        let again = StateFile::of(directory.path());
        let state = State { batch: 6, ..sample() };
        again.write(&state, false).unwrap();
        assert_eq!(file.read().unwrap(), Found::There(state));
    }

    #[test]
    fn a_write_that_was_cut_short_leaves_the_state_before() {
        let directory = tempfile::tempdir().unwrap();
        let file = StateFile::of(directory.path());
        for (batch, durably) in [(1, true), (2, false), (3, false), (4, true), (5, false), (6, true)] {
            let old = std::fs::read(directory.path().join(STATE_FILE)).unwrap_or_default();
            file.write(&State { batch, ..sample() }, durably).unwrap();
            let new = bytes_of(directory.path());
            let Some(at) = old.iter().zip(&new).position(|(old, new)| old != new) else { continue };
            for length in 0..200 {
                let mut torn = old.clone();
                torn[at..at + length].copy_from_slice(&new[at..at + length]);
                put(directory.path(), &torn);
                let found = StateFile::of(directory.path()).read().unwrap().state().unwrap();
                assert!([batch, batch - 1].contains(&found.batch), "{batch}, {length}: {found:?}");
            }
            put(directory.path(), &new);
        }
    }

    #[test]
    fn damage_to_all_slots_is_damage_and_no_state() {
        let directory = tempfile::tempdir().unwrap();
        let file = StateFile::of(directory.path());
        for durably in [true, false, false] {
            file.write(&sample(), durably).unwrap();
        }
        let whole = bytes_of(directory.path());
        for at in 0..100 {
            let mut damaged = whole.clone();
            (0..3).for_each(|slot| damaged[slot * SLOT_BYTES as usize + at] ^= 1);
            put(directory.path(), &damaged);
            assert_eq!(file.read().unwrap(), Found::Damaged);
        }
        for length in [0, 1, 50] {
            put(directory.path(), &whole[..length]);
            assert_eq!(file.read().unwrap(), Found::Damaged);
        }
    }
}
