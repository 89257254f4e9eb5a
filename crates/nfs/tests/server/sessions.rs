//! Sessions: what is executed exactly once, over any connection, and what a COMPOUND may be.

use bytes::Bytes;
use forebay_nfs_client::{Attributes, Client, ClientOptions, CompoundReply, Slot};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;

use crate::harness::{Daemon, put, root};

fn mkdir(name: &str) -> Operation {
    Operation::Create(CreateArgs {
        object_type: CreateType::Directory,
        name: Bytes::copy_from_slice(name.as_bytes()),
        attributes: Attributes::mode(0o755).encode(),
    })
}

/// A slot that only the test uses, with its first sequence id.
fn unused_slot(client: &Client) -> Slot {
    Slot { id: client.session.fore_chan_attrs.maxrequests - 1, sequence: 1 }
}

/// The status of the COMPOUND, which must be that of its last result, and the number of results.
fn outcome(reply: &CompoundReply) -> (Status, usize) {
    assert_eq!(reply.results.last().map_or(reply.status, OperationResult::status), reply.status);
    (reply.status, reply.results.len())
}

#[tokio::test]
async fn the_session_is_what_the_linux_client_accepts() {
    let server = Daemon::start().await;
    let mut options = ClientOptions::new("client");
    for maxrequests in [1, 64, 180, 1024] {
        options.channel.maxrequests = maxrequests;
        let client = Client::connect(server.address(), options.clone()).await.unwrap();
        let given = &client.session.fore_chan_attrs;
        assert!(given.maxrequests >= maxrequests.min(180) && given.maxrequests <= maxrequests);
        assert!(given.maxoperations >= options.channel.maxoperations);
        assert_eq!(given.maxresponsesize, options.channel.maxresponsesize);
        assert_eq!(given.maxrequestsize, options.channel.maxrequestsize);
    }
}

#[tokio::test]
async fn all_connections_see_one_server_and_carry_one_session() {
    let server = Daemon::start().await;
    let client = Client::mount(server.address(), ClientOptions::new("client").connections(4)).await.unwrap();
    let slot = unused_slot(&client);
    for connection in 0..4 {
        let slot = Slot { sequence: 1 + connection as u32, ..slot };
        let reply = client.compound_on(connection, slot, false, []).await.unwrap();
        assert_eq!(outcome(&reply), (Status::Ok, 1));
    }
    let again = Client::connect(server.address(), ClientOptions::new("client")).await.unwrap();
    assert_eq!(again.registration.clientid, client.registration.clientid);
    assert_eq!(again.registration.server_owner, client.registration.server_owner);
    assert_eq!(again.registration.server_scope, client.registration.server_scope);
    let other = Daemon::start().await;
    let elsewhere = Client::connect(other.address(), ClientOptions::new("client")).await.unwrap();
    assert_ne!(elsewhere.registration.server_owner, client.registration.server_owner);
    assert_ne!(elsewhere.registration.server_scope, client.registration.server_scope);
}

#[tokio::test]
async fn a_request_sent_again_is_answered_again_byte_for_byte_and_not_executed_again() {
    let server = Daemon::start().await;
    let client = Client::mount(server.address(), ClientOptions::new("client").connections(2)).await.unwrap();
    let root = root(&client).await;
    let slot = unused_slot(&client);
    let request = || [put(&root), mkdir("a"), Operation::Getfh(())];
    let first = client.compound_on(0, slot, true, request()).await.unwrap();
    assert_eq!(outcome(&first), (Status::Ok, 4));
    let again = client.compound_on(1, slot, true, request()).await.unwrap();
    assert_eq!(again.encoded, first.encoded);
    assert_eq!(server.shared().counters().events.replays, 1);
    let next = Slot { sequence: 2, ..slot };
    let executed = client.compound_on(0, next, true, request()).await.unwrap();
    assert_eq!(outcome(&executed), (Status::Exist, 3));
}

#[tokio::test]
async fn a_reply_that_nobody_wanted_kept_is_not_made_up() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let slot = unused_slot(&client);
    let request = || [put(&root), mkdir("a")];
    client.compound_on(0, slot, false, request()).await.unwrap();
    let again = client.compound_on(0, slot, false, request()).await.unwrap();
    assert_eq!(outcome(&again), (Status::RetryUncachedRep, 2));
    let solo = Slot { sequence: 2, ..slot };
    let first = client.compound_on(0, solo, false, []).await.unwrap();
    assert_eq!(client.compound_on(0, solo, false, []).await.unwrap().encoded, first.encoded);
}

#[tokio::test]
async fn another_request_in_the_place_of_an_answered_one_is_a_false_retry() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let slot = unused_slot(&client);
    client.compound_on(0, slot, true, [put(&root), mkdir("a")]).await.unwrap();
    let other = client.compound_on(0, slot, true, [put(&root), mkdir("b")]).await.unwrap();
    assert_eq!(outcome(&other), (Status::SeqFalseRetry, 1));
}

#[tokio::test]
async fn a_wrong_slot_sequence_or_session_is_told_apart() {
    let server = Daemon::start().await;
    let client = Client::mount(server.address(), ClientOptions::new("client")).await.unwrap();
    let good = unused_slot(&client);
    let cases = [
        (Slot { sequence: 2, ..good }, Status::SeqMisordered),
        (Slot { sequence: 0, ..good }, Status::SeqMisordered),
        (Slot { id: 64, sequence: 1 }, Status::BadSlot),
        (Slot { id: u32::MAX, sequence: 1 }, Status::BadSlot),
    ];
    for (slot, expected) in cases {
        let reply = client.compound_on(0, slot, false, []).await.unwrap();
        assert_eq!(outcome(&reply), (expected, 1));
    }
    let connection = client.connection(0).unwrap();
    let sequence = |sessionid, highest_slotid| {
        let args = SequenceArgs { sessionid, sequenceid: 1, slotid: 0, highest_slotid, cachethis: false };
        [Operation::Sequence(args)]
    };
    let reply = connection.compound(2, &sequence(client.session_id(), 64)).await.unwrap();
    assert_eq!(outcome(&reply), (Status::BadHighSlot, 1));
    let reply = connection.compound(2, &sequence(SessionId([7; 16]), 0)).await.unwrap();
    assert_eq!(outcome(&reply), (Status::BadSession, 1));
}

#[tokio::test]
async fn operations_are_in_their_place_or_refused() {
    let server = Daemon::start().await;
    let client = Client::mount(server.address(), ClientOptions::new("client")).await.unwrap();
    let connection = client.connection(0).unwrap();
    let root = || Operation::Putrootfh(());
    let exchange_id = || Operation::ExchangeId(ClientOptions::new("other").exchange_id());
    let bind = || {
        Operation::BindConnToSession(BindConnToSessionArgs {
            sessionid: client.session_id(),
            direction: ChannelDirectionFromClient::BackOrBoth,
            use_conn_in_rdma_mode: false,
        })
    };
    let outside = [
        (vec![], (Status::Ok, 0)),
        (vec![root()], (Status::OpNotInSession, 1)),
        (vec![exchange_id(), root()], (Status::NotOnlyOp, 1)),
        (vec![bind()], (Status::Ok, 1)),
        (vec![bind(), root()], (Status::NotOnlyOp, 1)),
        (vec![Operation::Other(2, Bytes::new())], (Status::OpIllegal, 1)),
        (vec![Operation::Other(9999, Bytes::new())], (Status::OpIllegal, 1)),
    ];
    for (operations, expected) in outside {
        assert_eq!(outcome(&connection.compound(1, &operations).await.unwrap()), expected, "{operations:?}");
    }
    let slot = unused_slot(&client);
    let destroy = Operation::DestroySession(DestroySessionArgs { sessionid: client.session_id() });
    let inside = [
        (vec![client.sequence(Slot { id: 1, sequence: 1 }, false)], (Status::SequencePos, 2)),
        (vec![bind()], (Status::NotOnlyOp, 2)),
        (vec![destroy.clone(), root()], (Status::NotOnlyOp, 2)),
        (vec![Operation::Getfh(())], (Status::NoFileHandle, 2)),
        (
            vec![root(), Operation::Other(OpCode::Layoutget as u32, Bytes::new()), root()],
            (Status::NotSupp, 3),
        ),
        (vec![root(), Operation::Other(OpCode::Setclientid as u32, Bytes::new())], (Status::NotSupp, 3)),
        (vec![root(), Operation::Other(OpCode::WriteSame as u32, Bytes::new())], (Status::NotSupp, 3)),
        (vec![root(), Operation::Other(76, Bytes::new()), root()], (Status::OpIllegal, 3)),
        (vec![root(), destroy], (Status::Ok, 3)),
        (vec![], (Status::BadSession, 1)),
    ];
    for (index, (operations, expected)) in (1..).zip(inside) {
        let slot = Slot { sequence: index, ..slot };
        let reply = client.compound_on(0, slot, false, operations.clone()).await.unwrap();
        assert_eq!(outcome(&reply), expected, "{operations:?}");
    }
}

#[tokio::test]
async fn operations_of_minor_version_2_are_unknown_to_minor_version_1() {
    let server = Daemon::start().await;
    let options = ClientOptions { minor_version: 1, ..ClientOptions::new("client") };
    let client = Client::mount(server.address(), options).await.unwrap();
    let seek = Operation::Other(OpCode::Seek as u32, Bytes::new());
    let reply = client.try_compound([seek]).await.unwrap();
    assert_eq!(
        reply.results.last(),
        Some(&OperationResult::Other(OpCode::Illegal as u32, Status::OpIllegal))
    );
}

#[tokio::test]
async fn other_minor_versions_are_refused_with_no_result() {
    let server = Daemon::start().await;
    let options = ClientOptions::new("client");
    let connection = options.connect(server.address()).await.unwrap();
    for minor_version in [0, 3, u32::MAX] {
        let reply = connection.compound(minor_version, &[Operation::Putrootfh(())]).await.unwrap();
        assert_eq!(outcome(&reply), (Status::MinorVersMismatch, 0));
    }
    connection.null().await.unwrap();
}

#[tokio::test]
async fn a_request_or_reply_beyond_what_the_session_carries_is_refused_before_it_changes_anything() {
    let server = Daemon::start().await;
    let mut options = ClientOptions::new("client");
    options.channel.maxrequestsize = 1024;
    options.channel.maxresponsesize = 600;
    options.channel.maxresponsesize_cached = 200;
    options.channel.maxoperations = 8;
    let client = Client::mount(server.address(), options).await.unwrap();
    let root = root(&client).await;
    let files = client.files();
    let file = files.create(&root, "file").await.unwrap();
    let data = Bytes::from(vec![1; 1000]);
    let write = |length| {
        let args = WriteArgs {
            stateid: file.stateid,
            offset: 0,
            stable: StableHow::FileSync,
            data: data.slice(..length),
        };
        [put(&file.handle), Operation::Write(args)]
    };
    let slot = unused_slot(&client);
    let on_slot = |sequence, cachethis, operations: Vec<Operation>| {
        client.compound_on(0, Slot { sequence, ..slot }, cachethis, operations)
    };
    let too_many = vec![Operation::Putrootfh(()); 8];
    assert_eq!(outcome(&on_slot(1, false, too_many).await.unwrap()), (Status::TooManyOps, 1));
    let too_long = write(1000).to_vec();
    assert_eq!(outcome(&on_slot(1, false, too_long).await.unwrap()), (Status::ReqTooBig, 1));
    let reply = on_slot(1, false, write(700).to_vec()).await.unwrap();
    assert_eq!(outcome(&reply), (Status::Ok, 3), "what SEQUENCE refused leaves the slot as it was");
    let read = Operation::Read(ReadArgs { stateid: file.stateid, offset: 0, count: 700 });
    let reply = on_slot(2, false, vec![put(&file.handle), read]).await.unwrap();
    assert_eq!(outcome(&reply), (Status::RepTooBig, 3));
    let attributes = Operation::Getattr(GetattrArgs { attributes: Attributes::all() });
    let reply = on_slot(3, true, vec![put(&root), attributes, mkdir("never")]).await.unwrap();
    assert_eq!(reply.status, Status::RepTooBigToCache);
    assert_eq!(files.lookup(&root, "never").await.unwrap_err().status(), Some(Status::NoEnt));
}

#[tokio::test]
async fn a_destroyed_session_is_gone_and_its_client_is_not() {
    let server = Daemon::start().await;
    let options = ClientOptions::new("client");
    let client = Client::mount(server.address(), options.clone()).await.unwrap();
    let root = root(&client).await;
    let file = client.files().create(&root, "file").await.unwrap();
    let destroy = Operation::DestroySession(DestroySessionArgs { sessionid: client.session_id() });
    let connection = client.connection(0).unwrap();
    let again = [destroy.clone()];
    assert_eq!(connection.compound(2, &again).await.unwrap().status, Status::Ok);
    assert_eq!(connection.compound(2, &again).await.unwrap().status, Status::BadSession);
    assert_eq!(client.renew().await.unwrap_err().status(), Some(Status::BadSession));
    let back = Client::connect(server.address(), options).await.unwrap();
    back.files().write(&file, 0, Bytes::from_static(b"still open"), StableHow::FileSync).await.unwrap();
}

#[tokio::test]
async fn slots_carry_requests_at_the_same_time() {
    let server = Daemon::start().await;
    let client = Client::mount(server.address(), ClientOptions::new("client").connections(3)).await.unwrap();
    let root = root(&client).await;
    let client = std::sync::Arc::new(client);
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..200 {
        let (client, root) = (client.clone(), root.clone());
        tasks.spawn(async move {
            let file = client.files().create(&root, &format!("file-{number}")).await.unwrap();
            let data = Bytes::from(vec![number as u8; 5000]);
            client.files().write(&file, 0, data.clone(), StableHow::Unstable).await.unwrap();
            let (read, eof) = client.files().read(&file, 0, 10_000).await.unwrap();
            assert_eq!((read.into_bytes(), eof), (data, true));
            client.files().close(&file).await.unwrap();
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    assert_eq!(client.files().readdir(&root).await.unwrap().len(), 200);
}
