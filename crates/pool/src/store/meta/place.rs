//! The second copy of the metadata in a directory.
//!
//! ```text
//! META      "forebay-metadata-copy 1 STORE STANDING\n": the directory of the store, and "whole" or "stale"
//! meta.N/   stores; the one with the highest number may be unfinished
//! ```
//! META is replaced as a whole. A store that it does not name is deleted when the next one is built.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::mirror::{NewCopy, SecondMeta};
use super::{Expected, FjallMeta, PairedMeta};
use crate::base::permit::Permit;
use crate::store::copies::{CopiesMark, write_durably};
use crate::{Error, Result};

const META_FILE: &str = "META";
/// META of a copy that is stale, if there was no room to say so.
const META_ASIDE: &str = "META.stale";
const META_WORD: &str = "forebay-metadata-copy 1";
const STORE_PREFIX: &str = "meta.";

/// What META says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// The name of the store's directory.
    pub(crate) store: String,
    pub(crate) is_whole: bool,
}

/// See the module.
pub(crate) struct CopyPlace {
    directory: PathBuf,
    mark: CopiesMark,
    permit: Permit,
}

fn failed(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, action, source }
}

impl Named {
    /// What META in `directory` says; `None` if there is none.
    pub(crate) fn read(directory: &Path) -> Result<Option<Named>> {
        let named = Named::read_file(&directory.join(META_FILE))?;
        if named.is_some() {
            return Ok(named);
        }
        let aside = Named::read_file(&directory.join(META_ASIDE))?;
        Ok(aside.map(|named| Named { is_whole: false, ..named }))
    }

    fn read_file(path: &Path) -> Result<Option<Named>> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(path, "read the file")(error)),
        };
        let damaged =
            || Error::Damaged(format!("{} does not say which store the second copy uses", path.display()));
        let words = text.strip_suffix('\n').and_then(|line| line.strip_prefix(META_WORD)?.strip_prefix(' '));
        let (store, standing) = words.and_then(|words| words.split_once(' ')).ok_or_else(damaged)?;
        let is_whole = match standing {
            "whole" => true,
            "stale" => false,
            _ => return Err(damaged()),
        };
        number_of(store).ok_or_else(damaged)?;
        Ok(Some(Named { store: store.to_owned(), is_whole }))
    }

    fn write(&self, directory: &Path) -> Result<()> {
        let standing = if self.is_whole { "whole" } else { "stale" };
        let text = format!("{META_WORD} {} {standing}\n", self.store);
        write_durably(directory, &directory.join(META_FILE), &text)
    }

    /// Removes META.
    pub(crate) fn remove(directory: &Path) -> Result<()> {
        [META_FILE, META_ASIDE].map(|name| directory.join(name)).iter().try_for_each(|path| {
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Err(failed(path, "remove the file")(error))
                }
                _ => Ok(()),
            }
        })
    }
}

/// Lets META name no store any more.
fn set_aside(directory: &Path) -> Result<()> {
    let path = directory.join(META_FILE);
    let renamed = std::fs::rename(&path, directory.join(META_ASIDE));
    let durable = renamed.and_then(|()| std::fs::File::open(directory)?.sync_all());
    durable.map_err(failed(&path, "set the file aside"))
}

fn number_of(store: &str) -> Option<u64> {
    store.strip_prefix(STORE_PREFIX)?.parse().ok()
}

impl CopyPlace {
    pub(crate) fn of(directory: PathBuf, mark: CopiesMark, permit: Permit) -> CopyPlace {
        CopyPlace { directory, mark, permit }
    }

    /// What META says, if this is the directory of the second copy.
    fn named(&self) -> Result<Option<Named>> {
        self.mark.require(&self.directory)?;
        Named::read(&self.directory)
    }

    /// The numbers of all stores.
    fn numbers(&self) -> Result<Vec<u64>> {
        let listed =
            std::fs::read_dir(&self.directory).map_err(failed(&self.directory, "list the directory"))?;
        let names = listed.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        Ok(names.filter_map(|name| number_of(&name)).collect())
    }

    fn store(&self, number: u64) -> PathBuf {
        self.directory.join(format!("{STORE_PREFIX}{number}"))
    }

    fn remove_all_but(&self, kept: Option<u64>) -> Result<()> {
        for number in self.numbers()?.into_iter().filter(|number| Some(*number) != kept) {
            let store = self.store(number);
            self.permit.confirm()?;
            std::fs::remove_dir_all(&store).map_err(failed(&store, "remove an old copy of the metadata"))?;
        }
        Ok(())
    }
}

impl SecondMeta for CopyPlace {
    fn open(&self) -> Result<Option<Arc<dyn PairedMeta>>> {
        let Some(named) = self.named()?.filter(|named| named.is_whole) else { return Ok(None) };
        let expected = Expected {
            is_copy: true,
            view_parent: self.directory.clone(),
            permit: self.permit.clone(),
            ..Expected::default()
        };
        Ok(Some(Arc::new(FjallMeta::open(&self.directory.join(named.store), &expected)?)))
    }

    fn create(&self) -> Result<Arc<dyn NewCopy>> {
        let named = self.named()?.and_then(|named| number_of(&named.store));
        let last = self.numbers()?.into_iter().max().unwrap_or_default();
        self.remove_all_but(named)?;
        let store = self.store(last.saturating_add(1));
        self.permit.confirm()?;
        std::fs::create_dir(&store).map_err(failed(&store, "create a directory for the metadata"))?;
        Ok(Arc::new(FjallMeta::create_copy(&store, &self.permit)?))
    }

    fn declare_whole(&self) -> Result<()> {
        self.mark.require(&self.directory)?;
        let last = self.numbers()?.into_iter().max().unwrap_or_default();
        self.permit.confirm()?;
        Named { store: format!("{STORE_PREFIX}{last}"), is_whole: true }.write(&self.directory)?;
        self.remove_all_but(Some(last)).or_else(|error| {
            tracing::warn!(%error, "an old copy of the metadata could not be removed");
            Ok(())
        })
    }

    fn declare_stale(&self) -> Result<()> {
        match self.named()? {
            Some(named) if named.is_whole => {
                self.permit.confirm()?;
                let written = Named { is_whole: false, ..named }.write(&self.directory);
                // A disk that is full may have no room for a file.
                written.or_else(|_| set_aside(&self.directory))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::store::meta::{Batch, MetaCopies, MetaFiles, MetaView, pair_of};

    fn batch(number: u8) -> Batch {
        Batch { changes: vec![(vec![9, number], Some(Bytes::from(vec![number; 3])))] }
    }

    fn first(directory: &Path, is_new: bool) -> Arc<dyn PairedMeta> {
        let expected = Expected { is_new, view_parent: directory.to_path_buf(), ..Expected::default() };
        Arc::new(FjallMeta::open(&directory.join("meta"), &expected).unwrap())
    }

    struct Directories(tempfile::TempDir);

    impl Directories {
        fn new() -> Directories {
            let directories = Directories(tempfile::tempdir().unwrap());
            std::fs::create_dir(directories.home()).unwrap();
            directories
        }
        fn home(&self) -> PathBuf {
            self.0.path().join("home")
        }
        fn copy(&self) -> PathBuf {
            self.0.path().join("copy")
        }
        fn place(&self) -> Arc<dyn SecondMeta> {
            let mark = CopiesMark::load(&self.home(), &self.copy()).unwrap();
            Arc::new(CopyPlace::of(self.copy(), mark, Permit::default()))
        }
        fn open(&self, is_new: bool) -> Arc<dyn MetaCopies> {
            let files = MetaFiles::of(first(&self.home(), is_new), Some(self.place()));
            files.store(Some(9)).unwrap()
        }
    }

    fn build(store: &dyn MetaCopies) {
        while store.build_copy(77).unwrap() {}
        assert_eq!(store.copies().whole, 2);
    }

    #[test]
    fn a_copy_that_was_built_has_everything_and_keeps_its_number_over_a_restart() {
        let directories = Directories::new();
        let store = directories.open(true);
        for number in 0..20 {
            store.write(batch(number)).unwrap();
        }
        store.make_durable().unwrap();
        build(&*store);
        store.write(batch(99)).unwrap();
        store.make_durable().unwrap();
        let written = store.position().written;
        drop(store);
        let second = directories.place().open().unwrap().unwrap();
        // Each store ends with a batch that vouches for the others.
        assert_eq!(second.position().written, written + 1);
        assert_eq!(pair_of(&*second).unwrap(), Some(77));
        for number in (0..20).chain([99]) {
            assert_eq!(second.get(&[9, number]).unwrap(), Some(Bytes::from(vec![number; 3])));
        }
        drop(second);
        for number in 0..3 {
            let store = directories.open(false);
            assert_eq!(store.copies().whole, 2);
            store.write(batch(100 + number)).unwrap();
            store.make_durable().unwrap();
        }
    }

    #[test]
    fn the_copy_that_is_behind_gets_what_the_other_one_has() {
        for behind in [0, 1] {
            let directories = Directories::new();
            let store = directories.open(true);
            store.write(batch(1)).unwrap();
            store.make_durable().unwrap();
            build(&*store);
            drop(store);
            let ahead: Arc<dyn PairedMeta> = if behind == 0 {
                directories.place().open().unwrap().unwrap()
            } else {
                first(&directories.home(), false)
            };
            ahead.write(batch(2)).unwrap();
            ahead.write(Batch { changes: vec![(vec![9, 1], None)] }).unwrap();
            ahead.make_durable().unwrap();
            let written = ahead.position().written;
            drop(ahead);
            let store = directories.open(false);
            assert_eq!(store.copies().whole, 2, "{behind}");
            assert_eq!(store.position().written, written + 1);
            assert_eq!(store.get(&[9, 2]).unwrap(), Some(Bytes::from(vec![2; 3])));
            assert_eq!(store.get(&[9, 1]).unwrap(), None);
        }
    }

    #[test]
    fn a_copy_that_missed_something_is_built_again_however_the_numbers_compare() {
        let directories = Directories::new();
        let store = directories.open(true);
        store.write(batch(1)).unwrap();
        store.make_durable().unwrap();
        build(&*store);
        drop(store);
        // A start without the second copy.
        let alone = MetaFiles::of(first(&directories.home(), false), None).store(Some(9)).unwrap();
        alone.write(batch(2)).unwrap();
        alone.make_durable().unwrap();
        drop(alone);
        let second = directories.place().open().unwrap().unwrap();
        for number in 10..30 {
            second.write(batch(number)).unwrap();
        }
        second.make_durable().unwrap();
        drop(second);
        let store = directories.open(false);
        assert_eq!(store.copies().whole, 1);
        assert_eq!(store.get(&[9, 10]).unwrap(), None);
        store.write(batch(3)).unwrap();
        let named = Named::read(&directories.copy()).unwrap().unwrap();
        assert!(!named.is_whole, "a stale copy counts");
        build(&*store);
        let named = Named::read(&directories.copy()).unwrap().unwrap();
        assert_eq!((named.store.as_str(), named.is_whole), ("meta.2", true));
    }

    #[test]
    fn batches_that_arrive_while_a_copy_is_built_are_in_it() {
        let directories = Directories::new();
        let store = directories.open(true);
        let key = |number: u32| [&[9][..], &number.to_be_bytes()].concat();
        let value = |version: u8| Some(Bytes::from(vec![version; 1000]));
        for number in 0..2000 {
            store.write(Batch { changes: vec![(key(number), value(0))] }).unwrap();
        }
        store.make_durable().unwrap();
        let mut round = 0;
        while store.build_copy(5).unwrap() {
            round += 1;
            let changes =
                vec![(key(round), value(1)), (key(1999 - round), value(2)), (key(500 + round), None)];
            store.write(Batch { changes }).unwrap();
        }
        assert!(round > 5, "{round}");
        drop(store);
        let all = |store: &dyn MetaView| {
            let mut all = Vec::new();
            store
                .scan(vec![1]..vec![255], &mut |key, value| {
                    all.push((key.to_vec(), value.to_vec()));
                    Ok(std::ops::ControlFlow::Continue(()))
                })
                .unwrap();
            all
        };
        let second = directories.place().open().unwrap().unwrap();
        assert!(all(&*first(&directories.home(), false)) == all(&*second));
    }
}
