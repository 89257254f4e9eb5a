package forebay.workload;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.PackedHistogram;
import org.HdrHistogram.Recorder;

/** Counts messages, bytes, errors, and how long things took. All threads add to it; one thread samples. */
final class Statistics {
    private static final int DIGITS = 3;
    /** Kinds of errors that are told apart. */
    private static final int ERRORS_MAX = 20;

    private final LongAdder sent = new LongAdder();
    private final LongAdder sentBytes = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final LongAdder received = new LongAdder();
    private final LongAdder receivedBytes = new LongAdder();
    private final Map<String, LongAdder> errorsByText = new ConcurrentHashMap<>();
    private final Latency publish = new Latency();
    private final Latency delay = new Latency();
    private final Latency fromIntended = new Latency();
    private final Latency endToEnd = new Latency();

    /** Times in microseconds: those of the current sample, and all of the samples before. */
    private static final class Latency {
        private final Recorder recorder = new Recorder(DIGITS);
        private Histogram all = new Histogram(DIGITS);

        void record(long microseconds) {
            recorder.recordValue(Math.max(0, microseconds));
        }

        Histogram sample() {
            Histogram sample = recorder.getIntervalHistogram();
            all.add(sample);
            // Samples are kept to the end, and most of what a recorder's histogram takes are zeros.
            Histogram packed = new PackedHistogram(DIGITS);
            packed.add(sample);
            return packed;
        }

        void reset() {
            recorder.reset();
            all = new Histogram(DIGITS);
        }
    }

    /**
     * Counters since the beginning.
     *
     * @param sent messages that were acknowledged
     * @param errors messages that were not
     */
    record Counters(long sent, long sentBytes, long errors, long received, long receivedBytes) {
        Counters since(Counters before) {
            return new Counters(sent - before.sent, sentBytes - before.sentBytes, errors - before.errors,
                    received - before.received, receivedBytes - before.receivedBytes);
        }

        Counters and(Counters other) {
            return new Counters(sent + other.sent, sentBytes + other.sentBytes, errors + other.errors,
                    received + other.received, receivedBytes + other.receivedBytes);
        }

        /** Everything that ever happens. */
        long moved() {
            return sent + received;
        }
    }

    /**
     * Times, in microseconds.
     *
     * @param publish from sending a message to its acknowledgement
     * @param delay from when a message should have been sent to when it was
     * @param fromIntended from when a message should have been sent to its acknowledgement
     * @param endToEnd from a message's timestamp to its arrival at a consumer, in steps of a millisecond; 0 is not counted, as
     *     the benchmark has it
     */
    record Latencies(Histogram publish, Histogram delay, Histogram fromIntended, Histogram endToEnd) {
        Latencies and(Latencies other) {
            return new Latencies(sum(publish, other.publish), sum(delay, other.delay),
                    sum(fromIntended, other.fromIntended), sum(endToEnd, other.endToEnd));
        }

        private static Histogram sum(Histogram one, Histogram other) {
            Histogram sum = one.copy();
            sum.add(other);
            return sum;
        }
    }

    /** A message was acknowledged; all are times of {@link System#nanoTime}. */
    void acknowledged(int bytes, long intendedNs, long sentNs, long nowNs) {
        sent.increment();
        sentBytes.add(bytes);
        publish.record((nowNs - sentNs) / 1000);
        delay.record((sentNs - intendedNs) / 1000);
        fromIntended.record((nowNs - intendedNs) / 1000);
    }

    /** A message could not be published. */
    void failed(Throwable failure) {
        errors.increment();
        String text = failure.toString().lines().findFirst().orElse("unknown");
        if (errorsByText.size() < ERRORS_MAX || errorsByText.containsKey(text)) {
            errorsByText.computeIfAbsent(text, key -> new LongAdder()).increment();
        }
    }

    /** A message arrived at a consumer. */
    void received(int bytes, long latencyMs) {
        received.increment();
        receivedBytes.add(bytes);
        if (latencyMs > 0) {
            endToEnd.record(latencyMs * 1000);
        }
    }

    Counters counters() {
        return new Counters(sent.sum(), sentBytes.sum(), errors.sum(), received.sum(), receivedBytes.sum());
    }

    /** Errors by what they said. */
    Map<String, Long> errors() {
        Map<String, Long> all = new TreeMap<>();
        errorsByText.forEach((text, count) -> all.put(text, count.sum()));
        return all;
    }

    /** The times since the last sample. */
    Latencies sample() {
        return new Latencies(publish.sample(), delay.sample(), fromIntended.sample(), endToEnd.sample());
    }

    /** The times of all samples since the last reset. */
    Latencies all() {
        return new Latencies(publish.all, delay.all, fromIntended.all, endToEnd.all);
    }

    /** Forgets the times so far. Counters go on. */
    void resetLatencies() {
        publish.reset();
        delay.reset();
        fromIntended.reset();
        endToEnd.reset();
    }
}
