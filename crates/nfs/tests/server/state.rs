//! What tests of opens, locks and restarts do often.

use forebay_nfs_client::{Client, Error, FileHandle, OpenFile};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;

use crate::harness::on;

/// Opens a file that the client had open before the restart.
pub async fn reclaim(client: &Client, handle: &FileHandle) -> Result<OpenFile, Error> {
    let claim = OpenClaim::Previous(DelegationType::None);
    let files = client.files();
    files.open_with(handle, files.open_args("owner", share::ACCESS_BOTH, OpenHow::NoCreate, claim)).await
}

/// Opens a file by its handle, as clients do after their lease expired.
pub async fn open_by_handle(client: &Client, handle: &FileHandle) -> Result<OpenFile, Error> {
    let files = client.files();
    let args = files.open_args("owner", share::ACCESS_BOTH, OpenHow::NoCreate, OpenClaim::Fh);
    files.open_with(handle, args).await
}

/// The arguments of a first LOCK of a whole file for an owner.
pub fn lock_args(client: &Client, file: &OpenFile, owner: &str, locktype: LockType) -> LockArgs {
    let locker = Locker::New(OpenToLockOwner {
        open_seqid: 0,
        open_stateid: file.stateid,
        lock_seqid: 0,
        lock_owner: client.files().owner(owner),
    });
    LockArgs { locktype, reclaim: false, offset: 0, length: u64::MAX, locker }
}

/// Executes LOCK.
pub async fn lock_with(client: &Client, file: &OpenFile, args: LockArgs) -> Result<StateId, Status> {
    match on(client, &file.handle, Operation::Lock(args)).await {
        OperationResult::Lock(Ok(LockResult::Granted(stateid))) => Ok(stateid),
        other => Err(other.status()),
    }
}

/// Locks a whole file, as Kafka does `.lock`.
pub async fn lock(client: &Client, file: &OpenFile) -> Result<StateId, Status> {
    lock_with(client, file, lock_args(client, file, "broker", LockType::Write)).await
}

/// Locks a whole file that the client had locked before the restart.
pub async fn reclaim_lock(client: &Client, file: &OpenFile) -> Result<StateId, Status> {
    let args = lock_args(client, file, "broker", LockType::Write);
    lock_with(client, file, LockArgs { reclaim: true, ..args }).await
}

/// Unlocks a range.
pub async fn unlock(
    client: &Client,
    file: &OpenFile,
    lock_stateid: StateId,
    (offset, length): (u64, u64),
) -> Result<StateId, Status> {
    let args = LockuArgs { locktype: LockType::Write, seqid: 0, lock_stateid, offset, length };
    match on(client, &file.handle, Operation::Locku(args)).await {
        OperationResult::Locku(result) => result.map(|result| result.lock_stateid),
        other => Err(other.status()),
    }
}

/// The first bytes of a file.
pub async fn contents(client: &Client, file: &OpenFile) -> Vec<u8> {
    client.files().read(file, 0, 1 << 16).await.expect("it reads").0.0.concat()
}
