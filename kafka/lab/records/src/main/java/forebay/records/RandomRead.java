package forebay.records;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads single records at random offsets. The consumer must get one record from each poll. Then it has further records of the same fetch in
 * its memory, and sends no second fetch before the next position is chosen.
 */
final class RandomRead {
    private static final Duration POLL = Duration.ofMillis(100);

    private final Consumer<byte[], byte[]> consumer;
    private final Map<TopicPartition, Long> until;
    private final Duration patience;
    private final Random random;
    private final ReadTotals totals;

    /**
     * @param until for each partition, the offset behind the last record
     * @param patience how long nothing may arrive before the reading fails
     */
    RandomRead(Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> until, Duration patience, Random random, ReadTotals totals) {
        this.consumer = consumer;
        this.until = until;
        this.patience = patience;
        this.random = random;
        this.totals = totals;
    }

    /** Reads at so many positions. */
    void run(int positions) {
        List<TopicPartition> partitions = List.copyOf(until.keySet());
        for (int i = 0; i < positions; i++) {
            TopicPartition partition = partitions.get(random.nextInt(partitions.size()));
            long offset = random.nextLong(until.get(partition));
            long begun = System.nanoTime();
            ConsumerRecord<byte[], byte[]> first = first(partition, offset);
            if (first.offset() != offset) {
                throw new IllegalStateException("%s: the read at offset %d found offset %d".formatted(partition, offset, first.offset()));
            }
            totals.addFetch(System.nanoTime() - begun);
            totals.add(first.value().length);
        }
    }

    private ConsumerRecord<byte[], byte[]> first(TopicPartition partition, long offset) {
        consumer.assign(List.of(partition));
        consumer.seek(partition, offset);
        for (long begun = System.nanoTime(); System.nanoTime() - begun < patience.toNanos(); ) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                return record;
            }
        }
        throw new IllegalStateException("%s: nothing arrived from offset %d within %d s".formatted(partition, offset, patience.toSeconds()));
    }
}
