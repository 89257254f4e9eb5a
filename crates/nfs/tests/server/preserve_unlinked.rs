//! Open files survive their unlink on the server: the promise of `OPEN4_RESULT_PRESERVE_UNLINKED`.

use bytes::Bytes;
use forebay_nfs::xdr::Status;
use forebay_nfs::xdr::nfs4::*;
use forebay_nfs_client::{Attributes, Client, ClientOptions};

use crate::harness::*;
use crate::state::*;

const DATA: &[u8] = b"record batches";

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
async fn the_last_of_several_opens_decides() {
    let server = Daemon::start().await;
    let (one, root) = server.mount_root("one").await;
    let two = server.mount("two").await;
    let first = one.files().create(&root, "log").await.unwrap();
    let second = two.files().open(&root, "log").await.unwrap();
    one.files().remove(&root, "log").await.unwrap();
    one.files().close(&first).await.unwrap();
    assert_eq!(server.orphans(), 1);
    contents(&two, &second).await;
    two.files().close(&second).await.unwrap();
    server.wait_until_no_orphan().await;
}

#[tokio::test]
async fn a_file_that_another_client_renames_over_survives_like_a_removed_one() {
    let server = Daemon::start().await;
    let (reader, root) = server.mount_root("reader").await;
    let renamer = server.mount("renamer").await;
    let open = reader.files().create(&root, "checkpoint").await.unwrap();
    reader.files().write(&open, 0, Bytes::from_static(DATA), StableHow::FileSync).await.unwrap();
    let temporary = renamer.files().create(&root, "checkpoint.tmp").await.unwrap();
    renamer.files().close(&temporary).await.unwrap();
    renamer.files().rename(&root, "checkpoint.tmp", &root, "checkpoint").await.unwrap();

    assert_eq!(reader.files().getattr(&open.handle).await.unwrap().numlinks, Some(0));
    assert_eq!(contents(&reader, &open).await, DATA);
    assert_eq!(reader.files().lookup(&root, "checkpoint").await.unwrap(), temporary.handle);
    reader.files().close(&open).await.unwrap();
    server.wait_until_no_orphan().await;
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
async fn an_orphan_outlives_a_restart_and_is_reclaimed() {
    let mut server = Daemon::start().await;
    let (client, root) = server.mount_root("broker").await;
    let file = client.files().create(&root, "log").await.unwrap();
    client.files().write(&file, 0, Bytes::from_static(DATA), StableHow::FileSync).await.unwrap();
    client.files().remove(&root, "log").await.unwrap();

    server.restart().await;
    assert_eq!(server.orphans(), 1);
    let client = server.connect("broker").await;
    let again = reclaim(&client, &file.handle).await.unwrap();
    assert_eq!(again.rflags & 0x8, 0x8);
    client.reclaim_complete().await.unwrap();
    assert_eq!(contents(&client, &again).await, DATA);
    assert_eq!(client.files().getattr(&again.handle).await.unwrap().numlinks, Some(0));
    assert_eq!(server.orphans(), 1, "reclaimed, so not freed with the end of the grace period");
    client.files().close(&again).await.unwrap();
    server.wait_until_no_orphan().await;
}

#[tokio::test]
async fn a_file_removed_while_its_holder_has_not_come_back_is_kept_for_it() {
    let mut server = Daemon::start().await;
    let (holder, root) = server.mount_root("holder").await;
    let _other = server.mount("other").await;
    let file = holder.files().create(&root, "log").await.unwrap();
    holder.files().write(&file, 0, Bytes::from_static(DATA), StableHow::FileSync).await.unwrap();
    let replaced = holder.files().create(&root, "checkpoint").await.unwrap();
    let temporary = holder.files().create(&root, "checkpoint.tmp").await.unwrap();
    holder.files().close(&temporary).await.unwrap();

    server.restart().await;
    let (other, root) = server.mount_root("other").await;
    other.files().remove(&root, "log").await.expect("names can go during the grace period");
    other.files().rename(&root, "checkpoint.tmp", &root, "checkpoint").await.unwrap();
    let holder = server.connect("holder").await;
    let file = reclaim(&holder, &file.handle).await.unwrap();
    let replaced = reclaim(&holder, &replaced.handle).await.unwrap();
    holder.reclaim_complete().await.unwrap();
    assert_eq!(contents(&holder, &file).await, DATA);
    for file in [file, replaced] {
        assert_eq!(holder.files().getattr(&file.handle).await.unwrap().numlinks, Some(0));
        holder.files().close(&file).await.unwrap();
    }
    server.wait_until_no_orphan().await;
}

#[tokio::test]
async fn orphans_that_nobody_reclaims_are_freed_after_the_grace_period() {
    let mut server = Daemon::start().await;
    let (client, root) = server.mount_root("broker").await;
    client.files().create(&root, "log").await.unwrap();
    client.files().remove(&root, "log").await.unwrap();
    server.restart().await;
    server.pass(GRACE / 2).await;
    assert_eq!(server.orphans(), 1);
    server.pass(GRACE / 2).await;
    server.wait_until_no_orphan().await;
}

#[tokio::test]
async fn an_orphan_goes_with_its_holders_lease() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("broker").await;
    client.files().create(&root, "log").await.unwrap();
    client.files().remove(&root, "log").await.unwrap();
    server.pass(LEASE).await;
    assert_eq!(server.orphans(), 1);
    server.pass(COURTESY).await;
    server.pass(LEASE).await;
    server.wait_until_no_orphan().await;
    assert_eq!(status(client.renew().await), Status::BadSession);
}

#[tokio::test]
async fn after_an_expired_lease_an_orphan_that_another_holds_is_found_by_its_handle() {
    let server = Daemon::start().await;
    let (expired, root) = server.mount_root("expired").await;
    let alive = server.mount("alive").await;
    let file = expired.files().create(&root, "log").await.unwrap();
    let kept = alive.files().open(&root, "log").await.unwrap();
    alive.files().remove(&root, "log").await.unwrap();
    for _ in 0..3 {
        server.expire_all_but(&[&alive]).await;
    }
    assert_eq!(status(expired.renew().await), Status::BadSession);
    let back = Client::mount(server.address(), ClientOptions::new("expired")).await.unwrap();
    let again = open_by_handle(&back, &file.handle).await.unwrap();
    assert_eq!(back.files().getattr(&again.handle).await.unwrap().numlinks, Some(0));
    alive.files().close(&kept).await.unwrap();
    contents(&back, &again).await;
    back.files().close(&again).await.unwrap();
    server.wait_until_no_orphan().await;
}
