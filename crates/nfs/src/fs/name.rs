//! Valid names of directory entries (RFC 8881 §14, component4).
//!
//! Names are bytes, as on every Unix file system: they are compared bytewise and need not be UTF-8
//! (`fs_charset_cap` tells clients so).

use forebay_pool::NAME_BYTES_MAX;

use forebay_nfs_proto::xdr::Status;

/// Checks a name to look up, create or remove.
///
/// # Errors
/// - [`Status::Inval`]: the name is empty.
/// - [`Status::NameTooLong`]: the name is too long.
/// - [`Status::BadName`]: the name is `.` or `..`, which have their own operations.
/// - [`Status::BadChar`]: the name has a byte that no Unix name can contain.
pub fn check(name: &[u8]) -> Result<(), Status> {
    if name.is_empty() {
        Err(Status::Inval)
    } else if name.len() > NAME_BYTES_MAX {
        Err(Status::NameTooLong)
    } else if name == b"." || name == b".." {
        Err(Status::BadName)
    } else if name.contains(&b'/') || name.contains(&0) {
        Err(Status::BadChar)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bad_name_has_its_own_error() {
        assert_eq!(check(b""), Err(Status::Inval));
        assert_eq!(check(b"."), Err(Status::BadName));
        assert_eq!(check(b".."), Err(Status::BadName));
        assert_eq!(check(b"a/b"), Err(Status::BadChar));
        assert_eq!(check(b"a\0"), Err(Status::BadChar));
        assert_eq!(check(&[b'x'; 256]), Err(Status::NameTooLong));
    }

    #[test]
    fn names_of_kafka_and_of_other_alphabets_are_good() {
        let longest = [b'x'; 255];
        for name in [&b"demo-0.c7ec-delete"[..], b"...", "für".as_bytes(), b"\xff\xfe", &longest] {
            assert_eq!(check(name), Ok(()));
        }
    }
}
