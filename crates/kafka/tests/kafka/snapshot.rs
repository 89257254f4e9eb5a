//! What a snapshot has of Kafka.

use forebay_kafka::layout::State;
use forebay_kafka::snapshot::{SnapshotTopic, find, replicas};
use forebay_pool::*;

use crate::common::*;

async fn taken(cluster: &Cluster) -> Handle {
    cluster.pool.snapshot_create(&["kafka".into()], "nightly").await.unwrap();
    cluster.pool.snapshot("kafka", "nightly").unwrap().root
}

#[tokio::test]
async fn a_snapshot_has_the_topics_and_offsets_of_its_instant() {
    let (cluster, brokers) = Cluster::with_brokers().await;
    let root = taken(&cluster).await;
    // Afterwards a segment goes, another begins, and a topic is created.
    let replica = cluster.pool.lookup(brokers[0], b"orders-0").await.unwrap().handle;
    cluster.pool.remove(replica, b"00000000000000000000.log").await.unwrap();
    cluster.file(replica, "00000000000000020000.log", &random(60, BLOCK)).await;
    cluster.replica(brokers[0], "later-0", &[(0, b"records")]).await;

    let found = find(&cluster.pool, root).await.unwrap();
    assert_eq!(found.problems, Vec::<String>::new());
    let topics = found.topics();
    let names: Vec<_> = topics.keys().map(|(cluster, topic)| (*cluster, *topic)).collect();
    assert_eq!(names, [(CLUSTER, "__consumer_offsets"), (CLUSTER, "old-events"), (CLUSTER, "orders")]);
    assert_eq!(topics[&(CLUSTER, "orders")], SnapshotTopic { partitions: 2, replicas: 6 });

    let (all, total) = replicas(&cluster.pool, &found, "orders", 100).await.unwrap();
    assert_eq!(total, 6);
    let places: Vec<_> = all.iter().map(|one| (one.partition, one.node, one.path.as_str())).collect();
    assert_eq!(places[2..4], [(0, Some(3), "broker-3/orders-0"), (1, Some(1), "broker-1/orders-1")]);
    let first = &all[0];
    assert_eq!((first.segments, first.offset_start, first.offset_last_segment), (2, 0, 9000));
    assert_eq!((first.high_watermark, first.last_segment_bytes), (Some(9500), 5 * BLOCK as u64));
    assert_eq!(first.bytes_in_files, 12 * BLOCK as u64);
    assert_eq!((all[5].offset_start, all[5].node), (3500, Some(3)), "the rebuilt replica");
    // The path leads to what can be copied.
    let broker = cluster.pool.lookup(root, b"broker-1").await.unwrap().handle;
    let copied = cluster.pool.lookup(broker, b"orders-0").await.unwrap().handle;
    let segment = cluster.pool.lookup(copied, b"00000000000000000000.log").await.unwrap().handle;
    let read = cluster.pool.read(segment, 0, 100).await.unwrap();
    assert_eq!(read.pieces[0][..100], random(1, 12 * BLOCK)[..100]);

    let (few, total) = replicas(&cluster.pool, &found, "orders", 1).await.unwrap();
    assert_eq!((few.len(), total), (1, 6));
    let (deleted, _) = replicas(&cluster.pool, &found, "old-events", 10).await.unwrap();
    assert!(deleted.iter().all(|one| one.state == State::Deleted && one.high_watermark.is_none()));
    assert_eq!(replicas(&cluster.pool, &found, "nothing", 10).await.unwrap(), (Vec::new(), 0));
}

#[tokio::test]
async fn what_only_looks_like_kafka_is_not_shown() {
    let cluster = Cluster::new().await;
    cluster.replica(cluster.root, "orders-0", &[(0, b"no log directory above it")]).await;
    let fake = cluster.directory(cluster.root, "fake").await;
    cluster.file(fake, "meta.properties", &random(2, 100_000)).await;
    cluster.replica(fake, "orders-0", &[(0, b"records")]).await;
    let deep = cluster.directory(cluster.root, "deep").await;
    let broker = cluster.broker_at(deep, "data", "c", 1).await;
    cluster.file(broker, "replication-offset-checkpoint", b"0\n3\nt 0 95").await;
    cluster.file(broker, "file-0", b"not a directory").await;
    let replica = cluster.replica(broker, "t-0", &[(7, b"")]).await;
    cluster.file(replica, "9.log", b"short name").await;
    cluster.directory(replica, "00000000000000000099.log").await;
    let root = taken(&cluster).await;
    let found = find(&cluster.pool, root).await.unwrap();
    assert_eq!(found.topics().into_keys().collect::<Vec<_>>(), [("c", "t")]);
    let (all, _) = replicas(&cluster.pool, &found, "t", 10).await.unwrap();
    let [one] = &all[..] else { panic!("{all:?}") };
    assert_eq!((one.path.as_str(), one.high_watermark), ("deep/data/t-0", None));
    assert_eq!((one.offset_start, one.offset_last_segment, one.last_segment_bytes), (7, 7, 0));
}
