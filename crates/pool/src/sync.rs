//! Locks, and work that blocks. The locks outlive a panic of their holder: every critical section of the pool leaves its data
//! consistent at each step, so poisoning would only turn one failed task into many.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::{Error, Result};

pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn read<T: ?Sized>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn write<T: ?Sized>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// Runs work that blocks on the disk where it holds up nobody.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Error::Closed)?
}

/// As [`blocking`], for work whose outcome nobody waits for.
pub(crate) fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) {
    tokio::task::spawn_blocking(work);
}
