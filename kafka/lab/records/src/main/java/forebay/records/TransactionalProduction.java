package forebay.records;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Sends the planned records in transactions, round-robin over the partitions. A record counts as acknowledged when its transaction is
 * committed.
 *
 * <p>Every few transactions the records are first sent in a transaction that is aborted. A consumer that reads only what is committed
 * must see them once.
 */
final class TransactionalProduction implements Producing {
    /** Kafka repeats requests by itself for minutes. A transaction that still fails so often never succeeds. */
    private static final int ATTEMPTS_MAX = 20;

    private final Producer<byte[], byte[]> producer;
    private final AcknowledgementLog.Plan plan;
    private final AcknowledgementLog.Writer log;
    private final int perTransaction;
    private final int abortEvery;
    private long sent;
    private long acknowledged;
    private long committed;
    private long aborted;
    private long failed;
    private String firstFailure;
    private long lastCommitNs;
    private long longestPauseNs;

    /** Aborts none on purpose if {@code abortEvery} is 0. */
    TransactionalProduction(
            Producer<byte[], byte[]> producer,
            AcknowledgementLog.Plan plan,
            AcknowledgementLog.Writer log,
            int perTransaction,
            int abortEvery) {
        this.producer = producer;
        this.plan = plan;
        this.log = log;
        this.perTransaction = perTransaction;
        this.abortEvery = abortEvery;
    }

    @Override
    public void run(String topic, int recordsPerSecond) {
        producer.initTransactions();
        int partitions = producer.partitionsFor(topic).size();
        long started = System.nanoTime();
        synchronized (this) {
            lastCommitNs = started;
        }
        for (int first = 0, number = 1; first < plan.records(); first += perTransaction, number++) {
            Pace.wait(started, first, recordsPerSecond);
            List<Integer> sequences = new ArrayList<>();
            for (int sequence = first; sequence < Math.min(first + perTransaction, plan.records()); sequence++) {
                sequences.add(sequence);
            }
            if (abortEvery > 0 && number % abortEvery == 0) {
                abortOnPurpose(topic, partitions, sequences);
            }
            commit(topic, partitions, sequences);
        }
    }

    private void abortOnPurpose(String topic, int partitions, List<Integer> sequences) {
        producer.beginTransaction();
        send(topic, partitions, sequences);
        // Most of them are in the log before the transaction is aborted.
        producer.flush();
        abort();
    }

    private void commit(String topic, int partitions, List<Integer> sequences) {
        for (int attempt = 1; ; attempt++) {
            producer.beginTransaction();
            try {
                List<Future<RecordMetadata>> answers = send(topic, partitions, sequences);
                commitUntilAnswered();
                acknowledge(sequences, answers);
                return;
            } catch (KafkaException failure) {
                note("records from " + sequences.get(0) + ": " + failure);
                if (attempt == ATTEMPTS_MAX) {
                    throw failure;
                }
                // An exception that does not allow this is thrown again here, and ends the run.
                abort();
            }
        }
    }

    private List<Future<RecordMetadata>> send(String topic, int partitions, List<Integer> sequences) {
        List<Future<RecordMetadata>> answers = new ArrayList<>();
        for (int sequence : sequences) {
            answers.add(producer.send(Envelope.record(topic, sequence % partitions, plan, sequence)));
        }
        synchronized (this) {
            sent += sequences.size();
        }
        return answers;
    }

    /** After a timeout the outcome is open. Asking again gets it. */
    private void commitUntilAnswered() {
        for (int attempt = 1; ; attempt++) {
            try {
                producer.commitTransaction();
                return;
            } catch (TimeoutException unanswered) {
                note("commit: " + unanswered);
                if (attempt == ATTEMPTS_MAX) {
                    throw new IllegalStateException("the outcome of a transaction is unknown", unanswered);
                }
            }
        }
    }

    private void abort() {
        producer.abortTransaction();
        synchronized (this) {
            aborted++;
        }
    }

    private synchronized void acknowledge(List<Integer> sequences, List<Future<RecordMetadata>> answers) {
        try {
            for (int index = 0; index < sequences.size(); index++) {
                RecordMetadata answer = answers.get(index).get();
                log.add(sequences.get(index), answer.partition(), answer.offset());
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException | ExecutionException impossible) {
            throw new IllegalStateException("a committed transaction has a record without an answer", impossible);
        }
        long now = System.nanoTime();
        acknowledged += sequences.size();
        committed++;
        longestPauseNs = Math.max(longestPauseNs, now - lastCommitNs);
        lastCommitNs = now;
    }

    private synchronized void note(String failure) {
        failed++;
        firstFailure = firstFailure == null ? failure : firstFailure;
    }

    @Override
    public synchronized Map<String, Object> progress() {
        try {
            log.flush();
        } catch (IOException failure) {
            note("the log of acknowledgements: " + failure);
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("sent", sent);
        figures.put("acknowledged", acknowledged);
        figures.put("failed", failed);
        return figures;
    }

    @Override
    public synchronized boolean passed() {
        return acknowledged == plan.records();
    }

    @Override
    public synchronized Map<String, Object> summary() {
        Map<String, Object> figures = progress();
        figures.put("passed", passed());
        figures.put("planned", plan.records());
        figures.put("transactions_committed", committed);
        figures.put("transactions_aborted", aborted);
        figures.put("pause_ms_max", longestPauseNs / 1_000_000);
        if (firstFailure != null) {
            figures.put("first_failure", firstFailure);
        }
        return figures;
    }
}
