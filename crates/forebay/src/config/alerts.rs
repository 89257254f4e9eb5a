//! `[alerts]`: where notices of alerts go.

use std::path::PathBuf;
use std::time::Duration;

use forebay_notify::Targets;

const HOUR_SECONDS: u64 = 60 * 60;

/// Notices of alerts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlertsConfig {
    /// The file of targets; `None` means that nothing is sent.
    pub targets: Option<PathBuf>,
    /// Hours between two notices of an alert that goes on; 0 means that there is one only.
    pub repeat_hours: u64,
}

impl Default for AlertsConfig {
    fn default() -> Self {
        AlertsConfig { targets: None, repeat_hours: 4 }
    }
}

impl AlertsConfig {
    /// Reads the file of targets. The error is for the operator.
    pub fn load(&self) -> Result<Targets, String> {
        let load = |path: &PathBuf| Targets::load(path).map_err(|error| format!("alerts.targets: {error}"));
        self.targets.as_ref().map_or_else(|| Ok(Targets::default()), load)
    }

    /// The time between two notices; zero means that there is one only.
    pub fn repeat(&self) -> Duration {
        Duration::from_secs(self.repeat_hours.saturating_mul(HOUR_SECONDS))
    }
}
