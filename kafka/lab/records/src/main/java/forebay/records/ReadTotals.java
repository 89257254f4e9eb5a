package forebay.records;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;

/** What several readers have read together. */
final class ReadTotals {
    private final LongAdder records = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final ConcurrentHistogram fetchUs = new ConcurrentHistogram(3);

    /** Adds a record whose value has so many bytes. */
    void add(int valueBytes) {
        records.increment();
        bytes.add(valueBytes);
    }

    /** Adds a read at a random position. */
    void addFetch(long nanos) {
        fetchUs.recordValue(nanos / 1000);
    }

    /** The figures of a line. */
    Map<String, Object> figures() {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("records", records.sum());
        figures.put("bytes", bytes.sum());
        figures.put("fetches", fetchUs.getTotalCount());
        figures.put("fetch_ms_p50", fetchUs.getValueAtPercentile(50) / 1000.0);
        figures.put("fetch_ms_p99", fetchUs.getValueAtPercentile(99) / 1000.0);
        return figures;
    }
}
