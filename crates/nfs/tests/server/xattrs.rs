//! Extended attributes (RFC 8276).

use bytes::Bytes;
use forebay_nfs_client::{Attributes, Client, ClientOptions, FileHandle};
use forebay_nfs_proto::xdr::nfs4::*;
use forebay_nfs_proto::xdr::{Encoder, Status};

use crate::harness::{Daemon, on, root};

fn name(name: &str) -> Bytes {
    Bytes::copy_from_slice(name.as_bytes())
}

async fn get(client: &Client, handle: &FileHandle, of: &str) -> Result<Bytes, Status> {
    match on(client, handle, Operation::Getxattr(GetxattrArgs { name: name(of) })).await {
        OperationResult::Getxattr(found) => found.map(|found| found.value),
        other => panic!("{other:?}"),
    }
}

async fn set_as(
    client: &Client,
    handle: &FileHandle,
    of: &str,
    value: impl Into<Bytes>,
    option: SetxattrOption,
) -> Result<ChangeInfo, Status> {
    let args = SetxattrArgs { option, name: name(of), value: value.into() };
    match on(client, handle, Operation::Setxattr(args)).await {
        OperationResult::Setxattr(set) => set.map(|set| set.change_info),
        other => panic!("{other:?}"),
    }
}

async fn set(
    client: &Client,
    handle: &FileHandle,
    of: &str,
    value: impl Into<Bytes>,
) -> Result<ChangeInfo, Status> {
    set_as(client, handle, of, value, SetxattrOption::Either).await
}

async fn remove(client: &Client, handle: &FileHandle, of: &str) -> Result<ChangeInfo, Status> {
    match on(client, handle, Operation::Removexattr(RemovexattrArgs { name: name(of) })).await {
        OperationResult::Removexattr(removed) => removed.map(|removed| removed.change_info),
        other => panic!("{other:?}"),
    }
}

async fn page(
    client: &Client,
    handle: &FileHandle,
    cookie: u64,
    maxcount: u32,
) -> Result<ListxattrsResult, Status> {
    match on(client, handle, Operation::Listxattrs(ListxattrsArgs { cookie, maxcount })).await {
        OperationResult::Listxattrs(page) => page,
        other => panic!("{other:?}"),
    }
}

/// All names, sorted, from pages of so many bytes.
async fn list(client: &Client, handle: &FileHandle, maxcount: u32) -> Result<Vec<Bytes>, Status> {
    let (mut names, mut cookie) = (Vec::new(), 0);
    loop {
        let page = page(client, handle, cookie, maxcount).await?;
        assert!(Encoder::of(&page).len() <= maxcount as usize);
        cookie = page.cookie;
        names.extend(page.names);
        if page.eof {
            names.sort();
            return Ok(names);
        }
    }
}

#[tokio::test]
async fn what_is_set_is_got_also_after_a_restart() {
    let mut server = Daemon::start().await;
    let (client, root_handle) = server.mount_root("client").await;
    let file = client.files().create(&root_handle, "file").await.unwrap().handle;
    let before = client.files().getattr(&file).await.unwrap();
    assert_eq!(get(&client, &file, "colour").await, Err(Status::NoXattr));
    let change = set(&client, &file, "colour", "blue").await.unwrap();
    let after = client.files().getattr(&file).await.unwrap();
    assert!(change.atomic);
    assert_eq!((Some(change.before), Some(change.after)), (before.change, after.change));
    set(&client, &file, "empty", "").await.unwrap();
    set(&client, &root_handle, "of a directory", vec![7; 64 << 10]).await.unwrap();
    server.restart().await;
    let (client, root) = (server.mount("client again").await, root_handle);
    assert_eq!(get(&client, &file, "colour").await, Ok(name("blue")));
    assert_eq!(get(&client, &file, "empty").await, Ok(Bytes::new()));
    assert_eq!(get(&client, &root, "of a directory").await, Ok(vec![7; 64 << 10].into()));
    remove(&client, &file, "colour").await.unwrap();
    assert_eq!(get(&client, &file, "colour").await, Err(Status::NoXattr));
    assert_eq!(remove(&client, &file, "colour").await, Err(Status::NoXattr));
    assert_eq!(list(&client, &file, 1000).await, Ok(vec![name("empty")]));
}

#[tokio::test]
async fn options_and_limits_have_their_own_errors() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = client.files().create(&root, "file").await.unwrap().handle;
    let (create, replace) = (SetxattrOption::Create, SetxattrOption::Replace);
    assert_eq!(set_as(&client, &file, "a", "1", replace).await, Err(Status::NoXattr));
    assert!(set_as(&client, &file, "a", "1", create).await.is_ok());
    assert_eq!(set_as(&client, &file, "a", "2", create).await, Err(Status::Exist));
    assert!(set_as(&client, &file, "a", "3", replace).await.is_ok());
    assert_eq!(set(&client, &file, "b", vec![0; (64 << 10) + 1]).await, Err(Status::Xattr2Big));
    assert_eq!(set(&client, &file, "", "1").await, Err(Status::Inval));
    assert_eq!(set(&client, &file, &"n".repeat(256), "1").await, Err(Status::NameTooLong));
    assert_eq!(set(&client, &file, "a\0", "1").await, Err(Status::BadChar));
    assert!(set(&client, &file, &"n".repeat(255), "1").await.is_ok());
    for number in 0..15 {
        assert!(set(&client, &file, &number.to_string(), vec![1; 64 << 10]).await.is_ok());
    }
    assert_eq!(set(&client, &file, "one more", vec![1; 64 << 10]).await, Err(Status::NoSpc));
}

#[tokio::test]
async fn names_are_listed_in_pages_of_any_size() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = client.files().create(&root, "file").await.unwrap().handle;
    let mut names: Vec<Bytes> = (0..50).map(|number| name(&"x".repeat(number + 1))).collect();
    for name in &names {
        set(&client, &file, std::str::from_utf8(name).unwrap(), "value").await.unwrap();
    }
    names.sort();
    for maxcount in [72, 200, 1 << 16] {
        assert_eq!(list(&client, &file, maxcount).await.as_ref(), Ok(&names), "{maxcount}");
    }
    for maxcount in [0, 15, 16, 23] {
        assert_eq!(page(&client, &file, 0, maxcount).await, Err(Status::TooSmall), "{maxcount}");
    }
    assert_eq!(page(&client, &file, u64::MAX, 1000).await, Err(Status::BadCookie));
    let empty = page(&client, &root, 0, 16).await.unwrap();
    assert_eq!((empty.names.len(), empty.eof), (0, true));
}

#[tokio::test]
async fn permissions_are_those_of_the_data_as_access_says() {
    let server = Daemon::start().await;
    let (admin, root_handle) = server.mount_root("admin").await;
    let file = admin.files().create(&root_handle, "file").await.unwrap().handle;
    set(&admin, &file, "a", "1").await.unwrap();
    let user = Client::mount(server.address(), ClientOptions::new("user").user(1000, 1000)).await.unwrap();
    let root = root(&user).await;
    let ask = async |handle: &FileHandle| {
        let wanted = access::XAREAD | access::XAWRITE | access::XALIST;
        match on(&user, handle, Operation::Access(AccessArgs { access: wanted })).await {
            OperationResult::Access(Ok(result)) => {
                assert_eq!(result.supported, wanted);
                result.access
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(ask(&file).await, access::XAREAD | access::XALIST, "0644");
    assert_eq!(get(&user, &file, "a").await, Ok(name("1")));
    assert!(get(&user, &file, "forebay.source").await.is_ok());
    assert_eq!(set(&user, &file, "a", "2").await, Err(Status::Access));
    assert_eq!(remove(&user, &file, "a").await, Err(Status::Access));
    admin.files().setattr(&file, StateId::ANONYMOUS, &Attributes::mode(0o602)).await.unwrap();
    assert_eq!(ask(&file).await, access::XAWRITE);
    assert_eq!(get(&user, &file, "a").await, Err(Status::Access));
    assert_eq!(get(&user, &file, "forebay.source").await, Err(Status::Access));
    assert_eq!(list(&user, &file, 1000).await, Err(Status::Access));
    assert!(set(&user, &file, "a", "2").await.is_ok());
    // The root is everyone's; with the sticky bit, what is not a name in it is its owner's.
    assert!(set(&user, &root, "a", "2").await.is_ok());
    admin.files().setattr(&root, StateId::ANONYMOUS, &Attributes::mode(0o1777)).await.unwrap();
    assert_eq!(set(&user, &root, "a", "3").await, Err(Status::Perm));
}

#[tokio::test]
async fn above_the_volumes_and_in_snapshots_nothing_can_be_set() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let pseudo_root = client.files().resolve("/").await.unwrap();
    assert_eq!(set(&client, &pseudo_root, "a", "1").await, Err(Status::RoFs));
    assert_eq!(get(&client, &pseudo_root, "a").await, Err(Status::NoXattr));
    assert_eq!(list(&client, &pseudo_root, 100).await, Ok(Vec::new()));
    let file = client.files().create(&root, "file").await.unwrap().handle;
    set(&client, &file, "a", "old").await.unwrap();
    server.pool().snapshot_create(&["kafka".into()], "s").await.unwrap();
    set(&client, &file, "a", "new").await.unwrap();
    let shown = client.files().resolve("/kafka/.snapshot/s/file").await.unwrap();
    assert_eq!(get(&client, &shown, "a").await, Ok(name("old")));
    assert_eq!(set(&client, &shown, "a", "1").await, Err(Status::RoFs));
    assert_eq!(remove(&client, &shown, "a").await, Err(Status::RoFs));
}

#[tokio::test]
async fn a_file_without_a_name_keeps_its_attributes_as_long_as_it_is_open() {
    let server = Daemon::start().await;
    let (client, root) = server.mount_root("client").await;
    let file = client.files().create(&root, "file").await.unwrap();
    set(&client, &file.handle, "a", "1").await.unwrap();
    client.files().remove(&root, "file").await.unwrap();
    assert_eq!(get(&client, &file.handle, "a").await, Ok(name("1")));
    set(&client, &file.handle, "b", "2").await.unwrap();
    client.files().close(&file).await.unwrap();
    server.wait_until_no_orphan().await;
    assert_eq!(get(&client, &file.handle, "a").await, Err(Status::Stale));
    assert_eq!(server.pool().check(true).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn a_file_has_a_token_that_is_neither_listed_nor_changed() {
    const SOURCE: &str = "forebay.source";
    let mut server = Daemon::start().await;
    let (client, root_handle) = server.mount_root("client").await;
    let file = client.files().create(&root_handle, "file").await.unwrap().handle;
    let other = client.files().create(&root_handle, "other").await.unwrap().handle;
    let token = get(&client, &file, SOURCE).await.unwrap();
    assert!(token.len() == 130 && token.iter().all(u8::is_ascii_hexdigit), "{token:?}");
    assert_ne!(get(&client, &other, SOURCE).await.unwrap(), token);
    assert_eq!(get(&client, &root_handle, SOURCE).await, Err(Status::NoXattr));
    assert_eq!(list(&client, &file, 1000).await, Ok(vec![]));
    assert_eq!(set(&client, &file, SOURCE, "mine").await.err(), Some(Status::Perm));
    assert_eq!(remove(&client, &file, SOURCE).await.err(), Some(Status::Perm));
    server.restart().await;
    let client = server.mount("client again").await;
    assert_eq!(get(&client, &file, SOURCE).await, Ok(token));
}
