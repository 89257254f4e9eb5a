//! Directories, names and what happens to them while others look (RFC 8881 §18).

use std::collections::BTreeSet;

use bytes::Bytes;
use forebay_nfs_client::{Attributes, Client, ClientOptions, FileHandle};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{
    Bitmap, CreateArgs, CreateType, DirectoryEntry, Fattr, LinkArgs, LookupArgs, Operation, OperationResult,
    ReaddirArgs, ReaddirResult, RemoveArgs, RenameArgs, SpecData, Verifier, attribute,
};

use crate::harness::{Daemon, on, put, root, status};

fn name(text: impl AsRef<[u8]>) -> Bytes {
    Bytes::copy_from_slice(text.as_ref())
}

/// A READDIR of names and ids, with its bounds.
fn readdir(cookie: u64, dircount: u32, maxcount: u32) -> ReaddirArgs {
    let attributes = Bitmap::of(&[attribute::FILEID, attribute::RDATTR_ERROR]);
    ReaddirArgs { cookie, cookieverf: Verifier::default(), dircount, maxcount, attributes }
}

async fn page(client: &Client, directory: &FileHandle, args: ReaddirArgs) -> Result<ReaddirResult, Status> {
    match on(client, directory, Operation::Readdir(args)).await {
        OperationResult::Readdir(outcome) => outcome,
        other => panic!("READDIR was answered by {other:?}"),
    }
}

/// Executes an operation on a directory, and returns what became of it.
async fn outcome(client: &Client, directory: &FileHandle, operation: Operation) -> Status {
    on(client, directory, operation).await.status()
}

async fn fill(client: &Client, directory: &FileHandle, count: usize) -> BTreeSet<Bytes> {
    let mut names = BTreeSet::new();
    for index in 0..count {
        let text = format!("{index:05}.log");
        let file = client.files().create(directory, &text).await.expect("it is created");
        client.files().close(&file).await.expect("it is closed");
        names.insert(name(text));
    }
    names
}

#[tokio::test]
async fn a_listing_in_small_pages_has_every_name_once() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let directory = client.files().mkdir(&root(&client).await, "topic-0").await.expect("a directory");
    let expected = fill(&client, &directory, 60).await;
    let mut listed: Vec<DirectoryEntry> = Vec::new();
    loop {
        let cookie = listed.last().map_or(0, |entry| entry.cookie);
        let page = page(&client, &directory, readdir(cookie, 0, 200)).await.expect("a page");
        assert!(page.eof || !page.entries.is_empty(), "a page brings the listing forward");
        listed.extend(page.entries);
        if page.eof {
            break;
        }
    }
    assert_eq!(listed.len(), expected.len());
    assert_eq!(listed.into_iter().map(|entry| entry.name).collect::<BTreeSet<_>>(), expected);
}

/// Kafka deletes a partition's files while it lists them.
#[tokio::test]
async fn entries_removed_behind_the_reader_do_not_move_its_place() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let directory = client.files().mkdir(&root(&client).await, "topic-0").await.expect("a directory");
    let expected = fill(&client, &directory, 60).await;
    let mut listed = BTreeSet::new();
    let mut cookie = 0;
    loop {
        let page = page(&client, &directory, readdir(cookie, 0, 300)).await.expect("a page");
        for entry in page.entries {
            let removed = Operation::Remove(RemoveArgs { target: entry.name.clone() });
            assert_eq!(outcome(&client, &directory, removed).await, Status::Ok);
            assert!(listed.insert(entry.name), "listed once");
            cookie = entry.cookie;
        }
        if page.eof {
            break;
        }
    }
    assert_eq!(listed, expected);
    let root = root(&client).await;
    client.files().remove(&root, "topic-0").await.expect("it is empty, so it goes");
}

#[tokio::test]
async fn readdir_keeps_to_its_bounds_and_refuses_what_it_never_gave_out() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let root = root(&client).await;
    fill(&client, &root, 3).await;
    assert_eq!(page(&client, &root, readdir(0, 0, 15)).await.err(), Some(Status::TooSmall));
    assert_eq!(page(&client, &root, readdir(0, 0, 40)).await.err(), Some(Status::TooSmall));
    let one = page(&client, &root, readdir(0, 1, 4096)).await.expect("one entry");
    assert_eq!((one.entries.len(), one.eof), (1, false));
    for cookie in [1, 2, u64::MAX] {
        assert_eq!(page(&client, &root, readdir(cookie, 0, 4096)).await.err(), Some(Status::BadCookie));
    }
    let other = ReaddirArgs { cookieverf: Verifier([1; 8]), ..readdir(3, 0, 4096) };
    assert_eq!(page(&client, &root, other).await.err(), Some(Status::NotSame));
    let write_only = Bitmap::of(&[attribute::TIME_MODIFY_SET]);
    let inval = ReaddirArgs { attributes: write_only, ..readdir(0, 0, 4096) };
    assert_eq!(page(&client, &root, inval).await.err(), Some(Status::Inval));
    let file = client.files().open(&root, "00000.log").await.expect("it opens").handle;
    assert_eq!(page(&client, &file, readdir(0, 0, 4096)).await.err(), Some(Status::NotDir));
}

#[tokio::test]
async fn an_empty_directory_ends_at_once() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let directory = client.files().mkdir(&root(&client).await, "empty").await.expect("a directory");
    let page = page(&client, &directory, readdir(0, 0, 4096)).await.expect("a page");
    assert!(page.entries.is_empty() && page.eof);
}

#[tokio::test]
async fn names_that_cannot_be_are_refused_by_every_operation() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let root = root(&client).await;
    let long = "x".repeat(256);
    let cases = [
        ("", Status::Inval),
        (".", Status::BadName),
        ("..", Status::BadName),
        ("a/b", Status::BadChar),
        ("a\0b", Status::BadChar),
        (long.as_str(), Status::NameTooLong),
    ];
    for (bad, expected) in cases {
        let lookup = Operation::Lookup(LookupArgs { name: name(bad) });
        assert_eq!(outcome(&client, &root, lookup).await, expected, "LOOKUP {bad:?}");
        let remove = Operation::Remove(RemoveArgs { target: name(bad) });
        assert_eq!(outcome(&client, &root, remove).await, expected, "REMOVE {bad:?}");
        assert_eq!(status(client.files().mkdir(&root, bad).await), expected, "CREATE {bad:?}");
        assert_eq!(status(client.files().create(&root, bad).await), expected, "OPEN {bad:?}");
        assert_eq!(status(client.files().rename(&root, "a", &root, bad).await), expected, "RENAME {bad:?}");
        assert_eq!(status(client.files().rename(&root, bad, &root, "a").await), expected, "RENAME {bad:?}");
    }
    client.files().mkdir(&root, &"x".repeat(255)).await.expect("the longest name");
    let bytes = Operation::Lookup(LookupArgs { name: name(b"\xff\xfe") });
    assert_eq!(outcome(&client, &root, bytes).await, Status::NoEnt, "names need not be UTF-8");
}

#[tokio::test]
async fn change_grows_with_every_change_of_a_directory_and_change_info_tells_both_ends() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let root = root(&client).await;
    let change = async || client.files().getattr(&root).await.expect("attributes").change.expect("change");
    let mut last = change().await;
    for index in 0..50 {
        client.files().mkdir(&root, &format!("d{index}")).await.expect("a directory");
        let now = change().await;
        assert!(now > last, "within the same second too");
        last = now;
    }
    let remove = Operation::Remove(RemoveArgs { target: name("d0") });
    let OperationResult::Remove(Ok(removed)) = on(&client, &root, remove).await else {
        panic!("it should have been removed")
    };
    assert!(removed.change_info.atomic);
    assert_eq!(removed.change_info.before, last);
    assert_eq!(removed.change_info.after, change().await);
}

/// Kafka renames a partition's directory to `…-delete` while its files are open.
#[tokio::test]
async fn handles_stay_good_when_a_directory_above_is_renamed() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let root = root(&client).await;
    let directory = client.files().mkdir(&root, "topic-0").await.expect("a directory");
    let file = client.files().create(&directory, "00.log").await.expect("a file");
    let data = Bytes::from_static(b"records");
    client.files().write(&file, 0, data.clone(), Default::default()).await.expect("it is written");
    client.files().rename(&root, "topic-0", &root, "topic-0.1f-delete").await.expect("it is renamed");
    let (read, _) = client.files().read(&file, 0, 100).await.expect("it reads");
    assert_eq!(read.into_bytes(), data);
    assert_eq!(status(client.files().lookup(&root, "topic-0").await), Status::NoEnt);
    assert_eq!(client.files().lookup(&root, "topic-0.1f-delete").await.expect("the new name"), directory);
    assert_eq!(client.files().lookup(&directory, "00.log").await.expect("its file"), file.handle);
}

#[tokio::test]
async fn rename_replaces_only_what_is_alike_and_empty() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let files = client.files();
    let root = root(&client).await;
    let full = files.mkdir(&root, "full").await.expect("a directory");
    files.mkdir(&full, "inside").await.expect("a directory");
    files.mkdir(&root, "empty").await.expect("a directory");
    let file = files.create(&root, "file").await.expect("a file");
    let checkpoint = files.create(&root, "checkpoint.tmp").await.expect("a file");
    assert_eq!(status(files.rename(&root, "file", &root, "empty").await), Status::Exist);
    assert_eq!(status(files.rename(&root, "empty", &root, "file").await), Status::Exist);
    assert_eq!(status(files.rename(&root, "empty", &root, "full").await), Status::NotEmpty);
    assert_eq!(status(files.rename(&root, "full", &full, "below").await), Status::Inval);
    assert_eq!(status(files.rename(&root, "nothing", &root, "new").await), Status::NoEnt);
    assert_eq!(status(files.rename(&file.handle, "a", &root, "b").await), Status::NotDir);
    files.rename(&root, "checkpoint.tmp", &root, "file").await.expect("a file replaces a file");
    assert_eq!(files.lookup(&root, "file").await.expect("it is there"), checkpoint.handle);
    files.rename(&full, "inside", &root, "empty").await.expect("a directory replaces an empty one");
    files.rename(&root, "empty", &root, "empty").await.expect("onto itself");
}

#[tokio::test]
async fn only_empty_directories_are_removed() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let root = root(&client).await;
    let directory = client.files().mkdir(&root, "d").await.expect("a directory");
    let file = client.files().create(&directory, "f").await.expect("a file");
    client.files().close(&file).await.expect("it is closed");
    assert_eq!(status(client.files().remove(&root, "d").await), Status::NotEmpty);
    assert_eq!(status(client.files().remove(&file.handle, "d").await), Status::NotDir);
    client.files().remove(&directory, "f").await.expect("the file goes");
    client.files().remove(&root, "d").await.expect("the directory goes");
    daemon.wait_until_no_orphan().await;
    assert_eq!(status(client.files().getattr(&directory).await), Status::Stale);
    assert_eq!(status(client.files().mkdir(&directory, "late").await), Status::Stale);
}

#[tokio::test]
async fn links_are_names_of_one_file() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let root = root(&client).await;
    let file = client.files().create(&root, "a").await.expect("a file");
    let directory = client.files().mkdir(&root, "d").await.expect("a directory");
    let link = async |object: &FileHandle, target: &FileHandle, newname: &str| {
        let link = Operation::Link(LinkArgs { newname: name(newname) });
        let operations = [put(object), Operation::Savefh(()), put(target), link];
        client.try_compound(operations).await.expect("an answer").status
    };
    assert_eq!(link(&file.handle, &directory, "b").await, Status::Ok);
    assert_eq!(client.files().lookup(&directory, "b").await.expect("the link"), file.handle);
    assert_eq!(client.files().getattr(&file.handle).await.expect("attributes").numlinks, Some(2));
    assert_eq!(link(&file.handle, &root, "a").await, Status::Exist);
    assert_eq!(link(&directory, &root, "d2").await, Status::IsDir);
    assert_eq!(link(&file.handle, &file.handle, "c").await, Status::NotDir);
    client.files().remove(&root, "a").await.expect("one name goes");
    assert_eq!(client.files().getattr(&file.handle).await.expect("attributes").numlinks, Some(1));
}

#[tokio::test]
async fn create_makes_all_but_regular_files() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let root = root(&client).await;
    let create = async |client: &Client, object_type: CreateType, newname: &str| {
        let attributes = Attributes::mode(0o644).encode();
        let create = Operation::Create(CreateArgs { object_type, name: name(newname), attributes });
        outcome(client, &root, create).await
    };
    assert_eq!(create(&client, CreateType::Regular, "file").await, Status::BadType);
    assert_eq!(create(&client, CreateType::NamedAttribute, "attribute").await, Status::BadType);
    assert_eq!(create(&client, CreateType::Fifo, "fifo").await, Status::Ok);
    assert_eq!(create(&client, CreateType::Fifo, "fifo").await, Status::Exist);
    assert_eq!(create(&client, CreateType::Socket, "socket").await, Status::Ok);
    let device = || CreateType::CharacterDevice(SpecData { specdata1: 1, specdata2: 3 });
    assert_eq!(create(&client, device(), "null").await, Status::Ok);
    assert_eq!(create(&client, CreateType::Symlink(name("target")), "symlink").await, Status::Ok);
    assert_eq!(create(&client, CreateType::Symlink(name("")), "nowhere").await, Status::Inval);

    let link = client.files().lookup(&root, "symlink").await.expect("the link");
    let OperationResult::Readlink(Ok(text)) = on(&client, &link, Operation::Readlink(())).await else {
        panic!("READLINK should have worked")
    };
    assert_eq!(text.link, name("target"));
    let below = Operation::Lookup(LookupArgs { name: name("x") });
    assert_eq!(outcome(&client, &link, below).await, Status::Symlink);
    assert_eq!(outcome(&client, &root, Operation::Readlink(())).await, Status::WrongType);

    let user = ClientOptions::new("user").user(1000, 1000);
    let user = Client::mount(daemon.address(), user).await.expect("a client");
    assert_eq!(create(&user, device(), "zero").await, Status::Perm);
}

#[tokio::test]
async fn create_refuses_attributes_that_cannot_be_set() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let root = root(&client).await;
    let create = async |attributes: Fattr| {
        let args = CreateArgs { object_type: CreateType::Directory, name: name("d"), attributes };
        outcome(&client, &root, Operation::Create(args)).await
    };
    let given = |attribute, values: &'static [u8]| Fattr {
        mask: Bitmap::of(&[attribute]),
        values: Bytes::from_static(values),
    };
    assert_eq!(create(given(attribute::FILEID, &[0; 8])).await, Status::Inval);
    assert_eq!(create(given(attribute::SIZE, &[0; 8])).await, Status::Inval);
    assert_eq!(create(given(62, &[0; 4])).await, Status::AttrNotSupp);
    assert_eq!(create(given(attribute::MODE, &[0; 3])).await, Status::BadXdr);
    assert_eq!(status(client.files().lookup(&root, "d").await), Status::NoEnt, "nothing was made");
}

#[tokio::test]
async fn saved_and_current_handle_are_needed_where_two_are() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let root = root(&client).await;
    let rename = || Operation::Rename(RenameArgs { oldname: name("a"), newname: name("b") });
    assert_eq!(outcome(&client, &root, rename()).await, Status::NoFileHandle);
    assert_eq!(outcome(&client, &root, Operation::Restorefh(())).await, Status::NoFileHandle);
    let nothing = client.try_compound([Operation::Getfh(())]).await.expect("an answer");
    assert_eq!(nothing.status, Status::NoFileHandle);
}
