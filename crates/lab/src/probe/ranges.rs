//! Locks on ranges of a file's bytes (fcntl), as POSIX has them. They belong to the process, not to the descriptor.

#![expect(
    unsafe_code,
    reason = "the system call takes a pointer to a structure, and no library here wraps it"
)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use serde::{Deserialize, Serialize};

/// What a lock lets others do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Others may lock for reading too.
    Read,
    /// Nobody else may lock.
    Write,
}

/// A range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// First byte.
    pub start: i64,
    /// Number of bytes; 0 for all to the greatest offset there is.
    pub length: i64,
}

/// Locks a range without waiting; EAGAIN (or EACCES) if another process holds a conflicting lock.
pub fn lock(file: &File, kind: Kind, range: Range) -> io::Result<()> {
    control(file, libc::F_SETLK, &mut description(raw(kind), range))
}

/// Locks a range, and waits while another process holds a conflicting lock.
pub fn lock_when_free(file: &File, kind: Kind, range: Range) -> io::Result<()> {
    control(file, libc::F_SETLKW, &mut description(raw(kind), range))
}

/// Unlocks what this process has of a range.
pub fn unlock(file: &File, range: Range) -> io::Result<()> {
    control(file, libc::F_SETLK, &mut description(libc::F_UNLCK, range))
}

/// The first lock of another process that is in the way of this one.
pub fn in_the_way(file: &File, kind: Kind, range: Range) -> io::Result<Option<(Kind, Range)>> {
    let mut found = description(raw(kind), range);
    control(file, libc::F_GETLK, &mut found)?;
    let range = Range { start: found.l_start, length: found.l_len };
    match i32::from(found.l_type) {
        libc::F_UNLCK => Ok(None),
        libc::F_RDLCK => Ok(Some((Kind::Read, range))),
        libc::F_WRLCK => Ok(Some((Kind::Write, range))),
        other => Err(io::Error::other(format!("the kernel answered with lock type {other}"))),
    }
}

fn raw(kind: Kind) -> i32 {
    match kind {
        Kind::Read => libc::F_RDLCK,
        Kind::Write => libc::F_WRLCK,
    }
}

fn description(kind: i32, range: Range) -> libc::flock {
    // Both constants are 0 to 2 everywhere.
    let short = |value: i32| libc::c_short::try_from(value).unwrap_or_default();
    libc::flock {
        l_type: short(kind),
        l_whence: short(libc::SEEK_SET),
        l_start: range.start,
        l_len: range.length,
        l_pid: 0,
    }
}

fn control(file: &File, command: i32, description: &mut libc::flock) -> io::Result<()> {
    // SAFETY: these commands take a pointer to a `flock`, which is valid and not shared during the call.
    let result = unsafe { libc::fcntl(file.as_raw_fd(), command, std::ptr::from_mut(description)) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
