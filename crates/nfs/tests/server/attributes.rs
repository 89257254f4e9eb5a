//! Attributes: what is answered, what can be set, and how sets are compared (RFC 8881 §5).

use std::collections::BTreeSet;
use std::os::unix::fs::FileExt;

use bytes::Bytes;
use forebay_nfs_client::{Attributes, Client, ClientOptions, FileHandle};
use forebay_nfs_proto::xdr::nfs4::{
    AccessArgs, Bitmap, Fattr, GetattrArgs, NfsTime, Operation, OperationResult, SetattrArgs, StateId,
    VerifyArgs, access, attribute,
};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encode, Encoder, Status};

use crate::harness::{Daemon, on, root, status};

/// The values of these attributes, one after the other.
pub async fn getattr(client: &Client, handle: &FileHandle, attributes: &[u32]) -> Result<Fattr, Status> {
    let getattr = Operation::Getattr(GetattrArgs { attributes: Bitmap::of(attributes) });
    match on(client, handle, getattr).await {
        OperationResult::Getattr(outcome) => outcome.map(|result| result.attributes),
        other => Err(other.status()),
    }
}

/// The value of one attribute.
pub async fn value<T: Decode>(client: &Client, handle: &FileHandle, attribute: u32) -> T {
    let fattr = getattr(client, handle, &[attribute]).await.expect("attributes");
    assert!(fattr.mask.contains(attribute), "attribute {attribute} is supported");
    let mut input = Decoder::new(fattr.values);
    let value = T::decode(&mut input).expect("it decodes");
    input.finish().expect("nothing follows");
    value
}

fn fattr(attribute: u32, value: &impl Encode) -> Fattr {
    Fattr { mask: Bitmap::of(&[attribute]), values: Encoder::of(value).into_bytes() }
}

async fn setattr(client: &Client, handle: &FileHandle, attributes: Fattr) -> Status {
    let setattr = SetattrArgs { stateid: StateId::ANONYMOUS, attributes };
    on(client, handle, Operation::Setattr(setattr)).await.status()
}

#[tokio::test]
async fn every_supported_attribute_is_answered_and_no_other() {
    let daemon = Daemon::start().await;
    for (minor_version, has_change_type) in [(1, false), (2, true)] {
        let options =
            ClientOptions { minor_version, ..ClientOptions::new(&format!("minor {minor_version}")) };
        let client = Client::mount(daemon.address(), options).await.expect("a client");
        let root = root(&client).await;
        let supported: Bitmap = value(&client, &root, attribute::SUPPORTED_ATTRS).await;
        assert_eq!(supported.contains(attribute::CHANGE_ATTR_TYPE), has_change_type);
        let write_only = [attribute::TIME_ACCESS_SET, attribute::TIME_MODIFY_SET];
        let readable: BTreeSet<u32> =
            supported.iter().filter(|attribute| !write_only.contains(attribute)).collect();
        let everything: Vec<u32> = (0..96).filter(|attribute| !write_only.contains(attribute)).collect();
        let answered = getattr(&client, &root, &everything).await.expect("attributes");
        assert_eq!(answered.mask.iter().collect::<BTreeSet<_>>(), readable);
        for attribute in write_only {
            assert!(supported.contains(attribute));
            assert_eq!(getattr(&client, &root, &[attribute]).await.err(), Some(Status::Inval));
        }
    }
}

/// What the Linux client bases its behaviour on.
#[tokio::test]
async fn the_server_says_what_it_can_do() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let root = root(&client).await;
    assert_eq!(value::<u32>(&client, &root, attribute::LEASE_TIME).await, 30);
    assert_eq!(value::<u64>(&client, &root, attribute::MAXREAD).await, 1 << 20);
    assert_eq!(value::<u64>(&client, &root, attribute::MAXWRITE).await, 1 << 20);
    assert_eq!(value::<u64>(&client, &root, attribute::MAXFILESIZE).await, i64::MAX as u64);
    assert_eq!(value::<u32>(&client, &root, attribute::MAXNAME).await, 255);
    assert_eq!(value::<u32>(&client, &root, attribute::FH_EXPIRE_TYPE).await, 0);
    assert_eq!(value::<u32>(&client, &root, attribute::CHANGE_ATTR_TYPE).await, 0, "strictly increasing");
    assert!(value::<bool>(&client, &root, attribute::XATTR_SUPPORT).await);
    assert_eq!(value::<u32>(&client, &root, attribute::CLONE_BLKSIZE).await, 4096);
    assert!(!value::<bool>(&client, &root, attribute::CASE_INSENSITIVE).await);
    assert!(value::<bool>(&client, &root, attribute::CASE_PRESERVING).await);
    let exclusive: Bitmap = value(&client, &root, attribute::SUPPATTR_EXCLCREAT).await;
    assert!(exclusive.contains(attribute::MODE) && exclusive.contains(attribute::TIME_MODIFY_SET));
    assert_eq!(value::<Bytes>(&client, &root, attribute::OWNER).await, "0");
}

/// A client computes what is used as the difference, and the disk has other users.
#[tokio::test]
async fn what_is_free_is_never_more_than_there_is() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let root = root(&client).await;
    let neighbour = tempfile::tempfile().expect("a file on the pool's disk");
    for round in 0..200 {
        neighbour.set_len(0).expect("it is emptied");
        let filling = tokio::task::spawn_blocking({
            let file = neighbour.try_clone().expect("its handle");
            move || file.write_all_at(&[1; 4 << 20], 0)
        });
        let space = [attribute::SPACE_AVAIL, attribute::SPACE_FREE, attribute::SPACE_TOTAL];
        let fattr = getattr(&client, &root, &space).await.expect("attributes");
        let mut input = Decoder::new(fattr.values);
        let [avail, free, total] = [(); 3].map(|()| u64::decode(&mut input).expect("it decodes"));
        assert!(0 < avail && avail == free && free <= total, "{round}: {avail}, {free} of {total} bytes");
        filling.await.expect("it ends").expect("it is filled");
    }
}

#[tokio::test]
async fn what_is_set_is_there_and_says_so() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let file = client.files().create(&root(&client).await, "f").await.expect("a file").handle;
    let change = async || value::<u64>(&client, &file, attribute::CHANGE).await;
    let before = change().await;
    let client_time = NfsTime { seconds: 1_000_000_000, nseconds: 7 };
    let mut values = Encoder::new();
    4096u64.encode(&mut values);
    0o4711u32.encode(&mut values);
    Bytes::from_static(b"1000").encode(&mut values);
    Bytes::from_static(b"100").encode(&mut values);
    1u32.encode(&mut values);
    client_time.encode(&mut values);
    let mask = Bitmap::of(&[
        attribute::SIZE,
        attribute::MODE,
        attribute::OWNER,
        attribute::OWNER_GROUP,
        attribute::TIME_MODIFY_SET,
    ]);
    let attributes = Fattr { mask: mask.clone(), values: values.into_bytes() };
    let setattr = SetattrArgs { stateid: StateId::ANONYMOUS, attributes };
    let OperationResult::Setattr(Ok(set)) = on(&client, &file, Operation::Setattr(setattr)).await else {
        panic!("SETATTR has a result")
    };
    assert_eq!((set.status, set.attributes_set), (Status::Ok, mask));
    assert!(change().await > before);
    let now = client.files().getattr(&file).await.expect("attributes");
    assert_eq!((now.size, now.mode), (Some(4096), Some(0o711)), "a new owner's program has its own rights");
    assert_eq!((now.owner, now.owner_group), (Some("1000".into()), Some("100".into())));
    assert_eq!(now.time_modify, Some(client_time));
}

#[tokio::test]
async fn sizes_go_up_and_down_with_zeros_between() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let file = client.files().create(&root(&client).await, "index").await.expect("a file");
    let data = Bytes::from(vec![7; 5000]);
    client.files().write(&file, 0, data, Default::default()).await.expect("it is written");
    for size in [100, 10 << 20] {
        let size = Attributes::size(size);
        client.files().setattr(&file.handle, file.stateid, &size).await.expect("the size is set");
    }
    let (payload, _) = client.files().read(&file, 0, 5000).await.expect("it reads");
    let bytes = payload.into_bytes();
    assert!(bytes[..100].iter().all(|byte| *byte == 7));
    assert!(bytes[100..].iter().all(|byte| *byte == 0));
    assert_eq!(client.files().getattr(&file.handle).await.expect("attributes").size, Some(10 << 20));
}

#[tokio::test]
async fn what_cannot_be_set_has_exact_errors() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let root = root(&client).await;
    let file = client.files().create(&root, "f").await.expect("a file").handle;
    let early = NfsTime { seconds: 0, nseconds: 1_000_000_000 };
    let time = Fattr {
        mask: Bitmap::of(&[attribute::TIME_MODIFY_SET]),
        values: [Encoder::of(&1u32).into_bytes(), Encoder::of(&early).into_bytes()].concat().into(),
    };
    let cases = [
        (fattr(attribute::CHANGE, &1u64), Status::Inval),
        (fattr(13, &1u32), Status::AttrNotSupp),
        (fattr(attribute::MODE, &0o10000u32), Status::Inval),
        (fattr(attribute::MODE, &0u64), Status::BadXdr),
        (fattr(attribute::OWNER, &Bytes::from_static(b"kafka@example.org")), Status::BadOwner),
        (fattr(attribute::SIZE, &u64::MAX), Status::FBig),
        (time, Status::Inval),
    ];
    for (given, expected) in cases {
        assert_eq!(setattr(&client, &file, given.clone()).await, expected, "{given:?}");
    }
    assert_eq!(setattr(&client, &root, fattr(attribute::SIZE, &0u64)).await, Status::Inval);
}

/// Times far from now must neither panic nor come back as others.
#[tokio::test]
async fn times_at_the_ends_come_back_or_are_refused() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let file = client.files().create(&root(&client).await, "f").await.expect("a file").handle;
    for seconds in [i64::MIN, i64::MAX, -1, 0, 1 << 34, -(1 << 34)] {
        let time = NfsTime { seconds, nseconds: 999_999_999 };
        let given = Fattr {
            mask: Bitmap::of(&[attribute::TIME_MODIFY_SET]),
            values: [Encoder::of(&1u32).into_bytes(), Encoder::of(&time).into_bytes()].concat().into(),
        };
        match setattr(&client, &file, given).await {
            Status::Ok => {
                assert_eq!(value::<NfsTime>(&client, &file, attribute::TIME_MODIFY).await, time);
            }
            refused => assert_eq!(refused, Status::Inval),
        }
    }
}

#[tokio::test]
async fn verify_goes_on_when_equal_and_nverify_when_not() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let root = root(&client).await;
    let verify = async |attributes: Fattr| {
        let args = VerifyArgs { attributes };
        let verify = on(&client, &root, Operation::Verify(args.clone())).await.status();
        (verify, on(&client, &root, Operation::Nverify(args)).await.status())
    };
    let now = getattr(&client, &root, &[attribute::TYPE, attribute::CHANGE]).await.expect("attributes");
    assert_eq!(verify(now).await, (Status::Ok, Status::Same));
    assert_eq!(verify(fattr(attribute::MODE, &0o1u32)).await, (Status::NotSame, Status::Ok));
    let both = |status| (status, status);
    assert_eq!(verify(fattr(attribute::RDATTR_ERROR, &0u32)).await, both(Status::Inval));
    assert_eq!(verify(fattr(attribute::TIME_ACCESS_SET, &0u32)).await, both(Status::Inval));
    assert_eq!(verify(fattr(13, &0u32)).await, both(Status::AttrNotSupp));
}

async fn user(daemon: &Daemon, uid: u32) -> Client {
    let options = ClientOptions::new(&format!("user {uid}")).user(uid, uid);
    Client::mount(daemon.address(), options).await.expect("a client")
}

#[tokio::test]
async fn users_do_what_the_permission_bits_let_them() {
    let daemon = Daemon::start().await;
    let (admin, alice, bob) = (daemon.mount("admin").await, user(&daemon, 10).await, user(&daemon, 11).await);
    let homes = admin.files().mkdir(&root(&admin).await, "homes").await.expect("a directory");
    assert_eq!(status(alice.files().mkdir(&homes, "alice").await), Status::Access, "root's, 755");
    let home = admin.files().mkdir(&homes, "alice").await.expect("a directory");
    let owner = fattr(attribute::OWNER, &Bytes::from_static(b"10"));
    assert_eq!(setattr(&admin, &home, owner.clone()).await, Status::Ok);
    let file = alice.files().create(&home, "f").await.expect("in her own directory");

    assert_eq!(status(bob.files().remove(&home, "f").await), Status::Access);
    assert_eq!(status(bob.files().rename(&home, "f", &home, "g").await), Status::Access);
    assert_eq!(setattr(&bob, &file.handle, fattr(attribute::MODE, &0o777u32)).await, Status::Perm);
    assert_eq!(setattr(&bob, &file.handle, fattr(attribute::SIZE, &0u64)).await, Status::Access);
    assert_eq!(
        setattr(&alice, &file.handle, fattr(attribute::OWNER, &Bytes::from("11"))).await,
        Status::Perm
    );
    assert_eq!(setattr(&alice, &file.handle, fattr(attribute::MODE, &0o600u32)).await, Status::Ok);
    assert_eq!(status(bob.files().open(&home, "f").await), Status::Access);

    assert_eq!(setattr(&alice, &home, fattr(attribute::MODE, &0o700u32)).await, Status::Ok);
    assert_eq!(status(bob.files().lookup(&home, "f").await), Status::Access);
    assert_eq!(status(bob.files().readdir(&home).await), Status::Access);
    alice.files().lookup(&home, "f").await.expect("her own");
}

#[tokio::test]
async fn in_a_sticky_directory_everyone_removes_his_own() {
    let daemon = Daemon::start().await;
    let (admin, alice, bob) = (daemon.mount("admin").await, user(&daemon, 10).await, user(&daemon, 11).await);
    let shared = admin.files().mkdir(&root(&admin).await, "tmp").await.expect("a directory");
    assert_eq!(setattr(&admin, &shared, fattr(attribute::MODE, &0o1777u32)).await, Status::Ok);
    alice.files().create(&shared, "hers").await.expect("a file");
    bob.files().create(&shared, "his").await.expect("a file");
    assert_eq!(status(bob.files().remove(&shared, "hers").await), Status::Access);
    assert_eq!(status(bob.files().rename(&shared, "hers", &shared, "mine").await), Status::Access);
    assert_eq!(status(bob.files().rename(&shared, "his", &shared, "hers").await), Status::Access);
    bob.files().remove(&shared, "his").await.expect("his own");
    admin.files().remove(&shared, "hers").await.expect("root removes anything");
}

#[tokio::test]
async fn access_tells_what_would_be_allowed() {
    let daemon = Daemon::start().await;
    let (admin, alice) = (daemon.mount("admin").await, user(&daemon, 10).await);
    let directory = admin.files().mkdir(&root(&admin).await, "d").await.expect("a directory");
    let file = admin.files().create(&directory, "f").await.expect("a file").handle;
    let ask = async |client: &Client, handle: &FileHandle, wanted: u32| match on(
        client,
        handle,
        Operation::Access(AccessArgs { access: wanted }),
    )
    .await
    {
        OperationResult::Access(Ok(result)) => (result.supported, result.access),
        other => panic!("ACCESS was answered by {other:?}"),
    };
    let xattrs_read = access::XAREAD | access::XALIST;
    let xattrs = xattrs_read | access::XAWRITE;
    let of_file = access::READ | access::MODIFY | access::EXTEND | access::EXECUTE | xattrs;
    let of_directory =
        access::READ | access::LOOKUP | access::MODIFY | access::EXTEND | access::DELETE | xattrs;
    assert_eq!(ask(&alice, &file, u32::MAX).await, (of_file, access::READ | xattrs_read), "0644");
    assert_eq!(ask(&admin, &file, u32::MAX).await, (of_file, of_file & !access::EXECUTE));
    assert_eq!(
        ask(&alice, &directory, u32::MAX).await,
        (of_directory, access::READ | access::LOOKUP | xattrs_read)
    );
    assert_eq!(ask(&admin, &directory, u32::MAX).await, (of_directory, of_directory));
    assert_eq!(ask(&admin, &directory, access::DELETE).await, (access::DELETE, access::DELETE));
}
