//! The points of all series, in rings of fixed size: for each series a ring of 5-second, of 1-minute and of
//! 15-minute points.
//!
//! Time is divided into slots aligned to 1970. A slot's index in its ring is its number modulo the ring's
//! size, so all series have the points of one time at one index. A slot holds the mean and the maximum of the
//! values added while it was the newest slot.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::series::{Sampled, Unit};

/// The maximum number of series. When it is exceeded, the series that was updated least recently is dropped.
pub const SERIES_MAX: usize = 320;

/// The resolution of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// Length of a slot in seconds.
    pub seconds: u64,
    /// Number of slots.
    pub slots: u64,
}

/// An hour, a day, and thirty days.
pub const RESOLUTIONS: [Resolution; 3] = [
    Resolution { seconds: 5, slots: 720 },
    Resolution { seconds: 60, slots: 1440 },
    Resolution { seconds: 15 * 60, slots: 2880 },
];

/// The history of one daemon.
#[derive(Default)]
pub struct History {
    store: Mutex<Store>,
}

impl History {
    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        // At worst, a panic elsewhere leaves a point missing.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Seconds since 1970.
pub fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// See the module.
#[derive(Debug, Default)]
pub struct Store {
    /// The newest slot of each resolution, once there is one.
    newest: Option<[u64; RESOLUTIONS.len()]>,
    series: BTreeMap<String, Series>,
}

/// One series.
#[derive(Debug)]
pub struct Series {
    /// The unit of its values.
    pub unit: Unit,
    /// The number of the store's latest addition that updated this series.
    added: u64,
    rings: [Ring; RESOLUTIONS.len()],
}

/// A point: mean and maximum.
pub type Point = (f64, f64);

#[derive(Debug)]
struct Ring {
    /// Mean and maximum by index; NaN where nothing was measured.
    means: Box<[f32]>,
    maxima: Box<[f32]>,
    /// The values of the newest slot.
    sum: f64,
    count: u32,
}

impl Store {
    /// Adds the values measured at `at`, in seconds since 1970. Later points, which exist if the clock was
    /// set back, are discarded.
    pub fn add(&mut self, at: u64, sampled: &[Sampled]) {
        let now = RESOLUTIONS.map(|resolution| at / resolution.seconds);
        if let Some(before) = self.newest {
            for (index, (before, now)) in before.into_iter().zip(now).enumerate() {
                self.advance(index, before, now);
            }
        }
        self.newest = Some(now);
        let turn =
            self.series.values().map(|series| series.added).max().unwrap_or_default().saturating_add(1);
        for sample in sampled {
            let Some(series) = self.series_of(sample, turn) else { continue };
            series.added = turn;
            for (ring, slot) in series.rings.iter_mut().zip(now) {
                ring.add(slot, sample.value);
            }
        }
    }

    /// Clears the slots between the newest one so far and the current one.
    fn advance(&mut self, index: usize, before: u64, now: u64) {
        if before == now {
            return;
        }
        let slots = if now > before { before.saturating_add(1)..=now } else { now..=before };
        for series in self.series.values_mut() {
            if let Some(ring) = series.rings.get_mut(index) {
                ring.clear(slots.clone());
            }
        }
    }

    /// The series of a sample. Returns `None` if there are too many series that were updated in this turn.
    fn series_of(&mut self, sample: &Sampled, turn: u64) -> Option<&mut Series> {
        if !self.series.contains_key(&sample.name) && self.series.len() >= SERIES_MAX {
            let (oldest, series) = self.series.iter().min_by_key(|(_, series)| series.added)?;
            if series.added >= turn {
                return None;
            }
            let oldest = oldest.clone();
            self.series.remove(&oldest);
        }
        Some(self.series.entry(sample.name.clone()).or_insert_with(|| Series {
            unit: sample.unit,
            added: turn,
            rings: RESOLUTIONS.map(Ring::new),
        }))
    }

    /// The series whose names begin with `prefix`.
    pub fn with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a Series)> {
        let from =
            self.series.range::<str, _>((std::ops::Bound::Included(prefix), std::ops::Bound::Unbounded));
        from.take_while(move |(name, _)| name.starts_with(prefix))
            .map(|(name, series)| (name.as_str(), series))
    }

    /// The point of a slot at a resolution. Returns `None` where nothing was measured or the point is too
    /// old.
    pub fn point(&self, series: &Series, index: usize, slot: u64) -> Option<Point> {
        let newest = *self.newest?.get(index)?;
        let ring = series.rings.get(index)?;
        let age = newest.checked_sub(slot)?;
        if age >= ring.means.len() as u64 { None } else { ring.point(slot) }
    }
}

impl Ring {
    fn new(resolution: Resolution) -> Ring {
        let nothing =
            vec![f32::NAN; usize::try_from(resolution.slots).unwrap_or(usize::MAX)].into_boxed_slice();
        Ring { means: nothing.clone(), maxima: nothing, sum: 0.0, count: 0 }
    }

    fn place(&self, slot: u64) -> usize {
        // Less than the length of a slice.
        slot.checked_rem(self.means.len() as u64).unwrap_or_default() as usize
    }

    fn clear(&mut self, slots: RangeInclusive<u64>) {
        (self.sum, self.count) = (0.0, 0);
        for slot in slots.take(self.means.len()) {
            self.set(slot, f32::NAN, f32::NAN);
        }
    }

    fn set(&mut self, slot: u64, mean: f32, maximum: f32) {
        let place = self.place(slot);
        if let (Some(in_means), Some(in_maxima)) = (self.means.get_mut(place), self.maxima.get_mut(place)) {
            (*in_means, *in_maxima) = (mean, maximum);
        }
    }

    fn add(&mut self, slot: u64, value: f64) {
        if !value.is_finite() {
            return;
        }
        self.sum += value;
        self.count = self.count.saturating_add(1);
        let maximum = self.point(slot).map_or(value, |(_, maximum)| maximum.max(value));
        self.set(slot, (self.sum / f64::from(self.count)) as f32, maximum as f32);
    }

    fn point(&self, slot: u64) -> Option<Point> {
        let place = self.place(slot);
        let (mean, maximum) = (self.means.get(place)?, self.maxima.get(place)?);
        (!mean.is_nan()).then_some((f64::from(*mean), f64::from(*maximum)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60;

    fn sample(name: &str, value: f64) -> Sampled {
        Sampled { name: name.to_owned(), unit: Unit::Bytes, value }
    }

    fn add(store: &mut Store, at: u64, value: f64) {
        store.add(at, &[sample("a", value)]);
    }

    fn point(store: &Store, resolution: usize, at: u64) -> Option<Point> {
        let (_, series) = store.with_prefix("a").next().unwrap();
        store.point(series, resolution, at / RESOLUTIONS[resolution].seconds)
    }

    #[test]
    fn minutes_and_quarters_have_the_mean_and_the_maximum() {
        let (mut store, start) = (Store::default(), 1000 * DAY);
        for step in 0..24u32 {
            add(&mut store, start + u64::from(step) * 5, f64::from(step));
        }
        assert_eq!(point(&store, 0, start + 35), Some((7.0, 7.0)));
        assert_eq!(point(&store, 1, start), Some((5.5, 11.0)));
        assert_eq!(point(&store, 1, start + 60), Some((17.5, 23.0)));
        assert_eq!(point(&store, 2, start), Some((11.5, 23.0)));
        assert_eq!(point(&store, 0, start + 120), None);
    }

    #[test]
    fn what_was_not_measured_is_a_gap_and_not_what_was_there_a_round_before() {
        let (mut store, start) = (Store::default(), 1000 * DAY);
        for step in 0..2000 {
            add(&mut store, start + step * 5, 1.0);
        }
        // The machine is suspended for half an hour, then for two days.
        let later = start + 2000 * 5 + 1800;
        add(&mut store, later, 2.0);
        assert_eq!(point(&store, 0, later - 900), None);
        assert_eq!(point(&store, 0, later - 1800 - 600), Some((1.0, 1.0)));
        let much_later = later + 2 * DAY;
        add(&mut store, much_later, 3.0);
        let hour: Vec<_> = (1..720).filter_map(|slot| point(&store, 0, much_later - slot * 5)).collect();
        assert_eq!(hour, []);
        assert_eq!(point(&store, 2, later), Some((2.0, 2.0)), "the month is still there");
        add(&mut store, much_later + 60 * DAY, 4.0);
        assert_eq!(point(&store, 2, much_later), None);
    }

    #[test]
    fn a_clock_that_is_set_back_leaves_nothing_of_the_future() {
        let (mut store, start) = (Store::default(), 1000 * DAY);
        for step in 0..500 {
            add(&mut store, start + step * 5, 1.0);
        }
        let back = start + 100 * 5;
        add(&mut store, back, 9.0);
        assert_eq!(point(&store, 0, back), Some((9.0, 9.0)));
        assert_eq!(point(&store, 0, back - 5), Some((1.0, 1.0)));
        for later in 1..400 {
            assert_eq!(point(&store, 0, back + later * 5), None);
        }
        add(&mut store, back + 300 * 5, 2.0);
        assert_eq!(point(&store, 0, back + 200 * 5), None);
    }

    #[test]
    fn there_are_no_more_series_than_the_bound_and_the_oldest_make_room() {
        let (mut store, start) = (Store::default(), 1000 * DAY);
        let named = |range: std::ops::Range<usize>| -> Vec<Sampled> {
            range.map(|number| sample(&format!("n{number:04}"), 1.0)).collect()
        };
        store.add(start, &named(0..100));
        store.add(start + 5, &named(50..1000));
        assert_eq!(store.series.len(), SERIES_MAX);
        assert!(!store.series.contains_key("n0000") && store.series.contains_key("n0050"));
        assert!(!store.series.contains_key("n0999"), "it comes when another goes");
        assert_eq!(store.with_prefix("n00").count(), 50);
    }

    #[test]
    fn values_that_are_none_are_not_kept() {
        let (mut store, start) = (Store::default(), 1000 * DAY);
        add(&mut store, start, f64::NAN);
        assert_eq!(point(&store, 0, start), None);
        add(&mut store, start, 4.0);
        assert_eq!(point(&store, 0, start), Some((4.0, 4.0)));
    }
}
