//! `[backup]`: backups of the pool.

use std::path::PathBuf;
use std::time::Duration;

use forebay_service::backups::BackupSettings;

const HOUR_SECONDS: u64 = 60 * 60;

/// Backups of the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupConfig {
    /// Where scheduled backups go; `None` means that there are none.
    pub directory: Option<PathBuf>,
    /// Hours between two scheduled backups; 0 means that there is no schedule.
    pub every_hours: u64,
    /// The number of backups that are kept in that directory; 0 keeps all.
    pub keep: u64,
    /// The maximum rate of copying, in bytes per second; `None` means that it is not limited.
    pub rate: Option<u64>,
}

impl Default for BackupConfig {
    fn default() -> Self {
        BackupConfig { directory: None, every_hours: 24, keep: 7, rate: Some(100_000_000) }
    }
}

impl BackupConfig {
    /// What the service needs.
    pub fn settings(&self) -> BackupSettings {
        let every = Duration::from_secs(self.every_hours.saturating_mul(HOUR_SECONDS));
        BackupSettings {
            directory: self.directory.clone(),
            every: (!every.is_zero()).then_some(every),
            keep: usize::try_from(self.keep).ok().filter(|keep| *keep > 0),
            bytes_per_second: self.rate,
        }
    }
}
