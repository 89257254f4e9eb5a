//! Single operations and their effects: the basic tests.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use rustix::fs::statvfs;
use rustix::io::Errno;

use super::folder::{ensure_content, forget, must_fail, names, pattern, write};
use super::{Case, CaseContext};

pub const CASES: &[Case] = &[
    Case { name: "tree_made_and_removed", run: tree_made_and_removed },
    Case { name: "lookups_across_the_mount", run: lookups_across_the_mount },
    Case { name: "modes_are_kept", run: modes_are_kept },
    Case { name: "times_are_kept", run: times_are_kept },
    Case { name: "a_change_moves_the_times", run: a_change_moves_the_times },
    Case { name: "large_file_reads_back", run: large_file_reads_back },
    Case { name: "listing_follows_changes", run: listing_follows_changes },
    Case { name: "rename_moves_a_file", run: rename_moves_a_file },
    Case { name: "links_count", run: links_count },
    Case { name: "symlinks_read_back", run: symlinks_read_back },
    Case { name: "statfs_makes_sense", run: statfs_makes_sense },
];

/// Folders below each other, with files in each.
fn tree_made_and_removed(context: &CaseContext) -> Result<()> {
    let (depth, width) = (context.size(3, 5), 4);
    let mut folders = vec![context.folder.clone()];
    let mut level = folders.clone();
    for _ in 0..depth {
        level = level
            .iter()
            .flat_map(|parent| (0..width).map(move |index| parent.join(format!("dir.{index}"))))
            .collect();
        for folder in &level {
            fs::create_dir(folder).with_context(|| format!("make {}", folder.display()))?;
            for index in 0..width {
                write(&folder.join(format!("file.{index}")), format!("{index}"))?;
            }
        }
        folders.extend_from_slice(&level);
    }
    for folder in folders.iter().skip(1).rev() {
        must_fail("rmdir of a folder with files", fs::remove_dir(folder), &[Errno::NOTEMPTY, Errno::EXIST])?;
        for index in 0..width {
            fs::remove_file(folder.join(format!("file.{index}")))?;
        }
        fs::remove_dir(folder).with_context(|| format!("remove {}", folder.display()))?;
        ensure!(!folder.exists(), "{} is there after its removal", folder.display());
    }
    ensure!(names(&context.folder)?.is_empty(), "something is left");
    Ok(())
}

/// Up to the root and down again, across the boundary between file systems.
fn lookups_across_the_mount(context: &CaseContext) -> Result<()> {
    write(&context.path("file"), b"here")?;
    let device = fs::metadata(&context.folder)?.dev();
    let mut up = context.folder.clone();
    for _ in context.folder.components() {
        up = up.join("..");
        fs::metadata(&up).with_context(|| format!("stat {}", up.display()))?;
    }
    let down = up.join(context.folder.strip_prefix("/").unwrap_or(&context.folder)).join("file");
    ensure_content(&down, b"here")?;
    ensure!(fs::metadata(&down)?.dev() == device, "the same file is on another device by another way");
    ensure!(fs::canonicalize(&down)? == fs::canonicalize(context.path("file"))?, "the way has another end");
    Ok(())
}

fn modes_are_kept(context: &CaseContext) -> Result<()> {
    let path = context.path("file");
    write(&path, b"x")?;
    for mode in [0o0, 0o666, 0o400, 0o755, 0o4711, 0o2755, 0o1777] {
        fs::set_permissions(&path, Permissions::from_mode(mode))
            .with_context(|| format!("chmod {mode:o}"))?;
        let found = fs::metadata(&path)?.permissions().mode() & 0o7777;
        ensure!(found == mode, "the mode is {found:o} after chmod {mode:o}");
    }
    Ok(())
}

fn times_are_kept(context: &CaseContext) -> Result<()> {
    let path = context.path("file");
    write(&path, b"x")?;
    let file = File::options().write(true).open(&path)?;
    let nanoseconds = Duration::from_nanos(123_456_789);
    for seconds in [0, 1, 1_000_000_000, 2_147_483_648, 4_294_967_296] {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds) + nanoseconds;
        file.set_times(fs::FileTimes::new().set_accessed(time).set_modified(time))
            .with_context(|| format!("set times to {seconds} s"))?;
        let found = file.metadata()?;
        ensure!(found.modified()? == time, "mtime is {:?} and was set to {time:?}", found.modified()?);
        ensure!(found.accessed()? == time, "atime is {:?} and was set to {time:?}", found.accessed()?);
    }
    Ok(())
}

/// A write changes mtime and ctime; a change of the mode changes only ctime.
fn a_change_moves_the_times(context: &CaseContext) -> Result<()> {
    let path = context.path("file");
    write(&path, b"x")?;
    let times = || -> Result<((i64, i64), (i64, i64))> {
        let found = fs::metadata(&path)?;
        Ok(((found.mtime(), found.mtime_nsec()), (found.ctime(), found.ctime_nsec())))
    };
    let first = times()?;
    // Longer than the resolution of any timestamp.
    std::thread::sleep(Duration::from_millis(20));
    fs::set_permissions(&path, Permissions::from_mode(0o600))?;
    let second = times()?;
    ensure!(second.0 == first.0 && second.1 > first.1, "chmod took times from {first:?} to {second:?}");
    std::thread::sleep(Duration::from_millis(20));
    write(&path, b"longer")?;
    let third = times()?;
    ensure!(third.0 > second.0 && third.1 > second.1, "a write took times from {second:?} to {third:?}");
    Ok(())
}

fn large_file_reads_back(context: &CaseContext) -> Result<()> {
    const PIECE: usize = 1 << 20;
    let pieces = context.size(16, 256);
    let file = File::options().read(true).write(true).create_new(true).open(context.path("large"))?;
    for index in 0..pieces {
        file.write_all_at(&pattern(index as u64, PIECE), (index * PIECE) as u64)?;
    }
    forget(&file)?;
    ensure!(file.metadata()?.len() == (pieces * PIECE) as u64, "the file has another length");
    let mut found = vec![0; PIECE];
    for index in 0..pieces {
        file.read_exact_at(&mut found, (index * PIECE) as u64)?;
        ensure!(found == pattern(index as u64, PIECE), "piece {index} is not what was written");
    }
    Ok(())
}

/// Right after each change, created names are listed and removed ones are not.
fn listing_follows_changes(context: &CaseContext) -> Result<()> {
    let count = context.size(100, 1000);
    let name = |index: usize| format!("file.{index:05}");
    for index in 0..count {
        write(&context.path(&name(index)), b"")?;
    }
    let mut expected: Vec<_> = (0..count).map(name).collect();
    ensure!(names(&context.folder)? == expected, "the listing is not what was made");
    while expected.len() > count / 2 {
        let gone = expected.remove(expected.len() / 3);
        fs::remove_file(context.path(&gone))?;
        if expected.len() % 10 == 0 {
            ensure!(names(&context.folder)? == expected, "the listing is wrong after the removal of {gone}");
        }
    }
    Ok(())
}

fn rename_moves_a_file(context: &CaseContext) -> Result<()> {
    let [from, to, folder] = ["from", "to", "folder"].map(|name| context.path(name));
    write(&from, b"content")?;
    fs::create_dir(&folder)?;
    let number = fs::metadata(&from)?.ino();
    let mut here = from;
    for there in [to, folder.join("inside")] {
        fs::rename(&here, &there).with_context(|| format!("rename to {}", there.display()))?;
        ensure!(!here.exists(), "{} is there after its rename", here.display());
        ensure!(fs::metadata(&there)?.ino() == number, "a rename made another file");
        ensure_content(&there, b"content")?;
        here = there;
    }
    Ok(())
}

fn links_count(context: &CaseContext) -> Result<()> {
    let path = context.path("file");
    write(&path, b"content")?;
    let links: Vec<PathBuf> = (0..10).map(|index| context.path(&format!("link.{index}"))).collect();
    let count = |path: &Path| -> Result<u64> { Ok(fs::metadata(path)?.nlink()) };
    for (index, link) in links.iter().enumerate() {
        fs::hard_link(&path, link)?;
        ensure!(count(&path)? == index as u64 + 2, "{} links after link {index}", count(&path)?);
    }
    fs::remove_file(&path)?;
    for (index, link) in links.iter().enumerate() {
        ensure_content(link, b"content")?;
        let left = (links.len() - index) as u64;
        ensure!(count(link)? == left, "{} links where {left} are left", count(link)?);
        fs::remove_file(link)?;
    }
    ensure!(names(&context.folder)?.is_empty(), "something is left");
    Ok(())
}

fn symlinks_read_back(context: &CaseContext) -> Result<()> {
    write(&context.path("file"), b"content")?;
    let long = "x/".repeat(500);
    for (index, target) in ["file", "missing", "./file", long.as_str(), "ünïcode"].iter().enumerate() {
        let link = context.path(&format!("link.{index}"));
        symlink(target, &link).with_context(|| format!("link to {target}"))?;
        ensure!(fs::read_link(&link)? == Path::new(target), "link {index} reads back as something else");
        ensure!(fs::symlink_metadata(&link)?.len() == target.len() as u64, "link {index} has another length");
    }
    ensure_content(&context.path("link.0"), b"content")?;
    must_fail("a link to nothing", File::open(context.path("link.1")), &[Errno::NOENT])
}

fn statfs_makes_sense(context: &CaseContext) -> Result<()> {
    let before = statvfs(&context.folder).context("statvfs")?;
    ensure!(before.f_blocks > 0 && before.f_bfree <= before.f_blocks, "more is free than there is");
    ensure!(before.f_bavail <= before.f_bfree, "more is available than is free");
    ensure!(before.f_namemax >= 255, "names may have {} bytes only", before.f_namemax);
    Ok(())
}
