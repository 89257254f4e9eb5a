//! The owner's side: it says twice a second that it is there.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::owner::{Owner, OwnerError, Phase, Takeover, now};
use crate::watch::PERIOD;

/// Called when the pool has another owner: the process must end at once, without writing anything.
pub(crate) type OnLoss = Box<dyn Fn(&Owner) + Send>;

/// Says that this process owns the pool, until it is released or dropped. Dropped without a release, others must fence it.
pub struct Holder {
    directory: PathBuf,
    owner: Arc<Mutex<Owner>>,
    beating: Mutex<Option<Beating>>,
}

/// The thread, and what ends it.
struct Beating {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Holder {
    /// Writes the first beat, and begins to say so from a thread of its own, which does not depend on the daemon's others.
    pub(crate) fn begin(directory: PathBuf, owner: Owner, on_loss: OnLoss) -> Result<Holder, OwnerError> {
        owner.write(&directory)?;
        let owner = Arc::new(Mutex::new(owner));
        let (stop, stopped) = channel();
        let thread = {
            let (directory, owner) = (directory.clone(), owner.clone());
            thread::Builder::new()
                .name("owner".to_owned())
                .spawn(move || beat(&directory, &owner, &stopped, &on_loss))
                .map_err(|source| OwnerError::Io {
                    action: "start the thread for",
                    file: "OWNER".into(),
                    source,
                })?
        };
        Ok(Holder { directory, owner, beating: Mutex::new(Some(Beating { stop, thread })) })
    }

    /// What is said now.
    pub fn owner(&self) -> Owner {
        lock(&self.owner).clone()
    }

    /// The owner answers clients from now on, at this address, if other nodes can ask there; `takeover` tells how it came to that.
    pub fn serving(
        &self,
        address: Option<SocketAddr>,
        takeover: impl FnOnce(&mut Takeover),
    ) -> Result<(), OwnerError> {
        let owner = {
            let mut owner = lock(&self.owner);
            (owner.phase, owner.address) = (Phase::Serving, address);
            takeover(&mut owner.takeover);
            owner.clone()
        };
        owner.write(&self.directory)
    }

    /// The pool is closed: others may take it at once. With `moves` this node leaves it to them for ten seconds.
    pub fn release(&self, moves: bool) -> Result<(), OwnerError> {
        self.stop();
        let owner = {
            let mut owner = lock(&self.owner);
            (owner.phase, owner.since, owner.beat) = (Phase::Released, now(), owner.beat + 1);
            owner.moves = moves;
            owner.clone()
        };
        owner.write(&self.directory)
    }

    fn stop(&self) {
        let beating = self.beating.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Beating { stop, thread }) = beating {
            drop(stop);
            // It cannot panic, and if it did, there would be nothing to do.
            let _ = thread.join();
        }
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        self.stop();
    }
}

fn lock(owner: &Mutex<Owner>) -> MutexGuard<'_, Owner> {
    owner.lock().unwrap_or_else(PoisonError::into_inner)
}

fn beat(directory: &Path, owner: &Mutex<Owner>, stopped: &Receiver<()>, on_loss: &OnLoss) {
    let mut failing = Duration::ZERO;
    while stopped.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
        let mut mine = lock(owner);
        // Looked at first, because the process may have been suspended since the last beat.
        let outcome = match Owner::read(directory) {
            Ok(Some(found)) if found.instance != mine.instance => {
                on_loss(&found);
                return;
            }
            Ok(_) => {
                mine.beat += 1;
                mine.write(directory)
            }
            Err(error) => Err(error),
        };
        match outcome {
            Ok(()) => failing = Duration::ZERO,
            Err(error) => {
                if failing.is_zero() {
                    tracing::error!(%error, "other machines cannot see that this one owns the pool, and may have it fenced");
                }
                failing += PERIOD;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::owner::tests::{first, node};

    #[test]
    fn an_owner_beats_serves_and_releases() {
        let directory = tempfile::tempdir().unwrap();
        let owner = Owner::new(node("a"), first()).unwrap();
        let read = || Owner::read(directory.path()).unwrap().unwrap();
        let holder =
            Holder::begin(directory.path().into(), owner, Box::new(|_| panic!("nobody else is there")))
                .unwrap();
        assert_eq!((read().phase, read().beat), (Phase::Opening, 0));
        let address = "192.0.2.1:2049".parse().unwrap();
        holder.serving(Some(address), |takeover| takeover.open_ms = Some(7)).unwrap();
        thread::sleep(PERIOD * 5);
        let seen = read();
        assert_eq!(
            (seen.phase, seen.address, seen.takeover.open_ms),
            (Phase::Serving, Some(address), Some(7))
        );
        assert!((1..=5).contains(&seen.beat), "{}", seen.beat);
        holder.release(false).unwrap();
        assert_eq!(read().phase, Phase::Released);
        let beat = read().beat;
        thread::sleep(PERIOD * 3);
        assert_eq!(read().beat, beat, "it is silent");
    }

    #[test]
    fn an_owner_that_finds_another_one_is_told_and_writes_nothing_more() {
        let directory = tempfile::tempdir().unwrap();
        let (told, hears) = channel();
        let holder = Holder::begin(
            directory.path().into(),
            Owner::new(node("a"), first()).unwrap(),
            Box::new(move |other| told.send(other.node.name.clone()).unwrap()),
        )
        .unwrap();
        let other = Owner::new(node("b"), first()).unwrap();
        other.write(directory.path()).unwrap();
        assert_eq!(hears.recv_timeout(PERIOD * 10).unwrap(), "b");
        thread::sleep(PERIOD * 3);
        assert_eq!(Owner::read(directory.path()).unwrap(), Some(other));
        drop(holder);
    }
}
