package forebay.workload;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Tells how a run goes: people on one stream, and programs on another as lines of JSON. */
final class Progress {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final double MIB = 1 << 20;

    private final PrintStream people;
    private final PrintStream programs;

    /**
     * @param programs null if no program listens
     */
    Progress(PrintStream people, PrintStream programs) {
        this.people = people;
        this.programs = programs;
    }

    /** Something has begun, or happened. */
    void say(String text) {
        people.println("--- " + text);
        line(Map.of("event", "said", "text", text));
    }

    void phase(Phase phase, String text) {
        people.println("--- " + phase.word() + ": " + text);
        line(Map.of("event", "phase", "phase", phase.word(), "text", text));
    }

    /** A backlog is as large as it should be, and waits. */
    void built() {
        line(Map.of("event", "built"));
    }

    /** Everything that counts has been measured. */
    void measured() {
        line(Map.of("event", "measured"));
    }

    void sample(Sample sample) {
        Histogram publish = sample.latencies().publish();
        Histogram intended = sample.latencies().fromIntended();
        people.printf(Locale.ROOT,
                "%6.0f s %-6s  out %9.0f/s %8.1f MiB/s  in %9.0f/s %8.1f MiB/s  behind %9d  ms p50 %7.1f p99 %8.1f max %8.1f, "
                        + "from intended p99 %8.1f%s%n",
                sample.atSeconds(), sample.phase().word(), sample.publishRate(), sample.publishBytesRate() / MIB,
                sample.consumeRate(), sample.consumeBytesRate() / MIB, sample.backlog(),
                publish.getValueAtPercentile(50) / 1e3, publish.getValueAtPercentile(99) / 1e3, publish.getMaxValue() / 1e3,
                intended.getValueAtPercentile(99) / 1e3,
                sample.counted().errors() == 0 ? "" : "  ERRORS " + sample.counted().errors());
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("event", "sample");
        line.put("phase", sample.phase().word());
        line.put("elapsed_s", sample.atSeconds());
        line.put("publish_rate", sample.publishRate());
        line.put("publish_bytes_rate", sample.publishBytesRate());
        line.put("consume_rate", sample.consumeRate());
        line.put("consume_bytes_rate", sample.consumeBytesRate());
        line.put("error_rate", sample.errorRate());
        line.put("backlog", sample.backlog());
        line.put("publish_latency_ms_p50", publish.getValueAtPercentile(50) / 1e3);
        line.put("publish_latency_ms_p99", publish.getValueAtPercentile(99) / 1e3);
        line.put("intended_latency_ms_p99", intended.getValueAtPercentile(99) / 1e3);
        line(line);
    }

    private void line(Map<String, Object> figures) {
        if (programs == null) {
            return;
        }
        try {
            programs.println(JSON.writeValueAsString(figures));
            programs.flush();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("figures are numbers and strings", e);
        }
    }
}
