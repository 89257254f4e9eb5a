//! `views`: are the Kafka views of the console and of `forebay kafka` right, on real brokers?
//!
//! The brokers bring about everything that the views tell apart: a replica that was rebuilt from another offset, a topic that some brokers
//! have compacted, a topic that is being deleted, data that only a snapshot shows, and a broker that moves to another machine. What the
//! views say is compared with the pool's own figure, and with what a client sees in the log directories.

mod client;
mod moment;
mod verdicts;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use self::moment::Moment;
use super::definition::Experiment;
use crate::cluster::{Assignment, RecordsPlan, Settings};
use crate::host::Environment;
use crate::progress::Tone;
use crate::report::{Recorder, Subject, number};
use crate::request::{Profile, Request, StorageKind};
use crate::storage::{Forebay, KafkaViews};
use crate::testbed::{BrokerNode, Ended, Testbed, TestbedSpec, figure};

/// The experiment.
pub struct Views;

const BROKERS: u32 = 3;
const REBUILT_TOPIC: &str = "rebuilt";
const KEYED_TOPIC: &str = "keyed";
const GONE_TOPIC: &str = "gone";
/// The volume that every new pool has.
const VOLUME: &str = "kafka";
const SNAPSHOT: &str = "before-retention";
/// The broker that loses its logs.
const REBUILT: u32 = 3;
/// The broker that does not compact.
const NOT_COMPACTING: u32 = 2;
/// The broker whose machine is replaced.
const MOVED: u32 = 1;
/// The share of the records that is deleted before the replica is rebuilt, in percent.
const DELETED_PERCENT: usize = 40;
/// Replicas that begin at other offsets share what lies between the cuts of both, which is little in segments of this size.
const SEGMENT_BYTES: u64 = 256 << 10;
/// A follower appends what it fetches at once. With Kafka's 1 MiB it would fetch whole segments, and begin its own where the leader does.
const FETCH_BYTES: u64 = 64 << 10;
const BATCH_BYTES: u32 = 32 << 10;
const RECORD_BYTES: u32 = 2048;
/// How often the daemon makes a report, and how long brokers have to delete a directory.
const INTERVAL_SECONDS: &str = "2";
const DELETED_AFTER: Duration = Duration::from_secs(10);
/// So long that directories of deleted replicas are there until the end.
const DELETE_DELAY_MS: u64 = 3_600_000;
/// A file beside the log directories.
const OTHER_FILE: &str = "notes.bin";
const OTHER_FILE_BYTES: usize = 300_000;
const GUEST_MEMORY_MIB: u32 = 1000;
const PATIENCE: Duration = Duration::from_secs(180);
const PAUSE: Duration = Duration::from_millis(500);

struct Sizes {
    rebuilt_records: u64,
    gone_records: u64,
    keyed_records: u64,
    keys: u64,
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        match profile {
            Profile::Laptop => {
                Self { rebuilt_records: 4_000, gone_records: 1_000, keyed_records: 120_000, keys: 2_000 }
            }
            Profile::Full => Self {
                rebuilt_records: 2_000_000,
                gone_records: 500_000,
                keyed_records: 5_000_000,
                keys: 50_000,
            },
        }
    }
}

impl Experiment for Views {
    fn name(&self) -> &'static str {
        "views"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "What topics store, and where brokers run",
            question: "Kafka views say what each topic stores, how much of a replica is stored once, what is being deleted, and on which machine a \
                       broker runs. Are they right, to the byte, on a real cluster?",
            method: "Three brokers at replication factor 3 keep their logs on one volume, of which a snapshot is taken. Then the beginning of a \
                     topic is deleted, and one broker loses its logs and copies them from the others. A topic with repeating keys is compacted by \
                     two brokers and not by the third. Another topic is deleted, and the brokers keep its directories. When nothing changes any \
                     more, a report is compared with the pool's own figure of the same instant, and with the sizes that a client sees. The \
                     largest topic is counted once more, completely. At last a broker stops, and another machine takes its place.",
        }
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let sizes = Sizes::of(request.profile);
        let mut work = Work::start(environment, request, recorder)?;
        work.rebuild(environment, &sizes)?;
        work.compact(&sizes)?;
        work.delete(environment, &sizes)?;
        let moment = work.compare(environment)?;
        work.move_broker(environment)?;
        let mut ended = Ended::default();
        ended.look(&work.testbed, recorder)?;
        ended.check(&work.testbed, environment, recorder);
        Ok(format!(
            "All rows of the views add up to the {} bytes that the pool stores, and the files of each topic have the sizes that a client sees.",
            moment.pool_bytes
        ))
    }
}

struct Work<'a> {
    testbed: Testbed,
    views: KafkaViews,
    recorder: &'a Recorder,
    request: &'a Request,
    /// The machine to which a broker moves. Until then it looks at the log directories as a client.
    standby: Option<BrokerNode>,
}

fn settings() -> Settings {
    let more = [
        ("replica.fetch.max.bytes", FETCH_BYTES.to_string()),
        ("log.retention.check.interval.ms", "2000".to_owned()),
        ("log.initial.task.delay.ms", "2000".to_owned()),
        ("log.cleaner.backoff.ms", "1000".to_owned()),
        // Guests that share two processors with others may be late.
        ("replica.lag.time.max.ms", "120000".to_owned()),
        // A broker cannot register before the cluster considers the old one with its id failed.
        ("broker.session.timeout.ms", "6000".to_owned()),
        ("broker.heartbeat.interval.ms", "1000".to_owned()),
    ];
    Settings {
        heap_mib: 400,
        segment_bytes: 1 << 20,
        delete_delay_ms: DELETE_DELAY_MS,
        more: more.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<BTreeMap<_, _>>(),
        metrics: false,
    }
}

impl<'a> Work<'a> {
    fn start(environment: &Environment, request: &'a Request, recorder: &'a Recorder) -> Result<Self> {
        recorder.stage("storage");
        let deleted_after = DELETED_AFTER.as_secs().to_string();
        let arguments = [
            ["--kafka-interval-seconds", INTERVAL_SECONDS],
            ["--kafka-deleted-after-seconds", &deleted_after],
        ];
        let arguments: Vec<String> = arguments.concat().into_iter().map(str::to_owned).collect();
        let storage = Forebay::start(environment, &arguments)?;
        recorder.setting("forebay serve", arguments.join(" "));
        let views = storage.kafka_views();
        let spec = TestbedSpec::new(BROKERS, GUEST_MEMORY_MIB, settings());
        let testbed = Testbed::start_on(environment, request, Box::new(storage), None, &spec, recorder)?;
        Ok(Self { testbed, views, recorder, request, standby: None })
    }

    /// Creates a topic of one partition, with a replica at each broker.
    fn create(&self, topic: &str, segment_bytes: u64, more: &[(&str, &str)]) -> Result<()> {
        let assignment = Assignment::even(topic, 1, BROKERS, BROKERS, 0);
        let mut settings = vec![
            (self.request.kafka.segment_setting(segment_bytes), segment_bytes.to_string()),
            // That of the topic is for segments, that of the brokers for deleted replicas.
            ("file.delete.delay.ms", "1000".to_owned()),
            ("min.insync.replicas", "2".to_owned()),
        ];
        settings.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
        let words: Vec<String> = settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
        self.recorder.setting(
            &format!("topic {topic}"),
            format!("1 partition, factor {BROKERS}, {}", words.join(", ")),
        );
        self.testbed.cluster.tools().create_topic(&assignment, &settings)
    }

    /// Writes records that cannot be compressed.
    fn produce(&self, environment: &Environment, topic: &str, records: u64) -> Result<()> {
        let acknowledged = environment.out().join(format!("acknowledged-{topic}.bin"));
        let plan = RecordsPlan {
            batch_bytes: BATCH_BYTES,
            ..RecordsPlan::new(topic, records, RECORD_BYTES, 7, acknowledged)
        };
        let summary = self.testbed.cluster.tools().produce(&plan, self.recorder)?.wait()?;
        let found = figure(&summary, "acknowledged");
        let detail = format!("{} of {} in {topic}", number(found), number(records as f64));
        let title = "The cluster acknowledges every record";
        self.recorder.check("acknowledged", title, found as u64 == records, detail);
        std::fs::remove_file(&plan.acknowledged).context("remove the log of acknowledgements")
    }

    /// Waits for a condition, and notes meanwhile what the views say.
    fn wait(&self, what: &str, mut condition: impl FnMut(&Testbed) -> Result<bool>) -> Result<()> {
        let begun = Instant::now();
        while !condition(&self.testbed)? {
            ensure!(begun.elapsed() < PATIENCE, "{what}: not within {} s", PATIENCE.as_secs());
            self.note()?;
            std::thread::sleep(PAUSE);
        }
        self.note()
    }

    /// Adds to the report's drawing what the topics store.
    fn note(&self) -> Result<()> {
        for topic in self.views.topics()?.items {
            let (drawing, megabytes) = ("Stored, by topic", topic.figures.bytes_stored as f64 / 1e6);
            self.recorder.point_in(drawing, &topic.topic, "MB", megabytes);
        }
        Ok(())
    }

    fn tree(&self, broker: u32) -> Result<Vec<crate::wire::TreeEntry>> {
        self.testbed.node(broker)?.list_tree(self.testbed.log_folder(broker)?)
    }

    /// Deletes the beginning of a topic, of which a snapshot has been taken, and lets a broker copy its logs from the others.
    fn rebuild(&mut self, environment: &Environment, sizes: &Sizes) -> Result<()> {
        let recorder = self.recorder;
        recorder.stage("records written");
        self.create(REBUILT_TOPIC, SEGMENT_BYTES, &[])?;
        self.produce(environment, REBUILT_TOPIC, sizes.rebuilt_records)?;
        self.testbed.sync()?;
        self.testbed.storage.volumes()?.snapshot(&[VOLUME.to_owned()], SNAPSHOT)?;
        recorder.event(Tone::Plain, "a snapshot of the volume is taken");

        recorder.stage("records deleted");
        let replica = format!("{REBUILT_TOPIC}-0");
        let bases: Vec<u64> = client::bases(&self.tree(1)?, &replica).into_iter().collect();
        let at = bases.len() * DELETED_PERCENT / 100;
        let (from, to) = bases.get(at).zip(bases.get(at + 1)).context("the topic has too few segments")?;
        let before = u64::midpoint(*from, *to);
        self.testbed.cluster.tools().delete_records(REBUILT_TOPIC, 1, Some(before))?;
        recorder.event(Tone::Plain, format_args!("records below offset {before} are deleted"));
        let first = *from;
        self.wait("old segments are deleted", |testbed| {
            for broker in testbed.cluster.brokers() {
                let tree = testbed.node(broker.id())?.list_tree(broker.log_folder())?;
                if client::is_unfinished(&tree) || client::bases(&tree, &replica).first() != Some(&first) {
                    return Ok(false);
                }
            }
            Ok(true)
        })?;

        recorder.stage("replica rebuilt");
        self.testbed.lose_logs(REBUILT, recorder)?;
        self.wait("every replica is in sync", |testbed| {
            Ok(testbed.cluster.tools().under_replicated(REBUILT_TOPIC)? == 0)
        })?;
        recorder.event(Tone::Plain, format_args!("broker {REBUILT} has copied its logs from the others"));
        Ok(())
    }

    /// Writes records with repeating keys, and waits until all brokers but one have compacted them.
    fn compact(&self, sizes: &Sizes) -> Result<()> {
        let (recorder, tools) = (self.recorder, self.testbed.cluster.tools());
        recorder.stage("keys written");
        let hour = (3600 * 1000).to_string();
        tools.set_broker(NOT_COMPACTING, "log.cleaner.backoff.ms", &hour)?;
        recorder.setting("broker 2 log.cleaner.backoff.ms", hour);
        let more = [("cleanup.policy", "compact"), ("min.cleanable.dirty.ratio", "0.01")];
        self.create(KEYED_TOPIC, SEGMENT_BYTES, &more)?;
        tools.produce_keyed(KEYED_TOPIC, sizes.keyed_records, sizes.keys)?;
        recorder.setting("records with keys", sizes.keyed_records);
        recorder.setting("different keys", sizes.keys);
        recorder.stage("compaction");
        let replica = format!("{KEYED_TOPIC}-0");
        self.wait("all brokers but one have compacted the topic", |testbed| {
            for broker in testbed.cluster.brokers().iter().filter(|broker| broker.id() != NOT_COMPACTING) {
                let node = testbed.node(broker.id())?;
                let tree = node.list_tree(broker.log_folder())?;
                let active = client::bases(&tree, &replica).last().copied();
                let compacted = compacted_to(node, broker.log_folder());
                if client::is_unfinished(&tree) || active.is_none() || compacted != active {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Writes a topic and deletes it.
    fn delete(&self, environment: &Environment, sizes: &Sizes) -> Result<()> {
        self.recorder.stage("topic deleted");
        self.create(GONE_TOPIC, SEGMENT_BYTES, &[])?;
        self.produce(environment, GONE_TOPIC, sizes.gone_records)?;
        self.testbed.sync()?;
        self.testbed.cluster.tools().delete_topic(GONE_TOPIC)?;
        self.wait("brokers have renamed the deleted topic's directories", |testbed| {
            for broker in testbed.cluster.brokers() {
                let tree = testbed.node(broker.id())?.list_tree(broker.log_folder())?;
                if client::deleted(&tree).len() != 1 {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Compares what the views say with the pool, and with what a client sees.
    fn compare(&mut self, environment: &Environment) -> Result<Moment> {
        let recorder = self.recorder;
        recorder.stage("another machine");
        let standby = self.testbed.boot_standby(environment, "standby", GUEST_MEMORY_MIB, MOVED)?;
        let noise: Vec<u8> = (0..OTHER_FILE_BYTES).map(noise).collect();
        let volume = self.testbed.log_folder(MOVED)?.parent().context("log directories are in the volume")?;
        standby.write_file(volume.join(OTHER_FILE), &noise)?;
        standby.sync()?;
        recorder.stage("views compared");
        let moment = Moment::catch(&self.testbed, &self.views, &standby)?;
        self.note()?;
        verdicts::tell(&moment, recorder);
        verdicts::rows(&moment, "", recorder);
        verdicts::sizes(&moment, recorder);
        let sharing = |topic| self.views.sharing(topic);
        verdicts::rebuilt(&moment, &sharing(REBUILT_TOPIC)?, recorder)?;
        let mut compacted = BTreeMap::new();
        for broker in self.testbed.cluster.brokers() {
            let found = compacted_to(&standby, broker.log_folder());
            compacted.insert(broker.id(), found.unwrap_or_default());
        }
        verdicts::compacted(&moment, &compacted, &sharing(KEYED_TOPIC)?, recorder)?;
        verdicts::deleted(&moment, recorder);
        self.standby = Some(standby);
        self.check_exact(&moment)?;
        self.check_cleanup(&moment)?;
        Ok(moment)
    }

    /// Checks the clean-up list, in which directories are when brokers had time to delete them.
    fn check_cleanup(&self, moment: &Moment) -> Result<()> {
        let mut expected = BTreeMap::new();
        for broker in self.testbed.cluster.brokers() {
            let tree = moment.trees.get(&broker.id()).context("the client has looked at all brokers")?;
            let folder = broker.log_folder().file_name().context("a log directory has a name")?;
            let address = self.testbed.node(broker.id())?.address().to_string();
            for directory in client::deleted(tree) {
                let path = format!("/{VOLUME}/{}/{directory}", folder.to_string_lossy());
                expected.insert(path, Some(address.clone()));
            }
        }
        let deadline = Instant::now() + DELETED_AFTER + Duration::from_secs(10);
        let mut found = self.views.cleanup()?;
        while found.len() < expected.len() && Instant::now() < deadline {
            std::thread::sleep(PAUSE);
            found = self.views.cleanup()?;
        }
        verdicts::cleanup(&expected, &found, self.recorder);
        Ok(())
    }

    /// Counts the topic that stores most completely, and compares the report with that.
    fn check_exact(&self, moment: &Moment) -> Result<()> {
        let largest = moment.topics.iter().max_by_key(|topic| topic.figures.bytes_stored);
        let largest = largest.context("the cluster has topics")?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let before = self.views.fresh_topic(&largest.topic)?;
            let begun = Instant::now();
            let exact = self.views.exact(&largest.topic)?;
            let seconds = begun.elapsed().as_secs_f64();
            let after = self.views.fresh_topic(&largest.topic)?;
            // Data written in between is in only one of the reports.
            if before.figures == after.figures {
                self.recorder.figure("exact_s", "All chunks of the largest topic counted", seconds, "s");
                verdicts::exact(&before, &exact, self.recorder);
                return Ok(());
            }
            ensure!(Instant::now() < deadline, "the largest topic changes all the time");
        }
    }

    /// Lets another machine take a broker's place, and checks where the views say that it runs.
    fn move_broker(&mut self, environment: &Environment) -> Result<()> {
        let recorder = self.recorder;
        recorder.stage("broker moves");
        let standby = self.standby.take().context("the other machine has been booted")?;
        let mut expected = self.addresses()?;
        self.check_holders("before", "Each broker runs where the views say that it does", &expected, "up")?;
        self.testbed.cluster.stop_broker(MOVED)?;
        recorder.end(&self.testbed.actor(MOVED), Tone::Plain);
        let title = "A broker that has stopped is gone from its log directory, and the others are not";
        let seconds = self.check_holders("gone", title, &expected, "gone")?;
        recorder.figure("gone_s", "Until the views show that a broker has stopped", seconds, "s");
        expected.insert(MOVED, standby.address().to_string());
        self.testbed.move_broker(environment, MOVED, standby)?;
        recorder.begin(&self.testbed.actor(MOVED), "serving again", Tone::Good);
        let title = "The holder of .lock follows a broker that moves to another machine";
        let seconds = self.check_holders("moved", title, &expected, "up")?;
        recorder.figure(
            "moved_s",
            "Until the views show the new machine of a broker that serves",
            seconds,
            "s",
        );
        let moment = Moment::catch(&self.testbed, &self.views, self.testbed.node(MOVED)?)?;
        verdicts::rows(&moment, "_moved", recorder);
        self.note()
    }

    fn addresses(&self) -> Result<BTreeMap<u32, String>> {
        let brokers = self.testbed.cluster.brokers().iter();
        brokers
            .map(|broker| Ok((broker.id(), self.testbed.node(broker.id())?.address().to_string())))
            .collect()
    }

    /// Checks that brokers are at these addresses, and the one that moves is in a state. Returns after how many seconds it is so.
    fn check_holders(
        &self,
        name: &str,
        title: &str,
        expected: &BTreeMap<u32, String>,
        state: &str,
    ) -> Result<f64> {
        let begun = Instant::now();
        loop {
            let found = self.views.brokers()?;
            let wrong = verdicts::wrong_holders(&found, expected, state);
            let is_late = begun.elapsed() > Duration::from_secs(20);
            if wrong.is_empty() || is_late {
                let detail = if wrong.is_empty() {
                    let places: Vec<String> = expected
                        .iter()
                        .map(|(broker, address)| format!("broker {broker} at {address}"))
                        .collect();
                    places.join(", ")
                } else {
                    wrong.join(", ")
                };
                self.recorder.check(&format!("holder_{name}"), title, wrong.is_empty(), detail);
                return Ok(begun.elapsed().as_secs_f64());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// The offset up to which a broker has compacted the topic with keys, if it has a checkpoint.
fn compacted_to(node: &crate::host::Node, log_folder: &std::path::Path) -> Option<u64> {
    let checkpoint = node.read_file(log_folder.join("cleaner-offset-checkpoint")).ok()?;
    client::compacted_to(&String::from_utf8_lossy(&checkpoint), KEYED_TOPIC)
}

/// A byte of a file that cannot be compressed.
fn noise(at: usize) -> u8 {
    let mixed = (at as u64).wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed >> 56) as u8
}
