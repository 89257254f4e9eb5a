//! Who has the file open, and what becomes of its clients: several opens, locks, silence, reboots.

use bytes::Bytes;
use forebay_nfs_client::{Client, ClientOptions};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;

use super::*;

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
    for _ in 0..15 {
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

#[tokio::test]
async fn each_owners_open_counts_for_itself() {
    let Orphaned { server, client, file, .. } = Orphaned::new().await;
    let files = client.files();
    let args = files.open_args("another owner", share::ACCESS_READ, OpenHow::NoCreate, OpenClaim::Fh);
    let second =
        files.open_with(&file.handle, args).await.expect("a file without a name opens by its handle");
    assert_ne!(second.stateid.other, file.stateid.other);
    files.close(&file).await.unwrap();
    assert_eq!(server.orphans(), 1);
    assert_eq!(status(files.read(&file, 0, 1).await), Status::BadStateid);
    assert_whole_until_closed(&server, &client, &second).await;
}

#[tokio::test]
async fn a_downgraded_open_holds_the_file_as_before() {
    let Orphaned { server, client, file, .. } = Orphaned::new().await;
    let args = client.files().open_args("owner", share::ACCESS_READ, OpenHow::NoCreate, OpenClaim::Fh);
    let both = client.files().open_with(&file.handle, args).await.unwrap();
    let args = OpenDowngradeArgs {
        open_stateid: both.stateid,
        seqid: 0,
        share_access: share::ACCESS_READ,
        share_deny: share::DENY_NONE,
    };
    let result = on(&client, &file.handle, Operation::OpenDowngrade(args)).await;
    let OperationResult::OpenDowngrade(Ok(downgraded)) = result else { panic!("{result:?}") };
    let file = OpenFile { stateid: downgraded.open_stateid, ..file };
    let write = client.files().write(&file, 0, Bytes::from_static(b"x"), StableHow::Unstable).await;
    assert_eq!(status(write), Status::OpenMode);
    assert_whole_until_closed(&server, &client, &file).await;
}

#[tokio::test]
async fn who_has_a_file_without_a_name_not_open_sees_it_as_long_as_somebody_has() {
    let Orphaned { server, client, file, .. } = Orphaned::new().await;
    let other = server.mount("other").await;
    assert_eq!(numlinks(&other, &file).await, 0);
    let anonymous = OpenFile { stateid: StateId::ANONYMOUS, ..file.clone() };
    assert_eq!(contents(&other, &anonymous).await, DATA);
    let theirs = open_by_handle(&other, &file.handle).await.unwrap();
    client.files().close(&file).await.unwrap();
    assert_whole_until_closed(&server, &other, &theirs).await;
    assert_eq!(status(other.files().getattr(&file.handle).await), Status::Stale);
    assert_eq!(status(open_by_handle(&other, &file.handle).await), Status::Stale);
}

#[tokio::test]
async fn locks_on_a_file_without_a_name_exclude_as_before() {
    let server = Daemon::start().await;
    let (one, root) = server.mount_root("one").await;
    let two = server.mount("two").await;
    let ours = filled(&one, &root, ".lock").await;
    let theirs = two.files().open(&root, ".lock").await.unwrap();
    let held = lock(&one, &ours).await.unwrap();
    two.files().remove(&root, ".lock").await.unwrap();
    assert_eq!(lock(&two, &theirs).await, Err(Status::Denied));
    unlock(&one, &ours, held, (0, u64::MAX)).await.unwrap();
    lock(&two, &theirs).await.unwrap();
    assert_eq!(lock(&one, &ours).await, Err(Status::Denied));
    two.files().close(&theirs).await.unwrap();
    lock(&one, &ours).await.expect("the lock went with the open");
    assert_whole_until_closed(&server, &one, &ours).await;
}

#[tokio::test]
async fn a_deny_on_a_file_without_a_name_counts_for_opens_by_handle() {
    let server = Daemon::start().await;
    let (one, root) = server.mount_root("one").await;
    let two = server.mount("two").await;
    let file = filled(&one, &root, "log").await;
    one.files().close(&file).await.unwrap();
    let claim = OpenClaim::Null(Bytes::from_static(b"log"));
    let args = one.files().open_args("owner", share::ACCESS_BOTH, OpenHow::NoCreate, claim);
    let args = OpenArgs { share_deny: share::DENY_BOTH, ..args };
    let file = one.files().open_with(&root, args).await.unwrap();
    two.files().remove(&root, "log").await.expect("a deny says nothing about names");
    assert_eq!(status(open_by_handle(&two, &file.handle).await), Status::ShareDenied);
    assert_whole_until_closed(&server, &one, &file).await;
}

#[tokio::test]
async fn a_new_session_of_the_client_finds_its_file_still_open() {
    let Orphaned { server, client, file, .. } = Orphaned::new().await;
    let session = DestroySessionArgs { sessionid: client.session_id() };
    let connection = client.connection(0).unwrap();
    let reply = connection.compound(2, &[Operation::DestroySession(session)]).await.unwrap();
    assert_eq!(reply.status, Status::Ok);
    let again = server.connect("broker").await;
    assert_eq!(again.id(), client.id());
    assert_whole_until_closed(&server, &again, &file).await;
}

#[tokio::test]
async fn a_silent_holder_keeps_its_file_as_a_courtesy() {
    let Orphaned { server, client, file, .. } = Orphaned::new().await;
    let other = server.mount("other").await;
    for _ in 0..10 {
        server.expire_all_but(&[&other]).await;
    }
    assert_eq!(server.orphans(), 1);
    assert_whole_until_closed(&server, &client, &file).await;
}

#[tokio::test]
async fn a_client_that_crashed_and_stays_away_gives_its_file_up_after_the_courtesy() {
    let Orphaned { server, client, file, .. } = Orphaned::new().await;
    drop(client);
    server.pass(LEASE + COURTESY + LEASE).await;
    server.wait_until_no_orphan().await;
    let back = server.mount("broker").await;
    assert_eq!(status(open_by_handle(&back, &file.handle).await), Status::Stale);
}

#[tokio::test]
async fn a_client_that_rebooted_gives_its_file_up_at_once() {
    let Orphaned { server, client, file, .. } = Orphaned::new().await;
    let options = ClientOptions::new("broker").rebooted();
    let rebooted = Client::mount(server.address(), options).await.unwrap();
    server.wait_until_no_orphan().await;
    assert_eq!(status(rebooted.files().getattr(&file.handle).await), Status::Stale);
    assert_eq!(status(client.renew().await), Status::BadSession);
}
