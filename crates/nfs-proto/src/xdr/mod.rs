//! The wire format: XDR ([`codec`]) and the types of RFC 8881 and RFC 7863 ([`nfs4`]).

mod codec;
mod macros;
pub mod nfs4;
#[cfg(test)]
mod tests;

pub use codec::{Decode, Decoder, Encode, Encoder, XdrError};
pub(crate) use macros::{xdr_enum, xdr_struct, xdr_union};
pub use nfs4::Status;
