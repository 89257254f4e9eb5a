//! The state of one COMPOUND, whose operations run in order until one fails (RFC 8881 §2.3, §16.2).

use std::sync::Arc;

use crate::connection::{Connection, ReplyRoom};
use crate::policy::{Grant, Mapping};
use crate::replies::Recording;
use crate::session::Session;
use crate::shared::Shared;
use crate::state::Client;
use crate::tree::FileHandle;
use forebay_net::memory::RequestMemory;
use forebay_nfs_proto::rpc::{Credential, Principal};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{OperationResult, StateId};
use forebay_pool::{Created, RecordOf};

/// The state shared by the operations of a COMPOUND.
pub struct Context<'a> {
    /// The server.
    pub server: &'a Arc<Shared>,
    /// The credential with which the current operation accesses files: the caller's, as mapped by the export
    /// policy.
    pub credential: Credential,
    /// The credential that the caller sent.
    pub caller: Credential,
    /// The client's access to the volume of the current operation.
    pub grant: Option<Grant>,
    /// The client's identity for comparing registrations.
    pub principal: Principal,
    /// The current filehandle.
    pub current: Option<FileHandle>,
    /// The saved filehandle.
    pub saved: Option<FileHandle>,
    /// The current stateid (RFC 8881 §16.2.3.1.2); setting the current filehandle clears it.
    pub current_stateid: Option<StateId>,
    /// The stateid saved with the saved filehandle.
    pub saved_stateid: Option<StateId>,
    /// 1 or 2.
    pub minor_version: u32,
    /// The session, once SEQUENCE has run.
    pub session: Option<Arc<Session>>,
    /// The session's client, once SEQUENCE has run.
    pub client: Option<Arc<Client>>,
    /// Stores outcomes of the COMPOUND's operations, in a persistent session.
    pub recording: Option<Recording>,
    /// The connection that the COMPOUND came from.
    pub connection: Arc<Connection>,
    /// The memory charged for the request while it is in progress.
    pub memory: RequestMemory,
    /// Whether the COMPOUND is traced.
    pub is_traced: bool,
    /// Reserved space in the reply, for operations with large results.
    pub reply_room: ReplyRoom,
}

impl Context<'_> {
    /// The current filehandle; NOFILEHANDLE if there is none.
    pub fn current(&self) -> Result<FileHandle, Status> {
        self.current.ok_or(Status::NoFileHandle)
    }

    /// The saved filehandle; NOFILEHANDLE if there is none.
    pub fn saved(&self) -> Result<FileHandle, Status> {
        self.saved.ok_or(Status::NoFileHandle)
    }

    /// Makes `handle` the current filehandle, which clears the current stateid.
    pub fn set_current(&mut self, handle: FileHandle) {
        self.current = Some(handle);
        self.current_stateid = None;
    }

    /// The stateid that an argument denotes: [`StateId::CURRENT`] means the one that an earlier operation of
    /// the COMPOUND set, and is BAD_STATEID if none did (RFC 8881 §16.2.3.1.2).
    pub fn stateid(&self, given: StateId) -> Result<StateId, Status> {
        if given == StateId::CURRENT { self.current_stateid.ok_or(Status::BadStateid) } else { Ok(given) }
    }

    /// How the volume's export policy maps the caller.
    pub fn mapping(&self) -> Option<Mapping> {
        self.grant.map(|grant| grant.mapping())
    }

    /// Waits until this many bytes of file data may be added to the replies that the client has not read.
    pub async fn reserve_reply(&mut self, bytes: u32) {
        self.connection.reserve_reply(&mut self.reply_room, bytes as usize).await;
    }

    /// The record that the pool stores in the same step as the effect of the operation, so that its result survives a restart.
    /// `make` returns that result; it gets what the pool's operation returns. `None` if the session is not persistent.
    pub fn record<T: 'static>(
        &self,
        make: impl FnOnce(&T) -> OperationResult + Send + 'static,
    ) -> Option<RecordOf<T>> {
        let recording = self.recording.as_ref()?;
        Some(recording.record(move |done| (make(done), None)))
    }

    /// Like [`Context::record`], for an operation that makes the new object the current one.
    pub fn record_creation(
        &self,
        make: impl FnOnce(&Created) -> OperationResult + Send + 'static,
    ) -> Option<RecordOf<Created>> {
        let recording = self.recording.as_ref()?;
        Some(recording.record(move |created: &Created| (make(created), Some(created.attributes.handle))))
    }

    /// The session's client. Operations that need it run only after SEQUENCE.
    pub fn client(&self) -> Result<&Arc<Client>, Status> {
        self.client.as_ref().ok_or(Status::OpNotInSession)
    }
}
