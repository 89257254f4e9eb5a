//! `forebay kafka`, on what brokers would have written through NFS.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use forebay_nfs_client::xdr::nfs4::{
    LockArgs, LockType, Locker, OpenToLockOwner, Operation, PutfhArgs, StableHow,
};
use forebay_nfs_client::{Client, ClientOptions, FileHandle};
use forebay_service::disk::to_line;
use serde_json::Value;
use tempfile::tempdir;

use crate::completion::offered;
use crate::daemon::{Daemon, assert_refused, forebay, wait_until};
use crate::http::User;

const BLOCK: usize = 128 << 10;
const CLUSTER: &str = "5L6g3nShT-eMCtK--X86sw";
const ID: &str = "0123456789abcdef0123456789abcdef";
const OFTEN: [&str; 2] = ["--kafka-interval-seconds", "1"];

fn json(daemon: &Daemon, arguments: &[&str]) -> Value {
    serde_json::from_str(&daemon.done(&[&["kafka"], arguments, &["-o", "json"]].concat())).unwrap()
}

async fn mount(daemon: &Daemon, name: &str) -> Client {
    Client::mount(daemon.address(), ClientOptions::new(name)).await.unwrap()
}

/// Bytes that cannot be compressed.
fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut noise = Vec::new();
    while noise.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        noise.extend_from_slice(&state.to_le_bytes());
    }
    noise
}

async fn write(client: &Client, directory: &FileHandle, name: &str, content: &[u8]) {
    let files = client.files();
    let file = files.create(directory, name).await.unwrap();
    for (index, part) in content.chunks(BLOCK).enumerate() {
        let bytes = Bytes::copy_from_slice(part);
        files.write(&file, (index * BLOCK) as u64, bytes, StableHow::Unstable).await.unwrap();
    }
    files.commit(&file.handle).await.unwrap();
    files.close(&file).await.unwrap();
}

async fn replica(client: &Client, broker: &FileHandle, name: &str, base: u64, content: &[u8]) {
    let directory = client.files().mkdir(broker, name).await.unwrap();
    write(client, &directory, &format!("{base:020}.log"), content).await;
}

/// Three log directories: `orders` with a rebuilt replica, a compacted topic, and one that is being deleted.
async fn brokers(client: &Client) {
    let files = client.files();
    let volume = files.resolve("/kafka").await.unwrap();
    for node in 1..=3 {
        let directory = files.mkdir(&volume, &format!("broker-{node}")).await.unwrap();
        let meta = format!("cluster.id={CLUSTER}\nnode.id={node}\nversion=1\n");
        write(client, &directory, "meta.properties", meta.as_bytes()).await;
        write(client, &directory, "cleaner-offset-checkpoint", b"0\n1\n__consumer_offsets 0 17\n").await;
        write(client, &directory, ".lock", b"").await;
        let (base, seed) = if node == 3 { (3500, 2) } else { (0, 1) };
        replica(client, &directory, "orders-0", base, &noise(seed, 8 * BLOCK)).await;
        replica(client, &directory, "__consumer_offsets-0", 0, &noise(10 + node, 2 * BLOCK)).await;
        replica(client, &directory, &format!("old.events-0.{ID}-delete"), 0, &noise(20, 4 * BLOCK)).await;
    }
}

async fn lock(client: &Client, node: u64) {
    let files = client.files();
    let directory = files.resolve(&format!("/kafka/broker-{node}")).await.unwrap();
    let file = files.open(&directory, ".lock").await.unwrap();
    let lock_owner = files.owner("broker");
    let new = OpenToLockOwner { open_seqid: 0, open_stateid: file.stateid, lock_seqid: 0, lock_owner };
    let locker = Locker::New(new);
    let args = LockArgs { locktype: LockType::Write, reclaim: false, offset: 0, length: u64::MAX, locker };
    let put = Operation::Putfh(PutfhArgs { object: file.handle.clone() });
    client.compound([put, Operation::Lock(args)]).await.unwrap();
}

/// Waits for a report that has all of the layout.
fn wait_for_report(daemon: &Daemon) -> Value {
    let mut found = Value::Null;
    wait_until("the report has three log directories", || {
        let finished = daemon.run(&["kafka", "clusters", "-o", "json"]);
        found = serde_json::from_str(&finished.stdout).unwrap_or_default();
        found["items"][0]["replicas_deleted"] == 3
    });
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn topics_add_up_to_the_pool_and_the_matrix_names_the_rebuilt_replica() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start_with(scratch.path(), &OFTEN);
    let client = mount(&daemon, "broker host").await;
    brokers(&client).await;
    let found = wait_for_report(&daemon);
    let totals = &found["totals"];
    let rows = ["topics", "log_directories", "other_files", "objects", "deleted_files"];
    let sum: u64 = rows.map(|row| totals[row]["bytes_stored"].as_u64().unwrap()).iter().sum();
    let pool: Value = serde_json::from_str(&daemon.done(&["pool", "show", "-o", "json"])).unwrap();
    let stored = pool["bytes_live"].as_u64().unwrap() + pool["bytes_inline"].as_u64().unwrap();
    assert_eq!(sum + totals["bytes_snapshots"].as_u64().unwrap(), stored);
    assert_eq!(totals["bytes_total"], stored);
    assert_eq!((&found["report"]["sampled_one_in"], &found["items"][0]["topics"]), (&1.into(), &3.into()));

    let topics = json(&daemon, &["topics", "--sort", "name"]);
    let names: Vec<_> = topics["items"].as_array().unwrap().iter().map(|topic| &topic["topic"]).collect();
    assert_eq!(names, ["__consumer_offsets", "old.events", "orders"]);
    let of_topics: u64 = topics["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|topic| topic["figures"]["bytes_stored"].as_u64().unwrap())
        .sum();
    assert_eq!(totals["topics"]["bytes_stored"], of_topics);

    let sharing = json(&daemon, &["sharing", "orders"]);
    let cells: Vec<_> = sharing["rows"][0]["replicas"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| cell["shared"].as_f64().unwrap())
        .collect();
    assert_eq!(cells, [1.0, 1.0, 0.0]);
    let table = daemon.done(&["kafka", "sharing", "orders"]);
    assert!(
        table.contains("orders-0 on broker 3 shares 0%") && table.contains("rebuilt from another offset"),
        "{table}"
    );

    let exact = json(&daemon, &["topic", "orders", "--exact"]);
    assert_eq!(exact["topic"]["figures"], topics["items"][2]["figures"]);
    daemon.done(&["snapshot", "create", "kafka", "nightly"]);
    for words in [
        &["clusters"][..],
        &["brokers"],
        &["topics"],
        &["topic", "orders"],
        &["history"],
        &["history", "orders"],
        &["snapshot", "kafka@nightly"],
        &["snapshot", "kafka@nightly", "orders"],
        &["sharing", "orders"],
        &["cost", "--price", "23", "--group-by", "prefix"],
        &["what-if", "--delete", "old*", "--factor", "orders=2"],
        &["cleanup"],
    ] {
        let arguments = [&["kafka"], words].concat();
        let table = daemon.done(&arguments);
        let long: Vec<_> =
            table.lines().filter(|line| line.chars().count() > 80 && !line.contains(": ")).collect();
        assert!(table.lines().count() >= 2 && long.is_empty(), "{words:?}: {table}");
        let csv = daemon.done(&[&arguments[..], &["-o", "csv"]].concat());
        let columns = csv.lines().next().unwrap().split(',').count();
        assert!(columns > 2, "{words:?}: {csv}");
    }
    let csv = daemon.done(&["kafka", "cost", "--price", "23", "--group-by", "prefix", "-o", "csv"]);
    assert!(csv.starts_with("name,topics,cost_per_month,") && csv.contains("\nold,1,"), "{csv}");
    drop(client);
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_holds_the_lock_follows_a_broker_that_moves() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start_with(scratch.path(), &OFTEN);
    let first = mount(&daemon, "first host").await;
    brokers(&first).await;
    wait_for_report(&daemon);
    let state = |node: usize| {
        let broker = json(&daemon, &["brokers"])["items"][node - 1].clone();
        (broker["state"].as_str().unwrap().to_owned(), broker["client"].as_str().map(str::to_owned))
    };
    assert_eq!(state(2), ("never".to_owned(), None));
    lock(&first, 2).await;
    assert_eq!(state(2), ("up".to_owned(), Some("first host".to_owned())));
    let clients: Value = serde_json::from_str(&daemon.done(&["nfs", "clients", "-o", "json"])).unwrap();
    daemon.done(&["nfs", "evict", clients[0]["client"].as_str().unwrap()]);
    drop(first);
    assert_eq!(state(2), ("gone".to_owned(), Some("first host".to_owned())));
    let second = mount(&daemon, "second host").await;
    lock(&second, 2).await;
    assert_eq!(state(2), ("up".to_owned(), Some("second host".to_owned())));
    assert_eq!(state(1), ("never".to_owned(), None));
    let table = daemon.done(&["kafka", "brokers"]);
    assert!(table.contains("127.0.0.1") && table.contains("/kafka/broker-2"), "{table}");
    drop(second);
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_say_what_to_do_and_names_of_topics_stay_where_they_belong() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start_with(scratch.path(), &[&OFTEN[..], &["--metrics-public", "on"]].concat());
    wait_until("there is a report", || daemon.run(&["kafka", "clusters"]).status == 0);
    assert_refused(&daemon.run(&["kafka", "topics"]), 1, &["no Kafka cluster", "meta.properties"]);
    let client = mount(&daemon, "host").await;
    brokers(&client).await;
    wait_for_report(&daemon);
    assert_refused(
        &daemon.run(&["kafka", "topic", "nothing"]),
        1,
        &["topic nothing", "forebay kafka topics"],
    );
    assert_refused(
        &daemon.run(&["kafka", "topics", "--cluster", "nothing"]),
        1,
        &["Kafka cluster nothing", "forebay kafka clusters"],
    );
    assert_refused(&daemon.run(&["kafka", "topics", "--sort", "colour"]), 1, &["sort", "stored"]);
    assert_refused(&daemon.run(&["kafka", "what-if"]), 1, &["--delete"]);
    let answer = User::of(&daemon, None).send_to("GET", "/metrics", "", "");
    let metrics = answer.body.as_str().unwrap();
    assert!(metrics.contains("forebay_kafka_replicas{state=\"deleted\"} 3"), "{metrics}");
    assert!(metrics.contains("topic=\"other\"") && !metrics.contains("orders"), "{metrics}");
    drop(client);
    daemon.stop();

    let off = tempdir().unwrap();
    let daemon = Daemon::start_with(off.path(), &["--kafka-views", "off"]);
    assert_refused(&daemon.run(&["kafka", "clusters"]), 1, &["are off", "kafka.views = on"]);
    daemon.stop();
}

/// What an earlier run has left: ten days on which `orders` grew by 1,000 bytes, and a line that is damaged.
fn earlier_days(pool: &Path, today: u64) {
    let days = (1..=10)
        .rev()
        .map(|ago| serde_json::json!([(today - ago) * 86_400, 1, 50_000 - ago * 1000, 9, 8, 7]));
    let line = |topic: &str| {
        let rows: Vec<Value> = days.clone().collect();
        to_line(&serde_json::json!({ "cluster": CLUSTER, "topic": topic, "rows": rows }))
    };
    let content = format!("{}{}", line("orders"), line("damaged").replace("9,8", "9,9"));
    std::fs::create_dir_all(pool.join("history")).unwrap();
    std::fs::write(pool.join("history/kafka-topics"), content).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_days_of_topics_survive_a_kill_and_say_how_much_they_grow() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start_with(scratch.path(), &OFTEN);
    let pool = daemon.pool.clone();
    let client = mount(&daemon, "host").await;
    brokers(&client).await;
    wait_for_report(&daemon);
    drop(client);
    daemon.stop();
    let today = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 86_400;
    earlier_days(&pool, today);
    let dates = |found: &Value| -> Vec<String> {
        found["days"].as_array().unwrap().iter().map(|day| day["date"].as_str().unwrap().to_owned()).collect()
    };

    let daemon = Daemon::start_with(scratch.path(), &OFTEN);
    wait_for_report(&daemon);
    let found = json(&daemon, &["history", "orders"]);
    let before = dates(&found);
    assert_eq!(before.len(), 11, "{found}");
    assert_eq!(
        (&found["days"][0]["bytes_in_files"], &found["days"][0]["bytes_written_per_day"]),
        (&40_000.into(), &7.into())
    );
    assert_eq!(
        found["days"][10]["bytes_in_files"],
        json(&daemon, &["topic", "orders"])["topic"]["figures"]["bytes_in_files"]
    );
    let topics = json(&daemon, &["topics", "--sort", "growth"]);
    assert_eq!(
        (&topics["items"][0]["topic"], &topics["items"][0]["bytes_growth_per_day"]),
        (&"orders".into(), &1000.into())
    );
    assert_eq!(topics["items"][0]["is_growing_fast"], false, "it is small");
    assert_refused(&daemon.run(&["kafka", "history", "damaged"]), 1, &["topic damaged", "not found"]);
    let table = daemon.done(&["kafka", "history", "orders", "--days", "3"]);
    assert!(table.lines().count() == 4 && table.contains("1000 B"), "{table}");
    let program = std::path::PathBuf::from(forebay().get_program());
    let at = |words: [&str; 2], typed: &str| {
        offered(
            &program,
            None,
            &["kafka", words[0], words[1], "--pool-directory", pool.to_str().unwrap(), typed],
        )
    };
    assert_eq!(at(["topic", "--exact"], "ord"), ["orders"]);
    wait_until("the row of today is on disk", || {
        std::fs::read_to_string(pool.join("history/kafka-today")).is_ok_and(|text| text.contains("orders"))
    });
    daemon.kill();

    // Kafka is not looked at again before the history is asked for: what is there was restored.
    let daemon = Daemon::start_with(scratch.path(), &OFTEN);
    wait_for_report(&daemon);
    let again = json(&daemon, &["history", "orders"]);
    assert_eq!(dates(&again)[..11], before);
    let csv = daemon.done(&["kafka", "history", "-o", "csv"]);
    assert!(csv.starts_with("topic,date,partitions,bytes_in_files") && csv.lines().count() >= 12, "{csv}");
    daemon.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_says_which_offsets_it_has_and_how_to_copy_them_out() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start_with(scratch.path(), &["--kafka-views", "off"]);
    let client = mount(&daemon, "host").await;
    brokers(&client).await;
    daemon.done(&["snapshot", "create", "kafka", "nightly"]);
    let table = daemon.done(&["kafka", "snapshot", "kafka@nightly"]);
    assert!(table.contains("orders") && table.contains("__consumer_offsets"), "{table}");
    let table = daemon.done(&["kafka", "snapshot", "kafka@nightly", "orders"]);
    assert!(
        table.contains("cp -a /mnt/.snapshot/nightly/broker-1/orders-0 .") && table.contains("3500"),
        "{table}"
    );
    let found = json(&daemon, &["snapshot", "kafka@nightly", "orders"]);
    let replica = &found["replicas"][2];
    assert_eq!(
        (&replica["node"], &replica["offset_start"], &found["total"]),
        (&3.into(), &3500.into(), &3.into())
    );
    // The path leads there for a client, too.
    let path = replica["path"].as_str().unwrap();
    let mut at = client.files().resolve("/").await.unwrap();
    for name in path.split('/').filter(|name| !name.is_empty()).chain(["00000000000000003500.log"]) {
        at = client.files().lookup(&at, name).await.unwrap();
    }
    assert_refused(
        &daemon.run(&["kafka", "snapshot", "kafka@nightly", "none"]),
        1,
        &["topic none", "forebay kafka snapshot"],
    );
    assert_refused(&daemon.run(&["kafka", "snapshot", "kafka@none"]), 1, &["none", "not found"]);
    let refused = daemon.run(&["kafka", "snapshot", "kafka"]);
    assert!(refused.status == 2 && refused.stderr.contains("write VOLUME@SNAPSHOT"), "{refused:?}");
    drop(client);
    daemon.stop();
}
