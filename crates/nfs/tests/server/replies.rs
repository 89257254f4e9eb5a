//! Requests that were executed before a restart, and whose replies were lost: clients send them again under the session from before.

use bytes::Bytes;
use forebay_nfs_client::{Attributes, Client, ClientOptions, CompoundReply, FileHandle, OpenFile, Slot};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;

use crate::crash::ServerProcess;
use crate::harness::*;
use crate::state::*;

/// Rows with outcomes in the pool.
fn rows(server: &Daemon) -> usize {
    server.pool().records("nfs-reply").unwrap().len()
}

fn name(name: &str) -> Bytes {
    Bytes::copy_from_slice(name.as_bytes())
}

fn options() -> ClientOptions {
    let mut options = ClientOptions::new("broker").persistent();
    options.channel.maxoperations = 16;
    options
}

async fn mount(server: &Daemon) -> (Client, FileHandle) {
    let client = Client::mount(server.address(), options()).await.unwrap();
    let root = root(&client).await;
    (client, root)
}

/// A slot that only the test uses, with its first sequence id.
fn slot(client: &Client, number: u32) -> Slot {
    Slot { id: client.session.fore_chan_attrs.maxrequests - 1 - number, sequence: 1 }
}

fn getattr() -> Operation {
    Operation::Getattr(GetattrArgs { attributes: Attributes::all() })
}

fn mkdir(directory: &FileHandle, of: &str) -> Vec<Operation> {
    let create = Operation::Create(CreateArgs {
        object_type: CreateType::Directory,
        name: name(of),
        attributes: Attributes::mode(0o755).encode(),
    });
    vec![put(directory), create, Operation::Getfh(()), getattr()]
}

fn symlink(directory: &FileHandle, of: &str) -> Vec<Operation> {
    let create = Operation::Create(CreateArgs {
        object_type: CreateType::Symlink(name("elsewhere")),
        name: name(of),
        attributes: Attributes::mode(0o777).encode(),
    });
    vec![put(directory), create, Operation::Getfh(()), getattr()]
}

/// As Linux sends it.
fn link(file: &FileHandle, directory: &FileHandle, of: &str) -> Vec<Operation> {
    let link = Operation::Link(LinkArgs { newname: name(of) });
    let restore = Operation::Restorefh(());
    vec![put(file), Operation::Savefh(()), put(directory), link, getattr(), restore, getattr()]
}

fn remove(directory: &FileHandle, of: &str) -> Vec<Operation> {
    vec![put(directory), Operation::Remove(RemoveArgs { target: name(of) }), getattr()]
}

fn rename(from: &FileHandle, of: &str, to: &FileHandle, new: &str) -> Vec<Operation> {
    let rename = Operation::Rename(RenameArgs { oldname: name(of), newname: name(new) });
    vec![put(from), Operation::Savefh(()), put(to), rename, getattr()]
}

/// As Linux sends it.
fn open(client: &Client, directory: &FileHandle, of: &str, how: CreateHow) -> Vec<Operation> {
    let claim = OpenClaim::Null(name(of));
    let args = client.files().open_args("owner", share::ACCESS_BOTH, OpenHow::Create(how), claim);
    let access = Operation::Access(AccessArgs { access: access::READ | access::MODIFY });
    vec![put(directory), Operation::Open(args), Operation::Getfh(()), access, getattr()]
}

fn guarded() -> CreateHow {
    CreateHow::Guarded(Attributes::mode(0o644).encode())
}

fn set_xattr(object: &FileHandle, of: &str, option: SetxattrOption) -> Vec<Operation> {
    let args = SetxattrArgs { option, name: name(of), value: name("value") };
    vec![put(object), Operation::Setxattr(args), getattr()]
}

fn remove_xattr(object: &FileHandle, of: &str) -> Vec<Operation> {
    vec![put(object), Operation::Removexattr(RemovexattrArgs { name: name(of) }), getattr()]
}

/// Sends a request in a session from before a restart, on a new connection.
async fn send_again(
    (address, options): (std::net::SocketAddr, &ClientOptions),
    before: &Client,
    slot: Slot,
    operations: &[Operation],
) -> CompoundReply {
    let connection = options.connect(address).await.unwrap();
    // SEQUENCE is encoded again, and may report another highest slot.
    let args = SequenceArgs {
        sessionid: before.session_id(),
        sequenceid: slot.sequence,
        slotid: slot.id,
        highest_slotid: 0,
        cachethis: false,
    };
    let mut all = vec![Operation::Sequence(args)];
    all.extend_from_slice(operations);
    connection.compound(2, &all).await.unwrap()
}

async fn send_again_to(
    server: &Daemon,
    before: &Client,
    slot: Slot,
    operations: &[Operation],
) -> CompoundReply {
    send_again((server.address(), &options()), before, slot, operations).await
}

/// Fails unless both replies have the same results. Attributes may have changed in between, and so has the stateid of an open.
fn assert_same(first: &CompoundReply, again: &CompoundReply) {
    assert_eq!(again.status, first.status, "{again:?}");
    assert_eq!(again.results.len(), first.results.len());
    for (first, again) in first.results.iter().zip(&again.results).skip(1) {
        match (first, again) {
            (OperationResult::Open(Ok(first)), OperationResult::Open(Ok(again))) => {
                assert_ne!(first.stateid, again.stateid);
                assert_eq!(again.stateid.seqid, 1);
                assert_eq!(again, &OpenResult { stateid: again.stateid, ..first.clone() });
            }
            (OperationResult::Getattr(Ok(_)), OperationResult::Getattr(Ok(_))) => {}
            (first, again) => assert_eq!(first, again),
        }
    }
}

/// The names in the volume's root directory with their inodes, and how often the directory was changed.
async fn content(server: &Daemon) -> (Vec<(Bytes, u64)>, u64) {
    let root = server.pool().volume("kafka").unwrap().root;
    let change = server.pool().getattr(root).await.unwrap().change;
    let page = server.pool().readdir(root, 0, 1000).await.unwrap();
    let entries = page.entries.into_iter().map(|entry| (entry.name, entry.attributes.handle.inode.0));
    (entries.collect(), change)
}

/// What the operations need.
async fn prepare(client: &Client, root: &FileHandle) -> OpenFile {
    let files = client.files();
    for file in ["linked", "removed", "old", "over", "replaced", "attributes"] {
        let file = files.create(root, file).await.unwrap();
        files.close(&file).await.unwrap();
    }
    files.mkdir(root, "empty").await.unwrap();
    files.mkdir(root, "other").await.unwrap();
    let attributes = files.lookup(root, "attributes").await.unwrap();
    client.compound(set_xattr(&attributes, "gone", SetxattrOption::Either)).await.unwrap();
    files.create(root, "hidden").await.unwrap()
}

/// One request for each operation that must not be executed twice, in each of its forms.
async fn requests(client: &Client, root: &FileHandle, hidden: &OpenFile) -> Vec<Vec<Operation>> {
    let files = client.files();
    let linked = files.lookup(root, "linked").await.unwrap();
    let other = files.lookup(root, "other").await.unwrap();
    let attributes = files.lookup(root, "attributes").await.unwrap();
    let number = files.getattr(&hidden.handle).await.unwrap().fileid.unwrap();
    let exclusive = CreateHow::Exclusive41(CreateVerifierAttributes {
        verifier: Verifier([4; 8]),
        attributes: Attributes::mode(0o644).encode(),
    });
    vec![
        mkdir(root, "made"),
        symlink(root, "symlink"),
        link(&linked, root, "second name"),
        remove(root, "removed"),
        remove(root, "empty"),
        rename(root, "old", &other, "new"),
        rename(root, "over", root, "replaced"),
        rename(root, "hidden", root, &format!(".nfs{number:016x}{:08x}", 7)),
        open(client, root, "guarded", guarded()),
        open(client, root, "unchecked", CreateHow::Unchecked(Attributes::mode(0o644).encode())),
        open(client, root, "exclusive", exclusive),
        set_xattr(&attributes, "new", SetxattrOption::Create),
        remove_xattr(&attributes, "gone"),
    ]
}

#[tokio::test]
async fn every_operation_whose_reply_was_lost_is_answered_as_before_and_executed_once() {
    let mut server = Daemon::start().await;
    let (client, root) = mount(&server).await;
    assert_eq!(client.session.flags, session_flags::PERSIST);
    let hidden = prepare(&client, &root).await;
    let requests = requests(&client, &root, &hidden).await;
    let before_requests = rows(&server);
    let mut replies = Vec::new();
    for (number, request) in (0..).zip(&requests) {
        let reply = client.compound_on(0, slot(&client, number), true, request.clone()).await.unwrap();
        assert_eq!(reply.status, Status::Ok, "{request:?}: {reply:?}");
        replies.push(reply);
    }
    assert_eq!(rows(&server), before_requests + requests.len());
    let content_before = content(&server).await;
    // The second time after one more restart: a client may meet several before it gets a reply.
    for _ in 0..2 {
        server.restart().await;
        for ((number, request), first) in (0..).zip(&requests).zip(&replies) {
            let again = send_again_to(&server, &client, slot(&client, number), request).await;
            assert_same(first, &again);
            let OperationResult::Sequence(Ok(sequence)) = &again.results[0] else { panic!("{again:?}") };
            assert_eq!(sequence.status_flags, sequence_flags::BACKCHANNEL_FAULT);
            assert_eq!(sequence.highest_slotid, client.session.fore_chan_attrs.maxrequests - 1);
            assert_eq!(sequence.target_highest_slotid, sequence.highest_slotid);
            assert_eq!((sequence.sequenceid, sequence.slotid), (1, slot(&client, number).id));
        }
        assert_eq!(content(&server).await, content_before);
        assert_eq!(server.shared().counters().events.replays, requests.len() as u64);
        let census = server.shared().counters();
        assert_eq!((census.sessions, census.census.opens), (0, 0), "a repeated request gives no state");
    }
}

#[tokio::test]
async fn the_same_holds_when_the_server_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(directory.path()).await;
    let client = Client::mount(server.address(), options()).await.unwrap();
    let root = root(&client).await;
    let hidden = prepare(&client, &root).await;
    let requests = requests(&client, &root, &hidden).await;
    let mut replies = Vec::new();
    for (number, request) in (0..).zip(&requests) {
        replies.push(client.compound_on(0, slot(&client, number), true, request.clone()).await.unwrap());
    }
    server.kill().await;
    let server = ServerProcess::start(directory.path()).await;
    for ((number, request), first) in (0..).zip(&requests).zip(&replies) {
        let again = send_again((server.address(), &options()), &client, slot(&client, number), request).await;
        assert_same(first, &again);
    }
    server.kill().await;
}

/// An operation that is executed again and again, each time on other names.
#[derive(Clone, Copy, Debug)]
enum Series {
    Rename,
    Mkdir,
    Remove,
    Open,
}

const SERIES: [Series; 4] = [Series::Rename, Series::Mkdir, Series::Remove, Series::Open];

impl Series {
    fn request(self, client: &Client, root: &FileHandle, number: u32) -> Vec<Operation> {
        match self {
            Series::Rename => rename(root, &format!("old-{number}"), root, &format!("new-{number}")),
            Series::Mkdir => mkdir(root, &format!("directory-{number}")),
            Series::Remove => remove(root, &format!("removed-{number}")),
            Series::Open => open(client, root, &format!("opened-{number}"), guarded()),
        }
    }

    /// Whether the request has been executed, as another client sees it.
    async fn has_happened(self, client: &Client, root: &FileHandle, number: u32) -> bool {
        let exists =
            async |name: &str| client.files().lookup(root, &format!("{name}-{number}")).await.is_ok();
        match self {
            Series::Rename => exists("new").await,
            Series::Mkdir => exists("directory").await,
            Series::Remove => !exists("removed").await,
            Series::Open => exists("opened").await,
        }
    }
}

#[tokio::test]
async fn requests_in_progress_when_the_server_is_killed_have_happened_or_not_and_the_client_learns_which() {
    const REQUESTS: u32 = 60;
    let directory = tempfile::tempdir().unwrap();
    let mut server = ServerProcess::start(directory.path()).await;
    let mut unanswered = 0;
    let mut options = options();
    let mut round = 0;
    // Until there was what this test is about.
    while round < 3 || unanswered == 0 {
        round += 1;
        assert!(round < 20, "no reply was lost");
        // Another incarnation, so that no grace period waits for what the one before had open.
        options = options.rebooted();
        let client = Client::mount(server.address(), options.clone()).await.unwrap();
        let top = root(&client).await;
        let root = client.files().mkdir(&top, &format!("round-{round}")).await.unwrap();
        for number in 0..REQUESTS {
            for file in ["old", "removed"] {
                let file = client.files().create(&root, &format!("{file}-{number}")).await.unwrap();
                client.files().close(&file).await.unwrap();
            }
        }
        // Each series on a slot of its own, all at the same time. Returns the number of the last request, and whether it was answered.
        let run = async |series: Series, kill: Option<ServerProcess>| {
            let mut kill = kill;
            let slot = slot(&client, series as u32);
            for number in 0..REQUESTS {
                if number == REQUESTS / 3
                    && let Some(server) = kill.take()
                {
                    tokio::spawn(server.kill());
                }
                let slot = Slot { sequence: number + 1, ..slot };
                match client.compound_on(0, slot, true, series.request(&client, &root, number)).await {
                    Ok(reply) => assert_eq!(reply.status, Status::Ok),
                    Err(_) => return (number, false),
                }
            }
            (REQUESTS - 1, true)
        };
        let (one, two, three, four) = tokio::join!(
            run(Series::Rename, Some(server)),
            run(Series::Mkdir, None),
            run(Series::Remove, None),
            run(Series::Open, None),
        );
        server = ServerProcess::start(directory.path()).await;
        let last = [one, two, three, four];
        let mut again = Vec::new();
        for (series, (number, _)) in SERIES.into_iter().zip(last) {
            let slot = Slot { sequence: number + 1, ..slot(&client, series as u32) };
            let request = series.request(&client, &root, number);
            again.push(send_again((server.address(), &options), &client, slot, &request).await.status);
        }
        let after = Client::mount(server.address(), options.clone()).await.unwrap();
        for ((series, (number, was_answered)), again) in SERIES.into_iter().zip(last).zip(again) {
            let has_happened = series.has_happened(&after, &root, number).await;
            let expected = if has_happened { Status::Ok } else { Status::BadSession };
            assert_eq!(again, expected, "round {round}, {series:?} {number}");
            assert!(has_happened || !was_answered, "{series:?} {number} was answered");
            unanswered += u32::from(has_happened && !was_answered);
            if !has_happened {
                let request = series.request(&after, &root, number);
                assert_eq!(
                    after.try_compound(request).await.unwrap().status,
                    Status::Ok,
                    "it is executed now"
                );
            }
        }
    }
    server.kill().await;
}

#[tokio::test]
async fn without_a_persistent_session_a_rename_that_is_sent_again_fails() {
    let mut server = Daemon::start().await;
    let options = ClientOptions::new("broker");
    let client = Client::mount(server.address(), options.clone()).await.unwrap();
    assert_eq!(client.session.flags, 0);
    let root = root(&client).await;
    let file = client.files().create(&root, "old").await.unwrap();
    client.files().close(&file).await.unwrap();
    let request = rename(&root, "old", &root, "new");
    let reply = client.compound_on(0, slot(&client, 0), true, request.clone()).await.unwrap();
    assert_eq!(reply.status, Status::Ok);
    assert_eq!(rows(&server), 0);
    server.restart().await;
    let again = send_again((server.address(), &options), &client, slot(&client, 0), &request).await;
    assert_eq!(again.status, Status::BadSession);
    let after = Client::mount(server.address(), options).await.unwrap();
    assert_eq!(after.try_compound(request).await.unwrap().status, Status::NoEnt);
}

#[tokio::test]
async fn nothing_but_the_very_same_request_is_answered() {
    let mut server = Daemon::start().await;
    let (client, root) = mount(&server).await;
    let good = Slot { sequence: 2, ..slot(&client, 0) };
    let request = mkdir(&root, "made");
    client.compound_on(0, Slot { sequence: 1, ..good }, true, mkdir(&root, "earlier")).await.unwrap();
    client.compound_on(0, good, true, request.clone()).await.unwrap();
    let alive = send_again_to(&server, &client, good, &mkdir(&root, "another")).await;
    assert_eq!(alive.status, Status::SeqFalseRetry, "the session exists");
    server.restart().await;
    let content_before = content(&server).await;
    let refused = [
        (good, mkdir(&root, "another")),
        (good, Vec::new()),
        (good, request[..2].to_vec()),
        (Slot { sequence: 1, ..good }, mkdir(&root, "earlier")),
        (Slot { sequence: 1, ..good }, request.clone()),
        (Slot { sequence: 3, ..good }, request.clone()),
        (Slot { id: good.id - 1, ..good }, request.clone()),
        (Slot { id: u32::MAX, ..good }, request.clone()),
    ];
    for (slot, operations) in refused {
        let reply = send_again_to(&server, &client, slot, &operations).await;
        assert_eq!((reply.status, reply.results.len()), (Status::BadSession, 1), "{slot:?} {operations:?}");
    }
    let another = options().user(1000, 1000);
    let reply = send_again((server.address(), &another), &client, good, &request).await;
    assert_eq!(reply.status, Status::BadSession, "another caller");
    assert_eq!(content(&server).await, content_before);
    assert_eq!(send_again_to(&server, &client, good, &request).await.status, Status::Ok);
}

#[tokio::test]
async fn failed_operations_and_those_that_may_be_executed_twice_leave_nothing() {
    let mut server = Daemon::start().await;
    let (client, root) = mount(&server).await;
    let file = client.files().create(&root, "file").await.unwrap();
    client.compound(link(&file.handle, &root, "second")).await.unwrap();
    let number = rows(&server);
    let write = Operation::Write(WriteArgs {
        stateid: StateId { seqid: 0, ..file.stateid },
        offset: 0,
        stable: StableHow::FileSync,
        data: name("data"),
    });
    let requests = [
        (remove(&root, "missing"), Status::NoEnt),
        (mkdir(&root, "file"), Status::Exist),
        (open(&client, &root, "file", guarded()), Status::Exist),
        (open(&client, &root, "file", CreateHow::Unchecked(Attributes::mode(0o644).encode())), Status::Ok),
        // Two names of one file: nothing changes.
        (rename(&root, "file", &root, "second"), Status::Ok),
        (vec![put(&file.handle), write], Status::Ok),
        (vec![put(&root), getattr()], Status::Ok),
    ];
    for (index, (request, expected)) in (0..).zip(&requests) {
        let reply = client.compound_on(0, slot(&client, index), true, request.clone()).await.unwrap();
        assert_eq!(reply.status, *expected);
    }
    assert_eq!(rows(&server), number);
    server.restart().await;
    for (index, (request, _)) in (0..).zip(&requests) {
        let reply = send_again_to(&server, &client, slot(&client, index), request).await;
        assert_eq!(reply.status, Status::BadSession);
    }
}

#[tokio::test]
async fn a_slot_has_the_outcomes_of_its_last_such_request() {
    let mut server = Daemon::start().await;
    let (client, root) = mount(&server).await;
    let at = |sequence| Slot { sequence, ..slot(&client, 0) };
    client.compound_on(0, at(1), true, mkdir(&root, "one")).await.unwrap();
    let number = rows(&server);
    client.compound_on(0, at(2), true, mkdir(&root, "two")).await.unwrap();
    assert_eq!(rows(&server), number);
    // It needs none, and the client has seen the reply to the one before.
    client.compound_on(0, at(3), true, [put(&root), getattr()]).await.unwrap();
    server.restart().await;
    for (sequence, request, expected) in [
        (1, mkdir(&root, "one"), Status::BadSession),
        (2, mkdir(&root, "two"), Status::Ok),
        (3, vec![put(&root), getattr()], Status::BadSession),
    ] {
        assert_eq!(send_again_to(&server, &client, at(sequence), &request).await.status, expected);
    }
}

#[tokio::test]
async fn an_exclusive_open_that_is_sent_again_is_reclaimed_and_usable() {
    let mut server = Daemon::start().await;
    let (client, root) = mount(&server).await;
    let request = open(&client, &root, "log", guarded());
    let first = client.compound_on(0, slot(&client, 0), true, request.clone()).await.unwrap();
    let OperationResult::Getfh(Ok(GetfhResult { object: handle })) = &first.results[3] else {
        panic!("{first:?}")
    };
    server.restart().await;
    let again = send_again_to(&server, &client, slot(&client, 0), &request).await;
    assert_same(&first, &again);
    let OperationResult::Open(Ok(opened)) = &again.results[2] else { panic!("{again:?}") };

    let after = Client::connect(server.address(), options()).await.unwrap();
    let replayed = OpenFile { handle: handle.clone(), stateid: opened.stateid, rflags: opened.rflags };
    assert_eq!(status(after.files().read(&replayed, 0, 1).await), Status::BadStateid);
    let file = reclaim(&after, handle).await.unwrap();
    after.reclaim_complete().await.unwrap();
    after.files().write(&file, 0, name("data"), StableHow::Unstable).await.unwrap();
    after.files().commit(&file.handle).await.unwrap();
    assert_eq!(contents(&after, &file).await, b"data");
    after.files().close(&file).await.unwrap();
}

#[tokio::test]
async fn a_removed_file_that_is_open_stays_readable_after_the_remove_was_sent_again() {
    let mut server = Daemon::start().await;
    let (client, root) = mount(&server).await;
    let files = client.files();
    let mut open = Vec::new();
    for file in ["removed", "replaced"] {
        let file = files.create(&root, file).await.unwrap();
        files.write(&file, 0, name("data"), StableHow::FileSync).await.unwrap();
        open.push(file);
    }
    let file = files.create(&root, "new").await.unwrap();
    files.close(&file).await.unwrap();
    let requests = [remove(&root, "removed"), rename(&root, "new", &root, "replaced")];
    let mut replies = Vec::new();
    for (number, request) in (0..).zip(&requests) {
        replies.push(client.compound_on(0, slot(&client, number), true, request.clone()).await.unwrap());
    }
    server.restart().await;
    for ((number, request), first) in (0..).zip(&requests).zip(&replies) {
        let again = send_again_to(&server, &client, slot(&client, number), request).await;
        assert_same(first, &again);
    }
    let after = Client::connect(server.address(), options()).await.unwrap();
    for file in &mut open {
        *file = reclaim(&after, &file.handle).await.unwrap();
    }
    after.reclaim_complete().await.unwrap();
    for file in &open {
        assert_eq!(contents(&after, file).await, b"data");
        assert_eq!(after.files().getattr(&file.handle).await.unwrap().numlinks, Some(0));
    }
    assert_eq!(server.orphans(), 2);
    for file in &open {
        after.files().close(file).await.unwrap();
    }
    server.wait_until_no_orphan().await;
}

#[tokio::test]
async fn of_several_operations_those_that_are_durable_are_answered_and_the_next_is_not_executed() {
    let mut server = Daemon::start().await;
    let (client, root) = mount(&server).await;
    client.files().mkdir(&root, "second").await.unwrap();
    let both = |first, second| [mkdir(&root, first), mkdir(&root, second)].concat();
    let whole = both("one", "two");
    let first_of_whole = client.compound_on(0, slot(&client, 0), true, whole.clone()).await.unwrap();
    assert_eq!(first_of_whole.status, Status::Ok);
    // The second fails, as if the server had died before it.
    let cut = both("first", "second");
    let first_of_cut = client.compound_on(0, slot(&client, 1), true, cut.clone()).await.unwrap();
    assert_eq!((first_of_cut.status, first_of_cut.results.len()), (Status::Exist, 7));
    client.files().remove(&root, "second").await.unwrap();
    server.restart().await;
    let content_before = content(&server).await;
    let again = send_again_to(&server, &client, slot(&client, 0), &whole).await;
    assert_same(&first_of_whole, &again);
    let again = send_again_to(&server, &client, slot(&client, 1), &cut).await;
    assert_eq!((again.status, again.results.len()), (Status::DeadSession, 7));
    assert_eq!(again.results[2..4], first_of_cut.results[2..4]);
    assert_eq!(content(&server).await, content_before);
}

#[tokio::test]
async fn a_request_that_is_sent_again_does_nothing_that_was_not_done() {
    let mut server = Daemon::start().await;
    let (client, root) = mount(&server).await;
    let file = client.files().create(&root, "file").await.unwrap();
    let size = Attributes::size(5).encode();
    let setattr = Operation::Setattr(SetattrArgs { stateid: file.stateid, attributes: size });
    let request = [mkdir(&root, "made"), vec![put(&file.handle), setattr]].concat();
    let first = client.compound_on(0, slot(&client, 0), true, request.clone()).await.unwrap();
    assert_eq!(first.status, Status::Ok);
    server.restart().await;
    let again = send_again_to(&server, &client, slot(&client, 0), &request).await;
    assert_eq!((again.status, again.results.len()), (Status::DeadSession, 7));
}

#[tokio::test]
async fn a_session_that_its_client_destroyed_is_answered_no_more() {
    for after_the_restart in [false, true] {
        let mut server = Daemon::start().await;
        let (client, root) = mount(&server).await;
        let request = mkdir(&root, "made");
        client.compound_on(0, slot(&client, 0), true, request.clone()).await.unwrap();
        let args = DestroySessionArgs { sessionid: client.session_id() };
        let destroy = [Operation::DestroySession(args)];
        if !after_the_restart {
            let reply = client.connection(0).unwrap().compound(2, &destroy).await.unwrap();
            assert_eq!(reply.status, Status::Ok);
            assert_eq!(rows(&server), 0);
        }
        server.restart().await;
        if after_the_restart {
            assert_eq!(send_again_to(&server, &client, slot(&client, 0), &request).await.status, Status::Ok);
            let connection = options().connect(server.address()).await.unwrap();
            assert_eq!(connection.compound(2, &destroy).await.unwrap().status, Status::BadSession);
            assert_eq!(rows(&server), 0);
        }
        let reply = send_again_to(&server, &client, slot(&client, 0), &request).await;
        assert_eq!(reply.status, Status::BadSession);
    }
}

#[tokio::test]
async fn a_client_that_restarted_is_answered_no_more() {
    for after_the_restart in [false, true] {
        let mut server = Daemon::start().await;
        let (client, root) = mount(&server).await;
        let request = mkdir(&root, "made");
        client.compound_on(0, slot(&client, 0), true, request.clone()).await.unwrap();
        if after_the_restart {
            server.restart().await;
        }
        let _rebooted = Client::connect(server.address(), options().rebooted()).await.unwrap();
        assert_eq!(rows(&server), 0);
        if !after_the_restart {
            server.restart().await;
        }
        let reply = send_again_to(&server, &client, slot(&client, 0), &request).await;
        assert_eq!(reply.status, Status::BadSession);
    }
}

#[tokio::test]
async fn a_client_that_has_reclaimed_is_answered_no_more() {
    let mut server = Daemon::start().await;
    let (client, root) = mount(&server).await;
    let other = Client::mount(server.address(), ClientOptions::new("other").persistent()).await.unwrap();
    let request = mkdir(&root, "made");
    client.compound_on(0, slot(&client, 0), true, request.clone()).await.unwrap();
    let of_other = mkdir(&root, "theirs");
    other.compound_on(0, slot(&other, 0), true, of_other.clone()).await.unwrap();
    server.restart().await;
    let after = Client::connect(server.address(), options()).await.unwrap();
    assert_eq!(send_again_to(&server, &client, slot(&client, 0), &request).await.status, Status::Ok);
    after.reclaim_complete().await.unwrap();
    let reply = send_again_to(&server, &client, slot(&client, 0), &request).await;
    assert_eq!(reply.status, Status::BadSession);
    assert_eq!(send_again_to(&server, &other, slot(&other, 0), &of_other).await.status, Status::Ok);
}

#[tokio::test]
async fn outcomes_from_before_a_restart_are_deleted_after_an_hour() {
    let mut server = Daemon::start().await;
    let (client, root) = mount(&server).await;
    let request = mkdir(&root, "made");
    client.compound_on(0, slot(&client, 0), true, request.clone()).await.unwrap();
    server.restart().await;
    server.pass(std::time::Duration::from_secs(59 * 60)).await;
    assert_eq!(send_again_to(&server, &client, slot(&client, 0), &request).await.status, Status::Ok);
    server.pass(std::time::Duration::from_secs(2 * 60)).await;
    eventually("the row is deleted", async || rows(&server) == 0).await;
    let reply = send_again_to(&server, &client, slot(&client, 0), &request).await;
    assert_eq!(reply.status, Status::BadSession);
}

#[tokio::test]
async fn a_client_that_was_evicted_is_still_answered() {
    let server = Daemon::start().await;
    let (client, root) = mount(&server).await;
    let other = server.mount("other").await;
    let file = client.files().create(&root, ".lock").await.unwrap();
    lock(&client, &file).await.unwrap();
    let request = mkdir(&root, "made");
    let first = client.compound_on(0, slot(&client, 0), true, request.clone()).await.unwrap();
    let theirs = other.files().open(&root, ".lock").await.unwrap();
    server.expire_all_but(&[&other]).await;
    lock(&other, &theirs).await.expect("the first client is evicted");
    let again = send_again_to(&server, &client, slot(&client, 0), &request).await;
    assert_same(&first, &again);
    let and_later = async || {
        server.pass(std::time::Duration::from_secs(10 * 60)).await;
        rows(&server) == 0
    };
    eventually("the row is deleted", and_later).await;
    let again = send_again_to(&server, &client, slot(&client, 0), &request).await;
    assert_eq!(again.status, Status::BadSession);
}

#[tokio::test]
async fn an_open_without_room_creates_no_file() {
    let server = Daemon::start_with(forebay_nfs::Config { opens_per_client_max: 2, ..config() }).await;
    let (client, root) = mount(&server).await;
    let one = client.files().create(&root, "one").await.unwrap();
    let two = client.files().create(&root, "two").await.unwrap();
    let request = open(&client, &root, "three", guarded());
    assert_eq!(client.try_compound(request.clone()).await.unwrap().status, Status::Delay);
    assert_eq!(status(client.files().lookup(&root, "three").await), Status::NoEnt);
    client.files().close(&one).await.unwrap();
    assert_eq!(client.try_compound(request).await.unwrap().status, Status::Ok);
    client.files().close(&two).await.unwrap();
    client.files().create(&root, "four").await.unwrap();
}
