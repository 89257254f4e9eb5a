//! What-if, clean-up, cost, and exact figures on demand.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use forebay_kafka::Report;
use forebay_kafka::cleanup::{Why, leftovers};
use forebay_kafka::cost::{GroupBy, costs};
use forebay_kafka::exact::exact;
use forebay_kafka::scan::{Options, scan};
use forebay_kafka::what_if::{Answer, Change, what_if};

use crate::common::*;

const DAY: Duration = Duration::from_secs(86_400);

async fn report(cluster: &Cluster) -> Report {
    scan(&cluster.pool, Options::default()).await.unwrap()
}

async fn ask(cluster: &Cluster, changes: &[Change]) -> Answer {
    let report = report(cluster).await;
    let of = (Arc::new(report), CLUSTER.to_owned());
    what_if(&cluster.pool, of, changes.to_vec(), Arc::default()).await.unwrap()
}

fn is_about(bytes: u64, blocks: usize) -> bool {
    (blocks * BLOCK..=blocks * BLOCK + 1000 * blocks).contains(&(bytes as usize))
}

#[tokio::test]
async fn deleting_a_topic_returns_what_it_was_said_to_return() {
    let (cluster, brokers) = Cluster::with_brokers().await;
    let answer = ask(&cluster, &[Change::Delete { topic: "old-*".into() }]).await;
    assert!(is_about(answer.together.bytes_returned, 4), "{answer:?}");
    assert_eq!(answer.together.bytes_in_files, 12 * BLOCK as u64);
    let before = cluster.pool.stored().unwrap();
    for broker in brokers {
        let name = format!("old-events-0.{ID}-delete");
        let replica = cluster.pool.lookup(broker, name.as_bytes()).await.unwrap().handle;
        for file in ["00000000000000000000.log", "00000000000000000000.index"] {
            cluster.pool.remove(replica, file.as_bytes()).await.unwrap();
        }
    }
    cluster.pool.settle().await.unwrap();
    let after = cluster.pool.stored().unwrap();
    let freed = before.bytes_live + before.bytes_inline - after.bytes_live - after.bytes_inline;
    assert_eq!(freed, answer.together.bytes_returned);
}

#[tokio::test]
async fn fewer_replicas_return_next_to_nothing_and_shorter_retention_returns_old_segments() {
    let (cluster, brokers) = Cluster::with_brokers().await;
    let fewer = ask(&cluster, &[Change::Factor { topic: "orders".into(), replicas: 2 }]).await;
    // Of the third replicas only the rebuilt one has bytes of its own.
    assert!(is_about(fewer.together.bytes_returned, 6), "{fewer:?}");
    let retain = Change::Retain { topic: "orders".into(), age: 3 * DAY };
    let young = ask(&cluster, std::slice::from_ref(&retain)).await;
    assert_eq!((young.together.files, young.together.bytes_returned), (0, 0));
    for broker in brokers {
        let replica = cluster.pool.lookup(broker, b"orders-0").await.unwrap().handle;
        for file in ["00000000000000000000.log", "00000000000000009000.log"] {
            cluster.age(replica, file, SystemTime::now() - 4 * DAY).await;
        }
    }
    let old = ask(&cluster, std::slice::from_ref(&retain)).await;
    // The newest segment stays, however old it is.
    assert_eq!(old.together.files, 6);
    assert!(is_about(old.together.bytes_returned, 7), "{old:?}");
    let compacted = ask(&cluster, &[Change::Retain { topic: "__*".into(), age: DAY }, retain]).await;
    assert!(compacted.changes[0].notes[0].contains("is compacted") && compacted.changes[0].files == 0);
    assert_eq!(compacted.together.bytes_returned, old.together.bytes_returned);
    let none = ask(&cluster, &[Change::Delete { topic: "nothing".into() }]).await;
    assert_eq!(none.together.notes, ["no topic is named nothing"]);
}

#[tokio::test]
async fn what_a_snapshot_keeps_comes_back_with_it() {
    let (cluster, brokers) = Cluster::with_brokers().await;
    cluster.pool.snapshot_create(&["kafka".into()], "nightly").await.unwrap();
    let delete = Change::Delete { topic: "old-events".into() };
    let held = ask(&cluster, std::slice::from_ref(&delete)).await.together;
    assert!(held.bytes_returned == 0 && is_about(held.bytes_held, 4), "{held:?}");
    for broker in brokers {
        let name = format!("old-events-0.{ID}-delete");
        let replica = cluster.pool.lookup(broker, name.as_bytes()).await.unwrap().handle;
        cluster.pool.remove(replica, b"00000000000000000000.log").await.unwrap();
    }
    cluster.pool.settle().await.unwrap();
    let snapshot = |name: &str| Change::Snapshot { volume: "kafka".into(), snapshot: name.into() };
    let answer = ask(&cluster, &[snapshot("nightly")]).await.together;
    let before = cluster.pool.stored().unwrap().bytes_live;
    cluster.pool.snapshot_delete("kafka", "nightly").await.unwrap();
    cluster.pool.settle().await.unwrap();
    let freed = before - cluster.pool.stored().unwrap().bytes_live;
    assert!(freed > 0 && freed == answer.bytes_returned, "{freed}: {answer:?}");
    let wrong = ask(&cluster, &[snapshot("weekly")]).await;
    assert_eq!(wrong.together.notes, ["volume kafka has no snapshot weekly"]);
}

#[tokio::test]
async fn exact_figures_are_those_of_a_report_that_counted_everything() {
    let (cluster, _) = Cluster::with_brokers().await;
    let report = report(&cluster).await;
    let options = Options { sample_bits: Some(4), ..Options::default() };
    let sampled = scan(&cluster.pool, options).await.unwrap();
    for (name, topic) in &report.clusters[0].topics {
        let from = &sampled.clusters[0].topics[name];
        let found = exact(&cluster.pool, from, Arc::default()).await.unwrap();
        assert_eq!((found.figures, found.sample_bits), (topic.figures, 0), "{name}");
        let shared = |topic: &forebay_kafka::report::Topic| -> Vec<_> {
            topic.replicas().map(|one| one.shared_permille).collect()
        };
        assert_eq!(shared(&found), shared(topic), "{name}");
    }
}

#[tokio::test]
async fn directories_that_stay_and_log_directories_without_a_broker_could_go() {
    let (cluster, brokers) = Cluster::with_brokers().await;
    cluster.replica(brokers[0], &format!("lost-3.{ID}-stray"), &[(0, &random(9, BLOCK))]).await;
    let report = report(&cluster).await;
    let at = |after: Duration, locked: bool| -> Vec<_> {
        let found = leftovers(&report, SystemTime::now() + after, Duration::from_secs(3600), &|_| locked);
        found.into_iter().map(|one| (one.why, one.node.unwrap(), one.path)).collect()
    };
    let stray = (Why::Stray, 1, format!("/kafka/broker-1/lost-3.{ID}-stray"));
    assert_eq!(at(Duration::ZERO, true), std::slice::from_ref(&stray));
    assert_eq!(at(Duration::from_secs(3500), true), std::slice::from_ref(&stray));
    let later = at(Duration::from_secs(3600), true);
    assert_eq!(later.len(), 4);
    assert!(later.iter().filter(|one| one.0 == Why::Deleted).count() == 3 && later.contains(&stray));
    let abandoned = at(4 * DAY, false);
    assert_eq!(abandoned.iter().filter(|one| one.0 == Why::Abandoned).count(), 3);
}

#[tokio::test]
async fn costs_by_prefix_are_those_of_the_topics() {
    let (cluster, _) = Cluster::with_brokers().await;
    let report = report(&cluster).await;
    let found = &report.clusters[0];
    let by = |group| costs(found, group);
    let names: Vec<_> = by(GroupBy::Prefix).into_iter().map(|row| (row.name, row.topics)).collect();
    assert_eq!(names, [("orders".to_owned(), 1), ("__".to_owned(), 1), ("old".to_owned(), 1)]);
    let sum =
        |rows: Vec<forebay_kafka::cost::Cost>| rows.iter().map(|row| row.figures.bytes_stored).sum::<u64>();
    assert_eq!(
        (sum(by(GroupBy::Prefix)), sum(by(GroupBy::Topic))),
        (found.figures().bytes_stored, found.figures().bytes_stored)
    );
}
