package forebay.records;

import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Reads partitions from their first record to given offsets. */
final class SequentialRead {
    private static final Duration POLL = Duration.ofMillis(100);

    private final Consumer<byte[], byte[]> consumer;
    private final Map<TopicPartition, Long> until;
    private final Duration patience;
    private final ReadTotals totals;

    /**
     * @param until for each partition, the offset behind the last record
     * @param patience how long nothing may arrive before the reading fails
     */
    SequentialRead(Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> until, Duration patience, ReadTotals totals) {
        this.consumer = consumer;
        this.until = until;
        this.patience = patience;
        this.totals = totals;
    }

    /** Reads all partitions once. Returns earlier if {@code stopped} holds. */
    void run(BooleanSupplier stopped) {
        Set<TopicPartition> left = new HashSet<>(until.keySet());
        consumer.assign(left);
        consumer.seekToBeginning(left);
        long lastArrival = System.nanoTime();
        while (!left.isEmpty() && !stopped.getAsBoolean()) {
            boolean any = false;
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                any = true;
                if (record.offset() < until.get(new TopicPartition(record.topic(), record.partition()))) {
                    totals.add(record.value().length);
                }
            }
            Set<TopicPartition> done = new HashSet<>();
            left.stream().filter(partition -> consumer.position(partition) >= until.get(partition)).forEach(done::add);
            consumer.pause(done);
            left.removeAll(done);
            if (any) {
                lastArrival = System.nanoTime();
            } else if (System.nanoTime() - lastArrival > patience.toNanos()) {
                throw new IllegalStateException("nothing arrived for %d s; partitions not read to their end: %s".formatted(patience.toSeconds(), left));
            }
        }
    }
}
