//! A tree of many files that is created, renamed, listed while it is deleted, and removed.
//!
//! Several workers work at the same time, each in its own folders, except for renames across folders. The probe ends at the first
//! operation that fails, and if names are missing or unexpected after a step.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};

/// The number of workers.
const WORKERS: usize = 4;
/// The number of files in each folder after their creation.
const FILES_PER_FOLDER: usize = 250;

/// The arguments.
#[derive(Debug, Args)]
pub struct TreeArgs {
    /// A folder that does not exist yet; it is removed at the end
    folder: PathBuf,
    /// Number of files
    files: usize,
}

/// The result that is printed at the end.
#[derive(Debug, Serialize, Deserialize)]
pub struct TreeDone {
    /// Files created.
    pub files: usize,
    /// The name of each stage, and its duration in milliseconds.
    pub stages: Vec<(String, u64)>,
}

/// Runs all stages.
pub fn run(args: &TreeArgs) -> Result<()> {
    let folders: Vec<PathBuf> = (0..args.files.div_ceil(FILES_PER_FOLDER))
        // Two levels, like partitions in a broker's folder.
        .map(|index| args.folder.join(format!("broker-{}", index % 8)).join(format!("topic-{index}")))
        .collect();
    let mut done = TreeDone { files: folders.len() * FILES_PER_FOLDER, stages: Vec::new() };
    let mut stage = |name: &str, work: &(dyn Fn(&Path) -> Result<()> + Sync)| -> Result<()> {
        let start = Instant::now();
        for_each(&folders, work).with_context(|| name.to_owned())?;
        done.stages.push((name.to_owned(), u64::try_from(start.elapsed().as_millis())?));
        Ok(())
    };
    stage("create", &create)?;
    stage("read back", &read_back)?;
    stage("rename within the folder", &rename_within)?;
    stage("rename to another folder", &rename_across)?;
    stage("rename over a file", &rename_over)?;
    stage("list", &|folder| ensure_names(folder, &names_at_last()))?;
    stage("rename the folder", &rename_folder)?;
    stage("delete while listing", &delete_while_listing)?;
    fs::remove_dir_all(&args.folder).context("remove what is left, which is folders only")?;
    if args.folder.exists() {
        bail!("{} is still there after its removal", args.folder.display());
    }
    println!("{}", serde_json::to_string(&done)?);
    Ok(())
}

fn for_each(folders: &[PathBuf], work: &(dyn Fn(&Path) -> Result<()> + Sync)) -> Result<()> {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                let mine = folders.iter().skip(worker).step_by(WORKERS);
                scope.spawn(move || mine.into_iter().try_for_each(|folder| work(folder)))
            })
            .collect();
        for worker in workers {
            worker.join().unwrap_or_else(|_| bail!("a worker panicked"))?;
        }
        Ok(())
    })
}

fn file_name(index: usize) -> String {
    format!("{index:020}.log")
}

fn content(folder: &Path, index: usize) -> Vec<u8> {
    // Every fourth file is empty. The others have up to about 20 KB.
    let line = format!("{} {index}\n", folder.display());
    line.repeat(index % 4 * (index % 97)).into_bytes()
}

fn create(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
    for index in 0..FILES_PER_FOLDER {
        let path = folder.join(file_name(index));
        let mut file = fs::File::create_new(&path).with_context(|| format!("create {}", path.display()))?;
        file.write_all(&content(folder, index)).with_context(|| format!("write {}", path.display()))?;
    }
    Ok(())
}

fn read_back(folder: &Path) -> Result<()> {
    for index in 0..FILES_PER_FOLDER {
        let path = folder.join(file_name(index));
        let found = fs::read(&path).with_context(|| format!("read {}", path.display()))?;
        ensure!(found == content(folder, index), "{} does not hold what was written", path.display());
    }
    Ok(())
}

/// Gives files 0..100 the suffix that Kafka gives to files that it will delete.
fn rename_within(folder: &Path) -> Result<()> {
    for index in 0..100 {
        rename(&folder.join(file_name(index)), &folder.join(file_name(index) + ".deleted"))?;
    }
    Ok(())
}

/// Moves files 100..150 to a folder inside.
fn rename_across(folder: &Path) -> Result<()> {
    let inside = folder.join("inside");
    fs::create_dir(&inside).with_context(|| format!("make {}", inside.display()))?;
    for index in 100..150 {
        rename(&folder.join(file_name(index)), &inside.join(file_name(index)))?;
    }
    Ok(())
}

/// Renames files 150..200 over files 200..250.
fn rename_over(folder: &Path) -> Result<()> {
    for index in 150..200 {
        let target = folder.join(file_name(index + 50));
        rename(&folder.join(file_name(index)), &target)?;
        let found = fs::read(&target).with_context(|| format!("read {}", target.display()))?;
        ensure!(found == content(folder, index), "{} holds the replaced file's content", target.display());
    }
    Ok(())
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).with_context(|| format!("rename {} to {}", from.display(), to.display()))?;
    ensure!(!from.exists(), "{} is still there after its rename", from.display());
    Ok(())
}

/// The expected names in a folder after all renames.
fn names_at_last() -> BTreeSet<String> {
    let deleted = (0..100).map(|index| file_name(index) + ".deleted");
    let kept = (200..FILES_PER_FOLDER).map(file_name);
    deleted.chain(kept).chain(["inside".to_owned()]).collect()
}

fn ensure_names(folder: &Path, expected: &BTreeSet<String>) -> Result<()> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))? {
        let name = entry.with_context(|| format!("list {}", folder.display()))?.file_name();
        let name = name.to_string_lossy().into_owned();
        ensure!(found.insert(name.clone()), "{} lists {name} twice", folder.display());
    }
    let missing: Vec<_> = expected.difference(&found).take(3).collect();
    let extra: Vec<_> = found.difference(expected).take(3).collect();
    ensure!(
        missing.is_empty() && extra.is_empty(),
        "{} lacks {missing:?} and has {extra:?} in excess (at most three of each are named)",
        folder.display()
    );
    Ok(())
}

/// Renames a folder, as Kafka does before it deletes a partition.
fn rename_folder(folder: &Path) -> Result<()> {
    rename(folder, &doomed(folder))
}

fn doomed(folder: &Path) -> PathBuf {
    folder.with_extension("5f0c-delete")
}

/// Removes each entry right after it was listed, while the listing continues.
fn delete_while_listing(folder: &Path) -> Result<()> {
    let folder = doomed(folder);
    empty(&folder.join("inside"))?;
    empty(&folder)
}

fn empty(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))? {
        let path = entry.with_context(|| format!("list {} while deleting", folder.display()))?.path();
        fs::remove_file(&path).with_context(|| format!("remove {}", path.display()))?;
    }
    fs::remove_dir(folder).with_context(|| format!("remove the folder {}, empty by now", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correct_file_system_passes_and_nothing_is_left() {
        let folder = std::env::temp_dir().join(format!("forebay-lab-tree-probe-{}", std::process::id()));
        run(&TreeArgs { folder: folder.clone(), files: 1000 }).unwrap();
        assert!(!folder.exists());
    }

    #[test]
    fn a_name_too_few_or_too_many_is_found() {
        let folder = std::env::temp_dir().join(format!("forebay-lab-names-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("here"), b"").unwrap();
        let error = ensure_names(&folder, &BTreeSet::from(["missing".to_owned()])).unwrap_err().to_string();
        fs::remove_dir_all(&folder).unwrap();
        assert!(error.contains("missing") && error.contains("here"), "{error}");
    }
}
