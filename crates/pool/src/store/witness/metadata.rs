//! A witness for metadata that lies in a database. The metadata itself says whether the pool was closed in order, and files beside the segments
//! say how far it must reach.
//!
//! A database may be set back: restored from a backup, or replaced by a standby that lacks its last commits. So each start of the pool notes in
//! a file or an object of its own, `START.NUMBER`, up to which batch the metadata was durable. A process that was replaced may still write its file, which
//! then says what is true. Files of starts that are long over are removed.
//!
//! The state is recorded while a pool is opened, before its committer runs, and when it is closed, after the committer has ended. So no two
//! threads write to the metadata.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use super::file::{state_in, text_of};
use super::{Found, Phase, State, StateFile, Witness};
use crate::base::sync;
use crate::format::keys;
use crate::store::backends::Notes;
use crate::store::meta::{Batch, MetaStore};
use crate::{Error, Result};

/// The prefix of the files' names.
const PREFIX: &str = "START.";
/// How many starts keep their files.
const STARTS_KEPT: u64 = 8;

/// See the module.
pub(crate) struct MetaWitness {
    meta: Arc<dyn MetaStore>,
    /// Where the notes are; none if there are none.
    notes: Option<Notes>,
    /// The file of this start.
    file: Mutex<Option<(u64, StateFile)>>,
}

impl MetaWitness {
    pub(crate) fn of(meta: Arc<dyn MetaStore>, notes: Option<Notes>) -> MetaWitness {
        MetaWitness { meta, notes, file: Mutex::default() }
    }

    /// The files, with the starts that their names say.
    fn files(directory: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            let name = entry.file_name();
            let number = name.to_str().and_then(start_of);
            files.extend(number.map(|number| (number, entry.path())));
        }
        files.sort_unstable();
        Ok(files)
    }

    fn write(&self, state: &State, durably: bool) -> Result<()> {
        let directory = match &self.notes {
            None => return Ok(()),
            Some(Notes::Store(store)) => {
                return store.put(&name_of(state.boot), Bytes::from(text_of(state)), durably);
            }
            Some(Notes::Directory(directory)) => directory,
        };
        let mut file = sync::lock(&self.file);
        if file.as_ref().is_none_or(|(boot, _)| *boot != state.boot) {
            *file = Some((state.boot, StateFile::at(directory.join(name_of(state.boot)))));
        }
        file.as_ref().map_or(Ok(()), |(_, file)| file.write(state, durably))
    }

    /// Removes the notes of all starts before this one. The first error comes after all were tried.
    fn remove_before(&self, boot: u64) -> Result<()> {
        let mut failure = None;
        match &self.notes {
            None => {}
            Some(Notes::Directory(directory)) => {
                let failed = |path: PathBuf, action| move |source| Error::Io { path, action, source };
                let files = MetaWitness::files(directory)
                    .map_err(failed(directory.clone(), "look for the notes of earlier starts"))?;
                for (_, path) in files.into_iter().filter(|(number, _)| *number < boot) {
                    let removed = std::fs::remove_file(&path);
                    failure = failure.or(removed.map_err(failed(path, "remove the note")).err());
                }
            }
            Some(Notes::Store(store)) => {
                for (name, ..) in store.list()? {
                    if start_of(&name).is_some_and(|number| number < boot) {
                        failure = failure.or(store.remove(&name).err());
                    }
                }
            }
        }
        failure.map_or(Ok(()), Err)
    }
}

fn name_of(boot: u64) -> String {
    format!("{PREFIX}{boot:08x}")
}

/// The start in the name of a note.
fn start_of(name: &str) -> Option<u64> {
    u64::from_str_radix(name.strip_prefix(PREFIX)?, 16).ok()
}

impl Witness for MetaWitness {
    fn own(&self) -> Result<Found> {
        let Some(value) = self.meta.get(&keys::state())? else { return Ok(Found::Missing) };
        let state = std::str::from_utf8(&value).ok().and_then(|fields| State::parse(fields).ok());
        Ok(state.map_or(Found::Damaged, Found::There))
    }

    fn copy(&self) -> Result<Found> {
        Ok(Found::Missing)
    }

    fn starts(&self) -> Result<Vec<(PathBuf, State)>> {
        let mut starts = Vec::new();
        match &self.notes {
            None => {}
            Some(Notes::Directory(directory)) => {
                let files = MetaWitness::files(directory).map_err(|source| Error::Io {
                    path: directory.clone(),
                    action: "look for the notes of earlier starts",
                    source,
                })?;
                for (_, path) in files {
                    // A machine that lost its power may not have written all of it. Another start's file is as good.
                    if let Found::There(state) = StateFile::at(path.clone()).read()? {
                        starts.push((path, state));
                    }
                }
            }
            Some(Notes::Store(store)) => {
                for (name, place, text) in store.list()? {
                    if let (Some(_), Some(state)) = (start_of(&name), state_in(&text)) {
                        starts.push((place, state));
                    }
                }
            }
        }
        Ok(starts)
    }

    fn establish(&self, state: &State) -> Result<()> {
        let change = (keys::state(), Some(Bytes::from(state.fields())));
        self.meta.write(Batch { changes: vec![change] })?;
        self.meta.make_durable()?;
        // A start that is not counted yet must not leave a file.
        if state.phase != Phase::Opening {
            self.write(&State { batch: self.meta.position().durable, ..*state }, true)?;
            if let Err(error) = self.remove_before(state.boot.saturating_sub(STARTS_KEPT)) {
                tracing::warn!(%error, "a note of a start that is long over stays");
            }
        }
        Ok(())
    }

    fn note(&self, state: &State) -> Result<()> {
        self.write(state, false)
    }

    fn give_up(&self, boot_next: u64) -> Result<()> {
        let Found::There(own) = self.own()? else { return Ok(()) };
        // No start has the mark 0, so the note fits none.
        let state = State { boot: boot_next, mark: 0, phase: Phase::Opening, batch: own.batch, ..own };
        self.write(&state, true)
    }

    fn forget_earlier(&self, boot: u64) -> Result<()> {
        self.remove_before(boot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::meta::MemoryMeta;
    use crate::store::witness::tests::sample;

    #[test]
    fn each_start_notes_in_its_own_file_how_far_the_metadata_reached() {
        let directory = tempfile::tempdir().unwrap();
        let meta = Arc::<MemoryMeta>::default();
        let witness =
            || MetaWitness::of(meta.clone(), Some(Notes::Directory(directory.path().to_path_buf())));
        let first = witness();
        first.establish(&State { phase: Phase::Opening, ..sample() }).unwrap();
        assert!(first.starts().unwrap().is_empty(), "the start is not counted yet");
        first.establish(&sample()).unwrap();
        first.note(&State { batch: 77, ..sample() }).unwrap();
        let second = witness();
        second.establish(&State { boot: 8, ..sample() }).unwrap();
        // The first one goes on for a moment.
        first.note(&State { batch: 78, ..sample() }).unwrap();
        let starts: Vec<(u64, u64)> =
            witness().starts().unwrap().iter().map(|(_, state)| (state.boot, state.batch)).collect();
        assert_eq!(starts, [(7, 78), (8, meta.position().durable)]);
        assert_eq!(second.own().unwrap().state().map(|state| state.boot), Some(8));
        witness().establish(&State { boot: 20, ..sample() }).unwrap();
        assert_eq!(witness().starts().unwrap().len(), 1, "those that are long over are removed");
        for boot in [21, 22, 23] {
            witness().establish(&State { boot, ..sample() }).unwrap();
        }
        // Until the start with this number has noted its own.
        witness().give_up(24).unwrap();
        let last = witness().starts().unwrap().pop().unwrap().1;
        assert_eq!((last.boot, last.mark, last.phase), (24, 0, Phase::Opening));
        witness().establish(&State { boot: 24, ..sample() }).unwrap();
        assert_eq!(witness().starts().unwrap().pop().unwrap().1.mark, sample().mark);
        std::fs::remove_file(directory.path().join(name_of(24))).unwrap();
        std::fs::write(directory.path().join("000000170000.seg"), b"of another kind").unwrap();
        witness().forget_earlier(22).unwrap();
        let starts: Vec<u64> = witness().starts().unwrap().iter().map(|(_, state)| state.boot).collect();
        assert_eq!(starts, [22, 23], "not what a later owner has noted");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 3);
    }

    /// Keeps texts in memory.
    #[derive(Clone, Default)]
    struct Texts(Arc<Mutex<std::collections::BTreeMap<String, Bytes>>>);

    impl crate::store::NoteStore for Texts {
        fn list(&self) -> Result<Vec<(String, PathBuf, Bytes)>> {
            let texts = sync::lock(&self.0);
            Ok(texts.iter().map(|(name, text)| (name.clone(), name.into(), text.clone())).collect())
        }
        fn put(&self, name: &str, text: Bytes, _durably: bool) -> Result<()> {
            sync::lock(&self.0).insert(name.to_owned(), text);
            Ok(())
        }
        fn remove(&self, name: &str) -> Result<()> {
            sync::lock(&self.0).remove(name);
            Ok(())
        }
    }

    #[test]
    fn notes_in_another_store_are_as_good_and_damaged_ones_do_not_count() {
        let (texts, meta) = (Texts::default(), Arc::<MemoryMeta>::default());
        let witness = || MetaWitness::of(meta.clone(), Some(Notes::Store(Box::new(texts.clone()))));
        witness().establish(&sample()).unwrap();
        witness().note(&State { batch: 77, ..sample() }).unwrap();
        let batches =
            || witness().starts().unwrap().iter().map(|(_, state)| state.batch).collect::<Vec<u64>>();
        assert_eq!(batches(), [77]);
        sync::lock(&texts.0).insert("START.00000009".into(), Bytes::from_static(b"forebay-state 1 serial=1"));
        assert_eq!(batches(), [77]);
        witness().establish(&State { boot: 20, ..sample() }).unwrap();
        assert_eq!(sync::lock(&texts.0).len(), 1, "those that are long over are removed");
        witness().establish(&State { boot: 21, ..sample() }).unwrap();
        witness().forget_earlier(21).unwrap();
        assert_eq!(sync::lock(&texts.0).keys().collect::<Vec<_>>(), ["START.00000015"]);
    }
}
