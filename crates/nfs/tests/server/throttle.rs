//! Limits of the throughput of volumes: what waits, for how long, and what does not. The clock is the test's, so rates are exact.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use forebay_net::memory::RequestMemory;
use forebay_nfs::Connection;
use forebay_nfs::dispatch;
use forebay_nfs_client::{Client, FileHandle, OpenFile};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;
use forebay_pool::VolumeChange;
use tokio::task::JoinHandle;

use crate::harness::{DEADLINE, Daemon, compound, eventually, on, put, volume};

const MIB: usize = 1 << 20;
/// Bytes per second.
const LIMIT: u64 = 5_000_000;
/// What passes at once: the largest request, and a tenth of a second's worth.
const BURST: u64 = MIB as u64 + LIMIT / 10;

async fn limit(server: &Daemon, name: &str, limit: Option<u64>) {
    let change = VolumeChange { max_bytes_per_second: Some(limit), ..VolumeChange::default() };
    let volume = server.pool().volume_modify(name, change).await.unwrap();
    // The server takes it over when it looks, which is now, before the clock moves again.
    let waits = server.shared().service.throttle.waits(volume.id);
    assert_eq!(waits.is_some(), limit.is_some());
}

/// A server whose volume is limited, and a file there.
async fn limited() -> (Daemon, Arc<Client>, OpenFile) {
    let server = Daemon::start().await;
    limit(&server, "kafka", Some(LIMIT)).await;
    let (client, root) = server.mount_root("client").await;
    let file = client.files().create(&root, "file").await.unwrap();
    (server, Arc::new(client), file)
}

fn write_of(file: &OpenFile, bytes: usize) -> Operation {
    let (stateid, stable, data) = (file.stateid, StableHow::Unstable, Bytes::from(vec![7; bytes]));
    Operation::Write(WriteArgs { stateid, offset: 0, stable, data })
}

fn read_of(file: &OpenFile, bytes: usize) -> Operation {
    Operation::Read(ReadArgs { stateid: file.stateid, offset: 0, count: bytes as u32 })
}

/// Executes an operation on a file in the background.
fn begin(client: &Arc<Client>, file: &OpenFile, operation: Operation) -> JoinHandle<OperationResult> {
    let (client, handle) = (client.clone(), file.handle.clone());
    tokio::spawn(async move { on(&client, &handle, operation).await })
}

async fn ended(task: JoinHandle<OperationResult>) -> OperationResult {
    tokio::time::timeout(DEADLINE, task).await.expect("in time").unwrap()
}

/// Uses up what may pass at once under a limit.
async fn use_up(client: &Client, file: &OpenFile, limit: u64) {
    for bytes in [MIB, limit as usize / 10] {
        let result = on(client, &file.handle, write_of(file, bytes)).await;
        assert_eq!(result.status(), Status::Ok);
    }
}

/// Waits until so many requests wait in all.
async fn wait_until_in_work(server: &Daemon, requests: usize) {
    let in_work =
        || server.shared().sessions.all().iter().map(|session| session.slots_in_work()).sum::<usize>();
    eventually("requests are in work", async || in_work() >= requests).await;
}

fn waited(server: &Daemon, operation: OpCode) -> (u64, Duration) {
    let counted = server.shared().statistics.snapshot();
    let found = counted.iter().find(|counted| counted.operation == Some(operation)).unwrap();
    (found.waits, found.waited)
}

#[tokio::test]
async fn reading_and_writing_together_are_held_to_the_limit_and_get_all_of_it() {
    const REQUEST: usize = 64 << 10;
    let (server, client, file) = limited().await;
    client.files().write(&file, 0, Bytes::from(vec![7; REQUEST]), StableHow::FileSync).await.unwrap();
    let moved = Arc::new(AtomicU64::new(REQUEST as u64));
    let stop = Arc::new(AtomicBool::new(false));
    let mut workers = Vec::new();
    for number in 0..6 {
        let (client, file, moved, stop) = (client.clone(), file.clone(), moved.clone(), stop.clone());
        workers.push(tokio::spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                let operation =
                    if number % 2 == 0 { write_of(&file, REQUEST) } else { read_of(&file, REQUEST) };
                assert_eq!(on(&client, &file.handle, operation).await.status(), Status::Ok);
                moved.fetch_add(REQUEST as u64, Ordering::Relaxed);
            }
        }));
    }
    // Three seconds, in steps that are shorter than the burst.
    for step in 0..=60 {
        let allowed = BURST + LIMIT * step / 20;
        let all = || moved.load(Ordering::Relaxed);
        eventually("all that is allowed is done", async || all() + REQUEST as u64 > allowed).await;
        assert!(all() <= allowed, "{} of {allowed}", all());
        if step < 60 {
            server.halt(Duration::from_millis(50));
        }
    }
    let rate = (moved.load(Ordering::Relaxed) - BURST) as f64 / (3 * LIMIT) as f64;
    assert!((0.95..1.05).contains(&rate), "{rate}");
    let ((writes, waited_writing), (reads, waited_reading)) =
        (waited(&server, OpCode::Write), waited(&server, OpCode::Read));
    assert!(writes > 10 && reads > 10, "{writes} {reads}");
    // Six always waited, for three seconds.
    let waited = (waited_writing + waited_reading).as_secs_f64();
    assert!((13.0..=18.1).contains(&waited), "{waited}");
    stop.store(true, Ordering::Relaxed);
    limit(&server, "kafka", None).await;
    for worker in workers {
        tokio::time::timeout(DEADLINE, worker).await.expect("in time").unwrap();
    }
}

#[tokio::test]
async fn who_waits_is_in_nobodys_way_and_keeps_his_lease() {
    let (server, client, file) = limited().await;
    server.pool().volume_create(volume("other", true)).await.unwrap();
    use_up(&client, &file, LIMIT).await;
    let waiting: Vec<_> = (0..4).map(|_| begin(&client, &file, write_of(&file, MIB))).collect();
    wait_until_in_work(&server, 4).await;
    // The same client in another volume, another client in the same volume, and what moves no data.
    let root = client.files().resolve("/other").await.unwrap();
    let other = client.files().create(&root, "file").await.unwrap();
    for _ in 0..3 {
        use_up(&client, &other, LIMIT).await;
        assert_eq!(on(&client, &other.handle, read_of(&other, MIB)).await.status(), Status::Ok);
    }
    let (neighbour, root) = server.mount_root("neighbour").await;
    let another = neighbour.files().create(&root, "another").await.unwrap();
    neighbour.files().getattr(&another.handle).await.unwrap();
    neighbour.files().commit(&file.handle).await.unwrap();
    client.renew().await.unwrap();
    // A client of which requests wait does not expire, whatever else it says.
    server.expire_all_but(&[&neighbour]).await;
    for task in waiting {
        assert!(matches!(ended(task).await.status(), Status::Ok | Status::Delay));
    }
    client.files().commit(&file.handle).await.unwrap();
    client.renew().await.unwrap();
}

#[tokio::test]
async fn another_limit_is_in_force_at_once_also_for_who_waits() {
    let (server, client, file) = limited().await;
    use_up(&client, &file, LIMIT).await;
    let task = begin(&client, &file, write_of(&file, MIB));
    wait_until_in_work(&server, 1).await;
    server.halt(Duration::from_millis(100));
    // Half a megabyte is there.
    limit(&server, "kafka", Some(100 * LIMIT)).await;
    wait_until_in_work(&server, 1).await;
    assert!(!task.is_finished());
    server.halt(Duration::from_millis(2));
    assert_eq!(ended(task).await.status(), Status::Ok);
    limit(&server, "kafka", Some(LIMIT)).await;
    let waiting: Vec<_> = (0..3).map(|_| begin(&client, &file, read_of(&file, MIB))).collect();
    limit(&server, "kafka", None).await;
    for task in waiting {
        assert_eq!(ended(task).await.status(), Status::Ok);
    }
    for _ in 0..20 {
        use_up(&client, &file, LIMIT).await;
    }
}

#[tokio::test]
async fn a_small_request_does_not_overtake_a_large_one() {
    let (server, client, file) = limited().await;
    use_up(&client, &file, LIMIT).await;
    let large = begin(&client, &file, write_of(&file, MIB));
    wait_until_in_work(&server, 1).await;
    let small = begin(&client, &file, read_of(&file, 4096));
    wait_until_in_work(&server, 2).await;
    // A quarter of a megabyte is there.
    server.halt(Duration::from_millis(50));
    client.renew().await.unwrap();
    assert!(!large.is_finished() && !small.is_finished());
    server.halt(Duration::from_millis(161));
    assert_eq!((ended(large).await.status(), ended(small).await.status()), (Status::Ok, Status::Ok));
}

/// What stands for a record's memory.
struct Record(Vec<u8>, Arc<AtomicBool>);

impl AsRef<[u8]> for Record {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        self.1.store(true, Ordering::Release);
    }
}

#[tokio::test]
async fn who_would_wait_for_too_long_is_told_in_time_and_takes_no_memory_until_then() {
    let (server, client, file) = limited().await;
    limit(&server, "kafka", Some(1_000_000)).await;
    use_up(&client, &file, 1_000_000).await;
    let waiting: Vec<_> = (0..9).map(|_| begin(&client, &file, write_of(&file, MIB))).collect();
    wait_until_in_work(&server, 9).await;
    let freed = Arc::new(AtomicBool::new(false));
    let mut slot = client.take_slot().unwrap();
    slot.sequence += 1;
    let operations = [client.sequence(slot, true), put(&file.handle), write_of(&file, MIB)];
    let record = Bytes::from_owner(Record(compound(&operations), freed.clone()));
    let (shared, peer) = (server.shared().clone(), server.address());
    let told = tokio::spawn(async move {
        let connection = Arc::new(Connection::new(0, peer));
        dispatch::answer(&shared, &connection, record, RequestMemory::default()).await.unwrap().concat()
    });
    eventually("the payload is dropped", async || freed.load(Ordering::Acquire)).await;
    assert!(!told.is_finished());
    // Its turn would come after more than ten seconds, which is too long for a client.
    for _ in 0..100 {
        server.halt(Duration::from_millis(100));
        tokio::task::yield_now().await;
    }
    let reply = tokio::time::timeout(DEADLINE, told).await.expect("in time").unwrap();
    assert_eq!(reply.get(24..28), Some(&(Status::Delay as u32).to_be_bytes()[..]), "{reply:?}");
    let mut done = 0;
    for task in waiting {
        match ended(task).await.status() {
            Status::Ok => done += 1,
            status => assert_eq!(status, Status::Delay),
        }
    }
    assert!(done >= 6, "{done}");
    let volume = server.pool().volume("kafka").unwrap().id;
    let waits = server.shared().service.throttle.waits(volume).unwrap();
    assert!(waits.turned_away >= 1 && waits.requests >= 9, "{waits:?}");
}

#[tokio::test]
async fn what_was_not_moved_does_not_count_and_copies_do() {
    let (server, client, file) = limited().await;
    let at = |offset| WriteArgs {
        stateid: file.stateid,
        offset,
        stable: StableHow::Unstable,
        data: vec![7; MIB].into(),
    };
    for block in 0..3 {
        assert_eq!(on(&client, &file.handle, Operation::Write(at(block << 20))).await.status(), Status::Ok);
        server.halt(Duration::from_millis(250));
    }
    let root = client.files().resolve(crate::harness::VOLUME).await.unwrap();
    let copy = client.files().create(&root, "copy").await.unwrap();
    // Behind the end, under a stateid that is none, of holes: nothing is moved.
    let hole = client.files().create(&root, "hole").await.unwrap();
    let size = forebay_nfs_client::Attributes::size(4 << 20);
    client.files().setattr(&hole.handle, hole.stateid, &size).await.unwrap();
    for _ in 0..4 {
        assert_eq!(on(&client, &copy.handle, read_of(&copy, MIB)).await.status(), Status::Ok);
        let nobody = OpenFile { stateid: StateId { seqid: 7, other: [9; 12] }, ..file.clone() };
        assert_eq!(on(&client, &file.handle, write_of(&nobody, MIB)).await.status(), Status::BadStateid);
        let plus = ReadPlusArgs { stateid: hole.stateid, offset: 0, count: MIB as u32 };
        assert_eq!(on(&client, &hole.handle, Operation::ReadPlus(plus)).await.status(), Status::Ok);
    }
    // A copy is done as far as the limit lets it, a clone as a whole.
    assert_eq!(count(copied(&client, &file, &copy, 0, 3 << 20).await), BURST);
    let whole = CloneArgs {
        src_stateid: file.stateid,
        dst_stateid: copy.stateid,
        src_offset: 0,
        dst_offset: 0,
        count: 3 << 20,
    };
    let cloned = between(&client, &file.handle, &copy.handle, Operation::Clone(whole)).await;
    assert_eq!(cloned.status(), Status::Ok);
    let next = tokio::spawn({
        let (client, file, copy) = (client.clone(), file.clone(), copy.clone());
        async move { copied(&client, &file, &copy, BURST, 0).await }
    });
    wait_until_in_work(&server, 1).await;
    assert!(!next.is_finished());
    server.halt(Duration::from_millis(320));
    assert_eq!(count(ended(next).await), BURST);
    // What no file has is refused as ever.
    assert_eq!(copied(&client, &file, &copy, 0, 4 << 20).await.status(), Status::Inval);
}

async fn copied(client: &Client, from: &OpenFile, to: &OpenFile, offset: u64, count: u64) -> OperationResult {
    let operation = Operation::Copy(CopyArgs {
        src_stateid: from.stateid,
        dst_stateid: to.stateid,
        src_offset: offset,
        dst_offset: offset,
        count,
        consecutive: false,
        synchronous: true,
        source_server: Vec::new(),
    });
    between(client, &from.handle, &to.handle, operation).await
}

async fn between(
    client: &Client,
    from: &FileHandle,
    to: &FileHandle,
    operation: Operation,
) -> OperationResult {
    let operations = [put(from), Operation::Savefh(()), put(to), operation];
    client.try_compound(operations).await.unwrap().results.pop().unwrap()
}

fn count(copied: OperationResult) -> u64 {
    let OperationResult::Copy(Ok(copied)) = copied else { panic!("{copied:?}") };
    copied.response.count
}

#[tokio::test]
async fn a_server_that_is_told_to_stop_does_not_wait_for_limits() {
    let (mut server, client, file) = limited().await;
    use_up(&client, &file, LIMIT).await;
    let waiting: Vec<_> = (0..4).map(|_| begin(&client, &file, write_of(&file, MIB))).collect();
    wait_until_in_work(&server, 4).await;
    server.stop().await;
    for task in waiting {
        assert_eq!(ended(task).await.status(), Status::Ok);
    }
}

#[tokio::test]
async fn snapshots_count_with_their_volume() {
    let (server, client, file) = limited().await;
    use_up(&client, &file, LIMIT).await;
    client.files().commit(&file.handle).await.unwrap();
    server.pool().snapshot_create(&["kafka".to_owned()], "then").await.unwrap();
    let directory = client.files().resolve("/kafka/.snapshot/then").await.unwrap();
    let handle = client.files().lookup(&directory, "file").await.unwrap();
    let old = OpenFile { handle, stateid: StateId::ANONYMOUS, ..file.clone() };
    let task = begin(&client, &old, read_of(&old, MIB));
    wait_until_in_work(&server, 1).await;
    assert!(!task.is_finished());
    server.halt(Duration::from_millis(220));
    let OperationResult::Read(Ok(read)) = ended(task).await else { panic!("no data") };
    assert_eq!(read.data.len(), MIB);
}
