//! Controls all workloads: they run, or they all stop between two operations and verify.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::{Event, Verified};

/// An order for all workloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Work.
    Work,
    /// Stop, and verify once in each round.
    Verify(u64),
    /// End.
    Stop,
}

/// Controls the workloads and collects their results.
pub struct Gate {
    works: usize,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    order: Order,
    /// The number of workloads that have verified since the last order to do so.
    verified: usize,
    total: Verified,
    operations: u64,
    repeated: u64,
    longest: Duration,
    failure: Option<String>,
}

impl Gate {
    /// A gate for this many workloads. They start to work immediately.
    pub fn new(works: usize) -> Self {
        let state = State {
            order: Order::Work,
            verified: 0,
            total: Verified::default(),
            operations: 0,
            repeated: 0,
            longest: Duration::ZERO,
            failure: None,
        };
        Self { works, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Gives an order. Repeating the current order has no effect.
    pub fn give(&self, order: Order) {
        let mut state = self.state();
        if state.order != order {
            state.order = order;
            state.verified = 0;
            state.total = Verified::default();
            self.changed.notify_all();
        }
    }

    pub fn order(&self) -> Order {
        self.state().order
    }

    pub fn wait_for_other_than(&self, order: Order) {
        let mut state = self.state();
        while state.order == order {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Does an operation and records its duration.
    pub fn timed(&self, operation: impl FnOnce() -> Result<()>) -> Result<()> {
        let begun = Instant::now();
        let result = operation();
        let mut state = self.state();
        state.operations += 1;
        state.longest = state.longest.max(begun.elapsed());
        result
    }

    /// Counts an operation whose reply said that it had been done before.
    pub fn repeated(&self) {
        self.state().repeated += 1;
    }

    pub fn add_verified(&self, found: Verified) {
        let mut state = self.state();
        state.verified += 1;
        state.total.files += found.files;
        state.total.bytes += found.bytes;
    }

    /// Returns the total of all workloads' verifications when the last of them has verified, once for each verification.
    pub fn finished_verification(&self) -> Option<Event> {
        let mut state = self.state();
        let Order::Verify(round) = state.order else { return None };
        if state.verified < self.works {
            return None;
        }
        state.verified = 0;
        let longest = std::mem::take(&mut state.longest);
        Some(Event {
            round,
            files: state.total.files,
            bytes: state.total.bytes,
            operations: state.operations,
            repeated: state.repeated,
            longest_ms: u64::try_from(longest.as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// Reports a failure. Only the first one is kept.
    pub fn fail(&self, why: &str) {
        self.state().failure.get_or_insert_with(|| why.to_owned());
    }

    pub fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verification_is_told_once_when_all_have_verified() {
        let gate = Gate::new(2);
        gate.give(Order::Verify(1));
        gate.add_verified(Verified { files: 1, bytes: 10 });
        assert_eq!(gate.finished_verification(), None);
        gate.give(Order::Verify(1));
        gate.add_verified(Verified { files: 2, bytes: 20 });
        let event = gate.finished_verification().unwrap();
        assert_eq!((event.round, event.files, event.bytes), (1, 3, 30));
        assert_eq!(gate.finished_verification(), None);
    }
}
