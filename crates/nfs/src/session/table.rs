//! All sessions of a server.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::back_channel::Callback;
use super::client_session::Session;
use crate::memory::{NoRoom, shrink};
use crate::state::Client;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ChannelAttributes, ClientId, SessionId};

/// All sessions of a server, by id.
///
/// An id consists of a counter and its hash with a key that is chosen when the table is created. So an id
/// from before a restart is unknown, and nobody who knows one id can guess another. SEQUENCE and
/// DESTROY_SESSION require nothing but the id.
pub struct SessionTable {
    key: RandomState,
    created: AtomicU64,
    sessions: RwLock<Sessions>,
    /// Sessions that ended because their clients are gone, and whose requests may still be sent again.
    ended: Mutex<Vec<Arc<Session>>>,
}

#[derive(Default)]
struct Sessions {
    by_id: HashMap<SessionId, Arc<Session>>,
    by_client: HashMap<ClientId, Vec<SessionId>>,
}

impl Sessions {
    fn remove(&mut self, id: &SessionId) -> Option<Arc<Session>> {
        let session = self.by_id.remove(id)?;
        let client = session.client.id();
        if let Some(ids) = self.by_client.get_mut(&client) {
            ids.retain(|other| other != id);
            if ids.is_empty() {
                self.by_client.remove(&client);
            }
        }
        Some(session)
    }

    fn remove_of_client(&mut self, client: ClientId) -> Vec<Arc<Session>> {
        let ids = self.by_client.remove(&client).unwrap_or_default();
        ids.iter().filter_map(|id| self.by_id.remove(id)).collect()
    }
}

impl Default for SessionTable {
    fn default() -> Self {
        SessionTable {
            key: RandomState::new(),
            created: AtomicU64::new(0),
            sessions: RwLock::default(),
            ended: Mutex::default(),
        }
    }
}

impl SessionTable {
    /// Creates a session with its negotiated channels.
    pub fn create(
        &self,
        client: &Arc<Client>,
        channels: (ChannelAttributes, ChannelAttributes),
        is_persistent: bool,
        callback: Callback,
    ) -> Result<Arc<Session>, NoRoom> {
        let id = self.next_id();
        let session = Arc::new(Session::new(id, client.clone(), channels, is_persistent, callback)?);
        let mut sessions = self.write();
        sessions.by_client.entry(client.id()).or_default().push(id);
        sessions.by_id.insert(id, session.clone());
        Ok(session)
    }

    /// The session of this id. Returns BADSESSION if there is none, or its client is gone.
    pub fn get(&self, id: &SessionId) -> Result<Arc<Session>, Status> {
        let session = self.read().by_id.get(id).cloned();
        session.filter(|session| !session.client.is_gone()).ok_or(Status::BadSession)
    }

    /// Destroys a session and returns it. Its requests in progress finish, and their replies are not stored.
    pub fn remove(&self, id: &SessionId) -> Option<Arc<Session>> {
        self.write().remove(id)
    }

    /// Destroys the sessions of a client that is gone.
    pub fn remove_of_client(&self, client: ClientId) {
        let removed = self.write().remove_of_client(client);
        self.note_ended(removed);
    }

    fn note_ended(&self, removed: Vec<Arc<Session>>) {
        let persistent = removed.into_iter().filter(|session| session.is_persistent);
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).extend(persistent);
    }

    /// The persistent sessions that ended since the last call because their clients are gone.
    pub fn take_ended(&self) -> Vec<Arc<Session>> {
        std::mem::take(&mut self.ended.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Destroys the sessions of clients that are gone, and releases unused memory. Sessions remove closed
    /// connections.
    pub fn tidy(&self) {
        let mut sessions = self.write();
        let is_void = |session: &&Arc<Session>| session.client.is_gone();
        let void: Vec<ClientId> =
            sessions.by_id.values().filter(is_void).map(|session| session.client.id()).collect();
        let removed: Vec<_> = void.into_iter().flat_map(|client| sessions.remove_of_client(client)).collect();
        shrink(&mut sessions.by_id);
        shrink(&mut sessions.by_client);
        drop(sessions);
        self.note_ended(removed);
        self.read().by_id.values().for_each(|session| session.forget_closed_connections());
    }

    /// All sessions, oldest first.
    pub fn all(&self) -> Vec<Arc<Session>> {
        let mut sessions: Vec<Arc<Session>> = self.read().by_id.values().cloned().collect();
        sessions.sort_by_key(|session| session.id.0);
        sessions
    }

    /// Number of sessions.
    pub fn count(&self) -> usize {
        self.read().by_id.len()
    }

    /// Number of a client's sessions.
    pub fn count_of_client(&self, client: ClientId) -> usize {
        self.read().by_client.get(&client).map_or(0, Vec::len)
    }

    fn next_id(&self) -> SessionId {
        let number = self.created.fetch_add(1, Ordering::Relaxed);
        let mut id = [0; 16];
        id[..8].copy_from_slice(&number.to_be_bytes());
        id[8..].copy_from_slice(&self.key.hash_one(number).to_be_bytes());
        SessionId(id)
    }

    fn read(&self) -> RwLockReadGuard<'_, Sessions> {
        // The worst result of a panic elsewhere is the id of a destroyed session, whose lookup fails.
        self.sessions.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Sessions> {
        self.sessions.write().unwrap_or_else(PoisonError::into_inner)
    }
}
