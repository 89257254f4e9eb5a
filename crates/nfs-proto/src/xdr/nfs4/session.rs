//! Arguments and results of the operations on clients and sessions (RFC 8881 §18.33–18.37, 18.46–18.51).

use bytes::Bytes;

use super::{Bitmap, ClientId, NfsTime, SessionId, StateId, Verifier};
use crate::rpc::AuthSys;
use crate::xdr::{Status, xdr_enum, xdr_struct, xdr_union};

/// `EXCHGID4_FLAG_*` (RFC 8881 §18.35).
pub mod exchange_flags {
    /// The client follows referrals.
    pub const SUPP_MOVED_REFER: u32 = 0x1;
    /// The client follows migration.
    pub const SUPP_MOVED_MIGR: u32 = 0x2;
    /// The client's operations can be fenced (RFC 7862 §14.1).
    pub const SUPP_FENCE_OPS: u32 = 0x4;
    /// State is bound to principals.
    pub const BIND_PRINC_STATEID: u32 = 0x100;
    /// Not a pNFS server.
    pub const USE_NON_PNFS: u32 = 0x1_0000;
    /// Metadata server of pNFS.
    pub const USE_PNFS_MDS: u32 = 0x2_0000;
    /// Data server of pNFS.
    pub const USE_PNFS_DS: u32 = 0x4_0000;
    /// All pNFS roles.
    pub const MASK_PNFS: u32 = 0x7_0000;
    /// The client updates a confirmed record.
    pub const UPD_CONFIRMED_REC_A: u32 = 0x4000_0000;
    /// The record is confirmed.
    pub const CONFIRMED_R: u32 = 0x8000_0000;
    /// The flags that a client may send.
    pub const MASK_A: u32 = 0x4007_0103;
}

/// `CREATE_SESSION4_FLAG_*` (RFC 8881 §18.36).
pub mod session_flags {
    /// The reply cache should survive a restart.
    pub const PERSIST: u32 = 0x1;
    /// The connection should also carry callbacks.
    pub const CONN_BACK_CHAN: u32 = 0x2;
    /// RDMA.
    pub const CONN_RDMA: u32 = 0x4;
    /// The flags that a client may send.
    pub const MASK: u32 = 0x7;
}

/// `SEQ4_STATUS_*` (RFC 8881 §18.46).
pub mod sequence_flags {
    /// No connection carries callbacks.
    pub const CB_PATH_DOWN: u32 = 0x1;
    /// The lease expired and all state is gone.
    pub const EXPIRED_ALL_STATE_REVOKED: u32 = 0x8;
    /// The lease expired and some state is gone.
    pub const EXPIRED_SOME_STATE_REVOKED: u32 = 0x10;
    /// An operator revoked state.
    pub const ADMIN_STATE_REVOKED: u32 = 0x20;
    /// The server restarted and the client has not reclaimed.
    pub const RESTART_RECLAIM_NEEDED: u32 = 0x100;
    /// The back channel has lost its state; the client has to create another session.
    pub const BACKCHANNEL_FAULT: u32 = 0x400;
}

xdr_struct! {
    /// The client's identity and incarnation (`client_owner4`).
    pub struct ClientOwner {
        /// Changes when the client restarts.
        pub verifier: Verifier,
        /// At most [`super::OPAQUE_LIMIT`] bytes.
        pub ownerid: Bytes,
    }
}

xdr_struct! {
    /// Operations under state protection (`state_protect_ops4`).
    #[derive(Default)]
    pub struct StateProtectOps {
        /// Must be sent with the machine credential.
        pub must_enforce: Bitmap,
        /// May be sent with the machine credential.
        pub must_allow: Bitmap,
    }
}

xdr_struct! {
    /// Parameters of SSV (`ssv_sp_parms4`); this server does not offer it.
    #[expect(missing_docs, reason = "RFC 8881 §18.35")]
    pub struct SsvParms {
        pub ops: StateProtectOps,
        pub hash_algs: Vec<Bytes>,
        pub encr_algs: Vec<Bytes>,
        pub window: u32,
        pub num_gss_handles: u32,
    }
}

xdr_union! {
    /// State protection requested by the client (`state_protect4_a`).
    pub enum StateProtectArgs {
        /// None.
        0 => None,
        /// Machine credential.
        1 => MachineCredential(ops: StateProtectOps),
        /// Secret state verifier.
        2 => Ssv(parms: SsvParms),
    }
}

xdr_union! {
    /// State protection granted by the server (`state_protect4_r`).
    pub enum StateProtectResult {
        /// None.
        0 => None,
        /// Machine credential.
        1 => MachineCredential(ops: StateProtectOps),
    }
}

xdr_struct! {
    /// Implementation name and version (`nfs_impl_id4`).
    #[expect(missing_docs, reason = "RFC 8881 §3.3.17")]
    pub struct ImplementationId {
        pub domain: Bytes,
        pub name: Bytes,
        pub date: NfsTime,
    }
}

xdr_struct! {
    /// Arguments of EXCHANGE_ID.
    #[expect(missing_docs, reason = "RFC 8881 §18.35")]
    pub struct ExchangeIdArgs {
        pub clientowner: ClientOwner,
        pub flags: u32,
        pub state_protect: StateProtectArgs,
        pub client_impl_id: Option<ImplementationId>,
    }
}

xdr_struct! {
    /// The server's identity for trunking (`server_owner4`).
    #[expect(missing_docs, reason = "RFC 8881 §2.10.5")]
    pub struct ServerOwner {
        pub minor_id: u64,
        pub major_id: Bytes,
    }
}

xdr_struct! {
    /// Result of EXCHANGE_ID.
    #[expect(missing_docs, reason = "RFC 8881 §18.35")]
    pub struct ExchangeIdResult {
        pub clientid: ClientId,
        pub sequenceid: u32,
        pub flags: u32,
        pub state_protect: StateProtectResult,
        pub server_owner: ServerOwner,
        pub server_scope: Bytes,
        pub server_impl_id: Option<ImplementationId>,
    }
}

xdr_struct! {
    /// Limits of one direction of a session (`channel_attrs4`).
    #[expect(missing_docs, reason = "RFC 8881 §18.36")]
    pub struct ChannelAttributes {
        pub headerpadsize: u32,
        pub maxrequestsize: u32,
        pub maxresponsesize: u32,
        pub maxresponsesize_cached: u32,
        pub maxoperations: u32,
        pub maxrequests: u32,
        pub rdma_ird: Option<u32>,
    }
}

xdr_struct! {
    /// GSS contexts for callbacks (`gss_cb_handles4`); never used by this server.
    #[expect(missing_docs, reason = "RFC 8881 §18.36")]
    pub struct GssCallbackHandles {
        pub service: u32,
        pub handle_from_server: Bytes,
        pub handle_from_client: Bytes,
    }
}

xdr_union! {
    /// Credential for callbacks (`callback_sec_parms4`).
    pub enum CallbackSecurity {
        /// AUTH_NONE.
        0 => None,
        /// AUTH_SYS.
        1 => Sys(credential: AuthSys),
        /// RPCSEC_GSS.
        6 => Gss(handles: GssCallbackHandles),
    }
}

xdr_struct! {
    /// Arguments of CREATE_SESSION.
    #[expect(missing_docs, reason = "RFC 8881 §18.36")]
    pub struct CreateSessionArgs {
        pub clientid: ClientId,
        pub sequence: u32,
        pub flags: u32,
        pub fore_chan_attrs: ChannelAttributes,
        pub back_chan_attrs: ChannelAttributes,
        pub cb_program: u32,
        pub sec_parms: Vec<CallbackSecurity>,
    }
}

xdr_struct! {
    /// Result of CREATE_SESSION.
    #[expect(missing_docs, reason = "RFC 8881 §18.36")]
    pub struct CreateSessionResult {
        pub sessionid: SessionId,
        pub sequence: u32,
        pub flags: u32,
        pub fore_chan_attrs: ChannelAttributes,
        pub back_chan_attrs: ChannelAttributes,
    }
}

xdr_struct! {
    /// Arguments of DESTROY_SESSION.
    #[expect(missing_docs, reason = "RFC 8881 §18.37")]
    pub struct DestroySessionArgs {
        pub sessionid: SessionId,
    }
}

xdr_enum! {
    /// The channels that the client requests for a connection (`channel_dir_from_client4`).
    #[expect(missing_docs, reason = "RFC 8881 §18.34")]
    pub enum ChannelDirectionFromClient {
        Fore = 1,
        Back = 2,
        ForeOrBoth = 3,
        BackOrBoth = 7,
    }
}

xdr_enum! {
    /// The channels of a connection (`channel_dir_from_server4`).
    #[expect(missing_docs, reason = "RFC 8881 §18.34")]
    pub enum ChannelDirectionFromServer {
        Fore = 1,
        Back = 2,
        Both = 3,
    }
}

xdr_struct! {
    /// Arguments of BIND_CONN_TO_SESSION.
    #[expect(missing_docs, reason = "RFC 8881 §18.34")]
    pub struct BindConnToSessionArgs {
        pub sessionid: SessionId,
        pub direction: ChannelDirectionFromClient,
        pub use_conn_in_rdma_mode: bool,
    }
}

xdr_struct! {
    /// Result of BIND_CONN_TO_SESSION.
    #[expect(missing_docs, reason = "RFC 8881 §18.34")]
    pub struct BindConnToSessionResult {
        pub sessionid: SessionId,
        pub direction: ChannelDirectionFromServer,
        pub use_conn_in_rdma_mode: bool,
    }
}

xdr_struct! {
    /// Arguments of BACKCHANNEL_CTL.
    #[expect(missing_docs, reason = "RFC 8881 §18.33")]
    pub struct BackchannelCtlArgs {
        pub cb_program: u32,
        pub sec_parms: Vec<CallbackSecurity>,
    }
}

xdr_struct! {
    /// Arguments of SEQUENCE.
    #[expect(missing_docs, reason = "RFC 8881 §18.46")]
    pub struct SequenceArgs {
        pub sessionid: SessionId,
        pub sequenceid: u32,
        pub slotid: u32,
        pub highest_slotid: u32,
        pub cachethis: bool,
    }
}

xdr_struct! {
    /// Result of SEQUENCE.
    #[expect(missing_docs, reason = "RFC 8881 §18.46")]
    pub struct SequenceResult {
        pub sessionid: SessionId,
        pub sequenceid: u32,
        pub slotid: u32,
        pub highest_slotid: u32,
        pub target_highest_slotid: u32,
        pub status_flags: u32,
    }
}

xdr_struct! {
    /// Arguments of DESTROY_CLIENTID.
    #[expect(missing_docs, reason = "RFC 8881 §18.50")]
    pub struct DestroyClientidArgs {
        pub clientid: ClientId,
    }
}

xdr_struct! {
    /// Arguments of RECLAIM_COMPLETE.
    #[expect(missing_docs, reason = "RFC 8881 §18.51")]
    pub struct ReclaimCompleteArgs {
        pub one_fs: bool,
    }
}

xdr_struct! {
    /// Arguments of TEST_STATEID.
    #[expect(missing_docs, reason = "RFC 8881 §18.48")]
    pub struct TestStateidArgs {
        pub stateids: Vec<StateId>,
    }
}

xdr_struct! {
    /// Result of TEST_STATEID: a status for each stateid.
    #[expect(missing_docs, reason = "RFC 8881 §18.48")]
    pub struct TestStateidResult {
        pub status_codes: Vec<Status>,
    }
}

xdr_struct! {
    /// Arguments of FREE_STATEID.
    #[expect(missing_docs, reason = "RFC 8881 §18.38")]
    pub struct FreeStateidArgs {
        pub stateid: StateId,
    }
}
