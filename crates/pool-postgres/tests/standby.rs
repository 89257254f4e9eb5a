//! Whether commits are guarded by a synchronous standby, as a look at the database finds it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use forebay_pool_postgres::{Cluster, Database, Synchronous};

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
    // It keeps what it receives as a standby does.
    let mut receiving = server.program("pg_receivewal");
    let source = format!("host={} user=forebay application_name=s1", server.directory.display());
    receiving.args(["--synchronous", "--no-loop", "--dbname", &source, "--directory"]).arg(&server.directory);
    receiving.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let standby = Standby(receiving.spawn().unwrap());
    wait_for(&url, &Synchronous::Guarded(vec!["s1".to_owned()]));
    assert_eq!(look(&looks), Synchronous::Unknown);
    drop(standby);
    wait_for(&url, &Synchronous::Missing);
}
