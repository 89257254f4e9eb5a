//! LISTXATTRS (RFC 8276 §8.4.3).
//!
//! Cookies are the pool's, as in READDIR: each name has its own, which stays valid while other names are
//! added and removed.

use bytes::Bytes;
use forebay_pool::XattrPage;

use super::xattr;
use crate::compound::Context;
use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ListxattrsArgs, ListxattrsResult};

/// Size of a result besides its names: cookie, count, end of the list.
const RESULT_BYTES: usize = 16;
/// Size of the shortest name.
const NAME_BYTES_MIN: usize = 8;

/// Returns names in the order of their cookies, as many as fit. Returns [`Status::TooSmall`] if not even one
/// fits.
pub async fn listxattrs(context: &mut Context<'_>, args: ListxattrsArgs) -> Result<ListxattrsResult, Status> {
    if args.cookie > i64::MAX as u64 {
        return Err(Status::BadCookie);
    }
    let bytes = args.maxcount.min(context.server.config.io_bytes_max()) as usize;
    let room = bytes.checked_sub(RESULT_BYTES).ok_or(Status::TooSmall)?;
    let page = match xattr::inode(&xattr::readable(context).await?) {
        Some(handle) => {
            let names_max = room / NAME_BYTES_MIN + 1;
            context.server.pool.xattr_list(handle, args.cookie, names_max).await.or_status()?
        }
        None => XattrPage { names: Vec::new(), end: true },
    };
    fill(args.cookie, page, room)
}

/// As many of a page's names as fit into `room` bytes. Names with the same cookie, which are extremely
/// unlikely, are kept together: the client continues after the cookie of the last one.
fn fill(cookie: u64, page: XattrPage, mut room: usize) -> Result<ListxattrsResult, Status> {
    let mut result = ListxattrsResult { cookie, names: Vec::new(), eof: page.end };
    for twins in page.names.chunk_by(|one, other| one.0 == other.0) {
        let bytes: usize = twins.iter().map(|(_, name)| encoded_bytes(name)).sum();
        let Some(left) = room.checked_sub(bytes) else {
            result.eof = false;
            break;
        };
        room = left;
        result.names.extend(twins.iter().map(|(_, name)| name.clone()));
        result.cookie = twins.last().map_or(result.cookie, |(cookie, _)| *cookie);
    }
    if result.names.is_empty() && !result.eof { Err(Status::TooSmall) } else { Ok(result) }
}

fn encoded_bytes(name: &Bytes) -> usize {
    4 + name.len().next_multiple_of(4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_nfs_proto::xdr::Encoder;

    fn page(names: &[(u64, &'static str)]) -> XattrPage {
        let names = names.iter().map(|(cookie, name)| (*cookie, Bytes::from_static(name.as_bytes())));
        XattrPage { names: names.collect(), end: true }
    }

    #[test]
    fn a_result_is_never_larger_than_asked_for_and_fills_it() {
        let names = [(3, "a"), (5, "bbbbb"), (9, "cccc")];
        for maxcount in RESULT_BYTES..RESULT_BYTES + 40 {
            let Ok(result) = fill(0, page(&names), maxcount - RESULT_BYTES) else {
                assert!(maxcount < RESULT_BYTES + 8);
                continue;
            };
            assert!(Encoder::of(&result).len() <= maxcount);
            let count = result.names.len();
            assert_eq!(result.eof, count == 3);
            assert_eq!(result.cookie, names[count - 1].0);
            assert_eq!(count == 3, maxcount >= RESULT_BYTES + 8 + 12 + 8);
        }
    }

    #[test]
    fn names_of_one_cookie_stay_together_and_no_name_is_an_end() {
        let twins = page(&[(3, "a"), (4, "b"), (4, "c")]);
        assert_eq!(fill(0, twins, 16).expect("one name").names.len(), 1);
        let none = fill(7, page(&[]), 0).expect("nothing to list");
        assert_eq!((none.cookie, none.eof), (7, true));
    }
}
