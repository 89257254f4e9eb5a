//! Whether an owner may answer clients, by the clock of its own machine. Nothing here reads a clock but [`Tenure::holds`] and
//! [`Tenure::renewal_age`], so that the simulation decides by the same rules.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Time since the machine started, also while it was suspended.
pub(crate) fn boottime() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Duration::new(
        u64::try_from(now.tv_sec).unwrap_or_default(),
        u32::try_from(now.tv_nsec).unwrap_or_default(),
    )
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A question to the database and its answer, by the clock of the machine that asked. Whatever the database did lies between the two instants,
/// and nobody knows where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    pub(crate) began: Duration,
    pub(crate) answered: Duration,
}

/// Whether this process may answer clients.
#[derive(Debug, Default)]
pub struct Tenure {
    /// Until when, in nanoseconds since the machine started.
    until: AtomicU64,
    /// When the last renewal that succeeded began.
    renewed: AtomicU64,
    failures: AtomicU64,
    is_lost: AtomicBool,
}

impl Tenure {
    /// Whether an answer that was computed before this call may be sent.
    pub fn holds(&self) -> bool {
        self.holds_at(boottime())
    }

    /// The same, at this time of the machine's clock.
    pub(crate) fn holds_at(&self, now: Duration) -> bool {
        !self.is_lost() && nanoseconds(now) < self.until.load(Ordering::Acquire)
    }

    /// Whether another process has taken the pool. It stays so.
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Acquire)
    }

    /// How long ago the last renewal began that succeeded.
    pub fn renewal_age(&self) -> Duration {
        Duration::from_nanos(nanoseconds(boottime()).saturating_sub(self.renewed.load(Ordering::Acquire)))
    }

    /// How often a renewal failed.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    pub(crate) fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    /// The lease was taken or renewed. It is valid for this long after the *beginning*: the database may have changed its row right then,
    /// and candidates count from the change.
    pub(crate) fn renewed(&self, renewal: Exchange, valid: Duration) {
        self.renewed.fetch_max(nanoseconds(renewal.began), Ordering::AcqRel);
        self.until.fetch_max(nanoseconds(renewal.began + valid), Ordering::AcqRel);
    }

    pub(crate) fn lose(&self) {
        self.is_lost.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn exchange(began: f64, answered: f64) -> Exchange {
        Exchange { began: seconds(began), answered: seconds(answered) }
    }

    #[test]
    fn a_tenure_ends_by_itself_and_never_returns_once_it_is_lost() {
        let tenure = Tenure::default();
        assert!(!tenure.holds_at(seconds(0.0)));
        tenure.renewed(exchange(10.0, 12.0), seconds(2.5));
        assert!(tenure.holds_at(seconds(12.4)));
        assert!(!tenure.holds_at(seconds(12.5)), "the time for the answer counts");
        tenure.renewed(exchange(60.0, 60.1), seconds(2.5));
        // A renewal that was answered late does not shorten it.
        tenure.renewed(exchange(11.0, 61.0), seconds(2.5));
        assert!(tenure.holds_at(seconds(62.0)));
        tenure.lose();
        assert!(!tenure.holds_at(seconds(62.0)));
        tenure.renewed(exchange(62.0, 62.1), seconds(2.5));
        assert!(!tenure.holds_at(seconds(62.0)));
    }

    #[test]
    fn a_tenure_is_held_by_the_time_since_the_machine_started() {
        let tenure = Tenure::default();
        tenure.renewed(Exchange { began: boottime(), answered: boottime() }, seconds(60.0));
        assert!(tenure.holds() && tenure.renewal_age() < seconds(60.0));
    }
}
