//! Decodes a client's `fattr4` into attributes to set.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use forebay_pool::{FILE_SIZE_MAX, SetAttributes, SetTime};

use super::{SETTABLE, is_readable};
use crate::identity::{Identities, Owner};
use forebay_nfs_proto::xdr::nfs4::attribute::*;
use forebay_nfs_proto::xdr::nfs4::{Fattr, NfsTime};
use forebay_nfs_proto::xdr::{Decode, Decoder, Status, XdrError};

/// The valid permission bits.
const MODE_MASK: u32 = 0o7777;
/// `SET_TO_SERVER_TIME4` and `SET_TO_CLIENT_TIME4`.
const SERVER_TIME: u32 = 0;
const CLIENT_TIME: u32 = 1;
/// Number of digits of the largest user id.
const ID_DIGITS_MAX: usize = 10;

/// Decodes the attributes that a client wants to set.
///
/// # Errors
/// - [`Status::AttrNotSupp`]: the server does not support the attribute.
/// - [`Status::Inval`]: the attribute cannot be set, or its value is out of range.
/// - [`Status::FBig`]: no file can have that size.
/// - [`Status::BadOwner`]: the owner is neither a number nor a known name.
/// - [`Status::Delay`]: it is not known yet whether the name exists.
/// - [`Status::BadXdr`]: anything else.
pub async fn decode(
    identities: &Identities,
    minor_version: u32,
    given: &Fattr,
) -> Result<SetAttributes, Status> {
    let Wanted { mut set, owner, group } = read(minor_version, given)?;
    if let Some(owner) = owner {
        set.uid = Some(identities.user(&owner).await?);
    }
    if let Some(group) = group {
        set.gid = Some(identities.group(&group).await?);
    }
    Ok(set)
}

/// The attributes that a client wants to set, with owners as the client specifies them.
#[derive(Debug, Default)]
struct Wanted {
    set: SetAttributes,
    owner: Option<Owner>,
    group: Option<Owner>,
}

fn read(minor_version: u32, given: &Fattr) -> Result<Wanted, Status> {
    if let Some(attribute) = given.mask.iter().find(|attribute| !SETTABLE.contains(attribute)) {
        let exists = is_readable(minor_version, attribute);
        return Err(if exists { Status::Inval } else { Status::AttrNotSupp });
    }
    let mut input = Decoder::new(given.values.clone());
    let mut wanted = Wanted::default();
    for attribute in given.mask.iter() {
        take(attribute, &mut input, &mut wanted)?;
    }
    input.finish().map_err(bad_xdr)?;
    Ok(wanted)
}

fn take(attribute: u32, input: &mut Decoder, wanted: &mut Wanted) -> Result<(), Status> {
    let set = &mut wanted.set;
    match attribute {
        SIZE => set.size = Some(size(u64::decode(input).map_err(bad_xdr)?)?),
        MODE => set.mode = Some(mode(u32::decode(input).map_err(bad_xdr)?)?),
        OWNER => wanted.owner = Some(owner(Bytes::decode(input).map_err(bad_xdr)?)?),
        OWNER_GROUP => wanted.group = Some(owner(Bytes::decode(input).map_err(bad_xdr)?)?),
        TIME_ACCESS_SET => set.atime = Some(time(input)?),
        TIME_MODIFY_SET => set.mtime = Some(time(input)?),
        // Listed as settable but not decoded above: a bug in this file.
        _ => return Err(Status::ServerFault),
    }
    Ok(())
}

fn bad_xdr(_: XdrError) -> Status {
    Status::BadXdr
}

fn size(size: u64) -> Result<u64, Status> {
    if size <= FILE_SIZE_MAX { Ok(size) } else { Err(Status::FBig) }
}

fn mode(mode: u32) -> Result<u32, Status> {
    if mode & !MODE_MASK == 0 { Ok(mode) } else { Err(Status::Inval) }
}

/// A user or group: a decimal number, or a name with a domain (RFC 8881 §5.9). The largest number means "no
/// one" in system calls.
fn owner(given: Bytes) -> Result<Owner, Status> {
    if given.contains(&b'@') {
        return Ok(Owner::Name(given));
    }
    let digits = std::str::from_utf8(&given).map_err(|_| Status::BadOwner)?;
    let plain = digits.len() <= ID_DIGITS_MAX && digits.bytes().all(|byte| byte.is_ascii_digit());
    match digits.parse() {
        Ok(id) if plain && id != u32::MAX => Ok(Owner::Number(id)),
        _ => Err(Status::BadOwner),
    }
}

fn time(input: &mut Decoder) -> Result<SetTime, Status> {
    match u32::decode(input).map_err(bad_xdr)? {
        SERVER_TIME => Ok(SetTime::Now),
        CLIENT_TIME => system_time(NfsTime::decode(input).map_err(bad_xdr)?).map(SetTime::To),
        _ => Err(Status::BadXdr),
    }
}

fn system_time(time: NfsTime) -> Result<SystemTime, Status> {
    if time.nseconds >= 1_000_000_000 {
        return Err(Status::Inval);
    }
    let seconds = Duration::from_secs(time.seconds.unsigned_abs());
    let whole = if time.seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(seconds)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(seconds)
    };
    whole.and_then(|whole| whole.checked_add(Duration::from_nanos(time.nseconds.into()))).ok_or(Status::Inval)
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_nfs_proto::xdr::nfs4::Bitmap;
    use forebay_nfs_proto::xdr::{Encode, Encoder};

    fn fattr(attributes: &[u32], values: &[&dyn Encode]) -> Fattr {
        let mut out = Encoder::new();
        for value in values {
            value.encode(&mut out);
        }
        Fattr { mask: Bitmap::of(attributes), values: out.into_bytes() }
    }

    fn error(given: &Fattr) -> Status {
        read(2, given).expect_err("refused")
    }

    #[test]
    fn everything_settable_is_read_in_order() {
        let owner = Bytes::from_static(b"1000");
        let client_time = NfsTime { seconds: -2, nseconds: 750_000_000 };
        let given =
            fattr(SETTABLE, &[&5u64, &0o640u32, &owner, &owner, &SERVER_TIME, &CLIENT_TIME, &client_time]);
        let Wanted { set, owner, group } = read(1, &given).expect("all is well");
        assert_eq!((set.size, set.mode), (Some(5), Some(0o640)));
        assert_eq!((owner, group), (Some(Owner::Number(1000)), Some(Owner::Number(1000))));
        assert_eq!(set.atime, Some(SetTime::Now));
        let before = SystemTime::UNIX_EPOCH - Duration::new(1, 250_000_000);
        assert_eq!(set.mtime, Some(SetTime::To(before)));
    }

    #[test]
    fn what_cannot_be_set_is_told_from_what_does_not_exist() {
        assert_eq!(error(&fattr(&[FILEID], &[&1u64])), Status::Inval);
        assert_eq!(error(&fattr(&[CHANGE_ATTR_TYPE], &[&1u32])), Status::Inval);
        assert_eq!(read(1, &fattr(&[CHANGE_ATTR_TYPE], &[&1u32])).unwrap_err(), Status::AttrNotSupp);
        assert_eq!(error(&fattr(&[12], &[&0u32])), Status::AttrNotSupp);
        assert_eq!(error(&fattr(&[1999], &[])), Status::AttrNotSupp);
    }

    #[test]
    fn bad_values_have_their_own_errors() {
        assert_eq!(error(&fattr(&[SIZE], &[&(1u64 << 63)])), Status::FBig);
        assert_eq!(error(&fattr(&[MODE], &[&0o10000u32])), Status::Inval);
        let early = NfsTime { seconds: 0, nseconds: 1_000_000_000 };
        assert_eq!(error(&fattr(&[TIME_MODIFY_SET], &[&CLIENT_TIME, &early])), Status::Inval);
        assert_eq!(error(&fattr(&[TIME_MODIFY_SET], &[&2u32])), Status::BadXdr);
        for owner in ["", "root", "+1", "-1", "4294967295", "4294967296", "00000000001"] {
            let owner = Bytes::copy_from_slice(owner.as_bytes());
            assert_eq!(error(&fattr(&[OWNER], &[&owner])), Status::BadOwner, "{owner:?}");
        }
    }

    #[test]
    fn values_must_fit_their_mask_exactly() {
        assert_eq!(error(&fattr(&[SIZE], &[&1u32])), Status::BadXdr);
        assert_eq!(error(&fattr(&[SIZE], &[&1u64, &1u32])), Status::BadXdr);
        assert_eq!(error(&fattr(&[], &[&1u32])), Status::BadXdr);
    }
}
