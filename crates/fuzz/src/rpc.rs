//! Headers of calls and replies: what can be read is written and read again as the same.

use std::fmt::Debug;

use bytes::Bytes;
use forebay_nfs_proto::rpc::message::{Call, ReplyHeader};
use forebay_nfs_proto::rpc::{AuthSys, OpaqueAuth};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encode, Encoder};

/// Reads the bytes as everything that a header can be.
pub fn run(data: &[u8]) {
    let data = Bytes::copy_from_slice(data);
    same_again::<AuthSys>(&data);
    same_again::<OpaqueAuth>(&data);
    let _ = ReplyHeader::decode(&mut Decoder::new(data.clone()));
    let Some(call) = same_again::<Call>(&data) else { return };
    let mut reply = Encoder::new();
    if let Err(refusal) = call.check() {
        refusal.encode_reply(call.xid, &mut reply);
        let read =
            ReplyHeader::decode(&mut Decoder::new(reply.into_bytes())).expect("the server's own reply");
        assert_eq!((read.xid, read.outcome), (call.xid, Err(refusal)));
    }
}

/// What the bytes begin with, if it can be read.
pub fn same_again<T: Decode + Encode + PartialEq + Debug>(data: &Bytes) -> Option<T> {
    let first = T::decode(&mut Decoder::new(data.clone())).ok()?;
    let encoded = Encoder::of(&first).into_bytes();
    assert!(encoded.len() <= data.len() + 3, "nothing is made up but padding");
    let mut input = Decoder::new(encoded);
    assert_eq!(T::decode(&mut input).as_ref(), Ok(&first));
    assert!(input.finish().is_ok());
    Some(first)
}
