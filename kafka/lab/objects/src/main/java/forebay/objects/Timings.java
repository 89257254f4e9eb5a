package forebay.objects;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** How long operations took, and how many bytes they moved, by name. */
final class Timings {
    private static final long LONGEST_NANOS = 600_000_000_000L;

    private final Map<String, Operation> operations = new LinkedHashMap<>();

    private static final class Operation {
        private final Histogram nanos = new Histogram(LONGEST_NANOS, 3);
        private long bytes;
        private long sum;
    }

    /** Adds one operation that was answered. */
    synchronized void add(String name, long nanos, long bytes) {
        Operation operation = operations.computeIfAbsent(name, unused -> new Operation());
        operation.nanos.recordValue(Math.min(Math.max(nanos, 0), LONGEST_NANOS));
        operation.bytes += bytes;
        operation.sum += nanos;
    }

    /** What the summary has. MB/s are those of one operation at a time: bytes by the sum of the times. */
    synchronized List<Map<String, Object>> summary() {
        List<Map<String, Object>> all = new ArrayList<>();
        operations.forEach((name, operation) -> {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("name", name);
            one.put("count", operation.nanos.getTotalCount());
            one.put("bytes", operation.bytes);
            one.put("p50_ms", operation.nanos.getValueAtPercentile(50) / 1e6);
            one.put("p99_ms", operation.nanos.getValueAtPercentile(99) / 1e6);
            one.put("max_ms", operation.nanos.getMaxValue() / 1e6);
            one.put("mb_per_s", operation.sum == 0 ? 0 : operation.bytes * 1e3 / operation.sum);
            all.add(one);
        });
        return all;
    }
}
