//! The history on disk: a file for each resolution, replaced as a whole, and the starts of the daemon.
//!
//! A file has the magic, the length of a slot, the time of the last addition, the newest slot, the number of slots, and the series, each
//! with its name, its unit and its points, oldest first. All numbers are little-endian; a CRC-32C of everything before it ends the file.
//! The finest ring is written every minute, the others more seldom: what they miss after a crash is computed from the finer one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use forebay_pool::LastStop;
use forebay_service::disk::{Journal, Place, from_line, from_millis, millis, to_line};
use serde::{Deserialize, Serialize};

use super::days::{DAYS_MAX, Day};
use super::store::{History, RESOLUTIONS};

/// The files of the resolutions, and how often they are written.
const FILES: [(&str, Duration); RESOLUTIONS.len()] = [
    ("points-5s", Duration::from_secs(60)),
    ("points-1m", Duration::from_secs(15 * 60)),
    ("points-15m", Duration::from_secs(3600)),
];
/// The largest file: all series with long names at the finest point count that a resolution has.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// The file of starts, and the number of starts that are kept.
const STARTS: &str = "starts";
const STARTS_MAX: usize = 500;

/// The file of days, how often the row of the current day is written, and the lines of the file.
const DAYS: &str = "days";
const DAY_EVERY: Duration = Duration::from_secs(6 * 3600);
const DAY_LINES_MAX: usize = 8 * DAYS_MAX;

/// A start of the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// When it was.
    pub at: SystemTime,
    /// Whether the stop before it was clean; `None` if there was none, or it is not known.
    pub clean: Option<bool>,
}

#[derive(Serialize, Deserialize)]
struct SavedStart {
    time: u64,
    clean: Option<bool>,
}

/// Reads and writes the files of a history.
pub struct Keeper {
    place: Arc<Place>,
    history: Arc<History>,
    written: Mutex<Written>,
}

struct Written {
    rings: [Instant; RESOLUTIONS.len()],
    days: Journal,
    day: Option<(u64, Instant)>,
}

impl Keeper {
    /// Restores what earlier runs have recorded, and notes this start.
    pub fn open(place: Arc<Place>, history: Arc<History>, last_stop: LastStop, now: SystemTime) -> Keeper {
        let files = FILES.map(|(name, _)| place.content(name, FILE_BYTES_MAX));
        for index in history.store().restore(&files) {
            let name = FILES.get(index).map_or("", |(name, _)| *name);
            tracing::warn!(file = %place.path(name).display(), "is damaged: the graphs lack what was in it");
        }
        let clean = match last_stop {
            LastStop::Clean => Some(true),
            LastStop::Unclean => Some(false),
            LastStop::First | LastStop::Unknown => None,
        };
        let (mut journal, lines) = Journal::open(&place, STARTS, STARTS_MAX);
        let saved = lines.iter().filter_map(|line| from_line::<SavedStart>(line));
        let mut starts: Vec<Start> =
            saved.map(|start| Start { at: from_millis(start.time), clean: start.clean }).collect();
        starts.push(Start { at: now, clean });
        starts.drain(..starts.len().saturating_sub(STARTS_MAX));
        history.set_starts(starts);
        let line = to_line(&SavedStart { time: millis(now), clean });
        place.note(journal.append(&place, &[line]).and_then(|()| journal.sync()));
        let (days, lines) = Journal::open(&place, DAYS, DAY_LINES_MAX);
        for row in lines.iter().filter_map(|line| from_line::<Day>(line)) {
            history.add_day(row);
        }
        let written = Written { rings: [Instant::now(); RESOLUTIONS.len()], days, day: None };
        Keeper { place, history, written: Mutex::new(written) }
    }

    /// Writes the files that are due at `now`.
    pub fn write_due(&self, now: Instant) {
        self.write(now, |written, every| now.saturating_duration_since(*written) >= every);
    }

    /// Writes all files, because the daemon stops.
    pub fn write_all(&self) {
        self.write(Instant::now(), |_, _| true);
    }

    fn write(&self, now: Instant, is_due: impl Fn(&Instant, Duration) -> bool) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        for (index, (written, (name, every))) in written.rings.iter_mut().zip(FILES).enumerate() {
            if !is_due(written, every) {
                continue;
            }
            let Some(content) = self.history.store().encode(index) else { continue };
            let outcome = self.place.replace(name, &content);
            if outcome.is_ok() {
                *written = now;
            }
            self.place.note(outcome);
        }
        // The last row of a day that is over is written once more, when the next one begins.
        let rows = self.history.days_kept();
        let Some(today) = rows.last() else { return };
        let is_written = |(day, at): &(u64, Instant)| *day == today.day && !is_due(at, DAY_EVERY);
        if written.day.as_ref().is_some_and(is_written) {
            return;
        }
        let over =
            written.day.and_then(|(day, _)| rows.iter().find(|row| row.day == day && day != today.day));
        let lines: Vec<String> = over.into_iter().chain([today]).map(to_line).collect();
        let outcome = written.days.append(&self.place, &lines).and_then(|()| written.days.sync());
        if outcome.is_ok() {
            written.day = Some((today.day, now));
        }
        self.place.note(outcome);
    }
}

const MAGIC: &[u8; 8] = b"FBHIST\x00\x01";

/// Writes numbers and names.
#[derive(Default)]
pub(super) struct Encoder(Vec<u8>);

impl Encoder {
    pub(super) fn new() -> Encoder {
        Encoder(MAGIC.to_vec())
    }

    pub(super) fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn name(&mut self, name: &str) {
        self.number(name.len() as u64);
        self.0.extend(name.as_bytes());
    }

    pub(super) fn point(&mut self, value: f32) {
        self.0.extend(value.to_le_bytes());
    }

    /// The file.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let sum = crc32c::crc32c(&self.0);
        self.0.extend(sum.to_le_bytes());
        self.0
    }
}

/// Reads them; `None` where there is something else.
pub(super) struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    /// A file whose checksum is right.
    pub(super) fn new(file: &'a [u8]) -> Option<Decoder<'a>> {
        let (content, sum) = file.split_last_chunk::<4>()?;
        let is_intact = crc32c::crc32c(content) == u32::from_le_bytes(*sum);
        is_intact.then(|| content.strip_prefix(MAGIC)).flatten().map(Decoder)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    pub(super) fn name(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.number()?).ok()?;
        let (name, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(name).ok()
    }

    pub(super) fn points(&mut self, count: usize) -> Option<Vec<f32>> {
        let (points, rest) = self.0.split_at_checked(count.checked_mul(4)?)?;
        self.0 = rest;
        let (points, _) = points.as_chunks::<4>();
        Some(points.iter().map(|point| f32::from_le_bytes(*point)).collect())
    }

    pub(super) fn is_done(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use forebay_pool::Permit;

    use super::*;
    use crate::history::series::Sampled;
    use crate::history::{HistoryQuery, Unit};

    fn at(seconds: u64) -> SystemTime {
        from_millis((1_700_000_000 + seconds) * 1000)
    }

    fn run(folder: &std::path::Path, last_stop: LastStop, seconds: u64) -> (Arc<History>, Keeper) {
        let (place, history) = (Arc::new(Place::new(folder, Permit::default())), Arc::<History>::default());
        let keeper = Keeper::open(place, history.clone(), last_stop, at(seconds));
        (history, keeper)
    }

    fn record(history: &History, seconds: std::ops::Range<u64>) {
        for second in seconds.step_by(5) {
            let sampled = [Sampled { name: "pool/written".into(), unit: Unit::Bytes, value: second as f64 }];
            history.store().add(1_700_000_000 + second, &sampled);
            history.add_day(Day { day: 19_000 + second / 100, used: second, ..Day::default() });
        }
    }

    #[test]
    fn graphs_show_the_time_before_a_crash_and_the_restart() {
        let folder = tempfile::tempdir().unwrap();
        let (history, keeper) = run(folder.path(), LastStop::First, 0);
        record(&history, 0..600);
        keeper.write_all();
        // Nothing more is written before the daemon is killed.
        record(&history, 600..650);
        drop(keeper);
        let (history, keeper) = run(folder.path(), LastStop::Unclean, 700);
        record(&history, 700..800);
        keeper.write_all();
        let (history, _keeper) = run(folder.path(), LastStop::Clean, 900);
        let query = HistoryQuery { from: Some(1_700_000_000), step: Some(5), ..HistoryQuery::default() };
        let view = history.view(&query, at(1000)).unwrap();
        let mean = |second: u64| view.series[0].mean[second as usize / 5];
        assert_eq!(
            [0, 595, 600, 645, 700, 795].map(mean),
            [Some(0.0), Some(595.0), None, None, Some(700.0), Some(795.0)]
        );
        let restarts: Vec<_> =
            view.restarts.iter().map(|start| (start.at - 1_700_000_000, start.clean)).collect();
        assert_eq!(restarts, [(0, None), (700, Some(false)), (900, Some(true))]);
        let days: Vec<_> = history.days_kept().iter().map(|row| (row.day, row.used)).collect();
        assert_eq!(
            days,
            [(19_005, 595), (19_007, 795)],
            "rows are written when a day is over, and at a stop"
        );
    }

    /// The means of the series at these seconds, in points of `step` seconds, as of `now`.
    fn means(
        history: &History,
        (step, now): (u64, u64),
        seconds: impl Iterator<Item = u64>,
    ) -> Vec<Option<f64>> {
        let query = HistoryQuery { from: Some(1_700_000_000), step: Some(step), ..HistoryQuery::default() };
        let view = history.view(&query, at(now)).unwrap();
        assert_eq!(view.step, step);
        let of = |second: u64| view.series[0].mean[((1_700_000_000 + second - view.from) / step) as usize];
        seconds.map(of).collect()
    }

    #[test]
    fn after_kill_9_the_graphs_have_the_hour_before_but_for_the_last_minute() {
        const HOUR: u64 = 3600;
        let folder = tempfile::tempdir().unwrap();
        let (history, keeper) = run(folder.path(), LastStop::First, 0);
        let started = Instant::now();
        // As the recorder does: every five seconds a sample, and then what is due.
        for second in (0..HOUR).step_by(5) {
            record(&history, second..second + 1);
            keeper.write_due(started + Duration::from_secs(second));
        }
        // The process is killed: nothing is written any more.
        drop((keeper, history));

        let (history, _keeper) = run(folder.path(), LastStop::Unclean, HOUR + 10);
        let kept = (0..HOUR - 60).step_by(5);
        let expected: Vec<_> = kept.clone().map(|second| Some(second as f64)).collect();
        assert_eq!(means(&history, (5, HOUR), kept), expected, "every sample but those of the last minute");
        let last = means(&history, (5, HOUR), (HOUR - 60..HOUR).step_by(5));
        let lost = last.iter().filter(|mean| mean.is_none()).count();
        assert!(lost < last.len(), "at most a minute is lost: {last:?}");
        // The minutes are in a file that is written every 15 minutes; the rest comes from the finer points.
        let minutes = means(&history, (60, 3700), (60..HOUR - 60).step_by(60));
        assert!(minutes.iter().all(Option::is_some), "{minutes:?}");
        let view =
            history.view(&HistoryQuery { from: Some(1_700_000_000), ..HistoryQuery::default() }, at(3700));
        let restarts: Vec<_> =
            view.unwrap().restarts.iter().map(|start| (start.at - 1_700_000_000, start.clean)).collect();
        assert_eq!(restarts, [(0, None), (HOUR + 10, Some(false))], "the restart is marked as unclean");
    }

    #[test]
    fn the_row_of_a_day_that_is_over_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (history, keeper) = run(folder.path(), LastStop::First, 0);
        keeper.write_due(Instant::now());
        for second in (0..1000).step_by(5) {
            record(&history, second..second + 1);
            keeper.write_due(Instant::now());
        }
        drop(keeper);
        let (history, _keeper) = run(folder.path(), LastStop::Unclean, 1000);
        let days: Vec<_> = history.days_kept().iter().map(|row| (row.day, row.used)).collect();
        assert_eq!(days[..9], (0..9).map(|day| (19_000 + day, 95 + day * 100)).collect::<Vec<_>>());
        assert_eq!(days.len(), 10);
    }

    #[test]
    fn files_of_another_kind_cost_only_the_graphs() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join(forebay_service::disk::FOLDER);
        std::fs::create_dir_all(place.join("points-1m")).unwrap();
        for name in ["points-5s", "starts", "days"] {
            std::fs::write(place.join(name), b"00000000 not what was written\n\xff\xfe").unwrap();
        }
        let (history, keeper) = run(folder.path(), LastStop::Clean, 0);
        record(&history, 0..100);
        keeper.write_all();
        assert_eq!(run(folder.path(), LastStop::Clean, 200).0.starts().len(), 2);
    }
}
