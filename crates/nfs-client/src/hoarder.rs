//! A client that makes a server hold as much state as the server allows: many sessions, with a long cached reply in each slot.

use std::net::SocketAddr;

use bytes::Bytes;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{
    GetattrArgs, LookupArgs, Operation, OperationResult, SequenceArgs, SessionId,
};

use crate::client::{create_session, exchange_id};
use crate::{Attributes, ClientOptions, Connection, Result};

/// The number of GETATTRs in a request. They make its reply long.
const GETATTRS: usize = 48;

/// A client that fills a server with sessions and cached replies. See the module.
pub struct Hoarder {
    options: ClientOptions,
    connection: Connection,
    sessions: Vec<SessionId>,
}

/// The result of [`Hoarder::hoard`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hoard {
    /// The number of sessions that were created.
    pub sessions: usize,
    /// The number of replies that the server caches.
    pub replies: usize,
    /// The total size of these replies, in bytes.
    pub reply_bytes: usize,
    /// The number of sessions and requests that the server refused.
    pub refused: usize,
}

impl std::ops::AddAssign for Hoard {
    fn add_assign(&mut self, other: Hoard) {
        self.sessions += other.sessions;
        self.replies += other.replies;
        self.reply_bytes += other.reply_bytes;
        self.refused += other.refused;
    }
}

impl Hoarder {
    /// Connects to a server.
    pub async fn connect(address: SocketAddr, mut options: ClientOptions) -> Result<Hoarder> {
        let connection = options.connect(address).await?;
        options.channel.maxresponsesize_cached = 16 << 10;
        options.channel.maxoperations = 64;
        Ok(Hoarder { options, connection, sessions: Vec::new() })
    }

    /// Creates sessions, and makes the server cache a reply in each of the first `slots` slots of each session. The replies contain
    /// attributes of `path` or, without one, of the root, which needs no permission. Returns an error if the connection breaks.
    pub async fn hoard(&mut self, sessions: usize, slots: u32, path: Option<&str>) -> Result<Hoard> {
        let mut hoard = Hoard::default();
        for _ in 0..sessions {
            match self.create_session(slots).await {
                Ok(session) => {
                    hoard.sessions += 1;
                    self.sessions.push(session);
                    hoard += self.fill(session, slots, path).await?;
                }
                Err(error) if error.status().is_some() => hoard.refused += 1,
                Err(error) => return Err(error),
            }
        }
        Ok(hoard)
    }

    async fn create_session(&mut self, slots: u32) -> Result<SessionId> {
        self.options.channel.maxrequests = slots;
        let registration = exchange_id(&self.connection, &self.options).await?;
        Ok(create_session(&self.connection, &self.options, &registration).await?.sessionid)
    }

    async fn fill(&self, session: SessionId, slots: u32, path: Option<&str>) -> Result<Hoard> {
        let mut hoard = Hoard::default();
        for slotid in 0..slots {
            let args = SequenceArgs {
                sessionid: session,
                sequenceid: 1,
                slotid,
                highest_slotid: slotid,
                cachethis: true,
            };
            let mut operations = vec![Operation::Sequence(args), Operation::Putrootfh(())];
            for name in path.into_iter().flat_map(|path| path.split('/')).filter(|name| !name.is_empty()) {
                operations
                    .push(Operation::Lookup(LookupArgs { name: Bytes::copy_from_slice(name.as_bytes()) }));
            }
            let getattr = || Operation::Getattr(GetattrArgs { attributes: Attributes::all() });
            operations.extend(std::iter::repeat_with(getattr).take(GETATTRS));
            let reply = self.connection.compound(2, &operations).await?;
            match reply.results.first() {
                Some(OperationResult::Sequence(Ok(_))) => {
                    hoard.replies += 1;
                    hoard.reply_bytes += reply.encoded.len();
                }
                _ => hoard.refused += 1,
            }
        }
        Ok(hoard)
    }

    /// Sends one request on the first slot of each session. Returns the number of sessions that the server still has.
    pub async fn use_all(&self) -> Result<usize> {
        let mut alive = 0;
        for session in &self.sessions {
            let args = SequenceArgs {
                sessionid: *session,
                sequenceid: 2,
                slotid: 0,
                highest_slotid: 0,
                cachethis: false,
            };
            let reply = self.connection.compound(2, &[Operation::Sequence(args)]).await?;
            alive += usize::from(reply.status != Status::BadSession);
        }
        Ok(alive)
    }
}
