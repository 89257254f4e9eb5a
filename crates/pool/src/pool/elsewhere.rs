//! Pools that do not lie in a directory.

use super::*;
use crate::store::Backends;

impl Pool {
    /// Opens the pool in these stores, or creates one there if the metadata is empty. The pool has no intent log, and no second copy.
    pub async fn open_on(backends: Backends, options: PoolOptions) -> Result<Pool> {
        sync::blocking(move || Pool::on(assemble::on(backends, options, false)?)).await
    }

    /// [`Pool::recover`] for a pool in these stores. A store that belongs to another pool is refused all the same.
    pub async fn recover_on(backends: Backends, options: PoolOptions) -> Result<Pool> {
        sync::blocking(move || Pool::on(assemble::on(backends, options, true)?)).await
    }

    /// [`Pool::assess`] for a pool in these stores. The caller must be their only writer. Lists all segments.
    pub async fn assess_on(backends: Backends) -> Result<Assessment> {
        sync::blocking(move || assemble::assess_on(backends)).await
    }
}
