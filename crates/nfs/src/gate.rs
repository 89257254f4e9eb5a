//! Checks what a client may do, before each operation.
//!
//! An operation on a filehandle requires that the client can see the volume, and that the volume is writable
//! for the client if the operation changes something. This includes WRITE and SETATTR under a stateid from
//! before a policy change. Operations that only release something (CLOSE, LOCKU, …) are always allowed, so
//! that a client that has lost access can clean up.
//!
//! A connection that does not meet the policy's TLS requirement gets NFS4ERR_WRONGSEC, as Linux expects: the
//! mount fails with "operation not permitted".
//!
//! If a client cannot see a volume, its name is not found (NFS4ERR_NOENT), and a filehandle that the client
//! still has is refused with NFS4ERR_ACCESS. NFS4ERR_STALE would make Linux give up the mount permanently,
//! whereas NFS4ERR_ACCESS ends when the policy admits the client again.
//!
//! Policies belong to volumes. A referral is seen by every client: it reveals an address, and the server there has
//! policies of its own. All that can be done with it is to ask for its attributes; other operations fail with
//! NFS4ERR_MOVED.

use forebay_pool::VolumeId;

use crate::compound::Context;
use crate::connection::Connection;
use crate::fs::{self, Node};
use crate::policy::{Admission, Decision, Grant, Policies, Reason, Refusal};
use crate::shared::Shared;
use crate::tree::{FileHandle, PseudoId, Tree};
use forebay_nfs_proto::rpc::Credential;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{Operation, share};

/// What the client of a connection may do with a volume; [`Status::Stale`] if the volume is gone.
fn admission(policies: &Policies, connection: &Connection, volume: VolumeId) -> Result<Admission, Status> {
    let generation = policies.generation();
    if let Some(admission) = connection.decisions.recall(volume, generation) {
        return Ok(admission);
    }
    let admission = policies.decide(volume, connection.peer.ip())?;
    connection.decisions.note(Decision { volume, generation, admission });
    Ok(admission)
}

/// What an operation requires of the volumes of its filehandles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// Nothing: the operation uses no filehandle, or only releases something.
    Nothing,
    /// The client can see the volume.
    Sight,
    /// The client can also change the volume.
    Change,
}

impl Need {
    fn of(operation: &Operation) -> Need {
        match operation {
            Operation::Create(_)
            | Operation::Link(_)
            | Operation::Remove(_)
            | Operation::Rename(_)
            | Operation::Setattr(_)
            | Operation::Write(_)
            | Operation::Allocate(_)
            | Operation::Deallocate(_)
            | Operation::Copy(_)
            | Operation::Clone(_)
            | Operation::Setxattr(_)
            | Operation::Removexattr(_) => Need::Change,
            Operation::Open(args) if args.share_access & share::ACCESS_WRITE != 0 => Need::Change,
            // OPEN checks for itself where it creates or truncates; it may need to do neither.
            Operation::Open(_)
            | Operation::Access(_)
            // The writes that it commits were accepted before the policy changed.
            | Operation::Commit(_)
            | Operation::Getattr(_)
            | Operation::Lock(_)
            | Operation::Lockt(_)
            | Operation::Lookup(_)
            | Operation::Lookupp(_)
            | Operation::Nverify(_)
            | Operation::Read(_)
            | Operation::Readdir(_)
            | Operation::Readlink(_)
            | Operation::Secinfo(_)
            | Operation::SecinfoNoName(_)
            | Operation::GetDirDelegation(_)
            | Operation::IoAdvise(_)
            | Operation::Getxattr(_)
            | Operation::Listxattrs(_)
            | Operation::ReadPlus(_)
            | Operation::Seek(_)
            | Operation::Verify(_) => Need::Sight,
            Operation::Close(_)
            | Operation::Locku(_)
            | Operation::OpenDowngrade(_)
            | Operation::Delegreturn(_)
            | Operation::Delegpurge(_)
            | Operation::FreeStateid(_)
            | Operation::TestStateid(_)
            | Operation::Getfh(_)
            | Operation::Putfh(_)
            | Operation::Putpubfh(_)
            | Operation::Putrootfh(_)
            | Operation::Restorefh(_)
            | Operation::Savefh(_)
            | Operation::Sequence(_)
            | Operation::BackchannelCtl(_)
            | Operation::BindConnToSession(_)
            | Operation::ExchangeId(_)
            | Operation::CreateSession(_)
            | Operation::DestroySession(_)
            | Operation::DestroyClientid(_)
            | Operation::ReclaimComplete(_)
            | Operation::Other(..) => Need::Nothing,
        }
    }

    /// What an operation requires of the saved filehandle, if it uses it.
    fn of_saved(operation: &Operation) -> Option<Need> {
        match operation {
            Operation::Link(_) | Operation::Rename(_) => Some(Need::Change),
            Operation::Copy(_) | Operation::Clone(_) => Some(Need::Sight),
            _ => None,
        }
    }
}

/// Why an operation was denied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Denied {
    status: Status,
    /// Set if a policy denied it, to be reported to operators.
    refusal: Option<(VolumeId, Reason)>,
}

impl Denied {
    fn by_policy(status: Status, volume: VolumeId, reason: Reason) -> Denied {
        Denied { status, refusal: Some((volume, reason)) }
    }

    /// Records the refusal and returns the status for the client.
    fn tell(self, context: &Context<'_>) -> Status {
        if let Some((volume, reason)) = self.refusal {
            note(context.server, &context.connection, volume, reason);
        }
        self.status
    }
}

impl From<Status> for Denied {
    fn from(status: Status) -> Denied {
        Denied { status, refusal: None }
    }
}

fn note(server: &Shared, connection: &Connection, volume: VolumeId, reason: Reason) {
    server.refusals.note(Refusal { client: connection.peer.ip(), volume, reason });
}

/// Checks whether the operation may run. On success the context holds the credential that it runs with.
pub(crate) async fn check(context: &mut Context<'_>, operation: &Operation) -> Result<(), Status> {
    try_check(context, operation).await.map_err(|denied| denied.tell(context))
}

/// Like `check`, for an operation that will be checked again, so a refusal is not recorded yet.
pub(crate) async fn try_check(context: &mut Context<'_>, operation: &Operation) -> Result<(), Denied> {
    check_present(context, operation)?;
    let need = Need::of(operation);
    if need == Need::Nothing {
        return Ok(());
    }
    if let (Some(need), Some(saved)) = (Need::of_saved(operation), context.saved) {
        enter(context, saved, need).await?;
    }
    match context.current {
        Some(current) => enter(context, current, need).await,
        // The operation reports this error itself.
        None => Ok(()),
    }
}

/// Returns [`Status::Moved`] if the current filehandle is in a file system that another server has (RFC 8881 §11.3), unless
/// the operation does not use the filehandle, or decides by the attributes. The saved filehandle cannot be in such a file
/// system, because SAVEFH fails there.
fn check_present(context: &Context<'_>, operation: &Operation) -> Result<(), Status> {
    let is_allowed = matches!(
        operation,
        Operation::Getattr(_)
            | Operation::Verify(_)
            | Operation::Nverify(_)
            | Operation::Putfh(_)
            | Operation::Putpubfh(_)
            | Operation::Putrootfh(_)
            | Operation::Restorefh(_)
            | Operation::FreeStateid(_)
            | Operation::TestStateid(_)
            | Operation::Delegpurge(_)
            | Operation::Sequence(_)
            | Operation::BackchannelCtl(_)
            | Operation::BindConnToSession(_)
            | Operation::ExchangeId(_)
            | Operation::CreateSession(_)
            | Operation::DestroySession(_)
            | Operation::DestroyClientid(_)
            | Operation::ReclaimComplete(_)
            | Operation::Other(..)
    );
    match context.current {
        Some(current) if !is_allowed && fs::is_absent(context.server, current) => Err(Status::Moved),
        _ => Ok(()),
    }
}

/// Checks access to another object that the operation uses, and switches the context's credential to the one
/// for that object.
pub(crate) async fn see(context: &mut Context<'_>, handle: FileHandle) -> Result<(), Status> {
    enter(context, handle, Need::Sight).await.map_err(|denied| denied.tell(context))
}

async fn enter(context: &mut Context<'_>, handle: FileHandle, need: Need) -> Result<(), Denied> {
    let volume = match handle {
        FileHandle::Inode(handle) => handle.volume,
        FileHandle::Pseudo(id) => return Ok(enter_pseudo(context, id)?),
    };
    match admission(&context.server.policies, &context.connection, volume)? {
        Admission::Granted(grant) if !grant.tls.admits(context.connection.protection()) => {
            Err(Denied::by_policy(Status::WrongSec, volume, Reason::Insecure))
        }
        Admission::Granted(grant) if need == Need::Change && !grant.writable => {
            Err(Denied::by_policy(Status::RoFs, volume, Reason::ReadOnly))
        }
        Admission::Granted(grant) => {
            if let Some(client) = &context.client {
                client.account().note_export_used();
            }
            Ok(assume(context, grant).await?)
        }
        Admission::Hidden => Err(Denied::by_policy(Status::Access, volume, Reason::Hidden)),
        Admission::Undecided => Err(Status::Delay.into()),
    }
}

/// Switches the context to the identity that the grant determines. Returns [`Status::Delay`] while the user's
/// groups cannot be determined.
async fn assume(context: &mut Context<'_>, grant: Grant) -> Result<(), Status> {
    if context.grant != Some(grant) {
        let caller = &context.caller;
        let credential = if grant.needs_groups(context.principal) {
            let groups = context.server.identities.groups_of(caller.uid).await?.to_vec();
            grant.credential(context.principal, &Credential { groups, ..*caller })
        } else {
            grant.credential(context.principal, caller)
        };
        context.credential = credential;
        context.grant = Some(grant);
    }
    Ok(())
}

fn enter_pseudo(context: &mut Context<'_>, id: PseudoId) -> Result<(), Status> {
    if context.grant.take().is_some() {
        context.credential = context.caller.clone();
    }
    if sees_pseudo(context.server, &context.connection, id)? { Ok(()) } else { Err(Status::Stale) }
}

/// Whether the client can see an object at or above a junction. Returns [`Status::Delay`] while that is being
/// determined.
pub(crate) fn sees(server: &Shared, connection: &Connection, handle: FileHandle) -> Result<bool, Status> {
    let volume = match handle {
        FileHandle::Inode(handle) => handle.volume,
        FileHandle::Pseudo(id) => return sees_pseudo(server, connection, id),
    };
    match admission(&server.policies, connection, volume) {
        Ok(Admission::Granted(_)) => Ok(true),
        Ok(Admission::Undecided) => Err(Status::Delay),
        Ok(Admission::Hidden) | Err(Status::Stale) => Ok(false),
        Err(status) => Err(status),
    }
}

/// A client can see a directory above the volumes if it can see one of the volumes below, and the directory
/// of a volume's snapshots if it can see the volume. Every client can see the root, and referrals with the directories
/// that lead to them.
fn sees_pseudo(server: &Shared, connection: &Connection, id: PseudoId) -> Result<bool, Status> {
    let tree = server.exports.tree();
    if id == Tree::root() || tree.leads_to_referral(id) {
        return Ok(true);
    }
    let mut undecided = None;
    for root in tree.volumes_below(id) {
        match sees(server, connection, FileHandle::Inode(root)) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(status) => undecided = Some(status),
        }
    }
    undecided.map_or(Ok(false), Err)
}

/// Looks up `name` in a directory, if the client can see the result.
pub(crate) async fn lookup(
    context: &Context<'_>,
    directory: FileHandle,
    name: &[u8],
) -> Result<Node, Status> {
    let found = find(context, directory, name).await?;
    let FileHandle::Inode(root) = found.handle else { return Ok(found) };
    match admission(&context.server.policies, &context.connection, root.volume)? {
        Admission::Granted(grant) if !grant.tls.admits(context.connection.protection()) => {
            note(context.server, &context.connection, root.volume, Reason::Insecure);
            Err(Status::WrongSec)
        }
        _ => Ok(found),
    }
}

/// Like [`lookup`], regardless of the connection's TLS: for SECINFO, which reports what is required.
pub(crate) async fn find(context: &Context<'_>, directory: FileHandle, name: &[u8]) -> Result<Node, Status> {
    let found = fs::lookup(context.server, &context.credential, directory, name).await?;
    let in_volume = matches!(directory, FileHandle::Inode(_));
    if in_volume || sees(context.server, &context.connection, found.handle)? {
        return Ok(found);
    }
    if let Some(volume) = first_volume(context.server, found.handle) {
        note(context.server, &context.connection, volume, Reason::Hidden);
    }
    Err(Status::NoEnt)
}

/// The object's volume or, for a directory above the volumes, the first one below it.
fn first_volume(server: &Shared, handle: FileHandle) -> Option<VolumeId> {
    match handle {
        FileHandle::Inode(handle) => Some(handle.volume),
        FileHandle::Pseudo(id) => server.exports.tree().volumes_below(id).first().map(|root| root.volume),
    }
}

/// Returns [`Status::RoFs`] if the client may only read the volume of the current filehandle.
pub(crate) fn require_writable(context: &Context<'_>) -> Result<(), Status> {
    if is_writable(context) {
        return Ok(());
    }
    if let Some(FileHandle::Inode(handle)) = context.current {
        note(context.server, &context.connection, handle.volume, Reason::ReadOnly);
    }
    Err(Status::RoFs)
}

/// Whether the client may change the volume of the current filehandle.
pub(crate) fn is_writable(context: &Context<'_>) -> bool {
    context.grant.is_some_and(|grant| grant.writable)
}
