//! Lists folders while they change, continuing at saved positions.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use rustix::fs::Dir;

use super::folder::names;
use super::{Case, CaseContext};

pub const CASES: &[Case] = &[
    Case { name: "large_folder", run: large_folder },
    Case { name: "removed_while_listed", run: removed_while_listed },
    Case { name: "added_while_listed", run: added_while_listed },
    Case { name: "positions_stay_valid", run: positions_stay_valid },
    Case { name: "numbers_are_those_of_stat", run: numbers_are_those_of_stat },
];

fn name(index: usize) -> String {
    format!("file-with-a-name-that-fills-a-reply-{index:06}")
}

fn make(context: &CaseContext, count: usize) -> Result<()> {
    (0..count).try_for_each(|index| {
        File::create_new(context.path(&name(index)))
            .map(drop)
            .with_context(|| format!("create {}", name(index)))
    })
}

fn open(folder: &Path) -> Result<Dir> {
    let file = File::open(folder).with_context(|| format!("open {}", folder.display()))?;
    Ok(Dir::read_from(&file)?)
}

/// The next name other than `.` and `..`, and the position after it.
fn next(dir: &mut Dir) -> Result<Option<(String, i64)>> {
    loop {
        let Some(entry) = dir.read() else { return Ok(None) };
        let entry = entry.context("readdir")?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != "." && name != ".." {
            return Ok(Some((name, entry.offset())));
        }
    }
}

fn large_folder(context: &CaseContext) -> Result<()> {
    let count = context.size(1000, 20_000);
    make(context, count)?;
    let expected: Vec<_> = (0..count).map(name).collect();
    ensure!(names(&context.folder)? == expected, "the listing of {count} names is not complete");
    for index in (0..count).step_by(2) {
        fs::remove_file(context.path(&name(index)))?;
    }
    ensure!(names(&context.folder)?.len() == count / 2, "the listing is wrong after half was removed");
    Ok(())
}

/// Removes entries while listing, as `rm -r` and Kafka do. Every name must still be listed exactly once.
fn removed_while_listed(context: &CaseContext) -> Result<()> {
    let count = context.size(500, 5000);
    make(context, count)?;
    let mut dir = open(&context.folder)?;
    let mut seen = BTreeSet::new();
    while let Some((found, _)) = next(&mut dir)? {
        ensure!(seen.insert(found.clone()), "{found} came twice");
        fs::remove_file(context.path(&found)).with_context(|| format!("remove {found}"))?;
    }
    ensure!(seen.len() == count, "{} of {count} names came", seen.len());
    fs::remove_dir(&context.folder).context("remove the empty folder")
}

/// Names that existed at the start must be listed once. Added names may be listed or not.
fn added_while_listed(context: &CaseContext) -> Result<()> {
    let count = context.size(500, 5000);
    make(context, count)?;
    let mut dir = open(&context.folder)?;
    let mut seen = BTreeSet::new();
    let mut added = 0;
    while let Some((found, _)) = next(&mut dir)? {
        ensure!(seen.insert(found.clone()), "{found} came twice");
        if added < count {
            File::create_new(context.path(&format!("added-{added}")))?;
            added += 1;
        }
    }
    let missing: Vec<_> = (0..count).map(name).filter(|name| !seen.contains(name)).take(3).collect();
    ensure!(missing.is_empty(), "these were there at the start and did not come: {missing:?}");
    Ok(())
}

/// `telldir`, removals before and after the position, `seekdir`: the rest must be listed, and no name a second time.
fn positions_stay_valid(context: &CaseContext) -> Result<()> {
    let count = context.size(500, 3000);
    make(context, count)?;
    let mut dir = open(&context.folder)?;
    let mut before = BTreeSet::new();
    let mut position = 0;
    while before.len() < count / 2 {
        let (found, behind) = next(&mut dir)?.context("the listing ended too early")?;
        before.insert(found);
        position = behind;
    }
    for (index, gone) in before.iter().enumerate() {
        if index % 2 == 0 {
            fs::remove_file(context.path(gone))?;
        }
    }
    let mut again = open(&context.folder)?;
    again.seek(position).context("seekdir")?;
    let mut after = BTreeSet::new();
    while let Some((found, _)) = next(&mut again)? {
        ensure!(!before.contains(&found), "{found} came before the position and after it");
        ensure!(after.insert(found.clone()), "{found} came twice");
    }
    ensure!(after.len() == count - before.len(), "{} of {} came after it", after.len(), count - before.len());
    again.rewind();
    let mut all = 0;
    while next(&mut again)?.is_some() {
        all += 1;
    }
    let left = count - before.len().div_ceil(2);
    ensure!(all == left, "{all} names came after rewinddir, and {left} are left");
    Ok(())
}

fn numbers_are_those_of_stat(context: &CaseContext) -> Result<()> {
    use std::os::unix::fs::MetadataExt;
    make(context, 50)?;
    let mut dir = open(&context.folder)?;
    while let Some(entry) = dir.read() {
        let entry = entry.context("readdir")?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // A mount point may have different inode numbers in the two file systems.
        if name == ".." {
            continue;
        }
        let number = fs::symlink_metadata(context.path(&name))?.ino();
        ensure!(entry.ino() == number, "{name} is listed as {} and stat says {number}", entry.ino());
    }
    Ok(())
}
