//! Backups of the pool.

use forebay_service::backups::Backups;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::SystemTime;
use utoipa::ToSchema;

use super::check::Check;
use super::fields::time;
use crate::base::problem::Problem;

/// The longest path of a directory.
const PATH_BYTES_MAX: usize = 4095;

/// A request for a backup.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupRequest {
    /// The directory, an absolute path on the daemon's machine: empty, or one with backups of this pool. Without it, that of the
    /// configuration. Only the role admin may name one.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub directory: Option<PathBuf>,
    /// The number of backups to keep there, the new one included. Without it, the configured number in the configured directory, and all in
    /// any other one.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 100000)]
    pub keep: Option<u32>,
    /// Whether to accept an empty directory where the last backups are expected, because it is on a new disk.
    #[serde(default)]
    pub new: bool,
}

impl Check for BackupRequest {
    fn check(&self) -> Result<(), Problem> {
        if self.keep.is_some_and(|keep| keep == 0 || keep > 100_000) {
            return Err(Problem::new("keep", "must be from 1 to 100000"));
        }
        match &self.directory {
            Some(directory) if !directory.is_absolute() => {
                Err(Problem::new("directory", "must be an absolute path on the daemon's machine"))
            }
            Some(directory) if directory.as_os_str().len() > PATH_BYTES_MAX => {
                Err(Problem::new("directory", format!("must have at most {PATH_BYTES_MAX} bytes")))
            }
            _ => Ok(()),
        }
    }
}

/// A finished backup.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BackupView {
    /// Its name.
    pub name: String,
    /// The instant that it shows.
    #[schema(format = DateTime)]
    pub taken: String,
    /// When it was finished.
    #[schema(format = DateTime)]
    pub finished: String,
    /// The release that made it.
    pub release: String,
    /// The names of the volumes and buckets in it.
    pub volumes: Vec<String>,
    /// Bytes of all segments that it needs.
    pub bytes: u64,
    /// Bytes that were copied for it; the other ones were there already.
    pub bytes_copied: u64,
    /// Number of frames in it that were damaged in the pool, too.
    pub damaged: u64,
}

impl From<forebay_pool::Backup> for BackupView {
    fn from(backup: forebay_pool::Backup) -> Self {
        BackupView {
            name: backup.name,
            taken: time(backup.taken),
            finished: time(backup.finished),
            release: backup.release,
            volumes: backup.volumes,
            bytes: backup.bytes,
            bytes_copied: backup.bytes_copied,
            damaged: backup.damaged,
        }
    }
}

/// Backups of the pool: the schedule, and the last one.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BackupsView {
    /// The directory of scheduled backups; null if none is configured.
    pub directory: Option<String>,
    /// Hours between two scheduled backups; null without a schedule.
    pub every_hours: Option<u64>,
    /// Number of backups that are kept in that directory; null keeps all.
    pub keep: Option<u64>,
    /// When the next scheduled backup is due; null without a schedule.
    #[schema(format = DateTime)]
    pub due: Option<String>,
    /// The last backup that was finished, in whichever directory.
    pub last: Option<BackupView>,
    /// The directory of the last backup.
    pub last_directory: Option<String>,
    /// When a backup into the directory of scheduled backups failed, if none was finished there since.
    #[schema(format = DateTime)]
    pub failed: Option<String>,
    /// Why.
    pub error: Option<String>,
}

impl BackupsView {
    /// The state at this time.
    pub fn of(backups: &Backups, now: SystemTime) -> BackupsView {
        let settings = &backups.settings;
        let (last_directory, last) = backups.last().unzip();
        let (failed, error) = backups.scheduled().failed.map(|(at, why)| (time(at), why)).unzip();
        BackupsView {
            directory: settings.directory.as_ref().map(|path| path.display().to_string()),
            every_hours: settings.every.map(|every| every.as_secs() / 3600),
            keep: settings.keep.map(|keep| keep as u64),
            due: backups.due(now).map(time),
            last_directory: last_directory.map(|directory| directory.display().to_string()),
            last: last.map(BackupView::from),
            failed,
            error,
        }
    }
}
