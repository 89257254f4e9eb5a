//! The messages of NFSv4.1 and 4.2 (RFC 8881, RFC 7862, RFC 8276) and of ONC RPC (RFC 5531), without a server or a client.
//!
//! Bytes of a TCP stream become RPC records ([`rpc::record`]), a record is a call or a reply ([`rpc::message`], [`rpc::auth`]), and its
//! body is a COMPOUND, decoded from and encoded to XDR ([`xdr`]). The server, the test client and the fuzz targets use the same
//! types, so a message is described in one place only. Start reading at [`xdr::nfs4`].

pub mod rpc;
pub mod xdr;
