//! Takes an observation of the metrics every 5 seconds, records it in the history, and has the health rules evaluated on it.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::days::Day;
use super::disk::Keeper;
use super::series;
use super::store::{History, RESOLUTIONS, seconds};
use crate::health::Health;
use crate::metrics::{Observation, Sources};

/// The interval between observations.
const PERIOD: Duration = Duration::from_secs(RESOLUTIONS[0].seconds);
/// Two observations further apart than this are not compared: the machine was suspended, or the clock was
/// set.
const APART_MAX: Duration = Duration::from_secs(30);
/// Two observations closer than this are not compared either; the first two may be. The later one is skipped.
const APART_MIN: Duration = Duration::from_secs(2);

/// The clock. Tests use one that they advance themselves.
pub trait Clock: Send + Sync + 'static {
    /// The time of day.
    fn now(&self) -> SystemTime;
    /// Waits for this long.
    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send;
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send {
        tokio::time::sleep(time)
    }
}

/// Records, writes what is recorded to disk if there is a keeper, and evaluates the health rules, until the future is dropped or the pool
/// is closed.
pub async fn run(
    history: Arc<History>,
    keeper: Option<Arc<Keeper>>,
    health: Arc<Health>,
    sources: Sources,
    clock: impl Clock,
) {
    let mut recorder = Recorder::new(history);
    let mut saving: Option<tokio::task::JoinHandle<()>> = None;
    loop {
        // The first observation is immediate, so that the next one does not miss what clients do before it.
        let sources = sources.clone();
        // The observation asks for sizes of file systems, which may block.
        let mut taking = tokio::task::spawn_blocking(move || Observation::take(&sources));
        let taken = loop {
            tokio::select! {
                taken = &mut taking => break taken,
                // Not by the clock, which tests move.
                () = tokio::time::sleep(PERIOD) => health.note_absence(clock.now()),
            }
        };
        let Ok(seen) = taken else { return };
        if seen.pool.is_none() {
            return;
        }
        health.evaluate(&seen, clock.now());
        recorder.note(clock.now(), seen);
        if let Some(keeper) = keeper.clone() {
            // Not awaited: a disk that hangs must not keep the rules from being evaluated. While one goes on, no other begins.
            if saving.as_ref().is_none_or(tokio::task::JoinHandle::is_finished) {
                let health = health.clone();
                saving = Some(tokio::task::spawn_blocking(move || {
                    keeper.write_due(Instant::now());
                    health.write();
                }));
            }
        }
        clock.sleep(until_next(clock.now())).await;
    }
}

/// Time to the middle of the next slot, so that a sample taken a second early or late stays in its slot.
fn until_next(now: SystemTime) -> Duration {
    let (now, period) = (now.duration_since(UNIX_EPOCH).unwrap_or_default(), PERIOD.as_millis());
    let into_period = Duration::from_millis(u64::try_from(now.as_millis() % period).unwrap_or_default());
    let wait = PERIOD.saturating_add(PERIOD / 2).saturating_sub(into_period);
    if wait > PERIOD { wait.saturating_sub(PERIOD) } else { wait }
}

/// Compares each observation with the previous one.
struct Recorder {
    history: Arc<History>,
    last: Option<(SystemTime, Observation)>,
}

impl Recorder {
    fn new(history: Arc<History>) -> Recorder {
        Recorder { history, last: None }
    }

    fn note(&mut self, now: SystemTime, seen: Observation) {
        if let Some(row) = Day::of(&seen, seconds(now)) {
            self.history.add_day(row);
        }
        if let Some((then, before)) = &self.last
            && let Ok(elapsed) = now.duration_since(*then)
            && elapsed <= APART_MAX
        {
            if elapsed < APART_MIN {
                return;
            }
            let sampled = series::between(before, &seen, elapsed);
            self.history.store().add(seconds(now), &sampled);
        }
        self.last = Some((now, seen));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use forebay_pool::PoolCounters;
    use tokio::sync::Notify;

    use super::*;
    use crate::history::HistoryQuery;
    use crate::test_support::{observation, service, sources_of};

    const START: u64 = 1_700_000_000;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(START + seconds)
    }

    async fn written(bytes: u64) -> Observation {
        let pool = PoolCounters { bytes_written: bytes, ..PoolCounters::default() };
        Observation { pool: Some(pool), ..observation().await }
    }

    fn points(history: &History, from: u64, to: u64) -> Vec<Option<f64>> {
        let series = Some("pool/written".to_owned());
        let query = HistoryQuery { series, from: Some(START + from), to: Some(START + to), step: Some(5) };
        history
            .view(&query, at(to))
            .unwrap()
            .series
            .first()
            .map(|series| series.mean.clone())
            .unwrap_or_default()
    }

    #[tokio::test]
    async fn what_was_done_right_after_the_start_is_in_the_first_point() {
        let history = Arc::<History>::default();
        let mut recorder = Recorder::new(history.clone());
        for (seconds, bytes) in [(1, 0), (2, 60), (7, 60), (12, 60)] {
            recorder.note(at(seconds), written(bytes).await);
        }
        assert_eq!(points(&history, 0, 15), [None, Some(10.0), Some(0.0)]);
    }

    #[tokio::test]
    async fn a_suspended_machine_leaves_a_gap_and_not_an_average() {
        let history = Arc::<History>::default();
        let mut recorder = Recorder::new(history.clone());
        for (seconds, bytes) in [(2, 0), (7, 50), (12, 100), (612, 100_000), (617, 100_100)] {
            recorder.note(at(seconds), written(bytes).await);
        }
        assert_eq!(points(&history, 0, 20), [None, Some(10.0), Some(10.0), None]);
        assert_eq!(points(&history, 605, 620), [None, None, Some(20.0)]);
    }

    #[tokio::test]
    async fn a_clock_that_is_set_back_costs_one_point() {
        let history = Arc::<History>::default();
        let mut recorder = Recorder::new(history.clone());
        for (seconds, bytes) in [(602, 0), (607, 50), (2, 100), (7, 150), (12, 200)] {
            recorder.note(at(seconds), written(bytes).await);
        }
        assert_eq!(points(&history, 0, 15), [None, Some(10.0), Some(10.0)]);
    }

    #[test]
    fn it_looks_in_the_middle_of_each_slot() {
        for millis in [0, 1, 2499, 2500, 2501, 4999, 5000] {
            let now = at(0) + Duration::from_millis(millis);
            let wait = until_next(now);
            let then = (now + wait).duration_since(UNIX_EPOCH).unwrap().as_millis();
            assert!(then % 5000 == 2500 && wait > Duration::ZERO && wait <= PERIOD, "{millis}");
        }
    }

    /// A clock that the test advances: each sleep returns immediately and advances the time.
    #[derive(Clone)]
    struct Hand {
        now: Arc<Mutex<SystemTime>>,
        looked: Arc<Notify>,
    }

    impl Clock for Hand {
        fn now(&self) -> SystemTime {
            *self.now.lock().unwrap()
        }

        async fn sleep(&self, time: Duration) {
            *self.now.lock().unwrap() += time;
            self.looked.notify_one();
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn it_records_until_the_pool_is_closed() {
        let service = service().await;
        let (history, pool) = (Arc::<History>::default(), service.pool.clone());
        let sources = sources_of(&service).await;
        let clock = Hand { now: Arc::new(Mutex::new(at(0))), looked: Arc::default() };
        let health = Arc::new(Health::new(service.clone()));
        let running = tokio::spawn(run(history.clone(), None, health.clone(), sources, clock.clone()));
        let recorded = async {
            while points(&history, 0, 100_000).iter().flatten().next().is_none() {
                clock.looked.notified().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), recorded).await.expect("something is recorded");
        assert!(health.report().evaluated.is_some(), "what is recorded is evaluated");
        pool.close().await.unwrap();
        tokio::time::timeout(Duration::from_secs(60), running).await.expect("it ends").unwrap();
    }
}
