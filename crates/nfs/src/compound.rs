//! One COMPOUND: its operations one after the other, until one fails (RFC 8881 §2.3, §16.2).

use std::sync::Arc;

use crate::fs::FileHandle;
use crate::policy::{Grant, Mapping};
use crate::rpc::{Connection, ReplyRoom};
use crate::session::Session;
use crate::shared::Shared;
use crate::state::Client;
use forebay_net::memory::RequestMemory;
use forebay_nfs_proto::rpc::{Credential, Principal};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::StateId;

/// What the operations of a COMPOUND hand on to each other.
pub struct Context<'a> {
    /// The server.
    pub server: &'a Arc<Shared>,
    /// On whose behalf the current operation accesses files: the caller, as far as the export policy takes the
    /// caller's word.
    pub credential: Credential,
    /// Who the caller says to be.
    pub caller: Credential,
    /// What the client may do with the volume that the current operation works on.
    pub grant: Option<Grant>,
    /// Who the client is when registrations are compared.
    pub principal: Principal,
    /// The current filehandle.
    pub current: Option<FileHandle>,
    /// The saved filehandle.
    pub saved: Option<FileHandle>,
    /// The current stateid (RFC 8881 §16.2.3.1.2); whatever sets the current filehandle clears it.
    pub current_stateid: Option<StateId>,
    /// The stateid saved with the saved filehandle.
    pub saved_stateid: Option<StateId>,
    /// 1 or 2.
    pub minor_version: u32,
    /// The session, once SEQUENCE has run.
    pub session: Option<Arc<Session>>,
    /// The session's client, once SEQUENCE has run.
    pub client: Option<Arc<Client>>,
    /// Where the COMPOUND came from.
    pub connection: Arc<Connection>,
    /// The memory that the request takes while it is in work.
    pub memory: RequestMemory,
    /// Whether the COMPOUND is traced.
    pub is_traced: bool,
    /// Room in the reply, for operations whose results are large.
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

    /// The stateid that an argument stands for: [`StateId::CURRENT`] is the one that an earlier operation of the
    /// COMPOUND left, and BAD_STATEID if none did (RFC 8881 §16.2.3.1.2).
    pub fn stateid(&self, given: StateId) -> Result<StateId, Status> {
        if given == StateId::CURRENT { self.current_stateid.ok_or(Status::BadStateid) } else { Ok(given) }
    }

    /// For whom the export policy of the volume takes the caller.
    pub fn mapping(&self) -> Option<Mapping> {
        self.grant.map(|grant| grant.mapping())
    }

    /// Waits until so many bytes of file data may be added to what waits for the client.
    pub async fn reserve_reply(&mut self, bytes: u32) {
        self.connection.reserve_reply(&mut self.reply_room, bytes as usize).await;
    }

    /// The session's client. Operations that need one run only after SEQUENCE.
    pub fn client(&self) -> Result<&Arc<Client>, Status> {
        self.client.as_ref().ok_or(Status::OpNotInSession)
    }
}
