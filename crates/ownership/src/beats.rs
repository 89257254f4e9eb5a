//! The last successful beat of an owner, for people and for metrics. Reading it never waits for the file system.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::owner::Owner;

/// The last successful beat of an owner, and the number of failures.
#[derive(Clone, Debug)]
pub struct Beats {
    /// The content of the file OWNER.
    pub owner: Owner,
    /// How long ago it was written.
    pub age: Duration,
    /// How often it could not be written since this process owns the pool.
    pub failures: u64,
}

/// Records the beats.
pub(crate) struct Record {
    written: Mutex<(Owner, Instant)>,
    failures: AtomicU64,
}

impl Record {
    /// The first beat has just been written.
    pub(crate) fn new(owner: Owner) -> Record {
        Record { written: Mutex::new((owner, Instant::now())), failures: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, (Owner, Instant)> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A beat has just been written.
    pub(crate) fn written(&self, owner: &Owner) {
        *self.lock() = (owner.clone(), Instant::now());
    }

    /// A beat could not be written.
    pub(crate) fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Beats {
        let (owner, at) = self.lock().clone();
        Beats { owner, age: at.elapsed(), failures: self.failures.load(Ordering::Relaxed) }
    }
}
