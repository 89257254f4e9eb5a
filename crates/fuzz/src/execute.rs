//! A server on a pool in memory executes any script ([`crate::script`]): two clients with a session each are there, then come the
//! requests. Nothing may panic, every reply must be readable and no longer than its request allows, and at the end the pool's own
//! check must find nothing.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use forebay_net::memory::RequestMemory;
use forebay_nfs::{Config, Connection, Shared, dispatch};
use forebay_nfs_proto::rpc::message::{Call, PROCEDURE_COMPOUND, ReplyHeader};
use forebay_nfs_proto::rpc::{AuthSys, OpaqueAuth};
use forebay_nfs_proto::xdr::nfs4::*;
use forebay_nfs_proto::xdr::{Decode, Decoder, Encode, Encoder, Status};
use forebay_pool::{Pool, PoolOptions, VolumeSpec};
use forebay_service::{Clock, Service};
use tokio::runtime::Runtime;

use crate::script::*;

/// Requests of one script that are executed.
const REQUESTS_MAX: usize = 64;
/// How much time passes when a script says so, and how often leases are looked at meanwhile: a server that did not look for
/// longer takes itself for one that did not run.
const LATER: Duration = Duration::from_secs(25);
const SWEEP: Duration = Duration::from_secs(5);
const SESSION_BYTES_MAX: u32 = 64 << 10;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().expect("a runtime")
});

/// Executes a script.
pub fn run(data: &[u8]) {
    let requests = parse(data);
    RUNTIME.block_on(async {
        let mut world = World::new().await;
        for request in requests.iter().take(REQUESTS_MAX) {
            world.execute(request).await;
        }
        world.end().await;
    });
}

struct World {
    server: Arc<Shared>,
    connection: Arc<Connection>,
    clock: Clock,
    clients: [ClientState; 2],
    generations: HashMap<[u8; 12], [u8; 4]>,
}

#[derive(Default)]
struct ClientState {
    session: SessionId,
    sequence: u32,
    last: Option<(Vec<u8>, Vec<u8>)>,
}

impl World {
    async fn new() -> World {
        let options =
            PoolOptions { bytes_max: Some(64 << 20), cache_bytes: 1 << 20, ..PoolOptions::default() };
        let pool = Pool::in_memory(options).await.expect("a pool");
        let volume = VolumeSpec { mode: 0o777, ..VolumeSpec::new("kafka", "/kafka") };
        pool.volume_create(volume).await.expect("a volume");
        let clock = Clock::manual();
        // A minute of courtesy, so that scripts see clients that are evicted.
        let config = Config { clock: clock.clone(), slots_max: 4, courtesy_seconds: 60, ..Config::default() };
        let service = Arc::new(Service::open(pool, config.service_options()).expect("a service"));
        let server = Arc::new(Shared::open(service, config).await.expect("a server"));
        let connection = Arc::new(Connection::new(0, ([127, 0, 0, 1], 1000).into()));
        let mut world =
            World { server, connection, clock, clients: Default::default(), generations: HashMap::new() };
        for client in 0..2 {
            world.register(client).await;
        }
        let root = [
            Operation::Putrootfh(()),
            Operation::Lookup(LookupArgs { name: Bytes::from_static(b"kafka") }),
            Operation::Getfh(()),
        ];
        let root = Request { how: 0, operations: 3, body: encode(&root) };
        world.execute(&root).await;
        world
    }

    /// EXCHANGE_ID, CREATE_SESSION, RECLAIM_COMPLETE.
    async fn register(&mut self, number: usize) {
        let ownerid = Bytes::copy_from_slice(format!("client {number}").as_bytes());
        let exchange = Operation::ExchangeId(ExchangeIdArgs {
            clientowner: ClientOwner { verifier: Verifier([1; 8]), ownerid },
            flags: 0,
            state_protect: StateProtectArgs::None,
            client_impl_id: None,
        });
        let OperationResult::ExchangeId(Ok(registered)) = self.one(&exchange).await else {
            panic!("EXCHANGE_ID fails")
        };
        let channel = ChannelAttributes {
            headerpadsize: 0,
            maxrequestsize: SESSION_BYTES_MAX,
            maxresponsesize: SESSION_BYTES_MAX,
            maxresponsesize_cached: 4096,
            maxoperations: 64,
            maxrequests: 4,
            rdma_ird: None,
        };
        let create = Operation::CreateSession(CreateSessionArgs {
            clientid: registered.clientid,
            sequence: registered.sequenceid,
            flags: 0,
            fore_chan_attrs: channel.clone(),
            back_chan_attrs: channel,
            cb_program: 0x4000_0000,
            sec_parms: Vec::new(),
        });
        let OperationResult::CreateSession(Ok(session)) = self.one(&create).await else {
            panic!("CREATE_SESSION fails")
        };
        self.clients[number].session = session.sessionid;
        let complete = [Operation::ReclaimComplete(ReclaimCompleteArgs { one_fs: false })];
        let how = if number == 1 { HOW_SECOND } else { 0 };
        self.execute(&Request { how, operations: 1, body: encode(&complete) }).await;
    }

    async fn one(&self, operation: &Operation) -> OperationResult {
        let mut record = header(0, 2, 1, false);
        operation.encode(&mut record);
        let (_, mut results) = self.answer(record.into_bytes().to_vec()).await.expect("an answer");
        results.pop().expect("a result")
    }

    async fn execute(&mut self, request: &Request) {
        if request.how & HOW_LATER != 0 {
            self.pass(LATER).await;
        }
        let number = usize::from(request.how & HOW_SECOND != 0);
        if request.how & HOW_AGAIN != 0
            && let Some((record, reply)) = self.clients[number].last.clone()
            && let Some((again, _)) = self.answer(record).await
        {
            // Unless the session is gone meanwhile, which an error at SEQUENCE says.
            let sequence_failed = again.len() < 80;
            assert!(again == reply || sequence_failed, "a reply that was kept is another one now");
        }
        let minor = if request.how & HOW_MINOR_1 != 0 { 1 } else { 2 };
        let bare = request.how & HOW_BARE != 0;
        let user = if request.how & HOW_USER != 0 { 1000 } else { 0 };
        let count = u32::from(request.operations) + u32::from(!bare);
        let mut record = header(user, minor, count, bare);
        let cachethis = request.how & HOW_CACHE != 0;
        let client = &mut self.clients[number];
        if !bare {
            client.sequence += 1;
            Operation::Sequence(SequenceArgs {
                sessionid: client.session,
                sequenceid: client.sequence,
                slotid: 0,
                highest_slotid: 0,
                cachethis,
            })
            .encode(&mut record);
        }
        let mut record = record.into_bytes().to_vec();
        let begin = record.len();
        record.extend(&request.body);
        self.fill_in(&mut record[begin..]);
        let Some((reply, results)) = self.answer(record.clone()).await else { return };
        self.note_generations(&reply);
        assert!(results.len() <= count as usize);
        assert!(reply.len() <= SESSION_BYTES_MAX as usize, "{} bytes", reply.len());
        if !bare {
            let sequence = matches!(results.first(), Some(OperationResult::Sequence(Ok(_))));
            let client = &mut self.clients[number];
            if !sequence {
                client.sequence -= 1;
            }
            client.last = (sequence && cachethis).then_some((record, reply));
        }
    }

    async fn pass(&self, time: Duration) {
        let mut passed = Duration::ZERO;
        while passed < time {
            self.clock.advance(SWEEP);
            self.server.state.sweep().await;
            passed += SWEEP;
        }
    }

    /// The reply and the results in it; `None` if the request closes the connection or is refused by RPC.
    async fn answer(&self, record: Vec<u8>) -> Option<(Vec<u8>, Vec<OperationResult>)> {
        let reply = dispatch::answer(&self.server, &self.connection, record.into(), RequestMemory::default())
            .await
            .ok()?
            .concat();
        let mut input = Decoder::new(reply.clone().into());
        let header = ReplyHeader::decode(&mut input).expect("the header of a reply");
        header.outcome.ok()?;
        let status = Status::decode(&mut input).expect("a status");
        Bytes::decode(&mut input).expect("a tag");
        let results = Vec::<OperationResult>::decode(&mut input).expect("results");
        input.finish().expect("nothing behind the results");
        if let Some((last, before)) = results.split_last() {
            assert_eq!(last.status(), status);
            assert!(before.iter().all(|result| result.status() == Status::Ok));
        }
        Some((reply, results))
    }

    /// Puts in what this run's names stand for.
    fn fill_in(&self, body: &mut [u8]) {
        for at in positions(body, POOL) {
            let Some(begin) = at.checked_sub(POOL_AT) else { continue };
            body[at..at + POOL.len()].copy_from_slice(&self.server.pool.id().0);
            let Some(handle) = body.get_mut(begin..begin + HANDLE_BYTES) else { continue };
            if let Some((object, generation)) = split(handle)
                && generation == GENERATION
                && let Some(known) = self.generations.get(&object)
            {
                handle[GENERATION_AT..].copy_from_slice(known);
            }
        }
        replace(body, SESSION, &self.clients[0].session.0[..8]);
    }

    fn note_generations(&mut self, reply: &[u8]) {
        for at in positions(reply, &self.server.pool.id().0) {
            let handle = at.checked_sub(POOL_AT).and_then(|begin| reply.get(begin..begin + HANDLE_BYTES));
            if let Some((object, generation)) = handle.and_then(split) {
                self.generations.insert(object, generation.try_into().expect("four bytes"));
            }
        }
    }

    /// Ends all state; then nothing may be wrong with the pool.
    async fn end(self) {
        self.pass(8 * LATER).await;
        assert!(self.server.state.clients().is_empty(), "leases have run out");
        let pool = &self.server.pool;
        let _ = pool.settle().await;
        let differences: HashSet<String> = pool.check(true).await.expect("a check").into_iter().collect();
        assert!(differences.is_empty(), "{differences:?}");
        let pool = pool.clone();
        drop(self);
        pool.close().await.expect("the pool closes");
    }
}

/// The volume and inode of a filehandle, and its generation.
fn split(handle: &[u8]) -> Option<([u8; 12], &[u8])> {
    let object = handle.get(POOL_AT + POOL.len()..GENERATION_AT)?.try_into().ok()?;
    Some((object, handle.get(GENERATION_AT..HANDLE_BYTES)?))
}

fn encode(operations: &[Operation]) -> Vec<u8> {
    let mut out = Encoder::new();
    for operation in operations {
        operation.encode(&mut out);
    }
    out.into_bytes().to_vec()
}

/// A COMPOUND up to its first operation.
fn header(user: u32, minor_version: u32, operations: u32, anonymous: bool) -> Encoder {
    let credential = if anonymous && user != 0 {
        OpaqueAuth::NONE
    } else {
        OpaqueAuth::sys(&AuthSys { uid: user, gid: user, ..AuthSys::default() })
    };
    let mut out = Encoder::of(&Call::nfs(7, PROCEDURE_COMPOUND, credential));
    Bytes::new().encode(&mut out);
    minor_version.encode(&mut out);
    operations.encode(&mut out);
    out
}
