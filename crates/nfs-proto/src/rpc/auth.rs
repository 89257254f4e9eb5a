//! Who calls (RFC 5531 §8): AUTH_NONE and AUTH_SYS. AUTH_TLS asks for TLS (RFC 9289 §4.1).

use bytes::Bytes;

use crate::xdr::{Decode, Decoder, Encode, Encoder, XdrError};

/// Flavor number of AUTH_NONE.
pub const AUTH_NONE: u32 = 0;
/// Flavor number of AUTH_SYS.
pub const AUTH_SYS: u32 = 1;
/// Flavor number of AUTH_TLS.
pub const AUTH_TLS: u32 = 7;
/// What the verifier of the reply to AUTH_TLS says if TLS may follow.
pub const STARTTLS: &[u8] = b"STARTTLS";
/// Longest body of a credential or verifier, in bytes.
pub const AUTH_BYTES_MAX: usize = 400;
/// Longest machine name, in bytes.
const MACHINE_NAME_BYTES_MAX: usize = 255;
/// Most groups that an AUTH_SYS credential can carry.
const GROUPS_MAX: usize = 16;
/// The user and group of a caller that does not say who it is.
pub const NOBODY: u32 = 65534;

/// A credential or verifier as it goes over the wire (`opaque_auth`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpaqueAuth {
    /// Which kind it is.
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
    /// The caller's host, at most 255 bytes.
    pub machine_name: Bytes,
    /// The user.
    pub uid: u32,
    /// The user's first group.
    pub gid: u32,
    /// Further groups, at most 16.
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

/// On whose behalf an operation runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// User.
    pub uid: u32,
    /// First group.
    pub gid: u32,
    /// Further groups.
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
    /// The credential of a caller that does not say who it is.
    pub fn nobody() -> Self {
        Credential { uid: NOBODY, gid: NOBODY, groups: Vec::new() }
    }
}

/// Who a client is when registrations are compared (RFC 8881 §2.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Principal {
    /// How the caller authenticated.
    pub flavor: u32,
    /// As whom.
    pub uid: u32,
}
