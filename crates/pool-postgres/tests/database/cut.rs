//! A connection is cut after any byte of a commit group, or of its answers. The group is then in the database once and whole, or the owner sends
//! it again.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use forebay_pool::store::{Batch, Key, MetaStore, MetaView};
use forebay_pool_postgres::{Database, PostgresMeta, PostgresOptions, create};

use crate::common;

/// How many groups are cut, if the environment variable `FOREBAY_CUTS` does not say.
const CUTS: u64 = 300;

/// Stands between the owner and the server, and cuts connections that commit.
struct Proxy {
    directory: tempfile::TempDir,
    /// Bytes that still pass in each direction; negative for any number.
    budgets: [Arc<AtomicI64>; 2],
    /// Bytes that passed in each direction.
    passed: [Arc<AtomicU64>; 2],
    cuts: Arc<AtomicU64>,
}

impl Proxy {
    fn start(server: &Path) -> Proxy {
        let directory = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(directory.path().join(".s.PGSQL.5432")).unwrap();
        let proxy = Proxy {
            directory,
            budgets: [-1, -1].map(|none| Arc::new(AtomicI64::new(none))),
            passed: Default::default(),
            cuts: Arc::default(),
        };
        let (budgets, passed, cuts) = (proxy.budgets.clone(), proxy.passed.clone(), proxy.cuts.clone());
        let server: PathBuf = server.join(".s.PGSQL.5432");
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), UnixStream::connect(&server).unwrap());
                // Whether this connection commits. Its first message says so.
                let commits = Arc::new(Mutex::new(false));
                let pipes = [
                    (client.try_clone().unwrap(), server.try_clone().unwrap()),
                    (server.try_clone().unwrap(), client.try_clone().unwrap()),
                ];
                for (number, (from, to)) in pipes.into_iter().enumerate() {
                    let (budget, passed, cuts) =
                        (budgets[number].clone(), passed[number].clone(), cuts.clone());
                    let commits = commits.clone();
                    std::thread::spawn(move || pump(from, to, &budget, &passed, &cuts, &commits));
                }
            }
        });
        proxy
    }
}

fn pump(
    mut from: UnixStream,
    mut to: UnixStream,
    budget: &AtomicI64,
    passed: &AtomicU64,
    cuts: &AtomicU64,
    commits: &Mutex<bool>,
) {
    let mut buffer = [0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let bytes = &buffer[..count];
        if bytes.windows(7).any(|window| window == b" commit") {
            *commits.lock().unwrap() = true;
        }
        let mut allowed = count;
        if *commits.lock().unwrap() {
            passed.fetch_add(count as u64, Ordering::SeqCst);
            let left = budget.load(Ordering::SeqCst);
            if left >= 0 {
                allowed = count.min(left as usize);
                budget.store(left - allowed as i64, Ordering::SeqCst);
            }
        }
        if to.write_all(&bytes[..allowed]).is_err() {
            break;
        }
        if allowed < count {
            cuts.fetch_add(1, Ordering::SeqCst);
            budget.store(-1, Ordering::SeqCst);
            break;
        }
    }
    let _ = from.shutdown(std::net::Shutdown::Both);
    let _ = to.shutdown(std::net::Shutdown::Both);
}

fn all(store: &dyn MetaView) -> BTreeMap<Key, Bytes> {
    let mut found = BTreeMap::new();
    store
        .scan(Vec::new()..vec![255], &mut |key, value| {
            found.insert(key.to_vec(), Bytes::copy_from_slice(value));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    found
}

/// Every group changes each table, replaces a row, and removes what the one before had.
fn changes(round: u64) -> BTreeMap<Key, Option<Bytes>> {
    let mut changes = BTreeMap::new();
    for kind in [0x20_u8, 0x22, 0x30] {
        let key = |number: u64| [&[kind][..], &number.to_be_bytes()].concat();
        changes.insert(vec![kind, 0xff], Some(Bytes::from(round.to_be_bytes().to_vec())));
        changes.insert(key(round), Some(Bytes::from(vec![kind; 100])));
        changes.insert(key(round.wrapping_sub(1)), None);
    }
    changes
}

#[test]
fn a_group_that_is_cut_after_any_byte_is_there_once_and_whole() {
    let cuts: u64 = std::env::var("FOREBAY_CUTS").map_or(CUTS, |text| text.parse().unwrap());
    let name = common::new_name();
    let direct = Database::of(&common::server().url(), &name).unwrap();
    create(&direct).unwrap();
    // Counts how often each group was applied: every change of the batch's number.
    common::execute_on(
        &common::server().url(),
        &format!(
            "create table forebay_{name}.audit (batch bigint);
             create function forebay_{name}.note() returns trigger language plpgsql as $$ begin
                 if new.batch <> old.batch then insert into forebay_{name}.audit values (new.batch); end if; return new;
             end $$;
             create trigger note after update on forebay_{name}.pool for each row execute function forebay_{name}.note();"
        ),
    );
    let proxy = Proxy::start(&common::server().directory);
    let through = Database::of(&common::url_in(proxy.directory.path()), &name).unwrap();
    let owner = PostgresMeta::take(&through, PostgresOptions::default()).unwrap();
    let mut model: BTreeMap<Key, Bytes> = BTreeMap::new();
    let mut commit = |round: u64| {
        let changes = changes(round);
        owner.write(Batch { changes: changes.clone().into_iter().collect() }).unwrap();
        owner.make_durable().unwrap();
        for (key, value) in changes {
            match value {
                Some(value) => drop(model.insert(key, value)),
                None => drop(model.remove(&key)),
            }
        }
        model.clone()
    };
    commit(0);
    let before = [0, 1].map(|direction| proxy.passed[direction].load(Ordering::SeqCst));
    commit(1);
    let sizes = [0, 1].map(|direction| proxy.passed[direction].load(Ordering::SeqCst) - before[direction]);
    assert!(sizes.iter().all(|bytes| *bytes > 50), "{sizes:?}");
    let mut expected = BTreeMap::new();
    for round in 2..cuts + 2 {
        let direction = (round % 2) as usize;
        // Every byte of both directions in turn, as far as the rounds go.
        let at = (round / 2 * sizes[direction].max(1) / (cuts / 2)) % sizes[direction];
        proxy.budgets[direction].store(at as i64, Ordering::SeqCst);
        expected = commit(round);
        proxy.budgets[direction].store(-1, Ordering::SeqCst);
    }
    assert!(proxy.cuts.load(Ordering::SeqCst) >= cuts, "{:?}", proxy.cuts);
    let counts = owner.counts();
    eprintln!("{cuts} groups cut, bytes of a group and of its answers {sizes:?}: {counts:?}");
    // A cut through a connection that is just being made needs no lookup.
    assert!(counts.lookups >= cuts * 9 / 10, "{counts:?}");
    let audited = common::query_on(
        &common::server().url(),
        &format!(
            "select count(*) || ' ' || count(distinct batch) || ' ' || max(batch) from forebay_{name}.audit"
        ),
    );
    let rounds = cuts + 2;
    assert_eq!(audited, format!("{rounds} {rounds} {rounds}"), "each group was applied once");
    let reopened = PostgresMeta::take(&direct, PostgresOptions::default()).unwrap();
    assert!(all(&reopened) == expected);
}
