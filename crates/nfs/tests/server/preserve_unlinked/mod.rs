//! Open files survive their unlink on the server: the promise of `OPEN4_RESULT_PRESERVE_UNLINKED`.
//!
//! `docs/unlinked-files.md` lists every case with its test here: what happens to names ([`names`]), what clients do
//! and what becomes of them ([`clients`]), restarts of the server ([`restarts`]), and what operators do to
//! volumes and clients ([`operators`]).

mod clients;
mod names;
mod operators;
mod restarts;

use bytes::Bytes;
use forebay_nfs_client::{Client, FileHandle, OpenFile};
use forebay_nfs_proto::xdr::nfs4::*;

use crate::harness::*;
use crate::state::*;

/// What every file holds here.
const DATA: &[u8] = b"record batches";

/// A server with a file that has no name any more, and that its client has open.
struct Orphaned {
    server: Daemon,
    client: Client,
    root: FileHandle,
    file: OpenFile,
}

impl Orphaned {
    /// The client is called `broker`, the file was called `log`.
    async fn new() -> Orphaned {
        let server = Daemon::start().await;
        let (client, root) = server.mount_root("broker").await;
        let file = filled(&client, &root, "log").await;
        client.files().remove(&root, "log").await.unwrap();
        Orphaned { server, client, root, file }
    }
}

/// Creates a file with [`DATA`], stable, and leaves it open.
async fn filled(client: &Client, directory: &FileHandle, name: &str) -> OpenFile {
    let file = client.files().create(directory, name).await.unwrap();
    client.files().write(&file, 0, Bytes::from_static(DATA), StableHow::FileSync).await.unwrap();
    file
}

/// How many names a file has.
async fn numlinks(client: &Client, file: &OpenFile) -> u32 {
    client.files().getattr(&file.handle).await.unwrap().numlinks.unwrap()
}

/// The open file is whole, and closing it is the end of it.
async fn assert_whole_until_closed(server: &Daemon, client: &Client, file: &OpenFile) {
    assert_eq!(numlinks(client, file).await, 0);
    assert_eq!(contents(client, file).await, DATA);
    client.files().close(file).await.unwrap();
    server.wait_until_no_orphan().await;
}

#[tokio::test]
async fn every_open_promises_what_its_volume_says() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    server.pool().volume_create(volume("plain", false)).await.unwrap();
    let plain = client.files().resolve("/plain").await.unwrap();
    for (directory, promised) in [(root, true), (plain, false)] {
        let file = client.files().create(&directory, "log").await.unwrap();
        assert_eq!(file.rflags & 0x8 != 0, promised);
        let again = open_by_handle(&client, &file.handle).await.unwrap();
        assert_eq!(again.rflags & 0x8 != 0, promised);
        assert_eq!(file.rflags & 0x2, 0, "4.1 has no OPEN_CONFIRM");
    }
}

#[tokio::test]
async fn a_volume_that_promises_nothing_keeps_open_files_all_the_same() {
    let server = Daemon::start().await;
    let client = server.mount("client").await;
    server.pool().volume_create(volume("plain", false)).await.unwrap();
    let plain = client.files().resolve("/plain").await.unwrap();
    let file = filled(&client, &plain, "log").await;
    client.files().remove(&plain, "log").await.unwrap();
    assert_whole_until_closed(&server, &client, &file).await;
}
