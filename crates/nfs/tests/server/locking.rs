//! Byte-range locks, as `fcntl` on clients becomes them.

use forebay_nfs_client::{Client, OpenFile};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;

use crate::harness::*;
use crate::state::*;

/// Locks a range for an owner.
async fn lock_range(
    client: &Client,
    file: &OpenFile,
    owner: &str,
    locktype: LockType,
    (offset, length): (u64, u64),
) -> Result<StateId, Status> {
    let args = lock_args(client, file, owner, locktype);
    lock_with(client, file, LockArgs { offset, length, ..args }).await
}

/// The range and kind of the lock that is in the way of a write lock.
async fn in_the_way(client: &Client, file: &OpenFile, range: (u64, u64)) -> Option<LockDenied> {
    let owner = client.files().owner("tester");
    let args = LocktArgs { locktype: LockType::Write, offset: range.0, length: range.1, owner };
    match on(client, &file.handle, Operation::Lockt(args)).await {
        OperationResult::Lockt(Ok(LocktResult::Denied(denied))) => Some(denied),
        OperationResult::Lockt(Ok(LocktResult::Free)) => None,
        other => panic!("{other:?}"),
    }
}

async fn free(client: &Client, stateid: StateId) -> Status {
    let free = Operation::FreeStateid(FreeStateidArgs { stateid });
    client.try_compound([free]).await.unwrap().status
}

#[tokio::test]
async fn a_lock_keeps_others_out_and_says_who_has_it() {
    let server = Daemon::start().await;
    let (one, root) = server.mount_root("one").await;
    let two = server.mount("two").await;
    let file = one.files().create(&root, ".lock").await.unwrap();
    let theirs = two.files().open(&root, ".lock").await.unwrap();
    let stateid = lock_range(&one, &file, "broker", LockType::Write, (100, 50)).await.unwrap();

    let denied = in_the_way(&two, &theirs, (149, 1)).await.expect("it is locked");
    assert_eq!((denied.offset, denied.length, denied.locktype), (100, 50, LockType::Write));
    assert_eq!((denied.owner.clientid, &denied.owner.owner[..]), (one.id(), &b"broker"[..]));
    assert_eq!(in_the_way(&two, &theirs, (150, u64::MAX)).await, None);
    assert_eq!(lock(&two, &theirs).await, Err(Status::Denied));
    assert_eq!(lock_range(&two, &theirs, "x", LockType::BlockingRead, (0, 101)).await, Err(Status::Denied));
    assert_eq!(
        lock_range(&one, &file, "another owner", LockType::Read, (100, 1)).await,
        Err(Status::Denied),
        "owners of one client are in each other's way too"
    );
    unlock(&one, &file, stateid, (0, u64::MAX)).await.unwrap();
    lock(&two, &theirs).await.unwrap();
}

#[tokio::test]
async fn readers_share_and_an_owner_changes_and_splits_its_own_locks() {
    let server = Daemon::start().await;
    let (one, root) = server.mount_root("one").await;
    let two = server.mount("two").await;
    let file = one.files().create(&root, "f").await.unwrap();
    let theirs = two.files().open(&root, "f").await.unwrap();
    let whole = (0, u64::MAX);
    let ours = lock_range(&one, &file, "o", LockType::Read, whole).await.unwrap();
    let their_lock = lock_range(&two, &theirs, "o", LockType::Read, whole).await.unwrap();
    assert_eq!(lock_range(&one, &file, "o", LockType::Write, (10, 10)).await, Err(Status::Denied));
    unlock(&two, &theirs, their_lock, whole).await.unwrap();
    let upgraded = lock_range(&one, &file, "o", LockType::Write, (10, 10)).await.unwrap();
    assert_eq!(upgraded, StateId { seqid: ours.seqid + 1, ..ours }, "one stateid for owner and file");
    lock_range(&two, &theirs, "o", LockType::Read, (0, 10)).await.unwrap();
    assert_eq!(lock_range(&two, &theirs, "o", LockType::Read, (19, 1)).await, Err(Status::Denied));
}

#[tokio::test]
async fn locks_go_with_their_open() {
    let server = Daemon::start().await;
    let (one, root) = server.mount_root("one").await;
    let two = server.mount("two").await;
    let file = one.files().create(&root, ".lock").await.unwrap();
    let theirs = two.files().open(&root, ".lock").await.unwrap();
    let stateid = lock(&one, &file).await.unwrap();
    one.files().close(&file).await.unwrap();
    lock(&two, &theirs).await.unwrap();
    assert_eq!(unlock(&one, &file, stateid, (0, 1)).await, Err(Status::BadStateid));
}

#[tokio::test]
async fn a_lock_stateid_is_freed_once_nothing_is_locked() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = client.files().create(&root, "f").await.unwrap();
    let stateid = lock(&client, &file).await.unwrap();
    assert_eq!(free(&client, stateid).await, Status::LocksHeld);
    let stateid = unlock(&client, &file, stateid, (0, u64::MAX)).await.unwrap();
    assert_eq!(free(&client, stateid).await, Status::Ok);
    assert_eq!(free(&client, stateid).await, Status::BadStateid);
    assert_eq!(free(&client, file.stateid).await, Status::LocksHeld, "an open is ended by CLOSE");
}

#[tokio::test]
async fn ranges_and_access_are_checked() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let files = client.files();
    let file = files.create(&root, "f").await.unwrap();
    for bad in [(0, 0), (u64::MAX, 2), (2, u64::MAX - 1)] {
        let outcome = lock_range(&client, &file, "o", LockType::Write, bad).await;
        let valid = bad.0.checked_add(bad.1.wrapping_sub(1)).is_some() && bad.1 > 0;
        assert_eq!(outcome.is_ok(), valid, "{bad:?}");
        assert!(valid || outcome == Err(Status::Inval));
    }
    let claim = OpenClaim::Null("f".into());
    let args = files.open_args("reader", share::ACCESS_READ, OpenHow::NoCreate, claim);
    let reading = files.open_with(&root, args).await.unwrap();
    let other = LockType::Write;
    assert_eq!(lock_range(&client, &reading, "r", other, (0, 1)).await, Err(Status::OpenMode));
    let misplaced = OpenFile { handle: root.clone(), ..file };
    assert_eq!(lock(&client, &misplaced).await, Err(Status::BadStateid));
    let lockt = LocktArgs { locktype: other, offset: 0, length: 1, owner: files.owner("o") };
    assert_eq!(on(&client, &root, Operation::Lockt(lockt)).await.status(), Status::IsDir);
}
