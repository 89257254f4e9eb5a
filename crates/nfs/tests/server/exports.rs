//! Export policies: who sees a volume, what they may do there, and that a change is in force at once.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use forebay_nfs::Config;
use forebay_nfs::policy::{
    Access, Anonymous, Clients, Policies, PolicyError, Reason, Refusal, Resolver, Rule, RuleChange, Squash,
    TOLD_EVERY, Telling,
};
use forebay_nfs_client::{Attributes, Client, ClientOptions, FileHandle};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{
    AccessArgs, CommitArgs, LockArgs, LockType, Locker, OpenClaim, OpenHow, OpenToLockOwner, Operation,
    OperationResult, ReadArgs, SetattrArgs, StableHow, StateId, WriteArgs, access, attribute, share,
};
use forebay_pool::{Volume, VolumeSpec};
use forebay_service::events::Who;
use forebay_service::volumes::DeleteHow;

use crate::attributes::value;
use crate::harness::{DEADLINE, Daemon, VOLUME, eventually, on, put, root, status, volume};

/// Two hosts: the loopback network has many addresses.
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 1));
const THERE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

fn clients(text: &str) -> Clients {
    text.parse().expect(text)
}

fn rule(who: &str, access: Access) -> Rule {
    Rule { access, ..Rule::new(clients(who)) }
}

fn policies(daemon: &Daemon) -> &Arc<Policies> {
    &daemon.shared().policies
}

async fn volume_create(daemon: &Daemon, spec: VolumeSpec, policy: &str) -> Result<Volume, PolicyError> {
    let policy = policies(daemon).assignment(policy);
    daemon.shared().service.volumes.create(spec, &policy, Who::default()).await
}

/// Gives the volume a policy with these rules.
async fn export(daemon: &Daemon, rules: impl IntoIterator<Item = Rule>) {
    let policies = policies(daemon);
    policies.create("brokers").await.expect("a policy");
    for rule in rules {
        policies.rule_add("brokers", rule, None).await.expect("a rule");
    }
    policies.assign("kafka", "brokers").await.expect("the volume has it");
}

async fn set_access(daemon: &Daemon, who: &str, access: Access) {
    let change = RuleChange { access: Some(access), ..RuleChange::default() };
    policies(daemon).rule_modify("brokers", &clients(who), change).await.expect("the rule is changed");
}

async fn mount_from(daemon: &Daemon, source: IpAddr) -> Client {
    let options = ClientOptions::new(&format!("client {source}")).from(source);
    Client::mount(daemon.address(), options).await.expect("a client")
}

async fn names(client: &Client, directory: &FileHandle) -> Vec<Bytes> {
    let entries = client.files().readdir(directory).await.expect("it is listed");
    entries.into_iter().map(|entry| entry.name).collect()
}

/// A file's owner and group.
async fn owner(client: &Client, file: &FileHandle) -> [Bytes; 2] {
    let attributes = client.files().getattr(file).await.expect("attributes");
    [attributes.owner, attributes.owner_group].map(|name| name.expect("it has one"))
}

#[tokio::test]
async fn everyone_sees_a_volume_for_which_nothing_was_said() {
    let daemon = Daemon::start().await;
    assert_eq!(policies(&daemon).of_volume("kafka"), "default");
    let client = mount_from(&daemon, THERE).await;
    let root = root(&client).await;
    client.files().create(&root, "file").await.expect("a file");
}

#[tokio::test]
async fn a_volume_is_not_there_for_clients_without_a_rule() {
    let daemon = Daemon::start().await;
    export(&daemon, [rule("127.0.0.1", Access::ReadWrite)]).await;
    let insider = mount_from(&daemon, HERE).await;
    root(&insider).await;

    let outsider = mount_from(&daemon, THERE).await;
    assert_eq!(status(outsider.files().resolve(VOLUME).await), Status::NoEnt);
    let top = outsider.files().resolve("/").await.expect("the root");
    assert!(names(&outsider, &top).await.is_empty());
    let how = OpenHow::NoCreate;
    assert_eq!(status(outsider.files().open_as("owner", &top, "kafka", how).await), Status::NoEnt);
}

#[tokio::test]
async fn the_way_to_a_hidden_volume_is_hidden_too_and_shared_ways_are_not() {
    let daemon = Daemon::start().await;
    for (name, path) in [("a", "/data/x/a"), ("b", "/data/y/b")] {
        let mut spec = volume(name, true);
        spec.junction_path = path.to_owned();
        policies(&daemon).create(name).await.expect("a policy");
        volume_create(&daemon, spec, name).await.expect("a volume");
    }
    policies(&daemon).rule_add("a", rule("127.0.0.2", Access::ReadOnly), None).await.expect("a rule");
    let client = mount_from(&daemon, THERE).await;
    let top = client.files().resolve("/").await.expect("the root");
    assert_eq!(names(&client, &top).await.len(), 2, "kafka and data");
    let data = client.files().resolve("/data").await.expect("the shared way");
    assert_eq!(names(&client, &data).await, ["x"]);
    assert_eq!(status(client.files().resolve("/data/y").await), Status::NoEnt);
    let before = value::<u64>(&client, &data, attribute::CHANGE).await;

    policies(&daemon).rule_add("b", rule("*", Access::ReadOnly), None).await.expect("a rule");
    let way = client.files().resolve("/data/y").await.expect("it is there now");
    assert_eq!(names(&client, &data).await.len(), 2);
    assert!(value::<u64>(&client, &data, attribute::CHANGE).await > before, "caches of the listing end");
    policies(&daemon).rule_remove("b", &clients("*")).await.expect("the rule goes");
    assert_eq!(status(client.files().getattr(&way).await), Status::Stale);
}

#[tokio::test]
async fn a_change_is_in_force_at_once_for_who_has_the_volume_mounted() {
    let daemon = Daemon::start().await;
    export(&daemon, [rule("127.0.0.2", Access::ReadWrite), rule("*", Access::ReadWrite)]).await;
    let client = mount_from(&daemon, THERE).await;
    let other = mount_from(&daemon, HERE).await;
    let root = root(&client).await;
    let file = client.files().create(&root, "file").await.expect("a file");

    set_access(&daemon, "127.0.0.2", Access::None).await;
    assert_eq!(status(client.files().getattr(&root).await), Status::Access);
    assert_eq!(status(client.files().read(&file, 0, 10).await), Status::Access);
    let data = Bytes::from_static(b"data");
    assert_eq!(
        status(client.files().write(&file, 0, data.clone(), StableHow::FileSync).await),
        Status::Access
    );
    assert_eq!(status(client.files().lookup(&root, "file").await), Status::Access);
    other.files().getattr(&root).await.expect("the other host is not concerned");

    set_access(&daemon, "127.0.0.2", Access::ReadWrite).await;
    client.files().write(&file, 0, data, StableHow::FileSync).await.expect("back again");
}

#[tokio::test]
async fn a_client_that_is_kept_out_can_still_give_up_what_it_has() {
    let daemon = Daemon::start().await;
    export(&daemon, [rule("*", Access::ReadWrite)]).await;
    let (client, root) = daemon.mount_root("client").await;
    let file = client.files().create(&root, "file").await.expect("a file");
    client.files().remove(&root, "file").await.expect("an orphan");
    set_access(&daemon, "*", Access::None).await;
    client.files().close(&file).await.expect("it is closed");
    daemon.wait_until_no_orphan().await;
    client.unmount().await.expect("it leaves");
}

/// The outcome of every way to change something, tried on a file that is open for writing.
async fn changes(client: &Client, root: &FileHandle, file: &FileHandle, open: StateId) -> Vec<Status> {
    let write = WriteArgs {
        stateid: open,
        offset: 0,
        stable: StableHow::Unstable,
        data: Bytes::from_static(b"changed"),
    };
    let by_size = SetattrArgs { stateid: open, attributes: Attributes::size(1).encode() };
    let by_mode = SetattrArgs { stateid: StateId::ANONYMOUS, attributes: Attributes::mode(0o600).encode() };
    let mut outcomes = Vec::new();
    for operation in [Operation::Write(write), Operation::Setattr(by_size), Operation::Setattr(by_mode)] {
        outcomes.push(on(client, file, operation).await.status());
    }
    let files = client.files();
    outcomes.push(status(files.create(root, "new").await));
    outcomes.push(status(files.mkdir(root, "new").await));
    outcomes.push(status(files.remove(root, "file").await));
    outcomes.push(status(files.rename(root, "file", root, "renamed").await));
    outcomes.push(status(files.open(root, "file").await));
    let truncate = forebay_nfs_proto::xdr::nfs4::CreateHow::Unchecked(Attributes::size(0).encode());
    let claim = OpenClaim::Null(Bytes::from_static(b"file"));
    let args = files.open_args("reader", share::ACCESS_READ, OpenHow::Create(truncate), claim);
    outcomes.push(status(files.open_with(root, args).await));
    let link = forebay_nfs_proto::xdr::nfs4::LinkArgs { newname: Bytes::from_static(b"link") };
    let operations = [put(file), Operation::Savefh(()), put(root), Operation::Link(link)];
    outcomes.push(client.try_compound(operations).await.expect("an answer").status);
    outcomes
}

#[tokio::test]
async fn nothing_is_changed_on_a_read_only_export_also_under_an_open_from_before() {
    let daemon = Daemon::start().await;
    export(&daemon, [rule("*", Access::ReadWrite)]).await;
    let (client, root) = daemon.mount_root("client").await;
    let file = client.files().create(&root, "file").await.expect("a file");
    let data = Bytes::from_static(b"before");
    client.files().write(&file, 0, data.clone(), StableHow::FileSync).await.expect("written");
    let before = value::<u64>(&client, &file.handle, attribute::CHANGE).await;

    set_access(&daemon, "*", Access::ReadOnly).await;
    for (index, outcome) in changes(&client, &root, &file.handle, file.stateid).await.into_iter().enumerate()
    {
        assert_eq!(outcome, Status::RoFs, "change {index}");
    }
    let commit = Operation::Commit(CommitArgs { offset: 0, count: 0 });
    let outcome = on(&client, &file.handle, commit).await.status();
    assert_eq!(outcome, Status::Ok, "what was written before may be made durable");
    assert_eq!(value::<u64>(&client, &file.handle, attribute::CHANGE).await, before);
    let (read, _) = client.files().read(&file, 0, 100).await.expect("reading goes on");
    assert_eq!(read.0.concat(), data);
    assert_eq!(names(&client, &root).await, ["file"]);
    let wanted = access::READ | access::MODIFY | access::EXTEND | access::DELETE | access::LOOKUP;
    match on(&client, &root, Operation::Access(AccessArgs { access: wanted })).await {
        OperationResult::Access(Ok(rights)) => assert_eq!(rights.access, access::READ | access::LOOKUP),
        other => panic!("{other:?}"),
    }
    let args = |share_access| {
        let claim = OpenClaim::Null(Bytes::from_static(b"file"));
        client.files().open_args("reader", share_access, OpenHow::NoCreate, claim)
    };
    client.files().open_with(&root, args(share::ACCESS_READ)).await.expect("opened for reading");

    set_access(&daemon, "*", Access::ReadWrite).await;
    client.files().write(&file, 0, data, StableHow::FileSync).await.expect("writing goes on");
}

#[tokio::test]
async fn squashed_users_are_the_anonymous_one_in_checks_and_as_owners() {
    let daemon = Daemon::start().await;
    let anonymous = Anonymous { uid: 7000, gid: 7001 };
    export(&daemon, [Rule { squash: Squash::Root, anonymous, ..rule("*", Access::ReadWrite) }]).await;
    let (client, root) = daemon.mount_root("as root").await;
    let made = client.files().create(&root, "of root").await.expect("a file");
    assert_eq!(owner(&client, &made.handle).await, ["7000", "7001"]);

    let options = ClientOptions::new("as user").user(5000, 5001);
    let user = Client::mount(daemon.address(), options).await.expect("a client");
    let private = user.files().create(&root, "of user").await.expect("a file");
    assert_eq!(owner(&user, &private.handle).await, ["5000", "5001"], "not root, not squashed");
    user.files()
        .setattr(&private.handle, StateId::ANONYMOUS, &Attributes::mode(0o600))
        .await
        .expect("the owner may");
    assert_eq!(status(client.files().open(&root, "of user").await), Status::Access, "root is nobody here");
    let chown = Attributes { owner: Some(Bytes::from_static(b"0")), ..Attributes::default() };
    assert_eq!(
        status(client.files().setattr(&private.handle, StateId::ANONYMOUS, &chown).await),
        Status::Perm
    );

    let all = RuleChange { squash: Some(Squash::All), ..RuleChange::default() };
    policies(&daemon).rule_modify("brokers", &clients("*"), all).await.expect("changed");
    assert_eq!(status(user.files().open(&root, "of user").await), Status::Access, "not the owner any more");
    let made = user.files().create(&root, "of all").await.expect("a file");
    assert_eq!(owner(&user, &made.handle).await, ["7000", "7001"]);
}

#[tokio::test]
async fn a_squash_that_is_set_later_applies_to_files_that_are_open() {
    let daemon = Daemon::start().await;
    export(&daemon, [rule("*", Access::ReadWrite)]).await;
    let (client, root) = daemon.mount_root("as root").await;
    let files = client.files();
    let secret = files.create(&root, "of root alone").await.expect("a file");
    files.setattr(&secret.handle, StateId::ANONYMOUS, &Attributes::mode(0o600)).await.expect("the owner may");
    let shared = files.create(&root, "of everyone").await.expect("a file");
    files.setattr(&shared.handle, StateId::ANONYMOUS, &Attributes::mode(0o666)).await.expect("the owner may");
    let data = Bytes::from_static(b"before");
    files.write(&secret, 0, data.clone(), StableHow::FileSync).await.expect("written");

    let set_squash = async |squash| {
        let change = RuleChange { squash: Some(squash), ..RuleChange::default() };
        policies(&daemon).rule_modify("brokers", &clients("*"), change).await.expect("changed");
    };
    set_squash(Squash::Root).await;
    assert_eq!(status(files.read(&secret, 0, 10).await), Status::Access);
    let written = files.write(&secret, 0, data.clone(), StableHow::FileSync).await;
    assert_eq!(status(written), Status::Access);
    let cut = files.setattr(&secret.handle, secret.stateid, &Attributes::size(0)).await;
    assert_eq!(status(cut), Status::Access);
    files.write(&shared, 0, data.clone(), StableHow::FileSync).await.expect("anyone may");
    let claim = || OpenClaim::Null(Bytes::from_static(b"of everyone"));
    let again = files.open_args("reader", share::ACCESS_READ, OpenHow::NoCreate, claim());
    let reader = files.open_with(&root, again).await.expect("anyone may");
    assert_eq!(files.read(&reader, 0, 10).await.expect("read").0.into_bytes(), data);

    set_squash(Squash::None).await;
    files.write(&secret, 0, data, StableHow::FileSync).await.expect("as it was opened");
    files.close(&secret).await.expect("closed");
}

#[tokio::test]
async fn an_open_under_a_squash_gives_an_earlier_one_of_the_same_owner_nothing() {
    let daemon = Daemon::start().await;
    export(&daemon, [rule("*", Access::ReadWrite)]).await;
    let (client, root) = daemon.mount_root("as root").await;
    let files = client.files();
    let args = |access, how| {
        let claim = OpenClaim::Null(Bytes::from_static(b"file"));
        files.open_args("owner", access, how, claim)
    };
    let attributes = Attributes::mode(0o604).encode();
    let create = OpenHow::Create(forebay_nfs_proto::xdr::nfs4::CreateHow::Unchecked(attributes));
    files.open_with(&root, args(share::ACCESS_BOTH, create)).await.expect("a file");
    let change = RuleChange { squash: Some(Squash::Root), ..RuleChange::default() };
    policies(&daemon).rule_modify("brokers", &clients("*"), change).await.expect("changed");
    let again =
        files.open_with(&root, args(share::ACCESS_READ, OpenHow::NoCreate)).await.expect("may be read");
    files.read(&again, 0, 10).await.expect("read");
    let written = files.write(&again, 0, Bytes::from_static(b"x"), StableHow::FileSync).await;
    assert_eq!(status(written), Status::Access);
}

#[tokio::test]
async fn one_compound_over_two_volumes_keeps_their_rules_apart() {
    let daemon = Daemon::start().await;
    export(&daemon, [Rule { squash: Squash::All, ..rule("*", Access::ReadOnly) }]).await;
    daemon.pool().volume_create(volume("open", true)).await.expect("a volume");
    let (client, restricted) = daemon.mount_root("client").await;
    let open = client.files().resolve("/open").await.expect("the volume");
    let mkdir = |name: &'static str| {
        Operation::Create(forebay_nfs_proto::xdr::nfs4::CreateArgs {
            object_type: forebay_nfs_proto::xdr::nfs4::CreateType::Directory,
            name: Bytes::from_static(name.as_bytes()),
            attributes: Attributes::mode(0o700).encode(),
        })
    };
    let getattr =
        || Operation::Getattr(forebay_nfs_proto::xdr::nfs4::GetattrArgs { attributes: Attributes::all() });
    let operations =
        [put(&restricted), getattr(), put(&open), mkdir("made"), put(&restricted), mkdir("refused")];
    let reply = client.try_compound(operations).await.expect("an answer");
    assert_eq!(reply.status, Status::RoFs);
    assert_eq!(reply.results.len(), 7, "the last one was refused: {:?}", reply.results);
    let made = client.files().lookup(&open, "made").await.expect("it was made");
    assert_eq!(owner(&client, &made).await, ["0", "0"], "made by root, who is root there");
}

#[tokio::test]
async fn locks_and_reads_need_the_volume_to_be_there() {
    let daemon = Daemon::start().await;
    export(&daemon, [rule("*", Access::ReadWrite)]).await;
    let (client, root) = daemon.mount_root("client").await;
    let file = client.files().create(&root, "file").await.expect("a file");
    set_access(&daemon, "*", Access::None).await;
    let new = OpenToLockOwner {
        open_seqid: 0,
        open_stateid: file.stateid,
        lock_seqid: 0,
        lock_owner: client.files().owner("locker"),
    };
    let lock = LockArgs {
        locktype: LockType::Write,
        reclaim: false,
        offset: 0,
        length: u64::MAX,
        locker: Locker::New(new),
    };
    assert_eq!(on(&client, &file.handle, Operation::Lock(lock)).await.status(), Status::Access);
    let read = ReadArgs { stateid: StateId::ANONYMOUS, offset: 0, count: 1 };
    assert_eq!(on(&client, &file.handle, Operation::Read(read)).await.status(), Status::Access);
}

#[tokio::test]
async fn policies_and_who_has_them_survive_a_restart() {
    let mut daemon = Daemon::start().await;
    export(&daemon, [rule("127.0.0.2", Access::ReadOnly)]).await;
    let change = RuleChange { access: Some(Access::ReadOnly), ..RuleChange::default() };
    policies(&daemon).rule_modify("default", &clients("*"), change).await.expect("changed");
    let before = policies(&daemon).list();
    daemon.restart().await;
    assert_eq!(policies(&daemon).list(), before);
    assert_eq!(policies(&daemon).of_volume("kafka"), "brokers");
    let outsider = mount_from(&daemon, HERE).await;
    assert_eq!(status(outsider.files().resolve(VOLUME).await), Status::NoEnt);
    let insider = mount_from(&daemon, THERE).await;
    let root = root(&insider).await;
    assert_eq!(status(insider.files().mkdir(&root, "d").await), Status::RoFs);
}

#[tokio::test]
async fn changes_that_make_no_sense_are_refused_and_change_nothing() {
    let daemon = Daemon::start().await;
    export(&daemon, [rule("10.0.0.0/8", Access::ReadWrite)]).await;
    let policies = policies(&daemon);
    let before = (policies.list(), policies.of_volume("kafka"));
    assert!(matches!(policies.create("brokers").await, Err(PolicyError::Exists(_))));
    assert!(matches!(policies.create("a/b").await, Err(PolicyError::BadName(_))));
    assert!(matches!(policies.delete("ghost").await, Err(PolicyError::NotFound(_))));
    assert!(matches!(policies.delete("default").await, Err(PolicyError::Permanent)));
    assert!(matches!(policies.delete("brokers").await, Err(PolicyError::InUse { .. })));
    let again = rule("10.0.0.0/8", Access::ReadOnly);
    assert!(matches!(
        policies.rule_add("brokers", again, None).await,
        Err(PolicyError::DuplicateRule { .. })
    ));
    let far = rule("*", Access::ReadOnly);
    assert!(matches!(
        policies.rule_add("brokers", far.clone(), Some(3)).await,
        Err(PolicyError::BadPosition { last: 2, .. })
    ));
    assert!(matches!(policies.rule_add("brokers", far, Some(0)).await, Err(PolicyError::BadPosition { .. })));
    assert!(matches!(
        policies.rule_remove("brokers", &clients("*")).await,
        Err(PolicyError::NoSuchRule { .. })
    ));
    let no_one = Rule { anonymous: Anonymous { uid: 7, gid: u32::MAX }, ..rule("*", Access::ReadOnly) };
    let refused = policies.rule_add("brokers", no_one.clone(), None).await;
    assert!(matches!(refused, Err(PolicyError::BadAnonymous { .. })));
    assert!(matches!(policies.replace("new", vec![no_one]).await, Err(PolicyError::BadAnonymous { .. })));
    let anonymous = Some(Anonymous { uid: u32::MAX, gid: 7 });
    let change = RuleChange { anonymous, ..RuleChange::default() };
    let refused = policies.rule_modify("brokers", &clients("10.0.0.0/8"), change).await;
    assert!(matches!(refused, Err(PolicyError::BadAnonymous { .. })));
    assert!(matches!(policies.assign("ghost", "default").await, Err(PolicyError::Pool(_))));
    assert!(matches!(policies.assign("kafka", "ghost").await, Err(PolicyError::NotFound(_))));
    let taken = volume_create(&daemon, volume("kafka", true), "default").await;
    assert!(matches!(taken, Err(PolicyError::Pool(forebay_pool::Error::Exists(_)))));
    assert_eq!((policies.list(), policies.of_volume("kafka")), before, "the volume there was keeps its own");

    policies.assign("kafka", "default").await.expect("another policy");
    policies.delete("brokers").await.expect("nobody has it");
}

#[tokio::test]
async fn a_volume_made_again_does_not_have_its_predecessors_policy() {
    let daemon = Daemon::start().await;
    export(&daemon, []).await;
    let (service, any) = (&daemon.shared().service, policies(&daemon).assignment("default"));
    service
        .volumes
        .delete("kafka", DeleteHow { force: true, ..DeleteHow::default() }, &any, Who::default())
        .await
        .expect("deleted");
    volume_create(&daemon, volume("kafka", true), "default").await.expect("made again");
    let client = daemon.mount("client").await;
    root(&client).await;
}

async fn daemon_with_names() -> (Daemon, Resolver) {
    let resolver = Resolver::fixed();
    let config = Config { resolver: resolver.clone(), ..Config::default() };
    (Daemon::start_with(config).await, resolver)
}

#[tokio::test]
async fn a_host_name_stands_for_its_addresses_as_they_change() {
    let (daemon, resolver) = daemon_with_names().await;
    resolver.set("broker1", &[THERE]);
    export(&daemon, [rule("broker1", Access::ReadWrite)]).await;
    let (there, here) = (mount_from(&daemon, THERE).await, mount_from(&daemon, HERE).await);
    eventually("the name is found", async || there.files().resolve(VOLUME).await.is_ok()).await;
    assert_eq!(status(here.files().resolve(VOLUME).await), Status::NoEnt);

    resolver.set("broker1", &[HERE]);
    let moved = async || {
        daemon.pass(Duration::from_secs(5)).await;
        here.files().resolve(VOLUME).await.is_ok()
    };
    eventually("the host has moved", moved).await;
    let options = ClientOptions::new("another client").from(THERE);
    let there = Client::mount(daemon.address(), options).await.expect("a client");
    assert_eq!(status(there.files().resolve(VOLUME).await), Status::NoEnt);
}

#[tokio::test]
async fn a_host_that_is_not_found_is_nobody_and_the_rules_after_it_count() {
    let (daemon, _) = daemon_with_names().await;
    export(&daemon, [rule("ghost", Access::ReadWrite), rule("*", Access::ReadOnly)]).await;
    let client = daemon.mount("client").await;
    eventually("the name was looked for", async || match client.files().resolve(VOLUME).await {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.status(), Some(Status::Delay), "until then clients are to ask again");
            false
        }
    })
    .await;
    let root = root(&client).await;
    assert_eq!(status(client.files().mkdir(&root, "d").await), Status::RoFs);
}

#[tokio::test]
async fn a_restart_does_not_depend_on_the_name_service() {
    let resolver = Resolver::fixed();
    resolver.set("broker1", &[HERE]);
    let config = Config { resolver: resolver.clone(), ..Config::default() };
    let mut daemon = Daemon::start_with(config).await;
    export(&daemon, [rule("broker1", Access::ReadWrite)]).await;
    let client = daemon.mount("client").await;
    eventually("the name is found", async || client.files().resolve(VOLUME).await.is_ok()).await;
    let root = root(&client).await;
    let file = client.files().create(&root, "file").await.expect("a file");

    resolver.forget("broker1");
    daemon.restart().await;
    let client = daemon.connect("client").await;
    let claim = OpenClaim::Previous(forebay_nfs_proto::xdr::nfs4::DelegationType::None);
    let args = client.files().open_args("owner", share::ACCESS_BOTH, OpenHow::NoCreate, claim);
    client.files().open_with(&file.handle, args).await.expect("it takes back what it had open");
}

/// The next report of refusals, in time.
async fn told(daemon: &Daemon) -> Telling {
    let next = daemon.shared().refusals.next();
    tokio::time::timeout(DEADLINE, next).await.expect("something is told")
}

#[tokio::test]
async fn a_client_that_is_refused_is_told_of_once_and_then_counted() {
    let daemon = Daemon::start().await;
    export(&daemon, [rule("127.0.0.1", Access::ReadOnly)]).await;
    let volume = daemon.pool().volume("kafka").expect("the volume").id;
    let outsider = mount_from(&daemon, THERE).await;
    for _ in 0..20 {
        assert_eq!(status(outsider.files().resolve(VOLUME).await), Status::NoEnt);
    }
    let hidden = Refusal { client: THERE, volume, reason: Reason::Hidden };
    assert_eq!(told(&daemon).await, Telling::First(hidden));
    let deciding = policies(&daemon).deciding(volume, THERE).expect("something decides");
    assert_eq!((deciding.policy.as_str(), deciding.rule), ("brokers", None));

    let reader = mount_from(&daemon, HERE).await;
    let root = root(&reader).await;
    assert_eq!(status(reader.files().mkdir(&root, "new").await), Status::RoFs);
    let written = Refusal { client: HERE, volume, reason: Reason::ReadOnly };
    assert_eq!(told(&daemon).await, Telling::First(written));

    daemon.pass(TOLD_EVERY).await;
    assert_eq!(told(&daemon).await, Telling::Again(hidden, 19));
}

#[tokio::test]
async fn looking_around_is_no_refusal() {
    let daemon = Daemon::start().await;
    export(&daemon, [rule("127.0.0.1", Access::ReadWrite)]).await;
    let outsider = mount_from(&daemon, THERE).await;
    let top = outsider.files().resolve("/").await.expect("the root");
    assert!(names(&outsider, &top).await.is_empty());
    assert_eq!(status(outsider.files().resolve("/nothing").await), Status::NoEnt);
    let next = daemon.shared().refusals.next();
    assert!(tokio::time::timeout(Duration::from_millis(50), next).await.is_err());
}
