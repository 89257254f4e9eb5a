//! Whether commits are guarded by a synchronous standby, as a look at the database finds it; and the lease, which it guards as well.

use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use forebay_pool_postgres::{Candidacy, Cluster, Database, Lease, LeaseOptions, Synchronous, create};

use crate::common;

fn look(url: &str) -> Synchronous {
    let database = Database::whole(url).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { Cluster::new(&database).look().await.unwrap().synchronous })
}

fn wait_for(url: &str, expected: &Synchronous) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while look(url) != *expected {
        assert!(Instant::now() < deadline, "{:?} is not {expected:?}", look(url));
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Ends with the test.
struct Standby(Child);

impl Standby {
    /// Starts one that the server waits for, and that keeps what it receives as a standby does.
    fn start(server: &common::Server) -> Standby {
        let mut receiving = server.program("pg_receivewal");
        let source = format!("host={} user=forebay application_name=s1", server.directory.display());
        receiving
            .args(["--synchronous", "--no-loop", "--dbname", &source, "--directory"])
            .arg(&server.directory);
        receiving.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Standby(receiving.spawn().unwrap())
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_standby_guards_commits_while_it_is_named_and_connected_and_only_some_roles_see_it() {
    let server = common::Server::start();
    let url = server.url();
    common::execute_on(&url, "create role looks login");
    let looks = url.replace("user=forebay", "user=looks");
    assert_eq!((look(&url), look(&looks)), (Synchronous::Unguarded, Synchronous::Unguarded));
    common::execute_on(&url, "alter system set synchronous_standby_names = 's1'");
    common::execute_on(&url, "select pg_reload_conf()::text");
    wait_for(&url, &Synchronous::Missing);
    let standby = Standby::start(&server);
    wait_for(&url, &Synchronous::Guarded(vec!["s1".to_owned()]));
    assert_eq!(look(&looks), Synchronous::Unknown);
    drop(standby);
    wait_for(&url, &Synchronous::Missing);
}

/// The standby may have been promoted, and another node may have the pool there, while this owner only reaches the former primary.
#[test]
fn an_owner_does_not_answer_while_no_standby_confirms_its_renewals() {
    let server = common::Server::start();
    let url = server.url();
    let database = Database::of(&url, &common::new_name()).unwrap();
    create(&database).unwrap();
    common::execute_on(&url, "alter system set synchronous_standby_names = 's1'");
    common::execute_on(&url, "select pg_reload_conf()::text");
    let standby = Standby::start(&server);
    wait_for(&url, &Synchronous::Guarded(vec!["s1".to_owned()]));
    let waited =
        Lease::wait(&database, Candidacy::of("a", false), LeaseOptions::default(), &Arc::default(), |_| ());
    let lease = waited.unwrap().unwrap();
    let tenure = lease.tenure();
    let holds_within = |expected: bool, seconds: u64| {
        let deadline = Instant::now() + Duration::from_secs(seconds);
        while tenure.holds() != expected {
            assert!(Instant::now() < deadline, "it does not become {expected}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    std::thread::sleep(Duration::from_secs(3));
    holds_within(true, 0);
    drop(standby);
    holds_within(false, 4);
    std::thread::sleep(Duration::from_secs(6));
    holds_within(false, 0);
    let _standby = Standby::start(&server);
    holds_within(true, 15);
}
