//! Only one process changes a pool, whatever the others believe.

use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;
use forebay_pool::store::{Backends, Batch, FileSegments, FileSystemRoom, Key, MetaStore, MetaView, Notes};
use forebay_pool::{Error, Kind, NewInode, Pool, PoolOptions, Stability, VolumeSpec};
use forebay_pool_postgres::{Database, PostgresMeta, PostgresOptions, create};

use crate::common;

fn take(database: &Database) -> PostgresMeta {
    PostgresMeta::take(database, PostgresOptions::default()).unwrap()
}

fn put(key: u8, value: &'static str) -> Batch {
    Batch { changes: vec![(vec![0x10, key], Some(Bytes::from(value)))] }
}

fn all(store: &dyn MetaView) -> Vec<(Key, Bytes)> {
    let mut found = Vec::new();
    store
        .scan(Vec::new()..vec![255], &mut |key, value| {
            found.push((key.to_vec(), Bytes::copy_from_slice(value)));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    found
}

#[test]
fn a_replaced_owner_makes_nothing_durable_and_reads_nothing() {
    let database = common::new_database();
    let first = take(&database);
    first.write(put(1, "one")).unwrap();
    first.make_durable().unwrap();
    first.write(put(2, "two")).unwrap();
    let second = take(&database);
    assert_eq!(second.epoch(), first.epoch() + 1);
    let error = first.make_durable().unwrap_err();
    assert!(matches!(&error, Error::NotPermitted(cause) if cause.contains("another process")), "{error}");
    assert!(matches!(first.write(put(3, "three")), Err(Error::Failed(_))));
    // What it had read or written stays in its memory; what it has not read, it does not get.
    assert!(matches!(first.get(&[0x40, 9]), Err(Error::NotPermitted(_))));
    assert!(first.snapshot().is_err());
    assert_eq!(all(&second), [(vec![0x10, 1], Bytes::from("one"))]);
    second.write(put(4, "four")).unwrap();
    second.make_durable().unwrap();
    let third = take(&database);
    let keys: Vec<Key> = all(&third).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, [vec![0x10, 1], vec![0x10, 4]]);
    assert_eq!(third.position().durable, 2);
}

/// Many owners, each of which believes that it is the only one.
#[test]
fn of_many_owners_that_write_at_once_only_the_last_one_succeeds() {
    let database = common::new_database();
    let owners: Vec<std::thread::JoinHandle<Vec<u8>>> = (0..6)
        .map(|number: u8| {
            let database = database.clone();
            std::thread::spawn(move || {
                let Ok(owner) = PostgresMeta::take(&database, PostgresOptions::default()) else {
                    return Vec::new();
                };
                let mut durable = Vec::new();
                for round in 0..20_u8 {
                    let key = number * 20 + round;
                    // Both keys, or none.
                    let changes = [0x10, 0x22].map(|kind| (vec![kind, key], Some(Bytes::from_static(b"x"))));
                    let changes = changes.to_vec();
                    if owner.write(Batch { changes }).and_then(|()| owner.make_durable()).is_err() {
                        break;
                    }
                    durable.push(key);
                }
                durable
            })
        })
        .collect();
    let acknowledged: std::collections::BTreeSet<u8> =
        owners.into_iter().flat_map(|owner| owner.join().unwrap()).collect();
    let last = take(&database);
    let kept = |kind: u8| -> std::collections::BTreeSet<u8> {
        all(&last).into_iter().filter(|(key, _)| key[0] == kind).map(|(key, _)| key[1]).collect()
    };
    assert_eq!(kept(0x10), kept(0x22));
    assert_eq!(kept(0x10), acknowledged, "exactly what was acknowledged is there");
    assert!(!acknowledged.is_empty());
}

#[test]
fn a_database_that_lost_acknowledged_groups_stops_the_owner_and_is_named() {
    let database = common::new_database();
    let owner = take(&database);
    for n in 0..5 {
        owner.write(put(n, "x")).unwrap();
        owner.make_durable().unwrap();
    }
    // As a standby that lacked the last two groups would have it.
    common::execute(&format!("update forebay_{}.pool set batch = 3", database.name()));
    owner.write(put(9, "x")).unwrap();
    let error = owner.make_durable().unwrap_err().to_string();
    assert!(error.contains("ends with batch 3, and batches 4 to 5 are gone"), "{error}");
    assert!(matches!(owner.write(put(9, "x")), Err(Error::Failed(_))));
}

#[test]
fn a_read_that_finds_that_groups_were_lost_is_not_repeated() {
    let database = common::new_database();
    let owner = take(&database);
    owner.write(put(1, "x")).unwrap();
    owner.make_durable().unwrap();
    common::execute(&format!("update forebay_{}.pool set batch = 0", database.name()));
    let begun = std::time::Instant::now();
    // Nothing of this kind is in memory yet.
    let error = owner.get(&[0x40, 9]).unwrap_err().to_string();
    assert!(error.contains("batches 1 to 1 are gone"), "{error}");
    assert!(begun.elapsed() < std::time::Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(owner.failure(), Some(error));
}

/// Nothing is written that could tell it.
#[tokio::test(flavor = "multi_thread")]
async fn a_pool_stops_when_a_read_finds_that_the_database_lost_acknowledged_groups() {
    let database = common::new_database();
    let segments = tempfile::tempdir().unwrap();
    let (_, pool) = open(&database, segments.path()).await.unwrap();
    pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.unwrap();
    write_file(&pool, 1).await.unwrap();
    assert!(!pool.is_stopped());
    common::execute(&format!("update forebay_{}.pool set batch = batch - 1", database.name()));
    assert!(pool.efficiency(None).await.is_err());
    assert!(pool.is_stopped());
    assert!(
        matches!(write_file(&pool, 2).await, Err(Error::Failed(cause)) if cause.contains("has lost commit groups"))
    );
}

#[test]
fn replaced_rows_do_not_pile_up_without_the_databases_own_vacuum() {
    // Of its own: a long read by another test would keep what is replaced meanwhile.
    let server = common::Server::start();
    let database = Database::of(&server.url(), &common::new_name()).unwrap();
    create(&database).unwrap();
    let table = format!("forebay_{}.extent", database.name());
    common::execute_on(
        &server.url(),
        &format!("alter table {table} set (autovacuum_enabled = off, toast.autovacuum_enabled = off)"),
    );
    let owner = take(&database);
    let written = 128 << 20;
    let value = Bytes::from(vec![7; 64 << 10]);
    for round in 0..written / value.len() / 8 {
        let row = |row: u8| (vec![0x22, row], Some(value.slice(round % 100..)));
        owner.write(Batch { changes: (0..8).map(row).collect() }).unwrap();
        owner.make_durable().unwrap();
    }
    let question = format!("select pg_total_relation_size('{table}')");
    let size: usize = common::query_on(&server.url(), &question).parse().unwrap();
    assert!(owner.counts().vacuums >= 3, "{:?}", owner.counts());
    assert!(size < written / 2, "{size} bytes in the table after {written} were written");
}

#[test]
fn long_reads_at_a_time_share_a_few_connections() {
    // Of its own: other tests have long reads, too.
    let server = common::Server::start();
    let database = Database::of(&server.url(), &common::new_name()).unwrap();
    create(&database).unwrap();
    let owner = take(&database);
    owner.write(put(1, "one")).unwrap();
    owner.make_durable().unwrap();
    let read = || {
        let read = owner.scan(Vec::new()..vec![255], &mut |_, _| {
            std::thread::sleep(std::time::Duration::from_millis(200));
            Ok(ControlFlow::Continue(()))
        });
        read.unwrap();
    };
    let question = "select count(*) from pg_stat_activity where application_name like 'forebay % scan'";
    let most = std::thread::scope(|scope| {
        let reads: Vec<_> = (0..12).map(|_| scope.spawn(read)).collect();
        let mut most = 0;
        while !reads.iter().all(|read| read.is_finished()) {
            let count: usize = common::query_on(&server.url(), question).parse().unwrap();
            most = most.max(count);
        }
        most
    });
    assert!((1..=4).contains(&most), "{most} connections");
}

#[test]
fn what_cannot_be_opened_says_why() {
    let refusal = |url: &str, name: &str| {
        let database = Database::of(url, name).unwrap();
        let error =
            PostgresMeta::take(&database, PostgresOptions::default()).err().expect("it must not open");
        error.to_string()
    };
    let url = common::url();
    let missing = refusal(&url, "nosuch");
    assert!(
        missing.contains("pool nosuch in database") && missing.contains("there is no such pool"),
        "{missing}"
    );
    let database = common::new_database();
    let error = create(&database).unwrap_err().to_string();
    assert!(error.contains("already") && error.contains("choose another name"), "{error}");
    common::execute(&format!("update forebay_{}.pool set format = 99", database.name()));
    let newer = refusal(&url, database.name());
    assert!(newer.contains("tables have version 99") && newer.contains("use the newer release"), "{newer}");
    let away = refusal("host=/nonexistent user=forebay dbname=postgres", "kafka");
    assert!(away.contains("see whether the database runs"), "{away}");
    let absent = refusal(&url.replace("dbname=postgres", "dbname=nosuch"), "kafka");
    assert!(!url.contains("dbname=postgres") || absent.contains("create the database"), "{absent}");
}

async fn open(
    database: &Database,
    segments: &std::path::Path,
) -> forebay_pool::Result<(Arc<PostgresMeta>, Pool)> {
    let database = database.clone();
    let metadata = tokio::task::spawn_blocking(move || take(&database)).await.unwrap();
    let metadata = Arc::new(metadata);
    let backends = Backends {
        metadata: metadata.clone(),
        segments: Arc::new(FileSegments::open(&segments.join("segments"), false)),
        room: Box::new(FileSystemRoom(segments.to_path_buf())),
        notes: Some(Notes::Directory(segments.to_path_buf())),
    };
    Ok((metadata, Pool::open_on(backends, PoolOptions::default()).await?))
}

fn name(number: u8) -> String {
    format!("f{number}")
}

/// A file of some chunks, whose bytes tell its number.
async fn write_file(pool: &Pool, number: u8) -> forebay_pool::Result<()> {
    let root = pool.volume("kafka")?.root;
    let new = NewInode::new(Kind::File, 0o600);
    let file = pool.create(root, name(number).as_bytes(), new).await?.attributes.handle;
    let bytes = Bytes::from((0..300_000_u32).map(|n| (n / 7) as u8 ^ number).collect::<Vec<u8>>());
    pool.write(file, 0, bytes, Stability::FileSync).await?;
    Ok(())
}

async fn require_file(pool: &Pool, number: u8) {
    let root = pool.volume("kafka").unwrap().root;
    let file = pool.lookup(root, name(number).as_bytes()).await.unwrap().handle;
    let read = pool.read(file, 0, 300_000).await.unwrap();
    let bytes = read.pieces.concat();
    assert_eq!(bytes.len(), 300_000);
    assert!(bytes.iter().enumerate().all(|(n, byte)| *byte == (n as u32 / 7) as u8 ^ number), "{number}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pool_in_a_database_is_opened_again_with_everything_in_it() {
    let (database, directory) = (common::new_database(), tempfile::tempdir().unwrap());
    let (_, pool) = open(&database, directory.path()).await.unwrap();
    pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.unwrap();
    for number in 0..10 {
        write_file(&pool, number).await.unwrap();
    }
    let root = pool.volume("kafka").unwrap().root;
    pool.rename(root, b"f0", root, b"other").await.unwrap();
    pool.remove(root, b"f1").await.unwrap();
    pool.close().await.unwrap();
    drop(pool);
    let (_, pool) = open(&database, directory.path()).await.unwrap();
    assert_eq!(pool.last_stop(), forebay_pool::LastStop::Clean);
    for number in 2..10 {
        require_file(&pool, number).await;
    }
    assert!(pool.lookup(root, b"other").await.is_ok());
    assert!(matches!(pool.lookup(root, b"f1").await, Err(Error::NotFound(_))));
    assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
    pool.close().await.unwrap();
}

/// The first owner goes on while a second one opens the pool: none of the two sees what the other one does after that.
#[tokio::test(flavor = "multi_thread")]
async fn a_pool_that_is_taken_over_keeps_what_was_acknowledged_and_nothing_else() {
    let (database, directory) = (common::new_database(), tempfile::tempdir().unwrap());
    let (_, first) = open(&database, directory.path()).await.unwrap();
    first.volume_create(VolumeSpec::new("kafka", "/kafka")).await.unwrap();
    let (count, mut written) = tokio::sync::watch::channel(0);
    let writing = {
        let first = first.clone();
        tokio::spawn(async move {
            let mut acknowledged = 0;
            while write_file(&first, acknowledged).await.is_ok() {
                acknowledged += 1;
                assert!(acknowledged < 200, "the owner was never replaced");
                let _ = count.send(acknowledged);
            }
            acknowledged
        })
    };
    written.wait_for(|written| *written >= 3).await.unwrap();
    let (_, second) = open(&database, directory.path()).await.unwrap();
    assert_eq!(second.last_stop(), forebay_pool::LastStop::Unclean);
    for number in 0..writing.await.unwrap() {
        require_file(&second, number).await;
    }
    write_file(&second, 250).await.unwrap();
    require_file(&second, 250).await;
    assert!(
        first
            .create(first.volume("kafka").unwrap().root, b"late", NewInode::new(Kind::File, 0o600))
            .await
            .is_err()
    );
    assert!(first.close().await.is_err() && first.is_stopped());
    assert_eq!(second.check(true).await.unwrap(), Vec::<String>::new());
    second.close().await.unwrap();
}

/// A database that was restored to an earlier time is not served: what is gone was acknowledged.
#[tokio::test(flavor = "multi_thread")]
async fn a_pool_whose_database_was_set_back_is_refused() {
    let (database, directory) = (common::new_database(), tempfile::tempdir().unwrap());
    let (_, pool) = open(&database, directory.path()).await.unwrap();
    pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.unwrap();
    write_file(&pool, 1).await.unwrap();
    let schema = format!("forebay_{}", database.name());
    let save = ["pool", "hot", "extent", "chunk"]
        .map(|table| format!("create table {schema}.old_{table} as table {schema}.{table};"));
    common::execute(&save.concat());
    write_file(&pool, 2).await.unwrap();
    pool.close().await.unwrap();
    let restore = ["pool", "hot", "extent", "chunk"].map(|table| {
        format!(
            "delete from {schema}.{table}; insert into {schema}.{table} select * from {schema}.old_{table};"
        )
    });
    common::execute(&restore.concat());
    let error = open(&database, directory.path()).await.err().expect("it must not open").to_string();
    assert!(error.contains("START.00000001") && error.contains("nothing was changed"), "{error}");
}
