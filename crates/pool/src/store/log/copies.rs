//! The copies of the intent log: one, or two if the pool keeps a second copy.
//!
//! The first copy decides: an error there is an error of the log. The second may fail or be away at any time. Which laps it has whole
//! is said by `STATE` ([`crate::store::witness::LogSpan`]), and opening reads nothing else of it.

use std::sync::Arc;

use super::LogStore;
use crate::base::sync;
use crate::{Error, Result};

/// Opens the files of the second copy. Fails while the copy is not available.
pub(crate) type OpenSecond = Box<dyn Fn() -> Result<Arc<dyn LogStore>> + Send + Sync>;

/// The files of a log.
pub(crate) struct LogFiles {
    pub(crate) first: Arc<dyn LogStore>,
    /// `None` if the pool keeps one copy.
    pub(crate) second: Option<OpenSecond>,
}

impl LogFiles {
    pub(crate) fn single(first: Arc<dyn LogStore>) -> LogFiles {
        LogFiles { first, second: None }
    }

    /// The second copy, if it is available.
    pub(crate) fn second(&self) -> Option<Arc<dyn LogStore>> {
        self.second.as_ref().and_then(|open| open().ok())
    }

    /// Does the same in the first copy and in `second`. Fails if it fails in the first. Returns the second's error, if any.
    pub(crate) fn both(
        &self,
        second: Option<&dyn LogStore>,
        work: impl Fn(&dyn LogStore) -> Result<()> + Sync,
    ) -> Result<Option<Error>> {
        let Some(second) = second else { return work(&*self.first).map(|()| None) };
        let (first, other) = sync::both(|| work(&*self.first), || work(second));
        first?;
        Ok(other.unwrap_or(Err(Error::Closed)).err())
    }
}
