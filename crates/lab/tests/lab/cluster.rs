//! Runs on a cluster that the lab did not start: a node that the test starts. They need no root, and leave no topic.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use forebay_lab::{Distribution, KafkaVersion, Loopback, Progress};
use rustix::process::Signal;

use crate::{Run, can_run_kafka, lab, said, wait_until};

/// Where the lab keeps Kafka.
fn cache() -> PathBuf {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("FOREBAY_LAB_CACHE").unwrap_or_else(|| {
        let base = variable("XDG_CACHE_HOME").unwrap_or_else(|| variable("HOME").unwrap().join(".cache"));
        base.join("forebay")
    })
}

/// The lab's topics, by the node's folders, in which deleted ones have another name.
fn topics(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("data")).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("forebay-lab-") && !name.ends_with("-delete")).collect()
}

#[test]
fn a_cluster_that_is_not_there_is_told_within_half_a_minute() {
    if !can_run_kafka() {
        return;
    }
    // What is built first is not part of the half minute.
    Distribution::open(&cache(), KafkaVersion::default(), &Progress::new()).unwrap();
    let out = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let output = lab(&["run", "throughput", "--bootstrap-server", "127.0.0.1:1", "--out"])
        .arg(out.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("no Kafka cluster answers at 127.0.0.1:1"), "{}", said(&output));
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

#[test]
fn a_run_on_a_cluster_measures_it_and_leaves_no_topic_however_it_ends() {
    if !can_run_kafka() {
        return;
    }
    let kafka = Distribution::open(&cache(), KafkaVersion::default(), &Progress::new()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let node = Loopback::start(&kafka, folder.path(), &[]).unwrap();
    let config = folder.path().join("client.properties");
    fs::write(&config, "security.protocol=PLAINTEXT\n").unwrap();
    let config = config.to_string_lossy().into_owned();
    let arguments = ["throughput", "--bootstrap-server", node.endpoint(), "--client-config", &config];
    let arguments = [arguments.as_slice(), &["--part", "drivers", "--repetitions", "1"]].concat();

    a_worker_without_a_supervisor_deletes_its_topics(&arguments, folder.path());
    for (signal, status) in [(Signal::INT, Some(130)), (Signal::KILL, None)] {
        let mut run = Run::of(&arguments);
        wait_until("it makes a topic", || !topics(folder.path()).is_empty());
        run.kill(signal);
        assert_eq!(run.status(), status, "{}", run.said());
        wait_until("its topics are deleted", || topics(folder.path()).is_empty());
        wait_until("its processes end", || run.processes() == 0);
    }

    let mut run = Run::of(&arguments);
    assert_eq!(run.status(), Some(0), "{}", run.said());
    let result = fs::read_to_string(run.out.path().join("result.json")).unwrap();
    assert!(result.contains("\"storage\": \"cluster:127.0.0.1\""), "{result}");
    assert!(result.contains("throughput_factor_1_mb_per_s"), "{result}");
    wait_until("its topics are deleted", || topics(folder.path()).is_empty());
}

/// As one whose supervisor was killed: the kernel closes a dying process's files, and only then are its children another's. Here their
/// parent, this test, stays.
fn a_worker_without_a_supervisor_deletes_its_topics(arguments: &[&str], node: &Path) {
    let mut run = Run::of(arguments);
    let state = run.state_folder();
    let order = state.join("order.json");
    wait_until("it makes a topic", || !topics(node).is_empty());
    let text = fs::read(&order).unwrap();
    run.kill(Signal::INT);
    assert_eq!(run.status(), Some(130), "{}", run.said());
    let parsed: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let scratch = parsed["folders"]["scratch"].as_str().unwrap();
    [state.as_path(), Path::new(scratch)].iter().for_each(|folder| fs::create_dir_all(folder).unwrap());
    fs::write(&order, text).unwrap();

    let mut worker = lab(&["worker"])
        .arg(&order)
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    wait_until("it makes a topic", || !topics(node).is_empty());
    drop(worker.stdin.take());
    worker.wait().unwrap();
    wait_until("its topics are deleted", || topics(node).is_empty());
    wait_until("its folders are removed", || !state.exists() && !Path::new(scratch).exists());
}
