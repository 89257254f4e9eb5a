//! Reading a content piece by piece.

use std::ops::Range;

use forebay_pool::{Error, Handle, Pool, Result};

/// The bytes that are read at once.
const STEP_BYTES: u64 = 256 << 10;

/// Reads a range of a content, piece by piece, until `visit` fails.
pub async fn each_piece<E>(
    pool: &Pool,
    handle: Handle,
    range: Range<u64>,
    mut visit: impl FnMut(&[u8]) -> std::result::Result<(), E>,
) -> Result<std::result::Result<(), E>> {
    let mut at = range.start;
    while at < range.end {
        let step = u32::try_from((range.end - at).min(STEP_BYTES)).unwrap_or(u32::MAX);
        let read = pool.read(handle, at, step).await?;
        let before = at;
        for piece in read.pieces {
            at += piece.len() as u64;
            if let Err(error) = visit(&piece) {
                return Ok(Err(error));
            }
        }
        if at == before {
            return Err(Error::Damaged("a content is shorter than its size".into()));
        }
    }
    Ok(Ok(()))
}
