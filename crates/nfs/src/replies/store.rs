//! The rows in the pool: found, and deleted when no request can need them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use forebay_pool::Pool;

use super::ended::{Ended, EndedSession};
use super::row::{self, Incarnation, NAMESPACE, Row};
use crate::session::Session;
use forebay_nfs_proto::rpc::Principal;
use forebay_nfs_proto::xdr::nfs4::{ClientOwner, SequenceArgs, SessionId};
use forebay_service::Clock;

/// How long the rows of a session are kept that ended without DESTROY_SESSION.
const KEPT: Duration = Duration::from_secs(60 * 60);
/// Rows that are deleted in one batch.
const BATCH_ROWS: usize = 1024;

/// The outcomes of requests that survive a restart.
///
/// The rows themselves are only in the pool. In memory are the slots that have rows: of sessions, in the session; of those that
/// have ended, here.
pub struct Replies {
    pool: Pool,
    clock: Clock,
    ended: Mutex<Ended>,
}

impl Replies {
    /// The rows that the previous boots left.
    pub fn load(pool: Pool, clock: Clock) -> forebay_pool::Result<Replies> {
        let until = clock.now().saturating_add(KEPT);
        let mut sessions = BTreeMap::new();
        for (key, value) in pool.records(NAMESPACE)? {
            let Some((id, slotid)) = row::from_key(&key) else { continue };
            let client = Row::decode(value).ok().map(|row| row.client);
            let new = || EndedSession { id, client, slots: Vec::new(), until };
            sessions.entry(id.0).or_insert_with(new).slots.push(slotid);
        }
        let mut ended = Ended::default();
        sessions.into_values().for_each(|session| ended.add(session));
        Ok(Replies { pool, clock, ended: Mutex::new(ended) })
    }

    fn ended(&self) -> MutexGuard<'_, Ended> {
        // A panic elsewhere leaves at worst a wrong count of rows.
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The row of a request that the caller sends again, with these operations after SEQUENCE. Call it only for a session that does
    /// not exist.
    pub(crate) fn find(&self, args: &SequenceArgs, principal: &Principal, operations: &[u8]) -> Option<Row> {
        let value = self.pool.record(NAMESPACE, &row::key(args.sessionid, args.slotid)).ok()??;
        let row = match Row::decode(value) {
            Ok(row) => row,
            Err(error) => {
                tracing::warn!(%error, "unreadable outcomes of a request; it cannot be answered");
                return None;
            }
        };
        let is_same =
            row.sequenceid == args.sequenceid && row.fingerprint == row::fingerprint(principal, operations);
        is_same.then_some(row)
    }

    /// Deletes the rows of a session that its client has destroyed. A request that is still in progress may store one afterwards,
    /// which stays until an hour after the next start.
    pub async fn forget(&self, session: &Session) {
        let keys = session.rows().into_iter().map(|slotid| row::key(session.id, slotid)).collect();
        self.delete(keys).await;
    }

    /// Deletes the rows of a session that has ended.
    pub async fn forget_ended(&self, id: SessionId) {
        let keys = self.ended().take(|session| session.id == id);
        self.delete(keys).await;
    }

    /// Deletes the rows of a client's sessions that have ended: it needs none of them any more.
    pub async fn forget_of_client(&self, owner: &ClientOwner) {
        let name = Incarnation::of(owner).name;
        let is_of = |session: &EndedSession| session.client.is_some_and(|client| client.name == name);
        let keys = self.ended().take(is_of);
        self.delete(keys).await;
    }

    /// Deletes the rows of a client's earlier incarnations.
    pub async fn forget_earlier(&self, owner: &ClientOwner) {
        let now = Incarnation::of(owner);
        let is_earlier = |session: &EndedSession| {
            session.client.is_some_and(|client| client.name == now.name && client != now)
        };
        let keys = self.ended().take(is_earlier);
        self.delete(keys).await;
    }

    /// Keeps the rows of sessions that ended because their clients are gone, for a while.
    pub fn keep(&self, sessions: Vec<Arc<Session>>) {
        let until = self.clock.now().saturating_add(KEPT);
        let mut ended = self.ended();
        for session in sessions {
            let client = Some(Incarnation::of(session.client.owner()));
            ended.add(EndedSession { id: session.id, client, slots: session.rows(), until });
        }
    }

    /// Deletes the rows that have been kept long enough.
    pub async fn tidy(&self) {
        let keys = self.ended().take_due(self.clock.now());
        self.delete(keys).await;
    }

    /// Rows that cannot be deleted stay until an hour after the next start.
    async fn delete(&self, keys: Vec<Bytes>) {
        for keys in keys.chunks(BATCH_ROWS) {
            if let Err(error) = self.pool.records_delete(NAMESPACE, keys).await {
                tracing::warn!(%error, "the pool does not delete outcomes of old requests");
                return;
            }
        }
    }
}
