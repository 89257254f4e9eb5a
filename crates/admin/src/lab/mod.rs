//! The lab's reports in the directory of results: finds, lists and serves them.
//!
//! [`scan`] finds reports through [`files`], [`result`] reads the data of their runs, and [`tickets`] let a browser show a page. What must
//! hold: whatever is in the directory, nothing outside of it is read, little is kept in memory, and a damaged report is listed with its
//! problem. The content of a page may come from results of other machines, so a page is served without scripts and without an origin.

mod files;
mod result;
mod scan;
mod tickets;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, Semaphore};

use files::Folder;
use scan::{Entry, Scan};
pub use scan::{PAGE_BYTES_MAX, REPORTS_MAX};
pub use tickets::{GOOD_FOR, Tickets};

/// How long the result of a scan is used.
const FRESH: Duration = Duration::from_secs(2);
/// Maximum number of pages that are read at the same time. Each may take much memory.
const PAGES_AT_ONCE: usize = 4;

/// The reports in a directory.
pub struct Lab {
    directory: Option<PathBuf>,
    last: Mutex<(Option<Instant>, Arc<Scan>)>,
    reading: Semaphore,
    /// The tickets that give access to pages without a token.
    pub tickets: Tickets,
}

impl Lab {
    /// The reports in this directory; no reports without one.
    pub fn new(directory: Option<PathBuf>) -> Lab {
        Lab {
            directory,
            last: Mutex::default(),
            reading: Semaphore::new(PAGES_AT_ONCE),
            tickets: Tickets::default(),
        }
    }

    /// The directory of results.
    pub fn directory(&self) -> Option<String> {
        self.directory.as_ref().map(|directory| directory.display().to_string())
    }

    /// Returns the reports. Scans the directory if the last scan is too old.
    pub async fn scan(&self) -> Arc<Scan> {
        let Some(directory) = self.directory.clone() else { return Arc::default() };
        // Other callers wait for the same scan.
        let mut last = self.last.lock().await;
        if last.0.is_none_or(|looked| looked.elapsed() >= FRESH) {
            let earlier = Arc::clone(&last.1);
            let scan = tokio::task::spawn_blocking(move || Scan::of(&directory, &earlier)).await;
            // The task fails only if it panics or the daemon ends. Then the earlier result is used.
            last.1 = scan.map_or_else(|_| Arc::clone(&last.1), Arc::new);
            last.0 = Some(Instant::now());
        }
        Arc::clone(&last.1)
    }

    /// The report with this id.
    pub async fn find(&self, id: &str) -> Option<Entry> {
        self.scan().await.entries.iter().find(|entry| entry.view.id == id).cloned()
    }

    /// The page at a path relative to the directory, if it is the page of a report. An error says why the page cannot be read.
    pub async fn page_at(&self, path: &str) -> Option<Result<Vec<u8>, String>> {
        let scan = self.scan().await;
        let entry = scan.entries.iter().find(|entry| entry.page.join("/") == path)?;
        Some(self.page(entry).await)
    }

    /// The page of a report. An error says why the page cannot be read.
    pub async fn page(&self, entry: &Entry) -> Result<Vec<u8>, String> {
        let Some(directory) = self.directory.clone() else { return Err("there is no directory".to_owned()) };
        let path = entry.page.clone();
        let _place = self.reading.acquire().await;
        let read = tokio::task::spawn_blocking(move || {
            let (file, folders) = path.split_last().ok_or(std::io::ErrorKind::NotFound)?;
            let root = Folder::open(&directory)?;
            let folder = folders.iter().try_fold(root, |folder, name| folder.folder(name))?;
            folder.read(file, PAGE_BYTES_MAX)
        });
        match read.await {
            Ok(Ok(page)) => Ok(page),
            Ok(Err(error)) => Err(error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests;
