//! Kafka over the API: many partitions, pages, and what is refused.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use forebay_pool::{Handle, Kind, NewInode, Permit, Pool, SetAttributes, SetTime, Stability, VolumeSpec};
use forebay_service::disk::{Place, to_line};
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
        "/kafka/clusters/c/topics?sort=grown&limit=10000",
        "/kafka/clusters/c/topics?sort=age&limit=10000",
        "/kafka/clusters/c/topics?sort=peers&limit=10000",
        "/kafka/clusters/c/history",
        "/kafka/clusters/c/topics/team-0.topic-0/history",
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
        ("/kafka/clusters/c/topics/other/history", "kafka_topic_not_found"),
        ("/kafka/clusters/other/history", "kafka_cluster_not_found"),
        ("/volumes/kafka/snapshots/other/topics", "snapshot_not_found"),
        ("/volumes/other/snapshots/other/topics/orders", "volume_not_found"),
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

const DAY: u64 = 86_400;
const MIB: u64 = 1 << 20;

/// A broker with a replica of `orders` that begins at an offset, and whose oldest segment has an age in days.
async fn orders(pool: &Pool, root: Handle, node: u32, (base, days): (u64, u64)) -> Handle {
    let directory = make(pool, root, &format!("broker-{node}"), Kind::Directory).await;
    file(pool, directory, "meta.properties", format!("cluster.id=c\nnode.id={node}\n").as_bytes()).await;
    let replica = make(pool, directory, "orders-0", Kind::Directory).await;
    let name = format!("{base:020}.log");
    file(pool, replica, &name, &vec![node as u8; MIB as usize]).await;
    let mtime = SystemTime::now() - Duration::from_secs(days * DAY);
    let set = SetAttributes { mtime: Some(SetTime::To(mtime)), ..SetAttributes::default() };
    let log = pool.lookup(replica, name.as_bytes()).await.unwrap().handle;
    pool.setattr(log, set).await.unwrap();
    file(pool, replica, "00000000000000009000.log", b"records").await;
    log
}

/// Days before today on which `orders` grew by 100 MiB a day, as an earlier run of the daemon has left them.
fn earlier_days(folder: &std::path::Path, today: u64) {
    let row = |day: u64| {
        let bytes = (10 + day - (today - 20)) * 100 * MIB;
        json!([day * DAY + DAY / 2, 1, bytes, bytes / 3, bytes / 4, null])
    };
    let rows: Vec<Value> = (today - 20..today).map(row).collect();
    let line = to_line(&json!({ "cluster": "c", "topic": "orders", "rows": rows }));
    let gone =
        to_line(&json!({ "cluster": "c", "topic": "deleted", "rows": [[(today - 3) * DAY, 2, 7, 7, 7, 5]] }));
    std::fs::create_dir_all(folder.join("history")).unwrap();
    std::fs::write(folder.join("history/kafka-topics"), format!("{line}{gone}not a line\n")).unwrap();
}

#[tokio::test]
async fn growth_and_age_are_compared_with_what_is_usual() {
    let caller = Caller::new(false).await;
    let (api, folder) = (caller.api().clone(), tempfile::tempdir().unwrap());
    let pool = &api.service.pool;
    let today = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / DAY;
    earlier_days(folder.path(), today);
    api.kafka.history.keep_in(Arc::new(Place::new(folder.path(), Permit::default())));
    let root = pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.unwrap().root;
    orders(pool, root, 1, (5000, 7)).await;
    orders(pool, root, 2, (5000, 7)).await;
    let log = orders(pool, root, 3, (100, 21)).await;
    // The last day has brought it to 8 GiB, in copies that take no space.
    for doubling in 0..13 {
        let length = MIB << doubling;
        pool.clone_range((log, 0), (log, length), Some(length)).await.unwrap();
    }
    let mtime = SystemTime::now() - Duration::from_secs(21 * DAY);
    let set = SetAttributes { mtime: Some(SetTime::To(mtime)), ..SetAttributes::default() };
    pool.setattr(log, set).await.unwrap();
    pool.settle().await.unwrap();
    api.kafka.scan().await;

    let (found, _) = get(&caller, "/kafka/clusters/c/topics?sort=peers").await;
    let orders = &found.body["items"][0];
    assert_eq!(orders["bytes_growth_per_day"], 100 * MIB, "{orders}");
    let grown = orders["bytes_growth_last_day"].as_u64().unwrap();
    assert!((GIB..6 * GIB).contains(&grown), "{grown}: of a day and a half at most");
    assert_eq!(orders["is_growing_fast"], true);
    let ratio = orders["age_ratio"].as_f64().unwrap();
    assert!((2.9..3.1).contains(&ratio), "{orders}");
    assert_eq!((&orders["older"]["partition"], &orders["older"]["node"]), (&0.into(), &3.into()));
    let digest = api.kafka.made().digest;
    assert_eq!((digest.growing[0].cluster.as_str(), digest.growing[0].topics), ("c", 1));
    assert_eq!((digest.growing[0].last_day, digest.growing[0].usual), (grown, 100 * MIB));
    assert_eq!((digest.older[0].broker.node, digest.older[0].replicas), (Some(3), 1));
    assert_eq!(digest.older[0].age.as_secs() / DAY, 21);

    let (days, _) = get(&caller, "/kafka/clusters/c/topics/orders/history").await;
    let days = days.body["days"].as_array().unwrap();
    assert_eq!((days.len(), &days[0]["bytes_in_files"]), (21, &(10 * 100 * MIB).into()));
    assert_eq!(
        (&days[20]["partitions"], &days[20]["bytes_in_files"]),
        (&1.into(), &orders["figures"]["bytes_in_files"])
    );
    let (all, _) = get(&caller, "/kafka/clusters/c/history").await;
    let of_cluster = &all.body["days"][17];
    assert_eq!(
        (&of_cluster["partitions"], &all.body["topic"]),
        (&3.into(), &Value::Null),
        "with the deleted topic"
    );
    let (gone, _) = get(&caller, "/kafka/clusters/c/topics/deleted/history").await;
    assert_eq!(
        (gone.body["days"].as_array().unwrap().len(), &gone.body["days"][0]["bytes_written_per_day"]),
        (1, &5.into())
    );
    // Restored and new rows are written together.
    api.kafka.history.write(true);
    let written = std::fs::read_to_string(folder.path().join("history/kafka-topics")).unwrap();
    assert!(written.contains("\"deleted\"") && !written.contains("not a line"), "{written}");
    assert!(folder.path().join("history/kafka-today").is_file());
}

const GIB: u64 = 1 << 30;

#[tokio::test]
async fn a_snapshot_says_which_topics_it_has_and_how_to_copy_them() {
    let caller = Caller::new(false).await;
    let api = caller.api().clone();
    let pool = &api.service.pool;
    let root = pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.unwrap().root;
    let below = make(pool, root, "it's data", Kind::Directory).await;
    orders(pool, below, 1, (5000, 7)).await;
    pool.snapshot_create(&["kafka".to_owned()], "nightly").await.unwrap();
    let path = "/volumes/kafka/snapshots/nightly/topics";
    let (found, _) = get(&caller, path).await;
    assert_eq!((&found.body["total"], &found.body["problems"]), (&1.into(), &json!([])), "{found:?}");
    let expected = json!([{ "cluster": "c", "topic": "orders", "partitions": 1, "replicas": 1 }]);
    assert_eq!(found.body["items"], expected);
    let (found, _) = get(&caller, &format!("{path}/orders")).await;
    let replica = &found.body["replicas"][0];
    assert_eq!(
        (&replica["offset_start"], &replica["offset_last_segment"]),
        (&5000.into(), &9000.into()),
        "{found:?}"
    );
    assert_eq!(replica["path"], "/kafka/.snapshot/nightly/it's data/broker-1/orders-0");
    assert_eq!(replica["copy_command"], r"cp -a '/mnt/.snapshot/nightly/it'\''s data/broker-1/orders-0' .");
    let (missing, _) = get(&caller, &format!("{path}/other")).await;
    assert_eq!(missing.code(), "kafka_topic_not_found", "{missing:?}");
}
