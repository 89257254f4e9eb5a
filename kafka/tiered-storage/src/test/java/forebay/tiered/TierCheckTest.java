package forebay.tiered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.server.log.remote.metadata.storage.serialization.RemoteLogMetadataSerde;
import org.apache.kafka.server.log.remote.storage.RemoteLogMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadataUpdate;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command that compares Kafka's metadata with the bucket. */
class TierCheckTest {
    private static final TopicPartition TOPIC = new TopicPartition("__remote_log_metadata", 0);
    private static final Instant LATER = Instant.now().plus(Duration.ofDays(3));

    @TempDir
    Path folder;

    private FakeS3 fake;
    private ForebayRemoteStorageManager plugin;
    private ObjectStore store;
    private MockConsumer<byte[], byte[]> consumer;
    private KafkaSegments kafka;
    private final RemoteLogMetadataSerde serde = new RemoteLogMetadataSerde();
    private long events;

    @BeforeEach
    void start() throws Exception {
        fake = new FakeS3();
        plugin = Plugins.start(fake, folder);
        store = new ObjectStore(Settings.parse(Plugins.settings(fake, folder)), new Metrics(), "test", UnaryOperator.identity());
        consumer = new MockConsumer<>("earliest");
        consumer.updatePartitions(TOPIC.topic(), List.of(new PartitionInfo(TOPIC.topic(), 0, null, null, null)));
        consumer.updateBeginningOffsets(Map.of(TOPIC, 0L));
        consumer.updateEndOffsets(Map.of(TOPIC, 0L));
        kafka = new KafkaSegments(consumer);
    }

    @AfterEach
    void stop() throws Exception {
        store.close();
        plugin.close();
        fake.close();
    }

    private void event(RemoteLogMetadata event) {
        consumer.addRecord(new ConsumerRecord<>(TOPIC.topic(), 0, events++, null, serde.serialize(event)));
        consumer.updateEndOffsets(Map.of(TOPIC, events));
    }

    private TestSegment begun(long offset) throws Exception {
        TestSegment segment = TestSegment.write(folder, offset, 10_000);
        event(segment.metadata());
        return segment;
    }

    private TestSegment finished(long offset) throws Exception {
        TestSegment segment = begun(offset);
        segment.copied(plugin.copyLogSegmentData(segment.metadata(), segment.data));
        update(segment, RemoteLogSegmentState.COPY_SEGMENT_FINISHED);
        return segment;
    }

    private void update(TestSegment segment, RemoteLogSegmentState state) {
        event(new RemoteLogSegmentMetadataUpdate(segment.metadata().remoteLogSegmentId(), 5L, segment.metadata().customMetadata(), state, 1));
    }

    private TierCheck.Report check(boolean read, boolean deleteOrphans) throws Exception {
        return new TierCheck(store, new ObjectKeys(""), Duration.ofHours(24), LATER).run(kafka::readToEnd, read, deleteOrphans);
    }

    private static Map<String, String> byKey(TierCheck.Report report) {
        return report.findings().stream().collect(Collectors.toMap(TierCheck.Finding::key, each -> each.problem().name(), (one, other) -> one + other, TreeMap::new));
    }

    @Test
    void a_tier_in_which_all_is_right_has_no_findings() throws Exception {
        finished(100);
        finished(5000);
        TestSegment deleted = finished(9000);
        update(deleted, RemoteLogSegmentState.DELETE_SEGMENT_STARTED);
        plugin.deleteLogSegmentData(deleted.metadata());
        update(deleted, RemoteLogSegmentState.DELETE_SEGMENT_FINISHED);
        TierCheck.Report report = check(true, false);
        assertEquals(List.of(), report.findings());
        assertEquals(2, report.segments());
        assertEquals(4, report.objects());
    }

    @Test
    void each_problem_is_named() throws Exception {
        TestSegment missing = finished(100);
        fake.objects.remove(missing.indexesKey());
        TestSegment shorter = finished(5000);
        FakeS3.Stored stored = fake.objects.get(shorter.logKey());
        fake.objects.put(shorter.logKey(), new FakeS3.Stored(Arrays.copyOf(stored.bytes(), 100), stored.metadata()));
        TestSegment flipped = finished(10_000);
        fake.objects.get(flipped.logKey()).bytes()[200] ^= 1;
        TestSegment flippedIndex = finished(15_000);
        fake.objects.get(flippedIndex.indexesKey()).bytes()[1] ^= 1;
        TestSegment orphan = TestSegment.write(folder, 20_000, 1000);
        plugin.copyLogSegmentData(orphan.metadata(), orphan.data);
        TestSegment unfinished = begun(25_000);
        TestSegment undeleted = finished(30_000);
        update(undeleted, RemoteLogSegmentState.DELETE_SEGMENT_STARTED);
        fake.addUpload(new ObjectKeys("").log(orphan.retried()), Instant.now());
        fake.objects.put("readme", new FakeS3.Stored(new byte[3], Map.of()));

        TierCheck.Report report = check(true, false);
        Map<String, String> expected = new TreeMap<>(Map.of(missing.indexesKey(), "MISSING", shorter.logKey(), "WRONG_SIZE", flipped.logKey(), "WRONG_CHECKSUM",
                flippedIndex.indexesKey(), "WRONG_CHECKSUM", orphan.logKey(), "ORPHANED", orphan.indexesKey(), "ORPHANED", unfinished.logKey(), "NEVER_FINISHED",
                undeleted.logKey(), "NEVER_DELETED"));
        Map<String, String> found = byKey(report);
        assertTrue(found.values().remove("STALE_UPLOAD"));
        assertEquals(expected, found);
        assertEquals(1, report.strange());
        String text = TierCommand.text(report);
        assertTrue(text.contains("wrong_size: " + shorter.logKey() + ": the object has another size than Kafka says (100 bytes instead of "), text);
        assertTrue(TierCommand.json(report).contains("{\"problem\":\"never_finished\",\"key\":\"" + unfinished.logKey() + "\""), TierCommand.json(report));
    }

    @Test
    void orphans_are_deleted_on_demand_and_nothing_else() throws Exception {
        TestSegment live = finished(100);
        TestSegment copying = begun(5000);
        plugin.copyLogSegmentData(copying.metadata(), copying.data);
        TestSegment orphan = TestSegment.write(folder, 20_000, 1000);
        plugin.copyLogSegmentData(orphan.metadata(), orphan.data);
        fake.objects.put("readme", new FakeS3.Stored(new byte[3], Map.of()));
        assertEquals(0, check(false, false).deleted());
        assertTrue(fake.objects.containsKey(orphan.logKey()));
        assertEquals(2, check(false, true).deleted());
        assertFalse(fake.objects.containsKey(orphan.logKey()));
        assertEquals(5, fake.objects.size());
        assertTrue(fake.objects.containsKey(live.logKey()));
    }

    @Test
    void what_is_young_is_left_alone_and_counted() throws Exception {
        TestSegment orphan = TestSegment.write(folder, 20_000, 1000);
        plugin.copyLogSegmentData(orphan.metadata(), orphan.data);
        TestSegment copying = begun(5000);
        plugin.copyLogSegmentData(copying.metadata(), copying.data);
        TierCheck.Report report = new TierCheck(store, new ObjectKeys(""), Duration.ofHours(24), Instant.now()).run(kafka::readToEnd, false, true);
        assertEquals(Map.of(copying.logKey(), "NEVER_FINISHED"), byKey(report));
        assertEquals(4, fake.objects.size());
        assertEquals(2, report.young());
        assertEquals(2, report.unfinished());
        String text = TierCommand.text(report);
        assertTrue(text.contains("2 objects are of copies or deletes that Kafka has begun and not finished"), text);
        assertTrue(text.contains("2 objects are named by nothing in Kafka"), text);
        assertTrue(TierCommand.json(report).contains("\"unfinished_objects\":2,\"young_objects\":2,"), TierCommand.json(report));
    }

    @Test
    void crc64_is_that_of_s3() {
        Crc64Nvme crc = new Crc64Nvme();
        crc.update("123456789".getBytes(StandardCharsets.US_ASCII));
        assertEquals(0xAE8B14860A799888L, crc.getValue());
    }

    @Test
    void a_wrong_command_line_shows_the_usage() {
        for (String[] wrong : new String[][] {{}, {"frob"}, {"check"}, {"check", "--bootstrap-server"}, {"check", "--age", "5m"}, {"check", "--frob"}}) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            assertEquals(2, TierCommand.run(wrong, new PrintStream(new ByteArrayOutputStream()), new PrintStream(err)));
            assertTrue(err.toString(StandardCharsets.UTF_8).contains("usage: forebay-tier check"));
        }
    }
}
