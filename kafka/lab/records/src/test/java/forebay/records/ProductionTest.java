package forebay.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProductionTest {
    private static final AcknowledgementLog.Plan PLAN = new AcknowledgementLog.Plan(3, 100, 64);
    private static final List<PartitionInfo> PARTITIONS = IntStream.range(0, 4)
            .mapToObj(partition -> new PartitionInfo("t", partition, Node.noNode(), new Node[0], new Node[0]))
            .toList();
    private static final Cluster CLUSTER = new Cluster("c", List.of(), PARTITIONS, Set.of(), Set.of());

    @TempDir
    Path directory;

    private static MockProducer<byte[], byte[]> producer() {
        return new MockProducer<>(CLUSTER, true, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Answers on flush only, and refuses the first record then. */
    private static MockProducer<byte[], byte[]> refusingOnFlush(RuntimeException refusal) {
        return new MockProducer<>(CLUSTER, false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
            @Override
            public synchronized void flush() {
                errorNext(refusal);
                super.flush();
            }
        };
    }

    private Path log() {
        return directory.resolve("acknowledged");
    }

    @Test
    void everyRecordIsSentOnceEvenlyAndItsAcknowledgementLogged() throws IOException {
        try (var producer = producer(); var log = new AcknowledgementLog.Writer(log(), PLAN)) {
            Production production = new Production(producer, PLAN, log, new Pause(null), null);
            production.run("t", 0);
            assertTrue(production.passed());
            assertEquals(100, producer.history().size());
            assertEquals(25, producer.history().stream().filter(record -> record.partition() == 2).count());
        }
        assertEquals(100, AcknowledgementLog.read(log()).acknowledged());
    }

    @Test
    void nothingMoreIsSentOnceTheStopFileExists() throws Exception {
        Path file = java.nio.file.Files.createFile(directory.resolve("stop"));
        try (var producer = producer(); var log = new AcknowledgementLog.Writer(log(), PLAN)) {
            Production production = new Production(producer, PLAN, log, new Pause(null), file);
            production.run("t", 0);
            assertEquals(0, producer.history().size());
            assertTrue(production.passed(), "all that was sent is acknowledged");
        }
    }

    @Test
    void nothingIsSentWhileTheFileExists() throws Exception {
        Path file = java.nio.file.Files.createFile(directory.resolve("pause"));
        try (var producer = producer(); var log = new AcknowledgementLog.Writer(log(), PLAN)) {
            Production production = new Production(producer, PLAN, log, new Pause(file), null);
            Thread sending = new Thread(() -> production.run("t", 0));
            sending.start();
            Thread.sleep(200);
            assertEquals(0, producer.history().size());
            java.nio.file.Files.delete(file);
            sending.join(20_000);
            assertTrue(production.passed());
        }
    }

    @Test
    void refusedRecordFailsAndIsNotLogged() throws IOException {
        TimeoutException gone = new TimeoutException("gone");
        try (var producer = refusingOnFlush(gone); var log = new AcknowledgementLog.Writer(log(), PLAN)) {
            Production production = new Production(producer, PLAN, log, new Pause(null), null);
            production.run("t", 0);
            assertFalse(production.passed());
            assertEquals(1L, production.summary().get("failed"));
            assertEquals("record 0: " + gone, production.summary().get("first_failure"));
        }
        assertFalse(AcknowledgementLog.read(log()).isAcknowledged(0));
    }

    @Test
    void whatWasProducedVerifiesFromTheBeginning() throws IOException {
        MockProducer<byte[], byte[]> producer = producer();
        try (var log = new AcknowledgementLog.Writer(log(), PLAN)) {
            new Production(producer, PLAN, log, new Pause(null), null).run("t", 0);
        }
        Verification verification = new Verification(AcknowledgementLog.read(log()));
        try (MockConsumer<byte[], byte[]> consumer = consumerOf(producer)) {
            new Reading(consumer, Duration.ofSeconds(5)).run("t", verification, (read, left) -> {});
        }
        verification.finish();
        assertTrue(verification.passed(), verification.summary().toString());
        assertEquals(100L, verification.summary().get("verified"));
    }

    @Test
    void partitionThatStopsAnsweringFailsTheCheckInsteadOfHanging() throws IOException {
        MockProducer<byte[], byte[]> producer = producer();
        try (var log = new AcknowledgementLog.Writer(log(), PLAN)) {
            new Production(producer, PLAN, log, new Pause(null), null).run("t", 0);
        }
        Verification verification = new Verification(AcknowledgementLog.read(log()));
        try (MockConsumer<byte[], byte[]> consumer = consumerOf(producer)) {
            consumer.updateEndOffsets(Map.of(new TopicPartition("t", 1), 26L));
            new Reading(consumer, Duration.ofMillis(1)).run("t", verification, (read, left) -> {});
        }
        assertFalse(verification.passed());
        assertTrue(verification.summary().get("problems").toString().contains("t-1=1"));
    }

    private static MockConsumer<byte[], byte[]> consumerOf(MockProducer<byte[], byte[]> producer) {
        MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
        consumer.updatePartitions("t", PARTITIONS);
        for (int partition = 0; partition < 4; partition++) {
            TopicPartition of = new TopicPartition("t", partition);
            consumer.updateBeginningOffsets(Map.of(of, 0L));
            consumer.updateEndOffsets(Map.of(of, 25L));
        }
        consumer.schedulePollTask(() -> {
            long[] next = new long[4];
            producer.history().forEach(record -> consumer.addRecord(new ConsumerRecord<>(
                    "t", record.partition(), next[record.partition()]++, record.key(), record.value())));
        });
        return consumer;
    }
}
