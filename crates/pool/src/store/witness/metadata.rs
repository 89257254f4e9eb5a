//! A witness in the metadata itself, for stores that prove their own completeness, such as a database. It says whether the pool was closed
//! in order.
//!
//! The state is recorded while a pool is opened, before its committer runs, and when it is closed, after the committer has ended. So no two
//! threads write.

use std::sync::Arc;

use bytes::Bytes;

use super::{Found, State, Witness};
use crate::Result;
use crate::format::keys;
use crate::store::meta::{Batch, MetaStore};

/// See the module.
pub(crate) struct MetaWitness(pub(crate) Arc<dyn MetaStore>);

impl Witness for MetaWitness {
    fn own(&self) -> Result<Found> {
        let Some(value) = self.0.get(&keys::state())? else { return Ok(Found::Missing) };
        let state = std::str::from_utf8(&value).ok().and_then(|fields| State::parse(fields).ok());
        Ok(state.map_or(Found::Damaged, Found::There))
    }
    fn copy(&self) -> Result<Found> {
        Ok(Found::Missing)
    }
    fn establish(&self, state: &State) -> Result<()> {
        let change = (keys::state(), Some(Bytes::from(state.fields())));
        self.0.write(Batch { changes: vec![change] })?;
        self.0.make_durable()
    }
    /// The state of a group that is durable would be in the next group only, and prove nothing.
    fn note(&self, _state: &State) -> Result<()> {
        Ok(())
    }
}
