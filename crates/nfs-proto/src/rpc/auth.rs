//! Authentication (RFC 5531 §8): AUTH_NONE and AUTH_SYS. AUTH_TLS probes for TLS (RFC 9289 §4.1).

use bytes::Bytes;

use crate::xdr::{Decode, Decoder, Encode, Encoder, XdrError};

/// Flavor number of AUTH_NONE.
pub const AUTH_NONE: u32 = 0;
/// Flavor number of AUTH_SYS.
pub const AUTH_SYS: u32 = 1;
/// Flavor number of AUTH_TLS.
pub const AUTH_TLS: u32 = 7;
/// The verifier of the reply to AUTH_TLS if TLS may follow.
pub const STARTTLS: &[u8] = b"STARTTLS";
/// Maximum length of the body of a credential or verifier, in bytes.
pub const AUTH_BYTES_MAX: usize = 400;
/// Maximum length of a machine name, in bytes.
const MACHINE_NAME_BYTES_MAX: usize = 255;
/// Maximum number of groups in an AUTH_SYS credential.
const GROUPS_MAX: usize = 16;
/// The user and group of a caller without credentials.
pub const NOBODY: u32 = 65534;

/// A credential or verifier on the wire (`opaque_auth`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpaqueAuth {
    /// The flavor number.
    pub flavor: u32,
    /// At most [`AUTH_BYTES_MAX`] bytes, whose meaning depends on the flavor.
    pub body: Bytes,
}

impl OpaqueAuth {
    /// AUTH_NONE.
    pub const NONE: OpaqueAuth = OpaqueAuth { flavor: AUTH_NONE, body: Bytes::new() };

    /// AUTH_TLS: the caller asks whether it may use TLS.
    pub const TLS: OpaqueAuth = OpaqueAuth { flavor: AUTH_TLS, body: Bytes::new() };

    /// AUTH_SYS.
    pub fn sys(parms: &AuthSys) -> Self {
        OpaqueAuth { flavor: AUTH_SYS, body: Encoder::of(parms).into_bytes() }
    }
}

impl Encode for OpaqueAuth {
    fn encode(&self, out: &mut Encoder) {
        self.flavor.encode(out);
        self.body.encode(out);
    }
}

impl Decode for OpaqueAuth {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        Ok(OpaqueAuth { flavor: Decode::decode(input)?, body: input.opaque(AUTH_BYTES_MAX)? })
    }
}

/// The body of an AUTH_SYS credential (`authsys_parms`, RFC 5531 appendix A).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthSys {
    /// Arbitrary.
    pub stamp: u32,
    /// The caller's host name, at most 255 bytes.
    pub machine_name: Bytes,
    /// The user.
    pub uid: u32,
    /// The user's first group.
    pub gid: u32,
    /// Supplementary groups, at most 16.
    pub gids: Vec<u32>,
}

impl Encode for AuthSys {
    fn encode(&self, out: &mut Encoder) {
        self.stamp.encode(out);
        self.machine_name.encode(out);
        self.uid.encode(out);
        self.gid.encode(out);
        self.gids.encode(out);
    }
}

impl Decode for AuthSys {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        Ok(AuthSys {
            stamp: Decode::decode(input)?,
            machine_name: input.opaque(MACHINE_NAME_BYTES_MAX)?,
            uid: Decode::decode(input)?,
            gid: Decode::decode(input)?,
            gids: input.list(GROUPS_MAX)?,
        })
    }
}

/// The user and groups that an operation runs as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// User.
    pub uid: u32,
    /// Primary group.
    pub gid: u32,
    /// Supplementary groups.
    pub groups: Vec<u32>,
}

impl Credential {
    /// Whether the user is the superuser.
    pub fn is_root(&self) -> bool {
        self.uid == 0
    }

    /// Whether the user belongs to the group.
    pub fn is_member(&self, gid: u32) -> bool {
        self.gid == gid || self.groups.contains(&gid)
    }
}

impl Credential {
    /// The credential of a caller that does not identify itself.
    pub fn nobody() -> Self {
        Credential { uid: NOBODY, gid: NOBODY, groups: Vec::new() }
    }
}

/// The identity of a client for comparing registrations (RFC 8881 §2.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Principal {
    /// The flavor with which the caller authenticated.
    pub flavor: u32,
    /// The caller's user id.
    pub uid: u32,
}
