//! Locks, and work that blocks. The locks outlive a panic of their holder: every critical section of the pool leaves its data
//! consistent at each step, so poisoning would only turn one failed task into many.
//!
//! All of the pool's locks are taken and all of its blocking work is begun here, so that the simulation (`sim`) can decide
//! who runs when.

#[cfg(test)]
use std::sync::TryLockError::WouldBlock;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::JoinHandle;

#[cfg(test)]
use crate::sim::schedule;
use crate::{Error, Result};

pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    #[cfg(test)]
    schedule::until(|| !matches!(mutex.try_lock(), Err(WouldBlock)));
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn read<T: ?Sized>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    #[cfg(test)]
    schedule::until(|| !matches!(lock.try_read(), Err(WouldBlock)));
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn write<T: ?Sized>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    #[cfg(test)]
    schedule::until(|| !matches!(lock.try_write(), Err(WouldBlock)));
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// Blocks this thread until `done` returns true. Whoever changes the value must notify `changed`.
pub(crate) fn wait_until<T>(mutex: &Mutex<T>, changed: &Condvar, done: impl Fn(&T) -> bool) {
    #[cfg(test)]
    schedule::until(|| mutex.try_lock().is_ok_and(|value| done(&value)));
    let mut value = lock(mutex);
    while !done(&value) {
        value = changed.wait(value).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Runs work that blocks on the disk, on a thread where it delays no other task.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    #[cfg(test)]
    if schedule::is_simulated() {
        return schedule::blocking(work).await;
    }
    tokio::task::spawn_blocking(work).await.map_err(|_| Error::Closed)?
}

/// Like [`blocking`], for work whose result nobody waits for.
pub(crate) fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) {
    #[cfg(test)]
    if schedule::is_simulated() {
        schedule::in_background(work);
        return;
    }
    tokio::task::spawn_blocking(work);
}

/// Runs two pieces of work that block on the disk at the same time, the first one on this thread. In a simulation, or if there is
/// no other thread, they run one after the other. Returns `None` for the second if it panicked.
pub(crate) fn both<T, U: Send>(first: impl FnOnce() -> T, second: impl Fn() -> U + Sync) -> (T, Option<U>) {
    #[cfg(test)]
    if schedule::is_simulated() {
        return (first(), Some(second()));
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("pool-copy".into());
        let beside = thread.spawn_scoped(scope, &second);
        let first = first();
        let second = match beside {
            Ok(beside) => beside.join().ok(),
            Err(_) => Some(second()),
        };
        (first, second)
    })
}

/// Work that runs elsewhere, for a thread to wait for later.
pub(crate) enum Pending<T> {
    #[cfg(test)]
    Done(T),
    Begun(JoinHandle<T>),
}

/// Starts work that blocks on the disk, on a thread of its own: with a bounded set of threads, all of them could be waiting for
/// work that none is left to run. In a simulation the work runs immediately.
pub(crate) fn begin<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<Pending<T>> {
    #[cfg(test)]
    if schedule::is_simulated() {
        return Ok(Pending::Done(work()));
    }
    let thread = std::thread::Builder::new().name("pool-write".into()).spawn(work);
    let failed = |source| Error::Io { path: "pool-write".into(), action: "start the thread", source };
    thread.map(Pending::Begun).map_err(failed)
}

impl<T> Pending<T> {
    /// Blocks this thread until the work ends; [`Error::Closed`] if it panicked.
    pub(crate) fn wait(self) -> Result<T> {
        match self {
            #[cfg(test)]
            Pending::Done(done) => Ok(done),
            Pending::Begun(thread) => thread.join().map_err(|_| Error::Closed),
        }
    }
}
