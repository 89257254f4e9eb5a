//! What operators do while a file without a name is open: volumes that are full, deleted, rolled back or in a snapshot,
//! export policies, eviction and revocation.

use bytes::Bytes;
use forebay_nfs::policy::{Access, Clients, Rule};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;
use forebay_pool::{CloneSpec, VolumeSpec};

use super::*;

/// Bytes of a small volume.
const SIZE: u64 = 1 << 20;

async fn snapshot(server: &Daemon, name: &str) {
    server.pool().snapshot_create(&["kafka".to_owned()], name).await.unwrap();
}

async fn roll_back(server: &Daemon, name: &str) {
    server.pool().volume_rollback("kafka", name, false).await.unwrap();
}

/// A server with a volume that is full of one open file `log`, and its root directory.
async fn full_volume() -> (Daemon, Client, FileHandle, OpenFile) {
    let server = Daemon::start().await;
    let spec = VolumeSpec { size: Some(SIZE), ..volume("small", true) };
    server.pool().volume_create(spec).await.unwrap();
    let client = server.mount("broker").await;
    let small = client.files().resolve("/small").await.unwrap();
    let file = client.files().create(&small, "log").await.unwrap();
    let all = Bytes::from(vec![7; SIZE as usize]);
    client.files().write(&file, 0, all, StableHow::FileSync).await.unwrap();
    (server, client, small, file)
}

async fn write_one(client: &Client, file: &OpenFile, offset: u64) -> Result<(), Status> {
    let write = client.files().write(file, offset, Bytes::from_static(b"x"), StableHow::Unstable).await;
    write.map(|_| ()).map_err(|error| error.status().unwrap())
}

#[tokio::test]
async fn on_a_full_volume_files_are_removed_and_closing_them_gives_the_space_back() {
    let (server, client, small, file) = full_volume().await;
    client.files().remove(&small, "log").await.expect("it takes no space");
    let next = client.files().create(&small, "next").await.unwrap();
    assert_eq!(write_one(&client, &next, 0).await, Err(Status::NoSpc), "the open file still counts");
    assert_eq!(write_one(&client, &file, SIZE).await, Err(Status::NoSpc));
    assert_eq!(write_one(&client, &file, 0).await, Ok(()), "what is there is written over");
    assert_eq!(contents(&client, &file).await.len(), 1 << 16);
    client.files().close(&file).await.unwrap();
    server.wait_until_no_orphan().await;
    assert_eq!(write_one(&client, &next, 0).await, Ok(()));
}

#[tokio::test]
async fn space_that_a_silent_client_holds_goes_to_who_wants_it() {
    let (server, silent, small, file) = full_volume().await;
    silent.files().remove(&small, "log").await.unwrap();
    let bystander = server.mount("bystander").await;
    let harmless = bystander.files().create(&small, "kept").await.unwrap();
    let writer = server.mount("writer").await;
    let next = writer.files().create(&small, "next").await.unwrap();
    assert_eq!(write_one(&writer, &next, 0).await, Err(Status::NoSpc), "the holder's lease is good");
    server.expire_all_but(&[&writer]).await;
    assert_eq!(write_one(&writer, &next, 0).await, Err(Status::Delay));
    assert_eq!(status(silent.files().read(&file, 0, 1).await), Status::BadSession);
    eventually("the space is given back", async || write_one(&writer, &next, 0).await == Ok(())).await;
    bystander.files().close(&harmless).await.expect("who is silent too, but in nobody's way, loses nothing");
}

#[tokio::test]
async fn a_volume_with_a_file_that_is_still_open_is_deleted_by_force_only() {
    let Orphaned { server, client, file, .. } = Orphaned::new().await;
    server.pool().volume_delete("kafka", false).await.expect_err("a client has a file of it open");
    assert_eq!(contents(&client, &file).await, DATA);
    server.pool().volume_delete("kafka", true).await.unwrap();
    assert_eq!(status(client.files().read(&file, 0, 1).await), Status::Stale);
    client.files().close(&file).await.expect("what is open can be given up");
    client.unmount().await.expect("and then the client can leave");
}

#[tokio::test]
async fn a_volume_whose_deleted_files_only_silent_clients_hold_can_be_deleted() {
    let Orphaned { server, client: silent, .. } = Orphaned::new().await;
    let alive = server.mount("alive").await;
    assert!(!server.shared().state.yield_space().await, "its lease is good");
    server.pool().volume_delete("kafka", false).await.expect_err("a client has a file of it open");
    server.expire_all_but(&[&alive]).await;
    assert!(server.shared().state.yield_space().await);
    server.pool().volume_delete("kafka", false).await.unwrap();
    assert_eq!(status(silent.renew().await), Status::BadSession);
}

#[tokio::test]
async fn a_snapshot_taken_before_the_remove_keeps_the_file_for_its_readers() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("broker").await;
    let file = filled(&client, &root, "log").await;
    snapshot(&server, "before").await;
    client.files().remove(&root, "log").await.unwrap();
    client.files().write(&file, 0, Bytes::from_static(b"written later!"), StableHow::FileSync).await.unwrap();
    client.files().close(&file).await.unwrap();
    server.wait_until_no_orphan().await;
    let before = client.files().resolve("/kafka/.snapshot/before/log").await.unwrap();
    let kept = OpenFile { handle: before, stateid: StateId::ANONYMOUS, rflags: 0 };
    assert_eq!(contents(&client, &kept).await, DATA);
    assert_eq!(numlinks(&client, &kept).await, 1);
}

#[tokio::test]
async fn a_snapshot_taken_after_the_remove_neither_shows_nor_disturbs_the_file() {
    let Orphaned { server, client, file, .. } = Orphaned::new().await;
    snapshot(&server, "between").await;
    let between = client.files().resolve("/kafka/.snapshot/between").await.unwrap();
    assert!(client.files().readdir(&between).await.unwrap().is_empty());
    assert_eq!(contents(&client, &file).await, DATA);
    client.files().close(&file).await.unwrap();
    eventually("the file is gone", async || {
        let gone = client.files().getattr(&file.handle).await.err();
        gone.and_then(|error| error.status()) == Some(Status::Stale)
    })
    .await;
    server.pool().snapshot_delete("kafka", "between").await.unwrap();
    server.pool().settle().await.unwrap();
    assert_eq!(server.pool().check(true).await.unwrap(), Vec::<String>::new());
    server.wait_until_no_orphan().await;
}

#[tokio::test]
async fn a_rollback_to_before_the_remove_gives_the_open_file_its_name_back() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("broker").await;
    let file = filled(&client, &root, "log").await;
    snapshot(&server, "before").await;
    client.files().remove(&root, "log").await.unwrap();
    roll_back(&server, "before").await;
    assert_eq!((numlinks(&client, &file).await, server.orphans()), (1, 0));
    client.files().close(&file).await.unwrap();
    server.pool().settle().await.unwrap();
    assert_eq!(client.files().lookup(&root, "log").await.unwrap(), file.handle);
}

#[tokio::test]
async fn a_rollback_to_after_the_remove_leaves_the_file_open_and_without_a_name() {
    let Orphaned { server, client, file, .. } = Orphaned::new().await;
    snapshot(&server, "between").await;
    client.files().write(&file, 0, Bytes::from_static(b"written later!"), StableHow::FileSync).await.unwrap();
    roll_back(&server, "between").await;
    assert_eq!(numlinks(&client, &file).await, 0);
    assert_eq!(contents(&client, &file).await, DATA);
    client.files().close(&file).await.unwrap();
    eventually("the file is gone", async || {
        let gone = client.files().getattr(&file.handle).await.err();
        gone.and_then(|error| error.status()) == Some(Status::Stale)
    })
    .await;
}

#[tokio::test]
async fn a_rollback_to_before_the_file_was_made_makes_it_stale() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("broker").await;
    snapshot(&server, "empty").await;
    let file = filled(&client, &root, "log").await;
    client.files().remove(&root, "log").await.unwrap();
    roll_back(&server, "empty").await;
    assert_eq!(status(client.files().read(&file, 0, 1).await), Status::Stale);
    client.files().close(&file).await.expect("what is open can be given up");
    server.wait_until_no_orphan().await;
}

#[tokio::test]
async fn a_clone_does_not_keep_what_is_open_in_its_origin() {
    let Orphaned { server, client, file, .. } = Orphaned::new().await;
    snapshot(&server, "between").await;
    let clone = CloneSpec { name: "copy".into(), junction_path: "/copy".into() };
    let clone = server.pool().volume_clone("kafka", "between", clone).await.unwrap();
    server.pool().settle().await.unwrap();
    assert_eq!(server.pool().volume_space(clone.id).unwrap().orphans, 0);
    assert_eq!(contents(&client, &file).await, DATA);
    let copy = client.files().resolve("/copy").await.unwrap();
    assert!(client.files().readdir(&copy).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_policy_that_shuts_the_holder_out_keeps_its_file_until_it_is_let_in_again() {
    let Orphaned { server, client, file, .. } = Orphaned::new().await;
    let policies = &server.shared().policies;
    let everyone: Clients = "*".parse().unwrap();
    let rule = |access| Rule { access, ..Rule::new(everyone.clone()) };
    policies.create("nobody").await.unwrap();
    policies.rule_add("nobody", rule(Access::None), None).await.unwrap();
    policies.create("readers").await.unwrap();
    policies.rule_add("readers", rule(Access::ReadOnly), None).await.unwrap();

    policies.assign("kafka", "nobody").await.unwrap();
    assert_eq!(status(client.files().read(&file, 0, 1).await), Status::Access);
    assert_eq!(server.orphans(), 1);
    policies.assign("kafka", "readers").await.unwrap();
    assert_eq!(write_one(&client, &file, 0).await, Err(Status::RoFs));
    assert_whole_until_closed(&server, &client, &file).await;
}

#[tokio::test]
async fn a_file_whose_open_is_revoked_is_freed() {
    let Orphaned { server, client, file, .. } = Orphaned::new().await;
    server.shared().state.revoke(&file.stateid).await.unwrap();
    server.wait_until_no_orphan().await;
    assert_eq!(status(client.files().getattr(&file.handle).await), Status::Stale);
    let test = Operation::TestStateid(TestStateidArgs { stateids: vec![file.stateid] });
    let Some(OperationResult::TestStateid(Ok(tested))) = client.compound([test]).await.unwrap().pop() else {
        panic!("it is answered");
    };
    assert_eq!(tested.status_codes, [Status::AdminRevoked]);
}

#[tokio::test]
async fn a_file_whose_holder_is_evicted_is_freed() {
    let Orphaned { server, client, file, .. } = Orphaned::new().await;
    server.shared().state.evict(client.id()).await.unwrap();
    server.wait_until_no_orphan().await;
    assert_eq!(status(client.renew().await), Status::BadSession);
    let back = server.mount("broker").await;
    assert_eq!(status(back.files().getattr(&file.handle).await), Status::Stale);
}
