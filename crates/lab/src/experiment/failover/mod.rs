//! `failover`: one of two nodes serves the pool, and is lost. How long do producers wait until the other one serves it?
//!
//! Kinds of losses are parts of the experiment ([`Fault`]). Each happens several times; after each one everything is checked.

mod fault;
mod load;
mod round;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::definition::Experiment;
use crate::cluster::{Assignment, Settings};
use crate::host::{Environment, Process};
use crate::probe::hold;
use crate::progress::Tone;
use crate::report::{Recorder, Subject};
use crate::request::{Profile, Request, StorageKind};
use crate::storage::{Node, Pair, PairStorage, Place};
use crate::testbed::{Ended, Layout, Tally, Testbed, TestbedSpec};
use fault::Fault;
use load::Load;
use round::Rounds;

/// The experiment.
pub struct Failover(pub Place);

const BROKERS: u32 = 3;
const FACTOR: u32 = 3;
/// The topic whose files are only open.
const IDLE_TOPIC: &str = "idle";
/// Files that a broker has open for a partition: a log and two indexes.
const FILES_PER_PARTITION: u32 = 3;
/// The broker whose machine has a program with an unlinked open file.
const HOLDER: u32 = 3;
/// Where it is, in the broker's own volume.
const HELD: &str = "/mnt/kafka/1/held";
/// In the guest, on its tmpfs.
const STOP: &str = "/run/stop";
const PATIENCE: Duration = Duration::from_secs(120);

struct Sizes {
    repetitions: u32,
    rate: u32,
    /// Open files of each broker, at least.
    open_files: u32,
    guest_memory_mib: u32,
    heap_mib: u32,
}

impl Sizes {
    fn of(request: &Request) -> Self {
        let (repetitions, rate) = match request.profile {
            Profile::Laptop => (3, 300),
            Profile::Full => (10, 3_000),
        };
        let repetitions = request.repetitions.unwrap_or(repetitions);
        Self { repetitions, rate, open_files: 1_000, guest_memory_mib: 1_300, heap_mib: 512 }
    }

    fn testbed(&self) -> TestbedSpec {
        let more = [
            // A pause of the storage is no reason to shrink the set of replicas in sync.
            ("replica.lag.time.max.ms", "300000"),
            ("log.index.size.max.bytes", "1048576"),
        ];
        let more = more.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
        let settings = Settings {
            heap_mib: self.heap_mib,
            segment_bytes: 64 << 20,
            delete_delay_ms: 5_000,
            more: BTreeMap::from_iter(more),
            metrics: false,
        };
        let layout = Layout { volumes: 1, connections: None };
        TestbedSpec { layout, ..TestbedSpec::new(BROKERS, self.guest_memory_mib, settings) }
    }
}

impl Experiment for Failover {
    fn name(&self) -> &'static str {
        match self.0 {
            Place::Directory => "failover",
            Place::Elsewhere => "failover-database",
        }
    }

    fn subject(&self) -> Subject {
        if self.0 == Place::Elsewhere {
            return Subject {
                title: "Another node takes over a pool in a database and a bucket",
                question: "A pool's metadata is in PostgreSQL, its segments in a bucket, and one of two nodes serves it. The node is lost in several ways, \
                           or the database, or the bucket. How long do producers wait, and is anything lost?",
                method: "Two nodes, two database servers (a primary and its synchronous standby) and a daemon with the bucket have network namespaces of \
                         their own. No fence program exists. Three brokers in guests have the pool mounted at an address that moves with it, \
                         each with 1,000 files open in a volume of its own, and producers write with acks=all throughout. A node that vanishes loses its links and its power. \
                         A daemon that is stopped for 30 s goes on after it was replaced, while its machine still answers for the address. \
                         The pause is the longest time between two acknowledgements of one partition. After each loss the clients drop their \
                         caches and every acknowledged record is read back, the pool is checked while it serves, a program on one of the guests must \
                         go on to read and write a file that it has unlinked, and a trigger in the database has noted the owner's epoch of each commit.",
            };
        }
        Subject {
            title: "Another node takes the pool over",
            question: "One of two nodes serves the pool, and its daemon is killed, its machine vanishes, it is cut off from the network, or it gives \
                       the pool to the other one. How long do producers wait, and is anything lost?",
            method: "Two nodes with network namespaces of their own see one directory with a pool. Three brokers in guests have it mounted at an \
                     address that moves with the pool, each with 1,000 files open in a volume of its own, and producers write with acks=all throughout, to \
                     a topic with replicas on all brokers and to one without replicas on the broker that is lost together with a node. A node that vanishes loses its links, and its processes are suspended until the other node's fence program ends \
                     them. The pause is the longest time between two acknowledgements of one partition. After each loss the clients drop their \
                     caches and every acknowledged record is read back, the pool is checked while it serves, and a program on one of the guests must \
                     go on to read and write a file that it has unlinked.",
        }
    }

    fn parts(&self) -> &'static [&'static str] {
        Fault::parts(self.0)
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let sizes = Sizes::of(request);
        recorder.setting("repetitions", sizes.repetitions);
        recorder.setting("records per second", sizes.rate);
        recorder.stage("nodes");
        let pair = Pair::start(environment, self.0)?;
        recorder.begin(&lane(Node::A), "serves", Tone::Good);
        recorder.begin(&lane(Node::B), "stands by", Tone::Plain);
        let storage = Box::new(PairStorage(pair.clone()));
        let testbed = Testbed::start_on(environment, request, storage, None, &sizes.testbed(), recorder)?;
        create_topics(&testbed, &sizes, recorder)?;
        let sync = testbed.cluster.tools().watch_sync(|_| {})?;
        require_open_files(&pair, &sizes, recorder)?;
        let probe = hold_files(&testbed, environment, recorder)?;
        recorder.stage("load");
        let loads = Load::start(testbed.cluster.tools(), environment, sizes.rate, recorder)?;
        let mut rounds = Rounds {
            environment,
            recorder,
            pair,
            testbed,
            sync,
            probe,
            loads,
            guest_memory_mib: sizes.guest_memory_mib,
            replacements: 0,
            ended: Ended::default(),
            tally: Tally::default(),
        };
        rounds.warm_up()?;
        let mut losses = 0;
        for fault in Fault::all(self.0).iter().copied().filter(|fault| request.wants(fault.part())) {
            recorder.stage(fault.part());
            for _ in 0..sizes.repetitions {
                rounds.run(fault)?;
                losses += 1;
            }
            rounds.conclude(fault);
        }
        let Rounds { testbed, loads, probe, mut ended, .. } = rounds;
        recorder.stage("end");
        conclude_loads(loads, recorder)?;
        conclude_holding(&testbed, &probe, recorder)?;
        ended.look(&testbed, recorder)?;
        ended.check(&testbed, environment, recorder);
        Ok(format!("The pool was lost {losses} times, and producers only waited."))
    }
}

/// The name of a node's lane in the record.
fn lane(node: Node) -> String {
    format!("node {}", node.name())
}

fn create_topics(testbed: &Testbed, sizes: &Sizes, recorder: &Recorder) -> Result<()> {
    recorder.stage("topics");
    let tools = testbed.cluster.tools();
    let idle = sizes.open_files.div_ceil(FILES_PER_PARTITION);
    let idle = Assignment::even(IDLE_TOPIC, idle, FACTOR, BROKERS, 0);
    for assignment in Load::topics(BROKERS).iter().chain([&idle]) {
        tools.create_topic(assignment, &[("min.insync.replicas", "2".to_owned())])?;
        let (partitions, factor) =
            (&assignment.partitions, assignment.partitions.first().map_or(0, Vec::len));
        recorder.setting(
            &format!("topic {}", assignment.topic),
            format!("{} partitions, factor {factor}, min.insync.replicas 2, acks all", partitions.len()),
        );
    }
    Ok(())
}

/// Waits until brokers have as many files open as planned; otherwise the experiment would not be what it says.
fn require_open_files(pair: &Pair, sizes: &Sizes, recorder: &Recorder) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let open = pair.open_files()?;
        let fewest = open.iter().copied().min().unwrap_or_default();
        if open.len() == BROKERS as usize && fewest >= u64::from(sizes.open_files) {
            recorder.figure("open_files", "Open files of each broker, at least", fewest as f64, "");
            return Ok(());
        }
        recorder.detail(format_args!("{open:?} files open"));
        ensure!(
            Instant::now() < deadline,
            "the brokers have {open:?} files open, and should have {} each",
            sizes.open_files
        );
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// Starts the program that keeps an unlinked file open.
fn hold_files(testbed: &Testbed, environment: &Environment, recorder: &Recorder) -> Result<Process> {
    let seed = u64::from(std::process::id()) ^ recorder.now_ms();
    recorder.setting("seed of the held files", seed);
    let node = testbed.node(HOLDER)?;
    node.make_folder(HELD)?;
    let log = environment.logs().join("held.log");
    let program = crate::probe::guest_command(&["hold", HELD, STOP, &seed.to_string()])?.log(log);
    node.spawn(&program)
}

/// Stops the loads. Every record that was sent must be acknowledged.
fn conclude_loads(loads: Vec<Load>, recorder: &Recorder) -> Result<()> {
    let mut total = [0; 3];
    for load in loads {
        for (total, count) in total.iter_mut().zip(load.conclude()?) {
            *total += count;
        }
    }
    let [sent, acknowledged, failed] = total;
    recorder.figure("acknowledged_records", "Records acknowledged", acknowledged as f64, "");
    let detail = format!("{acknowledged} of {sent} records, {failed} refused");
    let title = "Every record that was sent is acknowledged in the end";
    recorder.check("acknowledged", title, failed == 0 && acknowledged == sent, detail);
    Ok(())
}

/// Ends the program with the unlinked file, which compares every byte.
fn conclude_holding(testbed: &Testbed, probe: &Process, recorder: &Recorder) -> Result<()> {
    testbed.node(HOLDER)?.write_file(STOP, b"")?;
    let exit = probe.wait(PATIENCE)?;
    let (stdout, stderr) = probe.output();
    let detail = match exit.success() {
        true => {
            format!("{} records in each of two files, one of them unlinked", hold::parse(&stdout)?.records)
        }
        false => format!("{exit}: {}", stderr.trim()),
    };
    let title = "An unlinked file that is open has every byte, throughout";
    recorder.check("unlinked", title, exit.success(), detail);
    Ok(())
}
