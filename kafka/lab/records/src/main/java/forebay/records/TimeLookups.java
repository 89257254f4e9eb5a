package forebay.records;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;

/**
 * Looks records up by their timestamps, as a consumer does that begins at a time. The first record of a partition that is read from there
 * must be the first acknowledged one that is not older.
 */
final class TimeLookups {
    private static final Duration POLL = Duration.ofMillis(500);

    private final Consumer<byte[], byte[]> consumer;
    private final AcknowledgementLog.Contents expected;
    private final Verification verification;
    private final Duration patience;
    private long lookups;

    TimeLookups(Consumer<byte[], byte[]> consumer, AcknowledgementLog.Contents expected, Verification verification, Duration patience) {
        this.consumer = consumer;
        this.expected = expected;
        this.verification = verification;
        this.patience = patience;
    }

    /** Looks up so many times, spread over those of all records. Differences are problems of the verification. */
    void run(String topic, int times) {
        List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition()))
                .sorted(Comparator.comparingInt(TopicPartition::partition))
                .toList();
        for (int time = 0; time < times; time++) {
            int sequence = (int) ((long) expected.plan().records() * time / times);
            Map<TopicPartition, Long> wanted = new HashMap<>();
            partitions.forEach(partition -> wanted.put(partition, Envelope.timestamp(expected.plan(), sequence)));
            Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(wanted);
            for (TopicPartition partition : partitions) {
                compare(partition, sequence, found.get(partition));
            }
        }
    }

    long lookups() {
        return lookups;
    }

    private void compare(TopicPartition partition, int sequence, OffsetAndTimestamp found) {
        int first = firstSince(partition.partition(), sequence);
        if (first < 0) {
            return;
        }
        lookups++;
        String what = partition + ": the lookup of record " + sequence + "'s time";
        if (found == null) {
            verification.problem(what + " found nothing");
            return;
        }
        ConsumerRecord<byte[], byte[]> read = read(partition, found.offset());
        RecordFormat.Header header = read == null ? null : RecordFormat.decode(read.value());
        if (header == null || header.sequence() != first || read.offset() != expected.offset(first)) {
            verification.problem(what + " found offset " + found.offset() + ", and not " + expected.offset(first) + " with record " + first);
        }
    }

    /** The acknowledged record of a partition with the lowest number from {@code sequence} on; -1 if there is none. */
    private int firstSince(int partition, int sequence) {
        for (int each = sequence; each < expected.plan().records(); each++) {
            if (expected.isAcknowledged(each) && expected.partition(each) == partition) {
                return each;
            }
        }
        return -1;
    }

    private ConsumerRecord<byte[], byte[]> read(TopicPartition partition, long offset) {
        consumer.assign(List.of(partition));
        consumer.seek(partition, offset);
        for (long started = System.nanoTime(); System.nanoTime() - started < patience.toNanos(); ) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                return record;
            }
        }
        return null;
    }
}
