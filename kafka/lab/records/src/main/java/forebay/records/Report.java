package forebay.records;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes the JSON lines that the lab reads. */
final class Report {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final PrintStream out;
    private final long started = System.nanoTime();

    Report(PrintStream out) {
        this.out = out;
    }

    void progress(Map<String, Object> figures) {
        line("progress", figures);
    }

    void summary(Map<String, Object> figures) {
        line("summary", figures);
    }

    long elapsedMs() {
        return (System.nanoTime() - started) / 1_000_000;
    }

    private void line(String event, Map<String, Object> figures) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("event", event);
        line.put("elapsed_ms", elapsedMs());
        line.putAll(figures);
        try {
            synchronized (out) {
                out.println(JSON.writeValueAsString(line));
                out.flush();
            }
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("figures are numbers, strings and lists", e);
        }
    }
}
