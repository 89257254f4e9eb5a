//! What a client is told that has all the memory it gets, and what it can still do.

use std::time::Duration;

use forebay_nfs::Config;
use forebay_nfs::memory::audit;
use forebay_nfs_client::{Attributes, Client, ClientOptions, OpenFile, Slot};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;

use super::{BOUND, mkdir, small_server, usage};
use crate::harness::*;
use crate::state::{lock_args, lock_with};

/// What a client without room is told, and that nothing has happened then.
#[tokio::test]
async fn a_request_whose_reply_cannot_be_kept_is_told_to_come_again_before_it_is_executed() {
    let server = small_server().await;
    // It takes all that a client gets that has nothing open, and then uses another slot.
    let (client, root) = server.mount_root("client").await;
    let slots = client.session.fore_chan_attrs.maxrequests;
    let getattr = || Operation::Getattr(GetattrArgs { attributes: Attributes::all() });
    let mut others = Vec::new();
    while usage(&server).refused[1] == 0 {
        let session = Client::connect(server.address(), ClientOptions::new("client")).await;
        let Ok(session) = session else { break };
        for id in 0..slots {
            let long = [put(&root), getattr(), getattr(), getattr(), getattr()];
            session.compound_on(0, Slot { id, sequence: 1 }, true, long).await.expect("an answer");
        }
        others.push(session);
    }
    let slot = Slot { id: slots - 1, sequence: 1 };
    let refused = client.compound_on(0, slot, true, [put(&root), mkdir("a")]).await.expect("an answer");
    assert_eq!((refused.status, refused.results.len()), (Status::Delay, 1), "by SEQUENCE");
    assert_eq!(client.files().lookup(&root, "a").await.unwrap_err().status(), Some(Status::NoEnt));
    let told = client.try_compound([]).await.expect("leases can always be renewed");
    let Some(OperationResult::Sequence(Ok(sequence))) = told.results.first() else { panic!("{told:?}") };
    assert_eq!(sequence.highest_slotid, slots - 1);
    assert!(sequence.target_highest_slotid < slots - 1, "it is asked to do with the slots that it has");

    for session in &others {
        let destroy = Operation::DestroySession(DestroySessionArgs { sessionid: session.session_id() });
        client.connection(0).expect("one").compound(2, &[destroy]).await.expect("destroyed");
    }
    let now = client.compound_on(0, slot, true, [put(&root), mkdir("a")]).await.expect("an answer");
    assert_eq!(now.status, Status::Ok, "the slot is as it was");
    let told = client.try_compound([]).await.expect("an answer");
    let Some(OperationResult::Sequence(Ok(sequence))) = told.results.first() else { panic!("{told:?}") };
    assert_eq!(sequence.target_highest_slotid, slots - 1, "there is room again");
}

/// Otherwise it could never be rid of what it has.
#[tokio::test]
async fn a_client_that_has_all_it_gets_can_close_files_and_replace_its_session() {
    let server = small_server().await;
    let (client, root) = server.mount_root("client").await;
    let files = client.files();
    let file = files.create(&root, "file").await.expect("a file");
    let open = |owner: &str| {
        let args = files.open_args(owner, share::ACCESS_READ, OpenHow::NoCreate, OpenClaim::Fh);
        files.open_with(&file.handle, args)
    };
    let mut opened = Vec::new();
    while let Ok(one) = open(&format!("{:01000}", opened.len())).await {
        opened.push(one);
    }
    // What is left is too little for another of these, and for a file that is made.
    while open(&format!("x{}", usage(&server).files)).await.is_ok() {}
    assert_eq!(status(files.create(&root, "another").await), Status::Delay);
    assert_eq!(status(files.lookup(&root, "another").await), Status::NoEnt, "it was not made");
    let destroy = Operation::DestroySession(DestroySessionArgs { sessionid: client.session_id() });
    let connection = client.connection(0).expect("one");
    assert_eq!(connection.compound(2, &[destroy]).await.expect("an answer").status, Status::Ok);
    let client = server.connect("client").await;
    let close = |file: &OpenFile| {
        [put(&file.handle), Operation::Close(CloseArgs { seqid: 0, open_stateid: file.stateid })]
    };
    let mut slot = client.take_slot().expect("a slot");
    for file in &opened[..3] {
        slot.sequence += 1;
        let closed = client.compound_on(0, slot, true, close(file)).await.expect("an answer");
        assert_eq!(closed.status, Status::Ok);
        let again = client.compound_on(0, slot, true, close(file)).await.expect("an answer");
        assert_eq!(again.encoded, closed.encoded, "and the reply is kept");
    }
    client.files().create(&root, "another").await.expect("there is room again");
}

#[tokio::test]
async fn silent_clients_give_their_memory_to_those_that_want_it() {
    let server = small_server().await;
    let (silent, root) = server.mount_root("silent").await;
    let file = silent.files().create(&root, "file").await.expect("a file");
    let open = async |client: &Client, owner: usize| {
        let files = client.files();
        let args =
            files.open_args(&format!("{owner:01000}"), share::ACCESS_READ, OpenHow::NoCreate, OpenClaim::Fh);
        files.open_with(&file.handle, args).await
    };
    let mut opened = 0;
    while open(&silent, opened).await.is_ok() {
        opened += 1;
    }
    assert!(opened * 1000 < BOUND / 2, "{opened}");
    let client = server.mount("client").await;
    server.expire_all_but(&[&client]).await;
    let silent_states = server.shared().state.clients().iter().map(|client| client.opens).max();
    assert_eq!(silent_states, Some(opened + 1), "nobody has wanted it yet");
    let mut taken = 0;
    while open(&client, taken).await.is_ok() {
        taken += 1;
    }
    server.pass(Duration::from_secs(1)).await;
    open(&client, taken).await.expect("there is room again");
    assert_eq!(server.shared().counters().memory.evicted_for_memory, 1);
    assert_eq!(status(silent.renew().await), Status::BadSession);
}

#[tokio::test]
async fn a_lock_that_is_cut_in_two_is_charged_and_refused_when_there_is_no_room() {
    let config = Config { locks_per_client_max: 3, ..Config::default() };
    let server = Daemon::start_with(config).await;
    let (client, root) = server.mount_root("client").await;
    let file = client.files().create(&root, "file").await.expect("a file");
    let args = lock_args(&client, &file, "owner", LockType::Write);
    let mut stateid = lock_with(&client, &file, args).await.expect("locked");
    let unlock = async |stateid, offset| {
        let args =
            LockuArgs { locktype: LockType::Write, seqid: 0, lock_stateid: stateid, offset, length: 1 };
        on(&client, &file.handle, Operation::Locku(args)).await
    };
    let before = usage(&server).files;
    for offset in [10, 20] {
        let OperationResult::Locku(Ok(unlocked)) = unlock(stateid, offset).await else { panic!("{offset}") };
        stateid = unlocked.lock_stateid;
    }
    assert_eq!(usage(&server).files, before + 2 * audit::RANGE_BYTES as u64);
    assert_eq!(unlock(stateid, 30).await.status(), Status::Delay);
    let OperationResult::Locku(Ok(_)) = unlock(stateid, 0).await else { panic!("it cuts nothing in two") };
    client.files().close(&file).await.expect("closed");
    assert!(usage(&server).files < before);
}
