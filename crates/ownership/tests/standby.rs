//! Several nodes and one directory: who takes the pool, and when.
#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use forebay_ownership::{Claim, Holder, Node, Owner, Phase, Standby, StandbyError};
use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;
use tokio::time::timeout;

/// Longer than an owner may be silent, and all else that a takeover needs, also on a busy machine.
const ENOUGH: Duration = Duration::from_secs(10);

fn pool() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("FORMAT"), "forebay-pool 7\n").expect("a pool");
    File::create(directory.path().join("LOCK")).expect("its lock");
    directory
}

fn node(name: &str) -> Node {
    Node { name: name.to_owned(), boot: format!("boot of {name}") }
}

fn standby(directory: &TempDir, name: &str) -> Standby {
    Standby { directory: directory.path().into(), node: node(name), witness: None }
}

/// A fence program, and how often it ran.
#[derive(Clone, Default)]
struct Fence(Arc<AtomicUsize>);

impl Fence {
    async fn wait(&self, standby: &Standby) -> Result<Claim, StandbyError> {
        let fence = |_| {
            self.0.fetch_add(1, Ordering::Relaxed);
            async { Ok::<(), String>(()) }
        };
        standby.wait(fence).await
    }

    fn runs(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

async fn claim(standby: &Standby) -> Claim {
    let fence = Fence::default();
    let claim = timeout(ENOUGH, fence.wait(standby)).await.expect("at once").expect("a claim");
    assert_eq!(fence.runs(), 0, "nobody had to be fenced");
    claim
}

fn hold(claim: Claim) -> Holder {
    claim.hold(|other| panic!("{} took the pool", other.node.name)).expect("it is written")
}

fn read(directory: &Path) -> Owner {
    Owner::read(directory).expect("it can be read").expect("there is one")
}

/// The lock of a pool that a process has open.
fn lock(directory: &TempDir) -> File {
    let lock = File::open(directory.path().join("LOCK")).expect("the lock file");
    flock(&lock, FlockOperation::NonBlockingLockExclusive).expect("it is free");
    lock
}

/// An address at which nobody answers.
fn nowhere() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 1))
}

#[tokio::test]
async fn a_pool_that_nobody_owns_or_that_was_released_is_taken_at_once() {
    let directory = pool();
    let holder = hold(claim(&standby(&directory, "a")).await);
    assert_eq!(read(directory.path()).node.name, "a");
    holder.release(false).expect("released");
    let second = claim(&standby(&directory, "b")).await;
    assert_eq!(second.takeover().from.as_deref(), Some("a"));
    let holder = hold(second);
    holder.release(false).expect("released");
    hold(claim(&standby(&directory, "b")).await);
}

#[tokio::test]
async fn a_node_that_moves_the_pool_leaves_it_to_the_other() {
    let directory = pool();
    hold(claim(&standby(&directory, "a")).await).release(true).expect("released");
    let fence = Fence::default();
    assert!(timeout(Duration::from_secs(2), fence.wait(&standby(&directory, "a"))).await.is_err());
    claim(&standby(&directory, "b")).await;
}

#[tokio::test]
async fn a_process_that_died_on_this_node_is_replaced_at_once_unless_it_lives() {
    let directory = pool();
    let holder = hold(claim(&standby(&directory, "a")).await);
    drop(holder);
    claim(&standby(&directory, "a")).await;
    let _alive = lock(&directory);
    let fence = Fence::default();
    assert!(timeout(Duration::from_secs(2), fence.wait(&standby(&directory, "a"))).await.is_err());
}

#[tokio::test]
async fn an_owner_that_is_there_keeps_the_pool() {
    let directory = pool();
    let _holder = hold(claim(&standby(&directory, "a")).await);
    let fence = Fence::default();
    assert!(timeout(ENOUGH, fence.wait(&standby(&directory, "b"))).await.is_err());
    assert_eq!(fence.runs(), 0);
}

#[tokio::test]
async fn an_owner_that_falls_silent_is_fenced_once_and_replaced_by_one_of_two_standbys() {
    let directory = pool();
    let holder = hold(claim(&standby(&directory, "a")).await);
    holder.serving(Some(nowhere()), |_| ()).expect("it serves");
    let fence = Fence::default();
    let (b, c) = (standby(&directory, "b"), standby(&directory, "c"));
    let dying = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        drop(holder);
        Instant::now()
    };
    let taking = async {
        tokio::select! {
            claim = fence.wait(&b) => claim,
            claim = fence.wait(&c) => claim,
        }
        .expect("a claim")
    };
    let (died, taken) = tokio::join!(dying, timeout(ENOUGH, taking));
    let taken = taken.expect("in time");
    assert!((3000..8000).contains(&died.elapsed().as_millis()), "{:?}", died.elapsed());
    assert_eq!((fence.runs(), taken.takeover().from.as_deref()), (1, Some("a")));
    assert!(taken.takeover().silent_ms >= 3500 && taken.takeover().fence_ms.is_some());
    let _new = hold(taken);
    let late = Fence::default();
    let d = standby(&directory, "d");
    assert!(timeout(ENOUGH, late.wait(&d)).await.is_err(), "the new owner is there");
    assert_eq!(late.runs(), 0);
}

#[tokio::test]
async fn a_fence_that_fails_is_tried_again_and_the_pool_not_taken_before() {
    let directory = pool();
    let holder = hold(claim(&standby(&directory, "a")).await);
    let runs = AtomicUsize::new(0);
    let b = standby(&directory, "b");
    let fence = |_| {
        let run = runs.fetch_add(1, Ordering::Relaxed);
        async move { if run == 0 { Err("no answer from the power switch") } else { Ok(()) } }
    };
    let dying = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(holder);
    };
    let (taken, ()) = tokio::join!(timeout(ENOUGH * 3, b.wait(fence)), dying);
    taken.expect("in time").expect("a claim");
    assert_eq!(runs.load(Ordering::Relaxed), 2);
}

/// The owner does not beat, as if it were suspended, and its process still has the pool open.
#[tokio::test]
async fn a_fence_program_that_lies_is_found_out_by_the_lock() {
    let directory = pool();
    let holder = hold(claim(&standby(&directory, "a")).await);
    let _alive = lock(&directory);
    let dying = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(holder);
    };
    let (fence, b) = (Fence::default(), standby(&directory, "b"));
    let (taken, ()) = tokio::join!(timeout(ENOUGH * 2, fence.wait(&b)), dying);
    assert!(matches!(taken.expect("in time"), Err(StandbyError::FenceLied(node)) if node == "a"));
    assert_eq!(read(directory.path()).node.name, "a", "nothing was changed");
}

/// The owner cannot be reached and goes on to write, and the fence does not stop it.
#[tokio::test]
async fn a_fence_program_that_lies_is_found_out_by_what_the_owner_writes() {
    let directory = pool();
    let holder = hold(claim(&standby(&directory, "a")).await);
    holder.serving(Some(nowhere()), |_| ()).expect("it serves");
    let fence = Fence::default();
    // Port 1 refuses, so the witness answers and the owner does not.
    let b = Standby { witness: Some(nowhere()), ..standby(&directory, "b") };
    let taken = timeout(ENOUGH * 2, fence.wait(&b)).await.expect("in time");
    assert!(matches!(taken, Err(StandbyError::FenceLied(node)) if node == "a"));
    assert_eq!(fence.runs(), 1);
}

#[tokio::test]
async fn an_owner_that_was_never_seen_to_write_is_not_replaced_until_the_operator_removes_it() {
    let directory = pool();
    drop(hold(claim(&standby(&directory, "a")).await));
    let fence = Fence::default();
    let b = standby(&directory, "b");
    assert!(timeout(ENOUGH, fence.wait(&b)).await.is_err());
    assert_eq!(fence.runs(), 0);
    std::fs::remove_file(directory.path().join("OWNER")).expect("removed");
    claim(&b).await;
}

#[tokio::test]
async fn an_owner_that_answers_but_writes_elsewhere_is_an_error() {
    let here = pool();
    drop(hold(claim(&standby(&here, "a")).await));
    let answering = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a listener");
    let mut owner = read(here.path());
    (owner.phase, owner.address) = (Phase::Serving, Some(answering.local_addr().expect("an address")));
    let text = serde_json::to_string(&owner).expect("text");
    let line = format!("{text:<1015}");
    let sum = crc32c::crc32c(line.as_bytes());
    std::fs::write(here.path().join("OWNER"), format!("{line}{sum:08x}\n")).expect("it is written");
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        while let Ok((mut stream, _)) = answering.accept().await {
            let mut call = [0; 44];
            while stream.read_exact(&mut call).await.is_ok() {
                let mut reply = vec![0x80, 0, 0, 24];
                reply.extend_from_slice(&call[4..8]);
                reply.extend_from_slice(&[0; 20]);
                if stream.write_all(&reply).await.is_err() {
                    break;
                }
            }
        }
    });
    let fence = Fence::default();
    let taken = timeout(ENOUGH * 2, fence.wait(&standby(&here, "b"))).await.expect("in time");
    assert!(matches!(taken, Err(StandbyError::NotShared(node, _)) if node == "a"));
    assert_eq!(fence.runs(), 0);
}

#[tokio::test]
async fn a_directory_that_is_away_is_waited_for() {
    let directory = pool();
    let format = directory.path().join("FORMAT");
    let away = directory.path().join("away");
    std::fs::rename(&format, &away).expect("renamed");
    let (fence, a) = (Fence::default(), standby(&directory, "a"));
    assert!(timeout(Duration::from_secs(2), fence.wait(&a)).await.is_err());
    std::fs::rename(&away, &format).expect("renamed");
    claim(&a).await;
}
