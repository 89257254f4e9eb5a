package forebay.records;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Holds what a topic returns against what was acknowledged: each acknowledged record exactly once, byte for byte, at the
 * partition and offset the producer was told.
 *
 * <p>A record that was sent but never acknowledged may be there or not; there twice is wrong too, for the producer is
 * idempotent. Not thread-safe.
 */
final class Verification {
    private static final int PROBLEMS_KEPT = 20;

    private final AcknowledgementLog.Contents expected;
    private final IntToLongFunction deletedBefore;
    private final BitSet seen;
    private final List<String> problems = new ArrayList<>();
    private long read;
    private long verified;
    private long unacknowledged;
    private long duplicates;
    private long corrupt;
    private long foreign;
    private long moved;
    private long missing;
    private long deleted;

    /** Every acknowledged record must be there. */
    Verification(AcknowledgementLog.Contents expected) {
        this(expected, partition -> 0);
    }

    /** Records below the offset that {@code deletedBefore} has for their partition were deleted on purpose, and may be there or not. */
    Verification(AcknowledgementLog.Contents expected, IntToLongFunction deletedBefore) {
        this.expected = expected;
        this.deletedBefore = deletedBefore;
        this.seen = new BitSet(expected.plan().records());
    }

    /** Takes one record as it was read, with its key, headers and timestamp. */
    void accept(ConsumerRecord<byte[], byte[]> record) {
        RecordFormat.Header header = expected.plan().hasEnvelopes() ? RecordFormat.decode(record.value()) : null;
        String difference = header == null ? null : Envelope.difference(expected.plan(), header.sequence(), record);
        if (difference == null) {
            accept(record.partition(), record.offset(), record.value());
        } else {
            read++;
            corrupt++;
            problem("partition " + record.partition() + " offset " + record.offset() + ": record " + header.sequence() + " has " + difference);
        }
    }

    /** Takes the value of one record as it was read. */
    void accept(int partition, long offset, byte[] value) {
        read++;
        String place = "partition " + partition + " offset " + offset;
        RecordFormat.Header header = RecordFormat.decode(value);
        if (header == null) {
            corrupt++;
            problem(place + ": not a record of ours, or its CRC-32C is wrong");
            return;
        }
        if (header.seed() != expected.plan().seed() || header.sequence() < 0
                || header.sequence() >= expected.plan().records()) {
            foreign++;
            problem(place + ": record " + header.sequence() + " of another run (seed " + header.seed() + ")");
            return;
        }
        acceptOwn(place, (int) header.sequence(), partition, offset, value);
    }

    private void acceptOwn(String place, int sequence, int partition, long offset, byte[] value) {
        byte[] sent = expected.plan().value(sequence);
        if (!Arrays.equals(sent, value)) {
            corrupt++;
            problem(place + ": record " + sequence + " differs from what was sent");
        } else if (seen.get(sequence)) {
            duplicates++;
            problem(place + ": record " + sequence + " is there more than once");
        } else if (!expected.isAcknowledged(sequence)) {
            seen.set(sequence);
            unacknowledged++;
        } else if (expected.partition(sequence) != partition || expected.offset(sequence) != offset) {
            seen.set(sequence);
            moved++;
            problem(place + ": record " + sequence + " was acknowledged at partition " + expected.partition(sequence)
                    + " offset " + expected.offset(sequence));
        } else {
            seen.set(sequence);
            verified++;
        }
    }

    /** Call once, after the last record: finds what is missing. */
    void finish() {
        for (int sequence = 0; sequence < expected.plan().records(); sequence++) {
            if (!expected.isAcknowledged(sequence) || seen.get(sequence)) {
                continue;
            }
            if (expected.offset(sequence) < deletedBefore.applyAsLong(expected.partition(sequence))) {
                deleted++;
            } else {
                missing++;
                problem("record " + sequence + ", acknowledged at partition " + expected.partition(sequence) + " offset "
                        + expected.offset(sequence) + ", is missing");
            }
        }
    }

    /** Notes that part of the topic could not be read, which fails the check. */
    void problem(String text) {
        if (problems.size() < PROBLEMS_KEPT) {
            problems.add(text);
        }
    }

    long read() {
        return read;
    }

    boolean passed() {
        return problems.isEmpty();
    }

    /** The figures for the summary line. */
    Map<String, Object> summary() {
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("passed", passed());
        summary.put("acknowledged", expected.acknowledged());
        summary.put("read", read);
        summary.put("verified", verified);
        summary.put("unacknowledged", unacknowledged);
        summary.put("missing", missing);
        summary.put("deleted", deleted);
        summary.put("duplicates", duplicates);
        summary.put("corrupt", corrupt);
        summary.put("foreign", foreign);
        summary.put("moved", moved);
        summary.put("problems", problems);
        return summary;
    }
}
