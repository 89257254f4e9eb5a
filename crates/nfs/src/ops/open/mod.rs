//! OPEN (RFC 8881 §18.16): opens a regular file, by name or by filehandle, and may create it.
//!
//! [`named`] finds or creates a file by name. However the file is found, three things happen in this order,
//! so that the client can rely on an open that was acknowledged: the inode is held (it outlives its last name
//! from here on), the client's durable record exists (the client may reclaim the open after a restart), and
//! the open is added to those of the file. For a file that is created, the record and the room for the open
//! come first: after a restart the client may learn that it has the file open, and must be able to reclaim it.

mod named;

use forebay_pool::{Attributes, Kind, SetAttributes, VolumeId};

use super::file;
use crate::compound::Context;
use crate::fs;
use crate::fs::access::{self, READ, WRITE};
use crate::gate;
use crate::state::{OpenRoom, Share};
use crate::status::OrStatus;
use crate::status::status_of;
use crate::tree::FileHandle;
use forebay_nfs_proto::rpc::Credential;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{
    Bitmap, ChangeInfo, OPAQUE_LIMIT, OpenArgs, OpenClaim, OpenDelegation, OpenHow, OpenResult, StateId,
    WhyNoDelegation, open_result_flags, share,
};

/// How often the lookup of a file is repeated while others create and remove it.
const ATTEMPTS_MAX: usize = 16;
/// Bits of the access that concern delegations: RFC 8881's, and those of RFC 9754.
const DELEGATION_BITS: u32 = share::ACCESS_WANT_DELEG_MASK | 0x33_0000;

/// The file to open.
struct Target {
    file: Attributes,
    /// The permissions need no check: this client has just created the file, or had it open before.
    permitted: bool,
    /// The data must be truncated.
    truncate: bool,
    change_info: ChangeInfo,
    attributes_set: Bitmap,
    /// Room for the open, reserved before the file was created. The client must not learn that there is none only after it has
    /// created a file: its next attempt would find that the file exists.
    room: Option<OpenRoom>,
}

impl Target {
    /// An existing file, in a directory with that `change`; 0 if it was not found by name.
    fn existing(file: Attributes, change: u64) -> Target {
        let change_info = ChangeInfo { atomic: true, before: change, after: change };
        let attributes_set = Bitmap::default();
        Target { file, permitted: false, truncate: false, change_info, attributes_set, room: None }
    }
}

/// The file and the stateid become current.
pub async fn open(context: &mut Context<'_>, args: OpenArgs) -> Result<OpenResult, Status> {
    let share = requested_share(&args)?;
    if args.owner.owner.len() > OPAQUE_LIMIT {
        return Err(Status::BadXdr);
    }
    let reclaim = matches!(args.claim, OpenClaim::Previous(_));
    // Above the volumes there is nothing to open.
    if let FileHandle::Inode(handle) = context.current()? {
        context.server.state.admit(context.client()?, handle.volume, reclaim)?;
    }
    for _ in 0..ATTEMPTS_MAX {
        let mut target = find(context, &args, share).await?;
        match enter(context, &args, share, &mut target, reclaim).await {
            Err(Status::Stale) if matches!(args.claim, OpenClaim::Null(_)) => {}
            outcome => return finish(context, &args, target, outcome?),
        }
    }
    Err(Status::Delay)
}

fn requested_share(args: &OpenArgs) -> Result<Share, Status> {
    if args.share_access & share::ACCESS_WANT_DELEG_MASK > share::ACCESS_WANT_CANCEL {
        return Err(Status::Inval);
    }
    Share::new(args.share_access & !DELEGATION_BITS, args.share_deny)
}

async fn find(context: &Context<'_>, args: &OpenArgs, share: Share) -> Result<Target, Status> {
    let creates = args.openhow != OpenHow::NoCreate;
    match &args.claim {
        OpenClaim::Null(name) => named::find(context, name, args).await,
        OpenClaim::Previous(_) | OpenClaim::Fh if creates => Err(Status::Inval),
        OpenClaim::Previous(_) => {
            let file = context.server.pool.getattr(file::inode(context)?).await.or_status()?;
            require_reclaimable(&context.credential, &file, share)?;
            Ok(Target { permitted: true, ..Target::existing(file, 0) })
        }
        OpenClaim::Fh => {
            // The owner gets no exception, although a client whose lease has expired reopens its files this
            // way. Linux opens every file it already knows like this, and relies on the server for
            // permissions.
            let file = context.server.pool.getattr(file::inode(context)?).await.or_status()?;
            Ok(Target::existing(file, 0))
        }
        OpenClaim::DelegateCurrent(_) | OpenClaim::DelegateCurrentFh(_) => Err(Status::BadStateid),
        // OPEN has no NFS4ERR_NOTSUPP, and the server has nothing to reclaim with these claims.
        OpenClaim::DelegatePrevious(_) | OpenClaim::DelegatePreviousFh => Err(Status::ReclaimBad),
    }
}

/// The server knows that a client had files open, but not which ones. So the permissions are checked as for
/// reading and writing: a file's owner keeps an open from before a change of the mode, and nobody gets access
/// that was never possible.
fn require_reclaimable(credential: &Credential, file: &Attributes, share: Share) -> Result<(), Status> {
    for (wanted, access) in [(share.reads(), READ), (share.writes(), WRITE)] {
        if wanted {
            access::require_data(credential, file, access)?;
        }
    }
    Ok(())
}

/// Checks the permissions, opens the file, and truncates it if requested.
async fn enter(
    context: &Context<'_>,
    args: &OpenArgs,
    share: Share,
    target: &mut Target,
    reclaim: bool,
) -> Result<StateId, Status> {
    let room = target.room.take();
    let Target { file, .. } = &*target;
    match file.kind {
        Kind::File => {}
        Kind::Directory => return Err(Status::IsDir),
        Kind::Symlink(_) => return Err(Status::Symlink),
        _ => return Err(Status::WrongType),
    }
    if (share.writes() || target.truncate)
        && fs::is_read_only(context.server, FileHandle::Inode(file.handle))?
    {
        return Err(Status::RoFs);
    }
    let truncation = if target.truncate { Some(truncation(context, file)?) } else { None };
    if !target.permitted {
        let wanted = if share.reads() { READ } else { 0 } | if share.writes() { WRITE } else { 0 };
        access::require(&context.credential, file, wanted)?;
    }
    let server = context.server;
    let client = context.client()?;
    let (owner, under) = (&args.owner.owner, (share, context.mapping()));
    let stateid = server.state.open_file(client, owner, file.handle, under, reclaim, room).await?;
    if let (OpenClaim::Null(name), Some(FileHandle::Inode(directory))) = (&args.claim, context.current) {
        server.state.note_name(&stateid, directory, name);
    }
    if let Some(truncation) = truncation
        && let Err(error) = server.pool.setattr(file.handle, truncation).await
    {
        if stateid.seqid == 1 {
            // This is a new open, which the client never learns of.
            server.state.close(client, file.handle, &stateid)?;
        }
        return Err(status_of(error));
    }
    Ok(stateid)
}

/// The change that truncates the file, if the user may do it.
fn truncation(context: &Context<'_>, file: &Attributes) -> Result<SetAttributes, Status> {
    let credential = &context.credential;
    gate::require_writable(context)?;
    access::require(credential, file, WRITE)?;
    fs::authorize(credential, file, SetAttributes { size: Some(0), ..SetAttributes::default() }, true)
}

fn finish(
    context: &mut Context<'_>,
    args: &OpenArgs,
    target: Target,
    stateid: StateId,
) -> Result<OpenResult, Status> {
    let handle = target.file.handle;
    context.set_current(FileHandle::Inode(handle));
    context.current_stateid = Some(stateid);
    Ok(OpenResult {
        stateid,
        change_info: target.change_info,
        rflags: result_flags(context, handle.volume)?,
        attributes_set: target.attributes_set,
        delegation: no_delegation(args.share_access),
    })
}

/// The pool keeps every open file. The volume determines whether clients are told, and therefore remove names
/// of open files instead of renaming them.
fn result_flags(context: &Context<'_>, volume: VolumeId) -> Result<u32, Status> {
    let volume = context.server.pool.volume_by_id(volume).or_status()?;
    let preserve = if volume.spec.preserve_unlink { open_result_flags::PRESERVE_UNLINKED } else { 0 };
    Ok(open_result_flags::LOCKTYPE_POSIX | preserve)
}

/// Tells a client that asked for a delegation why it gets none.
fn no_delegation(share_access: u32) -> OpenDelegation {
    match share_access & share::ACCESS_WANT_DELEG_MASK {
        0 => OpenDelegation::None,
        share::ACCESS_WANT_NO_DELEG => OpenDelegation::NoneExt(WhyNoDelegation::NotWanted),
        share::ACCESS_WANT_CANCEL => OpenDelegation::NoneExt(WhyNoDelegation::Cancelled),
        _ => OpenDelegation::NoneExt(WhyNoDelegation::NotSupportedForFileType),
    }
}
