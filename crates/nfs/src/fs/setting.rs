//! Who may set which attributes, and what changes along with them.

use forebay_pool::{Attributes, Kind, SetAttributes, SetTime};

use crate::fs::access::{self, WRITE};
use crate::rpc::Credential;
use crate::xdr::Status;

/// What is to be set so that `credential` gets what it `wanted`.
///
/// `write_open` says that the caller proved, with a stateid, to have the file open for writing; then a size
/// needs no permission any more.
///
/// # Errors
/// [`Status::Perm`] for what only the owner or user 0 may do, [`Status::Access`] without write
/// permission, [`Status::IsDir`] and [`Status::Inval`] for the size of something that is no file.
pub fn authorize(
    credential: &Credential,
    now: &Attributes,
    mut wanted: SetAttributes,
    write_open: bool,
) -> Result<SetAttributes, Status> {
    check_owner(credential, now, &wanted)?;
    check_mode(credential, now, &wanted)?;
    check_times(credential, now, &wanted)?;
    check_size(credential, now, &wanted, write_open)?;
    wanted.mode = mode(credential, now, &wanted);
    Ok(wanted)
}

/// Only user 0 gives files away; an owner may move his to a group of his.
fn check_owner(credential: &Credential, now: &Attributes, wanted: &SetAttributes) -> Result<(), Status> {
    let owner = credential.is_root() || credential.uid == now.uid;
    let uid_stays = wanted.uid.is_none_or(|uid| uid == now.uid);
    let gid_allowed = wanted.gid.is_none_or(|gid| gid == now.gid || credential.is_member(gid));
    let any = wanted.uid.is_some() || wanted.gid.is_some();
    if !any || credential.is_root() || (owner && uid_stays && gid_allowed) {
        Ok(())
    } else {
        Err(Status::Perm)
    }
}

fn check_mode(credential: &Credential, now: &Attributes, wanted: &SetAttributes) -> Result<(), Status> {
    if wanted.mode.is_none() || credential.is_root() || credential.uid == now.uid {
        Ok(())
    } else {
        Err(Status::Perm)
    }
}

/// Who may write may say that he did just now; any other time is the owner's to choose.
fn check_times(credential: &Credential, now: &Attributes, wanted: &SetAttributes) -> Result<(), Status> {
    let times = [wanted.atime, wanted.mtime];
    if credential.is_root() || credential.uid == now.uid || times == [None, None] {
        Ok(())
    } else if times.iter().any(|time| matches!(time, Some(SetTime::To(_)))) {
        Err(Status::Perm)
    } else {
        access::require(credential, now, WRITE)
    }
}

fn check_size(
    credential: &Credential,
    now: &Attributes,
    wanted: &SetAttributes,
    write_open: bool,
) -> Result<(), Status> {
    if wanted.size.is_none() {
        return Ok(());
    }
    match now.kind {
        Kind::File if write_open => Ok(()),
        Kind::File => access::require_data(credential, now, WRITE),
        Kind::Directory => Err(Status::IsDir),
        _ => Err(Status::Inval),
    }
}

/// The permission bits to set, if any: those wanted, less those that a new owner, or data changed by a
/// user who is not the administrator, take away.
fn mode(credential: &Credential, now: &Attributes, wanted: &SetAttributes) -> Option<u32> {
    let group = wanted.gid.unwrap_or(now.gid);
    let chosen = wanted.mode.map(|mode| match now.kind {
        Kind::Directory => mode,
        _ => access::mode_to_set(credential, group, mode),
    });
    let given_away = wanted.uid.is_some() || wanted.gid.is_some();
    let data_changed = wanted.size.is_some() && !credential.is_root();
    if now.kind == Kind::Directory || !(given_away || data_changed) {
        return chosen;
    }
    let before = chosen.unwrap_or(now.mode);
    let after = access::mode_after_change(before);
    if chosen.is_some() || after != now.mode { Some(after) } else { None }
}
