//! The memory that is kept for clients is bounded, whoever they are and whatever they do; and those that work go on.

mod charged;
mod limits;

use std::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use forebay_nfs::memory::StateUsage;
use forebay_nfs::{Config, memory};
use forebay_nfs_client::{Attributes, Client, ClientOptions, FileHandle, Hoard, Hoarder, OpenFile, Slot};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;

use crate::harness::*;

const BOUND: usize = 16 << 20;
const HOARDERS: usize = 100;
const SESSIONS: usize = 5;
const SLOTS: u32 = 32;

async fn small_server() -> Daemon {
    Daemon::start_with(Config { state_bytes_max: BOUND, ..Config::default() }).await
}

fn usage(server: &Daemon) -> StateUsage {
    server.shared().counters().memory.usage
}

/// Addresses of the loopback network: one for all, or one for each.
fn address(number: usize, apart: bool) -> IpAddr {
    let [high, low] = if apart { (number as u16 + 1).to_be_bytes() } else { [0, 1] };
    IpAddr::V4(Ipv4Addr::new(127, if apart { 1 } else { 0 }, high, low))
}

fn mkdir(name: &str) -> Operation {
    Operation::Create(CreateArgs {
        object_type: CreateType::Directory,
        name: Bytes::copy_from_slice(name.as_bytes()),
        attributes: Attributes::mode(0o755).encode(),
    })
}

/// A client that works as brokers do, and asks for its replies to be kept.
struct Honest {
    client: Client,
    root: FileHandle,
    file: OpenFile,
    slot: Slot,
}

impl Honest {
    async fn mount(server: &Daemon, name: &str) -> Honest {
        let (client, root) = server.mount_root(name).await;
        let file = client.files().create(&root, name).await.expect("a file");
        let slot = client.take_slot().expect("a slot");
        Honest { client, root, file, slot }
    }

    async fn works(&mut self, step: usize) {
        let files = self.client.files();
        let data = Bytes::from(vec![step as u8; 100]);
        files.write(&self.file, 0, data.clone(), StableHow::FileSync).await.expect("written");
        assert_eq!(files.read(&self.file, 0, 100).await.expect("read").0.into_bytes(), data);
        let name = format!("{}-{step}", self.slot.id);
        let opened = files.create(&self.root, &name).await.expect("opened");
        files.close(&opened).await.expect("closed");
        self.slot.sequence += 1;
        let request = || [put(&self.root), mkdir(&format!("{name}-made-by-{}", self.client.id().0))];
        let first = self.client.compound_on(0, self.slot, true, request()).await.expect("an answer");
        assert_eq!(first.status, Status::Ok);
        let again = self.client.compound_on(0, self.slot, true, request()).await.expect("an answer");
        assert_eq!(again.encoded, first.encoded, "it is not executed again");
    }
}

async fn hoard(server: &Daemon, number: usize, apart: bool, path: Option<&str>) -> (Hoarder, Hoard) {
    let options = ClientOptions::new(&format!("hoarder-{number}")).from(address(number, apart));
    let mut hoarder = Hoarder::connect(server.address(), options).await.expect("a connection");
    let hoard = hoarder.hoard(SESSIONS, SLOTS, path).await.expect("answers");
    (hoarder, hoard)
}

/// Many clients have replies kept in all slots of many sessions, while others work.
async fn flood(apart: bool, path: Option<&str>) -> (StateUsage, Hoard) {
    let server = small_server().await;
    let mut early = Honest::mount(&server, "early").await;
    let (mut all, mut hoarders, mut most) = (Hoard::default(), Vec::new(), StateUsage::default());
    for number in 0..HOARDERS {
        let (hoarder, hoard) = hoard(&server, number, apart, path).await;
        hoarders.push(hoarder);
        all += hoard;
        let now = usage(&server);
        assert!(now.bytes() <= BOUND as u64, "{now:?}");
        if now.bytes() > most.bytes() {
            most = now;
        }
        if number % 10 == 0 {
            early.works(number).await;
        }
    }
    let mut late = Honest::mount(&server, "late").await;
    for step in 0..5 {
        early.works(1000 + step).await;
        late.works(2000 + step).await;
    }
    server.expire_all_but(&[&early.client, &late.client]).await;
    server.pass(LEASE / 4).await;
    eventually("what was kept is given back", async || usage(&server).bytes() < 200 << 10).await;
    early.works(3000).await;
    late.works(3001).await;
    assert_eq!(server.shared().sessions.count(), 2);
    (most, all)
}

#[tokio::test]
async fn clients_that_use_no_export_take_little_and_disturb_nobody() {
    for apart in [false, true] {
        let (most, hoard) = flood(apart, None).await;
        assert!(most.bytes() <= (BOUND / 4 + (1 << 20)) as u64, "{most:?}");
        assert!(hoard.refused > hoard.replies, "{hoard:?}");
    }
}

#[tokio::test]
async fn clients_that_use_an_export_and_open_nothing_take_their_part_and_disturb_nobody() {
    for apart in [false, true] {
        let (most, hoard) = flood(apart, Some(VOLUME)).await;
        assert!(most.bytes() <= (BOUND / 4 + BOUND / 4) as u64, "{most:?}");
        assert!(hoard.refused > 0, "{hoard:?}");
    }
}

#[tokio::test]
async fn clients_with_open_files_leave_others_their_floor_and_what_they_have() {
    let server = small_server().await;
    let mut early = Honest::mount(&server, "early").await;
    let mut holders = Vec::new();
    for number in 0..HOARDERS {
        let (holder, root) = server.mount_root(&format!("hoarder-{number}")).await;
        let opened = holder.files().create(&root, &format!("file-{number}")).await.expect("a file");
        holders.push((holder, opened, hoard(&server, number, false, Some(VOLUME)).await.0));
        assert!(usage(&server).bytes() <= BOUND as u64);
    }
    let mut late = Honest::mount(&server, "late").await;
    for step in 0..3 {
        early.works(step).await;
        late.works(100 + step).await;
    }
}

#[tokio::test]
async fn registrations_that_never_make_a_session_are_few() {
    let server = small_server().await;
    let mut early = Honest::mount(&server, "early").await;
    let connection = ClientOptions::new("flood").connect(server.address()).await.expect("a connection");
    let clients_max = memory::StateMemory::new(BOUND, 4096).clients_max();
    for number in 0..2 * clients_max {
        let owner = format!("{number:01000}");
        let register = Operation::ExchangeId(ClientOptions::new(&owner).exchange_id());
        let reply = connection.compound(2, &[register]).await.expect("an answer");
        assert_eq!(reply.status, Status::Ok);
    }
    let census = server.shared().counters().census;
    assert!(census.unconfirmed <= clients_max as u64 / 4, "{census:?}");
    early.works(0).await;
    Honest::mount(&server, "late").await.works(1).await;
}
