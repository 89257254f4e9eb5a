//! Whether a part of a pool belongs to it.

use super::State;
use crate::format::keys;
use crate::format::records::{Record, StartRecord};
use crate::store::meta::MetaStore;
use crate::{Error, Mismatch, PoolId, Result};

/// Returns an error unless the part belongs to this pool and this history, and is no newer than the metadata.
pub(crate) fn require_fits(part: &str, meta: &dyn MetaStore, pool: PoolId, state: &State) -> Result<()> {
    let key = keys::start(state.boot);
    let mark = meta.get(&key)?.map(|value| StartRecord::decode(&key, &value)).transpose()?;
    let (part, position) = (part.to_owned(), meta.position());
    let mismatch = if state.pool != pool {
        Mismatch::OtherPool { part, found: state.pool.to_string(), known: pool.to_string() }
    } else if mark.is_none_or(|known| known.mark != state.mark) {
        Mismatch::OtherHistory { part, found: state.boot }
    } else if state.batch > position.written {
        Mismatch::Behind { found: position.written, known: state.batch, witness: part }
    } else {
        return Ok(());
    };
    Err(Error::refused(mismatch))
}
