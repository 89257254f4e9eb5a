//! The bytes that topics stored on each day, for 400 days: in memory, and in two files of the pool's directory `history`.
//!
//! `kafka-topics` has a line for each topic with its rows of days that are over, and is replaced when a day ends. `kafka-today` has a line
//! for each topic with the row of the current day, and is replaced once a minute at most. A crash between the two leaves rows in both, which
//! are the same. Lines have checksums, so damage costs the topics whose lines it hits.
//!
//! Invariants: there are at most [`TOPICS_MAX`] topics with [`DAYS_MAX`] rows each, and what other topics store is counted together; a
//! clock that jumps hides rows and adds some, and never discards those that are right.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use forebay_kafka::Report;
use forebay_kafka::report::{Figures, Topic};
use forebay_service::disk::{Place, from_line, millis, to_line};
use serde::{Deserialize, Serialize};

use crate::base::growth::{DAY_SECONDS, DAYS_USED, Rates};

/// The maximum number of days of a topic.
pub const DAYS_MAX: usize = 400;
/// The maximum number of topics, those that are deleted included.
pub const TOPICS_MAX: usize = 1000;
/// The maximum number of clusters whose other topics are counted together.
const OTHERS_MAX: usize = 24;
/// A topic that is known keeps its place until a new one stores this many times as much.
const KNOWN_FACTOR: u64 = 2;

/// The files, and how often that of the current day is written.
const OVER: &str = "kafka-topics";
const TODAY: &str = "kafka-today";
const TODAY_EVERY: Duration = Duration::from_secs(60);

/// The bytes that a topic stored at the last report of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Saved", into = "Saved")]
pub struct Row {
    /// When the report was taken, in seconds since 1970.
    pub at: u64,
    /// Number of partitions.
    pub partitions: u64,
    /// Bytes in files, holes excluded.
    pub bytes_in_files: u64,
    /// Bytes stored.
    pub bytes_stored: u64,
    /// Bytes that deleting the topic would have returned.
    pub bytes_exclusive: u64,
    /// Bytes of records that were written in a day, if that was known.
    pub bytes_written_per_day: Option<u64>,
}

/// A row in a file.
type Saved = (u64, u64, u64, u64, u64, Option<u64>);

/// A topic of a cluster. Without a name, all topics that have no rows of their own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Name {
    cluster: String,
    topic: Option<String>,
}

/// A line of a file.
#[derive(Serialize, Deserialize)]
struct Line {
    cluster: String,
    /// Missing for all topics that have no rows of their own.
    topic: Option<String>,
    rows: Vec<Row>,
}

/// See the module.
#[derive(Default)]
pub struct TopicHistory {
    rows: Mutex<Rows>,
    place: OnceLock<Arc<Place>>,
    writing: Mutex<Writing>,
}

#[derive(Default)]
struct Rows {
    topics: BTreeMap<Name, Vec<Row>>,
    /// The day of the last report.
    today: Option<u64>,
    /// Whether rows of other days have changed since their file was written.
    over_changed: bool,
    today_changed: bool,
}

#[derive(Default)]
struct Writing {
    today: Option<Instant>,
}

impl From<Saved> for Row {
    fn from(
        (at, partitions, bytes_in_files, bytes_stored, bytes_exclusive, bytes_written_per_day): Saved,
    ) -> Row {
        Row { at, partitions, bytes_in_files, bytes_stored, bytes_exclusive, bytes_written_per_day }
    }
}

impl From<Row> for Saved {
    fn from(row: Row) -> Saved {
        let Row { at, partitions, bytes_in_files, bytes_stored, bytes_exclusive, bytes_written_per_day } =
            row;
        (at, partitions, bytes_in_files, bytes_stored, bytes_exclusive, bytes_written_per_day)
    }
}

impl Row {
    fn of(at: u64, topic: &Topic) -> Row {
        let Figures { bytes_in_files, bytes_stored, bytes_exclusive, .. } = topic.figures;
        let (partitions, bytes_written_per_day) = (topic.partitions.len() as u64, topic.bytes_per_day());
        Row { at, partitions, bytes_in_files, bytes_stored, bytes_exclusive, bytes_written_per_day }
    }

    /// Days since 1970, in UTC.
    pub fn day(&self) -> u64 {
        self.at / DAY_SECONDS
    }

    /// Adds what other topics stored. The sum of what was written is known only if all parts are.
    fn add(&mut self, other: &Row) {
        self.at = self.at.max(other.at);
        self.partitions = self.partitions.saturating_add(other.partitions);
        self.bytes_in_files = self.bytes_in_files.saturating_add(other.bytes_in_files);
        self.bytes_stored = self.bytes_stored.saturating_add(other.bytes_stored);
        self.bytes_exclusive = self.bytes_exclusive.saturating_add(other.bytes_exclusive);
        let both = self.bytes_written_per_day.zip(other.bytes_written_per_day);
        self.bytes_written_per_day = both.map(|(one, other)| one.saturating_add(other));
    }
}

/// Seconds since 1970.
fn seconds(time: SystemTime) -> u64 {
    millis(time) / 1000
}

impl TopicHistory {
    /// Restores what earlier runs have written, and writes to these files from now on.
    pub fn keep_in(&self, place: Arc<Place>) {
        let mut rows = self.rows();
        for name in [OVER, TODAY] {
            let lines = place.lines(name);
            for line in lines.iter().filter_map(|line| from_line::<Line>(line)) {
                if name == TODAY {
                    rows.today = rows.today.max(line.rows.last().map(Row::day));
                }
                rows.restore(line);
            }
        }
        drop(rows);
        // The second time it would be the same.
        let _ = self.place.set(place);
    }

    /// Notes what a report says of all topics.
    pub fn note(&self, report: &Report) {
        let at = seconds(report.taken);
        let clusters = report.clusters.iter();
        let topics = clusters.flat_map(|cluster| {
            cluster.topics.iter().map(|(topic, figures)| {
                let name = Name { cluster: cluster.key.clone(), topic: Some(topic.clone()) };
                (name, Row::of(at, figures))
            })
        });
        self.rows().note(at, topics.collect());
    }

    /// The rows of a topic up to the day of the last report, oldest first; none if the topic has no rows of its own.
    pub fn of_topic(&self, cluster: &str, topic: &str) -> Vec<Row> {
        let name = Name { cluster: cluster.to_owned(), topic: Some(topic.to_owned()) };
        let rows = self.rows();
        let found = rows.topics.get(&name).map(Vec::as_slice).unwrap_or_default();
        rows.shown(found).to_vec()
    }

    /// The sums of all topics of a cluster, deleted ones included.
    pub fn of_cluster(&self, cluster: &str) -> Vec<Row> {
        let rows = self.rows();
        let mut sums: BTreeMap<u64, Row> = BTreeMap::new();
        for (_, found) in rows.topics.iter().filter(|(name, _)| name.cluster == cluster) {
            for row in rows.shown(found) {
                sums.entry(row.day()).and_modify(|sum| sum.add(row)).or_insert(*row);
            }
        }
        sums.into_values().collect()
    }

    /// The size of a topic in files on days that are over, and its last row that is older than `before`.
    pub(super) fn recent(
        &self,
        cluster: &str,
        topic: &str,
        before: SystemTime,
    ) -> (Option<Rates>, Option<Row>) {
        let name = Name { cluster: cluster.to_owned(), topic: Some(topic.to_owned()) };
        let rows = self.rows();
        let shown = rows.topics.get(&name).map(|found| rows.shown(found)).unwrap_or_default();
        let (today, before) = (rows.today.unwrap_or_default(), seconds(before));
        let used = shown.iter().filter(|row| row.day() < today && row.day() + DAYS_USED + 1 >= today);
        let known: BTreeMap<u64, u64> = used.map(|row| (row.day(), row.bytes_in_files)).collect();
        (Rates::of(&known), shown.iter().rfind(|row| row.at <= before).copied())
    }

    /// Writes the files whose turn it is; all that have changed if the daemon stops. May block.
    pub fn write(&self, is_stop: bool) {
        let Some(place) = self.place.get() else { return };
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = is_stop || writing.today.is_none_or(|written| written.elapsed() >= TODAY_EVERY);
        let (over, today) = self.rows().take_changed(is_due);
        let replace = |name, lines: &Option<Vec<String>>| match lines {
            Some(lines) => place.replace_lines(name, lines),
            None => Ok(()),
        };
        // That of the current day comes last: until then it has the rows that the other one lacks.
        let outcome: io::Result<()> = replace(OVER, &over).and_then(|()| replace(TODAY, &today));
        if outcome.is_err() {
            let mut rows = self.rows();
            rows.over_changed |= over.is_some();
            rows.today_changed |= today.is_some();
        } else if today.is_some() {
            writing.today = Some(Instant::now());
        }
        place.note(outcome);
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        // At worst, a panic elsewhere leaves a row missing.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rows {
    /// Adds the rows of a line.
    fn restore(&mut self, line: Line) {
        let name = Name { cluster: line.cluster, topic: line.topic };
        if !self.topics.contains_key(&name) && self.topics.len() > TOPICS_MAX + OTHERS_MAX {
            return;
        }
        let rows = self.topics.entry(name).or_default();
        for row in line.rows {
            // A crash may have left a later row of the day in the other file.
            let is_older = |same: &Row| same.day() == row.day() && same.at > row.at;
            if !rows.iter().any(is_older) {
                put(rows, row);
            }
        }
    }

    fn note(&mut self, at: u64, mut found: Vec<(Name, Row)>) {
        let day = at / DAY_SECONDS;
        if self.today != Some(day) {
            self.over_changed = true;
            self.today = Some(day);
        }
        self.today_changed = true;
        let is_known = |name: &Name| self.topics.contains_key(name);
        let weight = |(name, row): &(Name, Row)| {
            let stored = row.bytes_stored.max(1);
            if is_known(name) { stored.saturating_mul(KNOWN_FACTOR) } else { stored }
        };
        found.sort_by_cached_key(|one| std::cmp::Reverse(weight(one)));
        let rest = found.split_off(found.len().min(TOPICS_MAX));
        let others = others(rest.iter());
        self.make_room(&found, rest.into_iter().map(|(name, _)| name).collect());
        for (name, row) in found.into_iter().chain(others) {
            put(self.topics.entry(name).or_default(), row);
        }
    }

    /// Forgets topics that are counted together from now on, and as many deleted ones as places are missing, those of the longest ago first.
    fn make_room(&mut self, found: &[(Name, Row)], rest: HashSet<Name>) {
        let before = self.topics.len();
        self.topics.retain(|name, _| !rest.contains(name));
        let named: HashSet<&Name> = found.iter().map(|(name, _)| name).collect();
        let gone = self.topics.iter().filter(|(name, _)| name.topic.is_some() && !named.contains(name));
        let mut gone: Vec<(u64, Name)> =
            gone.map(|(name, rows)| (rows.last().map_or(0, |row| row.at), name.clone())).collect();
        gone.sort();
        let excess = (named.len() + gone.len()).saturating_sub(TOPICS_MAX);
        for (_, name) in gone.into_iter().take(excess) {
            self.topics.remove(&name);
        }
        self.over_changed |= self.topics.len() < before;
    }

    /// The rows of the last days. A clock that was wrong has left others.
    fn shown<'a>(&self, rows: &'a [Row]) -> &'a [Row] {
        let Some(today) = self.today else { return &[] };
        let first = rows.partition_point(|row| row.day() + DAYS_MAX as u64 <= today);
        let end = rows.partition_point(|row| row.day() <= today);
        rows.get(first..end).unwrap_or_default()
    }

    /// The lines of the files that have changed: of days that are over, and of the current one if that is due.
    fn take_changed(&mut self, today_is_due: bool) -> (Option<Vec<String>>, Option<Vec<String>>) {
        let Some(today) = self.today else { return (None, None) };
        let lines = |of_today: bool| -> Vec<String> {
            let line = |(name, rows): (&Name, &Vec<Row>)| {
                let wanted = rows.iter().filter(|row| (row.day() == today) == of_today).copied();
                let rows: Vec<Row> = wanted.collect();
                let Name { cluster, topic } = name.clone();
                (!rows.is_empty()).then(|| to_line(&Line { cluster, topic, rows }))
            };
            self.topics.iter().filter_map(line).collect()
        };
        // A day that is over is written at once, and the next one with it.
        let writes_today = self.today_changed && (today_is_due || self.over_changed);
        let taken = (self.over_changed.then(|| lines(false)), writes_today.then(|| lines(true)));
        (self.over_changed, self.today_changed) = (false, self.today_changed && !writes_today);
        taken
    }
}

/// The bytes that topics store together, by cluster.
fn others<'a>(rest: impl Iterator<Item = &'a (Name, Row)>) -> Vec<(Name, Row)> {
    let mut sums: BTreeMap<String, Row> = BTreeMap::new();
    for (name, row) in rest {
        let has_place = sums.contains_key(&name.cluster) || sums.len() < OTHERS_MAX;
        let cluster = if has_place { name.cluster.clone() } else { super::digest::OTHER.to_owned() };
        sums.entry(cluster).and_modify(|sum| sum.add(row)).or_insert(*row);
    }
    sums.into_iter().map(|(cluster, row)| (Name { cluster, topic: None }, row)).collect()
}

/// Adds a row, or replaces that of the same day. If there are too many, the oldest goes: rows of the future, which a clock that was ahead
/// has left, take a few places, and real ones replace them in time.
fn put(rows: &mut Vec<Row>, row: Row) {
    match rows.binary_search_by_key(&row.day(), Row::day) {
        Ok(at) => {
            if let Some(same) = rows.get_mut(at) {
                *same = row;
            }
        }
        Err(at) => rows.insert(at, row),
    }
    if rows.len() > DAYS_MAX {
        rows.remove(0);
    }
}

#[cfg(test)]
mod tests {
    use forebay_pool::Permit;

    use super::*;

    /// A day long after 1970, so that there is a before.
    const START: u64 = 20_000;

    fn row(at: u64, stored: u64) -> Row {
        Row {
            at,
            partitions: 3,
            bytes_in_files: 3 * stored,
            bytes_stored: stored,
            bytes_exclusive: stored / 2,
            bytes_written_per_day: Some(7),
        }
    }

    fn name(topic: &str) -> Name {
        Name { cluster: "c".to_owned(), topic: Some(topic.to_owned()) }
    }

    /// Notes what topics store on a day, at that hour.
    fn note(history: &TopicHistory, (day, hour): (u64, u64), topics: &[(&str, u64)]) {
        let at = day * DAY_SECONDS + hour * 3600;
        let found = topics.iter().map(|(topic, stored)| (name(topic), row(at, *stored)));
        history.rows().note(at, found.collect());
    }

    fn kept_in(folder: &std::path::Path) -> TopicHistory {
        let history = TopicHistory::default();
        history.keep_in(Arc::new(Place::new(folder, Permit::default())));
        history
    }

    fn stored(rows: &[Row]) -> Vec<(u64, u64)> {
        rows.iter().map(|row| (row.day() - START, row.bytes_stored)).collect()
    }

    /// The history after a restart on that day.
    fn after_restart(folder: &std::path::Path, day: u64, topic: &str) -> Vec<(u64, u64)> {
        let history = kept_in(folder);
        history.rows().today = Some(day);
        stored(&history.of_topic("c", topic))
    }

    #[test]
    fn each_day_has_its_last_row_after_a_restart_and_after_a_kill() {
        let folder = tempfile::tempdir().unwrap();
        let history = kept_in(folder.path());
        for day in START..START + 5 {
            for hour in [0, 12, 23] {
                note(&history, (day, hour), &[("orders", day + hour), ("clicks", 1)]);
                history.write(false);
            }
        }
        let days = |last| {
            (0..4).map(|day| (day, START + day + 23)).chain([(4, START + 4 + last)]).collect::<Vec<_>>()
        };
        assert_eq!(stored(&history.of_topic("c", "orders")), days(23));
        // Killed: the last row of the current day that was written is its first one. Days that are over are complete.
        assert_eq!(after_restart(folder.path(), START + 4, "orders"), days(0));
        history.write(true);
        assert_eq!(after_restart(folder.path(), START + 4, "orders"), days(23));
        assert_eq!(after_restart(folder.path(), START + 4, "clicks").len(), 5);
        // The next run continues on the same day, and then on another.
        let history = kept_in(folder.path());
        assert_eq!(history.rows().today, Some(START + 4));
        note(&history, (START + 4, 23), &[("orders", 1)]);
        note(&history, (START + 7, 1), &[("orders", 2)]);
        history.write(false);
        assert_eq!(after_restart(folder.path(), START + 7, "orders")[4..], [(4, 1), (7, 2)]);
    }

    #[test]
    fn a_crash_between_the_two_files_loses_no_row_and_doubles_none() {
        let folder = tempfile::tempdir().unwrap();
        let history = kept_in(folder.path());
        let place = folder.path().join(forebay_service::disk::FOLDER);
        note(&history, (START, 1), &[("orders", 1)]);
        history.write(false);
        let before = std::fs::read(place.join(TODAY)).unwrap();
        // Not written, because a minute has not passed.
        note(&history, (START, 2), &[("orders", 2)]);
        history.write(false);
        assert_eq!(std::fs::read(place.join(TODAY)).unwrap(), before);
        note(&history, (START + 1, 0), &[("orders", 3)]);
        history.write(false);
        std::fs::write(place.join(TODAY), before).unwrap();
        assert_eq!(after_restart(folder.path(), START + 1, "orders"), [(0, 2)]);
    }

    #[test]
    fn files_that_are_cut_or_changed_at_any_byte_yield_only_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let history = kept_in(folder.path());
        for day in START..START + 3 {
            note(&history, (day, 5), &[("orders", day), ("clicks", 2 * day)]);
        }
        history.write(true);
        let written = history.rows().topics.clone();
        let place = folder.path().join(forebay_service::disk::FOLDER);
        for file in [OVER, TODAY] {
            let content = std::fs::read(place.join(file)).unwrap();
            for at in 0..content.len() {
                let mut changed = content.clone();
                changed[at] ^= 0x10;
                for broken in [&content[..at], &changed] {
                    std::fs::write(place.join(file), broken).unwrap();
                    for (name, rows) in &kept_in(folder.path()).rows().topics {
                        let known = &written[name];
                        assert!(rows.iter().all(|row| known.contains(row)), "{file} at {at}: {rows:?}");
                    }
                }
            }
            std::fs::write(place.join(file), content).unwrap();
        }
        assert_eq!(kept_in(folder.path()).rows().topics, written);
    }

    #[test]
    fn a_clock_that_jumps_hides_rows_and_discards_none_that_are_right() {
        let folder = tempfile::tempdir().unwrap();
        let history = kept_in(folder.path());
        let right: Vec<u64> = (START..START + 500).collect();
        for day in &right {
            note(&history, (*day, 1), &[("orders", *day)]);
        }
        let last = START + 499;
        let shown = stored(&history.of_topic("c", "orders"));
        assert_eq!((shown.len(), shown[0].0), (DAYS_MAX, 100));
        for (wrong, shown) in [(last + 10_000, 1), (0, 0), (last + 3, 398), (u64::MAX / DAY_SECONDS, 1)] {
            note(&history, (wrong, 0), &[("orders", 1)]);
            history.write(false);
            assert_eq!(history.of_topic("c", "orders").len(), shown, "{wrong}");
        }
        note(&history, (last, 2), &[("orders", last)]);
        history.write(true);
        // The rows of wrong days took the places of a few old ones.
        let again = stored(&history.of_topic("c", "orders"));
        assert!(again.len() >= DAYS_MAX - 4 && shown.ends_with(&again), "{}", again.len());
        assert_eq!(after_restart(folder.path(), last, "orders"), again);
        let (rates, _) = history.recent("c", "orders", SystemTime::now());
        assert_eq!(rates.unwrap().median(), 3.0);
        for day in last + 1..last + 500 {
            note(&history, (day, 1), &[("orders", day)]);
        }
        // Two of the wrong days are still to come.
        assert_eq!(history.of_topic("c", "orders").len(), DAYS_MAX - 2);
    }

    #[test]
    fn topics_are_bounded_and_the_rest_is_counted_together() {
        let history = TopicHistory::default();
        let names: Vec<String> = (0..TOPICS_MAX + 10).map(|number| format!("t{number:04}")).collect();
        let topics = |stored: u64| -> Vec<(&str, u64)> {
            names.iter().enumerate().map(|(index, name)| (name.as_str(), stored - index as u64)).collect()
        };
        note(&history, (START, 0), &topics(10_000));
        assert_eq!(history.rows().topics.len(), TOPICS_MAX + 1);
        let sum: u64 = topics(10_000).iter().map(|(_, stored)| stored).sum();
        assert_eq!(stored(&history.of_cluster("c")), [(0, sum)]);
        assert_eq!(history.of_cluster("c")[0].partitions, 3 * (TOPICS_MAX as u64 + 10));
        assert!(history.of_topic("c", "t1005").is_empty());
        // The last that has a place keeps it against one that stores a little more, and loses it to a much larger one.
        let mut grown = topics(10_000);
        grown[1000].1 = 9_500;
        grown[1001].1 = 50_000;
        note(&history, (START + 1, 0), &grown);
        assert_eq!(history.of_topic("c", "t1000"), []);
        assert_eq!(stored(&history.of_topic("c", "t1001")), [(1, 50_000)]);
        assert_eq!(history.of_topic("c", "t0999"), [], "it is counted with the others");
        assert_eq!(history.rows().topics.len(), TOPICS_MAX + 1);
    }

    #[test]
    fn a_deleted_topic_is_kept_until_its_place_is_needed() {
        let history = TopicHistory::default();
        note(&history, (START, 0), &[("old", 5), ("older", 5)]);
        note(&history, (START + 1, 0), &[("old", 5)]);
        let many: Vec<String> = (0..TOPICS_MAX - 2).map(|number| format!("t{number}")).collect();
        let mut topics: Vec<(&str, u64)> = many.iter().map(|name| (name.as_str(), 9)).collect();
        note(&history, (START + 2, 0), &topics);
        assert_eq!(stored(&history.of_topic("c", "old")), [(0, 5), (1, 5)]);
        assert_eq!(stored(&history.of_topic("c", "older")), [(0, 5)]);
        topics.push(("new", 1));
        note(&history, (START + 3, 0), &topics);
        assert_eq!((history.of_topic("c", "older").len(), history.of_topic("c", "old").len()), (0, 2));
        assert_eq!(history.rows().topics.len(), TOPICS_MAX);
    }

    #[test]
    fn what_topics_of_too_many_clusters_store_is_counted_in_one_place() {
        let mut found: Vec<(Name, Row)> = (0..100)
            .map(|number| {
                (Name { cluster: format!("cluster {number}"), topic: Some("t".to_owned()) }, row(0, 1))
            })
            .collect();
        found[3].1.bytes_written_per_day = None;
        let others = others(found.iter());
        assert_eq!(others.len(), OTHERS_MAX + 1);
        assert_eq!(others.iter().map(|(_, row)| row.bytes_stored).sum::<u64>(), 100);
        assert_eq!(others.iter().filter(|(_, row)| row.bytes_written_per_day.is_none()).count(), 1);
    }

    #[test]
    fn a_file_of_all_topics_and_days_is_smaller_than_what_is_read() {
        let huge = u64::MAX;
        let row =
            Row { bytes_written_per_day: Some(huge), partitions: 100_000, ..row(9_999_999_999, huge / 3) };
        let rows = vec![Row { bytes_exclusive: huge, ..row }; DAYS_MAX];
        let line = to_line(&Line { cluster: "c".repeat(384), topic: Some("t".repeat(249)), rows });
        assert!(line.len() * (TOPICS_MAX + OTHERS_MAX + 1) < 60 << 20, "{}", line.len());
    }
}
