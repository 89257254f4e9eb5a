//! Queries for points: which series, which time range, and which step.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::series::Unit;
use super::store::{History, Point, RESOLUTIONS, Resolution, Series, Store, seconds};
use crate::base::problem::Problem;

/// Maximum number of points of a series in one response, and of all series together.
const POINTS_PER_SERIES_MAX: u64 = 3000;
const POINTS_MAX: u64 = 250_000;
/// Maximum number of points of a series when the caller gives no step.
const POINTS_UNASKED_MAX: u64 = 1500;
/// The longest time that is kept.
const RANGE_MAX_SECONDS: u64 = 30 * 24 * 60 * 60;
/// The time range when the caller gives no start.
const RANGE_UNASKED_SECONDS: u64 = 3600;

/// Selects points.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HistoryQuery {
    /// Prefixes of series names, separated by commas: `throughput/` or `latency/write/p99,volume/kafka/`.
    /// Default: all series.
    #[param(nullable = false)]
    pub series: Option<String>,
    /// Start time, in seconds since 1970. Default: an hour before `to`.
    #[param(nullable = false)]
    pub from: Option<u64>,
    /// End time, in seconds since 1970. Default: now.
    #[param(nullable = false)]
    pub to: Option<u64>,
    /// Seconds between points, rounded up to a multiple of 5 for the last hour, of 60 for the last day, and
    /// of 900 for older times. Default: a step that gives up to 1,500 points.
    #[param(minimum = 1, maximum = 2592000, nullable = false)]
    pub step: Option<u64>,
}

/// Points of several series, all at the same times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryView {
    /// Start of the first point's interval, in seconds since 1970.
    pub from: u64,
    /// End of the last point's interval, in seconds since 1970.
    pub to: u64,
    /// Seconds between points.
    #[schema(minimum = 5)]
    pub step: u64,
    /// The series, by name.
    pub series: Vec<HistorySeries>,
    /// The starts of the daemon in this time, oldest first. Nothing was measured before each of them.
    pub restarts: Vec<RestartView>,
}

/// A start of the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RestartView {
    /// When it was, in seconds since 1970.
    pub at: u64,
    /// Whether the stop before it was clean; null if it was the pool's first start, or if that is not known.
    pub clean: Option<bool>,
}

/// Points of one series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HistorySeries {
    /// The series' name, such as `throughput/write`.
    pub name: String,
    /// The unit of its values.
    pub unit: Unit,
    /// The mean over each point's interval; null where nothing was measured. For percentiles the maximum is
    /// more meaningful than the mean.
    pub mean: Vec<Option<f64>>,
    /// The highest value in each point's interval; null where nothing was measured.
    pub max: Vec<Option<f64>>,
}

/// How a response is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    /// The index of the resolution.
    index: usize,
    /// The first slot of the first point.
    first: u64,
    /// The number of slots per point, and of points.
    slots: u64,
    points: u64,
}

impl History {
    /// The recorded points that a query selects, as of `now`. The error is a message for the caller.
    pub fn view(&self, query: &HistoryQuery, now: SystemTime) -> Result<HistoryView, Problem> {
        let mut view = query.answer(&self.store(), seconds(now))?;
        let starts =
            self.starts().into_iter().map(|start| RestartView { at: seconds(start.at), clean: start.clean });
        view.restarts = starts.filter(|start| (view.from..view.to).contains(&start.at)).collect();
        Ok(view)
    }
}

impl HistoryQuery {
    fn answer(&self, store: &Store, now: u64) -> Result<HistoryView, Problem> {
        let shape = self.shape(now)?;
        let mut series = self.select(store);
        series.sort_unstable_by_key(|(name, _)| *name);
        series.dedup_by_key(|(name, _)| *name);
        if shape.points.saturating_mul(series.len() as u64) > POINTS_MAX {
            let count = series.len();
            let cause = format!("{count} series of {} points are too much for one answer", shape.points);
            let remedy = "name fewer series, a shorter time or a larger step";
            return Err(Problem::new("history", cause).with_remedy(remedy));
        }
        let seconds = shape.resolution().seconds;
        let from = shape.first.saturating_mul(seconds);
        let step = seconds.saturating_mul(shape.slots);
        Ok(HistoryView {
            from,
            to: from.saturating_add(step.saturating_mul(shape.points)),
            step,
            series: series.into_iter().map(|(name, series)| shape.points_of(store, name, series)).collect(),
            restarts: Vec::new(),
        })
    }

    fn select<'a>(&'a self, store: &'a Store) -> Vec<(&'a str, &'a Series)> {
        let prefixes = self.series.as_deref().unwrap_or_default().split(',');
        prefixes.flat_map(|prefix| store.with_prefix(prefix.trim())).collect()
    }

    fn shape(&self, now: u64) -> Result<Shape, Problem> {
        // There are no points of other times, so a response takes no more work than there are points.
        let to = self.to.unwrap_or(now).min(now);
        let from = self.from.unwrap_or(to.saturating_sub(RANGE_UNASKED_SECONDS));
        let from = from.max(now.saturating_sub(RANGE_MAX_SECONDS));
        if from >= to {
            let remedy = "give times of the last 30 days in seconds since 1970";
            let problem = Problem::new("history", format!("from {from} is not before to {to}"));
            return Err(problem.with_remedy(remedy));
        }
        if self.step.is_some_and(|step| step == 0 || step > RANGE_MAX_SECONDS) {
            return Err(Problem::new(
                "history",
                format!("the step must be from 1 to {RANGE_MAX_SECONDS} seconds"),
            ));
        }
        let age = now.saturating_sub(from);
        let reaches = |resolution: &Resolution| resolution.seconds.saturating_mul(resolution.slots) >= age;
        let coarsest = RESOLUTIONS.len().saturating_sub(1);
        let index = RESOLUTIONS.iter().position(reaches).unwrap_or(coarsest);
        let Resolution { seconds, slots: slots_max } =
            RESOLUTIONS.get(index).copied().unwrap_or(RESOLUTIONS[0]);
        let step = self.step.unwrap_or_else(|| (to.saturating_sub(from)).div_ceil(POINTS_UNASKED_MAX));
        let slots = step.div_ceil(seconds).clamp(1, slots_max);
        // Points begin at multiples of the step, so repeated queries return the same points.
        let of_point = |time: u64| time / seconds / slots;
        let points = of_point(to.saturating_sub(1)).saturating_sub(of_point(from)).saturating_add(1);
        if points > POINTS_PER_SERIES_MAX {
            let cause = format!("{points} points of each series are too many for one answer");
            return Err(Problem::new("history", cause).with_remedy("ask for a shorter time or a larger step"));
        }
        Ok(Shape { index, first: of_point(from).saturating_mul(slots), slots, points })
    }
}

impl Shape {
    fn resolution(&self) -> Resolution {
        RESOLUTIONS.get(self.index).copied().unwrap_or(RESOLUTIONS[0])
    }

    fn points_of(&self, store: &Store, name: &str, series: &Series) -> HistorySeries {
        let (mut mean, mut max) = (Vec::new(), Vec::new());
        for point in 0..self.points {
            let point =
                self.point(store, series, self.first.saturating_add(point.saturating_mul(self.slots)));
            mean.push(point.map(|(mean, _)| mean));
            max.push(point.map(|(_, max)| max));
        }
        HistorySeries { name: name.to_owned(), unit: series.unit, mean, max }
    }

    /// Combines several slots into one point.
    fn point(&self, store: &Store, series: &Series, first: u64) -> Option<Point> {
        let (mut sum, mut maximum, mut count) = (0.0, f64::NEG_INFINITY, 0u32);
        for slot in first..first.saturating_add(self.slots) {
            if let Some((mean, max)) = store.point(series, self.index, slot) {
                (sum, maximum, count) = (sum + mean, maximum.max(max), count.saturating_add(1));
            }
        }
        (count > 0).then(|| (sum / f64::from(count), maximum))
    }
}

#[cfg(test)]
mod tests {
    use super::super::series::Sampled;
    use super::*;

    const NOW: u64 = 1_700_000_400;

    /// A minute ago 0, then 1 after 5 s, and so on.
    fn store() -> Store {
        let mut store = Store::default();
        for step in 0..12u32 {
            let values = ["throughput/read", "throughput/write", "volume/kafka/read"];
            let sampled =
                values.map(|name| Sampled { name: name.to_owned(), unit: Unit::Bytes, value: step.into() });
            store.add(NOW - 60 + u64::from(step) * 5, &sampled);
        }
        store
    }

    fn ask(series: &str, from: u64, to: u64, step: Option<u64>) -> Result<HistoryView, Problem> {
        let query = HistoryQuery { series: Some(series.to_owned()), from: Some(from), to: Some(to), step };
        query.answer(&store(), NOW)
    }

    #[test]
    fn points_are_of_the_times_and_the_series_that_were_asked_for() {
        let view = ask("throughput/w,volume/, volume/kafka", NOW - 20, NOW, Some(1)).unwrap();
        assert_eq!((view.from, view.to, view.step), (NOW - 20, NOW, 5));
        let names: Vec<_> = view.series.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, ["throughput/write", "volume/kafka/read"]);
        assert_eq!(view.series[0].mean, [8.0, 9.0, 10.0, 11.0].map(Some));
        let view = ask("throughput/write", NOW - 60, NOW, Some(20)).unwrap();
        assert_eq!((view.step, &view.series[0].mean[..]), (20, &[1.5, 5.5, 9.5].map(Some)[..]));
        assert_eq!(view.series[0].max, [3.0, 7.0, 11.0].map(Some));
    }

    #[test]
    fn older_times_are_answered_with_coarser_points() {
        let view = ask("throughput/write", NOW - 2 * 3600, NOW, Some(1)).unwrap();
        assert_eq!((view.step, view.series[0].mean.len()), (60, 120));
        assert_eq!(view.series[0].mean[118..], [None, Some(5.5)]);
        let view = ask("throughput/write", 0, u64::MAX, None).unwrap();
        assert_eq!(view.step % 900, 0);
        assert!(view.series[0].mean.len() <= 1500 && view.to - view.from >= RANGE_MAX_SECONDS);
        assert_eq!(*view.series[0].max.last().unwrap(), Some(11.0));
    }

    #[test]
    fn what_cannot_be_answered_is_refused_with_a_sentence() {
        for (from, to, step) in [
            (NOW, NOW, None),
            (NOW + 10, u64::MAX, None),
            (0, 10, None),
            (NOW - 60, NOW, Some(0)),
            (NOW - 60, NOW, Some(u64::MAX)),
        ] {
            let refused = ask("", from, to, step).unwrap_err();
            assert_eq!(refused.field, "history", "{refused}");
        }
        assert_eq!(ask("nothing", NOW - 60, NOW, None).unwrap().series, []);
    }
}
