//! How far the figures of a sample are from exact ones.
//!
//! Each chunk is a few kilobytes between holes, so that as many chunks as a sample needs are cheap. Names of chunks depend on the pool's
//! random key, so each run takes another sample. The bounds are at least four standard deviations away.

use bytes::Bytes;
use forebay_kafka::Report;
use forebay_kafka::report::Topic;
use forebay_kafka::scan::{Options, scan};
use forebay_pool::*;

use crate::common::*;

const CHUNKS: u64 = 65_536;
const CHUNK_BYTES: usize = 4096;
/// Writes between two commits.
const COMMIT_EVERY: u64 = 4096;
const LOG: &str = "00000000000000000000.log";
const DISTANCE: u64 = BLOCK as u64;

/// Writes chunks that no other file has.
async fn write(cluster: &Cluster, file: Handle, seed: u64, chunks: std::ops::Range<u64>) {
    for number in chunks {
        let content = Bytes::from(random(seed << 32 | number, CHUNK_BYTES));
        cluster.pool.write(file, number * DISTANCE, content, Stability::Unstable).await.unwrap();
        if number % COMMIT_EVERY == COMMIT_EVERY - 1 {
            cluster.pool.commit(file, 0, 0).await.unwrap();
        }
    }
    cluster.pool.commit(file, 0, 0).await.unwrap();
}

/// Replicas of one partition at three brokers: the first is written, and the others share its chunks.
async fn replicas(cluster: &Cluster, brokers: &[Handle], topic: &str, seed: u64) -> Vec<Handle> {
    let mut logs = Vec::new();
    for broker in brokers {
        let replica = cluster.directory(*broker, &format!("{topic}-0")).await;
        logs.push(cluster.file(replica, LOG, b"").await);
    }
    write(cluster, logs[0], seed, 0..CHUNKS).await;
    for log in &logs[1..] {
        cluster.pool.clone_range((logs[0], 0), (*log, 0), None).await.unwrap();
    }
    logs
}

/// The figures of a topic, as names and values.
fn figures(topic: &Topic) -> Vec<(String, f64)> {
    let mut figures = vec![
        ("stored".to_owned(), topic.figures.bytes_stored as f64),
        ("returned".to_owned(), topic.figures.bytes_exclusive as f64),
    ];
    for (number, replica) in topic.replicas().enumerate() {
        let shared = f64::from(replica.shared_permille.unwrap());
        figures.push((format!("share of replica {}", number + 1), shared));
        figures.push((format!("stored for replica {}", number + 1), replica.figures.bytes_stored as f64));
    }
    figures
}

/// The largest deviation from the exact figures, as a fraction.
fn worst(exact: &Report, sampled: &Report, one_in: u32) -> f64 {
    let mut worst = 0.0_f64;
    for (name, topic) in &exact.clusters[0].topics {
        let found = &sampled.clusters[0].topics[name];
        for ((what, value), (_, found)) in figures(topic).into_iter().zip(figures(found)) {
            let error = found / value - 1.0;
            println!("1 chunk in {one_in}: {name}, {what}: {:+.2} %", error * 100.0);
            worst = worst.max(error.abs());
        }
    }
    worst
}

#[tokio::test]
async fn figures_are_within_two_percent_with_32768_chunks_in_the_sample_and_four_with_16384() {
    let cluster = Cluster::new().await;
    let brokers = [cluster.broker(1).await, cluster.broker(2).await, cluster.broker(3).await];
    replicas(&cluster, &brokers, "shared", 1).await;
    // The third replica has other bytes from its middle on.
    let rebuilt = replicas(&cluster, &brokers, "rebuilt", 2).await;
    write(&cluster, rebuilt[2], 3, CHUNKS / 2..CHUNKS).await;
    // A file outside has a third of the chunks too, so that a deletion of the topic does not return them.
    let copied = replicas(&cluster, &brokers, "copied", 4).await;
    let copy = cluster.file(cluster.root, "copy", b"").await;
    cluster.pool.clone_range((copied[0], 0), (copy, 0), Some(CHUNKS / 3 * DISTANCE)).await.unwrap();
    cluster.pool.settle().await.unwrap();

    let exact = scan(&cluster.pool, Options::default()).await.unwrap();
    let topics = &exact.clusters[0].topics;
    assert_eq!((exact.sample_bits, exact.bytes_stored()), (0, exact.bytes_total));
    let stored = |name: &str| topics[name].figures.bytes_stored;
    // Each chunk is stored once, with a header.
    let chunks = stored("shared") / (CHUNK_BYTES as u64 + 1);
    assert!((CHUNKS..CHUNKS + CHUNKS / 20).contains(&chunks), "{chunks}");
    assert!(stored("rebuilt") > stored("shared") / 5 * 7 && stored("copied") < stored("shared"));
    assert!(topics["copied"].figures.bytes_exclusive < stored("copied"));
    let shared: Vec<_> = topics["rebuilt"].replicas().map(|one| one.shared_permille.unwrap()).collect();
    assert_eq!(shared, [1000, 1000, 500]);

    for (bits, bound) in [(1, 0.02), (2, 0.04)] {
        let options = Options { sample_bits: Some(bits), ..Options::default() };
        let sampled = scan(&cluster.pool, options).await.unwrap();
        assert_eq!((sampled.sample_bits, sampled.bytes_stored()), (bits, sampled.bytes_total));
        assert!(sampled.clusters[0].topics.values().all(|topic| topic.sample_bits == bits));
        let worst = worst(&exact, &sampled, 1 << bits);
        println!("1 chunk in {}: {:.2} % at worst", 1 << bits, worst * 100.0);
        assert!(worst < bound, "1 chunk in {}: {:.2} %", 1 << bits, worst * 100.0);
    }
}
