//! Whatever arrives, the server answers exactly or closes the connection, and serves everyone else.

use std::time::Duration;

use bytes::Bytes;
use forebay_net::memory::RequestMemory;
use forebay_nfs::Connection;
use forebay_nfs::dispatch;
use forebay_nfs_client::{Attributes, Client, ClientOptions, Slot, Wire};
use forebay_nfs_proto::rpc::message::{Call, PROCEDURE_COMPOUND, PROCEDURE_NULL, Refusal, ReplyHeader};
use forebay_nfs_proto::rpc::{AuthSys, OpaqueAuth};
use forebay_nfs_proto::xdr::nfs4::*;
use forebay_nfs_proto::xdr::{Decode, Decoder, Encoder, Status};

use crate::harness::{Daemon, compound, on, put, root};

const DEADLINE: Duration = Duration::from_secs(20);

fn null_call() -> Call {
    Call::nfs(7, PROCEDURE_NULL, OpaqueAuth::NONE)
}

fn encoded(call: &Call) -> Vec<u8> {
    Encoder::of(call).into_bytes().to_vec()
}

/// What the server says to a record; `None` if it closes the connection.
async fn ask(server: &Daemon, record: &[u8]) -> Option<(ReplyHeader, Decoder)> {
    let mut wire = Wire::connect(server.address()).await.unwrap();
    wire.send_record(record).await.unwrap();
    let mut input = Decoder::new(wire.receive(DEADLINE).await.unwrap()?);
    let header = ReplyHeader::decode(&mut input).unwrap();
    Some((header, input))
}

async fn refusal(server: &Daemon, record: &[u8]) -> Option<Refusal> {
    ask(server, record).await.and_then(|(header, _)| header.outcome.err())
}

#[tokio::test]
async fn calls_that_are_not_for_this_server_are_refused_by_their_reason() {
    let server = Daemon::start().await;
    let flavor = |flavor| OpaqueAuth { flavor, body: Bytes::new() };
    let groups = AuthSys { gids: vec![1; 17], ..AuthSys::default() };
    let cases = [
        (Call { rpc_version: 3, ..null_call() }, Refusal::RpcMismatch),
        (Call { program: 100_005, ..null_call() }, Refusal::ProgramUnavailable),
        (Call { version: 3, ..null_call() }, Refusal::ProgramMismatch),
        (Call { procedure: 2, ..null_call() }, Refusal::ProcedureUnavailable),
        (Call { credential: flavor(6), ..null_call() }, Refusal::AuthTooWeak),
        (Call { credential: flavor(7), ..null_call() }, Refusal::AuthTooWeak),
        (Call { credential: flavor(1), ..null_call() }, Refusal::BadCredential),
        (Call { credential: OpaqueAuth::sys(&groups), ..null_call() }, Refusal::BadCredential),
        (Call { procedure: PROCEDURE_COMPOUND, ..null_call() }, Refusal::GarbageArguments),
    ];
    for (call, expected) in cases {
        assert_eq!(refusal(&server, &encoded(&call)).await, Some(expected), "{call:?}");
    }
    let (header, _) = ask(&server, &encoded(&null_call())).await.unwrap();
    assert_eq!(header, ReplyHeader { xid: 7, outcome: Ok(()), starttls: false });
}

#[tokio::test]
async fn what_is_no_call_closes_the_connection() {
    let server = Daemon::start().await;
    let long_credential = [encoded(&null_call())[..28].to_vec(), 401u32.to_be_bytes().to_vec(), vec![0; 404]];
    for record in [vec![], vec![0; 3], vec![0; 8], vec![0xff; 40], long_credential.concat()] {
        assert!(ask(&server, &record).await.is_none(), "{record:?}");
    }
    let mut reply = encoded(&null_call());
    reply[7] = 1;
    assert!(ask(&server, &reply).await.is_none(), "a reply to a callback that was never sent");
}

#[tokio::test]
async fn oversized_and_endless_records_close_the_connection() {
    let server = Daemon::start().await;
    let oversized = 0xffff_ffffu32.to_be_bytes().to_vec();
    let endless = 0u32.to_be_bytes().repeat(1000);
    let growing = [0x0010_0000u32.to_be_bytes().to_vec(), vec![0; 0x10_0000]].concat().repeat(2);
    for stream in [oversized, endless, growing] {
        let mut wire = Wire::connect(server.address()).await.unwrap();
        // The server may close while it is still being sent to.
        let _ = wire.send(&stream).await;
        let answer = wire.receive(DEADLINE).await;
        assert!(!matches!(answer, Ok(Some(_)) | Err(forebay_nfs_client::Error::Timeout(_))), "{answer:?}");
    }
}

#[tokio::test]
async fn an_unfinished_record_holds_up_nobody_else() {
    let server = Daemon::start().await;
    let mut slow = Wire::connect(server.address()).await.unwrap();
    slow.send(&[0x80, 0]).await.unwrap();
    let mut slower = Wire::connect(server.address()).await.unwrap();
    slower.send(&[0x80, 0x08, 0, 0, 1, 2, 3]).await.unwrap();
    let client = server.mount("client").await;
    client.renew().await.unwrap();
    let call = encoded(&null_call());
    slow.send(&[&[0, call.len() as u8], call.as_slice()].concat()).await.unwrap();
    assert!(slow.receive(DEADLINE).await.unwrap().is_some());
}

/// A peer that sends all it has, and closes its side, still gets its answers.
#[tokio::test]
async fn a_client_that_sends_no_more_still_gets_its_answers() {
    let server = Daemon::start().await;
    let mut wire = Wire::connect(server.address()).await.unwrap();
    for _ in 0..10 {
        wire.send_record(&encoded(&null_call())).await.unwrap();
    }
    wire.finish().await.unwrap();
    for _ in 0..10 {
        assert!(wire.receive(DEADLINE).await.unwrap().is_some());
    }
    assert!(wire.receive(DEADLINE).await.unwrap().is_none());
}

#[tokio::test]
async fn arguments_that_cannot_be_read_are_bad_xdr_and_what_came_before_them_is_done() {
    let server = Daemon::start().await;
    let client = server.mount("client").await;
    let root = root(&client).await;
    let words =
        |words: &[u32]| Bytes::from(words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>());
    let cases = [
        (OpCode::Lookup, words(&[u32::MAX])),
        (OpCode::Lookup, words(&[5, 0])),
        (OpCode::Putfh, words(&[129])),
        (OpCode::TestStateid, words(&[u32::MAX, 0, 0, 0, 0])),
        (OpCode::Getattr, words(&[0x4000_0000])),
        (OpCode::Write, words(&[0, 0, 0, 0, 0, 0, 9])),
        (OpCode::Create, words(&[99])),
        (OpCode::Open, words(&[0, 1, 0, 0, 0, 0, 2])),
        (OpCode::Lock, words(&[5])),
        (OpCode::Readdir, words(&[0, 0])),
    ];
    for (code, arguments) in cases {
        let bad = Operation::Other(code as u32, arguments);
        let reply = client.try_compound([put(&root), bad]).await.unwrap();
        assert_eq!(reply.status, Status::BadXdr, "{code:?}");
        assert_eq!(reply.results.len(), 3, "{code:?}");
        assert_eq!(reply.results.last().map(OperationResult::code), Some(code as u32));
    }
}

#[tokio::test]
async fn numbers_at_their_limits_are_answered() {
    let server = Daemon::start().await;
    let client = server.mount("client").await;
    let root = root(&client).await;
    let file = client.files().create(&root, "file").await.unwrap();
    let stateid = file.stateid;
    for offset in [0, u64::MAX - 1, u64::MAX, i64::MAX as u64, i64::MAX as u64 + 1] {
        for count in [0, 1, u32::MAX] {
            let read = Operation::Read(ReadArgs { stateid, offset, count });
            let OperationResult::Read(outcome) = on(&client, &file.handle, read).await else { panic!() };
            assert!(
                matches!(&outcome, Ok(read) if read.data.is_empty() && read.eof)
                    || outcome == Err(Status::Inval)
            );
            let commit = Operation::Commit(CommitArgs { offset, count });
            let status = on(&client, &file.handle, commit).await.status();
            assert_eq!(status, Status::Ok);
        }
    }
    for offset in [u64::MAX, i64::MAX as u64] {
        let data = Bytes::from_static(b"xy");
        let write = Operation::Write(WriteArgs { stateid, offset, stable: StableHow::FileSync, data });
        let status = on(&client, &file.handle, write).await.status();
        assert!(matches!(status, Status::FBig | Status::Inval), "{status:?}");
    }
    for (cookie, maxcount) in [(u64::MAX, 4096), (1, 4096), (0, 0), (0, 1), (0, u32::MAX)] {
        let args = ReaddirArgs {
            cookie,
            cookieverf: Verifier::default(),
            dircount: u32::MAX,
            maxcount,
            attributes: Attributes::all(),
        };
        let status = on(&client, &root, Operation::Readdir(args)).await.status();
        assert!(matches!(status, Status::Ok | Status::BadCookie | Status::TooSmall), "{status:?}");
    }
    client.renew().await.unwrap();
}

/// Real requests with bytes cut off, changed and inserted, given to the server without a connection between,
/// so that a panic fails the test.
#[tokio::test]
async fn damaged_requests_never_make_the_server_panic() {
    let server = Daemon::start().await;
    let client = Client::mount(server.address(), ClientOptions::new("client")).await.unwrap();
    let root = root(&client).await;
    let file = client.files().create(&root, "file").await.unwrap();
    let connection = std::sync::Arc::new(Connection::new(0, server.address()));
    let requests = valid_requests(&client, &root, &file);
    let mut random = Random(7);
    let mut slot = Slot { id: 5, sequence: 1 };
    for valid in requests.iter().cycle().take(3000) {
        let mut damaged = compound(&[&[client.sequence(slot, false)], valid.as_slice()].concat());
        damage(&mut damaged, &mut random);
        // An answer, or an error that closes the connection: both will do.
        let answer =
            dispatch::answer(server.shared(), &connection, damaged.into(), RequestMemory::default()).await;
        if answer.is_ok_and(used_its_slot) {
            slot.sequence += 1;
        }
    }
    assert!(slot.sequence > 500, "{}: most of the damage is to be done behind SEQUENCE", slot.sequence);
    Client::mount(server.address(), ClientOptions::new("another")).await.unwrap();
}

fn valid_requests(client: &Client, root: &Bytes, file: &forebay_nfs_client::OpenFile) -> Vec<Vec<Operation>> {
    let name = || Bytes::from_static(b"name");
    let attributes = || Attributes::mode(0o600).encode();
    let create =
        |object_type| Operation::Create(CreateArgs { object_type, name: name(), attributes: attributes() });
    let open =
        |how, claim| Operation::Open(client.files().open_args("owner", share::ACCESS_BOTH, how, claim));
    let how = OpenHow::Create(CreateHow::Exclusive41(CreateVerifierAttributes {
        verifier: Verifier([1; 8]),
        attributes: attributes(),
    }));
    let readdir = Operation::Readdir(ReaddirArgs {
        cookie: 0,
        cookieverf: Verifier::default(),
        dircount: 4096,
        maxcount: 4096,
        attributes: Attributes::all(),
    });
    let data = Bytes::from(vec![1; 300]);
    let (stateid, stable) = (file.stateid, StableHow::Unstable);
    let options = ClientOptions::new("somebody");
    vec![
        vec![put(root), create(CreateType::Directory), Operation::Getfh(())],
        vec![put(root), create(CreateType::Symlink(name()))],
        vec![put(root), open(how, OpenClaim::Null(name())), Operation::Getfh(())],
        vec![put(&file.handle), open(OpenHow::NoCreate, OpenClaim::Fh)],
        vec![put(root), readdir],
        vec![put(root), Operation::Getattr(GetattrArgs { attributes: Bitmap(vec![u32::MAX; 3]) })],
        vec![put(root), Operation::Verify(VerifyArgs { attributes: attributes() })],
        vec![put(&file.handle), Operation::Write(WriteArgs { stateid, offset: 0, stable, data })],
        vec![put(&file.handle), Operation::Read(ReadArgs { stateid, offset: 0, count: 100 })],
        vec![
            put(&file.handle),
            Operation::Setattr(SetattrArgs { stateid, attributes: Attributes::size(9).encode() }),
        ],
        vec![put(root), Operation::Rename(RenameArgs { oldname: name(), newname: name() })],
        vec![put(root), Operation::Remove(RemoveArgs { target: name() })],
        vec![Operation::TestStateid(TestStateidArgs { stateids: vec![stateid; 3] })],
        vec![Operation::ExchangeId(options.exchange_id())],
        vec![Operation::CreateSession(options.create_session(client.id(), 1))],
    ]
}

/// True if SEQUENCE succeeded.
fn used_its_slot(reply: Vec<Bytes>) -> bool {
    let mut input = Decoder::new(reply.concat().into());
    let accepted = ReplyHeader::decode(&mut input).is_ok_and(|header| header.outcome.is_ok());
    let skipped = (|| {
        let _ = (Status::decode(&mut input)?, Bytes::decode(&mut input)?, u32::decode(&mut input)?);
        OperationResult::decode(&mut input)
    })();
    accepted && matches!(skipped, Ok(OperationResult::Sequence(Ok(_))))
}

/// Numbers that look random and are the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 as usize % limit.max(1)
    }
}

fn damage(record: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        let at = random.below(record.len());
        match random.below(6) {
            0 => record.truncate(at),
            1 => record.splice(at..at, [0xff; 4]).for_each(drop),
            _ => record.iter_mut().skip(at).take(1).for_each(|byte| *byte = random.below(256) as u8),
        }
    }
}
