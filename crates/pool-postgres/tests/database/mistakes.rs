//! Databases that refuse, are slow, or must not be used. Each says so in one line, and nothing is lost.

use std::time::{Duration, Instant};

use bytes::Bytes;
use forebay_pool::Error;
use forebay_pool::store::{Batch, MetaStore, MetaView};
use forebay_pool_postgres::{Database, PostgresMeta, PostgresOptions, create};

use crate::common;

fn take(database: &Database) -> forebay_pool::Result<PostgresMeta> {
    PostgresMeta::take(database, PostgresOptions::default())
}

fn put(store: &PostgresMeta, key: u8) -> forebay_pool::Result<()> {
    store.write(Batch { changes: vec![(vec![0x10, key], Some(Bytes::from_static(b"value")))] })?;
    store.make_durable()
}

fn has(store: &PostgresMeta, key: u8) -> bool {
    store.get(&[0x10, key]).unwrap().is_some()
}

/// Runs `body` (PL/pgSQL) before each row that is written to the pool's small table.
fn before_each_row(database: &Database, body: &str) {
    let (name, schema) = (database.name(), format!("forebay_{}", database.name()));
    common::execute(&format!(
        "create function public.{name}() returns trigger language plpgsql as $$ begin {body}; return new; end $$; \
         create trigger fault before insert on {schema}.hot for each row execute function public.{name}()"
    ));
}

fn without_trigger(database: &Database) {
    common::execute(&format!("drop trigger fault on forebay_{}.hot", database.name()));
}

#[test]
fn a_database_whose_disk_is_full_stops_the_pool_and_has_all_that_was_acknowledged() {
    let database = common::new_database();
    let owner = take(&database).unwrap();
    put(&owner, 1).unwrap();
    before_each_row(&database, "raise exception 'could not extend file' using errcode = 'disk_full'");
    let error = put(&owner, 2).unwrap_err().to_string();
    assert!(error.contains("could not extend file") && error.contains("make room"), "{error}");
    // The failed group is still in this process' memory, but not in the database.
    without_trigger(&database);
    assert!(matches!(put(&owner, 3), Err(Error::Failed(_))));
    let next = take(&database).unwrap();
    assert_eq!([1, 2, 3].map(|key| has(&next, key)), [true, false, false]);
    put(&next, 2).unwrap();
}

#[test]
fn an_answer_that_comes_too_late_is_not_waited_for_and_the_group_is_there_once() {
    let database = common::new_database();
    let name = database.name().to_owned();
    common::execute(&format!("create sequence public.calls_{name}"));
    let options = PostgresOptions { answer_max: Duration::from_millis(500), ..PostgresOptions::default() };
    let owner = PostgresMeta::take(&database, options).unwrap();
    // A sequence keeps its number when the transaction is rolled back.
    before_each_row(
        &database,
        &format!("if nextval('public.calls_{name}') = 1 then perform pg_sleep(30); end if"),
    );
    let begun = Instant::now();
    put(&owner, 1).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    assert_eq!(owner.counts().lookups, 1);
    put(&owner, 2).unwrap();
    let next = take(&database).unwrap();
    assert_eq!((has(&next, 1), has(&next, 2), next.position().durable), (true, true, 2));
}

#[test]
fn a_database_that_is_always_late_ends_the_pool_in_time() {
    let database = common::new_database();
    let options = PostgresOptions {
        answer_max: Duration::from_millis(300),
        outage_max: Duration::from_secs(2),
        ..PostgresOptions::default()
    };
    let owner = PostgresMeta::take(&database, options).unwrap();
    before_each_row(&database, "perform pg_sleep(30)");
    let begun = Instant::now();
    let error = put(&owner, 1).unwrap_err().to_string();
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert!(error.contains("no answer") && error.contains("see whether the database runs"), "{error}");
    without_trigger(&database);
    assert!(!has(&take(&database).unwrap(), 1));
}

#[test]
fn a_read_that_the_database_refuses_for_good_is_not_repeated() {
    let database = common::new_database();
    let owner = take(&database).unwrap();
    common::execute(&format!("drop table forebay_{}.chunk", database.name()));
    let begun = Instant::now();
    let error = owner.get(&[0x30, 9]).unwrap_err().to_string();
    assert!(error.contains("there is no such pool"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn a_role_that_may_not_write_is_refused_and_named() {
    let database = common::new_database();
    let (name, role) = (database.name().to_owned(), format!("reads_{}", database.name()));
    common::execute(&format!(
        "create role {role} login; grant usage on schema forebay_{name} to {role}; \
         grant select on all tables in schema forebay_{name} to {role}"
    ));
    let url = common::url().replace("user=forebay", &format!("user={role}"));
    let error = take(&Database::of(&url, &name).unwrap()).err().unwrap().to_string();
    assert!(
        error.contains("permission denied") && error.contains("the role that owns the schema"),
        "{error}"
    );
    let error = create(&Database::of(&url, "other").unwrap()).unwrap_err().to_string();
    assert!(error.contains("grant create on database"), "{error}");
    put(&take(&database).unwrap(), 1).unwrap();
}

#[test]
fn a_server_that_may_lose_commits_or_only_reads_is_refused() {
    let server = common::Server::start();
    let name = common::new_name();
    let of = |server: &common::Server| Database::of(&server.url(), &name).unwrap();
    create(&of(&server)).unwrap();
    let standby = server.standby();
    let error = take(&of(&standby)).err().unwrap().to_string();
    assert!(error.contains("the server is a standby") && error.contains("name the primary"), "{error}");
    for setting in ["full_page_writes", "fsync"] {
        common::execute_on(&server.url(), &format!("alter system set {setting} = off"));
        common::execute_on(&server.url(), "select pg_reload_conf()::text");
        let deadline = Instant::now() + Duration::from_secs(10);
        let error = loop {
            match take(&of(&server)) {
                Err(error) => break error.to_string(),
                Ok(_) => assert!(Instant::now() < deadline, "{setting} is off, and the pool was opened"),
            }
        };
        assert!(error.contains(setting) && error.contains("switch it on"), "{error}");
        common::execute_on(&server.url(), &format!("alter system reset {setting}"));
        common::execute_on(&server.url(), "select pg_reload_conf()::text");
    }
}
