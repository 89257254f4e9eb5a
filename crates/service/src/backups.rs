//! Backups of the pool: by request and on a schedule.
//!
//! What was last backed up, and where, is in a record of the pool, so the schedule goes on after a restart and on another node. For each
//! directory it has the directory's own number: an empty one in its place means that its disk is not mounted, and is refused.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use forebay_pool::{Backup, BackupOptions, BackupReport, Pool};
use serde::{Deserialize, Serialize};

use crate::Service;
use crate::error::{Error, Result};
use crate::events::Who;
use crate::jobs::JobStatus;

const NAMESPACE: &str = "forebay";
const KEY: &[u8] = b"backup";
/// How often the schedule is looked at.
const LOOKED_EVERY: Duration = Duration::from_secs(5);
/// The earliest time after a failure at which a scheduled backup is tried again.
const RETRY: Duration = Duration::from_secs(60 * 60);
/// The number of directories that are remembered besides that of the schedule.
const PLACES_MAX: usize = 16;
/// The user of scheduled backups in jobs and events.
const SCHEDULE: &str = "schedule";

/// Backups that are made without being asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupSettings {
    /// Where; `None` if only those are made that somebody asks for, with a directory.
    pub directory: Option<PathBuf>,
    /// The time between two of them; `None` if there is no schedule.
    pub every: Option<Duration>,
    /// The number of backups that are kept; `None` keeps all.
    pub keep: Option<usize>,
    /// The maximum rate of copying, in bytes per second.
    pub bytes_per_second: Option<u64>,
}

/// What is remembered of the backups in a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The directory.
    pub directory: PathBuf,
    /// Its own number; empty before the first backup there.
    pub repository: String,
    /// The last backup that was finished there.
    pub last: Option<Backup>,
    /// When the last attempt there that failed ended, if none has succeeded since, and why.
    pub failed: Option<(SystemTime, String)>,
}

/// See the module.
pub struct Backups {
    pool: Pool,
    /// What the configuration says.
    pub settings: BackupSettings,
    /// The places, the one that was used last first.
    known: Mutex<Vec<Place>>,
    /// Since when the schedule has been followed.
    since: SystemTime,
}

/// A request for a backup.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Where; `None` for the configured directory.
    pub directory: Option<PathBuf>,
    /// The number of backups to keep there; `None` for the configured number if it is the configured directory, else all.
    pub keep: Option<usize>,
    /// Whether to accept an empty directory where there were backups before.
    pub is_new: bool,
}

impl Backups {
    /// Reads what is remembered. A record that cannot be read is as good as none: the next backup says if the directory is another one.
    pub(crate) fn load(pool: Pool, settings: BackupSettings) -> Result<Backups> {
        let value = pool.record(NAMESPACE, KEY)?;
        let known = value.and_then(|value| serde_json::from_slice(&value).ok()).unwrap_or_default();
        Ok(Backups { pool, settings, known: Mutex::new(known), since: SystemTime::now() })
    }

    /// The last backup that was finished, and where it is.
    pub fn last(&self) -> Option<(PathBuf, Backup)> {
        let known = self.known();
        // Of several in one second, the one in the place that was used last.
        let places = known.iter().rev();
        let finished = places.filter_map(|place| Some((place.directory.clone(), place.last.clone()?)));
        finished.max_by_key(|(_, last)| last.finished)
    }

    /// What is remembered of the directory of scheduled backups; nothing yet, if there was none, or if none is configured.
    pub fn scheduled(&self) -> Place {
        self.settings.directory.as_ref().map_or_else(Place::default, |directory| self.place(directory))
    }

    fn place(&self, directory: &Path) -> Place {
        let found = self.known().iter().find(|place| place.directory == directory).cloned();
        found.unwrap_or_else(|| Place { directory: directory.to_path_buf(), ..Place::default() })
    }

    fn known(&self) -> MutexGuard<'_, Vec<Place>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the next scheduled backup is due; `None` without a schedule. A time that has passed means that it is due now.
    pub fn due(&self, now: SystemTime) -> Option<SystemTime> {
        let every = self.settings.every.filter(|_| self.settings.directory.is_some())?;
        let place = self.scheduled();
        let last = place.last.map(|last| last.taken);
        // If the clock was set back, the last one seems to be yet to come.
        let next = match last {
            Some(last) if last <= now => last.checked_add(every)?,
            _ => now,
        };
        let retry = place.failed.map(|(at, _)| at).filter(|at| *at <= now);
        Some(retry.map_or(next, |at| next.max(at + RETRY.min(every))))
    }

    /// For how long there should have been a newer backup than the last one; zero if that is young enough or there is no schedule.
    pub fn overdue(&self, now: SystemTime) -> Duration {
        let Some(every) = self.settings.every.filter(|_| self.settings.directory.is_some()) else {
            return Duration::ZERO;
        };
        let since = self.scheduled().last.map_or(self.since, |last| last.taken);
        now.duration_since(since).unwrap_or_default().saturating_sub(every)
    }

    async fn remember(&self, place: Place) -> forebay_pool::Result<()> {
        let value = {
            let mut known = self.known();
            known.retain(|other| other.directory != place.directory);
            known.insert(0, place);
            let mut others = 0;
            known.retain(|place| {
                let is_scheduled = Some(&place.directory) == self.settings.directory.as_ref();
                others += usize::from(!is_scheduled);
                is_scheduled || others <= PLACES_MAX
            });
            serde_json::to_vec(&*known)
        };
        let value = value.map_err(|error| forebay_pool::Error::Damaged(error.to_string()))?;
        self.pool.record_put(NAMESPACE, KEY, &value).await
    }
}

impl Service {
    /// Starts a backup.
    pub fn backup(self: &Arc<Self>, request: Request, who: Who) -> Result<JobStatus> {
        let settings = &self.backups.settings;
        let directory = match (&request.directory, &settings.directory) {
            (Some(directory), _) | (None, Some(directory)) => directory.clone(),
            (None, None) => return Err(Error::NoBackupDirectory),
        };
        require_absolute(&directory)?;
        let is_configured = Some(&directory) == settings.directory.as_ref();
        let known = self.backups.place(&directory);
        let is_known = !request.is_new && !known.repository.is_empty();
        let repository = is_known.then(|| known.repository.clone());
        let options = BackupOptions {
            keep: request.keep.or(settings.keep.filter(|_| is_configured)),
            bytes_per_second: settings.bytes_per_second,
            repository,
        };
        let service = self.clone();
        let done = move |outcome: forebay_pool::Result<BackupReport>| async move {
            let place = match &outcome {
                Ok(BackupReport { backup, repository, .. }) => {
                    let (repository, last) = (repository.clone(), Some(backup.clone()));
                    Place { repository, last, failed: None, ..known }
                }
                Err(forebay_pool::Error::Cancelled | forebay_pool::Error::Closed) => return outcome,
                Err(error) => Place { failed: Some((SystemTime::now(), error.to_string())), ..known },
            };
            match service.backups.remember(place).await {
                // The backup is there. What is not remembered is asked of its directory the next time.
                Err(error) => {
                    tracing::warn!(%error, "what was backed up could not be remembered in the pool");
                    outcome
                }
                Ok(()) => outcome,
            }
        };
        self.jobs.backup(&self.pool, &self.events, (directory, options), who, done)
    }
}

/// Makes the backups of the schedule, for as long as it is polled.
pub async fn run(service: Arc<Service>) {
    loop {
        tokio::time::sleep(LOOKED_EVERY).await;
        let now = SystemTime::now();
        if service.backups.due(now).is_some_and(|due| due <= now) {
            let who = Who { user: Some(SCHEDULE.to_owned()), address: None };
            match service.backup(Request::default(), who) {
                Ok(_) | Err(Error::JobRunning(_)) => {}
                Err(error) => tracing::error!(%error, "a scheduled backup could not be started"),
            }
        }
    }
}

fn require_absolute(directory: &Path) -> Result<()> {
    if directory.is_absolute() {
        Ok(())
    } else {
        Err(Error::RelativeBackupDirectory(directory.to_path_buf()))
    }
}

#[cfg(test)]
mod tests {
    use forebay_pool::PoolOptions;

    use super::*;
    use crate::ServiceOptions;
    use crate::jobs::JobState;

    const HOUR: Duration = Duration::from_secs(60 * 60);

    async fn service(folder: &Path, directory: Option<&str>) -> Arc<Service> {
        let pool = Pool::open(&folder.join("pool"), PoolOptions::default()).await.unwrap();
        let backups = BackupSettings {
            directory: directory.map(|name| folder.join(name)),
            every: Some(24 * HOUR),
            keep: Some(2),
            bytes_per_second: None,
        };
        Arc::new(Service::open(pool, ServiceOptions { backups, ..ServiceOptions::default() }).unwrap())
    }

    async fn ended(service: &Service, id: u64) -> JobStatus {
        loop {
            let job = service.jobs.get(id).unwrap();
            if job.state != JobState::Running {
                return job;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    #[tokio::test]
    async fn the_schedule_follows_the_last_backup_over_restarts_and_jumps_of_the_clock() {
        let folder = tempfile::tempdir().unwrap();
        let service_now = service(folder.path(), Some("backups")).await;
        let now = SystemTime::now();
        assert_eq!(service_now.backups.due(now), Some(now), "there is none yet");
        assert_eq!(service_now.backups.overdue(now), Duration::ZERO);
        assert!(service_now.backups.overdue(now + 50 * HOUR) > 25 * HOUR);
        let job = service_now.backup(Request::default(), Who::default()).unwrap();
        assert!(matches!(service_now.backup(Request::default(), Who::default()), Err(Error::JobRunning(_))));
        assert_eq!(ended(&service_now, job.id).await.state, JobState::Succeeded);
        service_now.pool.close().await.unwrap();
        drop(service_now);

        let again = service(folder.path(), Some("backups")).await;
        let last = again.backups.scheduled().last.unwrap().taken;
        assert_eq!(again.backups.due(now + 2 * HOUR), Some(last + 24 * HOUR));
        assert_eq!(again.backups.due(last - HOUR), Some(last - HOUR), "the clock was set back");
        assert_eq!(again.backups.overdue(last + 30 * HOUR), 6 * HOUR);
        // One elsewhere changes nothing of that, whether it succeeds or not.
        for (name, state) in [("usb", JobState::Succeeded), ("pool", JobState::Failed)] {
            let request = Request { directory: Some(folder.path().join(name)), ..Request::default() };
            assert_eq!(ended(&again, again.backup(request, Who::default()).unwrap().id).await.state, state);
        }
        assert_eq!(again.backups.due(now + 2 * HOUR), Some(last + 24 * HOUR));
        assert_eq!(again.backups.last().unwrap().0, folder.path().join("usb"));
        // The disk with the backups is gone.
        std::fs::rename(folder.path().join("backups"), folder.path().join("away")).unwrap();
        let job = ended(&again, again.backup(Request::default(), Who::default()).unwrap().id).await;
        assert_eq!(job.state, JobState::Failed);
        assert!(job.error.unwrap().contains("not mounted"));
        let (failed, _) = again.backups.scheduled().failed.unwrap();
        assert_eq!(again.backups.due(failed + 24 * HOUR), Some(failed + HOUR).max(Some(last + 24 * HOUR)));
        std::fs::create_dir(folder.path().join("backups")).unwrap();
        let job = ended(&again, again.backup(Request::default(), Who::default()).unwrap().id).await;
        assert!(job.error.unwrap().contains("not mounted"));
        let anew = Request { is_new: true, ..Request::default() };
        assert_eq!(
            ended(&again, again.backup(anew, Who::default()).unwrap().id).await.state,
            JobState::Succeeded
        );
        assert_eq!(again.backups.scheduled().failed, None);
    }

    #[tokio::test]
    async fn without_a_directory_there_is_no_schedule_and_a_request_must_name_one() {
        let folder = tempfile::tempdir().unwrap();
        let service = service(folder.path(), None).await;
        assert_eq!(service.backups.due(SystemTime::now()), None);
        assert_eq!(service.backups.overdue(SystemTime::now() + 900 * HOUR), Duration::ZERO);
        assert!(matches!(service.backup(Request::default(), Who::default()), Err(Error::NoBackupDirectory)));
        let relative = Request { directory: Some("backups".into()), ..Request::default() };
        assert!(matches!(service.backup(relative, Who::default()), Err(Error::RelativeBackupDirectory(_))));
        let named = Request { directory: Some(folder.path().join("here")), ..Request::default() };
        let job = service.backup(named, Who::default()).unwrap();
        assert_eq!(ended(&service, job.id).await.state, JobState::Succeeded);
    }
}
