package forebay.objects;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;

/** Writes the lines of JSON that the lab reads. */
final class Report {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final PrintStream out;

    Report(PrintStream out) {
        this.out = out;
    }

    /** The next part of the work begins. */
    void progress(String title) {
        write(Map.of("event", "progress", "title", title));
    }

    /** The result, which is the last line. */
    void summary(Map<String, Object> result) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("event", "summary");
        line.putAll(result);
        write(line);
    }

    private synchronized void write(Map<String, Object> line) {
        try {
            out.println(JSON.writeValueAsString(line));
            out.flush();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("lines have strings, numbers, lists and maps", e);
        }
    }
}
