//! The owner's side: it says twice a second that it is there, and makes sure before it writes that nobody else is.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::beats::{Beats, Record};
use crate::connections::{self, Connections};
use crate::look::{Look, Moment};
use crate::owner::{FILE, Owner, OwnerError, Phase, Takeover, now};
use crate::watch::PERIOD;

/// For so long a write waits for an owner's file that cannot be read. Then it fails, and the pool stops.
const UNREADABLE_MAX: Duration = Duration::from_secs(3);
/// How often the file is tried meanwhile.
const UNREADABLE_PAUSE: Duration = Duration::from_millis(50);

/// Called when the pool has another owner: the process must end at once, without writing anything.
pub(crate) type OnLoss = Box<dyn Fn(&Owner) + Send + Sync>;

/// Says that this process owns the pool, until it is released or dropped. Dropped without a release, others must fence it.
pub struct Holder {
    said: Arc<Said>,
    beating: Mutex<Option<Beating>>,
}

/// The owner's file.
struct Said {
    directory: PathBuf,
    instance: String,
    owner: Mutex<Owner>,
    on_loss: OnLoss,
    record: Record,
    look: Look,
    /// Held by the thread that looks before a write, while others wait for what it sees.
    looking: Mutex<()>,
    is_released: AtomicBool,
}

/// The thread, and what ends it.
struct Beating {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Said {
    fn lock(&self) -> MutexGuard<'_, Owner> {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes sure that no other machine has taken the pool. Returns whether the file names this process; it may be missing.
    fn look(&self) -> Result<bool, OwnerError> {
        let begun = Moment::now();
        match Owner::read(&self.directory)? {
            Some(found) if found.instance != self.instance => {
                (self.on_loss)(&found);
                Err(OwnerError::Lost(found.node.name))
            }
            Some(_) => {
                self.look.note(begun);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Looks before a write, after the last look has become too old.
    fn look_again(&self) -> Result<(), OwnerError> {
        let begun = Instant::now();
        loop {
            let looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
            // Another thread, or a beat, may have looked meanwhile.
            if self.look.is_young() {
                return Ok(());
            }
            // A file that is just being written by a beat is not whole.
            let error = match self.look() {
                Ok(true) => return Ok(()),
                Ok(false) => {
                    OwnerError::io("find", &self.directory.join(FILE), io::ErrorKind::NotFound.into())
                }
                Err(OwnerError::Lost(node)) => return Err(OwnerError::Lost(node)),
                Err(error) => error,
            };
            drop(looking);
            if begun.elapsed() >= UNREADABLE_MAX {
                return Err(error);
            }
            thread::sleep(UNREADABLE_PAUSE);
        }
    }

    /// Changes what is said, unless another machine has taken the pool. That is looked at first each time, because the process may have
    /// been suspended since the last one.
    fn change(&self, change: impl FnOnce(&mut Owner)) -> Result<(), OwnerError> {
        let mut owner = self.lock();
        self.look()?;
        change(&mut owner);
        owner.beat += 1;
        owner.write(&self.directory)?;
        self.record.written(&owner);
        Ok(())
    }
}

impl Holder {
    /// Writes the first beat, and begins to say so from a thread of its own, which does not depend on the daemon's others.
    pub(crate) fn begin(directory: PathBuf, owner: Owner, on_loss: OnLoss) -> Result<Holder, OwnerError> {
        let begun = Moment::now();
        owner.write(&directory)?;
        let said = Arc::new(Said {
            directory,
            instance: owner.instance.clone(),
            record: Record::new(owner.clone()),
            owner: Mutex::new(owner),
            on_loss,
            look: Look::default(),
            looking: Mutex::default(),
            is_released: AtomicBool::new(false),
        });
        said.look.note(begun);
        let (stop, stopped) = channel();
        let beaten = said.clone();
        let thread =
            thread::Builder::new().name("owner".to_owned()).spawn(move || beat(&beaten, &stopped)).map_err(
                |source| OwnerError::Io { action: "start the thread for", file: "OWNER".into(), source },
            )?;
        Ok(Holder { said, beating: Mutex::new(Some(Beating { stop, thread })) })
    }

    /// Makes sure that this process may write to the pool. To be asked right before each change of a file there; costs some
    /// nanoseconds, since a look that is younger than a second counts. Beats look twice as often, so the file is read here only
    /// after this process was stopped or suspended, or while it cannot be read.
    ///
    /// If another machine has taken the pool, the process ends, as at a beat. If the file cannot be read, this waits for three
    /// seconds, and then fails: the caller must not write.
    pub fn confirm(&self) -> Result<(), OwnerError> {
        if self.said.is_released.load(Ordering::Acquire) {
            return Err(OwnerError::Released);
        }
        if self.said.look.is_young() { Ok(()) } else { self.said.look_again() }
    }

    /// The content of the file OWNER, as it was last written. Does not wait for the file system.
    pub fn owner(&self) -> Owner {
        self.beats().owner
    }

    /// The same, and how long ago that was.
    pub fn beats(&self) -> Beats {
        self.said.record.read()
    }

    /// The owner answers clients from now on, at this address, if other nodes can ask there; `takeover` tells how it came to that.
    pub fn serving(
        &self,
        address: Option<SocketAddr>,
        takeover: impl FnOnce(&mut Takeover),
    ) -> Result<(), OwnerError> {
        self.said.change(|owner| {
            (owner.phase, owner.address) = (Phase::Serving, address);
            takeover(&mut owner.takeover);
        })
    }

    /// Replaces the list of connections that clients have to this process, for the next owner.
    pub fn record_connections(&self, connections: &Connections) -> Result<(), OwnerError> {
        // Beats do not wait while the list is written: a list of an owner before does no harm.
        self.said.look()?;
        let write = connections::write(&self.said.directory, connections);
        write.map_err(|source| OwnerError::io("write the connections in", &self.said.directory, source))
    }

    /// The pool is closed: others may take it at once. With `moves` this node leaves it to them for ten seconds. This process
    /// must not write to it any more.
    pub fn release(&self, moves: bool) -> Result<(), OwnerError> {
        self.stop();
        self.said.is_released.store(true, Ordering::Release);
        self.said.change(|owner| (owner.phase, owner.since, owner.moves) = (Phase::Released, now(), moves))
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

fn beat(said: &Said, stopped: &Receiver<()>) {
    let mut is_failing = false;
    while stopped.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
        match said.change(|_| ()) {
            Ok(()) => is_failing = false,
            Err(OwnerError::Lost(_)) => return,
            Err(error) => {
                said.record.failed();
                if !is_failing {
                    tracing::error!(%error, "other machines cannot see that this one owns the pool, and may have it fenced");
                }
                is_failing = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::look::LOOK_AGE_MAX;
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
        assert!((1..=6).contains(&seen.beat), "{}", seen.beat);
        holder.confirm().unwrap();
        holder.release(false).unwrap();
        assert_eq!(read().phase, Phase::Released);
        assert!(matches!(holder.confirm(), Err(OwnerError::Released)));
        let beat = read().beat;
        thread::sleep(PERIOD * 3);
        assert_eq!(read().beat, beat, "it is silent");
    }

    #[test]
    fn beats_that_cannot_be_written_are_counted_and_the_last_one_stays() {
        let directory = tempfile::tempdir().unwrap();
        let pool = directory.path().join("pool");
        std::fs::create_dir(&pool).unwrap();
        let owner = Owner::new(node("a"), first()).unwrap();
        let holder =
            Holder::begin(pool.clone(), owner, Box::new(|_| panic!("nobody else is there"))).unwrap();
        thread::sleep(PERIOD * 3);
        let good = holder.beats();
        assert!(good.failures == 0 && good.age < PERIOD * 3 && good.owner.beat > 0, "{good:?}");
        std::fs::rename(&pool, directory.path().join("gone")).unwrap();
        thread::sleep(PERIOD * 5);
        let bad = holder.beats();
        assert!(bad.failures >= 2 && bad.age > PERIOD * 2, "{bad:?}");
        assert!(holder.serving(None, |_| ()).is_err());
        assert_eq!(holder.owner().phase, Phase::Opening, "only what was written is said");
    }

    /// An owner whose last look is too old, as after a suspension, and whose beats do not look.
    fn suspended(directory: &Path, on_loss: OnLoss) -> Holder {
        let holder =
            Holder::begin(directory.to_owned(), Owner::new(node("a"), first()).unwrap(), on_loss).unwrap();
        holder.stop();
        thread::sleep(LOOK_AGE_MAX);
        holder
    }

    #[test]
    fn an_owner_that_was_suspended_looks_before_it_writes() {
        let directory = tempfile::tempdir().unwrap();
        let (told, hears) = channel();
        let on_loss = Box::new(move |other: &Owner| told.send(other.node.name.clone()).unwrap());
        let holder = suspended(directory.path(), on_loss);
        let looked = Instant::now();
        holder.confirm().unwrap();
        let other = Owner::new(node("b"), first()).unwrap();
        other.write(directory.path()).unwrap();
        let again = holder.confirm();
        if looked.elapsed() < LOOK_AGE_MAX {
            again.unwrap();
            assert!(hears.try_recv().is_err(), "a young look counts, so the file was not read");
        }
        thread::sleep(LOOK_AGE_MAX);
        assert!(matches!(holder.confirm(), Err(OwnerError::Lost(node)) if node == "b"));
        assert_eq!(hears.try_recv().unwrap(), "b");
    }

    #[test]
    fn an_owner_that_cannot_look_writes_only_when_it_can() {
        let directory = tempfile::tempdir().unwrap();
        let holder = suspended(directory.path(), Box::new(|_| panic!("nobody else is there")));
        let (file, away) = (directory.path().join(FILE), directory.path().join("away"));
        for broken in [&b""[..], b"torn"] {
            std::fs::rename(&file, &away).unwrap();
            if !broken.is_empty() {
                std::fs::write(&file, broken).unwrap();
            }
            let begun = Instant::now();
            let error = holder.confirm().unwrap_err();
            assert!(begun.elapsed() >= UNREADABLE_MAX);
            assert_eq!(matches!(error, OwnerError::Damaged(_)), !broken.is_empty(), "{error}");
            assert!(error.to_string().contains("OWNER"), "{error}");
            std::fs::rename(&away, &file).unwrap();
            holder.confirm().unwrap();
            thread::sleep(LOOK_AGE_MAX);
        }
        std::fs::rename(&file, &away).unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| holder.confirm());
            thread::sleep(UNREADABLE_PAUSE * 4);
            assert!(!waiting.is_finished(), "it waits");
            std::fs::rename(&away, &file).unwrap();
            waiting.join().unwrap().unwrap();
        });
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
        assert!(matches!(holder.serving(None, |_| ()), Err(OwnerError::Lost(node)) if node == "b"));
        assert!(holder.release(false).is_err());
        assert_eq!(Owner::read(directory.path()).unwrap(), Some(other));
    }
}
