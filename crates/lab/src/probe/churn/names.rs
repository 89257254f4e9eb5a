//! Names that come and go: files and folders are created, renamed, replaced, rewritten and removed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::gate::Gate;
use super::{Verified, Work, compare, ensure_length, forget};
use crate::probe::random::Random;

/// Maximum number of names.
const NAMES_MAX: usize = 48;
/// Maximum size of a file, in bytes. Some files fit into a tail, others do not.
const FILE_BYTES_MAX: usize = 24 << 10;

/// The folder.
pub struct Names {
    folder: PathBuf,
    seed: u64,
    random: Random,
    /// The names that must exist.
    model: BTreeMap<String, Object>,
    /// The number of names and contents so far. No name is used twice.
    made: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Object {
    Folder,
    /// A file, with the number of its content.
    File(u64),
}

/// The next step.
#[derive(Debug, Clone, Copy)]
enum Step {
    Create,
    MakeFolder,
    Rename,
    Replace,
    Rewrite,
    Remove,
}

/// Accepts an operation whose reply says that it had been done before, if it was in fact done: the server executed it and was killed before
/// its reply arrived, and the client sent the request again. Without a durable reply cache, an NFSv4 server cannot recognise the repetition.
pub fn settle(result: io::Result<()>, done: impl FnOnce() -> bool, gate: &Gate) -> io::Result<()> {
    match result {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) && done() => {
            gate.repeated();
            Ok(())
        }
        other => other,
    }
}

impl Names {
    pub fn create(folder: &Path, seed: u64) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
        let (random, model) = (Random::new(seed), BTreeMap::new());
        Ok(Self { folder: folder.to_owned(), seed, random, model, made: 0 })
    }

    fn fresh(&mut self) -> u64 {
        self.made += 1;
        self.made
    }

    fn content(&self, number: u64) -> Vec<u8> {
        let mut random = Random::new(self.seed ^ number.rotate_left(24));
        let length = random.below(FILE_BYTES_MAX);
        random.bytes(length)
    }

    fn choose(&mut self) -> Step {
        if self.model.len() >= NAMES_MAX {
            return Step::Remove;
        }
        match self.random.below(12) {
            0..4 => Step::Create,
            4 => Step::MakeFolder,
            5..7 => Step::Rename,
            7 => Step::Replace,
            8..10 => Step::Rewrite,
            _ => Step::Remove,
        }
    }

    /// A random existing name; `None` if there is none.
    fn any(&mut self) -> Option<(String, Object)> {
        let index = self.random.below(self.model.len());
        self.model.iter().nth(index).map(|(name, object)| (name.clone(), *object))
    }

    fn any_file(&mut self) -> Option<(String, Object)> {
        self.any().filter(|(_, object)| *object != Object::Folder)
    }

    fn create_file(&mut self) -> Result<()> {
        let number = self.fresh();
        let name = format!("file-{number}");
        let mut file = File::create_new(self.folder.join(&name)).with_context(|| format!("create {name}"))?;
        file.write_all(&self.content(number)).with_context(|| format!("write {name}"))?;
        self.model.insert(name, Object::File(number));
        Ok(())
    }

    fn make_folder(&mut self, gate: &Gate) -> Result<()> {
        let name = format!("folder-{}", self.fresh());
        let path = self.folder.join(&name);
        settle(fs::create_dir(&path), || path.is_dir(), gate).with_context(|| format!("make {name}"))?;
        self.model.insert(name, Object::Folder);
        Ok(())
    }

    fn rename(&mut self, target: Option<String>, gate: &Gate) -> Result<()> {
        let chosen = if target.is_some() { self.any_file() } else { self.any() };
        let Some((name, object)) = chosen else { return Ok(()) };
        let target = target.unwrap_or_else(|| format!("renamed-{}", self.fresh()));
        if target == name {
            return Ok(());
        }
        let (from, to) = (self.folder.join(&name), self.folder.join(&target));
        settle(fs::rename(&from, &to), || !from.exists() && to.exists(), gate)
            .with_context(|| format!("rename {name} to {target}"))?;
        self.model.remove(&name);
        self.model.insert(target, object);
        Ok(())
    }

    fn rewrite(&mut self) -> Result<()> {
        let Some((name, _)) = self.any_file() else { return Ok(()) };
        let number = self.fresh();
        fs::write(self.folder.join(&name), self.content(number))
            .with_context(|| format!("rewrite {name}"))?;
        self.model.insert(name, Object::File(number));
        Ok(())
    }

    fn remove(&mut self, gate: &Gate) -> Result<()> {
        let Some((name, object)) = self.any() else { return Ok(()) };
        let path = self.folder.join(&name);
        let result = match object {
            Object::Folder => fs::remove_dir(&path),
            Object::File(_) => fs::remove_file(&path),
        };
        settle(result, || !path.exists(), gate).with_context(|| format!("remove {name}"))?;
        self.model.remove(&name);
        Ok(())
    }

    fn compare_one(&self, name: &str, object: Object) -> Result<u64> {
        let path = self.folder.join(name);
        let Object::File(number) = object else {
            ensure!(path.is_dir(), "{} is not the folder that was made", path.display());
            return Ok(0);
        };
        let expected = self.content(number);
        // Opened for writing, because only then can this process write back the client's dirty data.
        let file = File::options().read(true).write(true).open(&path);
        let file = file.with_context(|| format!("open {}", path.display()))?;
        forget(&file, &path)?;
        ensure_length(&file, &path, expected.len() as u64)?;
        compare(&file, &path, 0, &expected)?;
        Ok(expected.len() as u64)
    }
}

impl Work for Names {
    fn step(&mut self, gate: &Gate) -> Result<()> {
        let step = self.choose();
        let result = match step {
            Step::Create => self.create_file(),
            Step::MakeFolder => self.make_folder(gate),
            Step::Rename => self.rename(None, gate),
            Step::Replace => match self.any_file() {
                Some((target, _)) => self.rename(Some(target), gate),
                None => Ok(()),
            },
            Step::Rewrite => self.rewrite(),
            Step::Remove => self.remove(gate),
        };
        result.with_context(|| format!("{step:?} in {}", self.folder.display()))
    }

    fn verify(&mut self) -> Result<Verified> {
        let told = || format!("list {}", self.folder.display());
        let mut found = BTreeSet::new();
        for entry in fs::read_dir(&self.folder).with_context(told)? {
            found.insert(entry.with_context(told)?.file_name().to_string_lossy().into_owned());
        }
        let expected: BTreeSet<String> = self.model.keys().cloned().collect();
        let missing: Vec<_> = expected.difference(&found).take(3).collect();
        let extra: Vec<_> = found.difference(&expected).take(3).collect();
        ensure!(
            missing.is_empty() && extra.is_empty(),
            "{} lacks {missing:?} and has the unexpected {extra:?} (at most three of each are listed)",
            self.folder.display()
        );
        let mut verified = Verified::default();
        for (name, object) in &self.model {
            verified.add(self.compare_one(name, *object)?);
        }
        Ok(verified)
    }
}
