//! RPC calls and replies (RFC 5531 §9).

use super::auth::{AUTH_NONE, AUTH_SYS, AUTH_TLS, AuthSys, Credential, OpaqueAuth, Principal, STARTTLS};
use bytes::Bytes;

use crate::xdr::{Decode, Decoder, Encode, Encoder, XdrError};

/// Program number of NFS.
pub const NFS_PROGRAM: u32 = 100_003;
/// The program version that covers NFSv4.0, 4.1 and 4.2.
pub const NFS_VERSION: u32 = 4;
/// The procedure that does nothing.
pub const PROCEDURE_NULL: u32 = 0;
/// The procedure that executes operations.
pub const PROCEDURE_COMPOUND: u32 = 1;

const RPC_VERSION: u32 = 2;
const MESSAGE_CALL: u32 = 0;
const MESSAGE_REPLY: u32 = 1;
const REPLY_ACCEPTED: u32 = 0;
const REPLY_DENIED: u32 = 1;
const DENIED_RPC_MISMATCH: u32 = 0;
const DENIED_AUTH_ERROR: u32 = 1;
const AUTH_BAD_CREDENTIAL: u32 = 1;
const AUTH_TOO_WEAK: u32 = 5;

/// The header of a call. Its arguments follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The caller's transaction id.
    pub xid: u32,
    /// Version of the RPC protocol.
    pub rpc_version: u32,
    /// Program called.
    pub program: u32,
    /// Version of the program.
    pub version: u32,
    /// Procedure called.
    pub procedure: u32,
    /// The caller's credential.
    pub credential: OpaqueAuth,
    /// The verifier of the credential.
    pub verifier: OpaqueAuth,
}

impl Call {
    /// A call of NFS.
    pub fn nfs(xid: u32, procedure: u32, credential: OpaqueAuth) -> Self {
        Call {
            xid,
            rpc_version: RPC_VERSION,
            program: NFS_PROGRAM,
            version: NFS_VERSION,
            procedure,
            credential,
            verifier: OpaqueAuth::NONE,
        }
    }

    /// Returns the caller if the call can be executed, otherwise the reason why it cannot.
    pub fn check(&self) -> Result<(Credential, Principal), Refusal> {
        if self.rpc_version != RPC_VERSION {
            return Err(Refusal::RpcMismatch);
        }
        let credential = self.caller()?;
        match (self.program, self.version, self.procedure) {
            (NFS_PROGRAM, NFS_VERSION, PROCEDURE_NULL | PROCEDURE_COMPOUND) => Ok(credential),
            (NFS_PROGRAM, NFS_VERSION, _) => Err(Refusal::ProcedureUnavailable),
            (NFS_PROGRAM, ..) => Err(Refusal::ProgramMismatch),
            _ => Err(Refusal::ProgramUnavailable),
        }
    }

    /// Whether the call is only a probe for TLS (RFC 9289 §4.1).
    pub fn asks_for_tls(&self) -> bool {
        let to_nfs =
            (self.rpc_version, self.program, self.version) == (RPC_VERSION, NFS_PROGRAM, NFS_VERSION);
        to_nfs && self.procedure == PROCEDURE_NULL && self.credential.flavor == AUTH_TLS
    }

    fn caller(&self) -> Result<(Credential, Principal), Refusal> {
        let credential = match self.credential.flavor {
            AUTH_NONE => Credential::nobody(),
            AUTH_SYS => {
                let mut body = Decoder::new(self.credential.body.clone());
                let parms = AuthSys::decode(&mut body).map_err(|_| Refusal::BadCredential)?;
                Credential { uid: parms.uid, gid: parms.gid, groups: parms.gids }
            }
            _ => return Err(Refusal::AuthTooWeak),
        };
        let principal = Principal { flavor: self.credential.flavor, uid: credential.uid };
        Ok((credential, principal))
    }
}

impl Encode for Call {
    fn encode(&self, out: &mut Encoder) {
        for word in [self.xid, MESSAGE_CALL, self.rpc_version, self.program, self.version, self.procedure] {
            word.encode(out);
        }
        self.credential.encode(out);
        self.verifier.encode(out);
    }
}

impl Decode for Call {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        let xid = u32::decode(input)?;
        match u32::decode(input)? {
            MESSAGE_CALL => {}
            value => return Err(XdrError::Unknown { of: "call", value }),
        }
        Ok(Call {
            xid,
            rpc_version: Decode::decode(input)?,
            program: Decode::decode(input)?,
            version: Decode::decode(input)?,
            procedure: Decode::decode(input)?,
            credential: Decode::decode(input)?,
            verifier: Decode::decode(input)?,
        })
    }
}

/// Returns true if the record is a reply and not a call.
pub fn is_reply(record: &[u8]) -> bool {
    record.get(4..8) == Some(&MESSAGE_REPLY.to_be_bytes()[..])
}

/// Why a call is not executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Not RPC version 2.
    RpcMismatch,
    /// The credential cannot be read.
    BadCredential,
    /// The credential's flavor is not accepted.
    AuthTooWeak,
    /// Not NFS.
    ProgramUnavailable,
    /// Not NFS version 4.
    ProgramMismatch,
    /// Neither NULL nor COMPOUND.
    ProcedureUnavailable,
    /// The arguments cannot be read.
    GarbageArguments,
}

impl Refusal {
    /// Appends the reply for this refusal.
    pub fn encode_reply(self, xid: u32, out: &mut Encoder) {
        match self {
            Refusal::RpcMismatch => {
                encode_words(out, &[xid, MESSAGE_REPLY, REPLY_DENIED, DENIED_RPC_MISMATCH]);
                encode_words(out, &[RPC_VERSION, RPC_VERSION]);
            }
            Refusal::BadCredential => encode_auth_error(xid, AUTH_BAD_CREDENTIAL, out),
            Refusal::AuthTooWeak => encode_auth_error(xid, AUTH_TOO_WEAK, out),
            Refusal::ProgramUnavailable => encode_accepted(xid, 1, out),
            Refusal::ProgramMismatch => {
                encode_accepted(xid, 2, out);
                encode_words(out, &[NFS_VERSION, NFS_VERSION]);
            }
            Refusal::ProcedureUnavailable => encode_accepted(xid, 3, out),
            Refusal::GarbageArguments => encode_accepted(xid, 4, out),
        }
    }
}

/// Appends the header of the reply to an executed call. Its result follows.
pub fn encode_success(xid: u32, out: &mut Encoder) {
    encode_accepted(xid, 0, out);
}

/// Appends the reply that allows TLS to follow.
pub fn encode_starttls(xid: u32, out: &mut Encoder) {
    encode_words(out, &[xid, MESSAGE_REPLY, REPLY_ACCEPTED]);
    OpaqueAuth { flavor: AUTH_NONE, body: Bytes::from_static(STARTTLS) }.encode(out);
    0u32.encode(out);
}

fn encode_accepted(xid: u32, status: u32, out: &mut Encoder) {
    encode_words(out, &[xid, MESSAGE_REPLY, REPLY_ACCEPTED]);
    OpaqueAuth::NONE.encode(out);
    status.encode(out);
}

fn encode_auth_error(xid: u32, status: u32, out: &mut Encoder) {
    encode_words(out, &[xid, MESSAGE_REPLY, REPLY_DENIED, DENIED_AUTH_ERROR, status]);
}

fn encode_words(out: &mut Encoder, words: &[u32]) {
    for word in words {
        word.encode(out);
    }
}

/// The header of a reply, as a client decodes it. The result follows if `outcome` is OK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyHeader {
    /// The xid of the call.
    pub xid: u32,
    /// OK if the call was executed, otherwise the reason why it was not.
    pub outcome: Result<(), Refusal>,
    /// Whether TLS may follow on the connection.
    pub starttls: bool,
}

impl Decode for ReplyHeader {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        let xid = u32::decode(input)?;
        match u32::decode(input)? {
            MESSAGE_REPLY => {}
            value => return Err(XdrError::Unknown { of: "reply", value }),
        }
        let mut starttls = false;
        let outcome = match u32::decode(input)? {
            REPLY_ACCEPTED => {
                starttls = OpaqueAuth::decode(input)?.body == STARTTLS;
                decode_accept_status(u32::decode(input)?)?
            }
            REPLY_DENIED => Err(decode_denial(input)?),
            value => return Err(XdrError::Unknown { of: "reply_stat", value }),
        };
        Ok(ReplyHeader { xid, outcome, starttls })
    }
}

fn decode_accept_status(status: u32) -> Result<Result<(), Refusal>, XdrError> {
    match status {
        0 => Ok(Ok(())),
        1 => Ok(Err(Refusal::ProgramUnavailable)),
        2 => Ok(Err(Refusal::ProgramMismatch)),
        3 => Ok(Err(Refusal::ProcedureUnavailable)),
        4 => Ok(Err(Refusal::GarbageArguments)),
        value => Err(XdrError::Unknown { of: "accept_stat", value }),
    }
}

fn decode_denial(input: &mut Decoder) -> Result<Refusal, XdrError> {
    match u32::decode(input)? {
        DENIED_RPC_MISMATCH => Ok(Refusal::RpcMismatch),
        DENIED_AUTH_ERROR => match u32::decode(input)? {
            AUTH_BAD_CREDENTIAL => Ok(Refusal::BadCredential),
            AUTH_TOO_WEAK => Ok(Refusal::AuthTooWeak),
            value => Err(XdrError::Unknown { of: "auth_stat", value }),
        },
        value => Err(XdrError::Unknown { of: "reject_stat", value }),
    }
}
