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

use super::days::{Day, Days, Forecast};
use super::disk::{Decoder, Encoder, Start};
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
    starts: Mutex<Vec<Start>>,
    days: Mutex<Days>,
}

impl History {
    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        // At worst, a panic elsewhere leaves a point missing.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the row of a day, or replaces that of the same day.
    pub(super) fn add_day(&self, row: Day) {
        self.days().add(row);
    }

    /// The rows of the last 400 days, oldest first.
    pub fn days_kept(&self) -> Vec<Day> {
        self.days().rows().cloned().collect()
    }

    /// When what `of` selects will reach `size`, by the growth of the last days.
    pub fn forecast(&self, of: impl Fn(&Day) -> Option<u64>, size: u64) -> Option<Forecast> {
        self.days().forecast(of, size)
    }

    fn days(&self) -> MutexGuard<'_, Days> {
        self.days.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the starts of the daemon, oldest first.
    pub(super) fn set_starts(&self, starts: Vec<Start>) {
        *self.starts.lock().unwrap_or_else(PoisonError::into_inner) = starts;
    }

    /// The starts of the daemon that are known, oldest first.
    pub fn starts(&self) -> Vec<Start> {
        self.starts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Seconds since 1970.
pub fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// See the module.
#[derive(Debug, Default)]
pub struct Store {
    /// The time of the latest addition, in seconds since 1970.
    at: u64,
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
        (self.at, self.newest) = (at, Some(now));
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

/// Files: see `disk.rs`.
impl Store {
    /// The file of a resolution; `None` if nothing is recorded.
    pub(super) fn encode(&self, index: usize) -> Option<Vec<u8>> {
        let (newest, resolution) = (*self.newest?.get(index)?, RESOLUTIONS.get(index)?);
        let rings: Vec<(&String, &Series, &Ring)> = self
            .series
            .iter()
            .filter_map(|(name, series)| Some((name, series, series.rings.get(index)?)))
            .collect();
        // Nothing older than the oldest point is written.
        let is_measured = |slot: u64| rings.iter().any(|(_, _, ring)| ring.point(slot).is_some());
        let slots = newest.saturating_sub(resolution.slots.saturating_sub(1))..=newest;
        let oldest = slots.clone().find(|slot| is_measured(*slot))?;
        let slots = oldest..=newest;
        let mut file = Encoder::new();
        for number in [
            resolution.seconds,
            self.at,
            newest,
            newest.saturating_sub(oldest).saturating_add(1),
            rings.len() as u64,
        ] {
            file.number(number);
        }
        for (name, series, ring) in rings {
            file.name(name);
            file.number(series.unit.number());
            for values in [&ring.means, &ring.maxima] {
                let value = |slot| values.get(ring.place(slot)).copied().unwrap_or(f32::NAN);
                slots.clone().for_each(|slot| file.point(value(slot)));
            }
        }
        Some(file.finish())
    }

    /// Restores an empty store from files. Returns the resolutions whose files are damaged.
    pub(super) fn restore(&mut self, files: &[Option<Vec<u8>>; RESOLUTIONS.len()]) -> Vec<usize> {
        let mut damaged = Vec::new();
        let mut found = Vec::new();
        for (index, file) in files.iter().enumerate() {
            let Some(file) = file else { continue };
            match Saved::decode(file, index) {
                Some(saved) => found.push((index, saved)),
                None => damaged.push(index),
            }
        }
        let Some(at) = found.iter().map(|(_, saved)| saved.at).max() else { return damaged };
        (self.at, self.newest) = (at, Some(RESOLUTIONS.map(|resolution| at / resolution.seconds)));
        let mut complete = [0; RESOLUTIONS.len()];
        for (index, saved) in found {
            if let Some(complete) = complete.get_mut(index) {
                *complete = saved.newest;
            }
            self.put(index, saved);
        }
        for (index, from) in complete.into_iter().enumerate().skip(1) {
            self.derive(index, from);
        }
        damaged
    }

    fn put(&mut self, index: usize, saved: Saved<'_>) {
        let Some(newest) = self.newest.and_then(|newest| newest.get(index).copied()) else { return };
        for (name, unit, means, maxima) in saved.series {
            if !self.series.contains_key(name) && self.series.len() >= SERIES_MAX {
                continue;
            }
            let rings = || Series { unit, added: 0, rings: RESOLUTIONS.map(Ring::new) };
            let series = self.series.entry(name.to_owned()).or_insert_with(rings);
            let Some(ring) = series.rings.get_mut(index) else { continue };
            let first = saved.newest.saturating_sub((means.len() as u64).saturating_sub(1));
            for (slot, (mean, maximum)) in (first..).zip(means.into_iter().zip(maxima)) {
                let age = newest.checked_sub(slot);
                if age.is_some_and(|age| age < ring.means.len() as u64)
                    && mean.is_finite()
                    && maximum.is_finite()
                {
                    ring.set(slot, mean, maximum);
                }
            }
        }
    }

    /// Computes the slots of a ring from slot `from` on, whose file may have been written before they ended, from the finer ring.
    fn derive(&mut self, index: usize, from: u64) {
        let finer = index.saturating_sub(1);
        let (Some(coarse), Some(fine)) = (RESOLUTIONS.get(index), RESOLUTIONS.get(finer)) else { return };
        let newest = |index: usize| self.newest.and_then(|newest| newest.get(index).copied());
        let (Some(newest), Some(newest_fine)) = (newest(index), newest(finer)) else { return };
        let ratio = (coarse.seconds / fine.seconds).max(1);
        let from = from.max(newest.saturating_sub(coarse.slots.saturating_sub(1)));
        // A ring has the points of other times at the places of slots that it does not cover.
        let covered = newest_fine.saturating_sub(fine.slots.saturating_sub(1))..=newest_fine;
        for series in self.series.values_mut() {
            let Some([finer, ring]) = series.rings.get_mut(finer..=index) else { continue };
            for slot in from..=newest {
                let first = slot.saturating_mul(ratio);
                let slots = (first..first.saturating_add(ratio)).filter(|slot| covered.contains(slot));
                let points: Vec<Point> = slots.filter_map(|slot| finer.point(slot)).collect();
                if points.is_empty() {
                    continue;
                }
                let mean = points.iter().map(|(mean, _)| mean).sum::<f64>() / points.len() as f64;
                let maximum = points.iter().map(|(_, maximum)| *maximum).fold(f64::NEG_INFINITY, f64::max);
                ring.set(slot, mean as f32, maximum as f32);
            }
        }
    }
}

/// A file of a resolution.
struct Saved<'a> {
    at: u64,
    newest: u64,
    series: Vec<(&'a str, Unit, Vec<f32>, Vec<f32>)>,
}

impl<'a> Saved<'a> {
    fn decode(file: &'a [u8], index: usize) -> Option<Saved<'a>> {
        let resolution = RESOLUTIONS.get(index)?;
        let mut file = Decoder::new(file)?;
        let (seconds, at, newest, slots, count) =
            (file.number()?, file.number()?, file.number()?, file.number()?, file.number()?);
        let is_sound = seconds == resolution.seconds
            && newest == at / seconds
            && slots <= resolution.slots
            && count <= SERIES_MAX as u64;
        let slots = usize::try_from(slots).ok().filter(|_| is_sound)?;
        let mut series = Vec::new();
        for _ in 0..count {
            let (name, unit) = (file.name()?, Unit::of_number(file.number()?)?);
            series.push((name, unit, file.points(slots)?, file.points(slots)?));
        }
        file.is_done().then_some(Saved { at, newest, series })
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

    /// A store that was restored from what another one wrote, each file at its own time.
    fn restored(files: [Option<Vec<u8>>; 3]) -> Store {
        let mut store = Store::default();
        assert_eq!(store.restore(&files), Vec::<usize>::new());
        store
    }

    fn filled(start: u64, steps: u64) -> Store {
        let mut store = Store::default();
        for step in 0..steps {
            add(&mut store, start + step * 5, (step % 100) as f64);
        }
        store
    }

    #[test]
    fn everything_is_there_after_a_restart() {
        let start = 1000 * DAY;
        let store = filled(start, 20_000);
        let again = restored([0, 1, 2].map(|index| store.encode(index)));
        for (index, resolution) in RESOLUTIONS.iter().enumerate() {
            for slot in 0..20_000 * 5 / resolution.seconds {
                let at = start + slot * resolution.seconds;
                assert_eq!(point(&again, index, at), point(&store, index, at), "{index} {slot}");
            }
        }
    }

    #[test]
    fn minutes_and_quarters_since_their_files_were_written_are_computed_from_finer_points() {
        let start = 1000 * DAY;
        let old = filled(start, 1000);
        let store = filled(start, 1600);
        let again = restored([store.encode(0), old.encode(1), None]);
        for at in (start..start + 1600 * 5).step_by(60) {
            let (found, expected) = (point(&again, 1, at).unwrap(), point(&store, 1, at).unwrap());
            assert!((found.0 - expected.0).abs() < 1e-3 && found.1 == expected.1, "{found:?} {expected:?}");
        }
        for at in (start..start + 1600 * 5).step_by(900) {
            let (found, expected) = (point(&again, 2, at).unwrap(), point(&store, 2, at).unwrap());
            assert!((found.0 - expected.0).abs() < 2.0 && found.1 == expected.1, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn the_time_between_two_runs_is_a_gap_and_a_clock_that_was_ahead_leaves_nothing() {
        let start = 1000 * DAY;
        let files = || [0, 1, 2].map(|index| filled(start, 100).encode(index));
        let mut again = restored(files());
        add(&mut again, start + 800, 7.0);
        assert_eq!(point(&again, 0, start + 495), Some((99.0, 99.0)));
        assert_eq!(point(&again, 0, start + 500), None);
        assert_eq!(point(&again, 0, start + 800), Some((7.0, 7.0)));
        let mut back = restored(files());
        add(&mut back, start + 200, 7.0);
        assert_eq!(point(&back, 0, start + 200), Some((7.0, 7.0)));
        assert_eq!(point(&back, 0, start + 195), Some((39.0, 39.0)));
        add(&mut back, start + 490, 8.0);
        assert_eq!(point(&back, 0, start + 300), None);
    }

    #[test]
    fn a_file_that_is_cut_or_changed_at_any_byte_is_left_out() {
        let file = filled(1000 * DAY, 30).encode(0).unwrap();
        for cut in 0..file.len() {
            let mut changed = file.clone();
            changed[cut] ^= 0x40;
            for broken in [file[..cut].to_vec(), changed] {
                let mut store = Store::default();
                assert_eq!(store.restore(&[Some(broken), None, None]), [0], "at {cut}");
                assert!(store.series.is_empty());
            }
        }
        // A file of another resolution.
        assert_eq!(Store::default().restore(&[None, Some(file), None]), [1]);
    }

    #[test]
    fn a_file_of_all_series_is_smaller_than_what_is_read() {
        let (mut store, start) = (Store::default(), 1000 * DAY);
        let names: Vec<Sampled> =
            (0..SERIES_MAX).map(|number| sample(&format!("volume/{number:0250}/write"), 1.0)).collect();
        store.add(start, &names);
        store.add(start + 30 * DAY - 900, &names);
        for index in 0..RESOLUTIONS.len() {
            let bytes = store.encode(index).unwrap().len();
            assert!(bytes < 8 << 20, "{bytes}");
        }
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
