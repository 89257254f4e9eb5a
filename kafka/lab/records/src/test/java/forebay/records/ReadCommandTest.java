package forebay.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class ReadCommandTest {
    private static final TopicPartition ZERO = new TopicPartition("t", 0);
    private static final TopicPartition ONE = new TopicPartition("t", 1);
    private static final Duration PATIENCE = Duration.ofMillis(300);

    private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
    private final ReadTotals totals = new ReadTotals();

    /** Records of five bytes from offset 0. */
    private void fill(TopicPartition partition, int records) {
        consumer.updateBeginningOffsets(Map.of(partition, 0L));
        for (int offset = 0; offset < records; offset++) {
            consumer.addRecord(new ConsumerRecord<>(partition.topic(), partition.partition(), offset, null, new byte[5]));
        }
    }

    @Test
    void partitionsAreDealtToConsumersAndNoneIsWithout() {
        Map<Integer, Long> until = Map.of(0, 10L, 1, 11L, 2, 12L);
        assertEquals(List.of(Map.of(ZERO, 10L, new TopicPartition("t", 2), 12L), Map.of(ONE, 11L)), ReadCommand.shares("t", until, 2));
        assertEquals(3, ReadCommand.shares("t", until, 8).size());
        assertThrows(IllegalArgumentException.class, () -> ReadCommand.shares("t", until, 0));
        assertThrows(IllegalArgumentException.class, () -> ReadCommand.shares("t", Map.of(0, 0L), 1));
    }

    @Test
    void aSequentialReadCountsRecordsBeforeItsEndAndNoOthers() {
        consumer.schedulePollTask(() -> {
            fill(ZERO, 4);
            fill(ONE, 9);
        });
        consumer.updateBeginningOffsets(Map.of(ZERO, 0L, ONE, 0L));
        new SequentialRead(consumer, Map.of(ZERO, 4L, ONE, 6L), PATIENCE, totals).run(() -> false);
        assertEquals(10L, totals.figures().get("records"));
        assertEquals(50L, totals.figures().get("bytes"));
    }

    @Test
    void aSequentialReadThatGetsNothingFails() {
        consumer.updateBeginningOffsets(Map.of(ZERO, 0L));
        SequentialRead read = new SequentialRead(consumer, Map.of(ZERO, 1L), PATIENCE, totals);
        assertTrue(assertThrows(IllegalStateException.class, () -> read.run(() -> false)).getMessage().contains("t-0"));
    }

    @Test
    void aRandomReadThatFindsAnotherOffsetFails() {
        consumer.schedulePollTask(() -> {
            consumer.updateBeginningOffsets(Map.of(ZERO, 0L));
            consumer.addRecord(new ConsumerRecord<>("t", 0, 1000, null, new byte[5]));
        });
        RandomRead read = new RandomRead(consumer, Map.of(ZERO, 1000L), PATIENCE, new Random(1), totals);
        assertTrue(assertThrows(IllegalStateException.class, () -> read.run(1)).getMessage().contains("found offset 1000"));
        assertEquals(0L, totals.figures().get("fetches"));
    }
}
