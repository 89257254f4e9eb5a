//! READDIR (RFC 8881 §18.23).
//!
//! Cookies are the pool's: they stay valid while entries are added and removed, so the verifier that would
//! invalidate them is always zero. A page ends when the next entry does not fit in `maxcount`, which counts
//! everything, or in `dircount`, which is a hint and counts only names and cookies.

use forebay_pool::Handle;

use crate::compound::Context;
use crate::fs;
use crate::fs::Node;
use crate::fs::access::{READ, require};
use crate::fs::attributes::{Source, check_readable};
use crate::gate;
use crate::status::OrStatus;
use crate::tree::{FileHandle, PseudoId};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{Bitmap, DirectoryEntry, ReaddirArgs, ReaddirResult, Verifier};

/// Size of a result besides its entries: verifier, end of the list, end of the directory.
const RESULT_BYTES: usize = 16;
/// Size of the smallest entry: follows, cookie, a name of one letter, empty attributes.
const ENTRY_BYTES_MIN: usize = 28;
/// Maximum number of entries requested from the pool at a time.
const BATCH_ENTRIES_MAX: usize = 256;

/// An entry whose attributes are not encoded yet.
struct Found {
    cookie: u64,
    name: bytes::Bytes,
    node: Result<Node, Status>,
}

/// Returns [`Status::TooSmall`] if not even one entry fits.
pub async fn readdir(context: &mut Context<'_>, args: ReaddirArgs) -> Result<ReaddirResult, Status> {
    check(&args)?;
    let current = context.current()?;
    let directory = fs::directory(context.server, current).await?;
    require(&context.credential, &directory, READ)?;
    let page = Page::new(&args, context.server.config.io_bytes_max())?;
    match current {
        FileHandle::Inode(handle) => read_inode(context, handle, &args, page).await,
        FileHandle::Pseudo(id) => read_pseudo(context, id, &args, page).await,
    }
}

/// Cookies 1 and 2 are never used, and the only verifier is zero.
fn check(args: &ReaddirArgs) -> Result<(), Status> {
    check_readable(&args.attributes)?;
    if args.cookie == 1 || args.cookie == 2 || args.cookie > i64::MAX as u64 {
        Err(Status::BadCookie)
    } else if args.cookieverf != Verifier::default() {
        Err(Status::NotSame)
    } else {
        Ok(())
    }
}

async fn read_inode(
    context: &Context<'_>,
    directory: Handle,
    args: &ReaddirArgs,
    mut page: Page,
) -> Result<ReaddirResult, Status> {
    let mut cookie = args.cookie;
    loop {
        let batch = context.server.pool.readdir(directory, cookie, page.room()).await.or_status()?;
        if context.server.identities.are_wanted(&args.attributes) {
            for entry in &batch.entries {
                context.server.identities.prepare(entry.attributes.uid, entry.attributes.gid).await;
            }
        }
        let source = Source::new(context.server, context.minor_version);
        let read_something = !batch.entries.is_empty();
        for entry in batch.entries {
            cookie = entry.cookie;
            let found = Found { cookie, name: entry.name, node: Ok(entry.attributes.into()) };
            if !page.add(encode(&source, found, &args.attributes)?) {
                return page.finish(false);
            }
        }
        if batch.end || !read_something {
            return page.finish(true);
        }
    }
}

async fn read_pseudo(
    context: &Context<'_>,
    directory: PseudoId,
    args: &ReaddirArgs,
    mut page: Page,
) -> Result<ReaddirResult, Status> {
    let tree = context.server.exports.tree();
    let listing = tree.directory(directory).ok_or(Status::Stale)?;
    for (id, child) in listing.children.iter().filter(|(id, _)| id.0 > args.cookie) {
        let handle = child.volume_root.map_or(FileHandle::Pseudo(*id), FileHandle::Inode);
        if !gate::sees(context.server, &context.connection, handle)? {
            continue;
        }
        let node = fs::node(context.server, handle).await;
        if let Ok(node) = &node
            && context.server.identities.are_wanted(&args.attributes)
        {
            context.server.identities.prepare(node.uid, node.gid).await;
        }
        let source = Source::new(context.server, context.minor_version);
        let found = Found { cookie: id.0, name: child.name.clone(), node };
        if !page.add(encode(&source, found, &args.attributes)?) {
            return page.finish(false);
        }
    }
    page.finish(true)
}

/// An attribute that cannot be read fails the whole READDIR, unless the client requested the error per entry.
fn encode(source: &Source<'_>, found: Found, requested: &Bitmap) -> Result<DirectoryEntry, Status> {
    let attributes = source.encode_entry(found.node, requested)?;
    Ok(DirectoryEntry { cookie: found.cookie, name: found.name, attributes })
}

/// The entries that fit into one reply.
struct Page {
    entries: Vec<DirectoryEntry>,
    bytes_left: usize,
    names_left: usize,
}

impl Page {
    fn new(args: &ReaddirArgs, reply_bytes_max: u32) -> Result<Page, Status> {
        let bytes = args.maxcount.min(reply_bytes_max) as usize;
        // A client that does not use dircount sends zero.
        let names_left = if args.dircount == 0 { usize::MAX } else { args.dircount as usize };
        let bytes_left = bytes.checked_sub(RESULT_BYTES).ok_or(Status::TooSmall)?;
        Ok(Page { entries: Vec::new(), bytes_left, names_left })
    }

    /// The number of entries to request from the pool: no more than can fit, and at least one to detect the
    /// end.
    fn room(&self) -> usize {
        (self.bytes_left / ENTRY_BYTES_MIN + 1).min(BATCH_ENTRIES_MAX)
    }

    /// Returns false if the entry does not fit; the page is then complete.
    fn add(&mut self, entry: DirectoryEntry) -> bool {
        let bytes = 4 + encoded_bytes(&entry);
        let name_bytes = 12 + entry.name.len().next_multiple_of(4);
        let first = self.entries.is_empty();
        if bytes > self.bytes_left || (name_bytes > self.names_left && !first) {
            self.drop_twins(entry.cookie);
            return false;
        }
        self.bytes_left -= bytes;
        self.names_left = self.names_left.saturating_sub(name_bytes);
        self.entries.push(entry);
        true
    }

    /// Keeps entries with the same cookie, which are extremely unlikely, together: the client continues after
    /// the cookie of the last one.
    fn drop_twins(&mut self, cookie: u64) {
        while self.entries.last().is_some_and(|last| last.cookie == cookie) {
            self.entries.pop();
        }
    }

    fn finish(self, eof: bool) -> Result<ReaddirResult, Status> {
        if self.entries.is_empty() && !eof {
            return Err(Status::TooSmall);
        }
        Ok(ReaddirResult { cookieverf: Verifier::default(), entries: self.entries, eof })
    }
}

/// Size of an encoded entry, without the preceding flag that it follows.
fn encoded_bytes(entry: &DirectoryEntry) -> usize {
    let name = 4 + entry.name.len().next_multiple_of(4);
    let mask = 4 + 4 * entry.attributes.mask.0.len();
    let values = 4 + entry.attributes.values.len().next_multiple_of(4);
    8 + name + mask + values
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_nfs_proto::xdr::Encoder;
    use forebay_nfs_proto::xdr::nfs4::Fattr;

    fn entry(cookie: u64, name: &'static str) -> DirectoryEntry {
        let attributes = Fattr { mask: Bitmap::of(&[1, 33]), values: bytes::Bytes::from_static(&[0; 8]) };
        DirectoryEntry { cookie, name: name.into(), attributes }
    }

    fn page(dircount: u32, maxcount: u32) -> Result<Page, Status> {
        let args = ReaddirArgs {
            cookie: 0,
            cookieverf: Verifier::default(),
            dircount,
            maxcount,
            attributes: Bitmap::default(),
        };
        Page::new(&args, 1 << 20)
    }

    #[test]
    fn a_reply_is_never_larger_than_maxcount_and_fills_it() {
        let entries = [entry(3, "a"), entry(4, "bbbb"), entry(5, "ccccc")];
        let whole: usize = RESULT_BYTES + entries.iter().map(|entry| 4 + encoded_bytes(entry)).sum::<usize>();
        for maxcount in 0..=whole as u32 {
            let Ok(mut page) = page(0, maxcount) else {
                assert!((maxcount as usize) < RESULT_BYTES);
                continue;
            };
            let fit = entries.iter().cloned().take_while(|entry| page.add(entry.clone())).count();
            let Ok(result) = page.finish(fit == 3) else {
                assert_eq!(fit, 0);
                continue;
            };
            let bytes = Encoder::of(&result).len();
            assert!(bytes <= maxcount as usize);
            let next = entries.get(fit).map_or(0, |entry| 4 + encoded_bytes(entry));
            assert!(fit == 3 || bytes + next > maxcount as usize);
            assert_eq!(fit == 3, maxcount as usize == whole);
        }
    }

    #[test]
    fn dircount_limits_names_but_lets_one_through() {
        let mut page = page(1, 4096).expect("large enough");
        assert!(page.add(entry(3, "a")));
        assert!(!page.add(entry(4, "b")));
        assert_eq!(page.finish(false).expect("one entry").entries.len(), 1);
    }

    #[test]
    fn entries_of_one_cookie_stay_together() {
        let mut page = page(32, 4096).expect("large enough");
        assert!(page.add(entry(3, "a")));
        assert!(page.add(entry(4, "b")));
        assert!(!page.add(entry(4, "c")));
        assert_eq!(page.finish(false).expect("one entry").entries.len(), 1);
    }
}
