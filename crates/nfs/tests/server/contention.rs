//! Many clients at once on the same few files: locks exclude, and nothing is left behind.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use forebay_nfs_client::{Attributes, Client, FileHandle, OpenFile};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;

use crate::harness::*;
use crate::state::*;

const CLIENTS: usize = 3;
const WORKERS: usize = 3;
const ROUNDS: usize = 20;

/// Files that a worker has locked.
type Held = Arc<Mutex<HashSet<FileHandle>>>;

/// Creates or opens a file, locks it, and closes it, with or without unlocking and removing it before.
async fn work(client: &Client, root: &FileHandle, owner: &str, held: &Held, round: usize) {
    let files = client.files();
    let name = format!("f{}", round % 2);
    let file = open(client, root, owner, &name).await;
    match lock_with(client, &file, lock_args(client, &file, owner, LockType::Write)).await {
        Ok(stateid) => {
            assert!(held.lock().unwrap().insert(file.handle.clone()), "two have the same lock");
            if round.is_multiple_of(3) {
                let gone = files.remove(root, &name).await;
                assert!(gone.is_ok() || status(gone) == Status::NoEnt);
            }
            contents(client, &file).await;
            assert!(held.lock().unwrap().remove(&file.handle));
            if round.is_multiple_of(2) {
                unlock(client, &file, stateid, (0, u64::MAX)).await.expect("it was locked");
            }
        }
        Err(denied) => assert_eq!(denied, Status::Denied),
    }
    files.close(&file).await.expect("it was open");
}

/// Opens the file as a client must: one that is told to wait, because the others are too quick for it, tries again.
async fn open(client: &Client, root: &FileHandle, owner: &str, name: &str) -> OpenFile {
    let opened = async {
        loop {
            let how = CreateHow::Unchecked(Attributes::mode(0o644).encode());
            match client.files().open_as(owner, root, name, OpenHow::Create(how)).await {
                Ok(file) => return file,
                Err(error) => assert_eq!(status(Err::<(), _>(error)), Status::Delay),
            }
        }
    };
    tokio::time::timeout(DEADLINE, opened).await.expect("the file opens at last")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn locks_exclude_and_nothing_is_left_behind() {
    let server = Daemon::start().await;
    let held = Held::default();
    let mut clients = Vec::new();
    let mut workers = tokio::task::JoinSet::new();
    for number in 0..CLIENTS {
        let (client, root) = server.mount_root(&format!("client{number}")).await;
        let client = Arc::new(client);
        for worker in 0..WORKERS {
            let (client, root, held) = (client.clone(), root.clone(), held.clone());
            workers.spawn(async move {
                for round in 0..ROUNDS {
                    work(&client, &root, &format!("worker{worker}"), &held, round + worker).await;
                }
            });
        }
        clients.push(client);
    }
    while let Some(worker) = tokio::time::timeout(DEADLINE, workers.join_next()).await.expect("no one hangs")
    {
        worker.expect("no worker failed");
    }
    server.wait_until_no_orphan().await;
    for client in clients {
        let client = Arc::into_inner(client).expect("the workers are done");
        client.unmount().await.expect("nothing is open or locked any more");
    }
}
