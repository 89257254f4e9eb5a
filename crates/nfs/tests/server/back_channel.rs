//! The back channel: who offers one is called on it, and operators see whether he answers.

use std::collections::VecDeque;

use bytes::Bytes;
use forebay_nfs::session::Reach;
use forebay_nfs_client::{ClientOptions, Slot, Wire};
use forebay_nfs_proto::rpc::OpaqueAuth;
use forebay_nfs_proto::rpc::message::{
    Call, PROCEDURE_COMPOUND, PROCEDURE_NULL, Refusal, ReplyHeader, encode_success, is_reply,
};
use forebay_nfs_proto::xdr::nfs4::*;
use forebay_nfs_proto::xdr::{Decode, Decoder, Encode, Encoder, Status};

use crate::harness::*;

const PROGRAM: u32 = 0x4000_0004;

/// A client that reads what the server calls.
struct Peer {
    wire: Wire,
    xid: u32,
    options: ClientOptions,
    calls: VecDeque<Bytes>,
    registration: ExchangeIdResult,
    session: SessionId,
}

impl Peer {
    /// Registers, and creates a session with these flags.
    async fn connect(server: &Daemon, flags: u32) -> Peer {
        let options = ClientOptions::new("peer");
        let mut wire = Wire::connect(server.address()).await.unwrap();
        let exchange_id = Operation::ExchangeId(options.exchange_id());
        let (mut xid, mut calls) = (0, VecDeque::new());
        let result = ask(&mut wire, &mut xid, &mut calls, &[exchange_id]).await.pop();
        let Some(OperationResult::ExchangeId(Ok(registration))) = result else { panic!("{result:?}") };
        let args = options.create_session(registration.clientid, registration.sequenceid);
        let sec_parms = vec![CallbackSecurity::Sys(options.credential.clone())];
        let args = CreateSessionArgs { flags, cb_program: PROGRAM, sec_parms, ..args };
        let result = ask(&mut wire, &mut xid, &mut calls, &[Operation::CreateSession(args)]).await.pop();
        let Some(OperationResult::CreateSession(Ok(created))) = result else { panic!("{result:?}") };
        assert_eq!(created.flags, flags, "what was offered is taken");
        Peer { wire, xid, options, calls, registration, session: created.sessionid }
    }

    async fn ask(&mut self, operations: &[Operation]) -> Vec<OperationResult> {
        ask(&mut self.wire, &mut self.xid, &mut self.calls, operations).await
    }

    async fn bind(&mut self, direction: ChannelDirectionFromClient) -> ChannelDirectionFromServer {
        let args = BindConnToSessionArgs { sessionid: self.session, direction, use_conn_in_rdma_mode: false };
        let result = self.ask(&[Operation::BindConnToSession(args)]).await.pop();
        let Some(OperationResult::BindConnToSession(Ok(bound))) = result else { panic!("{result:?}") };
        bound.direction
    }

    /// SEQUENCE and another operation.
    async fn in_session(&mut self, slot: Slot, operation: Operation) -> OperationResult {
        let sequence = Operation::Sequence(SequenceArgs {
            sessionid: self.session,
            sequenceid: slot.sequence,
            slotid: slot.id,
            highest_slotid: slot.id,
            cachethis: false,
        });
        self.ask(&[sequence, operation]).await.pop().unwrap()
    }

    async fn next_call(&mut self) -> (Call, Decoder) {
        let record = match self.calls.pop_front() {
            Some(record) => record,
            None => self.wire.receive(DEADLINE).await.unwrap().expect("the connection stays open"),
        };
        let mut input = Decoder::new(record);
        let call = Call::decode(&mut input).unwrap();
        (call, input)
    }

    async fn answer(&mut self, xid: u32, result: Encoder) {
        let mut out = Encoder::new();
        encode_success(xid, &mut out);
        out.append(result);
        self.wire.send_record(&out.into_bytes()).await.unwrap();
    }

    /// Answers CB_NULL and CB_SEQUENCE as a client does, and checks them.
    async fn answer_probe(&mut self, program: u32, sequenceid: u32) {
        let (null, _) = self.next_call().await;
        assert_eq!((null.program, null.version, null.procedure), (program, 1, PROCEDURE_NULL));
        assert_eq!(null.credential, OpaqueAuth::sys(&self.options.credential));
        self.answer(null.xid, Encoder::new()).await;
        let (compound, mut arguments) = self.next_call().await;
        assert_eq!((compound.program, compound.procedure), (program, PROCEDURE_COMPOUND));
        assert_eq!(Bytes::decode(&mut arguments).unwrap(), Bytes::new(), "the tag");
        let words: Vec<u32> = (0..4).map(|_| u32::decode(&mut arguments).unwrap()).collect();
        assert_eq!(words, [2, 0, 1, 11], "minor version, ident, one operation, CB_SEQUENCE");
        assert_eq!(SessionId::decode(&mut arguments).unwrap(), self.session);
        let words: Vec<u32> = (0..5).map(|_| u32::decode(&mut arguments).unwrap()).collect();
        assert_eq!(words, [sequenceid, 0, 0, 0, 0], "slot 0, not cached, no referring calls");
        arguments.finish().unwrap();
        let mut result = Encoder::of(&Status::Ok);
        Bytes::new().encode(&mut result);
        for word in [1u32, 11, 0] {
            word.encode(&mut result);
        }
        self.session.encode(&mut result);
        for word in [sequenceid, 0, 0, 0] {
            word.encode(&mut result);
        }
        self.answer(compound.xid, result).await;
    }
}

/// Sends a COMPOUND and waits for its results; calls that come meanwhile are kept.
async fn ask(
    wire: &mut Wire,
    xid: &mut u32,
    calls: &mut VecDeque<Bytes>,
    operations: &[Operation],
) -> Vec<OperationResult> {
    *xid += 1;
    let credential = OpaqueAuth::sys(&ClientOptions::new("peer").credential);
    let mut out = Encoder::of(&Call::nfs(*xid, PROCEDURE_COMPOUND, credential));
    Bytes::new().encode(&mut out);
    2u32.encode(&mut out);
    out.put_length(operations.len());
    operations.iter().for_each(|operation| operation.encode(&mut out));
    wire.send_record(&out.into_bytes()).await.unwrap();
    loop {
        let record = wire.receive(DEADLINE).await.unwrap().expect("an answer");
        if !is_reply(&record) {
            calls.push_back(record);
            continue;
        }
        let mut input = Decoder::new(record);
        let header = ReplyHeader::decode(&mut input).unwrap();
        assert_eq!((header.xid, header.outcome), (*xid, Ok(())));
        Status::decode(&mut input).unwrap();
        Bytes::decode(&mut input).unwrap();
        return Decode::decode(&mut input).unwrap();
    }
}

fn reach(server: &Daemon, session: SessionId) -> Reach {
    server.shared().sessions.get(&session).unwrap().back_channel()
}

#[tokio::test]
async fn who_offers_a_back_channel_is_called_and_seen_to_answer() {
    let server = Daemon::start().await;
    let mut peer = Peer::connect(&server, session_flags::CONN_BACK_CHAN).await;
    peer.answer_probe(PROGRAM, 1).await;
    eventually("it is seen", async || reach(&server, peer.session) == Reach::Answers).await;
    let registration = peer.ask(&[Operation::ExchangeId(peer.options.exchange_id())]).await.pop();
    let Some(OperationResult::ExchangeId(Ok(again))) = registration else { panic!("{registration:?}") };
    assert_eq!(again.clientid, peer.registration.clientid, "the connection serves both ways");
}

#[tokio::test]
async fn who_offers_none_is_not_called_until_a_connection_is_bound_for_it() {
    let server = Daemon::start().await;
    let mut peer = Peer::connect(&server, 0).await;
    assert_eq!(peer.bind(ChannelDirectionFromClient::Fore).await, ChannelDirectionFromServer::Fore);
    assert_eq!(reach(&server, peer.session), Reach::None);
    assert!(peer.calls.is_empty());
    assert_eq!(peer.bind(ChannelDirectionFromClient::BackOrBoth).await, ChannelDirectionFromServer::Both);
    peer.answer_probe(PROGRAM, 1).await;
    eventually("it is seen", async || reach(&server, peer.session) == Reach::Answers).await;
    assert_eq!(peer.bind(ChannelDirectionFromClient::Back).await, ChannelDirectionFromServer::Back);
    peer.answer_probe(PROGRAM, 2).await;
}

#[tokio::test]
async fn a_client_is_called_as_it_said_last() {
    let server = Daemon::start().await;
    let mut peer = Peer::connect(&server, 0).await;
    let security = CallbackSecurity::Sys(peer.options.credential.clone());
    let args = BackchannelCtlArgs { cb_program: PROGRAM + 1, sec_parms: vec![security] };
    let slot = Slot { id: 0, sequence: 1 };
    let result = peer.in_session(slot, Operation::BackchannelCtl(args)).await;
    assert_eq!(result, OperationResult::BackchannelCtl(Ok(())));
    peer.bind(ChannelDirectionFromClient::ForeOrBoth).await;
    peer.answer_probe(PROGRAM + 1, 1).await;
}

#[tokio::test]
async fn a_client_that_refuses_calls_goes_on_without_them() {
    let server = Daemon::start().await;
    let mut peer = Peer::connect(&server, session_flags::CONN_BACK_CHAN).await;
    while reach(&server, peer.session) != Reach::Silent {
        let (call, _) = peer.next_call().await;
        let mut out = Encoder::new();
        Refusal::ProgramUnavailable.encode_reply(call.xid, &mut out);
        peer.wire.send_record(&out.into_bytes()).await.unwrap();
        let answered = server.shared().sessions.get(&peer.session).unwrap();
        let calls_end = async || call.xid < 3 || answered.back_channel() == Reach::Silent;
        eventually("the answer is taken", calls_end).await;
    }
    let slot = Slot { id: 0, sequence: 1 };
    let args = ReclaimCompleteArgs { one_fs: false };
    let result = peer.in_session(slot, Operation::ReclaimComplete(args)).await;
    assert_eq!(result, OperationResult::ReclaimComplete(Ok(())));
}
