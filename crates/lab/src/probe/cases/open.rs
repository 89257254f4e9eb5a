//! Uses of an open file while its name and its mode change.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::folder::{ensure_content, forget, must_fail, names, pattern, write};
use super::{Case, CaseContext};
use crate::probe::mapped::Mapped;

/// Time limit for a client to clean up after the last close.
const CLOSING_PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(50);

pub const CASES: &[Case] = &[
    Case { name: "unlinked_while_open", run: unlinked_while_open },
    Case { name: "unlinked_while_mapped", run: unlinked_while_mapped },
    Case { name: "folder_goes_while_its_file_is_open", run: folder_goes_while_its_file_is_open },
    Case { name: "replaced_while_open", run: replaced_while_open },
    Case { name: "renamed_while_open", run: renamed_while_open },
    Case { name: "mode_taken_while_open", run: mode_taken_while_open },
    Case { name: "descriptors_share_an_offset", run: descriptors_share_an_offset },
    Case { name: "exclusive_creation_has_one_winner", run: exclusive_creation_has_one_winner },
    Case { name: "created_without_permission_to_write", run: created_without_permission_to_write },
    Case { name: "truncated_and_rewound", run: truncated_and_rewound },
    Case { name: "append_goes_to_the_end", run: append_goes_to_the_end },
    Case { name: "index_as_kafka_makes_it", run: index_as_kafka_makes_it },
    Case { name: "program_runs_from_the_storage", run: program_runs_from_the_storage },
    Case { name: "many_open_at_once", run: many_open_at_once },
    Case { name: "flock_excludes", run: flock_excludes },
];

fn new_file(path: &Path) -> Result<File> {
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(path);
    file.with_context(|| format!("create {}", path.display()))
}

fn unlinked_while_open(context: &CaseContext) -> Result<()> {
    let path = context.path("file");
    let file = new_file(&path)?;
    file.write_all_at(b"before", 0)?;
    fs::remove_file(&path)?;
    ensure!(names(&context.folder)?.is_empty(), "the folder lists {:?}", names(&context.folder)?);
    must_fail("open by the name", File::open(&path), &[Errno::NOENT])?;
    // The name can be used for another file.
    write(&path, b"another")?;
    file.write_all_at(b"after!", 1 << 20)?;
    forget(&file)?;
    let mut found = [0; 6];
    for (offset, expected) in [(0, b"before"), (1 << 20, b"after!")] {
        file.read_exact_at(&mut found, offset)?;
        ensure!(&found == expected, "the bytes at {offset} are {found:?}");
    }
    ensure!(file.metadata()?.nlink() == 0, "{} links are left", file.metadata()?.nlink());
    file.set_len(3)?;
    ensure!(file.metadata()?.len() == 3, "it cannot be truncated any more");
    file.set_permissions(Permissions::from_mode(0o600))?;
    drop(file);
    ensure_content(&path, b"another")
}

fn unlinked_while_mapped(context: &CaseContext) -> Result<()> {
    let path = context.path("file");
    let file = new_file(&path)?;
    file.set_len(8192)?;
    let mut map = Mapped::new(&file, 0, 8192)?;
    drop(file);
    map.write(5000, b"mapped")?;
    fs::remove_file(&path)?;
    ensure!(names(&context.folder)?.is_empty(), "the folder lists {:?}", names(&context.folder)?);
    map.write(100, b"after")?;
    map.sync().context("msync after the removal")?;
    let mut found = [0; 6];
    map.read(5000, &mut found)?;
    ensure!(&found == b"mapped", "the map holds {found:?}");
    Ok(())
}

fn folder_goes_while_its_file_is_open(context: &CaseContext) -> Result<()> {
    let folder = context.path("partition");
    fs::create_dir(&folder)?;
    let file = new_file(&folder.join("segment"))?;
    file.write_all_at(b"content", 0)?;
    let doomed = context.path("partition.0123-delete");
    fs::rename(&folder, &doomed)?;
    fs::remove_file(doomed.join("segment"))?;
    fs::remove_dir(&doomed).context("rmdir of a folder whose only file is open and removed")?;
    forget(&file)?;
    let mut found = [0; 7];
    file.read_exact_at(&mut found, 0)?;
    ensure!(&found == b"content", "the open file holds {found:?}");
    Ok(())
}

fn replaced_while_open(context: &CaseContext) -> Result<()> {
    let [old, new] = ["old", "new"].map(|name| context.path(name));
    let mut file = new_file(&old)?;
    file.write_all(b"old content")?;
    write(&new, b"new content!")?;
    fs::rename(&new, &old)?;
    ensure_content(&old, b"new content!")?;
    file.write_all(b", more")?;
    forget(&file)?;
    let mut found = String::new();
    file.rewind()?;
    file.read_to_string(&mut found)?;
    ensure!(found == "old content, more", "the replaced file holds {found:?}");
    drop(file);
    // A client that renames a file over one that it has open itself keeps the old one as `.nfs…`, and removes it some time after the last
    // close.
    let deadline = Instant::now() + CLOSING_PATIENCE;
    loop {
        let listed = names(&context.folder)?;
        if listed == ["old"] {
            return Ok(());
        }
        ensure!(Instant::now() < deadline, "the folder still lists {listed:?}");
        std::thread::sleep(PAUSE);
    }
}

fn renamed_while_open(context: &CaseContext) -> Result<()> {
    let [from, to] = ["from", "to"].map(|name| context.path(name));
    let mut file = new_file(&from)?;
    file.write_all(b"before")?;
    fs::rename(&from, &to)?;
    file.write_all(b" and after")?;
    drop(file);
    ensure_content(&to, b"before and after")
}

/// A process that has a file open can still use it after a change of mode that would refuse a new open.
fn mode_taken_while_open(context: &CaseContext) -> Result<()> {
    let path = context.path("file");
    let file = new_file(&path)?;
    file.write_all_at(b"first", 0)?;
    fs::set_permissions(&path, Permissions::from_mode(0o000))?;
    file.write_all_at(b"second", 0)?;
    forget(&file)?;
    let mut found = [0; 6];
    file.read_exact_at(&mut found, 0)?;
    ensure!(&found == b"second", "the file holds {found:?}");
    Ok(())
}

fn descriptors_share_an_offset(context: &CaseContext) -> Result<()> {
    let mut first = new_file(&context.path("file"))?;
    let mut second = first.try_clone()?;
    first.write_all(b"one ")?;
    second.write_all(b"two ")?;
    drop(first);
    second.write_all(b"three")?;
    drop(second);
    ensure_content(&context.path("file"), b"one two three")
}

fn exclusive_creation_has_one_winner(context: &CaseContext) -> Result<()> {
    const RIVALS: usize = 8;
    for round in 0..context.size(5, 50) {
        let path = context.path(&format!("lock.{round}"));
        let winners = std::thread::scope(|scope| {
            let rivals: Vec<_> =
                (0..RIVALS).map(|_| scope.spawn(|| File::create_new(&path).is_ok())).collect();
            rivals.into_iter().filter_map(|rival| rival.join().ok()).filter(|won| *won).count()
        });
        ensure!(winners == 1, "{winners} of {RIVALS} created the same file in round {round}");
    }
    Ok(())
}

/// The mode applies to later opens: the process that creates a file can write to it.
fn created_without_permission_to_write(context: &CaseContext) -> Result<()> {
    let path = context.path("file");
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o444).open(&path)?;
    file.write_all(b"content")?;
    file.sync_all()?;
    drop(file);
    ensure!(fs::metadata(&path)?.permissions().mode() & 0o777 == 0o444, "the mode is another one");
    ensure_content(&path, b"content")
}

fn truncated_and_rewound(context: &CaseContext) -> Result<()> {
    let path = context.path("file");
    let mut file = new_file(&path)?;
    for round in 0..context.size(5, 50) {
        let bytes = pattern(round as u64, 10_000 - round * 100);
        file.rewind()?;
        file.set_len(0)?;
        file.write_all(&bytes)?;
        ensure!(file.stream_position()? == bytes.len() as u64, "the offset is another one");
        ensure_content(&path, &bytes)?;
        File::create(&path).context("open with O_TRUNC")?;
        ensure!(file.metadata()?.len() == 0, "O_TRUNC by another descriptor left bytes");
    }
    Ok(())
}

fn append_goes_to_the_end(context: &CaseContext) -> Result<()> {
    let path = context.path("file");
    let mut file = OpenOptions::new().append(true).create_new(true).open(&path)?;
    let mut expected = Vec::new();
    for round in 0..context.size(10, 100) {
        let bytes = pattern(round as u64, 100 + round);
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&bytes)?;
        expected.extend_from_slice(&bytes);
    }
    drop(file);
    ensure_content(&path, &expected)
}

/// The file is extended at once, written through a mapping at several places, and truncated to the used part, while it is renamed and
/// removed.
fn index_as_kafka_makes_it(context: &CaseContext) -> Result<()> {
    const LENGTH: usize = 10 << 20;
    let path = context.path("00000000000000000000.index");
    let file = new_file(&path)?;
    file.set_len(LENGTH as u64)?;
    let mut map = Mapped::new(&file, 0, LENGTH)?;
    let entries = context.size(200, 5000);
    for entry in 0..entries {
        map.write(entry * 8, &(entry as u64).to_be_bytes())?;
    }
    map.sync()?;
    drop(map);
    file.set_len(entries as u64 * 8)?;
    forget(&file)?;
    let expected: Vec<u8> = (0..entries as u64).flat_map(u64::to_be_bytes).collect();
    ensure_content(&path, &expected)?;
    let deleted = path.with_extension("index.deleted");
    fs::rename(&path, &deleted)?;
    ensure_content(&deleted, &expected)?;
    fs::remove_file(&deleted)?;
    ensure!(file.metadata()?.nlink() == 0, "the removed index has links");
    Ok(())
}

fn program_runs_from_the_storage(context: &CaseContext) -> Result<()> {
    let program = context.path("echo");
    fs::copy("/bin/echo", &program).context("copy /bin/echo")?;
    fs::set_permissions(&program, Permissions::from_mode(0o755))?;
    let output = std::process::Command::new(&program).arg("hello").output().context("run it")?;
    ensure!(output.stdout == b"hello\n", "it printed {:?}", String::from_utf8_lossy(&output.stdout));
    fs::set_permissions(&program, Permissions::from_mode(0o644))?;
    let refused = std::process::Command::new(&program).output();
    must_fail("running a file without permission to run", refused, &[Errno::ACCESS])
}

fn many_open_at_once(context: &CaseContext) -> Result<()> {
    let count = context.size(100, 800);
    let files: Vec<File> =
        (0..count).map(|index| new_file(&context.path(&format!("file{index}")))).collect::<Result<_>>()?;
    for (index, file) in files.iter().enumerate() {
        file.write_all_at(format!("{index}").as_bytes(), 0)?;
    }
    for index in 0..count {
        fs::remove_file(context.path(&format!("file{index}")))?;
    }
    for (index, file) in files.iter().enumerate() {
        let expected = format!("{index}");
        let mut found = vec![0; expected.len()];
        file.read_exact_at(&mut found, 0)?;
        ensure!(found == expected.as_bytes(), "file {index} holds something else");
    }
    Ok(())
}

/// Locks also conflict between descriptors of the same process. An NFS client asks the server for a lock on all bytes.
fn flock_excludes(context: &CaseContext) -> Result<()> {
    let path = context.path("file");
    let (first, second) = (new_file(&path)?, File::options().read(true).write(true).open(&path)?);
    rustix::fs::flock(&first, FlockOperation::LockExclusive)?;
    let refused = rustix::fs::flock(&second, FlockOperation::NonBlockingLockExclusive);
    must_fail("a second exclusive flock", refused.map_err(Into::into), &[Errno::WOULDBLOCK])?;
    rustix::fs::flock(&first, FlockOperation::Unlock)?;
    rustix::fs::flock(&second, FlockOperation::NonBlockingLockExclusive).context("flock after unlock")?;
    Ok(())
}
