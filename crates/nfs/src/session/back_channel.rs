//! A session's back channel: whether its client can be called (RFC 8881 §2.10.3.1, §2.10.10.1).
//!
//! Nothing is ever recalled from clients, so the only calls are probes: when a client offers a connection for its back
//! channel, CB_NULL and CB_SEQUENCE are tried on it, and operators see what came of it. SEQUENCE does not report a back channel
//! that is gone (SEQ4_STATUS_CB_PATH_DOWN): clients would repair it, for nothing.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::Session;
use crate::rpc::Connection;
use forebay_nfs_proto::rpc::OpaqueAuth;
use forebay_nfs_proto::rpc::message::{Call, PROCEDURE_COMPOUND, PROCEDURE_NULL};
use forebay_nfs_proto::xdr::nfs4::callback::{CALLBACK_VERSION, CbSequenceArgs, decode_status};
use forebay_nfs_proto::xdr::nfs4::{CallbackSecurity, Status};
use forebay_nfs_proto::xdr::{Encoder, XdrError};

/// How long a client may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// A client may be called before it has read that it has a session: how often it is tried, and the pause between.
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_secs(1);

/// What is known of a back channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The client offered no connection for it.
    None,
    /// It is being tried.
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
    /// On whose behalf the server calls.
    pub credential: OpaqueAuth,
}

impl Callback {
    /// From the arguments of CREATE_SESSION and BACKCHANNEL_CTL: the first credential that is not RPCSEC_GSS's,
    /// or AUTH_NONE, which any client takes.
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

/// What the client offers for its back channel.
#[derive(Default)]
struct Offers {
    /// The newest connection, if it is still to be tried, and the minor version to call in.
    next: Option<(Weak<Connection>, u32)>,
    /// A task is at it.
    probing: bool,
}

/// See the module.
pub(super) struct BackChannel {
    callback: Mutex<Callback>,
    reach: Mutex<Reach>,
    offers: Mutex<Offers>,
    /// The last sequence id that the client took on slot 0, the only one that is used.
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
    /// Whether the client can be called.
    pub fn back_channel(&self) -> Reach {
        *self.back_channel.reach()
    }

    /// The client is to be called in this way from now on.
    pub fn call_by(&self, callback: Callback) {
        *self.back_channel.callback() = callback;
    }

    /// The client offers a connection for the back channel. It is tried in a task, the only one of the session.
    pub fn offer_back_channel(self: &Arc<Self>, connection: &Arc<Connection>, minor_version: u32) {
        let mut offers = self.back_channel.offers();
        offers.next = Some((Arc::downgrade(connection), minor_version));
        if !offers.probing {
            offers.probing = true;
            tokio::spawn(self.clone().probe_offers());
        }
    }

    /// The connection to try next; if there is none, the task ends.
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
