//! Candidates, and the lease of the owner.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use forebay_pool::store::{Batch, MetaStore, MetaView};
use forebay_pool_postgres::{
    Candidacy, Cluster, ClusterState, Database, Lease, LeaseOptions, Leaving, PoolSeen, PoolState,
    PostgresMeta, PostgresOptions, Request, Synchronous, ask, create,
};

use crate::common;

fn wait(database: &Database, node: &str, restarts: bool, losses: &Arc<AtomicUsize>) -> Lease {
    let (stop, losses) = (Arc::default(), losses.clone());
    let lost = move |_: &str| {
        losses.fetch_add(1, Ordering::SeqCst);
    };
    Lease::wait(database, Candidacy::of(node, restarts), LeaseOptions::default(), &stop, lost)
        .unwrap()
        .unwrap()
}

fn open(database: &Database, lease: &Lease) -> PostgresMeta {
    PostgresMeta::open(database, lease.owned(), PostgresOptions::default()).unwrap()
}

fn put(store: &PostgresMeta, key: u8) -> forebay_pool::Result<()> {
    store.write(Batch { changes: vec![(vec![0x10, key], Some(Bytes::from_static(b"x")))] })?;
    store.make_durable()
}

#[test]
fn a_candidate_that_starts_before_its_database_waits_for_it() {
    let (name, directory) = (common::new_name(), tempfile::tempdir().unwrap());
    create(&Database::of(&common::server().url(), &name).unwrap()).unwrap();
    let database = Database::of(&common::url_in(directory.path()), &name).unwrap();
    let candidate = Candidate::start(&database, Candidacy::of("a", false));
    std::thread::sleep(Duration::from_secs(2));
    assert!(!candidate.has_it(), "it ended although the database may only be starting");
    let socket = ".s.PGSQL.5432";
    let (server, here) = (common::server().directory.join(socket), directory.path().join(socket));
    std::os::unix::fs::symlink(server, here).unwrap();
    within(5, || candidate.has_it());
    assert!(candidate.lease().tenure().holds());
}

#[test]
fn a_released_pool_is_taken_at_once_and_one_that_is_held_is_not() {
    let (database, losses) = (common::new_database(), Arc::default());
    let begun = Instant::now();
    let first = wait(&database, "a", false, &losses);
    assert!(begun.elapsed() < Duration::from_secs(2), "nobody had it");
    assert_eq!(first.taken_from().from, None);
    put(&open(&database, &first), 1).unwrap();
    // Longer than silence would take: the lease is renewed.
    let stop = Arc::new(AtomicBool::new(false));
    let candidate = {
        let (database, stop) = (database.clone(), stop.clone());
        std::thread::spawn(move || {
            Lease::wait(&database, Candidacy::of("b", false), LeaseOptions::default(), &stop, |_| ())
        })
    };
    std::thread::sleep(Duration::from_secs(6));
    assert!(!candidate.is_finished() && first.tenure().holds());
    first.release(Leaving::Stopped).unwrap();
    let second = candidate.join().unwrap().unwrap().unwrap();
    assert_eq!(second.taken_from().from.as_deref(), Some("a"));
    assert_eq!(second.taken_from().silent, Duration::ZERO);
    assert!(open(&database, &second).get(&[0x10, 1]).unwrap().is_some());
    assert_eq!(losses.load(Ordering::SeqCst), 0);
}

#[test]
fn the_next_owner_learns_where_the_clients_are_and_a_replaced_one_does_not_change_that() {
    let (database, losses) = (common::new_database(), Arc::default());
    let first = wait(&database, "a", false, &losses);
    assert_eq!(first.inherited_clients(), "");
    let of_first = first.clients().unwrap();
    of_first.tell("one".into()).unwrap();
    of_first.tell("two".into()).unwrap();
    first.release(Leaving::Stopped).unwrap();
    let second = wait(&database, "b", false, &losses);
    assert_eq!(second.inherited_clients(), "two");
    second.clients().unwrap().tell("of b".into()).unwrap();
    of_first.tell("late".into()).unwrap();
    second.release(Leaving::Stopped).unwrap();
    assert_eq!(wait(&database, "c", false, &losses).inherited_clients(), "of b");
}

#[test]
fn a_silent_owner_is_replaced_and_may_not_answer_when_that_happens() {
    let (database, losses) = (common::new_database(), Arc::<AtomicUsize>::default());
    let first = wait(&database, "a", false, &losses);
    let (store, tenure) = (open(&database, &first), first.tenure());
    put(&store, 1).unwrap();
    // The process goes on, but nothing of it renews the lease any more.
    drop(first);
    let begun = Instant::now();
    let second = wait(&database, "b", false, &losses);
    let took = begun.elapsed();
    assert!(!tenure.holds(), "the tenure ended before the pool was taken");
    assert!((Duration::from_secs(3)..Duration::from_secs(6)).contains(&took), "{took:?}");
    assert_eq!(second.taken_from().from.as_deref(), Some("a"));
    assert!(put(&store, 2).is_err());
    assert!(second.tenure().holds());
    assert_eq!(open(&database, &second).get(&[0x10, 2]).unwrap(), None);
}

#[test]
fn a_process_that_restarts_on_its_machine_takes_its_own_lease_at_once() {
    let (database, losses) = (common::new_database(), Arc::<AtomicUsize>::default());
    let first = wait(&database, "a", true, &losses);
    std::thread::sleep(Duration::from_millis(700));
    let begun = Instant::now();
    let second = wait(&database, "a", true, &losses);
    assert!(begun.elapsed() < Duration::from_secs(2));
    // The first one learns of it with its next renewal.
    let deadline = Instant::now() + Duration::from_secs(3);
    while losses.load(Ordering::SeqCst) == 0 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(losses.load(Ordering::SeqCst), 1);
    assert!(first.tenure().is_lost() && !first.tenure().holds() && second.tenure().holds());
}

#[test]
fn of_several_candidates_one_takes_the_pool() {
    let (database, losses) = (common::new_database(), Arc::<AtomicUsize>::default());
    let first = wait(&database, "a", false, &losses);
    let stop = Arc::new(AtomicBool::new(false));
    let candidates: Vec<_> = ["b", "c", "d"]
        .map(|node| {
            let (database, stop) = (database.clone(), stop.clone());
            std::thread::spawn(move || {
                Lease::wait(&database, Candidacy::of(node, false), LeaseOptions::default(), &stop, |_| ())
            })
        })
        .into();
    drop(first);
    let deadline = Instant::now() + Duration::from_secs(10);
    while !candidates.iter().any(|candidate| candidate.is_finished()) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_secs(1));
    stop.store(true, Ordering::SeqCst);
    let taken = candidates.into_iter().filter_map(|candidate| candidate.join().unwrap().unwrap());
    assert_eq!(taken.count(), 1);
}

/// A candidate in a thread of its own, until it has the pool or the test stops it.
struct Candidate {
    stop: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<forebay_pool::Result<Option<Lease>>>,
}

impl Candidate {
    fn start(database: &Database, candidacy: Candidacy) -> Candidate {
        let stop = Arc::new(AtomicBool::new(false));
        let (database, stopping) = (database.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            Lease::wait(&database, candidacy, LeaseOptions::default(), &stopping, |_| ())
        });
        Candidate { stop, thread }
    }

    fn has_it(&self) -> bool {
        self.thread.is_finished()
    }

    fn lease(self) -> Lease {
        self.thread.join().unwrap().unwrap().unwrap()
    }

    fn stop(self) {
        self.stop.store(true, Ordering::SeqCst);
        assert!(self.thread.join().unwrap().unwrap().is_none());
    }
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// Two looks at all pools of the database.
fn look(database: &Database) -> ClusterState {
    run(async {
        let mut cluster = Cluster::new(database);
        cluster.look().await.unwrap();
        tokio::time::sleep(Duration::from_millis(1200)).await;
        cluster.look().await.unwrap()
    })
}

fn seen(database: &Database) -> PoolSeen {
    look(database).pools.into_iter().find(|pool| pool.name == database.name()).unwrap()
}

fn waiting(database: &Database) -> Vec<String> {
    seen(database).candidates.unwrap().into_iter().map(|one| one.node).collect()
}

fn within(seconds: u64, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    while !holds() {
        assert!(Instant::now() < deadline, "not within {seconds} s");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn candidates_are_shown_while_they_wait_and_not_afterwards() {
    let (database, losses) = (common::new_database(), Arc::default());
    assert_eq!(seen(&database).state, PoolState::NeverOpened);
    let owner = wait(&database, "a boot /place", false, &losses);
    owner.serving(12, 34);
    let later =
        Candidate::start(&database, Candidacy { priority: 3, ..Candidacy::of("c boot /o'clock", false) });
    std::thread::sleep(Duration::from_millis(300));
    let first = Candidate::start(&database, Candidacy::of("b", false));
    std::thread::sleep(Duration::from_secs(2));
    let pool = seen(&database);
    let row = pool.row.unwrap();
    assert_eq!((pool.state, row.node.as_str()), (PoolState::Serves, "a"));
    assert!(row.lease_age.unwrap() < Duration::from_secs(2));
    let takeover = row.takeover.unwrap();
    assert_eq!((takeover.open_ms, takeover.address_ms, takeover.was_silent), (Some(12), Some(34), false));
    assert_eq!(waiting(&database), ["b", "c"], "those that take the pool first come first");
    first.stop();
    assert_eq!(waiting(&database), ["c"]);
    owner.release(Leaving::Stopped).unwrap();
    let owner = later.lease();
    assert!(waiting(&database).is_empty());
    drop(owner);
    std::thread::sleep(Duration::from_secs(3));
    assert!(matches!(seen(&database).state, PoolState::Silent(time) if time > Duration::from_secs(3)));
}

#[test]
fn a_pool_that_is_moved_goes_to_the_named_node_and_to_any_after_five_seconds() {
    let (database, losses) = (common::new_database(), Arc::default());
    let owner = wait(&database, "a", false, &losses);
    let (b, c) = (
        Candidate::start(&database, Candidacy::of("b", false)),
        Candidate::start(&database, Candidacy::of("c", false)),
    );
    std::thread::sleep(Duration::from_secs(1));
    owner.release(Leaving::MovedTo("c".to_owned())).unwrap();
    within(3, || c.has_it());
    assert!(!b.has_it());
    let owner = c.lease();
    let begun = Instant::now();
    owner.release(Leaving::MovedTo("nobody".to_owned())).unwrap();
    within(9, || b.has_it());
    assert!(begun.elapsed() > Duration::from_millis(4900), "{:?}", begun.elapsed());
    // A node that releases the pool for others does not take it at once, and others do.
    b.lease().release(Leaving::Released).unwrap();
    let (again, other) = (
        Candidate::start(&database, Candidacy::of("b", true)),
        Candidate::start(&database, Candidacy::of("a", false)),
    );
    within(3, || other.has_it());
    assert!(!again.has_it());
    again.stop();
}

#[test]
fn the_node_that_was_silent_leaves_the_pool_to_the_new_owner_and_a_third_does_not() {
    let (database, losses) = (common::new_database(), Arc::default());
    drop(wait(&database, "a", false, &losses));
    let owner = wait(&database, "b", false, &losses);
    assert!(owner.taken_from().silent > Duration::ZERO);
    drop(owner);
    let back = Candidate::start(&database, Candidacy::of("a", false));
    std::thread::sleep(Duration::from_secs(6));
    assert!(!back.has_it(), "it has just lost the pool");
    let third = Candidate::start(&database, Candidacy::of("c", false));
    within(6, || third.has_it());
    back.stop();
    // Nobody else is there: it takes the pool when the 30 s are over.
    let age = "update forebay_NAME.lease set taken_from = 'a', since = since - interval '28 s'";
    common::execute(&age.replace("NAME", database.name()));
    drop(third.lease());
    let back = Candidate::start(&database, Candidacy::of("a", false));
    within(8, || back.has_it());
}

#[test]
fn a_candidate_with_a_priority_waits_longer_for_a_silent_owner() {
    let (database, losses) = (common::new_database(), Arc::default());
    let owner = wait(&database, "a", false, &losses);
    let later = Candidate::start(&database, Candidacy { priority: 4, ..Candidacy::of("b", false) });
    std::thread::sleep(Duration::from_secs(1));
    drop(owner);
    let begun = Instant::now();
    within(9, || later.has_it());
    assert!(begun.elapsed() > Duration::from_millis(4900), "{:?}", begun.elapsed());
}

#[test]
fn an_owner_learns_who_asks_it_to_hand_the_pool_over() {
    let (database, losses) = (common::new_database(), Arc::default());
    let owner = wait(&database, "a", false, &losses);
    let requests = owner.requests();
    let instance = seen(&database).row.unwrap().instance;
    assert!(!run(ask(&database, "another", Some("b"), "somebody")).unwrap(), "the owner is another one");
    assert!(run(ask(&database, &instance, Some("b"), "somebody")).unwrap());
    within(3, || requests.borrow().is_some());
    let asked = Request { to: Some("b".to_owned()), by: "somebody".to_owned() };
    assert_eq!(requests.borrow().as_ref(), Some(&asked));
}

#[test]
fn the_tables_of_an_older_release_are_brought_up_to_date_and_can_be_looked_at_before() {
    let (database, losses) = (common::new_database(), Arc::<AtomicUsize>::default());
    let older = "drop table forebay_NAME.candidate; alter table forebay_NAME.lease drop column renewed, drop column taken_by, \
                 drop column taken_from, drop column taken_how, drop column silent_ms, drop column open_ms, drop column address_ms, \
                 drop column asked, drop column asked_for, drop column asked_by, drop column reserved_for, drop column avoided, \
                 drop column reserved_until";
    common::execute(&older.replace("NAME", database.name()));
    let pool = seen(&database);
    assert_eq!((pool.state, pool.candidates), (PoolState::NeverOpened, None));
    // Several processes of the new release come at a time.
    let candidates: Vec<_> =
        ["a", "b", "c"].map(|node| Candidate::start(&database, Candidacy::of(node, false))).into();
    within(5, || candidates.iter().any(Candidate::has_it));
    std::thread::sleep(Duration::from_secs(1));
    let (owner, others): (Vec<_>, Vec<_>) = candidates.into_iter().partition(Candidate::has_it);
    assert_eq!(waiting(&database).len(), 2);
    others.into_iter().for_each(Candidate::stop);
    for owner in owner {
        put(&open(&database, &owner.lease()), 1).unwrap();
    }
    drop(wait(&database, "d", false, &losses));
}

#[test]
fn a_role_that_may_only_read_sees_the_pools_and_may_not_ask_for_a_move() {
    let (database, losses) = (common::new_database(), Arc::default());
    let owner = wait(&database, "a", false, &losses);
    let (name, role) = (database.name(), format!("looks_{}", database.name()));
    common::execute(&format!("create role {role} login"));
    let url = common::url().replace("user=forebay", &format!("user={role}"));
    let looking = Database::of(&url, name).unwrap();
    assert_eq!(seen(&looking).state, PoolState::Unreadable);
    common::execute(&format!(
        "grant usage on schema forebay_{name} to {role}; grant select on all tables in schema forebay_{name} to {role}"
    ));
    let pool = seen(&looking);
    assert_eq!((pool.state, pool.candidates.map(|all| all.len())), (PoolState::Opening, Some(0)));
    assert!(pool.bytes.unwrap() > 0);
    let instance = pool.row.unwrap().instance;
    let error = run(ask(&looking, &instance, None, "somebody")).unwrap_err().to_string();
    assert!(error.contains("may not write to its table `lease`") && error.contains("--server"), "{error}");
    assert_eq!(look(&looking).synchronous, Synchronous::Unguarded);
    drop(owner);
}

/// A host that vanished says nothing, and neither does one whose server hangs.
#[test]
fn a_host_that_says_nothing_does_not_keep_an_owner_from_the_next_one() {
    // A server of its own: all its sessions end.
    let (mute, server) = (std::net::TcpListener::bind("127.0.0.1:0").unwrap(), common::Server::start());
    let (port, name) = (mute.local_addr().unwrap().port(), common::new_name());
    let of = |hosts: String| Database::of(&format!("{hosts} user=forebay dbname=postgres"), &name).unwrap();
    create(&Database::of(&server.url(), &name).unwrap()).unwrap();
    // The server's socket has the usual port in its name.
    let database = of(format!("host=127.0.0.1,{} port={port},5432", server.directory.display()));
    let (begun, losses) = (Instant::now(), Arc::default());
    let owner = wait(&database, "a", false, &losses);
    let store = open(&database, &owner);
    put(&store, 1).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());

    // As after a promotion, each session has to be made again.
    common::execute_on(
        &server.url(),
        "select count(pg_terminate_backend(pid))::text from pg_stat_activity where application_name like 'forebay %'",
    );
    let (until, mut away) = (Instant::now() + Duration::from_secs(6), Duration::ZERO);
    while Instant::now() < until {
        let pause = Duration::from_millis(10);
        away += if owner.tenure().holds() { Duration::ZERO } else { pause };
        std::thread::sleep(pause);
    }
    assert!(owner.tenure().holds() && away < Duration::from_secs(1), "it was uncertain for {away:?}");
    put(&store, 2).unwrap();
    let candidate = Candidate::start(&database, Candidacy::of("b", false));
    std::thread::sleep(Duration::from_secs(5));
    assert!(!candidate.has_it(), "it sees the owner's renewals");
    candidate.stop();

    let alone = of(format!("host=127.0.0.1 port={port}"));
    let error = PostgresMeta::take(&alone, PostgresOptions::default()).err().unwrap().to_string();
    assert!(error.contains("no answer within 5 s"), "{error}");
}
