//! Pools that do not lie in a directory.

use super::*;
use crate::store::Backends;

impl Pool {
    /// Opens the pool in these stores, or creates one there if the metadata is empty. The pool has no intent log, and no second copy.
    pub async fn open_on(backends: Backends, options: PoolOptions) -> Result<Pool> {
        sync::blocking(move || Pool::on(assemble::on(backends, options)?)).await
    }
}
