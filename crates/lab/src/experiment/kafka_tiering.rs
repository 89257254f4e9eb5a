//! `kafka-tiering`: do Kafka's own integration tests of tiered storage pass with the plugin?
//!
//! The tests run in a guest. Their brokers keep their log directories on the storage, which is mounted there, so segments can be copied by
//! reference.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::definition::Experiment;
use crate::cluster::{KafkaTests, TestClass, TestLine};
use crate::host::{Environment, Guest, GuestCommand, GuestSpec, Process};
use crate::report::{Excerpt, Recorder, Subject};
use crate::request::{Fault, Request, StorageKind};
use crate::testbed::Tier;

/// The experiment.
pub struct KafkaTiering;

const TARGET: &str = "/mnt/kafka";
/// In the guest. Kafka's tests make their folders there.
const FOLDER: &str = "/mnt/kafka/tests";
const GUEST_MEMORY_MIB: u32 = 2560;
/// Time limit for one test.
const TEST_PATIENCE: Duration = Duration::from_secs(600);
const PAUSE: Duration = Duration::from_millis(200);
const LOG: &str = "kafka-tests.log";

/// The classes of Kafka's tests. Each is a part.
const CLASSES: [&str; 17] = [
    "AlterLogDirTest",
    "DeleteSegmentsByRetentionSizeTest",
    "DeleteSegmentsByRetentionTimeTest",
    "DeleteSegmentsDueToLogStartOffsetBreachTest",
    "DeleteTopicTest",
    "DisableRemoteLogOnTopicTest",
    "EnableRemoteLogOnTopicTest",
    "FetchFromLeaderWithCorruptedCheckpointTest",
    "ListOffsetsTest",
    "OffloadAndConsumeFromLeaderTest",
    "OffloadAndTxnConsumeFromLeaderTest",
    "PartitionsExpandTest",
    "ReassignReplicaExpandTest",
    "ReassignReplicaMoveTest",
    "ReassignReplicaShrinkTest",
    "RollAndOffloadActiveSegmentTest",
    "TransactionsWithTieredStoreTest",
];

impl Experiment for KafkaTiering {
    fn name(&self) -> &'static str {
        "kafka-tiering"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Kafka's own tests of tiered storage",
            question: "Do the integration tests that Kafka has for tiered storage pass with the plugin, unmodified, by reference and by \
                       upload?",
            method: "The tests of Kafka 4.1.0 run in a guest, three brokers in one process, whose log directories are on the mounted storage. \
                     Kafka's class for a tier in a directory is replaced by one that keeps the same files and passes each call to the plugin. \
                     The tests look at these files; what brokers fetch comes from the plugin, and each byte is compared with the files.",
        }
    }

    fn takes_tiers(&self) -> bool {
        true
    }

    fn default_faults(&self) -> &'static [Fault] {
        &[]
    }

    fn needs_kafka_tests(&self) -> bool {
        true
    }

    fn parts(&self) -> &'static [&'static str] {
        &CLASSES
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        matches!(kind, StorageKind::Forebay | StorageKind::Local)
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let tests = KafkaTests::open(&request.cache.folder, recorder.progress())?;
        recorder.version("kafka", tests.kafka_version());
        recorder.stage("storage");
        let (tier, mut storage) = Tier::start(environment, request, recorder)?;
        let settings = tier.plugin_settings();
        ensure!(
            !settings.is_empty(),
            "tier {} does not use the plugin: name one with an S3 server",
            tier.kind()
        );
        for (name, version) in storage.versions() {
            recorder.version(&name, version);
        }
        recorder.setting("tier", tier.kind().name());
        let how = if tier.is_by_reference() { "by reference" } else { "by upload" };
        recorder.setting("segments are copied", how);
        recorder.setting("guest's memory, MiB", GUEST_MEMORY_MIB);
        let mut spec = GuestSpec::new("tests", GUEST_MEMORY_MIB);
        storage.prepare(environment, &mut spec)?;
        let guests = environment.boot_all(&[spec])?;
        let guest = guests.first().context("one guest was asked for")?;
        storage.mount(guest, TARGET)?;
        let wanted = CLASSES.into_iter().filter(|class| request.wants(class));
        let (mut copies, mut known) = (0, Vec::new());
        for class in wanted.flat_map(|class| (0..request.repetitions.unwrap_or(1)).map(move |_| class)) {
            recorder.stage(class);
            guest.make_folder(FOLDER)?;
            let words = tests.words(tier.plugin(), &settings, FOLDER, class);
            let command = GuestCommand::from_words(words).folder(FOLDER).log(environment.logs().join(LOG));
            let ran = run_class(guest, &command, class, recorder)?;
            copies += ran.copies;
            known = ran.known;
        }
        check_known(&known, recorder);
        recorder.figure("copies", "Segments copied", copies as f64, "");
        recorder.check("copied", &format!("Segments were copied {how}"), copies > 0, copies);
        recorder.stage("unmounting");
        guest.unmount(TARGET)?;
        guest.stop()?;
        storage.stop()?;
        let count = if request.parts.is_empty() { CLASSES.len() } else { request.parts.len() };
        Ok(format!("{count} of {count} classes of Kafka's tests passed with segments copied {how}"))
    }
}

/// What the program said of a class.
#[derive(Default)]
struct Ran {
    /// The names of all classes of Kafka's tests.
    known: Vec<String>,
    /// Whether the class has ended.
    has_ended: bool,
    /// Segments that were copied.
    copies: u64,
    /// The number of lines that were read.
    lines: usize,
}

/// Runs the program for a class, and records a check. Each class has a process of its own, so that one which fails does not disturb the others.
fn run_class(guest: &Guest, command: &GuestCommand, class: &str, recorder: &Recorder) -> Result<Ran> {
    let process = guest.spawn(command)?;
    let mut ran = Ran::default();
    let mut last = Instant::now();
    let how = loop {
        let exit = process.exit()?;
        if ran.read(&process, recorder) {
            last = Instant::now();
        }
        match exit {
            Some(exit) => break exit.to_string(),
            None if last.elapsed() > TEST_PATIENCE => {
                break format!("a test did not end in {} s", TEST_PATIENCE.as_secs());
            }
            None => std::thread::sleep(PAUSE),
        }
    };
    if !ran.has_ended {
        recorder.check(class, class, false, format_args!("it did not end ({how}); see logs/{LOG}"));
    }
    Ok(ran)
}

impl Ran {
    /// Reads what is new. Returns whether there was anything.
    fn read(&mut self, process: &Process, recorder: &Recorder) -> bool {
        let said = process.output().0;
        // The last line may not be complete.
        let complete = said.rfind('\n').map_or("", |end| said.get(..end).unwrap_or_default());
        let lines: Vec<&str> = complete.lines().skip(self.lines).collect();
        self.lines += lines.len();
        for line in lines.iter().filter_map(|line| serde_json::from_str(line).ok()) {
            match line {
                TestLine::Plan { classes } => self.known = classes,
                TestLine::Test { name } => recorder.detail(name),
                TestLine::Class(class) => {
                    tell(&class, recorder);
                    self.has_ended = true;
                    self.copies += class.copies;
                }
                TestLine::Summary {} => {}
            }
        }
        !lines.is_empty()
    }
}

/// Checks that the lab knows all classes of Kafka's tests.
fn check_known(known: &[String], recorder: &Recorder) {
    let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    let detail = match known.iter().find(|class| !CLASSES.contains(class)) {
        None => format!("{} classes", known.len()),
        Some(unknown) => format!("the lab does not know {unknown}"),
    };
    recorder.check("classes", "The lab knows every class of Kafka's tests", known == CLASSES.into(), detail);
}

/// Records the result of a class.
fn tell(class: &TestClass, recorder: &Recorder) {
    let name = &class.name;
    let passed = class.failures.is_empty() && class.passed > 0 && class.skipped == 0;
    let mut detail = format!(
        "{} of {} tests passed, {} segments copied, {:.0} s",
        class.passed,
        class.passed + class.skipped + class.failures.len() as u64,
        class.copies,
        class.seconds
    );
    if let Some((test, why)) = class.failures.first_key_value() {
        detail = format!("{detail}; {test}: {}", why.lines().next().unwrap_or_default());
        recorder.excerpt(Excerpt {
            title: format!("Failures of {name}"),
            file: format!("logs/{LOG}"),
            lines: class.failures.iter().map(|(test, why)| format!("{test}: {why}")).collect(),
            highlight: String::new(),
        });
    }
    recorder.check(name, name, passed, detail);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::report::Verdict;

    fn verdict(line: &str) -> Verdict {
        let recorder = Recorder::new(Progress::silent());
        let Ok(TestLine::Class(class)) = serde_json::from_str(line) else { panic!("not a class: {line}") };
        tell(&class, &recorder);
        recorder.finish("kafka-tiering", "forebay", "laptop", "").verdict
    }

    #[test]
    fn a_class_that_the_lab_does_not_know_is_noticed() {
        let verdict = |known: &[&str]| {
            let recorder = Recorder::new(Progress::silent());
            check_known(&known.iter().map(|class| (*class).to_owned()).collect::<Vec<_>>(), &recorder);
            recorder.finish("kafka-tiering", "forebay", "laptop", "").verdict
        };
        assert_eq!(verdict(&CLASSES), Verdict::Pass);
        assert_eq!(verdict(&CLASSES[1..]), Verdict::Fail);
        assert_eq!(verdict(&[&CLASSES[..], &["NewTest"]].concat()), Verdict::Fail);
    }

    #[test]
    fn a_class_passes_if_it_ran_tests_and_all_passed() {
        let line = |passed: u64, skipped: u64, failures: &str| {
            format!(
                r#"{{"event":"class","name":"AlterLogDirTest","seconds":1.5,"passed":{passed},"skipped":{skipped},"copies":2,"failures":{failures}}}"#
            )
        };
        assert_eq!(verdict(&line(1, 0, "{}")), Verdict::Pass);
        assert_eq!(verdict(&line(0, 0, "{}")), Verdict::Fail);
        assert_eq!(verdict(&line(1, 1, "{}")), Verdict::Fail);
        assert_eq!(verdict(&line(1, 0, r#"{"a":"late"}"#)), Verdict::Fail);
    }
}
