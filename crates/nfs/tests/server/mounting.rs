//! The way from the server's root to the volumes, and filehandles that clients made up.

use std::collections::BTreeSet;

use bytes::Bytes;
use forebay_nfs_client::{Client, FileHandle, OpenFile};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{
    LookupArgs, Operation, OperationResult, RemoveArgs, SecinfoArgs, SecinfoNoNameArgs, SecinfoStyle,
    SecurityFlavor, attribute,
};

use forebay_pool::BucketSpec;

use crate::attributes::value;
use crate::harness::{Daemon, VOLUME, on, put, root, status, volume};

async fn names(client: &Client, directory: &FileHandle) -> BTreeSet<Bytes> {
    let entries = client.files().readdir(directory).await.expect("it is listed");
    entries.into_iter().map(|entry| entry.name).collect()
}

fn set(names: &[&'static str]) -> BTreeSet<Bytes> {
    names.iter().map(|name| Bytes::from_static(name.as_bytes())).collect()
}

#[tokio::test]
async fn only_paths_of_volumes_exist() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let files = client.files();
    files.resolve(VOLUME).await.expect("the volume");
    for path in ["/nothing", "/kafka/nothing", "/kafka2", "/kafk"] {
        assert_eq!(status(files.resolve(path).await), Status::NoEnt, "{path}");
    }
}

#[tokio::test]
async fn volumes_appear_and_disappear_while_clients_look() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let files = client.files();
    let top = files.resolve("/").await.expect("the root");
    assert_eq!(names(&client, &top).await, set(&["kafka"]));
    let before = value::<u64>(&client, &top, attribute::CHANGE).await;

    let mut logs = volume("logs", true);
    logs.junction_path = "/data/a/logs".to_string();
    daemon.pool().volume_create(logs).await.expect("a volume");
    assert_eq!(names(&client, &top).await, set(&["kafka", "data"]));
    let data = files.resolve("/data/a").await.expect("the way there");
    assert_eq!(names(&client, &data).await, set(&["logs"]));
    let logs = files.resolve("/data/a/logs").await.expect("the volume");
    files.mkdir(&logs, "d").await.expect("a directory in it");
    let between = value::<u64>(&client, &top, attribute::CHANGE).await;
    assert!(between > before);

    daemon.pool().volume_delete("logs", true).await.expect("it is deleted");
    assert_eq!(names(&client, &top).await, set(&["kafka"]));
    assert_eq!(status(files.getattr(&data).await), Status::Stale);
    assert_eq!(status(files.getattr(&logs).await), Status::Stale);
    assert!(value::<u64>(&client, &top, attribute::CHANGE).await > between);
}

#[tokio::test]
async fn a_volume_is_a_file_system_of_its_own_that_covers_its_junction() {
    type Fsid = [u64; 2];
    async fn fsid(client: &Client, handle: &FileHandle) -> Fsid {
        let bytes: [u8; 16] = value(client, handle, attribute::FSID).await;
        let half =
            |range: std::ops::Range<usize>| u64::from_be_bytes(bytes[range].try_into().expect("eight"));
        [half(0..8), half(8..16)]
    }
    let daemon = Daemon::start().await;
    daemon.pool().volume_create(volume("other", true)).await.expect("a volume");
    let client = daemon.mount("client").await;
    let top = client.files().resolve("/").await.expect("the root");
    let kafka = client.files().resolve("/kafka").await.expect("the volume");
    let other = client.files().resolve("/other").await.expect("the volume");
    let inside = client.files().mkdir(&kafka, "d").await.expect("a directory");
    let fsids =
        BTreeSet::from([fsid(&client, &top).await, fsid(&client, &kafka).await, fsid(&client, &other).await]);
    assert_eq!(fsids.len(), 3);
    assert_eq!(fsid(&client, &inside).await, fsid(&client, &kafka).await);

    let fileid: u64 = value(&client, &kafka, attribute::FILEID).await;
    let covered: u64 = value(&client, &kafka, attribute::MOUNTED_ON_FILEID).await;
    assert_ne!(fileid, covered);
    let inside_id: u64 = value(&client, &inside, attribute::FILEID).await;
    assert_eq!(value::<u64>(&client, &inside, attribute::MOUNTED_ON_FILEID).await, inside_id);

    assert_eq!(status(client.files().rename(&kafka, "d", &other, "d").await), Status::XDev);
}

#[tokio::test]
async fn lookupp_leads_back_to_the_root() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let top = client.files().resolve("/").await.expect("the root");
    let kafka = root(&client).await;
    let inside = client.files().mkdir(&kafka, "d").await.expect("a directory");
    let above = async |handle: &FileHandle| {
        let operations = [put(handle), Operation::Lookupp(()), Operation::Getfh(())];
        match client.try_compound(operations).await.expect("an answer").results.pop() {
            Some(OperationResult::Getfh(Ok(result))) => Ok(result.object),
            Some(other) => Err(other.status()),
            None => panic!("no result"),
        }
    };
    assert_eq!(above(&inside).await, Ok(kafka.clone()));
    assert_eq!(above(&kafka).await, Ok(top.clone()));
    assert_eq!(above(&top).await, Err(Status::NoEnt));
    let file = client.files().create(&kafka, "f").await.expect("a file");
    assert_eq!(above(&file.handle).await, Err(Status::NotDir));
}

#[tokio::test]
async fn directories_above_the_volumes_are_read_only() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let files = client.files();
    let top = files.resolve("/").await.expect("the root");
    assert_eq!(status(files.mkdir(&top, "new").await), Status::RoFs);
    assert_eq!(status(files.create(&top, "new").await), Status::RoFs);
    assert_eq!(status(files.remove(&top, "kafka").await), Status::RoFs);
    assert_eq!(status(files.rename(&top, "kafka", &top, "new").await), Status::RoFs);
    let mode = forebay_nfs_client::Attributes::mode(0o777);
    let stateid = forebay_nfs_proto::xdr::nfs4::StateId::ANONYMOUS;
    assert_eq!(status(files.setattr(&top, stateid, &mode).await), Status::RoFs);
}

#[tokio::test]
async fn secinfo_offers_what_there_is_and_consumes_the_filehandle() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let top = client.files().resolve("/").await.expect("the root");
    let by_name =
        |name: &'static str| Operation::Secinfo(SecinfoArgs { name: Bytes::from_static(name.as_bytes()) });
    let of_current = Operation::SecinfoNoName(SecinfoNoNameArgs { style: SecinfoStyle::CurrentFh });
    for operation in [by_name("kafka"), of_current] {
        let reply =
            client.try_compound([put(&top), operation, Operation::Getfh(())]).await.expect("an answer");
        let flavors = reply.results.iter().find_map(|result| match result {
            OperationResult::Secinfo(Ok(result)) | OperationResult::SecinfoNoName(Ok(result)) => {
                Some(&result.flavors)
            }
            _ => None,
        });
        assert_eq!(flavors.and_then(|flavors| flavors.first()), Some(&SecurityFlavor::AuthSys));
        assert_eq!(reply.status, Status::NoFileHandle);
    }
    assert_eq!(on(&client, &top, by_name("nothing")).await.status(), Status::NoEnt);
    let parent = Operation::SecinfoNoName(SecinfoNoNameArgs { style: SecinfoStyle::Parent });
    assert_eq!(on(&client, &top, parent).await.status(), Status::NoEnt);
}

#[tokio::test]
async fn filehandles_that_the_server_did_not_make_are_refused() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let kafka = root(&client).await;
    let open = client.files().create(&kafka, "f").await.expect("a file");
    client.files().close(&open).await.expect("it is closed");
    let file = open.handle;
    let use_it = async |handle: &[u8]| {
        let handle = Bytes::copy_from_slice(handle);
        client.try_compound([put(&handle), Operation::Getfh(())]).await.expect("an answer").status
    };
    assert_eq!(use_it(b"").await, Status::BadHandle);
    assert_eq!(use_it(&[0xff; 128]).await, Status::BadHandle);
    assert_eq!(use_it(&file[..file.len() - 1]).await, Status::BadHandle);
    let mut of_another_pool = file.to_vec();
    of_another_pool[2] ^= 1;
    assert_eq!(use_it(&of_another_pool).await, Status::Stale);

    let mut guessed = file.to_vec();
    if let Some(last) = guessed.last_mut() {
        *last ^= 1;
    }
    assert_eq!(
        status(client.files().getattr(&guessed.into()).await),
        Status::Stale,
        "the generation is wrong"
    );
    let lookup = Operation::Lookup(LookupArgs { name: Bytes::from_static(b"x") });
    assert_eq!(on(&client, &file, lookup).await.status(), Status::NotDir);
    let remove = Operation::Remove(RemoveArgs { target: Bytes::from_static(b"f") });
    assert_eq!(on(&client, &kafka, remove).await.status(), Status::Ok);
    daemon.wait_until_no_orphan().await;
    assert_eq!(status(client.files().getattr(&file).await), Status::Stale);
}

/// A path may be mounted again after the server comes back: the handles are the same.
#[tokio::test]
async fn filehandles_outlive_the_server() {
    let mut daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let top = client.files().resolve("/").await.expect("the root");
    let directory = client.files().mkdir(&root(&client).await, "d").await.expect("a directory");
    let change = value::<u64>(&client, &top, attribute::CHANGE).await;
    daemon.restart().await;
    let client = daemon.mount("other").await;
    assert_eq!(client.files().resolve("/").await.expect("the root"), top);
    assert_eq!(client.files().resolve("/kafka/d").await.expect("the directory"), directory);
    client.files().getattr(&directory).await.expect("it is still there");
    assert!(value::<u64>(&client, &top, attribute::CHANGE).await > change);
}

#[tokio::test]
async fn no_filehandle_reaches_the_content_of_a_bucket() {
    let daemon = Daemon::start().await;
    let client = daemon.mount("client").await;
    let kafka = root(&client).await;
    let open = client.files().create(&kafka, "f").await.expect("a file");
    let pool = daemon.pool();
    let bucket = pool.bucket_create(BucketSpec::new("bucket"), |_| Ok(())).await.expect("a bucket");
    let draft = pool.draft_create(bucket.id).await.expect("a draft");
    // Everything about it is right, as if somebody had guessed the generation.
    let content = draft.handle();
    let mut forged = open.handle[..18].to_vec();
    forged.extend_from_slice(&content.volume.0.to_be_bytes());
    forged.extend_from_slice(&content.inode.0.to_be_bytes());
    forged.extend_from_slice(&content.generation.to_be_bytes());
    let forged = FileHandle::from(forged);
    assert_eq!(status(client.files().getattr(&forged).await), Status::Stale);
    let forged = OpenFile { handle: forged, ..open };
    assert_eq!(status(client.files().read(&forged, 0, 16).await), Status::Stale);
}
