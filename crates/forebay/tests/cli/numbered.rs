//! Numbered files, which a client creates and others recognise.

use std::time::Duration;

use bytes::Bytes;
use forebay_nfs_client::xdr::nfs4::StableHow;
use forebay_nfs_client::{Client, ClientOptions, FileHandle};
use tokio::sync::watch;

use crate::daemon::Daemon;

/// After this a server that was stopped is taken to be gone.
const SILENCE_MAX: Duration = Duration::from_secs(5);
/// Every so many files one is large enough for chunks.
const LARGE_EVERY: usize = 5;

pub fn assert_consistent(daemon: &Daemon) {
    assert!(daemon.done(&["pool", "check", "--read"]).ends_with("the pool is consistent\n"));
}

/// A client with nothing to reclaim, and the root of the volume `kafka`.
pub async fn mount(daemon: &Daemon, name: &str) -> (Client, FileHandle) {
    let client = Client::connect(daemon.address(), ClientOptions::new(name)).await.unwrap();
    client.reclaim_complete().await.unwrap();
    let root = client.files().resolve("/kafka").await.unwrap();
    (client, root)
}

/// The content of a file, which compresses badly.
pub fn content(number: usize) -> Bytes {
    let length = if number.is_multiple_of(LARGE_EVERY) { 400_000 } else { 1000 + number };
    let mut state = number as u64 + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// Creates the file with this number.
pub async fn create(client: &Client, root: &FileHandle, number: usize) -> forebay_nfs_client::Result<()> {
    let files = client.files();
    let file = files.create(root, &format!("file{number}")).await?;
    let bytes = content(number);
    for (part, piece) in bytes.chunks(100_000).enumerate() {
        let offset = part as u64 * 100_000;
        files.write(&file, offset, bytes.slice_ref(piece), StableHow::FileSync).await?;
    }
    files.close(&file).await
}

/// Creates files one after the other until the server no longer answers; says how many are acknowledged.
pub async fn create_until_it_stops(
    client: Client,
    root: FileHandle,
    from: usize,
    acknowledged: watch::Sender<usize>,
) {
    for number in from.. {
        match tokio::time::timeout(SILENCE_MAX, create(&client, &root, number)).await {
            Ok(Ok(_)) => acknowledged.send_replace(number + 1),
            _ => return,
        };
    }
}

/// Reads the first `count` files.
pub async fn assert_all_there(client: &Client, root: &FileHandle, count: usize) {
    let files = client.files();
    for number in 0..count {
        let expected = content(number);
        let file = files.open(root, &format!("file{number}")).await.unwrap();
        let mut found = Vec::new();
        while found.len() < expected.len() {
            let (payload, _) = files.read(&file, found.len() as u64, 100_000).await.unwrap();
            found.extend(payload.0.concat());
        }
        assert!(found == expected, "file {number} of {count}");
        files.close(&file).await.unwrap();
    }
}
