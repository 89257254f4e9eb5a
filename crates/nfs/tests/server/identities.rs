//! Users and groups: their names as owners, and the groups that the server's own database has.

use bytes::Bytes;
use forebay_nfs::Config;
use forebay_nfs::identity::Directory;
use forebay_nfs::policy::{Clients, Groups, RuleChange, Squash};
use forebay_nfs_client::{Attributes, Client, ClientOptions, FileHandle};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{CreateArgs, CreateType, Operation, OperationResult};

use crate::harness::{Daemon, on, put, root, status};

/// A server with people of its own: kafka, who is in forty groups, and brokers.
async fn start(domain: Option<&str>, owner_names: bool) -> (Daemon, Directory) {
    let directory = Directory::fixed();
    let groups: Vec<u32> = (3000..3040).collect();
    directory.set_user("kafka", 1001, &groups);
    directory.set_group("brokers", 2001);
    let id_domain = domain.map(str::to_owned);
    let config = Config { id_domain, owner_names, directory: directory.clone(), ..Config::default() };
    (Daemon::start_with(config).await, directory)
}

fn owned(owner: &'static str, group: &'static str) -> Attributes {
    let bytes = |text: &'static str| Some(Bytes::from_static(text.as_bytes()));
    Attributes { owner: bytes(owner), owner_group: bytes(group), ..Attributes::default() }
}

async fn owner(client: &Client, file: &FileHandle) -> (Bytes, Bytes) {
    let attributes = client.files().getattr(file).await.unwrap();
    (attributes.owner.unwrap(), attributes.owner_group.unwrap())
}

#[tokio::test]
async fn names_are_taken_for_what_the_server_knows_and_given_back_as_numbers() {
    let (server, directory) = start(Some("example.org"), false).await;
    let (client, root) = server.mount_root("client").await;
    let file = client.files().create(&root, "file").await.unwrap();
    let set = async |wanted: Attributes| client.files().setattr(&file.handle, file.stateid, &wanted).await;
    set(owned("kafka@example.org", "brokers@EXAMPLE.org")).await.unwrap();
    assert_eq!(owner(&client, &file.handle).await, ("1001".into(), "2001".into()));
    set(owned("5", "6")).await.unwrap();
    assert_eq!(owner(&client, &file.handle).await, ("5".into(), "6".into()));
    for (user, group) in [
        ("nobody@example.org", "6"),
        ("kafka@elsewhere.org", "6"),
        ("kafka", "6"),
        ("5", "kafka@example.org"),
    ] {
        assert_eq!(status(set(owned(user, group)).await), Status::BadOwner, "{user} {group}");
    }
    assert_eq!(owner(&client, &file.handle).await, ("5".into(), "6".into()), "all or nothing");
    // CREATE and OPEN take them as well.
    let attributes = Attributes { mode: Some(0o700), ..owned("kafka@example.org", "brokers@example.org") };
    let name = Bytes::from_static(b"directory");
    let create = CreateArgs { object_type: CreateType::Directory, name, attributes: attributes.encode() };
    let made = client.compound([put(&root), Operation::Create(create), Operation::Getfh(())]).await.unwrap();
    let Some(OperationResult::Getfh(Ok(made))) = made.last() else { panic!("{made:?}") };
    assert_eq!(owner(&client, &made.object).await, ("1001".into(), "2001".into()));
    // While the database fails, who is not known is asked for again, and is not refused.
    directory.fail(true);
    assert_eq!(status(set(owned("other@example.org", "6")).await), Status::Delay);
    set(owned("kafka@example.org", "6")).await.unwrap();
}

#[tokio::test]
async fn without_a_domain_owners_are_numbers() {
    let (server, directory) = start(None, true).await;
    let (client, root) = server.mount_root("client").await;
    let file = client.files().create(&root, "file").await.unwrap();
    let named = owned("kafka@example.org", "2001");
    let refused = client.files().setattr(&file.handle, file.stateid, &named).await;
    assert_eq!(status(refused), Status::BadOwner);
    client.files().setattr(&file.handle, file.stateid, &owned("1001", "2001")).await.unwrap();
    assert_eq!(owner(&client, &file.handle).await, ("1001".into(), "2001".into()));
    assert_eq!(directory.questions(), 0);
}

#[tokio::test]
async fn owners_are_given_as_names_where_that_is_configured() {
    let (server, directory) = start(Some("example.org"), true).await;
    let (client, root) = server.mount_root("client").await;
    let file = client.files().create(&root, "file").await.unwrap();
    client.files().setattr(&file.handle, file.stateid, &owned("1001", "2001")).await.unwrap();
    let named = ("kafka@example.org".into(), "brokers@example.org".into());
    assert_eq!(owner(&client, &file.handle).await, named);
    let entries = client.files().readdir(&root).await.unwrap();
    let listed = Attributes::decode(&entries[0].attributes).unwrap();
    assert_eq!((listed.owner.unwrap(), listed.owner_group.unwrap()), named);
    // What was read is the same when it is compared.
    let attributes = Attributes { owner: Some(named.0), ..Attributes::default() }.encode();
    let verify = Operation::Verify(forebay_nfs_proto::xdr::nfs4::VerifyArgs { attributes });
    assert_eq!(on(&client, &file.handle, verify).await.status(), Status::Ok);
    // Who has no name, or none that can be found out, has a number.
    directory.fail(true);
    client.files().setattr(&file.handle, file.stateid, &owned("77", "78")).await.unwrap();
    assert_eq!(owner(&client, &file.handle).await, ("77".into(), "78".into()));
}

async fn change_rule(server: &Daemon, change: RuleChange) {
    let everyone: Clients = "*".parse().unwrap();
    server.shared().policies.rule_modify("default", &everyone, change).await.unwrap();
}

#[tokio::test]
async fn a_rule_takes_groups_from_the_server_however_many_they_are() {
    let (server, directory) = start(None, false).await;
    let (client, top) = server.mount_root("root").await;
    // Only the last of the user's groups may read it.
    let file = client.files().create(&top, "file").await.unwrap();
    let wanted = Attributes { mode: Some(0o640), ..owned("0", "3039") };
    client.files().setattr(&file.handle, file.stateid, &wanted).await.unwrap();
    let mount = async |name: &str, uid| {
        let options = ClientOptions::new(name).user(uid, 100);
        Client::mount(server.address(), options).await.unwrap()
    };
    let (kafka, stranger) = (mount("kafka", 1001).await, mount("stranger", 1002).await);
    let opens = async |client: &Client| {
        let top = root(client).await;
        let how = forebay_nfs_proto::xdr::nfs4::OpenHow::NoCreate;
        let access = forebay_nfs_proto::xdr::nfs4::share::ACCESS_READ;
        let claim = forebay_nfs_proto::xdr::nfs4::OpenClaim::Null(Bytes::from_static(b"file"));
        let args = client.files().open_args("owner", access, how, claim);
        client.files().open_with(&top, args).await.map(|_| ())
    };
    assert_eq!(status(opens(&kafka).await), Status::Access, "the request does not name the group");
    assert_eq!(directory.questions(), 0);
    change_rule(&server, RuleChange { groups: Some(Groups::Server), ..RuleChange::default() }).await;
    opens(&kafka).await.unwrap();
    assert_eq!(status(opens(&stranger).await), Status::Access, "nobody knows him");
    // What changes there is in force when the database is asked again.
    directory.set_user("kafka", 1001, &[3000]);
    opens(&kafka).await.unwrap();
    server.shared().identities.forget();
    assert_eq!(status(opens(&kafka).await), Status::Access);
    directory.set_user("kafka", 1001, &[3039]);
    // Nobody is let in, or kept out, by a database that fails.
    server.shared().identities.forget();
    directory.fail(true);
    assert_eq!(status(opens(&kafka).await), Status::Delay);
    // Whom the rule takes for somebody else is not looked up.
    change_rule(&server, RuleChange { squash: Some(Squash::All), ..RuleChange::default() }).await;
    assert_eq!(status(opens(&kafka).await), Status::Access);
    change_rule(
        &server,
        RuleChange { groups: Some(Groups::Client), squash: Some(Squash::None), ..RuleChange::default() },
    )
    .await;
    assert_eq!(status(opens(&kafka).await), Status::Access);
}
