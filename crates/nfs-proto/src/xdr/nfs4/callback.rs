//! Callbacks to clients on a back channel (RFC 8881 §20): CB_COMPOUND, with CB_SEQUENCE alone.

use bytes::Bytes;

use super::{SessionId, Status};
use crate::xdr::{Decode, Decoder, Encode, Encoder, XdrError, xdr_struct};

/// Version of the callback program.
pub const CALLBACK_VERSION: u32 = 1;
/// Number of CB_SEQUENCE.
const CB_SEQUENCE: u32 = 11;
/// Maximum length of a returned tag, in bytes.
const TAG_BYTES_MAX: usize = 1024;

xdr_struct! {
    /// Arguments of CB_SEQUENCE, without referring calls.
    #[expect(missing_docs, reason = "RFC 8881 §20.9")]
    pub struct CbSequenceArgs {
        pub sessionid: SessionId,
        pub sequenceid: u32,
        pub slotid: u32,
        pub highest_slotid: u32,
        pub cachethis: bool,
    }
}

impl CbSequenceArgs {
    /// The arguments of a CB_COMPOUND with only this operation.
    pub fn compound(&self, minor_version: u32) -> Encoder {
        let (callback_ident, operations, referring_calls) = (0u32, 1u32, 0u32);
        let mut out = Encoder::new();
        Bytes::new().encode(&mut out);
        for word in [minor_version, callback_ident, operations, CB_SEQUENCE] {
            word.encode(&mut out);
        }
        self.encode(&mut out);
        referring_calls.encode(&mut out);
        out
    }
}

/// The status of a CB_COMPOUND; the server does not need the rest of the result.
pub fn decode_status(mut input: Decoder) -> Result<Status, XdrError> {
    let status = Status::decode(&mut input)?;
    input.opaque(TAG_BYTES_MAX)?;
    Ok(status)
}
