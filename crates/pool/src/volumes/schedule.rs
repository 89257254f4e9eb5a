//! Scheduled snapshots: which are due, how they are named, and which have expired.
//!
//! A snapshot of a period is due if none was taken since the period began: since the last full hour, midnight, or midnight
//! before Sunday, all in UTC. So a snapshot that was missed while the pool was closed is taken soon after the next opening,
//! and a new volume gets its first one when the next period begins. Volumes whose snapshots are due at the same time get
//! them at one instant. Snapshots that a user asked for, and those with clones, are never deleted here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::base::calendar::date;
use crate::base::sources::seconds_of;
use crate::engine::Engine;
use crate::{Error, OwnAction, Period, Result, Snapshot, SnapshotPolicy, SnapshotSpec, Volume};

/// How often the schedule is checked.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(5);

const HOUR: u64 = 60 * 60;
const DAY: u64 = 24 * HOUR;
const WEEK: u64 = 7 * DAY;
/// 1970 began on a Thursday, so its first Sunday was the fourth day.
const FIRST_SUNDAY: u64 = 3 * DAY;

const PERIODS: [Period; 3] = [Period::Hourly, Period::Daily, Period::Weekly];

impl Period {
    /// The first word of the names of its snapshots.
    pub fn name(self) -> &'static str {
        match self {
            Period::Hourly => "hourly",
            Period::Daily => "daily",
            Period::Weekly => "weekly",
        }
    }

    /// The start of the period that contains `now`, in seconds since 1970.
    fn began(self, now: u64) -> u64 {
        match self {
            Period::Hourly => now - now % HOUR,
            Period::Daily => now - now % DAY,
            Period::Weekly => now - (now + WEEK - FIRST_SUNDAY) % WEEK,
        }
    }
}

impl SnapshotPolicy {
    /// How many snapshots of a period are kept.
    pub fn keep(&self, period: Period) -> u32 {
        match period {
            Period::Hourly => self.hourly,
            Period::Daily => self.daily,
            Period::Weekly => self.weekly,
        }
    }
}

impl Engine {
    /// Takes the snapshots that are due, and deletes those that have expired.
    pub(crate) async fn keep_schedule(self: &Arc<Self>) -> Result<()> {
        let now = seconds_of(self.clock.now());
        for ((period, name), volumes) in self.due(now) {
            match self.snapshot_create(&volumes, &name, Some(period), SnapshotSpec::default()).await {
                Ok(_) => tracing::info!(?volumes, name, "scheduled snapshot taken"),
                // A volume was deleted meanwhile, or a user took the name. The next check handles the rest.
                Err(error @ (Error::NotFound(_) | Error::Exists(_) | Error::Stale)) => {
                    tracing::warn!(?volumes, name, %error, "scheduled snapshot failed");
                }
                Err(error) => return Err(error),
            }
        }
        for volume in self.volumes.list() {
            self.expire(&volume).await?;
        }
        Ok(())
    }

    /// The volumes whose schedule says that a snapshot is due, and its period. It is taken within seconds, unless that fails.
    pub(crate) fn snapshots_scheduled(&self) -> Vec<(String, Period)> {
        let due = self.due(seconds_of(self.clock.now()));
        let each = |((period, _), volumes): ((Period, String), Vec<String>)| {
            volumes.into_iter().map(move |volume| (volume, period))
        };
        due.into_iter().flat_map(each).collect()
    }

    /// The volumes with a snapshot due, by period and name of the snapshot.
    fn due(&self, now: u64) -> BTreeMap<(Period, String), Vec<String>> {
        let mut due: BTreeMap<(Period, String), Vec<String>> = BTreeMap::new();
        for volume in self.volumes.list() {
            let taken = self.volumes.snapshots(Some(volume.id));
            for period in PERIODS.into_iter().filter(|period| volume.spec.snapshots.keep(*period) > 0) {
                let name = name(period, now);
                if is_due(period, &volume, &taken, now) && taken.iter().all(|taken| taken.name != name) {
                    due.entry((period, name)).or_default().push(volume.spec.name.clone());
                }
            }
        }
        due
    }

    async fn expire(self: &Arc<Self>, volume: &Volume) -> Result<()> {
        for period in PERIODS {
            for taken in expired(period, volume, self.volumes.snapshots(Some(volume.id))) {
                match self.snapshot_delete(&taken.volume_name, &taken.name).await {
                    Ok(()) => {
                        tracing::info!(
                            volume = taken.volume_name,
                            name = taken.name,
                            "expired snapshot deleted"
                        );
                        self.upkeep.own_actions.note(OwnAction::SnapshotExpired {
                            volume: taken.volume_name,
                            name: taken.name,
                            is_scheduled: true,
                        });
                    }
                    // A user has deleted or cloned it meanwhile.
                    Err(
                        Error::NotFound(_)
                        | Error::InUse { .. }
                        | Error::SnapshotLocked { .. }
                        | Error::Stale,
                    ) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }
}

fn is_due(period: Period, volume: &Volume, taken: &[Snapshot], now: u64) -> bool {
    let of_period = taken.iter().filter(|taken| taken.period == Some(period));
    let last = of_period.map(|taken| seconds_of(taken.created)).max();
    last.unwrap_or_else(|| seconds_of(volume.created)) < period.began(now)
}

/// The oldest snapshots of a period, beyond the number that is kept.
fn expired(period: Period, volume: &Volume, mut taken: Vec<Snapshot>) -> Vec<Snapshot> {
    let keep = usize::try_from(volume.spec.snapshots.keep(period)).unwrap_or(usize::MAX);
    if keep == 0 {
        // The schedule no longer counts them. The user decides when to delete them.
        return Vec::new();
    }
    taken.retain(|taken| taken.period == Some(period));
    taken.sort_by_key(|taken| std::cmp::Reverse(taken.created));
    let mut expired = taken.split_off(keep.min(taken.len()));
    expired.retain(|taken| taken.clones.is_empty() && taken.clones_deleted.is_empty());
    // One with a deadline of its own is not the schedule's any more.
    expired.retain(|taken| taken.expires.is_none() && taken.locked_until.is_none());
    expired
}

/// For example `hourly.2026-11-22_0100`.
fn name(period: Period, now: u64) -> String {
    let (year, month, day) = date(now / DAY);
    let (hour, minute) = (now % DAY / HOUR, now % HOUR / 60);
    format!("{}.{year:04}-{month:02}-{day:02}_{hour:02}{minute:02}", period.name())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::*;
    use crate::base::sources::Clock;
    use crate::base::sync;
    use crate::sim::faulty::{FaultyDisk, options};
    use crate::{Pool, VolumeChange, VolumeSpec};

    #[test]
    fn names_say_when_a_snapshot_was_taken() {
        for (now, expected) in [
            (0, "hourly.1970-01-01_0000"),
            (951_782_400, "hourly.2000-02-29_0000"),
            (951_868_800, "hourly.2000-03-01_0000"),
            (1_795_309_200, "hourly.2026-11-22_0100"),
            (4_107_542_340, "hourly.2100-02-28_2359"),
            (4_107_542_400, "hourly.2100-03-01_0000"),
        ] {
            assert_eq!(name(Period::Hourly, now), expected);
        }
    }

    #[test]
    fn periods_begin_at_full_hours_midnight_and_sundays() {
        // Sunday 2026-11-22 01:00 UTC, plus some minutes.
        let now = 1_795_309_200 + 1234;
        assert_eq!(Period::Hourly.began(now), 1_795_309_200);
        assert_eq!(Period::Daily.began(now), 1_795_305_600);
        assert_eq!(Period::Weekly.began(now), 1_795_305_600);
        assert_eq!(Period::Weekly.began(1_795_305_599), 1_795_305_600 - WEEK);
    }

    /// A clock that shows the time that a test sets.
    struct SetClock(Mutex<u64>);

    impl Clock for SetClock {
        fn now(&self) -> SystemTime {
            UNIX_EPOCH + Duration::from_secs(*sync::lock(&self.0))
        }
    }

    fn names(pool: &Pool) -> Vec<String> {
        pool.snapshots(None)
            .unwrap()
            .into_iter()
            .map(|taken| format!("{}@{}", taken.volume_name, taken.name))
            .collect()
    }

    #[tokio::test]
    async fn snapshots_are_taken_when_due_kept_as_many_as_asked_for_and_made_up_for() {
        let sunday = 1_795_305_600;
        let clock = Arc::new(SetClock(Mutex::new(sunday - 2 * HOUR + 60)));
        let disk = Arc::new(FaultyDisk::default());
        let open = || disk.open_at(options(), clock.clone()).unwrap();
        let at = async |pool: &Pool, time: u64| {
            *sync::lock(&clock.0) = time;
            pool.engine().unwrap().keep_schedule().await.unwrap();
        };
        let pool = open();
        let snapshots = SnapshotPolicy { hourly: 2, daily: 1, weekly: 1 };
        for name in ["a", "b"] {
            let spec = VolumeSpec { snapshots, ..VolumeSpec::new(name, &format!("/{name}")) };
            pool.volume_create(spec).await.unwrap();
        }
        let hourly = SnapshotPolicy { hourly: 1, ..SnapshotPolicy::default() };
        let change = VolumeChange { snapshots: Some(hourly), ..VolumeChange::default() };
        pool.volume_modify("b", change).await.unwrap();
        at(&pool, sunday - HOUR - 1).await;
        assert_eq!(names(&pool), [""; 0]);
        at(&pool, sunday - HOUR).await;
        at(&pool, sunday - HOUR + 5).await;
        assert_eq!(names(&pool), ["a@hourly.2026-11-21_2300", "b@hourly.2026-11-21_2300"]);
        let both = pool.snapshots(None).unwrap();
        assert_eq!(both[0].created, both[1].created);
        pool.snapshot_create(&["a".into()], "manual").await.unwrap();
        at(&pool, sunday).await;
        at(&pool, sunday + HOUR).await;
        pool.close().await.unwrap();
        // Three hours were missed, and one snapshot makes up for them.
        let pool = open();
        at(&pool, sunday + 4 * HOUR + 37 * 60).await;
        let mut found = names(&pool);
        found.sort();
        assert_eq!(
            found,
            [
                "a@daily.2026-11-22_0000",
                "a@hourly.2026-11-22_0100",
                "a@hourly.2026-11-22_0437",
                "a@manual",
                "a@weekly.2026-11-22_0000",
                "b@hourly.2026-11-22_0437",
            ]
        );
        // A cloned snapshot stays, and does not take the place of a younger one.
        let clone = crate::CloneSpec { name: "c".into(), junction_path: "/c".into() };
        pool.volume_clone("b", "hourly.2026-11-22_0437", clone).await.unwrap();
        at(&pool, sunday + 5 * HOUR).await;
        let of_b = |found: Vec<String>| found.into_iter().filter(|name| name.starts_with("b@")).count();
        assert_eq!(of_b(names(&pool)), 2);
        pool.settle().await.unwrap();
        assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
    }
}
