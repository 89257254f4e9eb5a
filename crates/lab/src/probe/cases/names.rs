//! Operations on names that must be refused, or must change nothing.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

use anyhow::{Context, Result, ensure};
use rustix::io::Errno;

use super::folder::{ensure_content, must_fail, names, write};
use super::{Case, CaseContext};

pub const CASES: &[Case] = &[
    Case { name: "what_is_there_is_not_made_again", run: what_is_there_is_not_made_again },
    Case { name: "what_is_missing_is_missing", run: what_is_missing_is_missing },
    Case { name: "renames_that_change_nothing", run: renames_that_change_nothing },
    Case { name: "renames_that_are_refused", run: renames_that_are_refused },
    Case { name: "rename_between_folders_moves_links", run: rename_between_folders_moves_links },
    Case { name: "names_of_all_bytes", run: names_of_all_bytes },
    Case { name: "names_too_long", run: names_too_long },
    Case { name: "same_name_again_and_again", run: same_name_again_and_again },
];

fn what_is_there_is_not_made_again(context: &CaseContext) -> Result<()> {
    let [file, folder] = ["file", "folder"].map(|name| context.path(name));
    write(&file, b"content")?;
    fs::create_dir(&folder)?;
    for path in [&file, &folder] {
        must_fail("mkdir of what is there", fs::create_dir(path), &[Errno::EXIST])?;
        must_fail("O_EXCL of what is there", File::create_new(path), &[Errno::EXIST])?;
        must_fail("link to what is there", fs::hard_link(&file, path), &[Errno::EXIST])?;
        let symlink = std::os::unix::fs::symlink("x", path);
        must_fail("symlink to what is there", symlink, &[Errno::EXIST])?;
    }
    must_fail("unlink of a folder", fs::remove_file(&folder), &[Errno::ISDIR, Errno::PERM])?;
    must_fail("rmdir of a file", fs::remove_dir(&file), &[Errno::NOTDIR])?;
    must_fail("a file as a folder", File::open(file.join("x")), &[Errno::NOTDIR])?;
    must_fail("open of a folder for writing", File::options().write(true).open(&folder), &[Errno::ISDIR])?;
    ensure_content(&file, b"content")
}

/// The lookup is repeated, because the client may cache that a name is missing. It must drop that entry when the name is created.
fn what_is_missing_is_missing(context: &CaseContext) -> Result<()> {
    let missing = context.path("missing");
    for _ in 0..2 {
        must_fail("open of what is missing", File::open(&missing), &[Errno::NOENT])?;
        must_fail("unlink of what is missing", fs::remove_file(&missing), &[Errno::NOENT])?;
        must_fail("rmdir of what is missing", fs::remove_dir(&missing), &[Errno::NOENT])?;
        must_fail("rename of what is missing", fs::rename(&missing, context.path("x")), &[Errno::NOENT])?;
    }
    write(&missing, b"now it is there")?;
    ensure_content(&missing, b"now it is there")
}

fn renames_that_change_nothing(context: &CaseContext) -> Result<()> {
    let [file, link] = ["file", "link"].map(|name| context.path(name));
    write(&file, b"content")?;
    fs::hard_link(&file, &link)?;
    fs::rename(&file, &file).context("rename to itself")?;
    fs::rename(&file, &link).context("rename to another name of itself")?;
    ensure!(names(&context.folder)? == ["file", "link"], "a name is gone: {:?}", names(&context.folder)?);
    ensure!(fs::metadata(&file)?.nlink() == 2, "{} links", fs::metadata(&file)?.nlink());
    Ok(())
}

fn renames_that_are_refused(context: &CaseContext) -> Result<()> {
    let [file, empty, full] = ["file", "empty", "full"].map(|name| context.path(name));
    write(&file, b"content")?;
    fs::create_dir(&empty)?;
    fs::create_dir_all(full.join("inside/deeper"))?;
    must_fail("a folder into itself", fs::rename(&full, full.join("inside/deeper/x")), &[Errno::INVAL])?;
    must_fail("a folder over one with files", fs::rename(&empty, &full), &[Errno::NOTEMPTY, Errno::EXIST])?;
    must_fail("a folder over a file", fs::rename(&empty, &file), &[Errno::NOTDIR])?;
    must_fail("a file over a folder", fs::rename(&file, &empty), &[Errno::ISDIR])?;
    fs::rename(&full, &empty).context("a folder over an empty one")?;
    ensure!(empty.join("inside/deeper").is_dir(), "the renamed folder lost what was in it");
    ensure!(names(&context.folder)? == ["empty", "file"], "the names are {:?}", names(&context.folder)?);
    Ok(())
}

/// A folder's number of links counts its sub-folders, on file systems that count them at all.
fn rename_between_folders_moves_links(context: &CaseContext) -> Result<()> {
    let [from, to] = ["from", "to"].map(|name| context.path(name));
    fs::create_dir_all(from.join("moved/inside"))?;
    fs::create_dir(&to)?;
    let before = (fs::metadata(&from)?.nlink(), fs::metadata(&to)?.nlink());
    fs::rename(from.join("moved"), to.join("moved"))?;
    let after = (fs::metadata(&from)?.nlink(), fs::metadata(&to)?.nlink());
    ensure!(
        before == (3, 2) && after == (2, 3) || before == (1, 1) && after == (1, 1),
        "links went from {before:?} to {after:?}"
    );
    let up = fs::canonicalize(to.join("moved/inside/../.."))?;
    ensure!(up == fs::canonicalize(&to)?, "the way up from the moved folder leads to {}", up.display());
    Ok(())
}

fn names_of_all_bytes(context: &CaseContext) -> Result<()> {
    let names: [&[u8]; 8] = [
        b"with space",
        b"line\nbreak",
        b"-dash",
        b"tab\t",
        b"quote\"'\\",
        "größe-日本語-🦀".as_bytes(),
        b"...",
        b"*?[a]",
    ];
    for (index, name) in names.iter().enumerate() {
        let path = context.folder.join(OsStr::from_bytes(name));
        write(&path, format!("{index}")).with_context(|| format!("name {index}"))?;
    }
    ensure!(super::folder::names(&context.folder)?.len() == names.len(), "names are missing in the listing");
    for (index, name) in names.iter().enumerate() {
        let path = context.folder.join(OsStr::from_bytes(name));
        ensure_content(&path, format!("{index}").as_bytes())?;
        fs::remove_file(path)?;
    }
    Ok(())
}

fn names_too_long(context: &CaseContext) -> Result<()> {
    let longest = "n".repeat(255);
    write(&context.path(&longest), b"fits")?;
    ensure!(names(&context.folder)? == [longest.clone()], "the longest name is listed in another way");
    let longer = context.path(&"n".repeat(256));
    must_fail("a name of 256 bytes", File::create(&longer), &[Errno::NAMETOOLONG])?;
    must_fail("a folder's name of 256 bytes", fs::create_dir(&longer), &[Errno::NAMETOOLONG])?;
    let rename = fs::rename(context.path(&longest), &longer);
    must_fail("a rename to a name of 256 bytes", rename, &[Errno::NAMETOOLONG])?;
    ensure_content(&context.path(&longest), b"fits")
}

/// The name belongs to a new file each time. No filehandle of an earlier file may be used.
fn same_name_again_and_again(context: &CaseContext) -> Result<()> {
    let path = context.path("file");
    for round in 0..context.size(50, 1000) {
        let content = format!("round {round}");
        write(&path, &content)?;
        ensure_content(&path, content.as_bytes())?;
        if round % 3 == 0 {
            fs::rename(&path, context.path("other"))?;
            fs::remove_file(context.path("other"))?;
        } else {
            fs::remove_file(&path)?;
        }
        ensure!(!path.exists(), "it is still there after round {round}");
    }
    Ok(())
}
