//! The metadata store of a pool in PostgreSQL.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use forebay_pool::store::{Batch, Connections, Key, MetaStore, MetaView, Position, Table, Unit, Visit};
use forebay_pool::{Error, Result};
use futures::future::BoxFuture;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_postgres::Row;

use crate::cache::{Cache, Found, Known, Rows, row_bytes};
use crate::database::{Database, sentence};
use crate::group::{Committer, Group, deposed, lost};
use crate::options::{Counts, PostgresOptions};
use crate::ownership::{self, Owned, PoolRow};
use crate::refusal::{Attempt, Refusal};
use crate::scan::{self, Page};
use crate::session::{Role, Session, refused};
use crate::vacuum::Vacuum;

/// Connections for short reads.
const READERS: usize = 4;
/// Long reads of the present state that run at a time, each with a connection, and connections that are kept for the next one. Long reads of a
/// snapshot are not limited: they are few and last long.
const SCANS: usize = 4;
/// How long a long read waits for one of these to end. It begins anyway after that: whoever visits the rows of one may need another one, or wait for a
/// thread that does, and must not wait for ever.
const SCAN_WAIT_MAX: Duration = Duration::from_secs(5);
/// The most rows of one unit.
const UNIT_ROWS_MAX: usize = 1_000_000;
/// The rows that are read at first of a unit, and the most that are read at once.
const UNIT_PAGE: i64 = 4096;
const UNIT_PAGE_MAX: i64 = 65_536;
/// How often a long read begins anew because a commit group came between.
const INSTANT_TRIES: u32 = 100;
/// The pause between two attempts to read.
const PAUSE: Duration = Duration::from_millis(200);

/// The metadata of a pool that this process owns. See the crate's documentation.
pub struct PostgresMeta {
    shared: Arc<Shared>,
}

struct Shared {
    database: Database,
    owned: Owned,
    options: PostgresOptions,
    cache: Cache,
    committer: Arc<Committer>,
    vacuum: Arc<Vacuum>,
    readers: Vec<tokio::sync::Mutex<Option<Arc<Session>>>>,
    reader_next: AtomicUsize,
    scanners: Mutex<Vec<Session>>,
    scans: Arc<Semaphore>,
    reads: AtomicU64,
    /// Why nothing more may be written.
    failed: OnceLock<String>,
    connections: Connections,
}

impl PostgresMeta {
    /// Makes this process the owner of the pool, and opens its metadata. Every other owner's changes fail from then on. Blocks.
    pub fn take(database: &Database, options: PostgresOptions) -> Result<PostgresMeta> {
        let connections = Connections::start("pool-database", 1)?;
        let taking = database.clone();
        let owned = connections.run(async move { ownership::take(&taking).await })?;
        Ok(PostgresMeta::of(connections, database, owned, options))
    }

    /// Opens the metadata of the pool that this process has taken with the lease.
    pub fn open(database: &Database, owned: Owned, options: PostgresOptions) -> Result<PostgresMeta> {
        Ok(PostgresMeta::of(Connections::start("pool-database", 1)?, database, owned, options))
    }

    fn of(
        connections: Connections,
        database: &Database,
        owned: Owned,
        options: PostgresOptions,
    ) -> PostgresMeta {
        tracing::info!(pool = ?database, epoch = owned.epoch, batch = owned.batch, "took the pool's metadata");
        let committer =
            Committer::new(database.clone(), owned.clone(), options.outage_max, options.answer_max);
        let shared = Shared {
            cache: Cache::new(options.cache_bytes, u64::try_from(owned.batch).unwrap_or_default()),
            committer: Arc::new(committer),
            vacuum: Arc::new(Vacuum::new(database.clone(), owned.instance.clone())),
            readers: (0..READERS).map(|_| tokio::sync::Mutex::default()).collect(),
            reader_next: AtomicUsize::new(0),
            scanners: Mutex::default(),
            scans: Arc::new(Semaphore::new(SCANS)),
            reads: AtomicU64::new(0),
            failed: OnceLock::new(),
            connections,
            database: database.clone(),
            owned,
            options,
        };
        PostgresMeta { shared: Arc::new(shared) }
    }

    /// The number of this owner. Each takeover raises it.
    pub fn epoch(&self) -> i64 {
        self.shared.owned.epoch
    }

    /// What the store has done.
    pub fn counts(&self) -> Counts {
        let shared = &self.shared;
        let (units_loaded, units, unit_bytes) = shared.cache.sizes();
        Counts {
            groups: shared.committer.flights.load(Ordering::Relaxed),
            reads: shared.reads.load(Ordering::Relaxed),
            lookups: shared.committer.lookups.load(Ordering::Relaxed),
            units_loaded,
            vacuums: shared.vacuum.runs.load(Ordering::Relaxed),
            units,
            unit_bytes,
        }
    }
}

impl MetaView for PostgresMeta {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        let shared = &self.shared;
        if let Known::Value(value) = shared.cache.get(key) {
            return Ok(value);
        }
        let rows = match shared.unit(Unit::prefix_of(key))? {
            Some(rows) => Some(rows),
            None => shared.unit(Unit::small_prefix_of(key))?,
        };
        if let Some(rows) = rows {
            return Ok(rows.get(key).cloned());
        }
        // Not even what belongs to one inode fits into memory.
        let mut value = None;
        self.scan(key.to_vec()..[key, &[0]].concat(), &mut |_, found| {
            value = Some(Bytes::copy_from_slice(found));
            Ok(ControlFlow::Break(()))
        })?;
        Ok(value)
    }

    fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>> {
        self.shared.load_single(keys)?;
        keys.iter().map(|key| self.get(key)).collect()
    }

    fn warm(&self, keys: &mut dyn Iterator<Item = Key>) -> Result<()> {
        let keys: Vec<Key> = keys.collect();
        self.shared.load_single(&keys)
    }

    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        for small in [false, true] {
            let Some(unit) = Unit::of_range(&range, small) else { continue };
            let Some(rows) = self.shared.unit(unit.prefix())? else { continue };
            for (key, value) in rows.range(range) {
                if visit(key, value)?.is_break() {
                    break;
                }
            }
            return Ok(());
        }
        self.shared.instant(Some(&range))?.scan(range, visit)
    }
}

impl MetaStore for PostgresMeta {
    fn write(&self, batch: Batch) -> Result<()> {
        self.shared.check()?;
        self.shared.cache.write(batch);
        Ok(())
    }

    fn make_durable(&self) -> Result<()> {
        let shared = &self.shared;
        shared.check()?;
        let (changes, written) = shared.cache.pending(None);
        let (_, durable) = shared.cache.position();
        if written == durable {
            return Ok(());
        }
        let group = Arc::new(Group { changes, last: number(durable)?, new: number(written)? });
        let committer = shared.committer.clone();
        let sent = group.clone();
        let committed = shared.connections.run(async move { committer.commit(group).await });
        committed.inspect_err(|error| {
            let _ = shared.failed.set(error.to_string());
        })?;
        shared.cache.durable(written);
        sent.changes.iter().for_each(|(key, value)| shared.vacuum.count(key, value.as_deref()));
        if shared.vacuum.begins() {
            let vacuum = shared.vacuum.clone();
            shared.connections.leave(async move { vacuum.run().await });
        }
        Ok(())
    }

    fn failure(&self) -> Option<String> {
        self.shared.failed.get().cloned()
    }

    fn position(&self) -> Position {
        let (written, durable) = self.shared.cache.position();
        Position { written, durable, tables: [0; 2] }
    }

    fn snapshot(&self) -> Result<Arc<dyn MetaView>> {
        Ok(Arc::new(self.shared.instant(None)?))
    }
}

fn number(batch: u64) -> Result<i64> {
    i64::try_from(batch).map_err(|_| Error::Meta("too many batches".to_owned()))
}

impl Shared {
    /// After a failure nothing more is written: what the database has is not what is in memory.
    fn check(&self) -> Result<()> {
        self.failed.get().map_or(Ok(()), |cause| Err(Error::Failed(cause.clone())))
    }

    /// The rows of the unit with this prefix, from memory or from the database. `None` if there are too many.
    fn unit(self: &Arc<Self>, prefix: &[u8]) -> Result<Option<Rows>> {
        match self.cache.find(prefix) {
            Found::Rows(rows) => Ok(Some(rows)),
            Found::Large => Ok(None),
            Found::Load(load) => {
                let read = self.read_unit(prefix).inspect_err(|_| self.cache.give_up(prefix, load))?;
                Ok(self.cache.finish(prefix, load, read))
            }
        }
    }

    /// The rows of a unit in the database; `None` if there are too many. They are read in several parts, each of another instant: what is written
    /// meanwhile is noted by the cache.
    fn read_unit(self: &Arc<Self>, prefix: &[u8]) -> Result<Option<BTreeMap<Key, Bytes>>> {
        let Range { mut start, end } = Unit::range_of(prefix);
        let table = Table::of(prefix);
        let (mut found, mut bytes, mut page) = (BTreeMap::new(), 0, UNIT_PAGE);
        loop {
            let (from, to) = (start.clone(), end.clone());
            let rows = self.read(move |session| {
                let (from, to) = (from.clone(), to.clone());
                Box::pin(async move {
                    let Some(statement) = session.statements.range(table) else { return Ok(Vec::new()) };
                    session.client.query(statement, &[&from, &to, &page]).await
                })
            })?;
            let is_last = (rows.len() as i64) < page;
            for row in &rows {
                let (key, value) = pair(row).map_err(|error| refused(&self.database, &error))?;
                bytes += row_bytes(&key, &value);
                found.insert(key, value);
            }
            if bytes > self.cache.unit_bytes_max() || found.len() > UNIT_ROWS_MAX {
                return Ok(None);
            }
            match found.last_key_value() {
                Some((last, _)) if !is_last => start = [&last[..], &[0]].concat(),
                _ => return Ok(Some(found)),
            }
            page = (page * 4).min(UNIT_PAGE_MAX);
        }
    }

    /// Reads all of these keys that are units of their own and are not in memory, in one flight for each table.
    fn load_single(self: &Arc<Self>, keys: &[Key]) -> Result<()> {
        let single = keys.iter().filter(|key| Unit::prefix_of(key) == key.as_slice());
        let wanted: BTreeSet<Key> =
            single.filter(|key| matches!(self.cache.get(key), Known::Unknown)).cloned().collect();
        let wanted: Vec<Key> = wanted.into_iter().collect();
        let begun = self.cache.begin(&wanted);
        for table in Table::ALL {
            let of_table: Vec<&(Key, u64)> =
                begun.iter().filter(|(key, _)| Table::of(key) == table).collect();
            if of_table.is_empty() {
                continue;
            }
            let asked: Arc<Vec<Key>> = Arc::new(of_table.iter().map(|(key, _)| key.clone()).collect());
            let read = self.read(move |session| {
                let asked = asked.clone();
                Box::pin(async move {
                    let Some(statement) = session.statements.any(table) else { return Ok(Vec::new()) };
                    session.client.query(statement, &[&*asked]).await
                })
            });
            let rows = read.and_then(|rows| {
                let pairs = rows.iter().map(pair).collect::<std::result::Result<BTreeMap<_, _>, _>>();
                pairs.map_err(|error| refused(&self.database, &error))
            });
            match rows {
                Ok(rows) => {
                    for (key, load) in of_table {
                        let row = rows.get_key_value(key).map(|(key, value)| (key.clone(), value.clone()));
                        self.cache.finish(key, *load, Some(row.into_iter().collect()));
                    }
                }
                Err(error) => {
                    begun.iter().for_each(|(key, load)| self.cache.give_up(key, *load));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// A short read, repeated if the connection is lost. What it returns was read while this process owned the pool.
    fn read<F>(self: &Arc<Self>, query: F) -> Result<Vec<Row>>
    where
        F: for<'a> Fn(&'a Session) -> BoxFuture<'a, std::result::Result<Vec<Row>, tokio_postgres::Error>>
            + Send
            + Sync
            + 'static,
    {
        let shared = self.clone();
        self.connections.run(async move {
            let (deadline, mut is_told) = (Instant::now() + shared.options.outage_max, false);
            loop {
                let mut used = None;
                let reading = shared.read_once(&query, &mut used);
                let refusal = match tokio::time::timeout(shared.options.answer_max, reading).await {
                    Ok(Ok(rows)) => return Ok(rows),
                    Ok(Err(refusal)) => refusal,
                    Err(_) => shared.no_answer(),
                };
                if let Some((place, session)) = used {
                    shared.forget_reader(place, &session).await;
                }
                shared.pause(refusal, deadline, &mut is_told).await?;
            }
        })
    }

    fn no_answer(&self) -> Refusal {
        Refusal::silent(self.database.error("no answer", "see whether the database runs"))
    }

    /// Gives up a connection with which a read has failed. It may stay open for ever, although the server does not answer on it any more.
    async fn forget_reader(&self, place: usize, failed: &Arc<Session>) {
        let Some(reader) = self.readers.get(place) else { return };
        let mut kept = reader.lock().await;
        if kept.as_ref().is_some_and(|kept| Arc::ptr_eq(kept, failed)) {
            *kept = None;
        }
    }

    /// Pauses before a read is tried again, or returns its error if that is of no use.
    async fn pause(&self, refusal: Refusal, deadline: Instant, is_told: &mut bool) -> Result<()> {
        let stays = refusal.stays() || matches!(*refusal.error, Error::NotPermitted(_));
        // Another answer does not bring back what the database has lost.
        if stays || Instant::now() >= deadline || self.failed.get().is_some() {
            return Err(*refusal.error);
        }
        let error = refusal.error;
        if std::mem::replace(is_told, true) {
            tracing::debug!(%error, "a read of the database is tried again");
        } else {
            tracing::warn!(%error, "a read of the database is tried again until it succeeds");
        }
        tokio::time::sleep(PAUSE).await;
        Ok(())
    }

    /// Reads once. `used` is the connection with which it does, and its place.
    async fn read_once<F>(&self, query: &F, used: &mut Option<(usize, Arc<Session>)>) -> Attempt<Vec<Row>>
    where
        F: for<'a> Fn(&'a Session) -> BoxFuture<'a, std::result::Result<Vec<Row>, tokio_postgres::Error>>
            + Sync,
    {
        let place = self.reader_next.fetch_add(1, Ordering::Relaxed) % READERS;
        let reader = self.readers.get(place).ok_or(Error::Closed)?;
        let session = {
            let mut kept = reader.lock().await;
            match kept.clone().filter(|session| !session.is_closed()) {
                Some(session) => session,
                None => {
                    let session = Session::open(&self.database, &self.owned.instance, Role::Read).await?;
                    kept.insert(Arc::new(session)).clone()
                }
            }
        };
        *used = Some((place, session.clone()));
        self.reads.fetch_add(1, Ordering::Relaxed);
        // Later groups may be durable here before the answer is looked at.
        let acknowledged = number(self.cache.position().1)?;
        // The second question is asked in the same flight and answered later. If this process owned the pool then, it did before, too.
        let owner = session.client.query_one(&session.statements.row, &[]);
        let (rows, owner) = futures::future::join(query(&session), owner).await;
        let failed = |error| Refusal::of(&self.database, &error);
        let rows = rows.map_err(failed)?;
        self.require_ours(&owner.map_err(failed)?, acknowledged)?;
        Ok(rows)
    }

    /// The database has at least what was acknowledged, and this process owns the pool. Returns the database's last batch.
    fn require_ours(&self, row: &Row, acknowledged: i64) -> Result<i64> {
        let row = PoolRow::of(row).map_err(|error| refused(&self.database, &error))?;
        let error = if row.epoch != self.owned.epoch || row.owner != self.owned.instance {
            deposed(&self.database, row.epoch)
        } else if row.batch < acknowledged {
            lost(&self.database, row.batch, acknowledged)
        } else {
            return Ok(row.batch);
        };
        let _ = self.failed.set(error.to_string());
        Err(error)
    }

    /// Begins a read of one instant: of a range, or of everything. The instant is that of the last batch when the changes in memory were copied:
    /// if the database has no later one, these changes on top of what it has are the state then.
    fn instant(self: &Arc<Self>, range: Option<&Range<Key>>) -> Result<PostgresInstant> {
        let permit = if range.is_some() { self.scan_permit()? } else { None };
        for _ in 0..INSTANT_TRIES {
            let (pending, written) = self.cache.pending(range);
            let shared = self.clone();
            let (session, batch) = self.connections.run(async move { shared.begin_instant().await })?;
            let session = Some(Arc::new(session));
            let mut view = PostgresInstant { shared: self.clone(), session, pending, permit: None };
            if batch <= number(written)? {
                view.permit = permit;
                return Ok(view);
            }
        }
        Err(self.database.error("commit groups came faster than a long read could begin", "try again"))
    }

    /// Waits until fewer long reads run. Returns nothing if that takes too long.
    fn scan_permit(&self) -> Result<Option<OwnedSemaphorePermit>> {
        if let Ok(permit) = self.scans.clone().try_acquire_owned() {
            return Ok(Some(permit));
        }
        let acquiring = self.scans.clone().acquire_owned();
        self.connections.run(async move {
            Ok(tokio::time::timeout(SCAN_WAIT_MAX, acquiring).await.ok().and_then(std::result::Result::ok))
        })
    }

    async fn begin_instant(&self) -> Result<(Session, i64)> {
        let (deadline, mut is_told) = (Instant::now() + self.options.outage_max, false);
        loop {
            let refusal = match tokio::time::timeout(self.options.answer_max, self.begin_once()).await {
                Ok(Ok(begun)) => return Ok(begun),
                Ok(Err(refusal)) => refusal,
                Err(_) => self.no_answer(),
            };
            self.pause(refusal, deadline, &mut is_told).await?;
        }
    }

    async fn begin_once(&self) -> Attempt<(Session, i64)> {
        let idle = self.scanners.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let session = match idle.filter(|session| !session.is_closed()) {
            Some(session) => session,
            None => Session::open(&self.database, &self.owned.instance, Role::Scan).await?,
        };
        self.reads.fetch_add(1, Ordering::Relaxed);
        let acknowledged = number(self.cache.position().1)?;
        let begin = session.client.batch_execute("begin isolation level repeatable read read only");
        // The first question takes the snapshot.
        let row = session.client.query_one(&session.statements.row, &[]);
        let (begun, row) = futures::future::join(begin, row).await;
        let failed = |error| Refusal::of(&self.database, &error);
        begun.map_err(failed)?;
        let batch = self.require_ours(&row.map_err(failed)?, acknowledged)?;
        Ok((session, batch))
    }
}

fn pair(row: &Row) -> std::result::Result<(Key, Bytes), tokio_postgres::Error> {
    Ok((row.try_get(0)?, Bytes::from(row.try_get::<_, Vec<u8>>(1)?)))
}

/// The metadata at one instant. It holds a transaction open, which keeps the database from removing dead rows.
struct PostgresInstant {
    shared: Arc<Shared>,
    /// There until it is dropped.
    session: Option<Arc<Session>>,
    pending: BTreeMap<Key, Option<Bytes>>,
    /// For a long read of the present state.
    permit: Option<OwnedSemaphorePermit>,
}

impl PostgresInstant {
    /// Asks in the transaction. A lost connection ends the view.
    fn ask<Fut>(&self, question: impl FnOnce(Arc<Session>) -> Fut) -> Result<Page>
    where
        Fut: Future<Output = std::result::Result<Vec<Row>, tokio_postgres::Error>> + Send + 'static,
    {
        let session = self.session.clone().ok_or(Error::Closed)?;
        self.shared.reads.fetch_add(1, Ordering::Relaxed);
        let (database, asked) = (self.shared.database.clone(), question(session));
        let answer_max = self.shared.options.answer_max;
        self.shared.connections.run(async move {
            let failed = |error: tokio_postgres::Error| {
                let cause = format!("a long read ended: {}", sentence(&error));
                database.error(cause, "see the database's log, and try again")
            };
            let rows = tokio::time::timeout(answer_max, asked).await;
            let rows = rows
                .map_err(|_| database.error("a long read got no answer", "try again"))?
                .map_err(failed)?;
            rows.iter().map(pair).collect::<std::result::Result<_, _>>().map_err(failed)
        })
    }
}

impl MetaView for PostgresInstant {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        if let Some(value) = self.pending.get(key) {
            return Ok(value.clone());
        }
        let (table, keys) = (Table::of(key), vec![key.to_vec()]);
        let page = self.ask(|session| async move {
            let Some(statement) = session.statements.any(table) else { return Ok(Vec::new()) };
            session.client.query(statement, &[&keys]).await
        })?;
        Ok(page.into_iter().next().map(|(_, value)| value))
    }

    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
        let mut page = |table: Table, range: Range<Key>, rows: i64| {
            self.ask(|session| async move {
                let Some(statement) = session.statements.range(table) else { return Ok(Vec::new()) };
                session.client.query(statement, &[&range.start, &range.end, &rows]).await
            })
        };
        scan::scan(range, &self.pending, &mut page, visit)
    }
}

impl Drop for PostgresInstant {
    /// The connection is kept for the next one, if its transaction can be ended.
    fn drop(&mut self) {
        let Some(session) = self.session.take().and_then(Arc::into_inner) else { return };
        let (shared, permit) = (self.shared.clone(), self.permit.take());
        self.shared.connections.leave(async move {
            let ending = session.client.batch_execute("rollback");
            let ended = tokio::time::timeout(shared.options.answer_max, ending).await;
            if matches!(ended, Ok(Ok(()))) {
                let mut idle = shared.scanners.lock().unwrap_or_else(PoisonError::into_inner);
                if idle.len() < SCANS {
                    idle.push(session);
                }
            }
            // Not before: the next long read then finds the connection idle.
            drop(permit);
        });
    }
}
