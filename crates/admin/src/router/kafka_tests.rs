//! Kafka over the API: many partitions, pages, and what is refused.

use std::time::{Duration, Instant};

use axum::body::Bytes;
use forebay_pool::{Handle, Kind, NewInode, Pool, Stability, VolumeSpec};
use serde_json::{Value, json};

use super::s3_tests::{Answer, Caller};

const READER: &str = "read-only";

async fn make(pool: &Pool, parent: Handle, name: &str, kind: Kind) -> Handle {
    let new = NewInode::new(kind, 0o755);
    pool.create(parent, name.as_bytes(), new).await.unwrap().attributes.handle
}

async fn file(pool: &Pool, parent: Handle, name: &str, content: &[u8]) {
    let file = make(pool, parent, name, Kind::File).await;
    pool.write(file, 0, Bytes::copy_from_slice(content), Stability::Unstable).await.unwrap();
}

/// Brokers with so many replicas of topics of ten partitions.
async fn brokers(pool: &Pool, brokers: u32, replicas: usize) {
    let root = pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.unwrap().root;
    let mut making = tokio::task::JoinSet::new();
    for node in 0..brokers {
        let directory = make(pool, root, &format!("broker-{node}"), Kind::Directory).await;
        file(pool, directory, "meta.properties", format!("cluster.id=c\nnode.id={node}\n").as_bytes()).await;
        for part in 0..16 {
            let pool = pool.clone();
            making.spawn(async move {
                for number in (part..replicas).step_by(16) {
                    let name = format!("team-{}.topic-{}-{}", number / 10 % 97, number / 10, number % 10);
                    let replica = make(&pool, directory, &name, Kind::Directory).await;
                    file(&pool, replica, "00000000000000000000.log", name.as_bytes()).await;
                }
            });
        }
    }
    while making.join_next().await.is_some() {}
}

async fn get(caller: &Caller, path: &str) -> (Answer, Duration) {
    let started = Instant::now();
    let answer = caller.ask(READER, "GET", path, None).await;
    (answer, started.elapsed())
}

/// Makes the replicas, and asks for pages. No page may take a second.
async fn pages_of(replicas: usize) {
    let caller = Caller::new(false).await;
    let api = caller.api().clone();
    assert_eq!(get(&caller, "/kafka/clusters").await.0.code(), "kafka_report_missing");
    brokers(&api.service.pool, 2, replicas).await;
    let started = Instant::now();
    api.kafka.scan().await;
    let scanned = started.elapsed();
    let topics = replicas.div_ceil(10);
    let (all, _) = get(&caller, "/kafka/clusters").await;
    let seen = |field: &str| all.body["items"][0][field].as_u64().unwrap() as usize;
    assert_eq!((seen("partitions"), seen("replicas")), (replicas, 2 * replicas), "{all:?}");
    let mut slowest = Duration::ZERO;
    for path in [
        "/kafka/clusters",
        "/kafka/clusters/c/brokers",
        "/kafka/clusters/c/topics?sort=stored&limit=500",
        "/kafka/clusters/c/topics?sort=growth&limit=500&filter=topic-1",
        "/kafka/clusters/c/topics?sort=age&limit=10000",
        "/kafka/clusters/c/topics/team-0.topic-0",
        "/kafka/clusters/c/topics/team-0.topic-0/sharing",
        "/kafka/clusters/c/cost?price=23&group_by=prefix",
        "/kafka/cleanup",
    ] {
        let (answer, took) = get(&caller, path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        assert!(took < Duration::from_secs(1), "{path} took {took:?}");
        slowest = slowest.max(took);
    }
    let (page, _) = get(&caller, "/kafka/clusters/c/topics?sort=name&limit=7").await;
    let total = page.body["total"].as_u64().unwrap() as usize;
    assert!(total >= topics);
    let mut names: Vec<Value> = Vec::new();
    let mut path = "/kafka/clusters/c/topics?sort=name&limit=1000".to_owned();
    loop {
        let (page, _) = get(&caller, &path).await;
        names.extend(page.body["items"].as_array().unwrap().iter().map(|topic| topic["topic"].clone()));
        let Some(next) = page.body["next"].as_str() else { break };
        path = format!("/kafka/clusters/c/topics?sort=name&limit=1000&after={next}");
    }
    assert_eq!(names.len(), total);
    println!("{replicas} partitions: the report took {scanned:?}, the slowest page {slowest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_ten_thousand_partitions_takes_less_than_a_second() {
    pages_of(10_000).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn a_page_of_a_hundred_thousand_partitions_takes_less_than_a_second() {
    pages_of(100_000).await;
}

#[tokio::test]
async fn what_is_not_there_and_what_makes_no_sense_is_refused() {
    let caller = Caller::new(false).await;
    let api = caller.api().clone();
    brokers(&api.service.pool, 1, 10).await;
    api.kafka.scan().await;
    for (path, code) in [
        ("/kafka/clusters/other/topics", "kafka_cluster_not_found"),
        ("/kafka/clusters/c/topics/other", "kafka_topic_not_found"),
        ("/kafka/clusters/c/topics?sort=colour", "bad_request"),
        ("/kafka/clusters/c/topics?limit=0", "bad_request"),
        ("/kafka/clusters/c/topics?colour=red", "bad_request"),
        ("/kafka/clusters/c/cost?price=-1", "bad_request"),
        ("/kafka/clusters/c/cost?price=NaN", "bad_request"),
    ] {
        assert_eq!(get(&caller, path).await.0.code(), code, "{path}");
    }
    let ask = async |changes: Value| {
        caller.ask(READER, "POST", "/kafka/clusters/c/what-if", Some(json!({ "changes": changes }))).await
    };
    let answer =
        ask(json!([{ "kind": "delete", "topic": "*" }, { "kind": "retain", "topic": "x", "seconds": 5 }]))
            .await;
    assert_eq!(answer.body["changes"][0]["files"], 10, "{answer:?}");
    assert_eq!(answer.body["changes"][1]["notes"][0], "no topic is named x");
    assert_eq!(ask(json!([])).await.code(), "bad_request");
    assert_eq!(ask(json!([{ "kind": "delete" }])).await.code(), "bad_request");
}
