//! Files that operators look back at: events, jobs, the history of metrics, alerts. They lie in the folder `history` of the pool.
//!
//! ```text
//!   events          lines; the older half in events.old        points-5s, points-1m, points-15m   rings of metrics
//!   jobs            lines, replaced as a whole                 days      a line for each day
//!   alerts          lines, replaced as a whole                 starts    a line for each start of the daemon
//!   kafka-topics    a line for each Kafka topic with its days, replaced when a day ends; those of today in kafka-today
//! ```
//! What must hold: these files are never needed to open or to serve the pool, so whatever is wrong with them costs a log line and what
//! was in them; a file that was cut or damaged at any byte never yields anything that was not written; each is bounded; and a node that
//! has lost the pool to another one no longer writes them.

mod journal;
mod lines;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use forebay_pool::Permit;

pub use journal::Journal;
pub use lines::{from_line, to_line};

/// The folder below the pool's directory.
pub const FOLDER: &str = "history";

/// A time in files: milliseconds since 1970; 0 for earlier times.
pub fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The last time that RFC 3339 can express: at the end of the year 9999.
const LAST_MILLIS: u64 = 253_402_300_799_000;

/// The time of [`millis`]. A time after the year 9999, which could not be shown, becomes its end.
pub fn from_millis(millis: u64) -> SystemTime {
    UNIX_EPOCH.checked_add(Duration::from_millis(millis.min(LAST_MILLIS))).unwrap_or(UNIX_EPOCH)
}

/// The folder of these files, and whether this process may write there.
pub struct Place {
    folder: PathBuf,
    permit: Permit,
    failing: AtomicBool,
}

impl Place {
    /// The folder in a pool's directory. It is created at the first write.
    pub fn new(pool_directory: &Path, permit: Permit) -> Place {
        Place { folder: pool_directory.join(FOLDER), permit, failing: AtomicBool::new(false) }
    }

    /// The path of one of the files.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Creates the folder, if this process may still write to the pool.
    pub fn prepare(&self) -> io::Result<()> {
        self.permit.confirm().map_err(|error| io::Error::other(error.to_string()))?;
        std::fs::create_dir_all(&self.folder)
    }

    /// Replaces a file, so that it has either the old or the new content after a crash.
    pub fn replace(&self, name: &str, content: &[u8]) -> io::Result<()> {
        self.prepare()?;
        lines::replace(&self.path(name), content)
    }

    /// Replaces a file by these lines.
    pub fn replace_lines(&self, name: &str, all: &[String]) -> io::Result<()> {
        self.replace(name, all.concat().as_bytes())
    }

    /// The intact lines of a file, without their checksums; none if there is no such file.
    pub fn lines(&self, name: &str) -> Vec<String> {
        lines::read(&self.path(name))
    }

    /// The content of a file of at most `bytes_max` bytes; `None` if it cannot be read.
    pub fn content(&self, name: &str, bytes_max: u64) -> Option<Vec<u8>> {
        lines::content(&self.path(name), bytes_max)
    }

    /// Logs the first of several failures, and the end of them.
    pub fn note(&self, outcome: io::Result<()>) {
        match outcome {
            Ok(()) => {
                if self.failing.swap(false, Ordering::Relaxed) {
                    tracing::info!(folder = %self.folder.display(), "the history is written again");
                }
            }
            Err(error) => {
                if !self.failing.swap(true, Ordering::Relaxed) {
                    tracing::warn!(
                        folder = %self.folder.display(), %error,
                        "the history cannot be written: events and graphs since now will be lost at the next restart; free space in that file system, or mend its permissions"
                    );
                }
            }
        }
    }
}
