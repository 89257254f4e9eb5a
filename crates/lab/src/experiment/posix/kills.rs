//! Kills the storage's server (kill -9) and restarts it during other work.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use crate::probe::random::Random;
use crate::progress::Tone;
use crate::report::Recorder;
use crate::storage::Storage;

/// The longest that the server stays away, in milliseconds.
const OUTAGE_MS_MAX: usize = 2000;
/// The interval between two checks whether the work is done.
const PAUSE: Duration = Duration::from_millis(20);
const SERVER: &str = "storage";

/// The kills so far.
#[derive(Debug)]
pub struct Kills {
    /// The time from one kill to the next.
    every: Duration,
    count: AtomicU32,
    over: AtomicBool,
}

impl Kills {
    /// The number of kills.
    pub fn count(&self) -> u32 {
        self.count.load(Ordering::SeqCst)
    }

    /// Repeats the work until there were at least `least` kills.
    pub fn through(&self, least: u32, mut work: impl FnMut() -> Result<()>) -> Result<()> {
        let first = self.count();
        loop {
            work()?;
            if self.count() >= first.saturating_add(least) {
                return Ok(());
            }
        }
    }

    /// Waits for the next kill's time; false if no more are wanted.
    fn wait(&self) -> bool {
        let next = Instant::now() + self.every;
        while Instant::now() < next {
            if self.over.load(Ordering::SeqCst) {
                return false;
            }
            std::thread::sleep(PAUSE);
        }
        true
    }
}

/// Does the work while the server is killed and started again. The server runs when this returns.
pub fn during<T>(
    storage: &mut dyn Storage,
    recorder: &Recorder,
    every: Duration,
    work: impl FnOnce(&Kills) -> Result<T>,
) -> Result<T> {
    let kills = Kills { every, count: AtomicU32::new(0), over: AtomicBool::new(false) };
    std::thread::scope(|scope| {
        let killer = scope.spawn(|| kill_again_and_again(storage, recorder, &kills));
        let result = work(&kills);
        kills.over.store(true, Ordering::SeqCst);
        let killed =
            killer.join().unwrap_or_else(|_| Err(anyhow!("the thread that kills the server panicked")));
        // If the server did not restart, the work has failed too: report the cause first.
        killed.context("kill the server and start it again")?;
        result
    })
}

fn kill_again_and_again(storage: &mut dyn Storage, recorder: &Recorder, kills: &Kills) -> Result<()> {
    let mut random = Random::new(recorder.now_ms());
    recorder.begin(SERVER, "serving", Tone::Good);
    while kills.wait() {
        storage.kill()?;
        recorder.begin(SERVER, "killed", Tone::Bad);
        // The length of the outage is part of the experiment.
        std::thread::sleep(Duration::from_millis(random.below(OUTAGE_MS_MAX) as u64));
        storage.restart()?;
        recorder.begin(SERVER, "serving", Tone::Good);
        kills.count.fetch_add(1, Ordering::SeqCst);
    }
    Ok(())
}
