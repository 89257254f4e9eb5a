//! Permissions to set attributes, and the side effects of setting them.

use forebay_pool::{Attributes, Kind, SetAttributes, SetTime};

use crate::fs::access::{self, WRITE};
use forebay_nfs_proto::rpc::Credential;
use forebay_nfs_proto::xdr::Status;

/// The attributes to set so that `credential` gets what it `wanted`.
///
/// `write_open` means that the caller has proved with a stateid to have the file open for writing; setting
/// the size then needs no further permission.
///
/// # Errors
/// Returns [`Status::Perm`] if only the owner or user 0 may make the change, [`Status::Access`] without write
/// permission, and [`Status::IsDir`] or [`Status::Inval`] for the size of an object that is not a file.
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

/// Only user 0 may give files away. An owner may change a file's group to one of the owner's groups.
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

/// A user who may write may set a time to now; only the owner may set any other time.
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
        // Includes directories: SETATTR has no NFS4ERR_ISDIR.
        _ => Err(Status::Inval),
    }
}

/// The permission bits to set, if any: the wanted ones, less those that are removed by a change of owner, or
/// by a change of data by a user other than the administrator.
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

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use forebay_pool::{Handle, InodeId, VolumeId};

    use super::*;

    const ROOT: u32 = 0;
    const OWNER: u32 = 10;
    const OTHER: u32 = 11;

    fn user(uid: u32, groups: &[u32]) -> Credential {
        Credential { uid, gid: uid, groups: groups.to_vec() }
    }

    fn object(kind: Kind, mode: u32) -> Attributes {
        let time = SystemTime::UNIX_EPOCH;
        Attributes {
            handle: Handle { volume: VolumeId(1), inode: InodeId(1), generation: 1 },
            kind,
            mode,
            uid: OWNER,
            gid: OWNER,
            nlink: 1,
            size: 0,
            space_used: 0,
            change: 1,
            atime: time,
            mtime: time,
            ctime: time,
            btime: time,
            create_verifier: None,
        }
    }

    fn outcome(uid: u32, mode: u32, wanted: SetAttributes) -> Result<Option<u32>, Status> {
        authorize(&user(uid, &[77]), &object(Kind::File, mode), wanted, false).map(|set| set.mode)
    }

    #[test]
    fn only_the_owner_and_root_change_the_mode() {
        let wanted = || SetAttributes { mode: Some(0o600), ..SetAttributes::default() };
        assert_eq!(outcome(ROOT, 0o666, wanted()), Ok(Some(0o600)));
        assert_eq!(outcome(OWNER, 0o666, wanted()), Ok(Some(0o600)));
        assert_eq!(outcome(OTHER, 0o666, wanted()), Err(Status::Perm));
    }

    #[test]
    fn files_are_given_away_by_root_only_and_to_groups_of_their_owner() {
        let owner = |uid| SetAttributes { uid: Some(uid), ..SetAttributes::default() };
        let group = |gid| SetAttributes { gid: Some(gid), ..SetAttributes::default() };
        assert!(outcome(ROOT, 0o644, owner(5)).is_ok());
        assert!(outcome(OWNER, 0o644, owner(OWNER)).is_ok());
        assert_eq!(outcome(OWNER, 0o644, owner(5)), Err(Status::Perm));
        assert!(outcome(OWNER, 0o644, group(77)).is_ok());
        assert_eq!(outcome(OWNER, 0o644, group(78)), Err(Status::Perm));
        assert_eq!(outcome(OTHER, 0o644, group(77)), Err(Status::Perm));
    }

    #[test]
    fn a_file_that_changes_hands_or_content_loses_its_owners_rights() {
        let group = SetAttributes { gid: Some(77), ..SetAttributes::default() };
        assert_eq!(outcome(OWNER, 0o6755, group.clone()), Ok(Some(0o755)));
        assert_eq!(outcome(OWNER, 0o644, group), Ok(None));
        let size = SetAttributes { size: Some(0), ..SetAttributes::default() };
        assert_eq!(outcome(OTHER, 0o4777, size.clone()), Ok(Some(0o777)));
        assert_eq!(outcome(ROOT, 0o4777, size), Ok(None));
    }

    #[test]
    fn writers_may_set_times_to_now_and_owners_to_anything() {
        let now = || SetAttributes { mtime: Some(SetTime::Now), ..SetAttributes::default() };
        let then = || SetAttributes {
            atime: Some(SetTime::Now),
            mtime: Some(SetTime::To(SystemTime::UNIX_EPOCH)),
            ..SetAttributes::default()
        };
        assert!(outcome(OTHER, 0o666, now()).is_ok());
        assert_eq!(outcome(OTHER, 0o644, now()), Err(Status::Access));
        assert_eq!(outcome(OTHER, 0o666, then()), Err(Status::Perm));
        assert!(outcome(OWNER, 0o444, then()).is_ok());
    }

    #[test]
    fn a_size_needs_a_file_and_permission_or_an_open() {
        let size = || SetAttributes { size: Some(1), ..SetAttributes::default() };
        assert_eq!(outcome(OTHER, 0o644, size()), Err(Status::Access));
        let file = object(Kind::File, 0o400);
        assert!(authorize(&user(OTHER, &[]), &file, size(), true).is_ok());
        assert!(authorize(&user(OWNER, &[]), &file, size(), false).is_ok());
        let refused = |kind| authorize(&user(ROOT, &[]), &object(kind, 0o777), size(), false).map(|_| ());
        assert_eq!(refused(Kind::Directory), Err(Status::Inval));
        assert_eq!(refused(Kind::Fifo), Err(Status::Inval));
    }
}
