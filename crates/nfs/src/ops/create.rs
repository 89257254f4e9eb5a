//! CREATE (RFC 8881 §18.4): creates objects other than regular files, which OPEN creates.

use forebay_pool::{Created, Kind};

use crate::compound::Context;
use crate::fs;
use crate::fs::{attributes, change_info, name};
use crate::status::OrStatus;
use crate::tree::FileHandle;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{CreateArgs, CreateResult, CreateType, OperationResult, SpecData};

/// The new object becomes current. Only user 0 may create devices.
pub async fn create(context: &mut Context<'_>, args: CreateArgs) -> Result<CreateResult, Status> {
    let kind = kind(args.object_type)?;
    name::check(&args.name)?;
    let device = matches!(kind, Kind::CharacterDevice(..) | Kind::BlockDevice(..));
    if device && !context.credential.is_root() {
        return Err(Status::Perm);
    }
    let identities = &context.server.identities;
    let chosen = attributes::decode(identities, context.minor_version, &args.attributes).await;
    let chosen = chosen.map_err(without_size)?;
    let (handle, directory) =
        fs::writable_directory(context.server, &context.credential, context.current()?).await?;
    fs::check_changed(context.server, handle, &args.name)?;
    let new = fs::new_inode(&context.credential, &directory, kind, &chosen, None)?;
    let attributes_set = args.attributes.mask;
    let result = move |created: &Created| CreateResult {
        change_info: change_info(created.directory),
        attributes_set: attributes_set.clone(),
    };
    let record = context.record_creation({
        let result = result.clone();
        move |created| OperationResult::Create(Ok(result(created)))
    });
    let created = context.server.pool.create_with(handle, &args.name, new, record).await.or_status()?;
    context.set_current(FileHandle::Inode(created.attributes.handle));
    Ok(result(&created))
}

/// No object that CREATE makes has a settable size, so CREATE does not return NFS4ERR_FBIG.
fn without_size(status: Status) -> Status {
    if status == Status::FBig { Status::Inval } else { status }
}

fn kind(wanted: CreateType) -> Result<Kind, Status> {
    match wanted {
        CreateType::Directory => Ok(Kind::Directory),
        CreateType::Symlink(link_text) if link_text.is_empty() => Err(Status::Inval),
        CreateType::Symlink(link_text) if link_text.len() > SYMLINK_BYTES_MAX => Err(Status::NameTooLong),
        CreateType::Symlink(link_text) => Ok(Kind::Symlink(link_text)),
        CreateType::BlockDevice(SpecData { specdata1, specdata2 }) => {
            Ok(Kind::BlockDevice(specdata1, specdata2))
        }
        CreateType::CharacterDevice(SpecData { specdata1, specdata2 }) => {
            Ok(Kind::CharacterDevice(specdata1, specdata2))
        }
        CreateType::Socket => Ok(Kind::Socket),
        CreateType::Fifo => Ok(Kind::Fifo),
        CreateType::Regular | CreateType::AttributeDirectory | CreateType::NamedAttribute => {
            Err(Status::BadType)
        }
    }
}

/// Maximum length of a symbolic link's path, in bytes: that of a path in a system call.
const SYMLINK_BYTES_MAX: usize = 4095;
