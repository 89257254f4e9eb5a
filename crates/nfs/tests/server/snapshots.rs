//! `.snapshot`: how clients find, read, and do not change what a volume held; and the size of a volume.

use bytes::Bytes;
use forebay_nfs_client::{Attributes, Client, FileHandle, OpenFile};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{
    CreateHow, LinkArgs, OpenClaim, OpenHow, Operation, OperationResult, StableHow, StateId, access,
    attribute, share,
};
use forebay_pool::VolumeSpec;

use crate::attributes::value;
use crate::harness::{Daemon, on, put, root, status, volume};

/// A server whose volume has a file `log`, with a snapshot `monday` of before it was changed.
async fn with_snapshot() -> (Daemon, Client, FileHandle) {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let kafka = root(&client).await;
    let files = client.files();
    let log = files.create(&kafka, "log").await.expect("a file");
    files.write(&log, 0, Bytes::from_static(b"monday"), StableHow::Unstable).await.expect("it is written");
    take(&daemon, "monday").await;
    files.write(&log, 0, Bytes::from_static(b"tuesday"), StableHow::Unstable).await.expect("it is written");
    files.close(&log).await.expect("it is closed");
    (daemon, client, kafka)
}

async fn take(daemon: &Daemon, name: &str) {
    daemon.pool().snapshot_create(&["kafka".to_owned()], name).await.expect("a snapshot");
}

async fn names(client: &Client, directory: &FileHandle) -> Vec<Bytes> {
    let entries = client.files().readdir(directory).await.expect("it is listed");
    let mut names: Vec<Bytes> = entries.into_iter().map(|entry| entry.name).collect();
    names.sort();
    names
}

async fn open_to(
    client: &Client,
    directory: &FileHandle,
    name: &'static str,
    access: u32,
) -> Result<OpenFile, forebay_nfs_client::Error> {
    let claim = OpenClaim::Null(Bytes::from_static(name.as_bytes()));
    let args = client.files().open_args("reader", access, OpenHow::NoCreate, claim);
    client.files().open_with(directory, args).await
}

async fn content(client: &Client, directory: &FileHandle, name: &'static str) -> Vec<u8> {
    let file = open_to(client, directory, name, share::ACCESS_READ).await.expect("it is opened");
    let (payload, _) = client.files().read(&file, 0, 1000).await.expect("it is read");
    client.files().close(&file).await.expect("it is closed");
    payload.0.concat()
}

async fn above(client: &Client, handle: &FileHandle) -> FileHandle {
    let operations = [put(handle), Operation::Lookupp(()), Operation::Getfh(())];
    match client.try_compound(operations).await.expect("an answer").results.pop() {
        Some(OperationResult::Getfh(Ok(result))) => result.object,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_volumes_root_holds_its_snapshots_without_showing_it() {
    let (daemon, client, kafka) = with_snapshot().await;
    let files = client.files();
    assert_eq!(names(&client, &kafka).await, ["log"]);
    let all = files.lookup(&kafka, ".snapshot").await.expect("it is there");
    assert_eq!(names(&client, &all).await, ["monday"]);
    let monday = files.resolve("/kafka/.snapshot/monday").await.expect("the snapshot");
    assert_eq!(content(&client, &monday, "log").await, b"monday");
    assert_eq!(content(&client, &kafka, "log").await, b"tuesday");
    assert_eq!(above(&client, &monday).await, all);
    assert_eq!(above(&client, &all).await, kafka);

    // Only there: neither deeper in the volume, nor in the snapshot, nor above the volumes.
    let deeper = files.mkdir(&kafka, "d").await.expect("a directory");
    for directory in [&deeper, &monday, &files.resolve("/").await.expect("the root")] {
        assert_eq!(status(files.lookup(directory, ".snapshot").await), Status::NoEnt);
    }
    let before: u64 = value(&client, &all, attribute::CHANGE).await;
    take(&daemon, "tuesday").await;
    assert_eq!(names(&client, &all).await, ["monday", "tuesday"]);
    assert!(value::<u64>(&client, &all, attribute::CHANGE).await > before);
    daemon.pool().snapshot_delete("kafka", "monday").await.expect("it is deleted");
    assert_eq!(names(&client, &all).await, ["tuesday"]);
    assert_eq!(status(files.getattr(&monday).await), Status::Stale);
    assert_eq!(status(files.lookup(&all, "monday").await), Status::NoEnt);
}

#[tokio::test]
async fn a_snapshot_is_a_file_system_of_its_own_inside_its_volume() {
    let (_daemon, client, kafka) = with_snapshot().await;
    let all = client.files().lookup(&kafka, ".snapshot").await.expect("it is there");
    let monday = client.files().lookup(&all, "monday").await.expect("the snapshot");
    let fsid = async |handle: &FileHandle| value::<[u8; 16]>(&client, handle, attribute::FSID).await;
    assert_eq!(fsid(&all).await, fsid(&kafka).await);
    assert_ne!(fsid(&monday).await, fsid(&kafka).await);
    let log = client.files().lookup(&monday, "log").await.expect("the file");
    assert_eq!(fsid(&log).await, fsid(&monday).await);
    let covered: u64 = value(&client, &monday, attribute::MOUNTED_ON_FILEID).await;
    let listed = client.files().readdir(&all).await.expect("it is listed");
    assert_eq!(listed.len(), 1);
    assert_ne!(covered, value::<u64>(&client, &monday, attribute::FILEID).await);
}

#[tokio::test]
async fn nothing_can_be_changed_in_a_snapshot() {
    let (_daemon, client, _) = with_snapshot().await;
    let files = client.files();
    let monday = files.resolve("/kafka/.snapshot/monday").await.expect("the snapshot");
    let log = files.lookup(&monday, "log").await.expect("the file");
    assert_eq!(status(files.mkdir(&monday, "new").await), Status::RoFs);
    assert_eq!(status(files.create(&monday, "new").await), Status::RoFs);
    assert_eq!(status(files.remove(&monday, "log").await), Status::RoFs);
    assert_eq!(status(files.rename(&monday, "log", &monday, "new").await), Status::RoFs);
    assert_eq!(status(open_to(&client, &monday, "log", share::ACCESS_BOTH).await), Status::RoFs);
    let mode = Attributes::mode(0o777);
    assert_eq!(status(files.setattr(&log, StateId::ANONYMOUS, &mode).await), Status::RoFs);
    let anonymous = OpenFile { handle: log.clone(), stateid: StateId::ANONYMOUS, rflags: 0 };
    let write = files.write(&anonymous, 0, Bytes::from_static(b"x"), StableHow::Unstable).await;
    assert_eq!(status(write), Status::RoFs);
    let ask =
        Operation::Access(forebay_nfs_proto::xdr::nfs4::AccessArgs { access: access::READ | access::MODIFY });
    let OperationResult::Access(Ok(granted)) = on(&client, &log, ask).await else { panic!("no answer") };
    assert_eq!(granted.access, access::READ);
}

#[tokio::test]
async fn the_name_of_the_snapshots_cannot_be_given_to_anything_else() {
    let (_daemon, client, kafka) = with_snapshot().await;
    let files = client.files();
    assert_eq!(status(files.mkdir(&kafka, ".snapshot").await), Status::Exist);
    let guarded = OpenHow::Create(CreateHow::Guarded(Attributes::mode(0o644).encode()));
    assert_eq!(status(files.open_as("owner", &kafka, ".snapshot", guarded).await), Status::Exist);
    assert_eq!(status(files.create(&kafka, ".snapshot").await), Status::IsDir);
    assert_eq!(status(open_to(&client, &kafka, ".snapshot", share::ACCESS_READ).await), Status::IsDir);
    assert_eq!(status(files.rename(&kafka, "log", &kafka, ".snapshot").await), Status::Exist);
    assert_eq!(status(files.rename(&kafka, ".snapshot", &kafka, "mine").await), Status::Access);
    assert_eq!(status(files.remove(&kafka, ".snapshot").await), Status::Access);
    let log = files.lookup(&kafka, "log").await.expect("the file");
    let link = Operation::Link(LinkArgs { newname: Bytes::from_static(b".snapshot") });
    let operations = [put(&log), Operation::Savefh(()), put(&kafka), link];
    assert_eq!(client.try_compound(operations).await.expect("an answer").status, Status::Exist);
    // Elsewhere it is a name like any other.
    let deeper = files.mkdir(&kafka, "d").await.expect("a directory");
    files.mkdir(&deeper, ".snapshot").await.expect("a directory in it");
}

#[tokio::test]
async fn an_open_file_goes_on_after_a_rollback_and_a_newer_one_is_stale() {
    let (daemon, client, kafka) = with_snapshot().await;
    let files = client.files();
    let log = files.open(&kafka, "log").await.expect("it is opened");
    let newer = files.create(&kafka, "newer").await.expect("a file");
    let before: u64 = value(&client, &log.handle, attribute::CHANGE).await;
    daemon.pool().volume_rollback("kafka", "monday", false).await.expect("it is rolled back");
    let (payload, _) = files.read(&log, 0, 100).await.expect("it is read");
    assert_eq!(payload.0.concat(), b"monday");
    assert!(value::<u64>(&client, &log.handle, attribute::CHANGE).await > before);
    files.write(&log, 6, Bytes::from_static(b" again"), StableHow::FileSync).await.expect("it is written");
    assert_eq!(content(&client, &kafka, "log").await, b"monday again");
    assert_eq!(status(files.read(&newer, 0, 1).await), Status::Stale);
    assert_eq!(names(&client, &kafka).await, ["log"]);
    files.close(&log).await.expect("it is closed");
}

#[tokio::test]
async fn snapshots_are_there_after_a_restart_under_the_same_handles() {
    let (mut daemon, client, _) = with_snapshot().await;
    let monday = client.files().resolve("/kafka/.snapshot/monday").await.expect("the snapshot");
    daemon.restart().await;
    let client = daemon.mount("other").await;
    assert_eq!(client.files().resolve("/kafka/.snapshot/monday").await.expect("the snapshot"), monday);
}

#[tokio::test]
async fn a_volumes_size_is_what_clients_see_and_get() {
    const SIZE: u64 = 1 << 20;
    let daemon = Daemon::start().await;
    let spec = VolumeSpec { size: Some(SIZE), ..volume("small", true) };
    daemon.pool().volume_create(spec).await.expect("a volume");
    let client = daemon.mount("client").await;
    let small = client.files().resolve("/small").await.expect("the volume");
    let log = client.files().create(&small, "log").await.expect("a file");
    let bytes = Bytes::from(vec![7; 600_000]);
    client.files().write(&log, 0, bytes.clone(), StableHow::Unstable).await.expect("there is room");
    let space = async |attribute| value::<u64>(&client, &small, attribute).await;
    assert_eq!(space(attribute::SPACE_TOTAL).await, SIZE);
    assert_eq!(space(attribute::SPACE_AVAIL).await, SIZE - 600_000);
    let beyond = client.files().write(&log, 600_000, bytes.clone(), StableHow::Unstable).await;
    assert_eq!(status(beyond), Status::NoSpc);
    daemon.pool().volume_resize("small", Some(2 * SIZE)).await.expect("it is resized");
    client.files().write(&log, 600_000, bytes, StableHow::FileSync).await.expect("there is room now");
    assert_eq!(space(attribute::SPACE_AVAIL).await, 2 * SIZE - 1_200_000);
}
