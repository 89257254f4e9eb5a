//! Deadlines that a clock which jumps does not bring forward.
//!
//! A deadline is over when both clocks agree: the time of day, and the time for which the pool has been open, over all its starts.
//! A clock that jumps forward does not shorten the second; one that jumps back, or a pool that is stopped for a while, only makes
//! the wait longer.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::sources::seconds_of;

/// What both clocks show, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Seconds since 1970.
    pub(crate) day: u64,
    /// Seconds for which the pool has been open.
    pub(crate) open: u64,
}

/// The moment that both clocks must have reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deadline(pub(crate) Moment);

impl Deadline {
    /// The deadline after this wait.
    pub(crate) fn after(now: Moment, wait: Duration) -> Deadline {
        let wait = wait.as_secs();
        Deadline(Moment { day: now.day.saturating_add(wait), open: now.open.saturating_add(wait) })
    }

    /// The deadline at this time of day.
    pub(crate) fn at(now: Moment, time: SystemTime) -> Deadline {
        Deadline::after(now, Duration::from_secs(seconds_of(time).saturating_sub(now.day)))
    }

    /// Whether it is over.
    pub(crate) fn is_over(self, now: Moment) -> bool {
        self.0.day <= now.day && self.0.open <= now.open
    }

    /// When it will be over, if the pool stays open and the clock is right.
    pub(crate) fn when(self, now: Moment) -> SystemTime {
        let by_open = now.day.saturating_add(self.0.open.saturating_sub(now.open));
        let seconds = self.0.day.max(if self.0.open > now.open { by_open } else { 0 });
        UNIX_EPOCH.checked_add(Duration::from_secs(seconds.min(MAX))).unwrap_or(UNIX_EPOCH)
    }
}

/// The last second that is shown: the end of the year 9999.
const MAX: u64 = 253_402_300_799;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumps_frees_nothing_early() {
        let now = Moment { day: 1000, open: 50 };
        let deadline = Deadline::after(now, Duration::from_secs(100));
        assert!(!deadline.is_over(now));
        assert!(!deadline.is_over(Moment { day: 1_000_000, open: 60 }), "the clock jumped forward");
        assert!(!deadline.is_over(Moment { day: 10, open: 5000 }), "the clock jumped back");
        assert!(deadline.is_over(Moment { day: 1100, open: 150 }));
        let shown = |now| seconds_of(deadline.when(now));
        assert_eq!(shown(now), 1100);
        assert_eq!(shown(Moment { day: 2000, open: 60 }), 2090, "the pool was stopped meanwhile");
        assert_eq!(shown(Moment { day: 2000, open: 500 }), 1100);
        assert_eq!(Deadline::at(now, SystemTime::UNIX_EPOCH), Deadline(now), "a time that has passed");
    }
}
