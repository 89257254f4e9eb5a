//! All sessions of a server.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::{Callback, Session};
use crate::state::Client;
use crate::xdr::Status;
use crate::xdr::nfs4::{ChannelAttributes, ClientId, SessionId};

/// All sessions of a server, by id.
///
/// Ids are a counter and its hash with a key drawn when the table is made: an id from before a restart is unknown, and
/// whoever knows one cannot guess another. All that SEQUENCE and DESTROY_SESSION ask for is the id.
pub struct SessionTable {
    key: RandomState,
    created: AtomicU64,
    sessions: RwLock<HashMap<SessionId, Arc<Session>>>,
}

impl Default for SessionTable {
    fn default() -> Self {
        SessionTable { key: RandomState::new(), created: AtomicU64::new(0), sessions: RwLock::default() }
    }
}

impl SessionTable {
    /// Creates a session, with what its fore and its back channel carry. Sessions of clients that are gone make room.
    pub fn create(
        &self,
        client: &Arc<Client>,
        channels: (ChannelAttributes, ChannelAttributes),
        callback: Callback,
    ) -> Arc<Session> {
        let id = self.next_id();
        let session = Arc::new(Session::new(id, client.clone(), channels, callback));
        let mut sessions = self.write();
        sessions.retain(|_, session| !session.client.is_gone());
        sessions.insert(id, session.clone());
        session
    }

    /// The session of that id. BADSESSION if there is none, or its client is gone.
    pub fn get(&self, id: &SessionId) -> Result<Arc<Session>, Status> {
        let session = self.read().get(id).cloned();
        session.filter(|session| !session.client.is_gone()).ok_or(Status::BadSession)
    }

    /// Destroys a session; false if there is none. Its requests in work finish, and are not remembered.
    pub fn remove(&self, id: &SessionId) -> bool {
        self.write().remove(id).is_some()
    }

    /// Destroys the sessions of clients that are gone.
    pub fn remove_void(&self) {
        self.write().retain(|_, session| !session.client.is_gone());
    }

    /// All sessions, oldest first.
    pub fn all(&self) -> Vec<Arc<Session>> {
        let mut sessions: Vec<Arc<Session>> = self.read().values().cloned().collect();
        sessions.sort_by_key(|session| session.id.0);
        sessions
    }

    /// Number of sessions.
    pub fn count(&self) -> usize {
        self.read().len()
    }

    /// Number of a client's sessions.
    pub fn count_of_client(&self, client: ClientId) -> usize {
        self.read().values().filter(|session| session.client.id() == client).count()
    }

    fn next_id(&self) -> SessionId {
        let number = self.created.fetch_add(1, Ordering::Relaxed);
        let mut id = [0; 16];
        id[..8].copy_from_slice(&number.to_be_bytes());
        id[8..].copy_from_slice(&self.key.hash_one(number).to_be_bytes());
        SessionId(id)
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<SessionId, Arc<Session>>> {
        // Changes are single calls of the map, so a panic elsewhere leaves no half-done change.
        self.sessions.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.sessions.write().unwrap_or_else(PoisonError::into_inner)
    }
}
