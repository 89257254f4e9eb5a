package forebay.records;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.server.log.remote.metadata.storage.serialization.RemoteLogMetadataSerde;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code records segments}: follows Kafka's topic with the metadata of tiered segments, and reports their number, until it is ended. */
@Command(name = "segments", description = "Reports how many segments are in the tier, according to Kafka's metadata.", sortOptions = false)
final class SegmentsCommand implements Callable<Integer> {
    private static final String TOPIC = "__remote_log_metadata";
    private static final Duration POLL = Duration.ofMillis(200);

    @Option(names = "--bootstrap", required = true, paramLabel = "HOST:PORT,…", description = "brokers to ask first")
    String bootstrap;

    @Option(names = "--every-ms", defaultValue = "1000", description = "time between two reports (default: 1000)")
    long everyMs;

    @Override
    public Integer call() throws InterruptedException {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("enable.auto.commit", "false");
        Report report = new Report(System.out);
        RemoteLogMetadataSerde serde = new RemoteLogMetadataSerde();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            SegmentCounts counts = new SegmentCounts(
                    partition -> consumer.beginningOffsets(List.of(partition)).get(partition), System.err::println);
            List<TopicPartition> partitions = partitions(consumer);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            long next = System.nanoTime();
            while (true) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    if (record.value() != null) {
                        counts.take(serde.deserialize(record.value()));
                    }
                }
                if (System.nanoTime() - next >= 0) {
                    next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(everyMs);
                    report.progress(counts.figures());
                }
            }
        }
    }

    /** Waits for the topic, which brokers create when they start. */
    private static List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer) throws InterruptedException {
        while (true) {
            try {
                List<PartitionInfo> found = consumer.partitionsFor(TOPIC);
                if (found != null && !found.isEmpty()) {
                    return found.stream().map(info -> new TopicPartition(TOPIC, info.partition())).toList();
                }
            } catch (KafkaException notYet) {
                // Asked again.
            }
            Thread.sleep(POLL.toMillis());
        }
    }
}
