package forebay.records;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.ConcurrentHistogram;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Sends the planned records, round-robin over the partitions, and logs each acknowledgement.
 *
 * <p>The thread that sends and the producer's own, which calls back, share the counters; both take the lock.
 */
final class Production implements Producing {
    private static final int STOP_LOOK_RECORDS = 32;

    private final Producer<byte[], byte[]> producer;
    private final AcknowledgementLog.Plan plan;
    private final AcknowledgementLog.Writer log;
    private final Pause pause;
    private final Path stopFile;
    private final ConcurrentHistogram latencyUs = new ConcurrentHistogram(3);
    private long sent;
    private long acknowledged;
    private long failed;
    private String firstFailure;
    private long lastAcknowledgedNs;
    private long longestPauseNs;
    private Gaps gaps = new Gaps(0, 0);
    private boolean stopped;

    /** @param stopFile no records are sent any more once this file exists; null for never */
    Production(
            Producer<byte[], byte[]> producer,
            AcknowledgementLog.Plan plan,
            AcknowledgementLog.Writer log,
            Pause pause,
            Path stopFile) {
        this.producer = producer;
        this.plan = plan;
        this.log = log;
        this.pause = pause;
        this.stopFile = stopFile;
    }

    @Override
    public void run(String topic, int recordsPerSecond) {
        int partitions = producer.partitionsFor(topic).size();
        long started = System.nanoTime();
        synchronized (this) {
            lastAcknowledgedNs = started;
            gaps = new Gaps(partitions, started);
        }
        for (int sequence = 0; sequence < plan.records() && !stops(sequence); sequence++) {
            Pace.wait(started, sequence, recordsPerSecond);
            // Records are due later by that time, so that they do not come all at once.
            started += pause.await();
            send(topic, sequence % partitions, sequence);
        }
        producer.flush();
    }

    private boolean stops(int sequence) {
        if (stopFile == null || sequence % STOP_LOOK_RECORDS != 0 || !Files.exists(stopFile)) {
            return false;
        }
        synchronized (this) {
            stopped = true;
        }
        return true;
    }

    private void send(String topic, int partition, int sequence) {
        ProducerRecord<byte[], byte[]> record = Envelope.record(topic, partition, plan, sequence);
        synchronized (this) {
            sent++;
        }
        long sentAt = System.nanoTime();
        producer.send(record, (metadata, failure) -> answered(sequence, sentAt, metadata, failure));
    }

    private synchronized void answered(int sequence, long sentAt, RecordMetadata metadata, Exception failure) {
        if (failure != null) {
            fail(sequence, failure);
            return;
        }
        try {
            log.add(sequence, metadata.partition(), metadata.offset());
        } catch (IOException e) {
            fail(sequence, e);
            return;
        }
        long now = System.nanoTime();
        acknowledged++;
        latencyUs.recordValue(Math.max(0, (now - sentAt) / 1000));
        longestPauseNs = Math.max(longestPauseNs, now - lastAcknowledgedNs);
        lastAcknowledgedNs = now;
        gaps.acknowledged(metadata.partition(), now);
    }

    private void fail(int sequence, Exception failure) {
        failed++;
        if (firstFailure == null) {
            firstFailure = "record " + sequence + ": " + failure;
        }
    }

    @Override
    public synchronized Map<String, Object> progress() {
        try {
            log.flush();
        } catch (IOException e) {
            failed++;
            firstFailure = firstFailure == null ? "the log of acknowledgements: " + e : firstFailure;
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("sent", sent);
        figures.put("acknowledged", acknowledged);
        figures.put("failed", failed);
        figures.put("gaps_ms", gaps.takeMs(System.nanoTime()));
        return figures;
    }

    @Override
    public synchronized boolean passed() {
        return failed == 0 && acknowledged == (stopped ? sent : plan.records());
    }

    @Override
    public synchronized Map<String, Object> summary() {
        Map<String, Object> figures = progress();
        figures.put("passed", passed());
        figures.put("planned", plan.records());
        figures.put("record_bytes", plan.recordBytes());
        figures.put("seed", plan.seed());
        figures.put("pause_ms_max", longestPauseNs / 1_000_000);
        figures.put("latency_ms_p50", latencyUs.getValueAtPercentile(50) / 1000.0);
        figures.put("latency_ms_p99", latencyUs.getValueAtPercentile(99) / 1000.0);
        figures.put("latency_ms_max", latencyUs.getMaxValue() / 1000.0);
        if (firstFailure != null) {
            figures.put("first_failure", firstFailure);
        }
        return figures;
    }
}
