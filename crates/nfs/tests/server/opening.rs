//! OPEN: what it opens and creates, its share reservations, and the stateids that come of it.

use bytes::Bytes;
use forebay_nfs_client::{Attributes, Client, ClientOptions, Error, FileHandle, OpenFile};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::*;

use crate::harness::*;
use crate::state::*;

/// Opens `name` for an owner of its own, with these share bits.
async fn open_shared(
    client: &Client,
    root: &FileHandle,
    (access, deny): (u32, u32),
    owner: &str,
) -> Result<OpenFile, Error> {
    let claim = OpenClaim::Null("f".into());
    let args = client.files().open_args(owner, access, OpenHow::NoCreate, claim);
    client.files().open_with(root, OpenArgs { share_deny: deny, ..args }).await
}

async fn create(client: &Client, root: &FileHandle, name: &str, how: CreateHow) -> Result<OpenFile, Error> {
    client.files().open_as("owner", root, name, OpenHow::Create(how)).await
}

fn mode(mode: u32) -> Fattr {
    Attributes::mode(mode).encode()
}

async fn downgrade(client: &Client, file: &OpenFile, access: u32, deny: u32) -> Result<StateId, Status> {
    let args =
        OpenDowngradeArgs { open_stateid: file.stateid, seqid: 0, share_access: access, share_deny: deny };
    match on(client, &file.handle, Operation::OpenDowngrade(args)).await {
        OperationResult::OpenDowngrade(result) => result.map(|result| result.open_stateid),
        other => Err(other.status()),
    }
}

#[tokio::test]
async fn only_regular_files_are_opened() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let files = client.files();
    let directory = files.mkdir(&root, "demo-0").await.unwrap();
    assert_eq!(
        status(files.open(&root, "demo-0").await),
        Status::IsDir,
        "Kafka opens directories to sync them"
    );
    assert_eq!(status(open_by_handle(&client, &directory).await), Status::IsDir);
    assert_eq!(status(files.create(&root, "demo-0").await), Status::IsDir);
    let symlink = Operation::Create(CreateArgs {
        object_type: CreateType::Symlink("target".into()),
        name: "link".into(),
        attributes: mode(0o777),
    });
    client.compound([put(&root), symlink]).await.unwrap();
    assert_eq!(status(files.open(&root, "link").await), Status::Symlink);
    let server_root = files.resolve("/").await.unwrap();
    assert_eq!(status(files.open(&server_root, "kafka").await), Status::IsDir);
    assert_eq!(status(files.create(&server_root, "new").await), Status::RoFs);
    assert_eq!(status(files.open(&server_root, "nothing").await), Status::NoEnt);
    assert_eq!(status(files.open(&root, "nothing").await), Status::NoEnt);
    let file = files.create(&root, "f").await.unwrap();
    assert_eq!(status(files.open(&file.handle, "below").await), Status::NotDir);
}

#[tokio::test]
async fn each_way_of_creating_treats_what_exists_in_its_own_way() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let files = client.files();
    let file = create(&client, &root, "f", CreateHow::Guarded(mode(0o640))).await.unwrap();
    assert_eq!(files.getattr(&file.handle).await.unwrap().mode, Some(0o640));
    files.write(&file, 0, Bytes::from_static(b"data"), StableHow::FileSync).await.unwrap();
    assert_eq!(status(create(&client, &root, "f", CreateHow::Guarded(mode(0o640))).await), Status::Exist);

    let opened = create(&client, &root, "f", CreateHow::Unchecked(mode(0o600))).await.unwrap();
    assert_eq!(opened.handle, file.handle);
    let attributes = files.getattr(&file.handle).await.unwrap();
    assert_eq!((attributes.mode, attributes.size), (Some(0o640), Some(4)), "opened as it is");
    let empty = Attributes { mode: Some(0o600), ..Attributes::size(0) };
    create(&client, &root, "f", CreateHow::Unchecked(empty.encode())).await.unwrap();
    assert_eq!(files.getattr(&file.handle).await.unwrap().size, Some(0));

    let exclusive = |first: u8| CreateHow::Exclusive(Verifier([first; 8]));
    let made = create(&client, &root, "x", exclusive(1)).await.unwrap();
    assert_eq!(create(&client, &root, "x", exclusive(1)).await.unwrap().handle, made.handle, "sent again");
    assert_eq!(status(create(&client, &root, "x", exclusive(2)).await), Status::Exist);
    let exclusive41 = |first: u8| {
        CreateHow::Exclusive41(CreateVerifierAttributes {
            verifier: Verifier([first; 8]),
            attributes: mode(0o604),
        })
    };
    let made = create(&client, &root, "y", exclusive41(1)).await.unwrap();
    assert_eq!(files.getattr(&made.handle).await.unwrap().mode, Some(0o604));
    create(&client, &root, "y", exclusive41(1)).await.unwrap();
    assert_eq!(status(create(&client, &root, "y", exclusive41(2)).await), Status::Exist);
}

#[tokio::test]
async fn whoever_creates_a_file_may_write_it_whatever_its_mode() {
    let server = Daemon::start().await;
    let user = ClientOptions::new("user").user(1000, 1000);
    let client = Client::mount(server.address(), user).await.unwrap();
    let root = root(&client).await;
    let file = create(&client, &root, "f", CreateHow::Guarded(mode(0o444))).await.unwrap();
    client.files().write(&file, 0, Bytes::from_static(b"x"), StableHow::FileSync).await.unwrap();
    assert_eq!(status(client.files().open(&root, "f").await), Status::Access);
    open_shared(&client, &root, (share::ACCESS_READ, 0), "reader").await.unwrap();
}

/// The Linux client opens any file so that it has looked up before, and leaves the permissions to the server.
#[tokio::test]
async fn an_open_by_filehandle_needs_the_permissions_that_one_by_name_does() {
    let server = Daemon::start().await;
    let owner = Client::mount(server.address(), ClientOptions::new("owner").user(1000, 1000)).await.unwrap();
    let file = create(&owner, &root(&owner).await, "f", CreateHow::Guarded(mode(0o444))).await.unwrap();
    let by_handle = async |access| {
        let args = owner.files().open_args("again", access, OpenHow::NoCreate, OpenClaim::Fh);
        owner.files().open_with(&file.handle, args).await
    };
    assert_eq!(status(by_handle(share::ACCESS_BOTH).await), Status::Access);
    by_handle(share::ACCESS_READ).await.unwrap();
}

#[tokio::test]
async fn share_reservations_keep_others_out() {
    let server = Daemon::start().await;
    let (one, root) = server.mount_root("one").await;
    let two = server.mount("two").await;
    let first = one.files().create(&root, "f").await.unwrap();
    one.files().close(&first).await.unwrap();

    let guard = open_shared(&one, &root, (share::ACCESS_READ, share::DENY_WRITE), "guard").await.unwrap();
    assert_eq!(status(open_shared(&two, &root, (share::ACCESS_WRITE, 0), "w").await), Status::ShareDenied);
    assert_eq!(
        status(open_shared(&two, &root, (share::ACCESS_READ, share::DENY_READ), "d").await),
        Status::ShareDenied
    );
    let reader = open_shared(&two, &root, (share::ACCESS_READ, 0), "r").await.unwrap();
    let anonymous = OpenFile { stateid: StateId::ANONYMOUS, ..reader.clone() };
    let data = Bytes::from_static(b"x");
    let write = two.files().write(&anonymous, 0, data.clone(), StableHow::FileSync).await;
    assert_eq!(status(write), Status::Locked);
    assert_eq!(
        status(two.files().write(&reader, 0, data.clone(), StableHow::FileSync).await),
        Status::OpenMode
    );
    one.files().close(&guard).await.unwrap();
    open_shared(&two, &root, (share::ACCESS_WRITE, 0), "w").await.unwrap();
    two.files().write(&anonymous, 0, data, StableHow::FileSync).await.unwrap();
}

#[tokio::test]
async fn an_open_for_writing_reads_what_could_be_read_without_it() {
    let server = Daemon::start().await;
    let (one, root) = server.mount_root("one").await;
    let created = create(&one, &root, "f", CreateHow::Guarded(mode(0o666))).await.unwrap();
    one.files().close(&created).await.unwrap();
    let two = Client::mount(server.address(), ClientOptions::new("two").user(1000, 1000)).await.unwrap();
    let write_only = open_shared(&two, &root, (share::ACCESS_WRITE, 0), "w").await.unwrap();
    two.files().read(&write_only, 0, 1).await.unwrap();

    let guard = open_shared(&one, &root, (share::ACCESS_READ, share::DENY_READ), "guard").await.unwrap();
    assert_eq!(status(two.files().read(&write_only, 0, 1).await), Status::Locked);
    one.files().close(&guard).await.unwrap();
    two.files().read(&write_only, 0, 1).await.unwrap();

    one.files().setattr(&created.handle, StateId::ANONYMOUS, &Attributes::mode(0o222)).await.unwrap();
    assert_eq!(status(two.files().read(&write_only, 0, 1).await), Status::Access);
    let data = Bytes::from_static(b"x");
    two.files().write(&write_only, 0, data, StableHow::FileSync).await.unwrap();
}

#[tokio::test]
async fn a_silent_clients_reservation_gives_way() {
    let server = Daemon::start().await;
    let (silent, root) = server.mount_root("silent").await;
    let other = server.mount("other").await;
    silent.files().create(&root, "f").await.unwrap();
    open_shared(&silent, &root, (share::ACCESS_READ, share::DENY_BOTH), "guard").await.unwrap_err();
    open_shared(&silent, &root, (share::ACCESS_READ, share::DENY_BOTH), "owner").await.unwrap();
    assert_eq!(status(open_shared(&other, &root, (share::ACCESS_READ, 0), "r").await), Status::ShareDenied);
    server.expire_all_but(&[&other]).await;
    open_shared(&other, &root, (share::ACCESS_READ, 0), "r").await.unwrap();
}

#[tokio::test]
async fn an_owners_second_open_of_a_file_adds_to_its_first() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let files = client.files();
    let created = files.create(&root, "f").await.unwrap();
    files.close(&created).await.unwrap();
    let read = open_shared(&client, &root, (share::ACCESS_READ, 0), "o").await.unwrap();
    let both = open_shared(&client, &root, (share::ACCESS_WRITE, 0), "o").await.unwrap();
    assert_eq!(both.stateid, StateId { seqid: read.stateid.seqid + 1, ..read.stateid });
    let data = Bytes::from_static(b"x");
    files.write(&both, 0, data.clone(), StableHow::FileSync).await.unwrap();
    assert_eq!(status(files.close(&read).await), Status::OldStateid);

    assert_eq!(downgrade(&client, &both, 3, share::DENY_READ).await, Err(Status::Inval));
    let stateid = downgrade(&client, &both, share::ACCESS_READ, 0).await.unwrap();
    let only_read = OpenFile { stateid, ..both };
    assert_eq!(status(files.write(&only_read, 0, data, StableHow::FileSync).await), Status::OpenMode);
    assert_eq!(downgrade(&client, &only_read, share::ACCESS_BOTH, 0).await, Err(Status::Inval), "no way up");
    files.close(&only_read).await.unwrap();
    assert_eq!(status(files.close(&only_read).await), Status::BadStateid);
}

#[tokio::test]
async fn a_stateid_is_good_for_its_client_and_file_only() {
    let server = Daemon::start().await;
    let (one, root) = server.mount_root("one").await;
    let two = server.mount("two").await;
    let file = one.files().create(&root, "f").await.unwrap();
    let other = one.files().create(&root, "other").await.unwrap();
    assert_eq!(status(two.files().close(&file).await), Status::BadStateid);
    let mixed = OpenFile { handle: other.handle.clone(), ..file.clone() };
    assert_eq!(status(one.files().read(&mixed, 0, 1).await), Status::BadStateid);
    let newer = StateId { seqid: file.stateid.seqid + 1, ..file.stateid };
    let any = StateId { seqid: 0, ..file.stateid };
    let stateids = vec![file.stateid, newer, any, StateId::ANONYMOUS, StateId::CURRENT];
    let test = Operation::TestStateid(TestStateidArgs { stateids });
    let results = one.compound([test]).await.unwrap();
    let expected = [Status::Ok, Status::BadStateid, Status::Ok, Status::BadStateid, Status::BadStateid];
    assert!(
        matches!(&results[..], [OperationResult::TestStateid(Ok(result))] if result.status_codes == expected),
        "{results:?}"
    );
}

#[tokio::test]
async fn the_current_stateid_is_the_one_that_open_returned() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let how = OpenHow::Create(CreateHow::Unchecked(mode(0o644)));
    let open = client.files().open_args("o", share::ACCESS_BOTH, how, OpenClaim::Null("f".into()));
    let stateid = StateId::CURRENT;
    let write = WriteArgs { stateid, offset: 0, stable: StableHow::FileSync, data: Bytes::from_static(b"x") };
    let close = CloseArgs { seqid: 0, open_stateid: stateid };
    let operations =
        [put(&root), Operation::Open(open), Operation::Write(write), Operation::Close(close.clone())];
    client.compound(operations).await.unwrap();
    assert_eq!(status(client.compound([put(&root), Operation::Close(close)]).await), Status::BadStateid);
}

#[tokio::test]
async fn a_wish_for_a_delegation_is_declined() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = client.files().create(&root, "f").await.unwrap();
    for (wish, why) in [
        (0, OpenDelegation::None),
        (share::ACCESS_WANT_NO_DELEG, OpenDelegation::NoneExt(WhyNoDelegation::NotWanted)),
        (
            share::ACCESS_WANT_READ_DELEG | 0x10_0000,
            OpenDelegation::NoneExt(WhyNoDelegation::NotSupportedForFileType),
        ),
    ] {
        let access = share::ACCESS_READ | wish;
        let args = client.files().open_args("o", access, OpenHow::NoCreate, OpenClaim::Fh);
        let result = on(&client, &file.handle, Operation::Open(args)).await;
        assert!(matches!(&result, OperationResult::Open(Ok(open)) if open.delegation == why), "{result:?}");
    }
    let get = Operation::GetDirDelegation(GetDirDelegationArgs {
        signal_deleg_avail: false,
        notification_types: Bitmap::default(),
        child_attr_delay: NfsTime { seconds: 0, nseconds: 0 },
        dir_attr_delay: NfsTime { seconds: 0, nseconds: 0 },
        child_attributes: Bitmap::default(),
        dir_attributes: Bitmap::default(),
    });
    let result = on(&client, &root, get).await;
    let unavailable = OperationResult::GetDirDelegation(Ok(GetDirDelegationResult::Unavailable(false)));
    assert_eq!(result, unavailable);
}
