//! Streams whose chunks are appended before anybody asks for a sync.
//!
//! Random histories write short files, of which little is appended early. Here several clients write streams, two of them the same
//! one, as replicas do, and commit them at any time. The power fails at any step.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use super::content;
use super::history::Failure;
use super::log_tests::{Machine, content_of, file_in, found_by, wander, words};
use super::random::Random;
use crate::sim::faulty::{FaultyDisk, Plan};
use crate::{Handle, Pool, Stability, VolumeSpec};

const NAMES: [&str; 3] = ["leader", "follower", "other"];
const STREAM_BYTES: usize = 600 << 10;

/// Bytes that were appended early and then named by a flush, in all histories.
static NAMED: AtomicU64 = AtomicU64::new(0);

/// The content of each stream. The second is a copy of the first.
fn streams(seed: u64) -> [Bytes; 3] {
    let mut random = Random::new(seed);
    let at = random.below(300 << 10) as usize;
    let log = content::log(at, STREAM_BYTES, false);
    let other = if random.permille(500) {
        content::any(&mut random, STREAM_BYTES)
    } else {
        content::log(at / 2, STREAM_BYTES, true)
    };
    [log.clone(), log, other]
}

/// A client that writes a stream from its start or from where the file ends, until the end or until an error.
async fn write_stream(
    pool: Pool,
    file: Handle,
    content: Bytes,
    from: usize,
    mut random: Random,
    promised: impl Fn(usize),
) -> Result<(), crate::Error> {
    let mut end = from;
    while end < content.len() {
        let length = random.between(4 << 10, 48 << 10) as usize;
        let mut cuts = [end, (end + length / 2).min(content.len()), (end + length).min(content.len())];
        // Writes overtake each other on their way.
        if random.permille(200) {
            cuts.reverse();
        }
        for pair in cuts.windows(2) {
            let (start, stop) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            pool.write(file, start as u64, content.slice(start..stop), Stability::Unstable).await?;
        }
        end = (end + length).min(content.len());
        if random.permille(300) {
            wander(&mut random).await;
        }
        if random.permille(80) || end == content.len() {
            pool.commit(file, 0, 0).await?;
            promised(end);
        }
    }
    Ok(())
}

pub(super) fn run_streams(disk: Arc<FaultyDisk>, seed: u64) -> Result<(), Failure> {
    let mut machine = Machine::new(disk.clone(), seed);
    let promised = Rc::new(RefCell::new([0; NAMES.len()]));
    for life in 0..3 {
        let (disk, mut random) = (disk.clone(), machine.random.fork());
        let soon = random.permille(500);
        let cut = random.below(if soon { 40 } else { 400 });
        let promised = promised.clone();
        machine.run(|pool| async move {
            if life == 0 {
                let root = words(pool.volume_create(VolumeSpec::new("v", "/v")).await)?.root;
                for name in NAMES {
                    file_in(&pool, root, name).await?;
                }
            }
            let root = words(pool.volume("v"))?.root;
            let mut clients = Vec::new();
            for (index, content) in streams(seed).into_iter().enumerate() {
                let before = content_of(&pool, root, NAMES[index]).await?;
                let known = promised.borrow()[index];
                if before.get(..known) != content.get(..known) {
                    return Err(format!("{} does not have what was promised", NAMES[index]));
                }
                let file = words(pool.lookup(root, NAMES[index].as_bytes()).await)?.handle;
                let tell = promised.clone();
                let promise = move |end| tell.borrow_mut()[index] = end;
                let random = random.fork();
                clients.push(tokio::task::spawn_local(write_stream(
                    pool.clone(),
                    file,
                    content,
                    known,
                    random,
                    promise,
                )));
            }
            if life < 2 {
                disk.arm(Plan { power: Some(cut), ..Plan::default() });
            }
            for client in clients {
                let written = client.await.map_err(|error| error.to_string())?;
                if life == 2 {
                    words(written)?;
                }
            }
            NAMED.fetch_add(words(pool.counters())?.bytes_early_named, Ordering::SeqCst);
            Ok(())
        });
    }
    machine.run(|pool| async move {
        let root = words(pool.volume("v"))?.root;
        for (name, content) in NAMES.iter().zip(streams(seed)) {
            if content_of(&pool, root, name).await? != content {
                return Err(format!("{name} does not have what was written"));
            }
        }
        Ok(())
    });
    machine.end(seed)
}

#[test]
fn streams_that_are_appended_early_keep_what_was_promised() {
    assert_eq!(found_by(None, 1500, run_streams), None);
    assert!(NAMED.load(Ordering::SeqCst) > 10 << 20, "hardly anything was appended early");
}
