//! Restarts of the server at each step, with clients that come back and clients that do not. What a kill does in the
//! middle of a step is in `crash.rs`.

use bytes::Bytes;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;

use super::*;

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
async fn a_file_removed_after_its_reclaim_is_kept() {
    let mut server = Daemon::start().await;
    let (client, root) = server.mount_root("broker").await;
    let file = filled(&client, &root, "log").await;
    server.restart().await;
    let client = server.connect("broker").await;
    let file = reclaim(&client, &file.handle).await.unwrap();
    client.files().remove(&root, "log").await.expect("also before RECLAIM_COMPLETE");
    client.reclaim_complete().await.unwrap();
    assert_whole_until_closed(&server, &client, &file).await;
}

#[tokio::test]
async fn a_second_restart_within_the_grace_period_loses_nothing() {
    let Orphaned { mut server, client: _broker, file, .. } = Orphaned::new().await;
    let _other = server.mount("other").await;
    for _ in 0..2 {
        server.restart().await;
        let client = server.connect("broker").await;
        reclaim(&client, &file.handle).await.unwrap();
    }
    server.restart().await;
    assert_eq!(server.orphans(), 1);
    let client = server.connect("broker").await;
    let file = reclaim(&client, &file.handle).await.unwrap();
    client.reclaim_complete().await.unwrap();
    assert_whole_until_closed(&server, &client, &file).await;
}

#[tokio::test]
async fn who_comes_back_after_the_grace_period_finds_the_file_gone() {
    let Orphaned { mut server, client: _broker, file, .. } = Orphaned::new().await;
    server.restart().await;
    server.pass(GRACE + LEASE).await;
    server.wait_until_no_orphan().await;
    let late = server.connect("broker").await;
    assert_eq!(status(reclaim(&late, &file.handle).await), Status::NoGrace);
    late.reclaim_complete().await.unwrap();
    assert_eq!(status(open_by_handle(&late, &file.handle).await), Status::Stale);
    assert_eq!(status(late.files().getattr(&file.handle).await), Status::Stale);
}

#[tokio::test]
async fn a_client_that_reboots_while_the_server_is_down_gives_its_file_up() {
    let Orphaned { mut server, client: _broker, file, .. } = Orphaned::new().await;
    server.restart().await;
    let options = forebay_nfs_client::ClientOptions::new("broker").rebooted();
    let rebooted = Client::connect(server.address(), options).await.unwrap();
    server.wait_until_no_orphan().await;
    assert_eq!(status(reclaim(&rebooted, &file.handle).await), Status::NoGrace);
}

#[tokio::test]
async fn a_file_closed_in_the_grace_period_is_freed_after_it() {
    let Orphaned { mut server, client: _broker, file, .. } = Orphaned::new().await;
    server.restart().await;
    let client = server.connect("broker").await;
    let file = reclaim(&client, &file.handle).await.unwrap();
    client.files().close(&file).await.unwrap();
    assert_eq!(server.orphans(), 1, "another client might still come for it");
    client.reclaim_complete().await.unwrap();
    server.wait_until_no_orphan().await;
}

#[tokio::test]
async fn locks_on_a_file_without_a_name_are_reclaimed_with_it() {
    let mut server = Daemon::start().await;
    let (holder, root) = server.mount_root("holder").await;
    let other = server.mount("other").await;
    let ours = filled(&holder, &root, ".lock").await;
    let theirs = other.files().open(&root, ".lock").await.unwrap();
    lock(&holder, &ours).await.unwrap();
    other.files().remove(&root, ".lock").await.unwrap();

    server.restart().await;
    let (holder, other) = (server.connect("holder").await, server.connect("other").await);
    let theirs = reclaim(&other, &theirs.handle).await.unwrap();
    other.reclaim_complete().await.unwrap();
    assert_eq!(lock(&other, &theirs).await, Err(Status::Grace));
    let ours = reclaim(&holder, &ours.handle).await.unwrap();
    reclaim_lock(&holder, &ours).await.unwrap();
    holder.reclaim_complete().await.unwrap();
    assert_eq!(lock(&other, &theirs).await, Err(Status::Denied));
    other.files().close(&theirs).await.unwrap();
    assert_whole_until_closed(&server, &holder, &ours).await;
}

#[tokio::test]
async fn writes_that_were_not_committed_after_the_remove_are_known_to_be_lost() {
    let Orphaned { mut server, client, file, .. } = Orphaned::new().await;
    let more = Bytes::from_static(b" and more");
    let end = DATA.len() as u64;
    let before = client.files().write(&file, end, more.clone(), StableHow::Unstable).await.unwrap();
    server.restart().await;
    let client = server.connect("broker").await;
    let file = reclaim(&client, &file.handle).await.unwrap();
    assert_ne!(client.files().commit(&file.handle).await.unwrap(), before.writeverf);
    client.files().write(&file, end, more.clone(), StableHow::Unstable).await.unwrap();
    client.files().commit(&file.handle).await.unwrap();
    assert_eq!(contents(&client, &file).await, [DATA, &more[..]].concat());
}

#[tokio::test]
async fn a_silent_holder_may_come_back_after_a_restart_too() {
    let Orphaned { mut server, client: _broker, file, .. } = Orphaned::new().await;
    let other = server.mount("other").await;
    server.expire_all_but(&[&other]).await;
    server.restart().await;
    let client = server.connect("broker").await;
    let file = reclaim(&client, &file.handle).await.unwrap();
    client.reclaim_complete().await.unwrap();
    assert_whole_until_closed(&server, &client, &file).await;
}
