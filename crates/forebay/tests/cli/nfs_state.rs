//! `forebay nfs`: what clients have, and how it is taken from them.

use forebay_nfs_client::xdr::Status;
use forebay_nfs_client::xdr::nfs4::{
    FreeStateidArgs, LockArgs, LockType, Locker, OpenToLockOwner, Operation, OperationResult, PutfhArgs,
    StateId,
};
use forebay_nfs_client::{Client, ClientOptions, OpenFile};
use serde_json::Value;
use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused};

fn json(daemon: &Daemon, what: &str) -> Value {
    serde_json::from_str(&daemon.done(&["nfs", what, "--json"])).unwrap()
}

async fn mount(daemon: &Daemon, name: &str) -> Client {
    Client::mount(daemon.address(), ClientOptions::new(name).connections(2)).await.unwrap()
}

async fn on(client: &Client, file: &OpenFile, operation: Operation) -> OperationResult {
    let put = Operation::Putfh(PutfhArgs { object: file.handle.clone() });
    client.try_compound([put, operation]).await.unwrap().results.pop().unwrap()
}

async fn lock(client: &Client, file: &OpenFile) -> OperationResult {
    let new = OpenToLockOwner {
        open_seqid: 0,
        open_stateid: file.stateid,
        lock_seqid: 0,
        lock_owner: client.files().owner("locker"),
    };
    let locker = Locker::New(new);
    let args = LockArgs { locktype: LockType::Write, reclaim: false, offset: 5, length: 10, locker };
    on(client, file, Operation::Lock(args)).await
}

/// The stateid of that name, in its newest version.
fn stateid(text: &str) -> StateId {
    let mut other = [0; 12];
    for (index, byte) in other.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[index * 2..index * 2 + 2], 16).unwrap();
    }
    StateId { seqid: 0, other }
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_sessions_opens_and_locks_are_shown() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    assert_eq!(json(&daemon, "clients"), serde_json::json!([]));
    let client = mount(&daemon, "broker 1").await;
    let files = client.files();
    let root = files.resolve("/kafka").await.unwrap();
    let topic = files.mkdir(&root, "topic-0").await.unwrap();
    let file = files.create(&topic, "0.log").await.unwrap();
    assert_eq!(lock(&client, &file).await.status(), Status::Ok);

    let clients = json(&daemon, "clients");
    assert_eq!(clients[0]["owner"], "broker 1");
    assert_eq!(clients[0]["state"], "confirmed");
    assert_eq!(
        (&clients[0]["opens"], &clients[0]["locks"], &clients[0]["sessions"]),
        (&1.into(), &1.into(), &1.into())
    );
    assert!(clients[0]["address"].as_str().unwrap().starts_with("127.0.0.1:"), "{clients}");
    let sessions = json(&daemon, "sessions");
    assert_eq!(sessions[0]["client"], clients[0]["client"]);
    assert_eq!(sessions[0]["connections"].as_array().unwrap().len(), 2, "{sessions}");
    let opens = json(&daemon, "opens");
    assert_eq!((&opens["total"], &opens["opens"][0]["access"]), (&1.into(), &"rw".into()));
    assert_eq!(opens["opens"][0]["path"], "/kafka/topic-0/0.log");
    let locks = json(&daemon, "locks");
    let held = &locks["locks"][0];
    assert_eq!((&held["offset"], &held["length"], &held["kind"]), (&5.into(), &10.into(), &"write".into()));
    assert_eq!(held["path"], "/kafka/topic-0/0.log");

    files.remove(&topic, "0.log").await.unwrap();
    let opens = json(&daemon, "opens");
    assert!(opens["opens"][0]["path"].is_null(), "it has no name any more: {opens}");
    let table = daemon.done(&["nfs", "opens", "--client", clients[0]["client"].as_str().unwrap()]);
    assert!(table.contains("inode "), "{table}");
    for what in ["clients", "sessions", "locks", "stats"] {
        assert!(daemon.done(&["nfs", what]).lines().count() >= 2, "{what}");
    }
    drop(client);
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_evicted_client_loses_everything_and_others_get_it() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let (first, second) = (mount(&daemon, "first").await, mount(&daemon, "second").await);
    let root = first.files().resolve("/kafka").await.unwrap();
    let file = first.files().create(&root, ".lock").await.unwrap();
    assert_eq!(lock(&first, &file).await.status(), Status::Ok);
    let same = second.files().open(&root, ".lock").await.unwrap();
    assert_eq!(lock(&second, &same).await.status(), Status::Denied);

    let clients = json(&daemon, "clients");
    let victim = clients.as_array().unwrap().iter().find(|client| client["owner"] == "first").unwrap();
    let victim = victim["client"].as_str().unwrap();
    daemon.done(&["nfs", "evict", victim]);
    assert_eq!(lock(&second, &same).await.status(), Status::Ok);
    assert_eq!(first.files().getattr(&root).await.unwrap_err().status(), Some(Status::BadSession));
    assert_eq!(json(&daemon, "clients").as_array().unwrap().len(), 1);
    assert_refused(&daemon.run(&["nfs", "evict", victim]), 1, &["not found", "forebay nfs clients"]);
    drop((first, second));
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_is_told_of_revoked_state_until_it_frees_it() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let client = mount(&daemon, "client").await;
    let root = client.files().resolve("/kafka").await.unwrap();
    let file = client.files().create(&root, "file").await.unwrap();
    let other = client.files().create(&root, "other").await.unwrap();
    assert_eq!(lock(&client, &file).await.status(), Status::Ok);
    let locks = json(&daemon, "locks");
    let lock_stateid = stateid(locks["locks"][0]["stateid"].as_str().unwrap());
    let opens = json(&daemon, "opens");
    let open = opens["opens"].as_array().unwrap().iter().find(|open| open["path"] == "/kafka/file").unwrap();
    let open = open["stateid"].as_str().unwrap();
    daemon.done(&["nfs", "revoke", open]);

    assert_eq!(client.files().read(&file, 0, 1).await.unwrap_err().status(), Some(Status::AdminRevoked));
    client.files().read(&other, 0, 1).await.unwrap();
    let flags = async || match client.try_compound([]).await.unwrap().results.pop() {
        Some(OperationResult::Sequence(Ok(result))) => result.status_flags,
        other => panic!("{other:?}"),
    };
    assert_eq!(flags().await, 0x20, "SEQ4_STATUS_ADMIN_STATE_REVOKED");
    for freed in [stateid(open), lock_stateid] {
        let free = Operation::FreeStateid(FreeStateidArgs { stateid: freed });
        assert_eq!(on(&client, &file, free).await.status(), Status::Ok);
    }
    assert_eq!(flags().await, 0);
    assert_eq!(client.files().read(&file, 0, 1).await.unwrap_err().status(), Some(Status::BadStateid));
    client.files().open(&root, "file").await.unwrap();
    assert_refused(&daemon.run(&["nfs", "revoke", open]), 1, &["not found"]);
    let refused = daemon.run(&["nfs", "revoke", "xyz"]);
    assert!(refused.status == 2 && refused.stderr.contains("24 hexadecimal digits"), "{refused:?}");
    drop(client);
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_are_counted_with_their_errors_and_times() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let client = mount(&daemon, "client").await;
    let root = client.files().resolve("/kafka").await.unwrap();
    for _ in 0..3 {
        client.files().lookup(&root, "ghost").await.unwrap_err();
    }
    let stats = json(&daemon, "stats");
    let lookup = stats.as_array().unwrap().iter().find(|counted| counted["operation"] == "LOOKUP").unwrap();
    assert_eq!((&lookup["count"], &lookup["errors"]), (&4.into(), &3.into()));
    assert_eq!(lookup["errors_by_status"]["NoEnt"], 3);
    assert!(lookup["p99_ns"].as_u64() >= lookup["p50_ns"].as_u64(), "{lookup}");
    drop(client);
    daemon.stop();
}
