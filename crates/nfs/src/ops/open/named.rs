//! Finds or creates a file by name (CLAIM_NULL).

use bytes::Bytes;
use forebay_pool::{Attributes, Created, Error, Handle, Kind, RecordOf, SetAttributes, VolumeId};

use super::{ATTEMPTS_MAX, Target, no_delegation, result_flags};
use crate::compound::Context;
use crate::fs::access::{self, EXECUTE, WRITE};
use crate::fs::{self, Node, attributes, change_info, name};
use crate::gate;
use crate::status::status_of;
use crate::tree::FileHandle;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{
    Bitmap, CreateHow, Fattr, OpenArgs, OpenHow, OpenResult, OperationResult, Verifier, attribute,
};

/// How a file is created.
struct Creation<'a> {
    args: &'a OpenArgs,
    chosen: SetAttributes,
    attributes_set: Bitmap,
    existing: IfExisting,
}

/// What to do if the name exists.
enum IfExisting {
    /// Open the file, and truncate it if the client chose a size of 0.
    Open,
    /// Fail.
    Fail,
    /// Fail, unless this is a retry of the creation.
    FailUnlessMadeBy(Verifier),
}

pub(super) async fn find(context: &Context<'_>, name: &Bytes, args: &OpenArgs) -> Result<Target, Status> {
    name::check(name)?;
    let creation = match &args.openhow {
        OpenHow::NoCreate => None,
        OpenHow::Create(how) => Some(Creation::new(context, args, how).await?),
    };
    let directory = fs::search_directory(context.server, &context.credential, context.current()?).await?;
    match directory.handle {
        FileHandle::Inode(handle) if fs::snapshots(context.server, handle, name).is_some() => {
            above_volumes(context, directory.handle, name, creation).await
        }
        FileHandle::Inode(handle) => in_volume(context, &directory, handle, name, creation).await,
        FileHandle::Pseudo(_) => above_volumes(context, directory.handle, name, creation).await,
    }
}

/// Above the volumes there are only directories, and nothing can be created.
async fn above_volumes(
    context: &Context<'_>,
    directory: FileHandle,
    name: &[u8],
    creation: Option<Creation<'_>>,
) -> Result<Target, Status> {
    match (gate::lookup(context, directory, name).await, creation) {
        (Ok(_), Some(Creation { existing: IfExisting::Open, .. }) | None) => Err(Status::IsDir),
        (Ok(_), Some(_)) => Err(Status::Exist),
        (Err(Status::NoEnt), Some(_)) => Err(Status::RoFs),
        (Err(status), _) => Err(status),
    }
}

async fn in_volume(
    context: &Context<'_>,
    directory: &Node,
    handle: Handle,
    name: &[u8],
    creation: Option<Creation<'_>>,
) -> Result<Target, Status> {
    let pool = &context.server.pool;
    for _ in 0..ATTEMPTS_MAX {
        match (pool.lookup(handle, name).await, &creation) {
            (Ok(file), None) => return Ok(Target::existing(file, directory.change)),
            (Ok(file), Some(creation)) => return creation.meets(file, directory.change),
            (Err(Error::NotFound(_)), Some(creation)) => {
                if let Some(created) = create(context, directory, handle, name, creation).await? {
                    return Ok(created);
                }
            }
            (Err(error), _) => return Err(status_of(error)),
        }
    }
    Err(Status::Delay)
}

/// Returns `None` if another client has just created the name.
async fn create(
    context: &Context<'_>,
    directory: &Node,
    handle: Handle,
    name: &[u8],
    creation: &Creation<'_>,
) -> Result<Option<Target>, Status> {
    gate::require_writable(context)?;
    access::require(&context.credential, directory, WRITE | EXECUTE)?;
    let (state, client) = (&context.server.state, context.client()?);
    let room = state.reserve_open(client, creation.args.owner.owner.len())?;
    let verifier = match creation.existing {
        IfExisting::FailUnlessMadeBy(verifier) => Some(verifier.0),
        IfExisting::Open | IfExisting::Fail => None,
    };
    let new = fs::new_inode(&context.credential, directory, Kind::File, &creation.chosen, verifier)?;
    let record = creation.record(context, handle.volume)?;
    // If the server dies after the creation, the client gets this open from the outcome, and reclaims it.
    state.ensure_recorded(client, handle.volume).await?;
    let pool = &context.server.pool;
    match pool.create_with(handle, name, new, record).await {
        Ok(created) => Ok(Some(Target {
            room: Some(room),
            permitted: true,
            change_info: change_info(created.directory),
            attributes_set: creation.attributes_set.clone(),
            ..Target::existing(created.attributes, 0)
        })),
        Err(Error::Exists(_)) => Ok(None),
        Err(error) => Err(status_of(error)),
    }
}

impl<'a> Creation<'a> {
    async fn new(context: &Context<'_>, args: &'a OpenArgs, how: &CreateHow) -> Result<Creation<'a>, Status> {
        let (attributes, existing) = match how {
            CreateHow::Unchecked(attributes) => (Some(attributes), IfExisting::Open),
            CreateHow::Guarded(attributes) => (Some(attributes), IfExisting::Fail),
            CreateHow::Exclusive(verifier) => (None, IfExisting::FailUnlessMadeBy(*verifier)),
            CreateHow::Exclusive41(create) => {
                (Some(&create.attributes), IfExisting::FailUnlessMadeBy(create.verifier))
            }
        };
        let none = Fattr { mask: Bitmap::default(), values: Bytes::new() };
        let attributes = attributes.unwrap_or(&none);
        let identities = &context.server.identities;
        Ok(Creation {
            args,
            chosen: attributes::decode(identities, context.minor_version, attributes).await?,
            attributes_set: attributes.mask.clone(),
            existing,
        })
    }

    /// What the pool stores with the file, so that the result survives a restart. The stateid in it does not: when the client uses
    /// it, it learns that it has to reclaim the file.
    fn record(&self, context: &Context<'_>, volume: VolumeId) -> Result<Option<RecordOf<Created>>, Status> {
        if context.recording.is_none() {
            return Ok(None);
        }
        let (stateid, attributes_set) =
            (context.server.state.unissued_stateid(), self.attributes_set.clone());
        let (rflags, delegation) = (result_flags(context, volume)?, no_delegation(self.args.share_access));
        Ok(context.record_creation(move |created| {
            let change_info = change_info(created.directory);
            let result = OpenResult { stateid, change_info, rflags, attributes_set, delegation };
            OperationResult::Open(Ok(result))
        }))
    }

    /// The name already exists and refers to `file`.
    fn meets(&self, file: Attributes, change: u64) -> Result<Target, Status> {
        let existing = Target::existing(file, change);
        match self.existing {
            IfExisting::Open if self.chosen.size == Some(0) => {
                Ok(Target { truncate: true, attributes_set: Bitmap::of(&[attribute::SIZE]), ..existing })
            }
            IfExisting::Open => Ok(existing),
            IfExisting::FailUnlessMadeBy(verifier) if existing.file.create_verifier == Some(verifier.0) => {
                Ok(Target { permitted: true, attributes_set: self.attributes_set.clone(), ..existing })
            }
            IfExisting::Fail | IfExisting::FailUnlessMadeBy(_) => Err(Status::Exist),
        }
    }
}
