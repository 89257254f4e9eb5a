//! Removes replaced rows from the tables while the pool is in use.
//!
//! A small write that must be durable at once lies in a row, and the next one replaces that row. PostgreSQL keeps the old version until a vacuum, and
//! its own vacuum looks once a minute. With a hundred such writes a second that is hundreds of megabytes in tables of a few. So the owner
//! counts what it has sent, and vacuums a table itself as soon as an eighth of it may be replaced.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use forebay_pool::Result;
use forebay_pool::store::Table;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::database::Database;
use crate::schema;
use crate::session::{Bare, Role, refused};

/// A table is left alone until this many bytes were sent to it, however small it is.
const SENT_MIN: u64 = 8 << 20;
/// The part of a table that is replaced at most before it is vacuumed.
const PART: u64 = 8;
/// The bytes that are counted for a deleted row, because only its key is sent: about as many as the record of a chunk takes.
const DELETED_BYTES: u64 = 160;
/// The pause after a failure, and the longest that a vacuum may take.
const PAUSE: Duration = Duration::from_secs(600);

/// See the module.
pub(crate) struct Vacuum {
    database: Database,
    instance: String,
    tables: [Sent; Table::ALL.len()],
    is_running: AtomicBool,
    work: Mutex<Work>,
    pub(crate) runs: AtomicU64,
}

/// Counts the bytes that were sent to a table.
#[derive(Default)]
struct Sent {
    /// Bytes since its last vacuum.
    bytes: AtomicU64,
    /// Its size after that, with its index and what lies outside its rows. 0 if it was not asked for yet.
    size: AtomicU64,
}

impl Sent {
    fn is_due(&self) -> bool {
        let size = self.size.load(Ordering::Relaxed);
        self.bytes.load(Ordering::Relaxed) >= SENT_MIN.max(size / PART)
    }
}

#[derive(Default)]
struct Work {
    session: Option<Bare>,
    not_before: Option<Instant>,
}

impl Vacuum {
    pub(crate) fn new(database: Database, instance: String) -> Vacuum {
        Vacuum {
            database,
            instance,
            tables: Default::default(),
            is_running: AtomicBool::new(false),
            work: Mutex::default(),
            runs: AtomicU64::new(0),
        }
    }

    /// Counts the change of a row: its key, and its value unless it is deleted.
    pub(crate) fn count(&self, key: &[u8], value: Option<&[u8]>) {
        let bytes = value.map_or(DELETED_BYTES, |value| value.len() as u64) + key.len() as u64;
        if let Some(sent) = self.of(Table::of(key)) {
            sent.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Whether a table is to be vacuumed, and nobody does it yet. Then the caller must [`run`](Self::run).
    pub(crate) fn begins(&self) -> bool {
        self.tables.iter().any(Sent::is_due) && !self.is_running.swap(true, Ordering::AcqRel)
    }

    /// Vacuums the tables that are due. A failure is logged: the pool works without, and the database has its own vacuum.
    pub(crate) async fn run(&self) {
        let mut work = self.work.lock().await;
        if work.not_before.is_none_or(|until| Instant::now() >= until) {
            let done = tokio::time::timeout(PAUSE, self.vacuum(&mut work.session)).await;
            let failure = match done {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(_) => Some(format!("no end after {} s", PAUSE.as_secs())),
            };
            if let Some(cause) = failure {
                tracing::info!(cause, "the pool's tables are left to the database's own vacuum for a while");
                *work = Work { session: None, not_before: Some(Instant::now() + PAUSE) };
            }
        }
        self.is_running.store(false, Ordering::Release);
    }

    async fn vacuum(&self, kept: &mut Option<Bare>) -> Result<()> {
        let failed = |error| refused(&self.database, &error);
        if kept.as_ref().is_none_or(|bare| bare.client.is_closed()) {
            *kept = Some(Bare::open(&self.database, &self.instance, Role::Vacuum).await?);
        }
        let Some(bare) = kept else { return Ok(()) };
        for (table, sent) in Table::ALL.iter().zip(&self.tables).filter(|(_, sent)| sent.is_due()) {
            let before = sent.bytes.load(Ordering::Relaxed);
            if sent.size.load(Ordering::Relaxed) != 0 {
                bare.client.batch_execute(&schema::vacuum(*table)).await.map_err(failed)?;
                self.runs.fetch_add(1, Ordering::Relaxed);
            }
            let size = bare.client.query_one(&schema::size(*table), &[]).await.map_err(failed)?;
            let size = u64::try_from(size.try_get::<_, i64>(0).map_err(failed)?).unwrap_or_default();
            // The first time a table is due its size is not known, and a large one is left alone until an eighth of it was sent.
            if sent.size.swap(size.max(1), Ordering::Relaxed) != 0 {
                sent.bytes.fetch_sub(before, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn of(&self, table: Table) -> Option<&Sent> {
        let place = Table::ALL.iter().position(|known| *known == table)?;
        self.tables.get(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vacuum() -> Vacuum {
        Vacuum::new(Database::of("host=/nonexistent", "kafka").unwrap(), "1".to_owned())
    }

    #[test]
    fn it_begins_once_when_enough_of_a_table_may_be_replaced() {
        let vacuum = vacuum();
        let value = vec![0; 64 << 10];
        let mut sent = 0;
        while !vacuum.begins() {
            vacuum.count(&[0x22, 1], Some(&value));
            sent += value.len() as u64;
            assert!(sent <= SENT_MIN, "it does not begin");
        }
        assert!(sent + (64 << 10) > SENT_MIN, "it begins after {sent} bytes");
        assert!(!vacuum.begins(), "one at a time");
        // A large table can have more of it replaced.
        vacuum.is_running.store(false, Ordering::Release);
        vacuum.of(Table::Extent).unwrap().size.store(PART * (SENT_MIN + (64 << 10)), Ordering::Relaxed);
        assert!(!vacuum.begins());
        vacuum.count(&[0x22, 1], Some(&value));
        assert!(vacuum.begins());
    }

    #[tokio::test]
    async fn a_failure_is_not_repeated_at_once() {
        let vacuum = vacuum();
        vacuum.count(&[0x22, 1], Some(&vec![0; SENT_MIN as usize]));
        assert!(vacuum.begins());
        vacuum.run().await;
        assert!(vacuum.work.lock().await.not_before.is_some());
        assert!(vacuum.begins(), "it is still due");
        vacuum.run().await;
        assert!(vacuum.work.lock().await.session.is_none());
    }
}
