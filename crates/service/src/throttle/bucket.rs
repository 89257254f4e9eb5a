//! A token bucket: how many bytes may pass, and when.
//!
//! The bucket fills at the limit's rate up to a burst, and each request takes its bytes out. The burst is the
//! largest request, so that every request can pass eventually, plus 100 ms of the rate. A waiter that wakes
//! up late by less than that finds everything that has accumulated, so the rate does not depend on the
//! precision of timers.

use std::time::Duration;

/// What may pass immediately after an idle time, besides the largest request: this fraction of a second's
/// bytes.
const BURST_PART: u64 = 10;
const NANOSECONDS: u128 = 1_000_000_000;

/// A volume's bucket.
#[derive(Debug)]
pub(super) struct Bucket {
    /// Bytes per second.
    limit: u64,
    /// Maximum content in bytes.
    burst: u64,
    /// Current content, in billionths of a byte, so that nothing is lost to rounding.
    content: u128,
    /// The time of that content.
    at: Duration,
}

impl Bucket {
    /// A full bucket. No request takes more than `request_bytes_max`.
    pub fn new(limit: u64, request_bytes_max: u64, now: Duration) -> Bucket {
        let burst = burst(limit, request_bytes_max);
        Bucket { limit, burst, content: u128::from(burst) * NANOSECONDS, at: now }
    }

    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Maximum content in bytes.
    pub fn burst(&self) -> u64 {
        self.burst
    }

    /// Changes the limit. The content is kept as far as there is room.
    pub fn change(&mut self, limit: u64, request_bytes_max: u64, now: Duration) {
        self.fill(now);
        self.limit = limit;
        self.burst = burst(limit, request_bytes_max);
        self.add(0);
    }

    /// Takes bytes out, or returns when they will be available if no other request takes any.
    pub fn take(&mut self, bytes: u64, now: Duration) -> Result<(), Duration> {
        self.fill(now);
        let wanted = u128::from(bytes.min(self.burst)) * NANOSECONDS;
        match self.content.checked_sub(wanted) {
            Some(rest) => {
                self.content = rest;
                Ok(())
            }
            None => {
                let missing = wanted.saturating_sub(self.content);
                let wait = missing.div_ceil(u128::from(self.limit.max(1)));
                let wait = Duration::from_nanos(u64::try_from(wait).unwrap_or(u64::MAX));
                Err(now.saturating_add(wait))
            }
        }
    }

    /// Puts back bytes that were taken and not used.
    pub fn give_back(&mut self, bytes: u64) {
        self.add(u128::from(bytes) * NANOSECONDS);
    }

    /// The time that this many bytes take to pass.
    pub fn time_for(&self, bytes: u64) -> Duration {
        let nanoseconds = u128::from(bytes) * NANOSECONDS / u128::from(self.limit.max(1));
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }

    fn fill(&mut self, now: Duration) {
        let passed = now.saturating_sub(self.at);
        self.at = self.at.max(now);
        self.add(passed.as_nanos().saturating_mul(u128::from(self.limit)));
    }

    fn add(&mut self, content: u128) {
        let room = u128::from(self.burst) * NANOSECONDS;
        self.content = self.content.saturating_add(content).min(room);
    }
}

fn burst(limit: u64, request_bytes_max: u64) -> u64 {
    (limit / BURST_PART).saturating_add(request_bytes_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u64 = 10_000_000;
    const REQUEST: u64 = 1 << 20;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// Bytes that pass until `end` under maximum demand, with timers late by `late`.
    fn passed(bucket: &mut Bucket, bytes: u64, end: Duration, late: Duration) -> u64 {
        let (mut now, mut sum) = (Duration::ZERO, 0);
        loop {
            match bucket.take(bytes, now) {
                Ok(()) => sum += bytes,
                Err(ready) => now = ready + late,
            }
            if now > end {
                return sum;
            }
        }
    }

    #[test]
    fn the_limit_is_kept_whatever_the_size_of_requests_and_however_late_timers_are() {
        for bytes in [1000, 65_536, REQUEST] {
            for late in [Duration::ZERO, ms(1), ms(30)] {
                let mut bucket = Bucket::new(LIMIT, REQUEST, Duration::ZERO);
                // Beyond a burst at the start.
                let burst = bucket.burst();
                let sum = passed(&mut bucket, bytes, ms(10_000), late) as f64 - burst as f64;
                let rate = sum / (10.0 * LIMIT as f64);
                assert!((0.98..1.02).contains(&rate), "{bytes} {late:?} {rate}");
            }
        }
    }

    #[test]
    fn the_time_that_is_told_is_when_it_passes_and_not_before() {
        let mut bucket = Bucket::new(LIMIT, REQUEST, Duration::ZERO);
        bucket.take(bucket.burst(), Duration::ZERO).unwrap();
        let ready = bucket.take(333_333, Duration::ZERO).unwrap_err();
        assert!(bucket.take(333_333, ready - Duration::from_nanos(1)).is_err());
        bucket.take(333_333, ready).unwrap();
    }

    #[test]
    fn a_pause_earns_no_more_than_a_burst() {
        let mut bucket = Bucket::new(20 * REQUEST, REQUEST, Duration::ZERO);
        let later = Duration::from_secs(3600);
        bucket.take(3 * REQUEST, later).unwrap();
        assert!(bucket.take(1, later).is_err());
        bucket.give_back(5 * REQUEST);
        bucket.take(3 * REQUEST, later).unwrap();
        assert!(bucket.take(1, later).is_err());
    }

    #[test]
    fn another_limit_holds_from_when_it_is_set() {
        let mut bucket = Bucket::new(LIMIT, REQUEST, Duration::ZERO);
        bucket.take(bucket.burst(), Duration::ZERO).unwrap();
        bucket.change(2 * LIMIT, REQUEST, ms(10));
        // It includes 10 ms at the old limit.
        assert_eq!(bucket.take(LIMIT / 100 + LIMIT / 50, ms(10)), Err(ms(20)));
        // A clock that goes backwards must neither add nor remove content.
        assert!(bucket.take(LIMIT / 100 + 1, ms(5)).is_err());
        bucket.take(LIMIT / 100, ms(5)).unwrap();
    }

    #[test]
    fn extremes_do_not_overflow() {
        let mut bucket = Bucket::new(u64::MAX, u64::MAX, Duration::ZERO);
        for now in [Duration::ZERO, Duration::MAX] {
            let _ = bucket.take(u64::MAX, now);
            bucket.give_back(u64::MAX);
            assert!(bucket.time_for(u64::MAX) <= Duration::from_secs(1));
        }
        bucket.change(1, 1, Duration::MAX);
        bucket.take(u64::MAX, Duration::MAX).unwrap();
        assert_eq!(bucket.time_for(u64::MAX), Duration::from_nanos(u64::MAX));
    }
}
