//! How much something grows in a day, from its size on each day.

use std::collections::BTreeMap;

/// Seconds of a day.
pub const DAY_SECONDS: u64 = 24 * 60 * 60;
/// Growth is measured over a week, or over a day if fewer days are known.
const WEEK: u64 = 7;
/// The days from which growth is taken, and how many differences it needs.
const BASE_DAYS: u64 = 60;
const DIFFERENCES_MIN: usize = 3;

/// Days before the last one that matter for [`Rates`].
pub const DAYS_USED: u64 = BASE_DAYS + WEEK;

/// Growth per day over the last sixty days, slowest first. Weekends and days on which much was deleted hardly change its median.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates(Vec<f64>);

impl Rates {
    /// The rates of sizes by day; `None` if too few days are known. The days must be over.
    pub fn of(known: &BTreeMap<u64, u64>) -> Option<Rates> {
        let last = *known.keys().next_back()?;
        let growth = |apart: u64| -> Vec<f64> {
            let recent = known.range(last.saturating_sub(BASE_DAYS)..);
            let differences = recent.filter_map(|(day, size)| {
                let before = known.get(&day.checked_sub(apart)?)?;
                Some((*size as f64 - *before as f64) / apart as f64)
            });
            let mut differences: Vec<f64> = differences.collect();
            differences.sort_by(f64::total_cmp);
            differences
        };
        let mut rates = growth(WEEK);
        if rates.len() < DIFFERENCES_MIN {
            rates = growth(1);
        }
        (rates.len() >= DIFFERENCES_MIN).then_some(Rates(rates))
    }

    /// The rate that this many quarters of the days did not exceed: 2 is the median.
    pub fn quarter(&self, quarter: usize) -> f64 {
        let at = self.0.len().saturating_sub(1).saturating_mul(quarter) / 4;
        self.0.get(at).copied().unwrap_or_default()
    }

    /// The median.
    pub fn median(&self) -> f64 {
        self.quarter(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn median(sizes: impl IntoIterator<Item = (u64, u64)>) -> Option<f64> {
        Rates::of(&sizes.into_iter().collect()).map(|rates| rates.median())
    }

    #[test]
    fn the_median_is_that_of_weeks_and_with_few_days_of_single_days() {
        assert_eq!(median((0..30).map(|day| (day, day * 10))), Some(10.0));
        assert_eq!(median((0..30).map(|day| (day, 900 - day * 10))), Some(-10.0));
        let workdays = |day: u64| day / 7 * 50 + (day % 7).min(5) * 10;
        assert_eq!(median((0..60).map(|day| (day, workdays(day)))), Some(50.0 / 7.0));
        assert_eq!(median([(0, 0), (1, 10), (2, 20), (3, 95)]), Some(10.0));
        assert_eq!(median([(0, 0), (1, 10), (2, 20)]), None);
        assert_eq!(median([]), None);
    }

    #[test]
    fn days_that_are_long_over_do_not_count() {
        let sizes = (0..300).map(|day| (day, if day < 200 { day * 1000 } else { 200_000 + day }));
        assert_eq!(median(sizes), Some(1.0));
    }
}
