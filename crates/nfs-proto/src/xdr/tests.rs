//! Properties of all protocol types.

use bytes::Bytes;
use proptest::prelude::*;

use super::nfs4::{OpCode, Operation, OperationResult, Payload};
use super::{Decode, Decoder, Encode, Encoder, XdrError};

fn op_codes() -> impl Strategy<Value = u32> {
    prop_oneof![8 => OpCode::Access as u32..=OpCode::Removexattr as u32, 1 => any::<u32>()]
}

/// Words that are often meaningful: small numbers are tags, lengths and booleans.
fn words() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![6 => 0..4u32, 3 => 4..40u32, 1 => any::<u32>()];
    prop::collection::vec(word, 0..60)
        .prop_map(|words| words.into_iter().flat_map(u32::to_be_bytes).collect())
}

fn bytes_of(item: &impl Encode) -> Bytes {
    Encoder::of(item).into_bytes()
}

proptest! {
    #[test]
    fn arguments_that_can_be_read_are_written_back_as_they_mean(code in op_codes(), input in words()) {
        let mut input = Decoder::new(input.into());
        if let Ok(operation) = Operation::decode_args(code, &mut input) {
            let written = bytes_of(&operation);
            let mut again = Decoder::new(written.slice(4..));
            prop_assert_eq!(Operation::decode_args(code, &mut again), Ok(operation));
            prop_assert!(again.finish().is_ok());
        }
    }

    #[test]
    fn results_that_can_be_read_are_written_back_as_they_mean(code in op_codes(), input in words()) {
        let mut input = Decoder::new([&code.to_be_bytes(), input.as_slice()].concat().into());
        if let Ok(result) = OperationResult::decode(&mut input) {
            let mut again = Decoder::new(bytes_of(&result));
            prop_assert_eq!(OperationResult::decode(&mut again), Ok(result));
            prop_assert!(again.finish().is_ok());
        }
    }

    #[test]
    fn any_bytes_are_read_without_harm(code in op_codes(), input: Vec<u8>) {
        let _ = Operation::decode_args(code, &mut Decoder::new(input.clone().into()));
        let _ = OperationResult::decode(&mut Decoder::new(input.into()));
    }

    #[test]
    fn pieces_are_sent_as_one_opaque_whatever_their_sizes(sizes in prop::collection::vec(0..3000usize, 0..6)) {
        let pieces: Vec<Bytes> = sizes.iter().map(|size| Bytes::from(vec![*size as u8; *size])).collect();
        let payload = Payload(pieces.clone());
        let mut out = Encoder::new();
        7u32.encode(&mut out);
        payload.encode(&mut out);
        8u32.encode(&mut out);
        prop_assert_eq!(out.len() % 4, 0);
        let length = out.len();
        let written: Bytes = out.into_pieces().concat().into();
        prop_assert_eq!(written.len(), length);
        let mut input = Decoder::new(written);
        prop_assert_eq!(u32::decode(&mut input), Ok(7));
        prop_assert_eq!(Bytes::decode(&mut input), Ok(Bytes::from(pieces.concat())));
        prop_assert_eq!(u32::decode(&mut input), Ok(8));
    }
}

#[test]
fn a_count_is_not_believed_before_the_input_can_hold_it() {
    let mut input = Decoder::new(Bytes::from_static(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1]));
    assert_eq!(input.list::<u32>(usize::MAX), Err(XdrError::TooLong { length: u32::MAX as usize, limit: 1 }));
    let mut input = Decoder::new(Bytes::from_static(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1]));
    assert_eq!(Bytes::decode(&mut input), Err(XdrError::Truncated { needed: u32::MAX as usize, left: 4 }));
}

#[test]
fn large_payloads_are_sent_as_the_very_bytes_that_were_given() {
    let data = Bytes::from(vec![1; 100_000]);
    let mut out = Encoder::new();
    Payload(vec![data.clone()]).encode(&mut out);
    assert!(out.into_pieces().iter().any(|piece| piece.as_ptr() == data.as_ptr()));
    let received = bytes_of(&data);
    let mut input = Decoder::new(received.clone());
    assert_eq!(Bytes::decode(&mut input).unwrap().as_ptr(), received[4..].as_ptr());
}
