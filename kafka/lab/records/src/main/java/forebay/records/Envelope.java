package forebay.records;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * The parts of a record besides its value: a key, headers and a timestamp. All of them follow from the plan and the record's number.
 *
 * <p>Some records have no key, some a header without a value, some the same header twice: what Kafka allows, and a store of
 * records can get wrong.
 */
final class Envelope {
    private static final String NUMBER = "number";
    private static final String TAG = "tag";
    private static final int KEYLESS_EVERY = 4;

    private Envelope() {}

    /** The record with this number, for a partition. */
    static ProducerRecord<byte[], byte[]> record(String topic, int partition, AcknowledgementLog.Plan plan, long sequence) {
        byte[] value = plan.value(sequence);
        if (!plan.hasEnvelopes()) {
            return new ProducerRecord<>(topic, partition, null, value);
        }
        return new ProducerRecord<>(topic, partition, timestamp(plan, sequence), key(plan, sequence), value, headers(sequence));
    }

    /** One millisecond for each record, so that each can be found by its time. */
    static long timestamp(AcknowledgementLog.Plan plan, long sequence) {
        return plan.firstTimestampMs() + sequence;
    }

    /** The part of a record that is not as it was sent, or null. */
    static String difference(AcknowledgementLog.Plan plan, long sequence, ConsumerRecord<byte[], byte[]> record) {
        if (record.timestamp() != timestamp(plan, sequence)) {
            return "timestamp " + record.timestamp() + " instead of " + timestamp(plan, sequence);
        }
        if (!Arrays.equals(record.key(), key(plan, sequence))) {
            return "another key";
        }
        return Arrays.asList(record.headers().toArray()).equals(headers(sequence)) ? null : "other headers";
    }

    private static byte[] key(AcknowledgementLog.Plan plan, long sequence) {
        return sequence % KEYLESS_EVERY == 0 ? null : bytes(RecordFormat.mix(plan.seed() ^ sequence));
    }

    private static List<Header> headers(long sequence) {
        Header number = new RecordHeader(NUMBER, bytes(sequence));
        Header empty = new RecordHeader(TAG, null);
        Header text = new RecordHeader(TAG, "größer".getBytes(StandardCharsets.UTF_8));
        return switch ((int) (sequence % 3)) {
            case 0 -> List.of(number);
            case 1 -> List.of(number, empty);
            default -> List.of(text, number, text);
        };
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }
}
