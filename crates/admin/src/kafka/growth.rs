//! How much topics grow in a day: usually, from the rows of the days, and in the last day.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use forebay_kafka::Report;

use super::history::TopicHistory;

/// The points from which growth is measured: one an hour for a day.
const POINT_EVERY: Duration = Duration::from_secs(3600);
const POINTS_MAX: usize = 26;
/// Growth is shown after this time, if it is not known from days.
const GROWTH_AFTER: Duration = Duration::from_secs(600);
const DAY: Duration = Duration::from_secs(86_400);
/// The growth of the last day is measured from something that is at most this old.
const LAST_DAY_MAX: Duration = Duration::from_secs(3 * 86_400);
/// A topic grows fast at this many times its usual rate.
const FAST_FACTOR: i64 = 3;
/// Less is not worth an alert: these bytes, and this part of the topic.
const FAST_BYTES_MIN: i64 = 1 << 30;
const FAST_PART_MIN: i64 = 10;

/// How many bytes of files a topic grows by in a day. It shrinks if the number is negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Growth {
    /// The median of the last sixty days; `None` until four days are known.
    pub usual: Option<i64>,
    /// In the last day; `None` without a report that is a day old.
    pub last_day: Option<i64>,
    /// Since the first report of this run that has the topic, at most over the last day.
    since_start: Option<i64>,
    /// Whether it has grown three times as fast as usual in the last day, and by enough to matter.
    pub is_fast: bool,
}

impl Growth {
    /// The usual growth, or what is known until there is one.
    pub fn per_day(&self) -> Option<i64> {
        self.usual.or(self.since_start)
    }
}

/// Bytes of topics in files at a time, by a hash of the cluster and the topic.
type Point = (SystemTime, HashMap<u64, u64>);

/// Measures growth.
#[derive(Default)]
pub struct Meter {
    points: VecDeque<Point>,
    hash: RandomState,
}

/// The growth of all topics as of a report.
#[derive(Debug, Default)]
pub struct Growths {
    by_topic: HashMap<u64, Growth>,
    hash: RandomState,
}

impl Growths {
    /// That of a topic.
    pub fn of(&self, cluster: &str, topic: &str) -> Growth {
        self.by_topic.get(&self.hash.hash_one((cluster, topic))).copied().unwrap_or_default()
    }
}

impl Meter {
    /// Measures the growth of all topics. `history` must have the report.
    pub fn measure(&mut self, report: &Report, history: &TopicHistory) -> Growths {
        let topics = report.clusters.iter().flat_map(|cluster| {
            cluster.topics.iter().map(|(name, topic)| {
                (self.hash.hash_one((&cluster.key, name)), topic.figures.bytes_in_files, (&cluster.key, name))
            })
        });
        let topics: Vec<_> = topics.collect();
        let measured = topics.iter().map(|(key, bytes, (cluster, name))| {
            (*key, self.growth((report.taken, *key, *bytes), (cluster, name), history))
        });
        let by_topic = measured.collect();
        let is_due = self.points.back().is_none_or(|(last, _)| {
            // A clock that was set back must not end the points.
            report.taken.duration_since(*last).map_or(true, |since| since >= POINT_EVERY)
        });
        if is_due {
            self.points.retain(|(at, _)| *at <= report.taken);
            self.points
                .push_back((report.taken, topics.iter().map(|(key, bytes, _)| (*key, *bytes)).collect()));
            if self.points.len() > POINTS_MAX {
                self.points.pop_front();
            }
        }
        Growths { by_topic, hash: self.hash.clone() }
    }

    fn growth(
        &self,
        (taken, key, bytes): (SystemTime, u64, u64),
        (cluster, topic): (&str, &str),
        history: &TopicHistory,
    ) -> Growth {
        let then = taken.checked_sub(DAY).unwrap_or(UNIX_EPOCH);
        let (rates, row) = history.recent(cluster, topic, then);
        let row = row.map(|row| (UNIX_EPOCH + Duration::from_secs(row.at), row.bytes_in_files));
        let of_point = |(at, topics): &Point| Some((*at, *topics.get(&key)?));
        let point = self.points.iter().rev().filter(|(at, _)| *at <= then).find_map(of_point);
        let from = row.into_iter().chain(point).max_by_key(|(at, _)| *at);
        let rate = |(at, before): (SystemTime, u64)| {
            let time = taken.duration_since(at).ok()?;
            Some((time, per_day(before, bytes, time)))
        };
        let last_day = from.and_then(rate).filter(|(time, _)| *time <= LAST_DAY_MAX).map(|(_, rate)| rate);
        let first = self.points.iter().find_map(of_point);
        let since_start =
            first.and_then(rate).filter(|(time, _)| *time >= GROWTH_AFTER).map(|(_, rate)| rate);
        // A number beyond the range of integers becomes the nearest one.
        let usual = rates.map(|rates| rates.median() as i64);
        let is_fast = last_day.zip(usual).is_some_and(|(last_day, usual)| is_fast(last_day, usual, bytes));
        Growth { usual, last_day, since_start, is_fast }
    }
}

fn per_day(before: u64, now: u64, time: Duration) -> i64 {
    let grown = i128::from(now) - i128::from(before);
    let scaled = grown.unsigned_abs() * u128::from(DAY.as_secs()) / u128::from(time.as_secs().max(1));
    let scaled = i64::try_from(scaled).unwrap_or(i64::MAX);
    if grown < 0 { -scaled } else { scaled }
}

fn is_fast(last_day: i64, usual: i64, bytes: u64) -> bool {
    let part = i64::try_from(bytes).unwrap_or(i64::MAX) / FAST_PART_MIN;
    last_day >= usual.max(0).saturating_mul(FAST_FACTOR) && last_day >= FAST_BYTES_MIN.max(part)
}

#[cfg(test)]
mod tests {
    use forebay_kafka::report::{Cluster, Figures, Topic};

    use super::*;

    const GIB: u64 = 1 << 30;
    /// The first second of a day.
    const START: u64 = 20_000 * 86_400;

    /// A report of one topic.
    fn report(seconds: u64, bytes_in_files: u64) -> Report {
        let topic = Topic { figures: Figures { bytes_in_files, ..Figures::default() }, ..Topic::default() };
        let topics = [("orders".to_owned(), topic)].into();
        Report {
            taken: UNIX_EPOCH + Duration::from_secs(START + seconds),
            duration: Duration::ZERO,
            bytes_total: 0,
            sample_bits: 0,
            clusters: vec![Cluster { key: "c".to_owned(), topics, ..Cluster::default() }],
            log_directories: Figures::default(),
            other_files: Figures::default(),
            objects: Figures::default(),
            deleted_files: Figures::default(),
            bytes_snapshots: 0,
            problems: Vec::new(),
        }
    }

    #[derive(Default)]
    struct Story {
        meter: Meter,
        history: TopicHistory,
    }

    impl Story {
        fn at(&mut self, seconds: u64, bytes: u64) -> Growth {
            let report = report(seconds, bytes);
            self.history.note(&report);
            self.meter.measure(&report, &self.history).of("c", "orders")
        }

        /// The same daemon after a restart.
        fn restart(&mut self) {
            self.meter = Meter::default();
        }
    }

    const HOUR: u64 = 3600;
    const DAY: u64 = 24 * HOUR;

    #[test]
    fn growth_is_measured_in_memory_until_days_are_known() {
        let mut story = Story::default();
        assert_eq!(story.at(0, 1000), Growth::default());
        assert_eq!(story.at(300, 1100).per_day(), None, "five minutes say nothing");
        assert_eq!(story.at(12 * HOUR, 1500).per_day(), Some(1000));
        assert_eq!(story.at(12 * HOUR + 1, 500).per_day(), Some(-999));
        assert_eq!(story.meter.measure(&report(0, 0), &story.history).of("c", "new"), Growth::default());
    }

    #[test]
    fn the_usual_growth_is_the_median_of_days_and_survives_a_restart() {
        let mut story = Story::default();
        for day in 0..20 {
            story.at(day * DAY + 23 * HOUR, day * 100 + if day == 11 { 5000 } else { 0 });
        }
        story.restart();
        let growth = story.at(20 * DAY + HOUR, 2000);
        assert_eq!((growth.usual, growth.per_day()), (Some(100), Some(100)));
        // From the end of the day before yesterday.
        assert_eq!(growth.last_day, Some((2000 - 1800) * 24 / 26));
    }

    #[test]
    fn a_topic_is_fast_at_three_times_its_usual_rate_in_the_last_day() {
        let fast_after = |hours: u64, rate: u64| {
            let mut story = Story::default();
            for hour in (0..20 * 24).step_by(6) {
                assert!(!story.at(hour * HOUR, hour * GIB).is_fast, "it always grows like that");
            }
            let (start, before) = (19 * DAY + 18 * HOUR, (19 * 24 + 18) * GIB);
            (1..=hours)
                .map(|hour| story.at(start + hour * HOUR, before + hour * rate * GIB).is_fast)
                .next_back()
        };
        assert_eq!(fast_after(30, 2), Some(false));
        assert_eq!(fast_after(30, 4), Some(true));
        assert_eq!(fast_after(5, 4), Some(false), "not for a day yet");
        assert_eq!(fast_after(3, 100), Some(true));
    }

    #[test]
    fn small_topics_and_small_changes_of_topics_that_do_not_grow_are_not_fast() {
        assert!(is_fast(2 * GIB as i64, 0, 10 * GIB));
        assert!(!is_fast(GIB as i64 - 1, 0, GIB), "less than a gibibyte");
        assert!(!is_fast(2 * GIB as i64, 0, 100 * GIB), "less than a tenth");
        assert!(!is_fast(-5, -9, 1));
        assert!(is_fast(i64::MAX, i64::MAX / 2, u64::MAX));
    }

    #[test]
    fn a_daemon_that_did_not_run_for_days_says_nothing_of_the_last_one() {
        let mut story = Story::default();
        for day in 0..10 {
            story.at(day * DAY, day * GIB);
        }
        story.restart();
        assert_eq!(story.at(20 * DAY, 900 * GIB).last_day, None);
        assert!(!story.at(20 * DAY + HOUR, 900 * GIB).is_fast);
    }

    #[test]
    fn a_clock_that_was_ahead_leaves_no_point() {
        let mut story = Story::default();
        story.at(900 * DAY, 10);
        story.at(0, 1000);
        assert_eq!(story.at(HOUR, 2000).per_day(), Some(24_000));
    }
}
