//! The permission to change the pool's files. Where several machines can serve a pool, it is asked for before each change, since another
//! machine may have taken the pool while this process was stopped.

use std::fmt;
use std::sync::Arc;

use crate::{Error, Result};

type Ask = dyn Fn() -> std::result::Result<(), String> + Send + Sync;

/// Says before each change of the pool's files whether this process may still make it. By default it always may.
#[derive(Clone, Default)]
pub struct Permit(Option<Arc<Ask>>);

impl Permit {
    /// A permit that asks. `ask` returns why nothing may be written, and ends the process if the pool belongs to another one. It is
    /// called before every change, by any thread that may block, so it should be fast.
    pub fn asking(ask: impl Fn() -> std::result::Result<(), String> + Send + Sync + 'static) -> Permit {
        Permit(Some(Arc::new(ask)))
    }

    /// Whether it ever refuses.
    pub(crate) fn asks(&self) -> bool {
        self.0.is_some()
    }

    /// Returns [`Error::NotPermitted`] unless the next change may be made.
    pub fn confirm(&self) -> Result<()> {
        match &self.0 {
            Some(ask) => ask().map_err(Error::NotPermitted),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.asks() { "Permit that asks" } else { "Permit" })
    }
}
