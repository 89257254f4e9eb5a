//! A session's back channel: whether its client answers callbacks (RFC 8881 §2.10.3.1, §2.10.10.1).
//!
//! The server never recalls anything from clients, so the only callbacks are probes: when a client offers a
//! connection for its back channel, CB_NULL and CB_SEQUENCE are tried on it, and operators can see the
//! result. SEQUENCE does not report a broken back channel (SEQ4_STATUS_CB_PATH_DOWN), since clients would
//! repair it for nothing.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::client_session::Session;
use crate::connection::Connection;
use forebay_nfs_proto::rpc::OpaqueAuth;
use forebay_nfs_proto::rpc::message::{Call, PROCEDURE_COMPOUND, PROCEDURE_NULL};
use forebay_nfs_proto::xdr::nfs4::callback::{CALLBACK_VERSION, CbSequenceArgs, decode_status};
use forebay_nfs_proto::xdr::nfs4::{CallbackSecurity, Status};
use forebay_nfs_proto::xdr::{Encoder, XdrError};

/// Maximum time for a client to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// A callback may arrive before the client has read that the session exists: the number of attempts, and the
/// pause between them.
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_secs(1);

/// The state of a back channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The client offered no connection for it.
    None,
    /// The connection is being probed.
    Probing,
    /// The client answered.
    Answers,
    /// The client did not answer, or refused.
    Silent,
}

/// How to call a client.
#[derive(Clone, Debug)]
pub struct Callback {
    /// The client's program number.
    pub program: u32,
    /// The credential of the server's calls.
    pub credential: OpaqueAuth,
}

impl Callback {
    /// Built from the arguments of CREATE_SESSION and BACKCHANNEL_CTL: the first credential that is not
    /// RPCSEC_GSS, or AUTH_NONE, which any client accepts.
    pub fn new(program: u32, offered: &[CallbackSecurity]) -> Callback {
        let usable = offered.iter().find_map(|security| match security {
            CallbackSecurity::None => Some(OpaqueAuth::NONE),
            CallbackSecurity::Sys(credential) => Some(OpaqueAuth::sys(credential)),
            CallbackSecurity::Gss(_) => None,
        });
        Callback { program, credential: usable.unwrap_or(OpaqueAuth::NONE) }
    }

    fn call(&self, procedure: u32) -> Call {
        let call = Call::nfs(0, procedure, self.credential.clone());
        Call { program: self.program, version: CALLBACK_VERSION, ..call }
    }
}

/// The client's offers for its back channel.
#[derive(Default)]
struct Offers {
    /// The newest connection, if it has not been probed yet, and the minor version for the call.
    next: Option<(Weak<Connection>, u32)>,
    /// A task is probing.
    probing: bool,
}

/// See the module documentation.
pub(super) struct BackChannel {
    callback: Mutex<Callback>,
    reach: Mutex<Reach>,
    offers: Mutex<Offers>,
    /// The last sequence id that the client accepted on slot 0, the only slot used.
    sequence: tokio::sync::Mutex<u32>,
}

impl BackChannel {
    pub fn new(callback: Callback) -> BackChannel {
        BackChannel {
            callback: Mutex::new(callback),
            reach: Mutex::new(Reach::None),
            offers: Mutex::default(),
            sequence: tokio::sync::Mutex::new(0),
        }
    }

    fn callback(&self) -> MutexGuard<'_, Callback> {
        self.callback.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn offers(&self) -> MutexGuard<'_, Offers> {
        self.offers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reach(&self) -> MutexGuard<'_, Reach> {
        self.reach.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Whether the client answers callbacks.
    pub fn back_channel(&self) -> Reach {
        *self.back_channel.reach()
    }

    /// Sets how to call the client from now on.
    pub fn call_by(&self, callback: Callback) {
        *self.back_channel.callback() = callback;
    }

    /// The client offers a connection for the back channel. It is probed in a task, of which the session has
    /// at most one.
    pub fn offer_back_channel(self: &Arc<Self>, connection: &Arc<Connection>, minor_version: u32) {
        let mut offers = self.back_channel.offers();
        offers.next = Some((Arc::downgrade(connection), minor_version));
        if !offers.probing {
            offers.probing = true;
            tokio::spawn(self.clone().probe_offers());
        }
    }

    /// The next connection to probe. If there is none, the task ends.
    fn next_offer(&self) -> Option<(Weak<Connection>, u32)> {
        let mut offers = self.back_channel.offers();
        let next = offers.next.take();
        offers.probing = next.is_some();
        next
    }

    async fn probe_offers(self: Arc<Self>) {
        while let Some((connection, minor_version)) = self.next_offer() {
            *self.back_channel.reach() = Reach::Probing;
            let reach = match connection.upgrade() {
                Some(connection) => self.probe(&connection, minor_version).await,
                None => Reach::None,
            };
            *self.back_channel.reach() = reach;
        }
    }

    async fn probe(&self, connection: &Connection, minor_version: u32) -> Reach {
        for attempt in 1..=ATTEMPTS {
            if self.back_channel.offers().next.is_some() {
                break;
            }
            let outcome = match self.call_null(connection).await {
                Ok(()) => self.call_sequence(connection, minor_version).await,
                Err(error) => Err(error),
            };
            match outcome {
                Ok(()) => return Reach::Answers,
                Err(error) => tracing::debug!(peer = %connection.peer, attempt, %error, "no back channel"),
            }
            tokio::time::sleep(PAUSE).await;
        }
        Reach::Silent
    }

    async fn call_null(&self, connection: &Connection) -> io::Result<()> {
        let call = self.back_channel.callback().call(PROCEDURE_NULL);
        connection.call(call, Encoder::new(), PATIENCE).await.map(|_| ())
    }

    async fn call_sequence(&self, connection: &Connection, minor_version: u32) -> io::Result<()> {
        let mut sequence = self.back_channel.sequence.lock().await;
        let args = CbSequenceArgs {
            sessionid: self.id,
            sequenceid: sequence.wrapping_add(1),
            slotid: 0,
            highest_slotid: 0,
            cachethis: false,
        };
        let call = self.back_channel.callback().call(PROCEDURE_COMPOUND);
        let result = connection.call(call, args.compound(minor_version), PATIENCE).await?;
        match decode_status(result).map_err(|error: XdrError| io::Error::other(error))? {
            Status::Ok => {
                *sequence = args.sequenceid;
                Ok(())
            }
            status => Err(io::Error::other(format!("CB_SEQUENCE: {status:?}"))),
        }
    }
}
