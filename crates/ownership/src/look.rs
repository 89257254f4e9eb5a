//! When this process last saw that the file OWNER names it.
//!
//! The clock is CLOCK_BOOTTIME, which also runs while the machine is suspended, and while the process is stopped. It is read without a
//! system call, so asking costs some nanoseconds.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// For so long a look lets this process write. Much less than a takeover takes.
pub(crate) const LOOK_AGE_MAX: Duration = Duration::from_secs(1);

/// A time of the clock.
#[derive(Clone, Copy)]
pub(crate) struct Moment(Duration);

impl Moment {
    pub(crate) fn now() -> Moment {
        let now = clock_gettime(ClockId::Boottime);
        // Neither is ever negative.
        let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
        let nanoseconds = u32::try_from(now.tv_nsec).unwrap_or_default();
        Moment(Duration::new(seconds, nanoseconds))
    }
}

/// The last look that found this process's name.
#[derive(Default)]
pub(crate) struct Look(AtomicU64);

impl Look {
    /// A look that began at this moment found it.
    pub(crate) fn note(&self, begun: Moment) {
        let nanoseconds = u64::try_from(begun.0.as_nanos()).unwrap_or_default();
        self.0.fetch_max(nanoseconds, Ordering::Release);
    }

    /// Whether it may still be relied on. A clock that went back, as in a virtual machine that was restored, makes it old.
    pub(crate) fn is_young(&self) -> bool {
        let last = Duration::from_nanos(self.0.load(Ordering::Acquire));
        Moment::now().0.checked_sub(last).is_some_and(|age| age < LOOK_AGE_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_young_for_a_second() {
        let ago = |milliseconds| {
            let look = Look::default();
            look.note(Moment(Moment::now().0.saturating_sub(Duration::from_millis(milliseconds))));
            look
        };
        assert!(!Look::default().is_young() || Moment::now().0 < LOOK_AGE_MAX);
        assert!(ago(0).is_young() && ago(500).is_young());
        assert!(!ago(1000).is_young() && !ago(60_000).is_young());
        let old = ago(5000);
        old.note(Moment::now());
        assert!(old.is_young());
        let ahead = Look::default();
        ahead.note(Moment(Moment::now().0 + Duration::from_secs(60)));
        assert!(!ahead.is_young(), "the clock went back");
    }
}
