//! Referrals: what clients see of paths whose file systems are on other servers (RFC 8881 §11).

use bytes::Bytes;
use forebay_nfs::Config;
use forebay_nfs::policy::{Access, Rule};
use forebay_nfs::referral;
use forebay_nfs_client::{Client, ClientOptions, FileHandle};
use forebay_nfs_proto::xdr::nfs4::{
    Bitmap, CreateArgs, CreateHow, CreateType, DirectoryEntry, Fattr, FsLocation, FsLocations, Fsid,
    GetattrArgs, LookupArgs, OpCode, OpenHow, Operation, OperationResult, Pathname, ReaddirArgs, RemoveArgs,
    SecinfoArgs, Verifier, VerifyArgs, attribute, exchange_flags,
};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encode, Encoder, Status};
use forebay_pool::VolumeSpec;

use crate::attributes::value;
use crate::harness::{Daemon, config, on, put, root, status, volume};

const REFERRALS: &str = "/kafka-2=10.0.0.12:/kafka-2,/pools/3=[fd00::13]:/,/pools/3=pool-3.example.com:/";

async fn start() -> Daemon {
    start_with(REFERRALS).await
}

async fn start_with(referrals: &str) -> Daemon {
    let referrals = referral::list(referrals).expect(referrals);
    Daemon::start_with(Config { referrals, ..config() }).await
}

fn lookups(path: &str) -> Vec<Operation> {
    let names = path.split('/').filter(|name| !name.is_empty());
    let lookup = |name: &str| Operation::Lookup(LookupArgs { name: Bytes::copy_from_slice(name.as_bytes()) });
    [Operation::Putrootfh(())].into_iter().chain(names.map(lookup)).collect()
}

/// Executes one operation on the object at a path, without asking for its filehandle.
async fn at(client: &Client, path: &str, operation: Operation) -> OperationResult {
    let operations = lookups(path).into_iter().chain([operation]);
    let reply = client.try_compound(operations).await.expect("an answer");
    reply.results.into_iter().next_back().expect("the operation was executed")
}

async fn getattr(client: &Client, path: &str, attributes: &[u32]) -> Result<Fattr, Status> {
    let getattr = Operation::Getattr(GetattrArgs { attributes: Bitmap::of(attributes) });
    match at(client, path, getattr).await {
        OperationResult::Getattr(outcome) => outcome.map(|result| result.attributes),
        other => Err(other.status()),
    }
}

/// The attributes that exist, as READDIR and GETATTR encode them, and their order.
struct Place {
    fsid: Fsid,
    locations: FsLocations,
    mounted_on_fileid: u64,
}

async fn place(client: &Client, path: &str) -> Place {
    let wanted = [attribute::FSID, attribute::FS_LOCATIONS, attribute::MOUNTED_ON_FILEID];
    let fattr = getattr(client, path, &wanted).await.expect("they exist");
    assert_eq!(fattr.mask, Bitmap::of(&wanted));
    let mut input = Decoder::new(fattr.values);
    let fsid = Decode::decode(&mut input).expect("fsid");
    let locations = Decode::decode(&mut input).expect("fs_locations");
    let mounted_on_fileid = Decode::decode(&mut input).expect("mounted_on_fileid");
    input.finish().expect("nothing follows");
    Place { fsid, locations, mounted_on_fileid }
}

async fn list(
    client: &Client,
    directory: &FileHandle,
    attributes: &[u32],
) -> Result<Vec<DirectoryEntry>, Status> {
    let args = ReaddirArgs {
        cookie: 0,
        cookieverf: Verifier::default(),
        dircount: 0,
        maxcount: 32 << 10,
        attributes: Bitmap::of(attributes),
    };
    match on(client, directory, Operation::Readdir(args)).await {
        OperationResult::Readdir(outcome) => outcome.map(|result| result.entries),
        other => panic!("READDIR was answered by {other:?}"),
    }
}

fn entry<'a>(entries: &'a [DirectoryEntry], name: &str) -> &'a DirectoryEntry {
    entries.iter().find(|entry| entry.name == name).expect(name)
}

fn names(entries: &[DirectoryEntry]) -> Vec<String> {
    let mut names: Vec<String> =
        entries.iter().map(|entry| String::from_utf8_lossy(&entry.name).into_owned()).collect();
    names.sort();
    names
}

fn values<'a>(values: impl IntoIterator<Item = &'a dyn Encode>) -> Bytes {
    let mut out = Encoder::new();
    values.into_iter().for_each(|value| value.encode(&mut out));
    out.into_bytes()
}

/// Crosses a referral as Linux does: LOOKUP, GETFH and GETATTR; then LOOKUP and GETATTR of the locations.
#[tokio::test]
async fn a_client_is_told_where_the_file_system_is() {
    let daemon = start().await;
    let client = daemon.mount("client").await;
    let getattr = Operation::Getattr(GetattrArgs { attributes: Bitmap::of(&[attribute::TYPE]) });
    let operations = lookups("/kafka-2").into_iter().chain([Operation::Getfh(()), getattr]);
    let reply = client.try_compound(operations).await.expect("an answer");
    let statuses: Vec<Status> = reply.results.iter().map(OperationResult::status).collect();
    assert_eq!(
        statuses,
        [Status::Ok, Status::Ok, Status::Ok, Status::Moved],
        "LOOKUP succeeds, GETFH does not"
    );

    let place = place(&client, "/kafka-2").await;
    let location = |server: &'static str, rootpath: &[&'static str]| FsLocation {
        server: vec![Bytes::from_static(server.as_bytes())],
        rootpath: rootpath.iter().map(|name| Bytes::from_static(name.as_bytes())).collect(),
    };
    assert_eq!(place.locations.fs_root, ["kafka-2"]);
    assert_eq!(place.locations.locations, [location("10.0.0.12", &["kafka-2"])]);
    let other = self::place(&client, "/pools/3").await;
    assert_eq!(other.locations.fs_root, ["pools", "3"]);
    let expected = [location("fd00::13", &[]), location("pool-3.example.com", &[])];
    assert_eq!(other.locations.locations, expected);
}

/// Without it, a Linux client takes the referral for a file system that has moved away.
#[tokio::test]
async fn the_file_system_elsewhere_is_none_of_those_here() {
    let daemon = start().await;
    let client = daemon.mount("client").await;
    let mut fsids = Vec::new();
    for path in ["/", "/pools", "/kafka", "/kafka/.snapshot"] {
        let handle = client.files().resolve(path).await.expect(path);
        fsids.push(value::<Fsid>(&client, &handle, attribute::FSID).await);
    }
    assert_eq!(fsids[0], fsids[1], "the directories above volumes and referrals are one file system");
    let (one, other) = (place(&client, "/kafka-2").await, place(&client, "/pools/3").await);
    assert_ne!(one.fsid, other.fsid);
    assert!(!fsids.contains(&one.fsid) && !fsids.contains(&other.fsid));

    let pools = client.files().resolve("/pools").await.expect("a directory");
    let entries = list(&client, &pools, &[attribute::MOUNTED_ON_FILEID, attribute::RDATTR_ERROR]).await;
    let entries = entries.expect("a listing");
    let expected = values([&Status::Moved as &dyn Encode, &other.mounted_on_fileid]);
    assert_eq!(entry(&entries, "3").attributes.values, expected, "the same number in both answers");
}

#[tokio::test]
async fn only_who_asks_for_the_locations_gets_attributes() {
    let daemon = start().await;
    let client = daemon.mount("client").await;
    for attributes in [
        &[attribute::TYPE][..],
        &[attribute::FSID],
        &[attribute::MOUNTED_ON_FILEID, attribute::RDATTR_ERROR],
        &[attribute::SUPPORTED_ATTRS],
        &[],
    ] {
        assert_eq!(
            getattr(&client, "/kafka-2", attributes).await.err(),
            Some(Status::Moved),
            "{attributes:?}"
        );
    }
    let readable =
        (0..96).filter(|one| ![attribute::TIME_ACCESS_SET, attribute::TIME_MODIFY_SET].contains(one));
    let everything: Vec<u32> = readable.collect();
    let answered = getattr(&client, "/kafka-2", &everything).await.expect("what exists");
    let available =
        [attribute::FSID, attribute::RDATTR_ERROR, attribute::FS_LOCATIONS, attribute::MOUNTED_ON_FILEID];
    assert_eq!(answered.mask, Bitmap::of(&available));
    let write_only = [attribute::FS_LOCATIONS, attribute::TIME_MODIFY_SET];
    assert_eq!(getattr(&client, "/kafka-2", &write_only).await.err(), Some(Status::Inval));
}

#[tokio::test]
async fn attributes_are_compared_only_with_the_locations_and_nothing_that_is_elsewhere() {
    let daemon = start().await;
    let client = daemon.mount("client").await;
    let place = place(&client, "/kafka-2").await;
    let verify = async |attributes: &[u32], values: Bytes, is_equal: bool| {
        let attributes = Fattr { mask: Bitmap::of(attributes), values };
        let args = VerifyArgs { attributes };
        let operation = if is_equal { Operation::Verify(args) } else { Operation::Nverify(args) };
        at(&client, "/kafka-2", operation).await.status()
    };
    let both = [attribute::FSID, attribute::FS_LOCATIONS];
    let same = values([&place.fsid as &dyn Encode, &place.locations]);
    assert_eq!(verify(&both, same.clone(), true).await, Status::Ok);
    assert_eq!(verify(&both, same.clone(), false).await, Status::Same);
    let differs = values([&place.fsid as &dyn Encode, &FsLocations { fs_root: vec![], locations: vec![] }]);
    assert_eq!(verify(&both, differs.clone(), true).await, Status::NotSame);
    assert_eq!(verify(&both, differs, false).await, Status::Ok);
    let fsid = values([&place.fsid as &dyn Encode]);
    assert_eq!(verify(&[attribute::FSID], fsid, true).await, Status::Moved);
    let more = [attribute::SIZE, attribute::FSID, attribute::FS_LOCATIONS];
    let size = values([&0u64 as &dyn Encode]);
    assert_eq!(verify(&more, [size, same].concat().into(), true).await, Status::Moved);
}

#[tokio::test]
async fn a_listing_has_referrals_and_says_that_they_are_elsewhere() {
    let daemon = start().await;
    let client = daemon.mount("client").await;
    let top = client.files().resolve("/").await.expect("the root");
    let place = place(&client, "/kafka-2").await;
    let known = [attribute::TYPE, attribute::FSID, attribute::FILEID, attribute::MOUNTED_ON_FILEID];

    let with_errors = [&known[..], &[attribute::RDATTR_ERROR]].concat();
    let entries = list(&client, &top, &with_errors).await.expect("a listing");
    assert_eq!(names(&entries), ["kafka", "kafka-2", "pools"]);
    let moved = &entry(&entries, "kafka-2").attributes;
    let left = [attribute::FSID, attribute::RDATTR_ERROR, attribute::MOUNTED_ON_FILEID];
    assert_eq!(moved.mask, Bitmap::of(&left));
    let expected = values([&place.fsid as &dyn Encode, &Status::Moved, &place.mounted_on_fileid]);
    assert_eq!(moved.values, expected);
    for present in ["kafka", "pools"] {
        assert_eq!(entry(&entries, present).attributes.mask, Bitmap::of(&with_errors), "{present}");
    }

    let with_locations = [&with_errors[..], &[attribute::FS_LOCATIONS]].concat();
    let entries = list(&client, &top, &with_locations).await.expect("a listing");
    let expected =
        values([&place.fsid as &dyn Encode, &Status::Ok, &place.locations, &place.mounted_on_fileid]);
    assert_eq!(
        entry(&entries, "kafka-2").attributes.values,
        expected,
        "no error where the locations are known"
    );

    assert_eq!(list(&client, &top, &known).await.err(), Some(Status::Moved));
    let pools = client.files().resolve("/pools").await.expect("a directory");
    assert_eq!(names(&list(&client, &pools, &with_errors).await.expect("a listing")), ["3"]);
}

/// Each operation, with arguments that are all 0, or all 1 where those mean nothing.
#[tokio::test]
async fn every_operation_that_uses_the_filehandle_fails() {
    let daemon = start().await;
    let client = daemon.mount("client").await;
    let mut tried = 0;
    for code in OpCode::Access as u32..=OpCode::Removexattr as u32 {
        let arguments = [0u32, 1].map(|word| Bytes::from(word.to_be_bytes().repeat(256)));
        let mut decoded =
            arguments.into_iter().map(|words| Operation::decode_args(code, &mut Decoder::new(words)));
        let Some(operation) = decoded.find_map(Result::ok) else {
            panic!("operation {code} needs other arguments")
        };
        let expected = match operation {
            // These belong to sessions, or are not supported.
            Operation::Sequence(_)
            | Operation::BackchannelCtl(_)
            | Operation::BindConnToSession(_)
            | Operation::ExchangeId(_)
            | Operation::CreateSession(_)
            | Operation::DestroySession(_)
            | Operation::DestroyClientid(_)
            | Operation::ReclaimComplete(_)
            | Operation::Other(..) => continue,
            Operation::Putrootfh(_) | Operation::Putpubfh(_) | Operation::TestStateid(_) => Status::Ok,
            Operation::Putfh(_) => Status::BadHandle,
            Operation::Restorefh(_) => Status::NoFileHandle,
            Operation::FreeStateid(_) => Status::BadStateid,
            Operation::Delegpurge(_) => Status::NotSupp,
            _ => Status::Moved,
        };
        let answer = at(&client, "/kafka-2", operation).await;
        assert_eq!(answer.status(), expected, "operation {code}: {answer:?}");
        tried += 1;
    }
    assert!(tried > 40, "only {tried} operations");
    let deeper = at(&client, "/kafka-2", lookups("/topic-0").remove(1)).await;
    assert_eq!(deeper.status(), Status::Moved, "no path leads through it");
}

/// Clients never get such a filehandle. One that has it from elsewhere can ask where the file system is.
#[tokio::test]
async fn a_filehandle_of_the_place_leads_to_the_locations() {
    let daemon = start().await;
    let client = daemon.mount("client").await;
    let top = client.files().resolve("/").await.expect("the root");
    let node = place(&client, "/kafka-2").await.mounted_on_fileid;
    let handle: Bytes = [&top[..top.len() - 8], &node.to_be_bytes()].concat().into();
    let locations: FsLocations = value(&client, &handle, attribute::FS_LOCATIONS).await;
    assert_eq!(locations.fs_root, ["kafka-2"]);
    assert_eq!(status(client.files().getattr(&handle).await), Status::Moved);
    assert_eq!(status(client.files().readdir(&handle).await), Status::Moved);
    assert_eq!(status(client.files().create(&handle, "file").await), Status::Moved);
}

#[tokio::test]
async fn the_name_is_that_of_a_directory_which_cannot_be_changed() {
    let daemon = start().await;
    let client = daemon.mount("client").await;
    let files = client.files();
    let top = files.resolve("/").await.expect("the root");
    // Linux then looks the name up, and follows the referral. For NFS4ERR_MOVED it would move the whole mount.
    assert_eq!(status(files.open(&top, "kafka-2").await), Status::IsDir);
    assert_eq!(status(files.create(&top, "kafka-2").await), Status::IsDir);
    let guarded = CreateHow::Guarded(Fattr { mask: Bitmap::default(), values: Bytes::new() });
    let made = files.open_as("owner", &top, "kafka-2", OpenHow::Create(guarded)).await;
    assert_eq!(status(made), Status::Exist);
    let name = Bytes::from_static(b"kafka-2");
    let remove = Operation::Remove(RemoveArgs { target: name.clone() });
    let attributes = Fattr { mask: Bitmap::default(), values: Bytes::new() };
    let mkdir = CreateArgs { object_type: CreateType::Directory, name: name.clone(), attributes };
    for operation in [remove, Operation::Create(mkdir)] {
        assert_eq!(on(&client, &top, operation).await.status(), Status::RoFs);
    }
    assert_eq!(on(&client, &top, Operation::Secinfo(SecinfoArgs { name })).await.status(), Status::Ok);
}

/// A referral reveals an address; what can be done there is for the other server to decide.
#[tokio::test]
async fn every_client_sees_referrals() {
    let daemon = start_with("/kafka-2=10.0.0.12:/kafka-2,/data/b=10.0.0.12:/b").await;
    let policies = &daemon.shared().policies;
    policies.create("nobody").await.expect("a policy");
    policies.assign("kafka", "nobody").await.expect("nobody sees the volume");
    let spec = VolumeSpec { junction_path: "/data/a".to_owned(), ..volume("a", true) };
    let assignment = policies.assignment("nobody");
    daemon.shared().service.volumes.create(spec, &assignment, Default::default()).await.expect("a volume");
    let client = daemon.mount("client").await;
    let top = client.files().resolve("/").await.expect("the root");
    let wanted = [attribute::RDATTR_ERROR];
    assert_eq!(names(&list(&client, &top, &wanted).await.expect("a listing")), ["data", "kafka-2"]);
    let data = client.files().resolve("/data").await.expect("it leads to a referral");
    assert_eq!(names(&list(&client, &data, &wanted).await.expect("a listing")), ["b"]);
    assert_eq!(status(client.files().resolve("/data/a").await), Status::NoEnt);
    place(&client, "/data/b").await;
    policies
        .rule_add("nobody", Rule { access: Access::ReadOnly, ..Rule::new("*".parse().expect("all")) }, None)
        .await
        .expect("now everybody does");
    assert_eq!(names(&list(&client, &data, &wanted).await.expect("a listing")), ["a", "b"]);
}

#[tokio::test]
async fn a_volume_covers_a_referral_for_as_long_as_it_is_there() {
    let daemon = start_with("/kafka=10.0.0.12:/kafka,/b=10.0.0.12:/b").await;
    let client = daemon.mount("client").await;
    root(&client).await;
    let top = client.files().resolve("/").await.expect("the root");
    let before = value::<u64>(&client, &top, attribute::CHANGE).await;
    place(&client, "/b").await;
    daemon.pool().volume_create(volume("b", true)).await.expect("a volume at the path");
    client.files().resolve("/b").await.expect("the volume's root");
    let covered = value::<u64>(&client, &top, attribute::CHANGE).await;
    assert!(covered > before, "caches of the listing end");
    daemon.pool().volume_delete("b", false).await.expect("the volume goes");
    assert_eq!(place(&client, "/b").await.locations.fs_root, ["b"]);
    assert!(value::<u64>(&client, &top, attribute::CHANGE).await > covered);
}

#[tokio::test]
async fn a_file_system_that_is_here_has_a_root_and_no_other_places() {
    let daemon = Daemon::start().await;
    daemon.pool().snapshot_create(&["kafka".to_owned()], "monday").await.expect("a snapshot");
    let client = daemon.mount("client").await;
    for (path, fs_root) in [
        ("/", &[][..]),
        ("/kafka", &["kafka"]),
        ("/kafka/.snapshot", &["kafka"]),
        ("/kafka/.snapshot/monday", &["kafka", ".snapshot", "monday"]),
    ] {
        let handle = client.files().resolve(path).await.expect(path);
        let locations: FsLocations = value(&client, &handle, attribute::FS_LOCATIONS).await;
        assert_eq!(locations, FsLocations { fs_root: pathname(fs_root), locations: Vec::new() }, "{path}");
    }
    let file = client.files().create(&root(&client).await, "file").await.expect("a file").handle;
    let locations: FsLocations = value(&client, &file, attribute::FS_LOCATIONS).await;
    assert_eq!(locations.fs_root, ["kafka"]);
}

fn pathname(names: &[&'static str]) -> Pathname {
    names.iter().map(|name| Bytes::from_static(name.as_bytes())).collect()
}

/// RFC 8881 §18.35.3 requires it of a server that may refer clients to others.
#[tokio::test]
async fn the_server_announces_that_it_may_refer_clients_to_others() {
    let daemon = start().await;
    let options = ClientOptions::new("client");
    let connection = options.connect(daemon.address()).await.expect("a connection");
    let exchange = Operation::ExchangeId(options.exchange_id());
    let reply = connection.compound(2, &[exchange]).await.expect("an answer");
    let Some(OperationResult::ExchangeId(Ok(result))) = reply.results.into_iter().next() else {
        panic!("EXCHANGE_ID has a result")
    };
    assert_ne!(result.flags & exchange_flags::SUPP_MOVED_REFER, 0);
    assert_eq!(result.flags & exchange_flags::SUPP_MOVED_MIGR, 0, "nothing ever moves while it is mounted");
}

#[tokio::test]
async fn paths_of_other_servers_survive_a_restart_and_handles_of_directories_above_them_too() {
    let mut daemon = start().await;
    let client = daemon.mount("client").await;
    let pools = client.files().resolve("/pools").await.expect("a directory");
    let before = place(&client, "/pools/3").await;
    daemon.restart().await;
    let client = daemon.mount("client").await;
    let after = place(&client, "/pools/3").await;
    assert_eq!((before.fsid, before.mounted_on_fileid), (after.fsid, after.mounted_on_fileid));
    let reply = client.try_compound([put(&pools), Operation::Getfh(())]).await.expect("an answer");
    assert_eq!(reply.status, Status::Ok);
    assert_eq!(names(&list(&client, &pools, &[attribute::RDATTR_ERROR]).await.expect("a listing")), ["3"]);
}
