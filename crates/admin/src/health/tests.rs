//! Each rule, on observations that someone could make: it fires where it should, and not where it should not.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use forebay_nfs::NfsCounters;
use forebay_nfs::state::{ClientTraffic, Condition, GraceView};
use forebay_nfs::statistics::{FailureCounts, FailureKey, OperationStatistics, StatusClass};
use forebay_nfs_proto::xdr::nfs4::OpCode;
use forebay_ownership::Beats;
use forebay_pool::store::ObjectCounts;
use forebay_pool::{Histogram, LastStop, PoolCounters, ScrubStatus, Space, Stored, VolumeId};
use forebay_s3::counters::{BucketCounts, S3Counters};
use forebay_s3::statistics::{Class, OperationCounts};

use super::evaluation::Health;
use super::rule::Source;
use super::rules;
use super::tracker::Moment;
use crate::kafka::digest::{BrokerName, DeletedSeen, Digest, GrowingSeen, OlderSeen, UnsharedSeen};
use crate::kafka::holders::{Broker, BrokerState, Holding};
use crate::metrics::{KafkaSeen, Observation, RefusedClient, VolumeSeen};
use crate::test_support::{beats, client_traffic, cluster, service, sources_of};
use crate::views::SynchronousState;

const GIB: u64 = 1 << 30;
/// A time long after 1970, so that there is a before.
const NOW: Duration = Duration::from_secs(1_700_000_000);

/// A daemon whose observations the test makes.
struct Story {
    health: Health,
    healthy: Observation,
    uptime: u64,
}

impl Story {
    async fn new() -> Story {
        let service = service().await;
        let mut healthy = Observation::take(&sources_of(&service).await);
        let space = Space { bytes_total: 100 * GIB, bytes_free: 80 * GIB, ..Space::default() };
        healthy.pool = Some(PoolCounters { space, ..PoolCounters::default() });
        healthy.volumes = vec![volume(10, Some(100))];
        (healthy.nfs, healthy.s3) = (NfsCounters::default(), Some(S3Counters::default()));
        (healthy.process.files, healthy.process.files_max) = (100, 1000);
        healthy.run.last_stop = LastStop::Clean;
        healthy.run.started = Some(SystemTime::UNIX_EPOCH + NOW);
        Story { health: Health::new(service), healthy, uptime: 0 }
    }

    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + NOW + Duration::from_secs(self.uptime)
    }

    /// Evaluates what is seen that many seconds later. Returns the names of the rules that fire.
    fn later(&mut self, seconds: u64, change: impl Fn(&mut Observation)) -> Vec<&'static str> {
        self.uptime += seconds;
        let mut seen = self.healthy.clone();
        change(&mut seen);
        self.health.evaluate_at(&seen, Moment { now: self.now(), uptime: Duration::from_secs(self.uptime) });
        self.names()
    }

    /// The same, every five seconds.
    fn during(&mut self, seconds: u64, change: impl Fn(&mut Observation, u64)) -> Vec<&'static str> {
        for step in 0..seconds / 5 {
            self.later(5, |seen| change(seen, step));
        }
        self.names()
    }

    fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.health.report().firing.iter().map(|alert| alert.rule.name).collect();
        names.sort_unstable();
        names
    }

    /// The object, the message and the remedy of the only alert.
    fn only(&self) -> (String, String, String) {
        let report = self.health.report();
        let [alert] = &report.firing[..] else { panic!("{:?}", self.names()) };
        (alert.object.clone(), alert.message.clone(), alert.remedy.clone())
    }
}

fn volume(used_gib: u64, size_gib: Option<u64>) -> VolumeSeen {
    let mut volume = VolumeSeen::default();
    (volume.usage.id, volume.usage.name) = (Some(VolumeId(1)), "kafka".to_owned());
    (volume.usage.bytes_logical, volume.usage.size) = (used_gib * GIB, size_gib.map(|size| size * GIB));
    volume
}

fn pool(seen: &mut Observation) -> &mut PoolCounters {
    seen.pool.as_mut().unwrap()
}

fn failures(class: StatusClass, count: u64, at: SystemTime) -> FailureCounts {
    let client = IpAddr::from([10, 1, 0, 12]);
    let key = FailureKey { volume: Some(VolumeId(1)), client, class };
    FailureCounts { key, count, since: at, last: at, operation: Some(OpCode::Commit) }
}

fn commits(histogram: &Histogram) -> OperationStatistics {
    let times = histogram.distribution();
    OperationStatistics {
        operation: Some(OpCode::Commit),
        count: times.count(),
        failures: Vec::new(),
        p50: Duration::ZERO,
        p99: Duration::ZERO,
        times,
        waits: 0,
        waited: Duration::ZERO,
    }
}

fn client(condition: Condition, silence: u64) -> ClientTraffic {
    ClientTraffic { condition, silence: Duration::from_secs(silence), ..client_traffic(7) }
}

const NONE: [&str; 0] = [];

#[tokio::test]
async fn a_healthy_daemon_has_no_alert_for_a_day() {
    let mut story = Story::new().await;
    let histogram = Histogram::default();
    for _ in 0..1440 {
        for _ in 0..100 {
            histogram.record(Duration::from_millis(20));
        }
        assert_eq!(story.later(60, |seen| seen.nfs.operations = vec![commits(&histogram)]), NONE);
    }
    assert!(story.health.report().firing.iter().all(|alert| alert.rule.severity == super::Severity::Info));
}

/// Observations, each of which makes one rule fire at once and others not at all.
#[tokio::test]
async fn each_rule_without_a_hold_time_fires_at_once_and_is_resolved() {
    type Change = fn(&mut Observation, SystemTime);
    let cases: &[(&str, Change)] = &[
        ("ForebayPoolStopped", |seen, _| pool(seen).stopped = true),
        ("ForebayDamageFound", |seen, _| pool(seen).frames_damaged = 1),
        ("ForebayDamageFound", |seen, _| {
            pool(seen).scrub = ScrubStatus { damaged: 2, ..ScrubStatus::default() }
        }),
        ("ForebayDiskDoesNotRead", |seen, _| pool(seen).frames_unreadable = 1),
        ("ForebaySegmentsMissing", |seen, _| {
            pool(seen).stored = Stored { segments_missing: 1, ..Stored::default() }
        }),
        ("ForebaySegmentsSetAside", |seen, _| {
            pool(seen).stored = Stored { lost_found_segments: 1, ..Stored::default() }
        }),
        ("ForebayPoolDegraded", |seen, _| pool(seen).scrub.degraded = true),
        ("ForebayScrubVerifiedNothing", |seen, now| {
            pool(seen).scrub = ScrubStatus { finished: Some(now), ..ScrubStatus::default() };
            pool(seen).stored = Stored { bytes_live: GIB, ..Stored::default() };
        }),
        ("ForebayMetadataRescued", |seen, _| pool(seen).metadata.rescued = 1),
        ("ForebayUpgradeNotFinalized", |seen, _| {
            seen.format.as_mut().unwrap().found -= 1;
        }),
        ("ForebayBucketDoesNotAnswer", |seen, _| {
            let out_for_ms = 5000;
            pool(seen).objects = Some(ObjectCounts { out_for_ms, ..ObjectCounts::default() });
        }),
        ("ForebayBackupFailed", |seen, _| seen.backups.error = Some("no space".to_owned())),
        ("ForebayBackupOverdue", |seen, _| {
            let day = Duration::from_secs(86_400);
            (seen.backups.every, seen.backups.overdue) = (Some(day), day + Duration::from_secs(1));
        }),
        ("ForebayNoSpaceForClients", |seen, now| {
            seen.nfs.failures = vec![failures(StatusClass::Space, 1, now)]
        }),
        ("ForebayVolumeFull", |seen, _| seen.volumes = vec![volume(99, Some(100))]),
        ("ForebayVolumeNearlyFull", |seen, _| seen.volumes = vec![volume(90, Some(100))]),
        ("ForebayPoolFull", |seen, _| pool(seen).space.bytes_free = 2 * GIB),
        ("ForebayPoolNearlyFull", |seen, _| pool(seen).space.bytes_free = 9 * GIB),
        ("ForebayPoolNearlyFull", |seen, _| {
            let pool = pool(seen);
            (pool.space.bytes_free, pool.deleted_volumes, pool.deleted_bytes_logical) = (9 * GIB, 2, GIB);
        }),
        ("ForebayServerFails", |seen, now| seen.nfs.failures = vec![failures(StatusClass::Io, 1, now)]),
        ("ForebayGracePeriod", |seen, _| seen.nfs.grace = Some(GraceView::default())),
        ("ForebayGracePeriodStays", |seen, _| {
            seen.nfs.grace = Some(GraceView { elapsed: Duration::from_secs(301), ..GraceView::default() });
        }),
        ("ForebayClientsRefused", |seen, now| {
            let (client, volume) = (IpAddr::from([10, 9, 9, 9]), "kafka".to_owned());
            let (cause, remedy) = ("no rule".to_owned(), Some("`forebay export rule add`".to_owned()));
            seen.run.refused = vec![RefusedClient { client, volume, cause, remedy, last: now }];
        }),
        ("ForebayConnectionsRefused", |seen, _| seen.nfs.events.connections_refused = 1),
        ("ForebayHandshakesFail", |seen, _| seen.nfs.events.tls_handshakes_failed = 11),
        ("ForebayUncleanStop", |seen, _| seen.run.last_stop = LastStop::Unclean),
        ("ForebayCertificateEnds", |seen, now| {
            seen.nfs.certificate_expires = Some(now + Duration::from_secs(13 * 86_400))
        }),
        ("ForebayCertificateEnds", |seen, now| {
            seen.run.certificate_expires = Some(now + Duration::from_secs(13 * 86_400))
        }),
        ("ForebayCertificateExpired", |seen, now| {
            seen.s3.as_mut().unwrap().certificate_expires = Some(now - Duration::from_secs(1));
        }),
        ("ForebayS3Fails", |seen, _| s3(seen, Class::ServerError, 1)),
        ("ForebayS3NoSpace", |seen, _| s3(seen, Class::NoSpace, 1)),
        ("ForebayS3ConnectionsRefused", |seen, _| seen.s3.as_mut().unwrap().connections.refused = 1),
        ("ForebayS3SignaturesRefused", |seen, _| seen.s3.as_mut().unwrap().refused = [500, 500, 0, 0]),
        ("ForebayS3BucketNearlyFull", |seen, _| {
            let bucket =
                BucketCounts { name: "tiered".into(), bytes: 95, size: Some(100), ..BucketCounts::default() };
            seen.s3.as_mut().unwrap().buckets = vec![bucket];
        }),
        ("ForebayKafkaNodeTwice", |seen, now| {
            let other = Broker { volume: "copy".into(), ..broker(BrokerState::Up(holding(13, now))) };
            kafka(seen).brokers = vec![broker(BrokerState::Up(holding(12, now))), other];
        }),
        ("ForebayNodeFenced", |seen, now| seen.node = Some(node(now))),
        ("ForebayBeatFails", |seen, _| {
            let mut beats = beats();
            // It was taken long ago.
            (beats.age, beats.failures, beats.owner.since) = (Duration::from_secs(4), 0, 0);
            seen.node = Some(beats);
        }),
    ];
    for (name, change) in cases {
        let mut story = Story::new().await;
        assert_eq!(story.later(5, |_| {}), NONE);
        let at = story.now() + Duration::from_secs(5);
        assert_eq!(story.later(5, |seen| change(seen, at)), [*name]);
        let (object, message, remedy) = story.only();
        assert!(
            !object.is_empty() && message.ends_with('.') && remedy.len() > 10,
            "{name}: {object}: {message}"
        );
        let events = story.health.events();
        assert!(events.contains(&format!("({name})")), "{events}");
        // Counters stay, and what they count is over after hours.
        for _ in 0..5 {
            story.later(3600, |_| {});
        }
        assert_eq!(story.names(), NONE, "{name}");
        assert_eq!(story.health.report().resolved.len(), 1);
    }
}

fn s3(seen: &mut Observation, class: Class, count: u64) {
    let mut classes = [0; Class::ALL.len()];
    classes[class as usize] = count;
    let operation =
        OperationCounts { name: "PutObject", classes, times: Histogram::default().distribution() };
    seen.s3.as_mut().unwrap().operations = vec![operation];
}

fn minutes(count: u64) -> Duration {
    Duration::from_secs(count * 60)
}

fn kafka(seen: &mut Observation) -> &mut KafkaSeen {
    seen.kafka.get_or_insert_default()
}

fn holding(host: u8, since: SystemTime) -> Holding {
    Holding { address: IpAddr::from([10, 1, 0, host]), owner: "Linux NFSv4.2 host".into(), since }
}

fn broker(state: BrokerState) -> Broker {
    let (cluster, volume) = ("c".to_owned(), "kafka".to_owned());
    Broker { cluster, directory: 0, volume, node: Some(3), is_clean: false, state }
}

#[tokio::test]
async fn a_broker_that_stopped_in_order_and_one_that_never_ran_are_no_alert() {
    let mut story = Story::new().await;
    let since = SystemTime::UNIX_EPOCH + NOW;
    let with = |brokers: Vec<Broker>| move |seen: &mut Observation| kafka(seen).brokers.clone_from(&brokers);
    let gone = broker(BrokerState::Gone(holding(12, since)));
    let quiet = vec![Broker { is_clean: true, ..gone.clone() }, broker(BrokerState::Never)];
    story.later(5, with(quiet.clone()));
    assert_eq!(story.later(300, with(quiet)), NONE);
    story.later(5, with(vec![gone.clone()]));
    assert_eq!(story.later(300, with(vec![gone.clone()])), ["ForebayKafkaBrokerGone"]);
    let (object, message, _) = story.only();
    assert_eq!(object, "broker 3 of c");
    assert!(
        message.contains("10.1.0.12") && message.contains("nobody holds .lock on volume kafka"),
        "{message}"
    );
    // The operator knows by then.
    assert_eq!(story.later(90_000, with(vec![gone])), NONE);
    // Two log directories of one broker are no double start.
    let both = vec![broker(BrokerState::Up(holding(12, since))), broker(BrokerState::Up(holding(12, since)))];
    assert_eq!(story.later(5, with(both)), NONE);
}

fn growing() -> Digest {
    let (cluster, topics) = ("c".to_owned(), 2);
    let seen = GrowingSeen { cluster, topics, last_day: 40 * GIB, usual: 9 * GIB };
    Digest { growing: vec![seen], ..Digest::default() }
}

fn older() -> Digest {
    let broker = BrokerName { cluster: "c".to_owned(), node: Some(3) };
    let [age, age_of_peers] = [21, 7].map(|days| Duration::from_secs(days * 86_400));
    Digest { older: vec![OlderSeen { broker, replicas: 1, age, age_of_peers }], ..Digest::default() }
}

#[tokio::test]
async fn alerts_about_topics_have_numbers_and_no_names_of_topics() {
    let mut story = Story::new().await;
    story.later(5, |seen| kafka(seen).digest = Arc::new(growing()));
    assert_eq!(story.later(600, |seen| kafka(seen).digest = Arc::new(growing())), ["ForebayKafkaTopicGrows"]);
    let (object, message, _) = story.only();
    assert_eq!(object, "Kafka cluster c");
    assert_eq!(message, "2 topics of it have grown by 40 GiB in the last day, and usually grow by 9 GiB.");
    let mut story = Story::new().await;
    story.later(5, |seen| kafka(seen).digest = Arc::new(older()));
    let later = story.later(3600, |seen| kafka(seen).digest = Arc::new(older()));
    assert_eq!(later, ["ForebayKafkaRetentionDiffers"]);
    let (object, message, _) = story.only();
    assert_eq!(object, "broker 3 of c");
    assert!(
        message.contains("1 replica of it keeps") && message.contains("21 days old, theirs 7 days"),
        "{message}"
    );
}

fn node(now: SystemTime) -> Beats {
    let mut beats = beats();
    beats.owner.since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    beats.failures = 0;
    beats
}

#[tokio::test]
async fn rules_with_a_hold_time_wait_for_it() {
    type Change = fn(&mut Observation);
    let cases: &[(&str, u64, Change)] = &[
        ("ForebayClientSilent", 60, |seen| seen.nfs.clients = vec![client(Condition::Courteous, 70)]),
        ("ForebayKafkaBrokerGone", 120, |seen| {
            let since = SystemTime::UNIX_EPOCH + NOW;
            kafka(seen).brokers = vec![broker(BrokerState::Silent(holding(12, since), minutes(3)))];
        }),
        ("ForebayKafkaDeletedStays", 60, |seen| {
            let since = SystemTime::UNIX_EPOCH + NOW;
            let deleted = DeletedSeen { broker: BrokerName::default(), since, bytes_in_files: GIB };
            let digest = Digest {
                taken: Some(since + minutes(16)),
                deleted: vec![deleted],
                deleted_after: minutes(10),
                ..Digest::default()
            };
            kafka(seen).digest = Arc::new(digest);
        }),
        ("ForebayKafkaReplicaNotShared", 86_400, |seen| {
            let (broker, reason) = (BrokerName::default(), "it was rebuilt".to_owned());
            let unshared = UnsharedSeen { broker, shared_permille: 380, bytes_in_files: GIB, reason };
            kafka(seen).digest = Arc::new(Digest { unshared: vec![unshared], ..Digest::default() });
        }),
        ("ForebayKafkaTopicGrows", 600, |seen| kafka(seen).digest = Arc::new(growing())),
        ("ForebayKafkaRetentionDiffers", 3600, |seen| kafka(seen).digest = Arc::new(older())),
        ("ForebayClientCannotLeave", 600, |seen| seen.nfs.census.leaving = 1),
        ("ForebayAlertsNotDelivered", 60, |seen| {
            seen.alert_targets_failing = vec![("mail".to_owned(), "no such user".to_owned())];
        }),
        ("ForebayFilesShort", 60, |seen| seen.process.files = 950),
        ("ForebayMetadataInOneCopy", 300, |seen| pool(seen).metadata.wanted = 2),
        ("ForebaySnapshotMissed", 600, |seen| {
            pool(seen).snapshots_due = vec![("kafka".to_owned(), forebay_pool::Period::Daily)];
        }),
        ("ForebayNobodyWaits", 300, |seen| {
            seen.cluster = Some(cluster(SynchronousState::Guarded, true));
        }),
        ("ForebayCommitsUnguarded", 300, |seen| {
            seen.cluster = Some(cluster(SynchronousState::Unguarded, false));
        }),
        ("ForebayScrubOverdue", 3600, |seen| pool(seen).scrub.finished = Some(SystemTime::UNIX_EPOCH)),
    ];
    for (name, hold, change) in cases {
        let mut story = Story::new().await;
        assert_eq!(story.later(5, change), NONE, "{name}");
        assert_eq!(story.later(hold - 5, change), NONE, "{name}");
        assert_eq!(story.later(5, change), [*name]);
        for _ in 0..3 {
            story.later(3600, |_| {});
        }
        assert_eq!(story.names(), NONE, "{name}");
    }
}

#[tokio::test]
async fn a_pool_that_nobody_ever_waited_for_is_no_alert() {
    let mut story = Story::new().await;
    for _ in 0..3 {
        let alone = |seen: &mut Observation| seen.cluster = Some(cluster(SynchronousState::Unknown, false));
        assert_eq!(story.later(300, alone), NONE);
    }
    let unreadable = |seen: &mut Observation| {
        let mut cluster = cluster(SynchronousState::Missing, true);
        cluster.view.items.iter_mut().for_each(|pool| pool.candidates = None);
        seen.cluster = Some(cluster);
    };
    for _ in 0..3 {
        assert_eq!(story.later(300, unreadable), NONE);
    }
}

#[tokio::test]
async fn every_rule_of_the_daemon_is_tested_here() {
    let tests = include_str!("tests.rs");
    for rule in rules::all().filter(|rule| matches!(rule.source, Source::Daemon { .. })) {
        assert!(tests.contains(&format!("\"{}\"", rule.name)), "{} is not tested", rule.name);
    }
}

#[tokio::test]
async fn clients_that_find_no_space_are_named_with_the_cause_and_the_command() {
    let mut story = Story::new().await;
    let now = story.now();
    let full = move |count| {
        move |seen: &mut Observation| {
            seen.volumes = vec![volume(95, Some(100))];
            seen.nfs.failures = vec![failures(StatusClass::Space, count, now)];
        }
    };
    story.later(0, full(41));
    let report = story.health.report();
    let alert = report.firing.iter().find(|alert| alert.rule.name == "ForebayNoSpaceForClients").unwrap();
    assert_eq!(alert.object, "volume kafka");
    for part in
        ["41 times in the last minute", "10.1.0.12", "COMMIT", "95 GiB of 100 GiB", "Kafka stops a broker"]
    {
        assert!(alert.message.contains(part), "{part}: {}", alert.message);
    }
    assert!(alert.remedy.starts_with("`forebay volume resize kafka 125GiB`"), "{}", alert.remedy);
    story.during(180, |seen, _| full(41)(seen));
    let report = story.health.report();
    let alert = report.firing.iter().find(|alert| alert.rule.name == "ForebayNoSpaceForClients").unwrap();
    assert!(
        alert.message.contains("last 3 min ago"),
        "brokers that were stopped do not try again: {}",
        alert.message
    );
    assert!(!story.during(600, |seen, _| full(41)(seen)).contains(&"ForebayNoSpaceForClients"));
}

#[tokio::test]
async fn clients_that_have_not_come_back_are_named() {
    let mut story = Story::new().await;
    story.later(1, |seen| {
        let missing = Some(vec![axum::body::Bytes::from_static(b"Linux NFSv4.2 broker-3")]);
        let remaining = Duration::from_secs(32);
        seen.nfs.grace = Some(GraceView { remaining, missing, missing_count: 1, ..GraceView::default() });
    });
    let (object, message, _) = story.only();
    assert_eq!(object, "NFS");
    assert!(
        message.contains("ends in 32 s") && message.contains("1 client has not come back: broker-3"),
        "{message}"
    );
}

#[tokio::test]
async fn fsyncs_are_slow_against_their_usual_value_and_at_once() {
    let mut story = Story::new().await;
    let histogram = Histogram::default();
    let run = |story: &mut Story, seconds: u64, ms: u64| {
        for _ in 0..seconds / 5 {
            for _ in 0..20 {
                histogram.record(Duration::from_millis(ms));
            }
            story.later(5, |seen| seen.nfs.operations = vec![commits(&histogram)]);
        }
        story.names()
    };
    assert_eq!(run(&mut story, 30, 400), NONE, "nothing is usual yet");
    assert_eq!(run(&mut story, 5, 671), ["ForebayCommitsSlow"]);
    let (_, message, _) = story.only();
    assert!(message.contains("not known yet"), "{message}");
    assert_eq!(run(&mut story, 1200, 25), NONE);
    assert_eq!(run(&mut story, 5, 300), ["ForebayCommitsSlow"], "twelve times the usual value");
    let (_, message, _) = story.only();
    assert!(message.contains("usual: 2"), "{message}");
    assert_eq!(run(&mut story, 180, 25), NONE);
    assert_eq!(run(&mut story, 60, 80), NONE, "below a tenth of a second nobody is hurt");
}

#[tokio::test]
async fn slow_syncs_and_writers_that_wait_are_found_from_rates() {
    let mut story = Story::new().await;
    let syncs = Histogram::default();
    for step in 0..150_u64 {
        syncs.record(Duration::from_millis(900));
        story.later(5, |seen| {
            let pool = pool(seen);
            pool.metadata_syncs = syncs.distribution();
            (pool.writes, pool.write_waits) = (step * 100, step * 50);
        });
    }
    assert_eq!(story.names(), ["ForebaySyncsSlow", "ForebayWritersWait"]);
}

#[tokio::test]
async fn writes_that_never_become_durable_are_found_and_an_idle_pool_is_not() {
    let mut story = Story::new().await;
    assert_eq!(story.during(900, |seen, _| pool(seen).commit_groups = 600), NONE, "nothing is dirty");
    let stuck = story.during(600, |seen, _| (pool(seen).dirty_bytes, pool(seen).commit_groups) = (1000, 600));
    assert_eq!(stuck, ["ForebayNothingBecomesDurable"]);
    let busy = story
        .during(600, |seen, step| (pool(seen).dirty_bytes, pool(seen).commit_groups) = (1000, 600 + step));
    assert_eq!(busy, NONE);
}

#[tokio::test]
async fn memory_for_clients_slow_reads_and_the_lifecycle_of_s3_are_watched() {
    let mut story = Story::new().await;
    let refused = story.during(120, |seen, step| seen.nfs.memory.usage.refused = [0, 0, step + 1]);
    assert_eq!(refused, ["ForebayClientsWaitForMemory"]);
    let mut story = Story::new().await;
    let reads = Histogram::default();
    for _ in 0..80 {
        reads.record(Duration::from_secs(2));
        story.later(5, |seen| {
            let classes = [0; Class::ALL.len()];
            let operation = OperationCounts { name: "GetObject", classes, times: reads.distribution() };
            seen.s3.as_mut().unwrap().operations = vec![operation];
        });
    }
    assert_eq!(story.names(), ["ForebayS3ReadsSlow"]);
    let mut story = Story::new().await;
    let failing = story.during(600, |seen, step| seen.s3.as_mut().unwrap().lifecycle.failures = step.min(3));
    assert_eq!(failing, ["ForebayS3LifecycleFails"]);
}

#[tokio::test]
async fn a_pool_that_is_full_within_a_day_is_found_from_its_trend() {
    let mut story = Story::new().await;
    let mut free = 39 * GIB;
    for _ in 0..120 {
        free -= GIB / 10;
        story.later(60, |seen| pool(seen).space.bytes_free = free);
    }
    assert_eq!(story.names(), ["ForebayPoolFillsUp"]);
    let full_in = story.health.report().pool_full_in.unwrap();
    assert!(full_in > Duration::from_secs(3600) && full_in < Duration::from_secs(5 * 3600), "{full_in:?}");
}

#[tokio::test]
async fn the_node_that_took_a_released_pool_says_so_without_a_warning() {
    let mut story = Story::new().await;
    let mut beats = node(story.now());
    (beats.owner.takeover.silent_ms, beats.owner.takeover.fence_ms) = (0, None);
    assert_eq!(story.later(5, |seen| seen.node = Some(beats.clone())), ["ForebayPoolMoved"]);
    assert!(story.health.report().firing.iter().all(|alert| alert.rule.severity == super::Severity::Info));
}

#[tokio::test]
async fn an_observation_that_does_not_come_is_an_alert() {
    let mut story = Story::new().await;
    story.later(0, |_| {});
    story.health.pass(Duration::from_secs(19));
    story.health.note_absence(story.now());
    assert_eq!(story.names(), NONE);
    story.health.pass(Duration::from_secs(3));
    story.health.note_absence(story.now());
    assert_eq!(story.names(), ["ForebayEvaluationStalled"]);
    assert_eq!(story.later(30, |_| {}), NONE);
}

#[tokio::test]
async fn a_pool_that_deleted_volumes_fill_says_how_their_space_is_freed() {
    let mut story = Story::new().await;
    let nearly_full = story.later(5, |seen| {
        let pool = pool(seen);
        (pool.space.bytes_free, pool.deleted_volumes, pool.deleted_bytes_logical) = (9 * GIB, 2, GIB);
    });
    assert_eq!(nearly_full, ["ForebayPoolNearlyFull"]);
    let (_, message, remedy) = story.only();
    assert!(message.contains("2 deleted volumes with 1 GiB"), "{message}");
    assert!(remedy.contains("forebay volume purge"), "{remedy}");
}
