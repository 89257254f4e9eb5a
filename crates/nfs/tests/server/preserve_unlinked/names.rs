//! What happens to the names of open files: REMOVE, RENAME over them, RMDIR of what they were in, LINK.

use bytes::Bytes;
use forebay_nfs_client::{Attributes, Client, FileHandle, OpenFile};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;

use super::*;

/// Gives a file another name.
async fn link(client: &Client, file: &OpenFile, directory: &FileHandle, name: &'static str) -> Status {
    let link = Operation::Link(LinkArgs { newname: Bytes::from_static(name.as_bytes()) });
    let operations = [put(&file.handle), Operation::Savefh(()), put(directory), link];
    client.try_compound(operations).await.unwrap().status
}

#[tokio::test]
async fn all_that_a_client_sends_after_the_remove_still_works() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let files = client.files();
    let directory = files.mkdir(&root, "demo-0").await.unwrap();
    let file = files.create(&directory, "00000000000000000000.log").await.unwrap();
    files.write(&file, 0, Bytes::from_static(DATA), StableHow::Unstable).await.unwrap();
    files.remove(&directory, "00000000000000000000.log").await.unwrap();

    assert_eq!(status(files.lookup(&directory, "00000000000000000000.log").await), Status::NoEnt);
    assert!(files.readdir(&directory).await.unwrap().is_empty());
    files.remove(&root, "demo-0").await.expect("the parent directory is empty");

    let attributes = files.getattr(&file.handle).await.unwrap();
    assert_eq!((attributes.numlinks, attributes.size), (Some(0), Some(DATA.len() as u64)));
    let end = DATA.len() as u64;
    files.write(&file, end, Bytes::from_static(DATA), StableHow::Unstable).await.unwrap();
    files.commit(&file.handle).await.unwrap();
    assert_eq!(contents(&client, &file).await, [DATA, DATA].concat());
    files.setattr(&file.handle, file.stateid, &Attributes::size(3)).await.unwrap();
    assert_eq!(contents(&client, &file).await, &DATA[..3]);
    lock(&client, &file).await.unwrap();
    assert_eq!(server.orphans(), 1);

    files.close(&file).await.unwrap();
    server.wait_until_no_orphan().await;
    assert_eq!(status(files.getattr(&file.handle).await), Status::Stale);
}

#[tokio::test]
async fn a_file_with_another_name_is_no_orphan() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = client.files().create(&root, "one").await.unwrap();
    let link = Operation::Link(LinkArgs { newname: Bytes::from_static(b"two") });
    client.compound([put(&file.handle), Operation::Savefh(()), put(&root), link]).await.unwrap();
    client.files().remove(&root, "one").await.unwrap();
    assert_eq!(client.files().getattr(&file.handle).await.unwrap().numlinks, Some(1));
    assert_eq!(server.orphans(), 0);
    client.files().close(&file).await.unwrap();
    assert_eq!(client.files().lookup(&root, "two").await.unwrap(), file.handle);
}

#[tokio::test]
async fn a_file_that_nobody_has_open_goes_at_once() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = client.files().create(&root, "log").await.unwrap();
    client.files().close(&file).await.unwrap();
    client.files().remove(&root, "log").await.unwrap();
    server.wait_until_no_orphan().await;
    assert_eq!(status(client.files().getattr(&file.handle).await), Status::Stale);
    assert_eq!(status(open_by_handle(&client, &file.handle).await), Status::Stale);
}

#[tokio::test]
async fn the_last_of_several_names_makes_the_orphan() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = filled(&client, &root, "one").await;
    assert_eq!(link(&client, &file, &root, "two").await, Status::Ok);
    let another = client.files().create(&root, "another").await.unwrap();
    client.files().close(&another).await.unwrap();
    client.files().remove(&root, "one").await.unwrap();
    assert_eq!((numlinks(&client, &file).await, server.orphans()), (1, 0));
    client.files().rename(&root, "another", &root, "two").await.unwrap();
    assert_eq!(server.orphans(), 1);
    assert_whole_until_closed(&server, &client, &file).await;
}

#[tokio::test]
async fn renaming_one_name_of_a_file_over_another_of_it_changes_nothing() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = filled(&client, &root, "one").await;
    assert_eq!(link(&client, &file, &root, "two").await, Status::Ok);
    client.files().rename(&root, "one", &root, "two").await.unwrap();
    assert_eq!((numlinks(&client, &file).await, server.orphans()), (2, 0));
    assert_eq!(contents(&client, &file).await, DATA);
}

#[tokio::test]
async fn a_file_without_a_name_gets_none_again() {
    let Orphaned { server, client, root, file } = Orphaned::new().await;
    assert_eq!(
        link(&client, &file, &root, "back").await,
        Status::Stale,
        "of LINK's errors the one that fits"
    );
    assert_eq!(status(client.files().lookup(&root, "back").await), Status::NoEnt);
    assert_whole_until_closed(&server, &client, &file).await;
}

#[tokio::test]
async fn a_new_file_of_the_name_is_another_file() {
    let Orphaned { server, client, root, file } = Orphaned::new().await;
    let new = client.files().create(&root, "log").await.unwrap();
    assert_ne!(new.handle, file.handle);
    client.files().write(&new, 0, Bytes::from_static(b"new"), StableHow::FileSync).await.unwrap();
    assert_whole_until_closed(&server, &client, &file).await;
    assert_eq!(contents(&client, &new).await, b"new");
    assert_eq!(numlinks(&client, &new).await, 1);
}

#[tokio::test]
async fn a_file_that_its_own_holder_renames_over_survives_too() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let replaced = filled(&client, &root, "checkpoint").await;
    let temporary = client.files().create(&root, "checkpoint.tmp").await.unwrap();
    client.files().rename(&root, "checkpoint.tmp", &root, "checkpoint").await.unwrap();
    assert_eq!(client.files().lookup(&root, "checkpoint").await.unwrap(), temporary.handle);
    assert_whole_until_closed(&server, &client, &replaced).await;
}

/// The name that Linux gives to a deleted file that is open.
fn silly_name(attributes: &Attributes) -> String {
    format!(".nfs{:016x}{:08x}", attributes.fileid.unwrap(), 7)
}

#[tokio::test]
async fn a_name_that_linux_hides_is_gone_at_once() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let files = client.files();
    let directory = files.mkdir(&root, "demo-0").await.unwrap();
    let replaced = filled(&client, &directory, "0.log.deleted").await;
    let silly = silly_name(&files.getattr(&replaced.handle).await.unwrap());
    files.rename(&directory, "0.log.deleted", &directory, &silly).await.unwrap();
    assert!(files.readdir(&directory).await.unwrap().is_empty());
    assert_eq!(status(files.remove(&directory, &silly).await), Status::NoEnt);
    files.remove(&root, "demo-0").await.expect("the directory is empty");
    assert_whole_until_closed(&server, &client, &replaced).await;
}

#[tokio::test]
async fn other_renames_to_such_a_name_are_renames() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let other = server.mount("other").await;
    let files = client.files();
    let file = filled(&client, &root, "log").await;
    let silly = silly_name(&files.getattr(&file.handle).await.unwrap());
    // Who renames does not have the file open.
    other.files().rename(&root, "log", &root, &silly).await.unwrap();
    assert_eq!(files.lookup(&root, &silly).await.unwrap(), file.handle);
    files.rename(&root, &silly, &root, "log").await.unwrap();
    // The name has the number of another file.
    let wrong = ".nfs00000000000fffff00000007";
    files.rename(&root, "log", &root, wrong).await.unwrap();
    files.rename(&root, wrong, &root, "log").await.unwrap();
    // The directory is another.
    let directory = files.mkdir(&root, "directory").await.unwrap();
    files.rename(&root, "log", &directory, &silly).await.unwrap();
    files.rename(&directory, &silly, &root, "log").await.unwrap();
    // The name exists.
    let taken = files.create(&root, &silly).await.unwrap();
    files.close(&taken).await.unwrap();
    files.rename(&root, "log", &root, &silly).await.unwrap();
    assert_eq!(files.lookup(&root, &silly).await.unwrap(), file.handle);
    files.rename(&root, &silly, &root, "log").await.unwrap();
    // The file is not open any more.
    files.close(&file).await.unwrap();
    files.rename(&root, "log", &root, &silly).await.unwrap();
    assert_eq!(files.lookup(&root, &silly).await.unwrap(), file.handle);
    assert_eq!(server.orphans(), 0);

    server.pool().volume_create(volume("plain", false)).await.unwrap();
    let plain = files.resolve("/plain").await.unwrap();
    let file = filled(&client, &plain, "log").await;
    let silly = silly_name(&files.getattr(&file.handle).await.unwrap());
    files.rename(&plain, "log", &plain, &silly).await.unwrap();
    assert_eq!(files.lookup(&plain, &silly).await.unwrap(), file.handle, "the volume promises nothing");
}

#[tokio::test]
async fn the_whole_way_to_an_open_file_can_be_renamed_and_removed() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let files = client.files();
    let topic = files.mkdir(&root, "topic").await.unwrap();
    let partition = files.mkdir(&topic, "0").await.unwrap();
    let file = filled(&client, &partition, "log").await;
    files.rename(&topic, "0", &topic, "0-delete").await.unwrap();
    assert_eq!(status(files.remove(&topic, "0-delete").await), Status::NotEmpty);
    files.remove(&partition, "log").await.unwrap();
    files.remove(&topic, "0-delete").await.unwrap();
    files.remove(&root, "topic").await.unwrap();
    assert!(files.readdir(&root).await.unwrap().is_empty());
    assert_eq!(status(files.getattr(&partition).await), Status::Stale, "nobody holds a directory");
    assert_whole_until_closed(&server, &client, &file).await;
}

#[tokio::test]
async fn a_remove_sent_again_under_its_sequence_id_is_answered_again() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = filled(&client, &root, "log").await;
    let slot = client.take_slot().unwrap();
    let slot = forebay_nfs_client::Slot { sequence: slot.sequence + 1, ..slot };
    let remove = || Operation::Remove(RemoveArgs { target: Bytes::from_static(b"log") });
    for _ in 0..2 {
        let reply = client.compound_on(0, slot, true, [put(&root), remove()]).await.unwrap();
        assert_eq!(reply.status, Status::Ok);
    }
    assert_eq!(status(client.files().remove(&root, "log").await), Status::NoEnt);
    assert_whole_until_closed(&server, &client, &file).await;
}
