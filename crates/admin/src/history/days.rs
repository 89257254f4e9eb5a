//! A row for each day of the last year: how much of the pool and of its volumes was used. From these, when they will be full.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use crate::base::growth::DAY_SECONDS;
use crate::base::growth::Rates;
use crate::metrics::Observation;

/// The days that are kept.
pub const DAYS_MAX: usize = 400;
/// The volumes in a row: the largest.
const VOLUMES_MAX: usize = 256;
/// Beyond this nothing is predicted.
const AHEAD_MAX_DAYS: f64 = 3650.0;

/// The last observation of a day.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Day {
    /// Days since 1970, in UTC.
    pub day: u64,
    /// Bytes of the pool's file system in use.
    pub used: u64,
    /// Bytes of the pool's file system.
    pub total: u64,
    /// Bytes of files.
    pub logical: u64,
    /// Bytes stored for them.
    pub stored: u64,
    /// Bytes of files, by the ids of volumes.
    pub volumes: BTreeMap<u32, u64>,
}

/// When something will be full.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// At the median growth.
    pub full_in: Duration,
    /// At the growth of the faster quarter of the days.
    pub earliest: Duration,
    /// At the growth of the slower quarter; `None` if that is never, or years away.
    pub latest: Option<Duration>,
    /// The number of days that are known.
    pub days: u64,
}

/// The rows, oldest first.
#[derive(Debug, Default)]
pub struct Days(VecDeque<Day>);

impl Day {
    /// The row of an observation; `None` without a pool.
    pub fn of(seen: &Observation, seconds: u64) -> Option<Day> {
        let pool = seen.pool.as_ref()?;
        let mut volumes: Vec<(u32, u64)> = seen
            .volumes
            .iter()
            .filter_map(|volume| Some((volume.usage.id?.0, volume.usage.bytes_logical)))
            .collect();
        volumes.sort_unstable_by_key(|(_, used)| std::cmp::Reverse(*used));
        volumes.truncate(VOLUMES_MAX);
        Some(Day {
            day: seconds / DAY_SECONDS,
            used: pool.space.bytes_total.saturating_sub(pool.space.bytes_free),
            total: pool.space.bytes_total,
            logical: pool.space.bytes_logical,
            stored: pool.stored.bytes_live.saturating_add(pool.stored.bytes_inline),
            volumes: volumes.into_iter().collect(),
        })
    }
}

impl Days {
    /// Adds a row, or replaces that of the same day. Rows of later days, which a clock that was ahead has left, are dropped.
    pub fn add(&mut self, row: Day) {
        while self.0.back().is_some_and(|last| last.day >= row.day) {
            self.0.pop_back();
        }
        self.0.push_back(row);
        while self.0.len() > DAYS_MAX {
            self.0.pop_front();
        }
    }

    /// The rows, oldest first.
    pub fn rows(&self) -> impl Iterator<Item = &Day> {
        self.0.iter()
    }

    /// When what `of` selects reaches `size`. `None` if it does not grow, or if too few days are known.
    pub fn forecast(&self, of: impl Fn(&Day) -> Option<u64>, size: u64) -> Option<Forecast> {
        // Today is not over.
        let whole = self.0.len().saturating_sub(1);
        let known: BTreeMap<u64, u64> =
            self.0.iter().take(whole).filter_map(|row| Some((row.day, of(row)?))).collect();
        let now = of(self.0.back()?)?;
        let rates = Rates::of(&known)?;
        let free = size.saturating_sub(now) as f64;
        let at = |quarter: usize| {
            let rate = rates.quarter(quarter);
            let days = free / rate;
            let is_near = rate > 0.0 && days < AHEAD_MAX_DAYS;
            is_near.then(|| Duration::from_secs_f64(days * DAY_SECONDS as f64))
        };
        Some(Forecast { full_in: at(2)?, earliest: at(3)?, latest: at(1), days: known.len() as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(used: impl IntoIterator<Item = u64>) -> Days {
        let mut days = Days::default();
        for (day, used) in (20_000..).zip(used) {
            days.add(Day { day, used, total: 1000, ..Day::default() });
        }
        days
    }

    fn full_in(days: &Days, size: u64) -> Option<(f64, f64, Option<f64>)> {
        let in_days = |time: Duration| (time.as_secs_f64() / DAY_SECONDS as f64 * 10.0).round() / 10.0;
        let forecast = days.forecast(|row| Some(row.used), size)?;
        Some((in_days(forecast.full_in), in_days(forecast.earliest), forecast.latest.map(in_days)))
    }

    #[test]
    fn steady_growth_ends_at_one_time() {
        let days = days((0..30).map(|day| day * 10));
        assert_eq!(full_in(&days, 490), Some((20.0, 20.0, Some(20.0))));
    }

    #[test]
    fn weeks_with_quiet_weekends_are_not_taken_for_changes() {
        let workdays = |day: u64| day / 7 * 50 + (day % 7).min(5) * 10;
        let days = days((0..60).map(workdays));
        let (at, earliest, latest) = full_in(&days, workdays(59) + 500).unwrap();
        assert_eq!((at, earliest, latest), (70.0, 70.0, Some(70.0)));
    }

    #[test]
    fn a_day_on_which_much_was_deleted_changes_little() {
        let mut used = 0;
        let days = days((0..40).map(|day| {
            used = if day == 20 { 100 } else { used + 10 };
            used
        }));
        let (at, _, _) = full_in(&days, used + 100).unwrap();
        assert_eq!(at, 10.0);
    }

    #[test]
    fn nothing_is_predicted_from_little_or_without_growth() {
        assert_eq!(full_in(&days([1, 2, 3]), 100), None, "two days that are over");
        assert!(full_in(&days([1, 2, 3, 4, 5]), 100).is_some());
        assert_eq!(full_in(&days([50; 30]), 100), None);
        assert_eq!(full_in(&days((0..30).map(|day| 300 - day)), 1000), None);
        assert_eq!(full_in(&days(0..30), 1 << 40), None, "millennia");
        assert_eq!(Days::default().forecast(|row| Some(row.used), 1), None);
    }

    #[test]
    fn what_is_full_is_full_now_and_days_without_the_daemon_are_left_out() {
        let mut gaps = Days::default();
        for day in (0..60).filter(|day| day % 10 < 8) {
            gaps.add(Day { day, used: day * 10, ..Day::default() });
        }
        assert_eq!(full_in(&gaps, 100), Some((0.0, 0.0, Some(0.0))));
        assert_eq!(full_in(&gaps, 670), Some((10.0, 10.0, Some(10.0))));
    }

    #[test]
    fn rows_are_bounded_and_none_is_of_the_future() {
        let mut days = days(0..500);
        assert_eq!(days.rows().count(), DAYS_MAX);
        days.add(Day { day: 20_200, used: 7, ..Day::default() });
        assert_eq!(days.rows().last().map(|row| (row.day, row.used)), Some((20_200, 7)));
    }
}
