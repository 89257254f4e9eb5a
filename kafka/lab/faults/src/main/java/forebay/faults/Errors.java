package forebay.faults;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which requests meet which Error: of each kind of request, the first three of four, each another Error. The fourth is sent. */
final class Errors {
    private static final Logger LOG = LoggerFactory.getLogger(Errors.class);
    private static final List<Function<String, Error>> KINDS = List.of(OutOfMemoryError::new, StackOverflowError::new, NoClassDefFoundError::new);

    private final BooleanSupplier isOn;
    private final Map<String, AtomicInteger> turns = new ConcurrentHashMap<>();

    Errors(BooleanSupplier isOn) {
        this.isOn = isOn;
    }

    /** Throws an Error if it is this request's turn. */
    void meet(String method, String path, boolean hasQuery) {
        if (!isOn.getAsBoolean()) {
            return;
        }
        String request = kind(method, path, hasQuery);
        int turn = turns.computeIfAbsent(request, each -> new AtomicInteger()).getAndIncrement() % (KINDS.size() + 1);
        if (turn < KINDS.size()) {
            Error error = KINDS.get(turn).apply("thrown by the lab");
            // The lab counts these lines.
            LOG.info("thrown: {} in {}", error.getClass().getSimpleName(), request);
            throw error;
        }
    }

    /** The kind of a request: what the plugin does with it. */
    private static String kind(String method, String path, boolean hasQuery) {
        if (method.equals("POST") && hasQuery) {
            return "delete";
        }
        String what = path.endsWith(".log") ? "segment" : path.endsWith(".indexes") ? "indexes" : "bucket";
        String verb = switch (method) {
            case "PUT" -> "copy";
            case "GET", "HEAD" -> "fetch";
            default -> method.toLowerCase(Locale.ROOT);
        };
        return verb + "-" + what;
    }
}
