//! Reproducible random numbers (SplitMix64).

use std::time::Duration;

/// See the module.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `from` to `to`, both included.
    pub(super) fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.next() % (to - from + 1)
    }

    /// A time from `from` to `to`, in milliseconds.
    pub(super) fn time(&mut self, from: u64, to: u64) -> Duration {
        Duration::from_millis(self.between(from, to))
    }

    /// True in this many of a thousand cases.
    pub(super) fn permille(&mut self, cases: u64) -> bool {
        self.between(0, 999) < cases
    }

    /// A random element.
    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.between(0, of.len() as u64 - 1) as usize]
    }
}
