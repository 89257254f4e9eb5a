package forebay.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnvelopeTest {
    private static final AcknowledgementLog.Plan PLAN = new AcknowledgementLog.Plan(9, 12, 100, Payload.UNIQUE, 1_700_000_000_000L);

    @TempDir
    Path directory;

    private static ConsumerRecord<byte[], byte[]> read(int sequence, UnaryOperator<Headers> headers, long laterMs) {
        ProducerRecord<byte[], byte[]> sent = Envelope.record("t", 0, PLAN, sequence);
        return new ConsumerRecord<>("t", 0, sequence, sent.timestamp() + laterMs, TimestampType.CREATE_TIME, 0, 0, sent.key(), sent.value(),
                headers.apply(sent.headers()), Optional.empty());
    }

    @Test
    void anUnchangedRecordHasNoDifference() {
        for (int sequence = 0; sequence < PLAN.records(); sequence++) {
            assertNull(Envelope.difference(PLAN, sequence, read(sequence, headers -> headers, 0)));
        }
    }

    @Test
    void aChangedKeyHeaderOrTimestampIsNoticed() {
        assertEquals("another key", Envelope.difference(PLAN, 4, new ConsumerRecord<>("t", 0, 4, Envelope.timestamp(PLAN, 4),
                TimestampType.CREATE_TIME, 0, 0, new byte[] {1}, PLAN.value(4), new RecordHeaders(), Optional.empty())));
        assertEquals("other headers", Envelope.difference(PLAN, 1, read(1, headers -> headers.remove("tag"), 0)));
        assertTrue(Envelope.difference(PLAN, 1, read(1, headers -> headers, 1)).startsWith("timestamp"));
    }

    @Test
    void aRecordWithoutItsHeadersFailsTheVerification() throws IOException {
        Path file = directory.resolve("acknowledged");
        try (var log = new AcknowledgementLog.Writer(file, PLAN)) {
            log.add(2, 0, 2);
        }
        Verification verification = new Verification(AcknowledgementLog.read(file));
        verification.accept(read(2, headers -> new RecordHeaders(), 0));
        assertEquals(1L, verification.summary().get("corrupt"));
        assertTrue(verification.summary().get("problems").toString().contains("record 2 has other headers"));
    }
}
