package forebay.records;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.IntToLongFunction;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code records verify}. */
@Command(name = "verify", description = "Reads the topic and checks every acknowledged record.", sortOptions = false)
final class VerifyCommand implements Callable<Integer> {
    private static final Map<String, Object> DEFAULTS = Map.of(
            "enable.auto.commit", "false",
            "auto.offset.reset", "none",
            "check.crcs", "true",
            "max.poll.records", "5000",
            "max.partition.fetch.bytes", "4194304",
            "default.api.timeout.ms", "60000");

    @Mixin
    ClusterOptions cluster;

    @Option(names = "--acknowledged", required = true, paramLabel = "FILE", description = "the log that produce wrote")
    Path acknowledged;

    @Option(names = "--first", defaultValue = "2147483647", paramLabel = "COUNT",
            description = "only so many acknowledgements count, the first of the log (default: all)")
    int first;

    @Option(names = "--deleted-before", defaultValue = "0", paramLabel = "OFFSET",
            description = "records below this offset of each partition were deleted on purpose (default: 0)")
    long deletedBefore;

    @Option(names = "--retention", description = "records below the first offset of their partition were deleted by retention")
    boolean retention;

    @Option(names = "--lookups", defaultValue = "0", paramLabel = "COUNT",
            description = "look up so many times in each partition; the records must have envelopes (default: 0)")
    int lookups;

    @Option(names = "--patience-seconds", defaultValue = "60", description = "give up when nothing arrives this long")
    int patienceSeconds;

    @Override
    public Integer call() throws Exception {
        Report report = new Report(System.out);
        AcknowledgementLog.Contents expected = AcknowledgementLog.read(acknowledged, first);
        if (lookups > 0 && !expected.plan().hasEnvelopes()) {
            throw new IllegalArgumentException("--lookups needs records that were produced with --envelope");
        }
        Duration patience = Duration.ofSeconds(patienceSeconds);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                cluster.client(DEFAULTS), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            Ticker ticker = new Ticker(report);
            Verification verification = new Verification(expected, deletedBefore(consumer));
            new Reading(consumer, patience).run(cluster.topic, verification, ticker::tick);
            TimeLookups times = new TimeLookups(consumer, expected, verification, patience);
            times.run(cluster.topic, lookups);
            verification.finish();
            Map<String, Object> summary = verification.summary();
            summary.put("lookups", times.lookups());
            report.summary(summary);
            return verification.passed() ? Main.EXIT_OK : Main.EXIT_CHECK_FAILED;
        }
    }

    /** The first offset of each partition that was not deleted on purpose. */
    private IntToLongFunction deletedBefore(Consumer<byte[], byte[]> consumer) {
        if (!retention) {
            return partition -> deletedBefore;
        }
        List<TopicPartition> partitions = consumer.partitionsFor(cluster.topic).stream()
                .map(info -> new TopicPartition(cluster.topic, info.partition())).toList();
        Map<TopicPartition, Long> first = consumer.beginningOffsets(partitions);
        return partition -> first.get(new TopicPartition(cluster.topic, partition));
    }

    /** Reports at most once a second. */
    private static final class Ticker {
        private final Report report;
        private long nextMs = 1000;

        Ticker(Report report) {
            this.report = report;
        }

        void tick(long read, long left) {
            if (report.elapsedMs() >= nextMs) {
                nextMs = report.elapsedMs() + 1000;
                report.progress(Map.of("read", read, "left", left));
            }
        }
    }
}
