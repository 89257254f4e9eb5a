//! The witness of a pool in directories: a state file in the pool's directory, and one in the second copy's.

use std::path::{Path, PathBuf};

use super::{Found, State, StateFile, Witness};
use crate::store::copies::CopiesMark;
use crate::{Error, Mismatch, Result};

/// See the module.
pub(crate) struct DirectoryWitness {
    own: StateFile,
    copy: Option<Copy>,
}

struct Copy {
    mark: CopiesMark,
    directory: PathBuf,
    file: StateFile,
}

impl DirectoryWitness {
    /// The witness of the pool in `home`. `copy` is the second copy, if there is one: its mark and its directory.
    pub(crate) fn of(home: &Path, copy: Option<(CopiesMark, PathBuf)>) -> DirectoryWitness {
        let copy = copy.map(|(mark, directory)| Copy { mark, file: StateFile::of(&directory), directory });
        DirectoryWitness { own: StateFile::of(home), copy }
    }

    /// The second copy, if its directory is available.
    fn copy_there(&self) -> Option<&Copy> {
        self.copy.as_ref().filter(|copy| copy.mark.require(&copy.directory).is_ok())
    }
}

impl Witness for DirectoryWitness {
    fn own(&self) -> Result<Found> {
        self.own.read()
    }

    fn copy(&self) -> Result<Found> {
        self.copy_there().map_or(Ok(Found::Missing), |copy| copy.file.read())
    }

    fn establish(&self, state: &State) -> Result<()> {
        self.own.write(state, true)
    }

    fn note(&self, state: &State) -> Result<()> {
        self.own.write(state, false)
    }

    fn note_in_copy(&self, state: &State, durably: bool, may_replace: &dyn Fn(&Found) -> bool) -> Result<()> {
        let Some(copy) = &self.copy else { return Ok(()) };
        copy.mark.require(&copy.directory)?;
        if !may_replace(&copy.file.read()?) {
            let part = "the second copy".to_owned();
            return Err(Error::refused(Mismatch::OtherHistory { part, found: state.boot }));
        }
        copy.file.write(state, durably)
    }
}
