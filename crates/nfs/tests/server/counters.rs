//! What the server says that it did is what clients had it do.

use bytes::Bytes;
use forebay_nfs::NfsCounters;
use forebay_nfs::policy::Rule;
use forebay_nfs::statistics::{StatusClass, VolumeTraffic};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{OpCode, OpenClaim, OpenHow, Operation, StableHow, share};
use forebay_pool::VolumeId;

use crate::harness::{Daemon, LEASE, eventually, on, root, status, volume};

fn counters(daemon: &Daemon) -> NfsCounters {
    daemon.shared().counters()
}

fn traffic(daemon: &Daemon, name: &str) -> VolumeTraffic {
    let id = volume_id(daemon, name);
    counters(daemon).volumes.get(&id).cloned().unwrap_or_default()
}

fn volume_id(daemon: &Daemon, name: &str) -> VolumeId {
    daemon.pool().volume(name).expect("the volume").id
}

#[tokio::test]
async fn traffic_counts_for_the_volume_it_is_of_and_a_snapshots_for_its_volume() {
    let daemon = Daemon::start().await;
    daemon.pool().volume_create(volume("other", true)).await.expect("a volume");
    let (client, kafka) = daemon.mount_root("client").await;
    let files = client.files();
    let file = files.create(&kafka, "log").await.expect("a file");
    for round in 0..3 {
        files
            .write(&file, round * 100, Bytes::from_static(&[7; 100]), StableHow::Unstable)
            .await
            .expect("written");
    }
    files.read(&file, 0, 250).await.expect("read");
    let kafka_traffic = traffic(&daemon, "kafka");
    assert_eq!((kafka_traffic.written.bytes, kafka_traffic.written.times.count()), (300, 3));
    assert_eq!((kafka_traffic.read.bytes, kafka_traffic.read.times.count()), (250, 1));
    assert_eq!(traffic(&daemon, "other"), VolumeTraffic::default());

    daemon.pool().snapshot_create(&["kafka".to_owned()], "monday").await.expect("a snapshot");
    let shown = files.resolve("/kafka/.snapshot/monday").await.expect("the snapshot");
    let claim = OpenClaim::Null(Bytes::from_static(b"log"));
    let args = files.open_args("reader", share::ACCESS_READ, OpenHow::NoCreate, claim);
    let old = files.open_with(&shown, args).await.expect("the file in it");
    files.read(&old, 0, 50).await.expect("read");
    let with_snapshot = traffic(&daemon, "kafka");
    assert_eq!((with_snapshot.read.bytes, with_snapshot.read.times.count()), (300, 2));
    files.close(&old).await.expect("closed");
    daemon.pool().snapshot_delete("kafka", "monday").await.expect("deleted");
    assert_eq!(traffic(&daemon, "kafka"), with_snapshot, "a deleted snapshot takes nothing with it");
}

#[tokio::test]
async fn clients_connections_and_what_they_have_are_counted() {
    let daemon = Daemon::start().await;
    let (client, kafka) = daemon.mount_root("client").await;
    let silent = daemon.mount("silent").await;
    let directory = root(&silent).await;
    silent.files().create(&directory, "held").await.expect("a file");
    let file = client.files().create(&kafka, "log").await.expect("a file");
    let counted = counters(&daemon);
    assert_eq!((counted.census.confirmed, counted.census.opens, counted.sessions), (2, 2, 2));
    assert!(counted.events.connections >= 2 && counted.grace.is_none());
    daemon.expire_all_but(&[&client]).await;
    daemon.pass(LEASE / 4).await;
    client.renew().await.expect("its lease is good");
    let counted = counters(&daemon);
    assert_eq!((counted.census.confirmed, counted.census.courteous), (1, 1));
    client.files().close(&file).await.expect("closed");
    assert_eq!(counters(&daemon).census.opens, 1);
    let accepted = counted.events.connections_accepted;
    drop((client, silent));
    eventually("connections are gone", async || counters(&daemon).events.connections == 0).await;
    assert_eq!(counters(&daemon).events.connections_accepted, accepted);
}

#[tokio::test]
async fn what_fails_is_counted_by_class_and_what_a_policy_refuses_by_why() {
    let daemon = Daemon::start().await;
    let (client, kafka) = daemon.mount_root("client").await;
    assert_eq!(status(client.files().lookup(&kafka, "nothing").await), Status::NoEnt);
    let lookups = counters(&daemon).operations.into_iter().find(|it| it.operation == Some(OpCode::Lookup));
    let failures = lookups.expect("lookups").failures;
    assert_eq!(
        failures.iter().map(|(status, _)| StatusClass::of(*status)).collect::<Vec<_>>(),
        [StatusClass::NotFound]
    );

    let policies = &daemon.shared().policies;
    policies.create("nobody").await.expect("a policy");
    let elsewhere = "192.0.2.1".parse().expect("an address");
    policies.rule_add("nobody", Rule::new(elsewhere), None).await.expect("a rule");
    policies.assign("kafka", "nobody").await.expect("the volume has it");
    let refused = on(&client, &kafka, Operation::Readlink(())).await;
    assert_eq!(refused.status(), Status::Access);
    assert_eq!(counters(&daemon).events.refused.hidden, 1);
}
