//! Backups of the pool: by request and on a schedule.
//!
//! What was last backed up, and where, is in a record of the pool, so the schedule goes on after a restart and on another node. The record also
//! knows which directory it was: an empty one in its place means that its disk is not mounted, and is refused.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use forebay_pool::{Backup, BackupOptions, Pool};
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

/// What is remembered of backups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// Where the last one is.
    pub directory: PathBuf,
    /// The directory's own number.
    pub repository: String,
    /// The last backup that was finished.
    pub last: Option<Backup>,
    /// When the last attempt that failed ended, if none has succeeded since, and why.
    pub failed: Option<(SystemTime, String)>,
}

/// See the module.
pub struct Backups {
    pool: Pool,
    /// What the configuration says.
    pub settings: BackupSettings,
    known: Mutex<Remembered>,
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

    /// What is remembered.
    pub fn remembered(&self) -> Remembered {
        self.known().clone()
    }

    fn known(&self) -> MutexGuard<'_, Remembered> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the next scheduled backup is due; `None` without a schedule. A time that has passed means that it is due now.
    pub fn due(&self, now: SystemTime) -> Option<SystemTime> {
        let every = self.settings.every.filter(|_| self.settings.directory.is_some())?;
        let known = self.known();
        let is_configured = Some(&known.directory) == self.settings.directory.as_ref();
        let last = known.last.as_ref().filter(|_| is_configured).map(|last| last.taken);
        // If the clock was set back, the last one seems to be yet to come.
        let next = match last {
            Some(last) if last <= now => last.checked_add(every)?,
            _ => now,
        };
        let retry = known.failed.as_ref().map(|(at, _)| *at).filter(|at| *at <= now);
        Some(retry.map_or(next, |at| next.max(at + RETRY.min(every))))
    }

    /// For how long there should have been a newer backup than the last one; zero if that is young enough or there is no schedule.
    pub fn overdue(&self, now: SystemTime) -> Duration {
        let Some(every) = self.settings.every.filter(|_| self.settings.directory.is_some()) else {
            return Duration::ZERO;
        };
        let since = self.known().last.as_ref().map_or(self.since, |last| last.taken);
        now.duration_since(since).unwrap_or_default().saturating_sub(every)
    }

    async fn remember(&self, known: Remembered) -> forebay_pool::Result<()> {
        let value =
            serde_json::to_vec(&known).map_err(|error| forebay_pool::Error::Damaged(error.to_string()))?;
        *self.known() = known;
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
        let known = self.backups.remembered();
        let repository = (known.directory == directory && !request.is_new && !known.repository.is_empty())
            .then(|| known.repository.clone());
        let options = BackupOptions {
            keep: request.keep.or(settings.keep.filter(|_| is_configured)),
            bytes_per_second: settings.bytes_per_second,
            repository,
        };
        let service = self.clone();
        let place = directory.clone();
        let done = move |outcome: forebay_pool::Result<forebay_pool::BackupReport>| async move {
            let known = match &outcome {
                Ok(report) => Remembered {
                    directory: place,
                    repository: report.repository.clone(),
                    last: Some(report.backup.clone()),
                    failed: None,
                },
                Err(forebay_pool::Error::Cancelled | forebay_pool::Error::Closed) => return outcome,
                Err(error) => {
                    let failed = Some((SystemTime::now(), error.to_string()));
                    Remembered { failed, ..service.backups.remembered() }
                }
            };
            match service.backups.remember(known).await {
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
        let last = again.backups.remembered().last.unwrap().taken;
        assert_eq!(again.backups.due(now + 2 * HOUR), Some(last + 24 * HOUR));
        assert_eq!(again.backups.due(last - HOUR), Some(last - HOUR), "the clock was set back");
        assert_eq!(again.backups.overdue(last + 30 * HOUR), 6 * HOUR);
        // The disk with the backups is gone.
        std::fs::rename(folder.path().join("backups"), folder.path().join("away")).unwrap();
        let job = ended(&again, again.backup(Request::default(), Who::default()).unwrap().id).await;
        assert_eq!(job.state, JobState::Failed);
        assert!(job.error.unwrap().contains("not mounted"));
        let (failed, _) = again.backups.remembered().failed.unwrap();
        assert_eq!(again.backups.due(failed + 24 * HOUR), Some(failed + HOUR).max(Some(last + 24 * HOUR)));
        std::fs::create_dir(folder.path().join("backups")).unwrap();
        let job = ended(&again, again.backup(Request::default(), Who::default()).unwrap().id).await;
        assert!(job.error.unwrap().contains("not mounted"));
        let anew = Request { is_new: true, ..Request::default() };
        assert_eq!(
            ended(&again, again.backup(anew, Who::default()).unwrap().id).await.state,
            JobState::Succeeded
        );
        assert_eq!(again.backups.remembered().failed, None);
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
