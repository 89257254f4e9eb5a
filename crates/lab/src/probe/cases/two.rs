//! Two processes that use the same files, on one client and on two.

use std::fs::{self, File};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::io::Errno;

use super::folder::{ensure_content, forget, must_fail, names, write};
use super::{Case, CaseContext};
use crate::probe::peer::{Peer, PeerReply, PeerRequest};

pub const CASES: &[Case] = &[
    Case { name: "closed_by_one_opened_by_the_other", run: closed_by_one_opened_by_the_other },
    Case { name: "removed_by_the_other_while_open", run: removed_by_the_other_while_open },
    Case { name: "replaced_by_the_other_while_open", run: replaced_by_the_other_while_open },
    Case { name: "folder_removed_after_the_other_opened", run: folder_removed_after_the_other_opened },
    Case { name: "exclusive_creation_between_two", run: exclusive_creation_between_two },
    Case { name: "listing_of_the_other", run: listing_of_the_other },
];

/// A little more than the time for which a client caches a folder (`acdirmax`).
const CACHE_PATIENCE: Duration = Duration::from_secs(90);
const PAUSE: Duration = Duration::from_millis(50);

fn with_each_peer(context: &CaseContext, case: impl Fn(&mut Peer, &Path) -> Result<()>) -> Result<()> {
    for (index, mut peer) in context.peers()?.into_iter().enumerate() {
        let side = ["another process", "another client"].get(index).copied().unwrap_or_default();
        let folder = context.path(&format!("peer-{index}"));
        fs::create_dir(&folder)?;
        case(&mut peer, &folder).with_context(|| format!("with {side}"))?;
    }
    Ok(())
}

/// A client that opens a file sees what another one wrote before it closed the file (close-to-open).
fn closed_by_one_opened_by_the_other(context: &CaseContext) -> Result<()> {
    with_each_peer(context, |peer, folder| {
        let path = folder.join("file");
        for round in 0..10u8 {
            let content = vec![round; 1000 * usize::from(round + 1)];
            write(&path, &content)?;
            let found = peer.bytes(&PeerRequest::ReadFile(path.clone()))?;
            ensure!(found == content, "the other reads {} bytes that are not round {round}'s", found.len());
            peer.must(&PeerRequest::Open("file".into(), path.clone()))?;
            peer.must(&PeerRequest::Write("file".into(), 10, vec![255; 5]))?;
            peer.must(&PeerRequest::Close("file".into()))?;
            let mut expected = content;
            expected.splice(10..15, [255; 5]);
            ensure_content(&path, &expected).with_context(|| format!("round {round}"))?;
        }
        Ok(())
    })
}

fn removed_by_the_other_while_open(context: &CaseContext) -> Result<()> {
    with_each_peer(context, |peer, folder| {
        let path = folder.join("file");
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        file.write_all_at(b"content", 0)?;
        file.sync_all()?;
        peer.must(&PeerRequest::Remove(path.clone()))?;
        file.write_all_at(b"more", 7).context("write after the other removed the file")?;
        forget(&file).context("fsync after the other removed the file")?;
        let mut found = [0; 11];
        file.read_exact_at(&mut found, 0).context("read after the other removed the file")?;
        ensure!(&found == b"contentmore", "the file holds {found:?}");
        Ok(())
    })
}

fn replaced_by_the_other_while_open(context: &CaseContext) -> Result<()> {
    with_each_peer(context, |peer, folder| {
        let [old, new] = ["old", "new"].map(|name| folder.join(name));
        let file = File::options().read(true).write(true).create_new(true).open(&old)?;
        file.write_all_at(b"old", 0)?;
        file.sync_all()?;
        write(&new, b"new one")?;
        peer.must(&PeerRequest::Rename(new, old.clone()))?;
        file.write_all_at(b", more", 3).context("write after the other replaced the file")?;
        forget(&file).context("fsync after the other replaced the file")?;
        let mut found = [0; 9];
        file.read_exact_at(&mut found, 0).context("read after the other replaced the file")?;
        ensure!(&found == b"old, more", "the file holds {found:?}");
        // The peer reads the file, because this client may open the old file under the name as long as it trusts its cache of the folder.
        let found = peer.bytes(&PeerRequest::ReadFile(old))?;
        ensure!(found == b"new one", "the one who replaced it finds {found:?} by its name");
        Ok(())
    })
}

/// The peer holds a file open; this process removes the file and its folder.
fn folder_removed_after_the_other_opened(context: &CaseContext) -> Result<()> {
    with_each_peer(context, |peer, folder| {
        let inside = folder.join("inside");
        let path = inside.join("file");
        fs::create_dir(&inside)?;
        peer.must(&PeerRequest::Open("held".into(), path.clone()))?;
        peer.must(&PeerRequest::Write("held".into(), 0, b"held".to_vec()))?;
        fs::remove_file(&path)?;
        fs::remove_dir(&inside).context("rmdir, with the other's file still open")?;
        peer.must(&PeerRequest::Write("held".into(), 4, b" on".to_vec()))?;
        let found = peer.bytes(&PeerRequest::Read("held".into(), 0, 7))?;
        ensure!(found == b"held on", "the other reads {found:?}");
        peer.must(&PeerRequest::Close("held".into()))
    })
}

fn exclusive_creation_between_two(context: &CaseContext) -> Result<()> {
    with_each_peer(context, |peer, folder| {
        for round in 0..20 {
            let path = folder.join(format!("lock.{round}"));
            peer.send(&PeerRequest::CreateNew(path.clone()))?;
            let mine = File::create_new(&path).is_ok();
            let theirs = matches!(peer.answer()?, PeerReply::Done);
            ensure!(mine != theirs, "round {round}: mine {mine}, theirs {theirs}");
        }
        Ok(())
    })
}

/// Changes by the peer appear in a listing after some time. A lookup shows them at once if the client has not cached the name.
fn listing_of_the_other(context: &CaseContext) -> Result<()> {
    with_each_peer(context, |peer, folder| {
        ensure!(names(folder)?.is_empty(), "the folder is not empty");
        peer.must(&PeerRequest::CreateNew(folder.join("made")))?;
        wait_until("what the other made is listed", || Ok(names(folder)? == ["made"]))?;
        ensure!(fs::metadata(folder.join("made"))?.nlink() == 1, "it has another number of links");
        peer.must(&PeerRequest::Remove(folder.join("made")))?;
        wait_until("what the other removed is gone", || Ok(names(folder)?.is_empty()))?;
        must_fail(
            "open of what the other removed",
            File::open(folder.join("made")),
            &[Errno::NOENT, Errno::STALE],
        )
    })
}

fn wait_until(what: &str, mut holds: impl FnMut() -> Result<bool>) -> Result<()> {
    let deadline = Instant::now() + CACHE_PATIENCE;
    while !holds()? {
        ensure!(Instant::now() < deadline, "not within {} s: {what}", CACHE_PATIENCE.as_secs());
        std::thread::sleep(PAUSE);
    }
    Ok(())
}
