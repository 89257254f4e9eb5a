//! READ, WRITE and COMMIT.

use bytes::Bytes;
use forebay_nfs_client::{Attributes, Client, ClientOptions, FileHandle, OpenFile};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;

use crate::harness::{Daemon, on, put, root, status};

async fn start() -> (Daemon, Client, FileHandle) {
    let server = Daemon::start().await;
    let client = server.mount("client").await;
    let root = root(&client).await;
    (server, client, root)
}

async fn read_all(client: &Client, file: &OpenFile, offset: u64, count: u32) -> (Bytes, bool) {
    let (data, eof) = client.files().read(file, offset, count).await.unwrap();
    (data.into_bytes(), eof)
}

fn pattern(length: usize) -> Bytes {
    (0..length).map(|index| ((index * 31) >> 3) as u8).collect::<Vec<_>>().into()
}

#[tokio::test]
async fn what_is_written_is_read_back_however_durably_and_in_whatever_sizes() {
    let (_server, client, root) = start().await;
    let file = client.files().create(&root, "file").await.unwrap();
    let data = pattern(3 << 20);
    let mut offset = 0;
    let kinds = [StableHow::Unstable, StableHow::DataSync, StableHow::FileSync];
    for (length, stable) in [1, 100, 4096, 70_000, 1 << 20].into_iter().zip(kinds.into_iter().cycle()) {
        let chunk = data.slice(offset..offset + length);
        let written = client.files().write(&file, offset as u64, chunk, stable).await.unwrap();
        assert_eq!(written.count as usize, length);
        assert!(written.committed >= stable);
        offset += length;
    }
    let (first, eof) = read_all(&client, &file, 0, 1 << 20).await;
    assert_eq!((first, eof), (data.slice(..1 << 20), false));
    let (rest, eof) = read_all(&client, &file, 1 << 20, 1 << 20).await;
    assert_eq!((rest, eof), (data.slice(1 << 20..offset), true));
    client.files().commit(&file.handle).await.unwrap();
    let attributes = client.files().getattr(&file.handle).await.unwrap();
    assert_eq!(attributes.size, Some(offset as u64));
}

#[tokio::test]
async fn reading_at_and_beyond_the_end_gives_nothing_and_says_so() {
    let (_server, client, root) = start().await;
    let file = client.files().create(&root, "file").await.unwrap();
    client.files().write(&file, 0, Bytes::from_static(b"0123456789"), StableHow::Unstable).await.unwrap();
    assert_eq!(read_all(&client, &file, 4, 100).await, (Bytes::from_static(b"456789"), true));
    assert_eq!(read_all(&client, &file, 4, 6).await, (Bytes::from_static(b"456789"), true));
    assert_eq!(read_all(&client, &file, 4, 5).await, (Bytes::from_static(b"45678"), false));
    assert_eq!(read_all(&client, &file, 10, 5).await, (Bytes::new(), true));
    assert_eq!(read_all(&client, &file, 1 << 40, 5).await, (Bytes::new(), true));
}

#[tokio::test]
async fn what_was_never_written_reads_as_zeros() {
    let (_server, client, root) = start().await;
    let file = client.files().create(&root, "index").await.unwrap();
    client.files().setattr(&file.handle, file.stateid, &Attributes::size(10 << 20)).await.unwrap();
    client.files().write(&file, 5 << 20, Bytes::from_static(b"entry"), StableHow::Unstable).await.unwrap();
    let (data, eof) = read_all(&client, &file, (5 << 20) - 3, 10).await;
    assert_eq!((data, eof), (Bytes::from_static(b"\0\0\0entry\0\0"), false));
    client.files().setattr(&file.handle, file.stateid, &Attributes::size((5 << 20) + 2)).await.unwrap();
    client.files().setattr(&file.handle, file.stateid, &Attributes::size(10 << 20)).await.unwrap();
    assert_eq!(read_all(&client, &file, 5 << 20, 5).await.0, Bytes::from_static(b"en\0\0\0"));
}

#[tokio::test]
async fn only_files_have_data() {
    let (_server, client, root) = start().await;
    let pseudo_root = client.files().resolve("/").await.unwrap();
    let make = |object_type, name| {
        let attributes = Attributes::mode(0o755).encode();
        let create = CreateArgs { object_type, name: Bytes::from_static(name), attributes };
        [put(&root), Operation::Create(create), Operation::Getfh(())]
    };
    let mut objects = vec![(root.clone(), Status::IsDir), (pseudo_root, Status::IsDir)];
    let link = CreateType::Symlink(Bytes::from_static(b"target"));
    for (kind, name, expected) in
        [(link, &b"link"[..], Status::Symlink), (CreateType::Fifo, &b"fifo"[..], Status::WrongType)]
    {
        let results = client.compound(make(kind, name)).await.unwrap();
        let Some(OperationResult::Getfh(Ok(made))) = results.last() else { panic!("{results:?}") };
        objects.push((made.object.clone(), expected));
    }
    let stateid = StateId::ANONYMOUS;
    for (handle, expected) in objects {
        let (stable, data) = (StableHow::Unstable, Bytes::from_static(b"x"));
        for operation in [
            Operation::Read(ReadArgs { stateid, offset: 0, count: 1 }),
            Operation::Write(WriteArgs { stateid, offset: 0, stable, data }),
            Operation::Commit(CommitArgs { offset: 0, count: 0 }),
        ] {
            assert_eq!(on(&client, &handle, operation.clone()).await.status(), expected, "{operation:?}");
        }
    }
}

#[tokio::test]
async fn without_an_open_the_permissions_count_and_with_one_they_did() {
    let (server, client, root) = start().await;
    let file = client.files().create(&root, "file").await.unwrap();
    let data = || Bytes::from_static(b"data");
    client.files().write(&file, 0, data(), StableHow::Unstable).await.unwrap();
    let user = Client::mount(server.address(), ClientOptions::new("user").user(1000, 1000)).await.unwrap();
    let anonymous = OpenFile { stateid: StateId::ANONYMOUS, ..file.clone() };
    let bypass = OpenFile { stateid: StateId::READ_BYPASS, ..file.clone() };
    for special in [&anonymous, &bypass] {
        assert_eq!(read_all(&user, special, 0, 10).await.0, data());
        assert_eq!(status(user.files().write(special, 0, data(), StableHow::Unstable).await), Status::Access);
    }
    let reading = user.files().open_args("owner", share::ACCESS_READ, OpenHow::NoCreate, OpenClaim::Fh);
    let opened = user.files().open_with(&file.handle, reading).await.unwrap();
    client.files().setattr(&file.handle, StateId::ANONYMOUS, &Attributes::mode(0)).await.unwrap();
    assert_eq!(status(user.files().read(&anonymous, 0, 10).await), Status::Access);
    assert_eq!(read_all(&user, &opened, 0, 10).await.0, data());
    let writing = user.files().write(&opened, 0, data(), StableHow::Unstable).await;
    assert_eq!(status(writing), Status::OpenMode);
}

#[tokio::test]
async fn a_program_written_to_by_another_user_loses_its_owners_rights() {
    let (server, client, root) = start().await;
    let file = client.files().create(&root, "program").await.unwrap();
    client.files().setattr(&file.handle, file.stateid, &Attributes::mode(0o6777)).await.unwrap();
    let mode = async || client.files().getattr(&file.handle).await.unwrap().mode;
    client.files().write(&file, 0, Bytes::from_static(b"by root"), StableHow::Unstable).await.unwrap();
    assert_eq!(mode().await, Some(0o6777));
    let user = Client::mount(server.address(), ClientOptions::new("user").user(1000, 1000)).await.unwrap();
    let anonymous = OpenFile { stateid: StateId::ANONYMOUS, ..file.clone() };
    user.files().write(&anonymous, 0, Bytes::from_static(b"by user"), StableHow::Unstable).await.unwrap();
    assert_eq!(mode().await, Some(0o777));
}

#[tokio::test]
async fn stateids_of_other_files_and_of_closed_opens_are_refused() {
    let (_server, client, root) = start().await;
    let file = client.files().create(&root, "file").await.unwrap();
    let other = client.files().create(&root, "other").await.unwrap();
    let mixed = OpenFile { stateid: other.stateid, ..file.clone() };
    assert_eq!(status(client.files().read(&mixed, 0, 1).await), Status::BadStateid);
    client.files().close(&file).await.unwrap();
    assert_eq!(status(client.files().read(&file, 0, 1).await), Status::BadStateid);
    let invalid = OpenFile { stateid: StateId::INVALID, ..other.clone() };
    assert_eq!(status(client.files().read(&invalid, 0, 1).await), Status::BadStateid);
}

#[tokio::test]
async fn the_current_stateid_serves_the_operations_after_open() {
    let (_server, client, root) = start().await;
    let how = OpenHow::Create(CreateHow::Guarded(Attributes::mode(0o600).encode()));
    let claim = OpenClaim::Null(Bytes::from_static(b"file"));
    let (stateid, stable) = (StateId::CURRENT, StableHow::FileSync);
    let results = client
        .compound([
            put(&root),
            Operation::Open(client.files().open_args("owner", share::ACCESS_BOTH, how, claim)),
            Operation::Write(WriteArgs { stateid, offset: 0, stable, data: Bytes::from_static(b"one trip") }),
            Operation::Read(ReadArgs { stateid, offset: 4, count: 100 }),
            Operation::Close(CloseArgs { seqid: 0, open_stateid: stateid }),
        ])
        .await
        .unwrap();
    let Some(OperationResult::Read(Ok(read))) = results.get(3) else { panic!("{results:?}") };
    assert_eq!(read.data.clone().into_bytes(), "trip");
    let read = Operation::Read(ReadArgs { stateid, offset: 0, count: 1 });
    assert_eq!(on(&client, &root, read).await.status(), Status::BadStateid);
}

#[tokio::test]
async fn the_write_verifier_stays_while_the_server_runs_and_changes_with_its_start() {
    let (mut server, client, root) = start().await;
    let file = client.files().create(&root, "file").await.unwrap();
    let files = client.files();
    let write = || files.write(&file, 0, Bytes::from_static(b"x"), StableHow::Unstable);
    let verifier = write().await.unwrap().writeverf;
    assert_eq!(write().await.unwrap().writeverf, verifier);
    assert_eq!(client.files().commit(&file.handle).await.unwrap(), verifier);
    server.restart().await;
    let client = server.mount("another").await;
    assert_ne!(client.files().commit(&file.handle).await.unwrap(), verifier);
}
