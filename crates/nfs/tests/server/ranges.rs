//! The operations of minor version 2 on ranges of files: ALLOCATE, DEALLOCATE, SEEK, READ_PLUS, COPY, CLONE, IO_ADVISE.

use bytes::Bytes;
use forebay_nfs::policy::{Access, Clients, Rule};
use forebay_nfs_client::{Attributes, Client, ClientOptions, FileHandle, OpenFile};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;
use forebay_pool::VolumeSpec;

use crate::harness::{Daemon, on, put, root, volume};

const BLOCK: u64 = 4096;

fn pattern(length: usize) -> Bytes {
    (0..length).map(|index| ((index * 31) >> 3) as u8 | 1).collect::<Vec<_>>().into()
}

/// A file with so many bytes of the pattern, none of them committed.
async fn written(client: &Client, root: &FileHandle, name: &str, length: usize) -> OpenFile {
    let file = client.files().create(root, name).await.unwrap();
    client.files().write(&file, 0, pattern(length), StableHow::Unstable).await.unwrap();
    file
}

async fn content(client: &Client, file: &OpenFile) -> Bytes {
    client.files().read(file, 0, 1 << 20).await.unwrap().0.into_bytes()
}

fn allocate(stateid: StateId, offset: u64, length: u64) -> Operation {
    Operation::Allocate(AllocateArgs { stateid, offset, length })
}

fn deallocate(stateid: StateId, offset: u64, length: u64) -> Operation {
    Operation::Deallocate(DeallocateArgs { stateid, offset, length })
}

fn seek(stateid: StateId, offset: u64, what: u32) -> Operation {
    Operation::Seek(SeekArgs { stateid, offset, what })
}

fn copy(from: StateId, to: StateId, src_offset: u64, dst_offset: u64, count: u64) -> Operation {
    Operation::Copy(CopyArgs {
        src_stateid: from,
        dst_stateid: to,
        src_offset,
        dst_offset,
        count,
        consecutive: false,
        synchronous: false,
        source_server: Vec::new(),
    })
}

fn clone(from: StateId, to: StateId, src_offset: u64, dst_offset: u64, count: u64) -> Operation {
    Operation::Clone(CloneArgs { src_stateid: from, dst_stateid: to, src_offset, dst_offset, count })
}

/// Executes an operation from one file to another.
async fn between(
    client: &Client,
    from: &FileHandle,
    to: &FileHandle,
    operation: Operation,
) -> OperationResult {
    let operations = [put(from), Operation::Savefh(()), put(to), operation];
    let reply = client.try_compound(operations).await.expect("an answer");
    reply.results.into_iter().next_back().expect("the operation was executed")
}

async fn sought(client: &Client, file: &OpenFile, offset: u64, what: u32) -> Result<(u64, bool), Status> {
    match on(client, &file.handle, seek(file.stateid, offset, what)).await {
        OperationResult::Seek(found) => found.map(|found| (found.offset, found.eof)),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_deallocated_range_reads_as_zeros_and_is_found_as_a_hole() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = written(&client, &root, "file", 200_000).await;
    let before = client.files().getattr(&file.handle).await.unwrap();
    let done = on(&client, &file.handle, deallocate(file.stateid, 50_000, 100_000)).await;
    assert_eq!(done.status(), Status::Ok);
    let after = client.files().getattr(&file.handle).await.unwrap();
    assert_eq!(after.size, Some(200_000));
    assert!(after.change > before.change);
    let mut expected = pattern(200_000).to_vec();
    expected[50_000..150_000].fill(0);
    assert_eq!(content(&client, &file).await, expected);
    assert_eq!(sought(&client, &file, 0, content::DATA).await, Ok((0, false)));
    assert_eq!(sought(&client, &file, 0, content::HOLE).await, Ok((50_000, false)));
    assert_eq!(sought(&client, &file, 50_000, content::DATA).await, Ok((150_000, false)));
    assert_eq!(sought(&client, &file, 150_000, content::HOLE).await, Ok((200_000, true)));
    assert_eq!(sought(&client, &file, 200_000, content::HOLE).await, Err(Status::Nxio));
    assert_eq!(sought(&client, &file, 200_000, content::DATA).await, Err(Status::Nxio));
    assert_eq!(sought(&client, &file, 0, 2).await, Err(Status::UnionNotSupp));
    on(&client, &file.handle, deallocate(file.stateid, 150_000, u64::MAX - 150_000)).await;
    assert_eq!(sought(&client, &file, 50_000, content::DATA).await, Ok((200_000, true)));
}

#[tokio::test]
async fn read_plus_sends_holes_as_such_and_everything_else_as_read_does() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = written(&client, &root, "file", 100_000).await;
    client.files().setattr(&file.handle, file.stateid, &Attributes::size(300_000)).await.unwrap();
    on(&client, &file.handle, deallocate(file.stateid, 10_001, 20_000)).await;
    on(&client, &file.handle, deallocate(file.stateid, 90_000, 100)).await;
    let read_plus =
        |offset, count| Operation::ReadPlus(ReadPlusArgs { stateid: file.stateid, offset, count });
    let read = on(&client, &file.handle, read_plus(1, 1 << 20)).await;
    let OperationResult::ReadPlus(Ok(read)) = read else { panic!("{read:?}") };
    let whole = content(&client, &file).await;
    let mut at = 1;
    let mut kinds = Vec::new();
    for part in &read.contents {
        let (offset, bytes, hole) = match part {
            ReadPlusContent::Data(data) => (data.offset, data.data.clone().into_bytes(), false),
            ReadPlusContent::Hole(hole) => (hole.offset, vec![0; hole.length as usize].into(), true),
        };
        assert_eq!(offset, at);
        assert_eq!(bytes, whole[at as usize..at as usize + bytes.len()]);
        at += bytes.len() as u64;
        kinds.push((offset, hole));
    }
    assert_eq!((at, read.eof), (300_000, true));
    assert_eq!(kinds, [(1, false), (10_001, true), (30_001, false), (100_000, true)]);
    let end = on(&client, &file.handle, read_plus(300_000, 10)).await;
    assert_eq!(end, OperationResult::ReadPlus(Ok(ReadPlusResult { eof: true, contents: Vec::new() })));
}

#[tokio::test]
async fn allocating_makes_the_file_longer_or_says_that_there_is_no_space() {
    let server = Daemon::start().await;
    let limited = VolumeSpec { size: Some(1 << 20), ..volume("small", true) };
    server.pool().volume_create(limited).await.unwrap();
    let client = server.mount("client").await;
    let small = client.files().resolve("/small").await.unwrap();
    let file = written(&client, &small, "file", 1000).await;
    let size = async || client.files().getattr(&file.handle).await.unwrap().size;
    let allocated = async |offset, length| {
        on(&client, &file.handle, allocate(file.stateid, offset, length)).await.status()
    };
    assert_eq!(allocated(0, 500).await, Status::Ok);
    assert_eq!(size().await, Some(1000));
    assert_eq!(allocated(500, 1_000_000).await, Status::Ok);
    assert_eq!(size().await, Some(1_000_500));
    assert_eq!(allocated(0, (1 << 20) + 1).await, Status::NoSpc);
    assert_eq!(allocated(0, 0).await, Status::Inval);
    assert_eq!(allocated(u64::MAX, 1).await, Status::Inval);
    assert_eq!(allocated(i64::MAX as u64, 1).await, Status::FBig);
    assert_eq!(size().await, Some(1_000_500));
}

#[tokio::test]
async fn copies_are_whole_durable_and_done_when_answered() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let from = written(&client, &root, "from", 300_000).await;
    let to = written(&client, &root, "to", 10).await;
    let copied =
        between(&client, &from.handle, &to.handle, copy(from.stateid, to.stateid, 1, 5, 299_000)).await;
    let OperationResult::Copy(Ok(copied)) = copied else { panic!("{copied:?}") };
    assert_eq!(copied.response.callback_id, None);
    assert_eq!((copied.response.count, copied.response.committed), (299_000, StableHow::FileSync));
    assert_eq!(copied.response.writeverf, client.files().commit(&to.handle).await.unwrap());
    assert_eq!(copied.requirements, CopyRequirements { consecutive: true, synchronous: true });
    let mut expected = pattern(10)[..5].to_vec();
    expected.extend_from_slice(&pattern(300_000)[1..299_001]);
    assert_eq!(content(&client, &to).await, expected);
    // No count: to the end of the source.
    let rest =
        between(&client, &from.handle, &to.handle, copy(from.stateid, to.stateid, 299_990, 0, 0)).await;
    let OperationResult::Copy(Ok(rest)) = rest else { panic!("{rest:?}") };
    assert_eq!(rest.response.count, 10);
    for (operation, expected) in [
        (copy(from.stateid, to.stateid, 0, 0, 300_001), Status::Inval),
        (copy(from.stateid, to.stateid, 300_001, 0, 0), Status::Inval),
        (copy(from.stateid, from.stateid, 0, 0, 10), Status::BadStateid),
    ] {
        let refused = between(&client, &from.handle, &to.handle, operation.clone()).await;
        assert_eq!(refused.status(), expected, "{operation:?}");
    }
    let within = copy(from.stateid, from.stateid, 0, 10, 20);
    assert_eq!(between(&client, &from.handle, &from.handle, within).await.status(), Status::Inval);
    let Operation::Copy(args) = copy(from.stateid, to.stateid, 0, 0, 10) else { panic!() };
    let source_server = vec![NetworkLocation::Name(Bytes::from_static(b"elsewhere"))];
    let elsewhere = Operation::Copy(CopyArgs { source_server, ..args });
    assert_eq!(between(&client, &from.handle, &to.handle, elsewhere).await.status(), Status::NotSupp);
}

#[tokio::test]
async fn clones_share_what_is_stored_also_of_files_without_a_name() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let from = written(&client, &root, "from", 300_000).await;
    let to = client.files().create(&root, "to").await.unwrap();
    client.files().remove(&root, "from").await.unwrap();
    client.files().remove(&root, "to").await.unwrap();
    let whole = clone(from.stateid, to.stateid, 0, 0, 0);
    assert_eq!(between(&client, &from.handle, &to.handle, whole).await.status(), Status::Ok);
    assert_eq!(content(&client, &to).await, pattern(300_000));
    let stored = server.pool().stored().unwrap().bytes_live;
    let block = clone(from.stateid, to.stateid, BLOCK, 100 * BLOCK, 2 * BLOCK);
    assert_eq!(between(&client, &from.handle, &to.handle, block).await.status(), Status::Ok);
    assert_eq!(server.pool().stored().unwrap().bytes_live, stored);
    let size = client.files().getattr(&to.handle).await.unwrap().size;
    assert_eq!(size, Some(102 * BLOCK));
    let to_the_end = clone(from.stateid, to.stateid, 73 * BLOCK, 0, 300_000 - 73 * BLOCK);
    assert_eq!(between(&client, &from.handle, &to.handle, to_the_end).await.status(), Status::Ok);
    for (source, target, count) in [(1, 0, BLOCK), (0, 1, BLOCK), (0, 0, BLOCK - 1), (0, 0, 1 << 30)] {
        let operation = clone(from.stateid, to.stateid, source, target, count);
        let refused = between(&client, &from.handle, &to.handle, operation.clone()).await;
        assert_eq!(refused.status(), Status::Inval, "{operation:?}");
    }
    let overlapping = clone(from.stateid, from.stateid, 0, BLOCK, 2 * BLOCK);
    assert_eq!(between(&client, &from.handle, &from.handle, overlapping).await.status(), Status::Inval);
    server.pool().settle().await.unwrap();
    assert_eq!(server.pool().check(true).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn what_is_no_regular_file_has_no_ranges() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let pseudo_root = client.files().resolve("/").await.unwrap();
    let file = written(&client, &root, "file", 10).await;
    let stateid = StateId::ANONYMOUS;
    for handle in [&root, &pseudo_root] {
        for operation in [
            allocate(stateid, 0, 1),
            deallocate(stateid, 0, 1),
            seek(stateid, 0, content::DATA),
            Operation::IoAdvise(IoAdviseArgs { stateid, offset: 0, count: 0, hints: Bitmap::default() }),
        ] {
            assert_eq!(
                on(&client, handle, operation.clone()).await.status(),
                Status::WrongType,
                "{operation:?}"
            );
        }
        let read = Operation::ReadPlus(ReadPlusArgs { stateid, offset: 0, count: 1 });
        assert_eq!(on(&client, handle, read).await.status(), Status::IsDir);
        for (from, to) in [(handle, &file.handle), (&file.handle, handle)] {
            for operation in [copy(stateid, stateid, 0, 0, 0), clone(stateid, stateid, 0, 0, 0)] {
                assert_eq!(between(&client, from, to, operation).await.status(), Status::WrongType);
            }
        }
    }
    // Without a saved filehandle there is no source.
    let alone = on(&client, &file.handle, copy(stateid, stateid, 0, 0, 0)).await;
    assert_eq!(alone.status(), Status::NoFileHandle);
}

#[tokio::test]
async fn stateids_and_permissions_count_as_for_read_and_write() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = written(&client, &root, "file", 10_000).await;
    client.files().setattr(&file.handle, file.stateid, &Attributes::mode(0o600)).await.unwrap();
    let user = Client::mount(server.address(), ClientOptions::new("user").user(1000, 1000)).await.unwrap();
    let own = user.files().create(&root, "own").await.unwrap();
    let stateid = StateId::ANONYMOUS;
    let closed = StateId { seqid: 1, other: [9; 12] };
    for (stateid, expected) in [(stateid, Status::Access), (closed, Status::BadStateid)] {
        for operation in [
            allocate(stateid, 0, 1),
            deallocate(stateid, 0, 1),
            seek(stateid, 0, content::DATA),
            Operation::ReadPlus(ReadPlusArgs { stateid, offset: 0, count: 1 }),
        ] {
            assert_eq!(on(&user, &file.handle, operation.clone()).await.status(), expected, "{operation:?}");
        }
        let from_it = between(&user, &file.handle, &own.handle, copy(stateid, own.stateid, 0, 0, 0)).await;
        assert_eq!(from_it.status(), expected);
        let to_it = between(&user, &own.handle, &file.handle, copy(own.stateid, stateid, 0, 0, 0)).await;
        assert_eq!(to_it.status(), expected);
    }
    let reading = client.files().open_args("other", share::ACCESS_READ, OpenHow::NoCreate, OpenClaim::Fh);
    let reading = client.files().open_with(&file.handle, reading).await.unwrap();
    let punched = on(&client, &file.handle, deallocate(reading.stateid, 0, 1)).await;
    assert_eq!(punched.status(), Status::OpenMode);
    assert_eq!(sought(&client, &reading, 0, content::HOLE).await, Ok((10_000, true)));
}

#[tokio::test]
async fn a_volume_that_may_only_be_read_is_a_source_and_no_target() {
    let server = Daemon::start().await;
    server.pool().volume_create(volume("archive", true)).await.unwrap();
    let client = server.mount("client").await;
    let (root, archive) = (root(&client).await, client.files().resolve("/archive").await.unwrap());
    let here = written(&client, &root, "here", 5000).await;
    let there = written(&client, &archive, "there", 7000).await;
    let policies = &server.shared().policies;
    policies.create("readers").await.unwrap();
    let everyone: Clients = "*".parse().unwrap();
    policies
        .rule_add("readers", Rule { access: Access::ReadOnly, ..Rule::new(everyone) }, None)
        .await
        .unwrap();
    policies.assign("archive", "readers").await.unwrap();
    let stateid = StateId::ANONYMOUS;
    for operation in [allocate(stateid, 0, 1), deallocate(stateid, 0, 1)] {
        assert_eq!(on(&client, &there.handle, operation).await.status(), Status::RoFs);
    }
    let out = between(&client, &there.handle, &here.handle, copy(stateid, here.stateid, 0, 0, 0)).await;
    assert_eq!(out.status(), Status::Ok);
    assert_eq!(content(&client, &here).await, pattern(7000));
    let back = between(&client, &here.handle, &there.handle, clone(here.stateid, stateid, 0, 0, 0)).await;
    assert_eq!(back.status(), Status::RoFs);
}

#[tokio::test]
async fn advice_is_answered_with_what_is_heeded() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = written(&client, &root, "file", 100_000).await;
    client.files().commit(&file.handle).await.unwrap();
    let hints = Bitmap::of(&[advice::SEQUENTIAL, advice::WILLNEED, 6, 10, 40]);
    let args = IoAdviseArgs { stateid: file.stateid, offset: 0, count: 0, hints };
    let heeded = on(&client, &file.handle, Operation::IoAdvise(args)).await;
    let OperationResult::IoAdvise(Ok(heeded)) = heeded else { panic!("{heeded:?}") };
    assert_eq!(heeded.hints, Bitmap::of(&[advice::SEQUENTIAL, advice::WILLNEED]));
    assert_eq!(content(&client, &file).await, pattern(100_000));
}
