//! A commit group: one transaction, sent in one flight, that ends with the fence.
//!
//! If the answer is lost, the pool's row says what became of the group. The database may have been replaced meanwhile by one that lacks groups
//! which it had acknowledged. Then nothing is committed any more.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use forebay_pool::store::{Key, Table};
use forebay_pool::{Error, Result};
use futures::future::{BoxFuture, join_all};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_postgres::error::{DbError, Severity, SqlState};

use crate::database::{Database, sentence};
use crate::ownership::{Owned, PoolRow, end_sessions};
use crate::schema;
use crate::session::{Role, Session, refused, session_name};

/// Bytes of keys and values in one statement.
const STATEMENT_BYTES: usize = 8 << 20;
/// The first pause before a connection is tried again, and the longest.
const PAUSE_MIN: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// Merged changes of all batches after `last`, up to `new`.
pub(crate) struct Group {
    pub(crate) changes: BTreeMap<Key, Option<Bytes>>,
    pub(crate) last: i64,
    pub(crate) new: i64,
}

/// Commits groups, one at a time.
pub(crate) struct Committer {
    database: Database,
    owned: Owned,
    session: Mutex<Option<Session>>,
    /// How long to look for a database that does not answer.
    outage_max: Duration,
    /// How long an answer may take before the connection counts as lost.
    answer_max: Duration,
    pub(crate) flights: AtomicU64,
    pub(crate) lookups: AtomicU64,
}

/// What is known about a group that was sent.
enum Sent {
    Committed,
    /// It was rolled back, and may be sent again.
    Again(String),
    Unknown(String),
    /// It was rolled back for a reason that stays.
    Refused(Error),
}

type Answer = std::result::Result<Option<tokio_postgres::Row>, tokio_postgres::Error>;

impl Committer {
    pub(crate) fn new(
        database: Database,
        owned: Owned,
        outage_max: Duration,
        answer_max: Duration,
    ) -> Committer {
        Committer {
            database,
            owned,
            session: Mutex::default(),
            outage_max,
            answer_max,
            flights: AtomicU64::new(0),
            lookups: AtomicU64::new(0),
        }
    }

    /// Returns when the group is durable. After an error nothing more must be committed.
    pub(crate) async fn commit(&self, group: Arc<Group>) -> Result<()> {
        let deadline = Instant::now() + self.outage_max;
        let mut pause = PAUSE_MIN;
        let mut kept = self.session.lock().await;
        loop {
            let sent = match self.connected(&mut kept).await {
                Ok(session) => {
                    match tokio::time::timeout(self.answer_max, self.send(session, &group)).await {
                        Ok(sent) => sent,
                        Err(_) => Sent::Unknown(format!("no answer within {} s", self.answer_max.as_secs())),
                    }
                }
                Err(error) => {
                    if pause == PAUSE_MIN {
                        tracing::warn!(%error, "a commit group waits for a connection to the database");
                    }
                    Sent::Again(error.to_string())
                }
            };
            let cause = match sent {
                Sent::Committed => return Ok(()),
                Sent::Refused(error) => return Err(error),
                Sent::Again(cause) => cause,
                Sent::Unknown(cause) => {
                    *kept = None;
                    tracing::warn!(cause, "it is unknown whether a commit group is in the database; looking");
                    if self.look_up(&mut kept, &group, deadline).await? {
                        return Ok(());
                    }
                    cause
                }
            };
            if Instant::now() >= deadline {
                let cause = format!("no commit group succeeded for {} s: {cause}", self.outage_max.as_secs());
                return Err(self.database.error(cause, "see whether the database runs, then restart"));
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    async fn connected<'a>(&self, kept: &'a mut Option<Session>) -> Result<&'a Session> {
        if kept.as_ref().is_none_or(Session::is_closed) {
            *kept = Some(Session::open(&self.database, &self.owned.instance, Role::Commit).await?);
        }
        kept.as_ref().ok_or(Error::Closed)
    }

    /// Sends the group in one flight.
    async fn send(&self, session: &Session, group: &Group) -> Sent {
        self.flights.fetch_add(1, Ordering::Relaxed);
        session.take_warnings();
        let statements = rows_of(group);
        let (client, prepared) = (&session.client, &session.statements);
        let mut answers: Vec<BoxFuture<'_, Answer>> = Vec::new();
        answers.push(Box::pin(async { client.batch_execute("begin read write").await.map(|()| None) }));
        for rows in &statements {
            answers.push(Box::pin(async move {
                let (statement, keys) = match rows {
                    Rows::Upsert(table, ..) => (prepared.upsert(*table), &[][..]),
                    Rows::Delete(table, keys) => (prepared.delete(*table), &keys[..]),
                };
                let Some(statement) = statement else { return Ok(None) };
                match rows {
                    Rows::Upsert(_, keys, values) => client.execute(statement, &[keys, values]).await?,
                    Rows::Delete(..) => client.execute(statement, &[&keys]).await?,
                };
                Ok(None)
            }));
        }
        answers.push(Box::pin(async {
            let owned = &self.owned;
            client.query_opt(&prepared.fence, &[&group.new, &owned.epoch, &group.last, &owned.instance]).await
        }));
        answers.push(Box::pin(async { client.batch_execute("commit").await.map(|()| None) }));
        // All are begun, in this order, before the first one is waited for. `join_all` would begin only some of very many.
        let answers = begun_in_order(answers).await;
        self.judge(session, answers)
    }

    /// COMMIT of a transaction that has failed is answered like any other, so every statement counts.
    fn judge(&self, session: &Session, answers: Vec<Answer>) -> Sent {
        let warnings = session.take_warnings();
        let Some(error) = answers.into_iter().find_map(std::result::Result::err) else {
            return match warnings.first() {
                None => Sent::Committed,
                // A cancelled wait for the synchronous standby is a warning, and then success.
                Some(warning) => Sent::Unknown(format!("the database warned: {warning}")),
            };
        };
        let cause = sentence(&error);
        let is_fatal =
            |error: &DbError| matches!(error.parsed_severity(), Some(Severity::Fatal | Severity::Panic));
        match error.code() {
            None => Sent::Unknown(cause),
            // The session has ended, whatever the reason.
            Some(_) if error.as_db_error().is_some_and(is_fatal) => Sent::Unknown(cause),
            Some(code)
                if *code == SqlState::T_R_SERIALIZATION_FAILURE
                    || *code == SqlState::T_R_DEADLOCK_DETECTED =>
            {
                Sent::Again(cause)
            }
            // The fence, the outcome itself, the connection, and a server that ends or became a standby.
            Some(code)
                if *code == SqlState::DIVISION_BY_ZERO
                    || *code == SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN
                    || *code == SqlState::READ_ONLY_SQL_TRANSACTION
                    || ["08", "57"].contains(&code.code().get(..2).unwrap_or_default()) =>
            {
                Sent::Unknown(cause)
            }
            Some(_) => Sent::Refused(refused(&self.database, &error)),
        }
    }

    /// Whether the group is durable. Leaves a connection behind.
    async fn look_up(&self, kept: &mut Option<Session>, group: &Group, deadline: Instant) -> Result<bool> {
        let mut pause = PAUSE_MIN;
        loop {
            self.lookups.fetch_add(1, Ordering::Relaxed);
            let looked = tokio::time::timeout(self.answer_max, self.look_once()).await;
            let cause = match looked {
                Ok(Ok((session, row))) => {
                    *kept = Some(session);
                    return self.decide(&row, group);
                }
                Ok(Err(error)) => error.to_string(),
                Err(_) => "no answer".to_owned(),
            };
            if Instant::now() >= deadline {
                let cause = format!("for {} s: {cause}", self.outage_max.as_secs());
                return Err(self.database.error(cause, "see whether the database runs, then restart"));
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    /// Reads the pool's row, and changes it, so that the commit waits for the synchronous standby: then every earlier commit is there, too.
    async fn look_once(&self) -> Result<(Session, PoolRow)> {
        let failed = |error| refused(&self.database, &error);
        let session = Session::open(&self.database, &self.owned.instance, Role::Commit).await?;
        // An own session whose connection was lost may still be about to commit. Its name is that of this one, which is not ended.
        let name = session_name(&self.database, &self.owned.instance, Role::Commit);
        if let Err(error) = end_sessions(&self.database, &session.client, &name, "").await {
            // The lock of the pool's row decides; this only makes it come soon.
            tracing::warn!(%error, "an earlier connection to the database stays");
        }
        session.take_warnings();
        session.client.batch_execute("begin read write").await.map_err(failed)?;
        let row =
            session.client.query_one(&format!("{} for update", schema::ROW), &[]).await.map_err(failed)?;
        let row = PoolRow::of(&row).map_err(failed)?;
        session.client.batch_execute("update pool set batch = batch; commit").await.map_err(failed)?;
        match session.take_warnings().first() {
            Some(warning) => Err(self.database.error(warning.clone(), "see the database's log")),
            None => Ok((session, row)),
        }
    }

    fn decide(&self, row: &PoolRow, group: &Group) -> Result<bool> {
        if row.epoch != self.owned.epoch || row.owner != self.owned.instance {
            return Err(deposed(&self.database, row.epoch));
        }
        match row.batch {
            batch if batch == group.new => Ok(true),
            batch if batch == group.last => Ok(false),
            batch if batch < group.last => Err(lost(&self.database, batch, group.last)),
            batch => {
                let cause = format!("it has batch {batch}, which this process has not written");
                Err(self.database.error(cause, "see what else writes to the database"))
            }
        }
    }
}

/// Another process owns the pool, or the database has forgotten that this one does.
pub(crate) fn deposed(database: &Database, epoch: i64) -> Error {
    Error::NotPermitted(format!(
        "{database:?}: another process has taken it over (epoch {epoch}), or the database was set back to an earlier state"
    ))
}

/// The database does not have everything any more that it has acknowledged.
pub(crate) fn lost(database: &Database, batch: i64, acknowledged: i64) -> Error {
    let cause = format!(
        "the database has lost commit groups that it had acknowledged: it ends with batch {batch}, and batches {} to {acknowledged} are \
         gone; a standby without them was made the primary, or an older state was restored",
        batch + 1
    );
    database.error(cause, "make the server the primary again that has them; `forebay pool recover` says what would be lost otherwise, and with --accept-loss goes on without")
}

/// Rows of one statement.
enum Rows<'a> {
    Upsert(Table, Vec<&'a [u8]>, Vec<&'a [u8]>),
    Delete(Table, Vec<&'a [u8]>),
}

/// The statements of a group, each with a bounded number of bytes.
fn rows_of(group: &Group) -> Vec<Rows<'_>> {
    let mut all = Vec::new();
    for table in Table::ALL {
        let (mut keys, mut values, mut gone, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), 0);
        let of_table = group.changes.iter().filter(|(key, _)| Table::of(key) == table);
        for (key, value) in of_table {
            bytes += key.len() + value.as_ref().map_or(0, Bytes::len);
            match value {
                Some(value) => {
                    keys.push(&key[..]);
                    values.push(&value[..]);
                }
                None => gone.push(&key[..]),
            }
            if bytes >= STATEMENT_BYTES {
                push(&mut all, table, &mut keys, &mut values, &mut gone);
                bytes = 0;
            }
        }
        push(&mut all, table, &mut keys, &mut values, &mut gone);
    }
    all
}

fn push<'a>(
    all: &mut Vec<Rows<'a>>,
    table: Table,
    keys: &mut Vec<&'a [u8]>,
    values: &mut Vec<&'a [u8]>,
    gone: &mut Vec<&'a [u8]>,
) {
    if !keys.is_empty() {
        all.push(Rows::Upsert(table, std::mem::take(keys), std::mem::take(values)));
    }
    if !gone.is_empty() {
        all.push(Rows::Delete(table, std::mem::take(gone)));
    }
}

/// Begins all futures in their order, then waits for all.
async fn begun_in_order(mut answers: Vec<BoxFuture<'_, Answer>>) -> Vec<Answer> {
    let mut done: Vec<Option<Answer>> = Vec::with_capacity(answers.len());
    for answer in &mut answers {
        done.push(futures::FutureExt::now_or_never(answer));
    }
    let rest = answers.into_iter().zip(done).map(|(answer, done)| async move {
        match done {
            Some(done) => done,
            None => answer.await,
        }
    });
    join_all(rest).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_becomes_statements_of_bounded_size() {
        let value = |bytes: usize| Some(Bytes::from(vec![1; bytes]));
        let mut changes = BTreeMap::new();
        for n in 0..5 {
            changes.insert(vec![0x22, n], value(3 << 20));
        }
        changes.insert(vec![0x20, 1], value(1));
        changes.insert(vec![0x30, 1], None);
        let group = Group { changes, last: 0, new: 1 };
        let shapes: Vec<(Table, usize)> = rows_of(&group)
            .iter()
            .map(|rows| match rows {
                Rows::Upsert(table, keys, values) => {
                    assert_eq!(keys.len(), values.len());
                    (*table, keys.len())
                }
                Rows::Delete(table, keys) => (*table, keys.len()),
            })
            .collect();
        assert_eq!(shapes, [(Table::Hot, 1), (Table::Extent, 3), (Table::Extent, 2), (Table::Chunk, 1)]);
    }
}
