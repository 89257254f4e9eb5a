//! Connections: how many, for how long, and what becomes of requests when the server stops.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use forebay_nfs::Config;
use forebay_nfs::rpc::OpaqueAuth;
use forebay_nfs::xdr::nfs4::StableHow;
use forebay_nfs_client::{ClientOptions, Connection, Wire};

use crate::harness::{Daemon, eventually, root};

const DEADLINE: Duration = Duration::from_secs(20);

#[tokio::test]
async fn connections_beyond_the_limit_are_closed_until_another_one_ends() {
    let server = Daemon::start_with(Config { connections_max: 2, ..Config::default() }).await;
    let first = Connection::connect(server.address(), OpaqueAuth::NONE).await.unwrap();
    let second = Connection::connect(server.address(), OpaqueAuth::NONE).await.unwrap();
    first.null().await.unwrap();
    second.null().await.unwrap();
    let mut third = Wire::connect(server.address()).await.unwrap();
    assert!(third.receive(DEADLINE).await.unwrap().is_none());
    drop(first);
    second.null().await.unwrap();
    eventually("the place of the first connection is free", async || {
        let fourth = Connection::connect(server.address(), OpaqueAuth::NONE).await.unwrap();
        fourth.null().await.is_ok()
    })
    .await;
}

#[tokio::test]
async fn a_connection_on_which_nothing_happens_is_closed() {
    let server = Daemon::start_with(Config { idle_seconds_max: 1, ..Config::default() }).await;
    let mut idle = Wire::connect(server.address()).await.unwrap();
    assert!(idle.receive(DEADLINE).await.unwrap().is_none());
}

#[tokio::test]
async fn more_bytes_than_may_be_in_work_wait_their_turn() {
    let server = Daemon::start_with(Config { requests_bytes_max: 100 << 10, ..Config::default() }).await;
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
