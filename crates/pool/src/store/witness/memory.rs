//! A witness in memory, for pools in memory.

use std::sync::Mutex;

use super::{Found, State, Witness};
use crate::Result;
use crate::base::sync;

/// See the module.
#[derive(Default)]
pub(crate) struct MemoryWitness(Mutex<Option<State>>);

impl Witness for MemoryWitness {
    fn own(&self) -> Result<Found> {
        Ok(sync::lock(&self.0).map_or(Found::Missing, Found::There))
    }
    fn copy(&self) -> Result<Found> {
        Ok(Found::Missing)
    }
    fn establish(&self, state: &State) -> Result<()> {
        self.note(state)
    }
    fn note(&self, state: &State) -> Result<()> {
        *sync::lock(&self.0) = Some(*state);
        Ok(())
    }
}
