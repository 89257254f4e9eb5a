//! Byte-range locks between two processes on one client, and between two clients.

use std::fs::File;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustix::io::Errno;

use super::folder::must_fail;
use super::{Case, CaseContext};
use crate::probe::peer::{Peer, PeerRequest};
use crate::probe::ranges::{self, Kind, Range};

pub const CASES: &[Case] = &[
    Case { name: "write_lock_excludes", run: write_lock_excludes },
    Case { name: "read_locks_are_shared", run: read_locks_are_shared },
    Case { name: "ranges_that_touch_do_not_meet", run: ranges_that_touch_do_not_meet },
    Case { name: "test_tells_the_lock_in_the_way", run: test_tells_the_lock_in_the_way },
    Case { name: "unlock_in_the_middle_splits", run: unlock_in_the_middle_splits },
    Case { name: "locks_side_by_side_are_one", run: locks_side_by_side_are_one },
    Case { name: "upgrade_and_downgrade", run: upgrade_and_downgrade },
    Case { name: "to_the_end_of_all_offsets", run: to_the_end_of_all_offsets },
    Case { name: "ranges_that_are_refused", run: ranges_that_are_refused },
    Case { name: "waiting_for_a_lock", run: waiting_for_a_lock },
    Case { name: "close_releases_all", run: close_releases_all },
    Case { name: "death_releases_all", run: death_releases_all },
    Case { name: "lock_of_an_unlinked_file", run: lock_of_an_unlinked_file },
    Case { name: "locks_do_not_stop_others_reading", run: locks_do_not_stop_others_reading },
    Case { name: "many_small_locks", run: many_small_locks },
];

/// The peer's name for the file.
const THEIRS: &str = "file";

fn range(start: i64, length: i64) -> Range {
    Range { start, length }
}

/// Runs a case with each peer in turn: one on this client, and one on another.
fn with_each(context: &CaseContext, case: impl Fn(&File, &mut Peer) -> Result<()>) -> Result<()> {
    for (index, mut peer) in context.peers()?.into_iter().enumerate() {
        let side = ["another process", "another client"].get(index).copied().unwrap_or_default();
        let path = context.path(&format!("file-{index}"));
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        peer.must(&PeerRequest::Open(THEIRS.into(), path))?;
        case(&file, &mut peer).with_context(|| format!("against {side}"))?;
        peer.must(&PeerRequest::Close(THEIRS.into()))?;
    }
    Ok(())
}

fn they_cannot(peer: &mut Peer, kind: Kind, range: Range) -> Result<()> {
    let number = peer.must_fail(&PeerRequest::Lock(THEIRS.into(), kind, range))?;
    let denied = [Errno::AGAIN, Errno::ACCESS].iter().any(|errno| errno.raw_os_error() == number);
    ensure!(denied, "a lock that is in the way was told with error {number}");
    Ok(())
}

fn they_can(peer: &mut Peer, kind: Kind, range: Range) -> Result<()> {
    peer.must(&PeerRequest::Lock(THEIRS.into(), kind, range))?;
    peer.must(&PeerRequest::Unlock(THEIRS.into(), range))
}

fn write_lock_excludes(context: &CaseContext) -> Result<()> {
    with_each(context, |file, peer| {
        ranges::lock(file, Kind::Write, range(0, 100))?;
        for kind in [Kind::Read, Kind::Write] {
            they_cannot(peer, kind, range(0, 100))?;
            they_cannot(peer, kind, range(99, 1))?;
            they_cannot(peer, kind, range(50, 0))?;
            they_can(peer, kind, range(100, 100))?;
        }
        ranges::unlock(file, range(0, 100))?;
        they_can(peer, Kind::Write, range(0, 100))
    })
}

fn read_locks_are_shared(context: &CaseContext) -> Result<()> {
    with_each(context, |file, peer| {
        ranges::lock(file, Kind::Read, range(0, 100))?;
        peer.must(&PeerRequest::Lock(THEIRS.into(), Kind::Read, range(50, 100)))?;
        they_cannot(peer, Kind::Write, range(0, 10))?;
        let mine = ranges::lock(file, Kind::Write, range(0, 100));
        must_fail("a write lock over the other's read lock", mine, &[Errno::AGAIN, Errno::ACCESS])?;
        peer.must(&PeerRequest::Unlock(THEIRS.into(), range(0, 0)))?;
        ranges::lock(file, Kind::Write, range(0, 100)).context("a write lock when the other's is gone")?;
        they_cannot(peer, Kind::Read, range(0, 1))
    })
}

fn ranges_that_touch_do_not_meet(context: &CaseContext) -> Result<()> {
    with_each(context, |file, peer| {
        for start in [0, 20, 40] {
            ranges::lock(file, Kind::Write, range(start, 10))?;
            peer.must(&PeerRequest::Lock(THEIRS.into(), Kind::Write, range(start + 10, 10)))?;
        }
        they_cannot(peer, Kind::Write, range(19, 2))?;
        ranges::lock(file, Kind::Write, range(60, 0)).context("a lock from the last on")
    })
}

fn test_tells_the_lock_in_the_way(context: &CaseContext) -> Result<()> {
    with_each(context, |file, peer| {
        ensure!(peer.in_the_way(THEIRS, Kind::Write, range(0, 0))?.is_none(), "nobody has a lock");
        ranges::lock(file, Kind::Write, range(1000, 24))?;
        ensure!(
            ranges::in_the_way(file, Kind::Write, range(0, 0))?.is_none(),
            "one's own lock is in the way"
        );
        for (asked, expected) in [
            (range(0, 0), Some((Kind::Write, range(1000, 24)))),
            (range(1010, 1), Some((Kind::Write, range(1000, 24)))),
            (range(0, 1000), None),
            (range(1024, 0), None),
        ] {
            let found = peer.in_the_way(THEIRS, Kind::Read, asked)?;
            ensure!(found == expected, "the conflict with {asked:?} is {found:?}, expected {expected:?}");
        }
        ranges::lock(file, Kind::Read, range(1000, 24))?;
        let found = peer.in_the_way(THEIRS, Kind::Read, range(0, 0))?;
        ensure!(found.is_none(), "a read lock is in the way of another: {found:?}");
        let found = peer.in_the_way(THEIRS, Kind::Write, range(0, 0))?;
        ensure!(found == Some((Kind::Read, range(1000, 24))), "in the way of a write lock is {found:?}");
        Ok(())
    })
}

fn unlock_in_the_middle_splits(context: &CaseContext) -> Result<()> {
    with_each(context, |file, peer| {
        ranges::lock(file, Kind::Write, range(0, 300))?;
        ranges::unlock(file, range(100, 100))?;
        they_can(peer, Kind::Write, range(100, 100))?;
        they_cannot(peer, Kind::Write, range(99, 1))?;
        they_cannot(peer, Kind::Write, range(200, 1))?;
        ranges::lock(file, Kind::Read, range(200, 50))?;
        they_can(peer, Kind::Read, range(200, 50))?;
        they_cannot(peer, Kind::Read, range(250, 1))
    })
}

fn locks_side_by_side_are_one(context: &CaseContext) -> Result<()> {
    with_each(context, |file, peer| {
        for start in [0, 200, 100] {
            ranges::lock(file, Kind::Write, range(start, 100))?;
        }
        let found = peer.in_the_way(THEIRS, Kind::Write, range(0, 1))?;
        ensure!(found == Some((Kind::Write, range(0, 300))), "three locks side by side are {found:?}");
        ranges::unlock(file, range(0, 300))?;
        they_can(peer, Kind::Write, range(0, 0))
    })
}

fn upgrade_and_downgrade(context: &CaseContext) -> Result<()> {
    with_each(context, |file, peer| {
        ranges::lock(file, Kind::Read, range(0, 100))?;
        ranges::lock(file, Kind::Write, range(0, 50)).context("upgrade half")?;
        they_cannot(peer, Kind::Read, range(0, 50))?;
        they_can(peer, Kind::Read, range(50, 50))?;
        ranges::lock(file, Kind::Read, range(0, 50)).context("downgrade")?;
        they_can(peer, Kind::Read, range(0, 100))?;
        they_cannot(peer, Kind::Write, range(0, 100))
    })
}

fn to_the_end_of_all_offsets(context: &CaseContext) -> Result<()> {
    with_each(context, |file, peer| {
        ranges::lock(file, Kind::Write, range(i64::MAX, 1)).context("the last byte")?;
        they_cannot(peer, Kind::Write, range(i64::MAX, 1))?;
        they_cannot(peer, Kind::Write, range(0, 0))?;
        they_can(peer, Kind::Write, range(0, i64::MAX))?;
        ranges::unlock(file, range(i64::MAX, 1))?;
        ranges::lock(file, Kind::Write, range(1 << 40, 0)).context("from 1 TiB to the end")?;
        let found = peer.in_the_way(THEIRS, Kind::Write, range(i64::MAX - 5, 3))?;
        ensure!(found == Some((Kind::Write, range(1 << 40, 0))), "a lock to the end is told as {found:?}");
        they_can(peer, Kind::Write, range(0, 1 << 40))?;
        ranges::unlock(file, range(1 << 41, 0))?;
        they_can(peer, Kind::Write, range(1 << 41, 0))?;
        they_cannot(peer, Kind::Write, range((1 << 41) - 1, 1))
    })
}

fn ranges_that_are_refused(context: &CaseContext) -> Result<()> {
    let file = File::options().read(true).write(true).create_new(true).open(context.path("file"))?;
    for refused in [range(-1, 10), range(0, -1), range(i64::MIN, 0)] {
        let result = ranges::lock(&file, Kind::Write, refused);
        must_fail("a lock that begins before the file", result, &[Errno::INVAL])?;
    }
    let result = ranges::lock(&file, Kind::Write, range(i64::MAX, 2));
    must_fail("a lock beyond the greatest offset", result, &[Errno::OVERFLOW, Errno::INVAL])?;
    let reader = File::open(context.path("file"))?;
    must_fail("a write lock by a reader", ranges::lock(&reader, Kind::Write, range(0, 1)), &[Errno::BADF])?;
    ranges::lock(&reader, Kind::Read, range(0, 1)).context("a read lock by a reader")
}

/// A waiting process gets the lock after it was released, and not before.
fn waiting_for_a_lock(context: &CaseContext) -> Result<()> {
    /// Long enough to show that the lock is not granted too early.
    const LOOK: Duration = Duration::from_millis(1500);
    with_each(context, |file, peer| {
        ranges::lock(file, Kind::Write, range(0, 10))?;
        peer.send(&PeerRequest::LockWhenFree(THEIRS.into(), Kind::Write, range(5, 10)))?;
        ensure!(!peer.answers_within(LOOK)?, "the lock was given while another had it");
        ranges::unlock(file, range(0, 10))?;
        let told = peer.answer().context("the lock is free")?;
        ensure!(matches!(told, crate::probe::peer::PeerReply::Done), "the wait ended with {told:?}");
        let mine = ranges::lock(file, Kind::Write, range(5, 1));
        must_fail("a lock that the other got", mine, &[Errno::AGAIN, Errno::ACCESS])?;
        peer.must(&PeerRequest::Unlock(THEIRS.into(), range(5, 10)))?;
        ranges::lock_when_free(file, Kind::Write, range(0, 0)).context("wait for what is free")
    })
}

/// Closing any descriptor of a file releases all of the process's locks on it.
fn close_releases_all(context: &CaseContext) -> Result<()> {
    with_each(context, |file, peer| {
        for start in [0, 100, 200] {
            ranges::lock(file, Kind::Write, range(start, 10))?;
        }
        drop(file.try_clone()?);
        they_can(peer, Kind::Write, range(0, 0))
    })
}

fn death_releases_all(context: &CaseContext) -> Result<()> {
    let path = context.path("file");
    let file = File::options().read(true).write(true).create_new(true).open(&path)?;
    let mut peer = Peer::start()?;
    peer.must(&PeerRequest::Open(THEIRS.into(), path))?;
    peer.must(&PeerRequest::Lock(THEIRS.into(), Kind::Write, range(0, 10)))?;
    peer.must(&PeerRequest::Lock(THEIRS.into(), Kind::Write, range(100, 0)))?;
    let mine = ranges::lock(&file, Kind::Write, range(0, 0));
    must_fail("a lock that the other has", mine, &[Errno::AGAIN, Errno::ACCESS])?;
    peer.kill()?;
    // The kernel may release the locks a moment after the process has ended.
    ranges::lock_when_free(&file, Kind::Write, range(0, 0)).context("lock after the other's death")
}

fn lock_of_an_unlinked_file(context: &CaseContext) -> Result<()> {
    with_each(context, |file, peer| {
        for name in ["file-0", "file-1"] {
            // Only one of the two files exists.
            let _ = std::fs::remove_file(context.path(name));
        }
        ranges::lock(file, Kind::Write, range(0, 10)).context("lock a file without a name")?;
        they_cannot(peer, Kind::Write, range(0, 10))?;
        ranges::unlock(file, range(0, 10))?;
        they_can(peer, Kind::Write, range(0, 10))
    })
}

/// Locks are advisory: reads and writes ignore them.
fn locks_do_not_stop_others_reading(context: &CaseContext) -> Result<()> {
    with_each(context, |file, peer| {
        use std::os::unix::fs::FileExt;
        file.write_all_at(b"content", 0)?;
        file.sync_all()?;
        ranges::lock(file, Kind::Write, range(0, 0))?;
        peer.must(&PeerRequest::Write(THEIRS.into(), 0, b"C".to_vec()))?;
        let found = peer.bytes(&PeerRequest::Read(THEIRS.into(), 0, 1))?;
        ensure!(found == b"C", "the other reads {found:?}");
        Ok(())
    })
}

fn many_small_locks(context: &CaseContext) -> Result<()> {
    let count = i64::try_from(context.size(100, 1000))?;
    with_each(context, |file, peer| {
        for index in 0..count {
            ranges::lock(file, Kind::Write, range(index * 2, 1)).with_context(|| format!("lock {index}"))?;
        }
        they_cannot(peer, Kind::Write, range(count, 1 + count % 2))?;
        they_can(peer, Kind::Write, range(1, 1))?;
        ranges::unlock(file, range(0, 0))?;
        they_can(peer, Kind::Write, range(0, 0))
    })
}
