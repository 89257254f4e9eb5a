package forebay.records;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/** Reads a topic from its first record to the end it had when the reading began. */
final class Reading {
    private static final Duration POLL = Duration.ofMillis(500);

    private final Consumer<byte[], byte[]> consumer;
    private final Duration patience;

    /** @param patience how long nothing may arrive before the reading is given up */
    Reading(Consumer<byte[], byte[]> consumer, Duration patience) {
        this.consumer = consumer;
        this.patience = patience;
    }

    /** Hands every record to {@code verification}, and calls {@code tick} after each poll with the records that are left. */
    void run(String topic, Verification verification, BiConsumer<Long, Long> tick) {
        List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition()))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        long lastArrival = System.nanoTime();
        for (Map<TopicPartition, Long> left = left(ends); !left.isEmpty(); left = left(ends)) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
            for (ConsumerRecord<byte[], byte[]> record : records) {
                verification.accept(record);
            }
            if (!records.isEmpty()) {
                lastArrival = System.nanoTime();
            } else if (System.nanoTime() - lastArrival > patience.toNanos()) {
                verification.problem("nothing arrived for " + patience.toSeconds() + " s; not read: " + left);
                return;
            }
            tick.accept(verification.read(), left.values().stream().mapToLong(Long::longValue).sum());
        }
    }

    private Map<TopicPartition, Long> left(Map<TopicPartition, Long> ends) {
        Map<TopicPartition, Long> left = new HashMap<>();
        ends.forEach((partition, end) -> {
            long missing = end - consumer.position(partition);
            if (missing > 0) {
                left.put(partition, missing);
            }
        });
        return left;
    }
}
