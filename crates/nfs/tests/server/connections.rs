//! Connections: how many, for how long, and what becomes of requests when the server stops.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use forebay_nfs::Config;
use forebay_nfs_client::{Client, ClientOptions, Connection, Wire};
use forebay_nfs_proto::rpc::OpaqueAuth;
use forebay_nfs_proto::xdr::nfs4::{Operation, ReadArgs, StableHow};
use tokio::net::TcpStream;

use crate::harness::{Daemon, compound, eventually, put, root};

const DEADLINE: Duration = Duration::from_secs(20);

#[tokio::test]
async fn beyond_the_limit_a_connection_takes_the_place_of_one_that_no_session_uses() {
    let server = Daemon::start_with(Config { connections_max: 3, ..Config::default() }).await;
    let client = server.mount("client").await;
    let mut idle = Wire::connect(server.address()).await.unwrap();
    let mut newcomers = Vec::new();
    for _ in 0..20 {
        let newcomer = Connection::connect(server.address(), OpaqueAuth::NONE).await.unwrap();
        newcomer.null().await.unwrap();
        newcomers.push(newcomer);
    }
    assert!(idle.receive(DEADLINE).await.unwrap().is_none(), "it was the oldest that did nothing");
    client.renew().await.unwrap();
    let second = server.mount("second").await;
    let third = server.mount("third").await;
    let mut fourth = Wire::connect(server.address()).await.unwrap();
    assert!(
        fourth.receive(DEADLINE).await.unwrap().is_none(),
        "all have sessions, and one address has all of them"
    );
    drop(second);
    eventually("the place of the second is free", async || {
        let another = Connection::connect(server.address(), OpaqueAuth::NONE).await.unwrap();
        another.null().await.is_ok()
    })
    .await;
    client.renew().await.unwrap();
    third.renew().await.unwrap();
}

#[tokio::test]
async fn an_address_with_many_connections_keeps_no_other_out() {
    let config = Config { connections_max: 8, connections_per_client_max: 6, ..Config::default() };
    let server = Daemon::start_with(config).await;
    let from = |host: u8, name: &str| ClientOptions::new(name).from([127, 0, 0, host].into());
    let greedy = Client::mount(server.address(), from(1, "greedy").connections(6)).await.unwrap();
    for index in 0..6 {
        let slot = greedy.take_slot().unwrap();
        let slot = forebay_nfs_client::Slot { sequence: slot.sequence + 1, ..slot };
        greedy.compound_on(index, slot, false, []).await.unwrap();
    }
    assert!(Client::mount(server.address(), from(1, "more")).await.is_err(), "an address has its own limit");
    let mut others = Vec::new();
    for host in 2..6 {
        others.push(Client::mount(server.address(), from(host, &format!("client {host}"))).await.unwrap());
    }
    for other in &others {
        other.renew().await.unwrap();
    }
}

#[tokio::test]
async fn a_connection_on_which_nothing_happens_is_closed() {
    let server = Daemon::start_with(Config { idle_seconds_max: 1, ..Config::default() }).await;
    let mut idle = Wire::connect(server.address()).await.unwrap();
    assert!(idle.receive(DEADLINE).await.unwrap().is_none());
}

#[tokio::test]
async fn nothing_of_a_connection_stays_in_the_kernel_where_addresses_move() {
    for resets_connections in [false, true] {
        let mut server = Daemon::start_with(Config { resets_connections, ..Config::default() }).await;
        let address = server.address();
        let client = TcpStream::connect(address).await.unwrap();
        let open = server.shared().connections.subscribe();
        eventually("the connection is accepted", async || !open.borrow().is_empty()).await;
        server.stop().await;
        // Local and remote address, in hexadecimal: proc_net_tcp(5).
        let ports = format!("{:04X} 0100007F:{:04X} ", address.port(), client.local_addr().unwrap().port());
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
        assert_eq!(table.contains(&ports), !resets_connections, "{table}");
    }
}

#[tokio::test]
async fn a_mount_on_which_nothing_happens_stays() {
    let server = Daemon::start_with(Config { idle_seconds_max: 1, ..Config::default() }).await;
    let client = server.mount("client").await;
    let mut idle = Wire::connect(server.address()).await.unwrap();
    for _ in 0..2 {
        assert!(idle.receive(DEADLINE).await.unwrap().is_none());
        idle = Wire::connect(server.address()).await.unwrap();
    }
    // The client connects once, so this is the connection that it had.
    client.renew().await.unwrap();
}

/// Much larger than what all of them announce together would be.
#[tokio::test]
async fn who_sends_slowly_or_reads_nothing_holds_up_nobody_else() {
    let server = Daemon::start_with(Config { requests_bytes_max: 8 << 20, ..Config::default() }).await;
    let client = server.mount("client").await;
    let root = root(&client).await;
    let file = client.files().create(&root, "file").await.unwrap();
    let mut hostile = Vec::new();
    for number in 0..300 {
        let mut wire = Wire::connect(server.address()).await.unwrap();
        wire.send(&0x8010_0000u32.to_be_bytes()).await.unwrap();
        // Some send so much of a record that it has a buffer of its own.
        let begun = if number % 30 == 0 { 100_000 } else { 5 };
        wire.send(&vec![0; begun]).await.unwrap();
        hostile.push(wire);
    }
    for index in 0..20 {
        let data = Bytes::from(vec![index as u8; 1 << 20]);
        let files = client.files();
        let write = files.write(&file, index << 20, data, StableHow::Unstable);
        tokio::time::timeout(DEADLINE, write).await.unwrap().unwrap();
    }
}

/// Its replies pile up to a bound, and then its requests wait; other clients are served.
#[tokio::test]
async fn a_client_that_takes_no_replies_is_not_read_any_more() {
    let server = Daemon::start_with(Config { requests_bytes_max: 16 << 20, ..Config::default() }).await;
    let client = server.mount("client").await;
    let root = root(&client).await;
    let file = client.files().create(&root, "file").await.unwrap();
    client.files().write(&file, 0, Bytes::from(vec![7; 1 << 20]), StableHow::FileSync).await.unwrap();
    let greedy = Client::mount(server.address(), ClientOptions::new("greedy").from([127, 0, 0, 2].into()))
        .await
        .unwrap();
    let mut wire = Wire::connect_from(Some([127, 0, 0, 2].into()), server.address()).await.unwrap();
    let open = greedy.files().open(&root, "file").await.unwrap();
    let read = || Operation::Read(ReadArgs { stateid: open.stateid, offset: 0, count: 1 << 20 });
    // Each on a slot of its own, so that they are all in work at once; more of them than the bound allows replies.
    for _ in 0..50 {
        let slot = greedy.take_slot().unwrap();
        let slot = forebay_nfs_client::Slot { sequence: slot.sequence + 1, ..slot };
        let operations = [greedy.sequence(slot, false), put(&open.handle), read()];
        wire.send_record(&compound(&operations)).await.unwrap();
    }
    for _ in 0..10 {
        let (data, _) =
            tokio::time::timeout(DEADLINE, client.files().read(&file, 0, 1 << 20)).await.unwrap().unwrap();
        assert_eq!(data.len(), 1 << 20);
    }
    for _ in 0..50 {
        assert!(wire.receive(DEADLINE).await.unwrap().is_some_and(|reply| reply.len() > 1 << 20));
    }
}

#[tokio::test]
async fn more_bytes_than_may_be_in_work_wait_their_turn() {
    let server = Daemon::start_with(Config { requests_bytes_max: 200 << 10, ..Config::default() }).await;
    let client = Arc::new(server.mount("client").await);
    let root = root(&client).await;
    let file = client.files().create(&root, "file").await.unwrap();
    let mut writes = tokio::task::JoinSet::new();
    for index in 0..30 {
        let (client, file) = (client.clone(), file.clone());
        writes.spawn(async move {
            let data = Bytes::from(vec![index as u8; 200 << 10]);
            client.files().write(&file, index * (200 << 10), data, StableHow::Unstable).await
        });
    }
    while let Some(written) = writes.join_next().await {
        written.unwrap().unwrap();
    }
    assert_eq!(client.files().getattr(&file.handle).await.unwrap().size, Some(30 * (200 << 10)));
}

#[tokio::test]
async fn what_was_answered_before_a_stop_is_there_after_it() {
    let mut server = Daemon::start().await;
    let client = Arc::new(server.mount("client").await);
    let root = root(&client).await;
    let mut creations = tokio::task::JoinSet::new();
    for number in 0..60 {
        let (client, root) = (client.clone(), root.clone());
        creations.spawn(async move {
            let name = format!("file-{number}");
            let file = client.files().create(&root, &name).await.ok()?;
            let data = Bytes::from(name.clone());
            client.files().write(&file, 0, data, StableHow::FileSync).await.ok()?;
            Some(name)
        });
    }
    let first = creations.join_next().await.unwrap().unwrap();
    server.stop().await;
    let mut answered: Vec<String> = first.into_iter().collect();
    while let Some(name) = creations.join_next().await {
        answered.extend(name.unwrap());
    }
    assert!(!answered.is_empty());
    server.start_again().await;
    let options = ClientOptions::new("client");
    let client = forebay_nfs_client::Client::mount(server.address(), options).await.unwrap();
    for name in answered {
        let file = client.files().open(&root, &name).await.unwrap();
        let (data, _) = client.files().read(&file, 0, 100).await.unwrap();
        assert_eq!(data.into_bytes(), name);
    }
}
