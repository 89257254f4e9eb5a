//! Keeps the witness of an open pool up to date.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::fits::require_fits;
use super::{Found, LogSpan, Phase, State, Witness};
use crate::base::sync;
use crate::store::meta::MetaCopies;
use crate::{Error, Result};

/// How often the state in the second copy is updated.
const COPY_PERIOD: Duration = Duration::from_secs(10);

/// See the module.
#[derive(Clone)]
pub(crate) struct Keeper {
    witness: Arc<dyn Witness>,
    meta: Arc<dyn MetaCopies>,
    /// The state of this start; the fields that change are taken from the metadata store.
    start: State,
    /// The laps of the log that are needed. Locked while a state is written, so that no older laps follow newer ones.
    log: Arc<Mutex<LogSpan>>,
    copy_told: Arc<Mutex<Option<Instant>>>,
    failed: Arc<AtomicBool>,
}

impl Keeper {
    pub(crate) fn new(witness: Arc<dyn Witness>, meta: Arc<dyn MetaCopies>, start: State) -> Keeper {
        Keeper {
            witness,
            meta,
            log: Arc::new(Mutex::new(start.log)),
            start,
            copy_told: Arc::default(),
            failed: Arc::default(),
        }
    }

    /// Records the phase (open or closed) durably, in the pool's directory and in the second copy.
    pub(crate) fn establish(&self, phase: Phase) -> Result<()> {
        let log = sync::lock(&self.log);
        let state = self.state(phase, *log);
        self.witness.establish(&state)?;
        self.note_in_copy(&state, true);
        drop(log);
        Ok(())
    }

    /// Records durably which laps of the log are needed, in the pool's directory and in the second copy. A second copy in which that
    /// fails does not count any more: opened alone, it would not know all laps.
    pub(crate) fn establish_log(&self, span: LogSpan) -> Result<()> {
        let mut log = sync::lock(&self.log);
        *log = span;
        let state = self.state(Phase::Running, span);
        self.witness.establish(&state)?;
        self.note_in_copy(&state, true);
        drop(log);
        Ok(())
    }

    /// Sets the laps of the log that the next state names.
    pub(crate) fn set_log(&self, span: LogSpan) {
        *sync::lock(&self.log) = span;
    }

    fn state(&self, phase: Phase, log: LogSpan) -> State {
        State { log, ..self.start.at(phase, self.meta.position()) }
    }

    /// Makes the second copy part of this history, whatever its state says. Used after accepted mismatches.
    pub(crate) fn take_copy(&self) {
        let log = *sync::lock(&self.log);
        let noted = self.witness.note_in_copy(&self.state(Phase::Running, log), true, &|_| true);
        noted.unwrap_or_else(|error| self.lose_copy(&error));
    }

    /// Removes what earlier starts have noted. Used after accepted mismatches.
    pub(crate) fn forget_earlier(&self) -> Result<()> {
        self.witness.forget_earlier(self.start.boot)
    }

    /// Records the state in the second copy, durably. From then on a failure to do that makes the copy of the metadata not count.
    pub(crate) fn establish_copy(&self) -> Result<()> {
        let log = sync::lock(&self.log);
        self.try_to_note_in_copy(&self.state(Phase::Running, *log), true)
    }

    /// Does not overwrite the state of a copy that belongs to another history. The caller holds the lock of the laps, so that no older
    /// laps follow newer ones.
    fn note_in_copy(&self, state: &State, durably: bool) {
        // The metadata store has been told.
        let _ = self.try_to_note_in_copy(state, durably);
    }

    fn try_to_note_in_copy(&self, state: &State, durably: bool) -> Result<()> {
        let may_replace = |found: &Found| self.require_fits(found).is_ok();
        self.witness.note_in_copy(state, durably, &may_replace).inspect_err(|error| self.lose_copy(error))
    }

    fn lose_copy(&self, error: &Error) {
        self.meta.drop_copy(&format!("write the pool's state to the second copy: {error}"));
    }

    /// Records that a commit group is durable, without a sync. If this fails, the group still succeeds, because the earlier
    /// state is still true.
    pub(crate) fn note(&self) {
        let log = sync::lock(&self.log);
        let state = self.state(Phase::Running, *log);
        let noted = self.witness.note(&state);
        if let Err(error) = noted
            && !self.failed.swap(true, Ordering::Relaxed)
        {
            tracing::error!(%error, "cannot write the pool's state; after a crash, less can be proved about the metadata");
        }
        let now = Instant::now();
        let mut told = sync::lock(&self.copy_told);
        if told.is_none_or(|told| now.duration_since(told) >= COPY_PERIOD) {
            *told = Some(now);
            drop(told);
            self.note_in_copy(&state, false);
            drop(log);
        }
    }

    /// Returns an error unless the second copy belongs to this pool and this history, and is no newer than the pool.
    pub(crate) fn require_copy_fits(&self) -> Result<()> {
        self.require_fits(&self.witness.copy()?)
    }

    fn require_fits(&self, copy: &Found) -> Result<()> {
        let Found::There(copy) = copy else { return Ok(()) };
        require_fits("the second copy", &*self.meta, self.start.pool, copy)
    }
}
