package forebay.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransactionalProductionTest {
    private static final AcknowledgementLog.Plan PLAN = new AcknowledgementLog.Plan(3, 95, 64);
    private static final Cluster CLUSTER = new Cluster("c", List.of(),
            List.of(new PartitionInfo("t", 0, Node.noNode(), new Node[0], new Node[0])), Set.of(), Set.of());

    @TempDir
    Path directory;

    /** Fails the first so many commits. */
    private static final class Failing extends MockProducer<byte[], byte[]> {
        private final KafkaException failure;
        private int left;

        Failing(KafkaException failure, int times) {
            super(CLUSTER, true, null, new ByteArraySerializer(), new ByteArraySerializer());
            this.failure = failure;
            this.left = times;
        }

        @Override
        public synchronized void commitTransaction() {
            if (left > 0) {
                left--;
                throw failure;
            }
            super.commitTransaction();
        }
    }

    private AcknowledgementLog.Contents produced(Failing producer) throws IOException {
        return produced(producer, 5);
    }

    private AcknowledgementLog.Contents produced(Failing producer, int abortEvery) throws IOException {
        Path file = directory.resolve("acknowledged");
        try (producer; var log = new AcknowledgementLog.Writer(file, PLAN)) {
            TransactionalProduction production = new TransactionalProduction(producer, PLAN, log, 10, abortEvery);
            production.run("t", 0);
            assertTrue(production.passed());
            assertEquals(10L, production.summary().get("transactions_committed"));
            if (abortEvery == 0) {
                assertEquals(0L, production.summary().get("transactions_aborted"));
            }
        }
        return AcknowledgementLog.read(file);
    }

    @Test
    void everyRecordIsCommittedOnceAndThoseOfSomeTransactionsAreAbortedBefore() throws IOException {
        Failing producer = new Failing(null, 0);
        assertEquals(95, produced(producer).acknowledged());
        assertEquals(95, producer.history().size(), "only committed records count");
    }

    @Test
    void noTransactionIsAbortedIfNoneIsWanted() throws IOException {
        Failing producer = new Failing(null, 0);
        assertEquals(95, produced(producer, 0).acknowledged());
        assertEquals(95, producer.history().size());
    }

    @Test
    void aCommitWithoutAnAnswerIsAskedForAgainAndNothingIsSentTwice() throws IOException {
        Failing producer = new Failing(new TimeoutException("no answer"), 3);
        assertEquals(95, produced(producer).acknowledged());
        assertEquals(95, producer.history().size());
    }

    @Test
    void aTransactionThatFailsIsAbortedAndRepeated() throws IOException {
        Failing producer = new Failing(new KafkaException("aborted"), 2);
        assertEquals(95, produced(producer).acknowledged());
        assertEquals(95, producer.history().size());
    }

    @Test
    void aCommitThatIsNeverAnsweredEndsTheRun() {
        assertThrows(IllegalStateException.class, () -> produced(new Failing(new TimeoutException("no answer"), 1000)));
    }
}
