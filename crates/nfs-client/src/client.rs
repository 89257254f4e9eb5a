//! A registered client and its session.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use forebay_nfs_proto::rpc::{AuthSys, OpaqueAuth};
use forebay_nfs_proto::xdr::nfs4::{
    ChannelAttributes, ClientId, ClientOwner, CreateSessionArgs, CreateSessionResult, DestroyClientidArgs,
    DestroySessionArgs, ExchangeIdArgs, ExchangeIdResult, Operation, OperationResult, ReclaimCompleteArgs,
    SequenceArgs, SessionId, StateProtectArgs, Verifier, exchange_flags, session_flags,
};
use tokio::sync::Semaphore;

use crate::{CompoundReply, Connection, Error, Result, TlsOptions};

/// The program number for callbacks. The client does not answer any.
const CALLBACK_PROGRAM: u32 = 0x4000_0000;

/// The identity of a client, and the session that it requests.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// The client's name, which stays the same when the client restarts.
    pub owner: Bytes,
    /// Changes with every restart of the client.
    pub verifier: [u8; 8],
    /// The user of all calls.
    pub credential: AuthSys,
    /// 1 or 2.
    pub minor_version: u32,
    /// The number of TCP connections of the session.
    pub connections: usize,
    /// Whether replies to the session's requests shall survive a restart of the server.
    pub persistent: bool,
    /// The limits that it requests for its session.
    pub channel: ChannelAttributes,
    /// The local address of its connections; `None` lets the system choose one.
    pub source: Option<IpAddr>,
    /// The TLS options of its connections; `None` for connections without TLS.
    pub tls: Option<TlsOptions>,
}

impl ClientOptions {
    /// A client with this name that calls as root and requests the same limits as the Linux client.
    pub fn new(owner: &str) -> Self {
        ClientOptions {
            owner: Bytes::copy_from_slice(owner.as_bytes()),
            verifier: *b"verifier",
            credential: AuthSys { machine_name: Bytes::from_static(b"test"), ..AuthSys::default() },
            minor_version: 2,
            connections: 1,
            persistent: false,
            channel: ChannelAttributes {
                headerpadsize: 0,
                maxrequestsize: (1 << 20) + 4096,
                maxresponsesize: (1 << 20) + 4096,
                maxresponsesize_cached: 4096,
                maxoperations: 8,
                maxrequests: 64,
                rdma_ird: None,
            },
            source: None,
            tls: None,
        }
    }

    /// Calls as this user and group.
    pub fn user(mut self, uid: u32, gid: u32) -> Self {
        self.credential.uid = uid;
        self.credential.gid = gid;
        self
    }

    /// Connects from this local address.
    pub fn from(mut self, source: IpAddr) -> Self {
        self.source = Some(source);
        self
    }

    /// Connects with TLS.
    pub fn tls(mut self, tls: TlsOptions) -> Self {
        self.tls = Some(tls);
        self
    }

    /// The same client after a restart: the verifier changes.
    pub fn rebooted(mut self) -> Self {
        self.verifier = u64::from_be_bytes(self.verifier).wrapping_add(1).to_be_bytes();
        self
    }

    /// Requests a session whose replies survive a restart of the server.
    pub fn persistent(mut self) -> Self {
        self.persistent = true;
        self
    }

    /// Uses this many connections for the session.
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// The arguments of EXCHANGE_ID.
    pub fn exchange_id(&self) -> ExchangeIdArgs {
        ExchangeIdArgs {
            clientowner: ClientOwner { verifier: Verifier(self.verifier), ownerid: self.owner.clone() },
            flags: exchange_flags::USE_NON_PNFS,
            state_protect: StateProtectArgs::None,
            client_impl_id: None,
        }
    }

    /// The arguments of CREATE_SESSION.
    pub fn create_session(&self, clientid: ClientId, sequence: u32) -> CreateSessionArgs {
        let back = ChannelAttributes {
            maxrequestsize: 4096,
            maxresponsesize: 4096,
            maxresponsesize_cached: 0,
            maxoperations: 2,
            maxrequests: 16,
            ..self.channel.clone()
        };
        CreateSessionArgs {
            clientid,
            sequence,
            flags: if self.persistent { session_flags::PERSIST } else { 0 },
            fore_chan_attrs: self.channel.clone(),
            back_chan_attrs: back,
            cb_program: CALLBACK_PROGRAM,
            sec_parms: Vec::new(),
        }
    }

    /// Opens a connection that calls as the client's user.
    pub async fn connect(&self, address: SocketAddr) -> Result<Connection> {
        Connection::connect_from(self.source, address, OpaqueAuth::sys(&self.credential), self.tls.as_ref())
            .await
    }
}

/// A slot of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The slot's number.
    pub id: u32,
    /// The sequence id of the last request on the slot.
    pub sequence: u32,
}

/// A registered client with a session.
pub struct Client {
    /// The result of EXCHANGE_ID.
    pub registration: ExchangeIdResult,
    /// The result of CREATE_SESSION.
    pub session: CreateSessionResult,
    options: ClientOptions,
    connections: Vec<Connection>,
    next_connection: AtomicUsize,
    slots: Mutex<Vec<Slot>>,
    slots_free: Semaphore,
}

impl Client {
    /// Registers the client, creates a session, and opens all connections of `options`.
    pub async fn connect(address: SocketAddr, options: ClientOptions) -> Result<Client> {
        let first = options.connect(address).await?;
        let registration = exchange_id(&first, &options).await?;
        let session = create_session(&first, &options, &registration).await?;
        let mut connections = vec![first];
        while connections.len() < options.connections {
            connections.push(options.connect(address).await?);
        }
        let slots = (0..session.fore_chan_attrs.maxrequests).map(|id| Slot { id, sequence: 0 }).rev();
        let slots: Vec<Slot> = slots.collect();
        Ok(Client {
            registration,
            session,
            options,
            connections,
            next_connection: AtomicUsize::new(0),
            slots_free: Semaphore::new(slots.len()),
            slots: Mutex::new(slots),
        })
    }

    /// Like [`Client::connect`], followed by [`Client::reclaim_complete`].
    pub async fn mount(address: SocketAddr, options: ClientOptions) -> Result<Client> {
        let client = Client::connect(address, options).await?;
        client.reclaim_complete().await?;
        Ok(client)
    }

    /// The client's id.
    pub fn id(&self) -> ClientId {
        self.registration.clientid
    }

    /// The session's id.
    pub fn session_id(&self) -> SessionId {
        self.session.sessionid
    }

    /// One of the client's connections.
    pub fn connection(&self, index: usize) -> Option<&Connection> {
        self.connections.get(index)
    }

    /// Executes operations in the session, on any slot and connection. Returns their results, without that of
    /// SEQUENCE.
    pub async fn compound(
        &self,
        operations: impl IntoIterator<Item = Operation>,
    ) -> Result<Vec<OperationResult>> {
        let mut results = self.try_compound(operations).await?.into_results()?;
        if !results.is_empty() {
            results.remove(0);
        }
        Ok(results)
    }

    /// Executes operations in the session, on any slot and connection. Returns the whole reply.
    pub async fn try_compound(
        &self,
        operations: impl IntoIterator<Item = Operation>,
    ) -> Result<CompoundReply> {
        let _free = self.slots_free.acquire().await.map_err(|_| Error::Closed)?;
        let mut slot = self.take_slot()?;
        slot.sequence = slot.sequence.wrapping_add(1);
        let connection = self.next_connection.fetch_add(1, Ordering::Relaxed) % self.connections.len().max(1);
        let reply = self.compound_on(connection, slot, false, operations).await;
        self.give_back(slot, &reply);
        reply
    }

    /// Takes a free slot, which [`Client::compound`] then does not use, for calls of [`Client::compound_on`].
    pub fn take_slot(&self) -> Result<Slot> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).pop().ok_or(Error::Missing("free slot"))
    }

    /// Returns a slot. If SEQUENCE failed, the request did not use up the slot's sequence id.
    fn give_back(&self, mut slot: Slot, reply: &Result<CompoundReply>) {
        let refused = reply
            .as_ref()
            .is_ok_and(|reply| matches!(reply.results.first(), Some(OperationResult::Sequence(Err(_)))));
        if refused {
            slot.sequence = slot.sequence.wrapping_sub(1);
        }
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).push(slot);
    }

    /// Executes operations on exactly this connection, slot and sequence id.
    pub async fn compound_on(
        &self,
        connection: usize,
        slot: Slot,
        cachethis: bool,
        operations: impl IntoIterator<Item = Operation>,
    ) -> Result<CompoundReply> {
        let connection = self.connections.get(connection).ok_or(Error::Missing("connection"))?;
        let mut all = vec![self.sequence(slot, cachethis)];
        all.extend(operations);
        connection.compound(self.options.minor_version, &all).await
    }

    /// SEQUENCE with these arguments.
    pub fn sequence(&self, slot: Slot, cachethis: bool) -> Operation {
        Operation::Sequence(SequenceArgs {
            sessionid: self.session.sessionid,
            sequenceid: slot.sequence,
            slotid: slot.id,
            highest_slotid: slot.id,
            cachethis,
        })
    }

    /// Renews the lease.
    pub async fn renew(&self) -> Result<()> {
        self.compound([]).await.map(|_| ())
    }

    /// Sends RECLAIM_COMPLETE: the client has no more state to reclaim.
    pub async fn reclaim_complete(&self) -> Result<()> {
        let args = ReclaimCompleteArgs { one_fs: false };
        self.compound([Operation::ReclaimComplete(args)]).await.map(|_| ())
    }

    /// Ends the session and the registration. The client must not have any open files.
    pub async fn unmount(self) -> Result<()> {
        let connection = self.connections.first().ok_or(Error::Missing("connection"))?;
        let session = DestroySessionArgs { sessionid: self.session.sessionid };
        let client = DestroyClientidArgs { clientid: self.registration.clientid };
        for operation in [Operation::DestroySession(session), Operation::DestroyClientid(client)] {
            connection.compound(self.options.minor_version, &[operation]).await?.into_results()?;
        }
        Ok(())
    }
}

pub(crate) async fn exchange_id(
    connection: &Connection,
    options: &ClientOptions,
) -> Result<ExchangeIdResult> {
    let operation = Operation::ExchangeId(options.exchange_id());
    match connection.compound(options.minor_version, &[operation]).await?.into_results()?.pop() {
        Some(OperationResult::ExchangeId(Ok(result))) => Ok(result),
        _ => Err(Error::Missing("EXCHANGE_ID")),
    }
}

pub(crate) async fn create_session(
    connection: &Connection,
    options: &ClientOptions,
    registration: &ExchangeIdResult,
) -> Result<CreateSessionResult> {
    let args = options.create_session(registration.clientid, registration.sequenceid);
    let operation = Operation::CreateSession(args);
    match connection.compound(options.minor_version, &[operation]).await?.into_results()?.pop() {
        Some(OperationResult::CreateSession(Ok(result))) => Ok(result),
        _ => Err(Error::Missing("CREATE_SESSION")),
    }
}
