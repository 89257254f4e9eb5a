//! Operations and results: what can be read is written and read again as the same.

use bytes::Bytes;
use forebay_nfs_proto::xdr::nfs4::{Operation, OperationResult};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encode, Encoder, XdrError};

use crate::rpc::same_again;

/// An operation with its number, as it stands in a request.
#[derive(Debug, PartialEq)]
pub struct Numbered(pub Operation);

impl Decode for Numbered {
    fn decode(input: &mut Decoder) -> Result<Self, XdrError> {
        let code = u32::decode(input)?;
        Operation::decode_args(code, input).map(Numbered)
    }
}

impl Encode for Numbered {
    fn encode(&self, out: &mut Encoder) {
        self.0.encode(out);
    }
}

/// Reads the bytes as the operations of a request, and as the results of a reply.
pub fn run(data: &[u8]) {
    let data = Bytes::copy_from_slice(data);
    same_again::<Vec<Numbered>>(&data);
    same_again::<Vec<OperationResult>>(&data);
}
