package forebay.tiering;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.server.log.remote.storage.LocalTieredStorage;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs all classes of Kafka's tests, or those that are named, and prints JSON lines on standard output: one with the names of all classes, one for each test and
 * each class that has ended, and one with the totals. Exit status: 0 all passed, 1 there was no test, 2 a class that is named does not exist, 4 a test failed.
 */
public final class KafkaTests {
    private static final String PACKAGE = "org.apache.kafka.tiered.storage.integration";
    private static final int NOTHING_RAN = 1;
    private static final int USAGE = 2;
    private static final int FAILED = 4;

    private KafkaTests() {}

    /** Takes simple names of classes. */
    public static void main(String[] names) {
        // What the tests print must not end up between the lines.
        PrintStream out = System.out;
        System.setOut(System.err);
        Launcher launcher = LauncherFactory.create();
        TestPlan plan = launcher.discover(request(List.of()));
        Set<String> classes = plan.getRoots().stream().flatMap(root -> plan.getDescendants(root).stream()).map(KafkaTests::classOf)
                .filter(name -> !name.isEmpty()).collect(Collectors.toCollection(java.util.TreeSet::new));
        List<String> wanted = names.length == 0 ? List.copyOf(classes) : Arrays.asList(names);
        for (String name : wanted) {
            if (!classes.contains(name)) {
                System.err.println("there is no class " + name + "; there are " + String.join(", ", classes));
                System.exit(USAGE);
            }
        }
        Results results = new Results(out);
        results.line("plan", Map.of("classes", classes));
        for (String name : wanted) {
            launcher.execute(request(List.of(name)), results);
            results.ended(name);
        }
        System.exit(results.conclude());
    }

    private static LauncherDiscoveryRequest request(List<String> names) {
        LauncherDiscoveryRequestBuilder builder = LauncherDiscoveryRequestBuilder.request();
        if (names.isEmpty()) {
            builder.selectors(DiscoverySelectors.selectPackage(PACKAGE));
        }
        names.forEach(name -> builder.selectors(DiscoverySelectors.selectClass(PACKAGE + "." + name)));
        return builder.build();
    }

    /** The simple name of a test's class; empty if it has none. */
    private static String classOf(TestIdentifier test) {
        return test.getSource().map(source -> source instanceof ClassSource of ? of.getClassName()
                : source instanceof MethodSource of ? of.getClassName() : "").map(name -> name.substring(name.lastIndexOf('.') + 1)).orElse("");
    }

    /** Counts the tests of a class, and prints lines. */
    private static final class Results implements TestExecutionListener {
        private static final ObjectMapper JSON = new ObjectMapper();

        private final PrintStream out;
        private final Map<String, String> failures = new TreeMap<>();
        private long begun = System.nanoTime();
        private long copiesBefore;
        private int passed;
        private int skipped;
        private int passedInAll;
        private int failedInAll;
        private int skippedInAll;

        Results(PrintStream out) {
            this.out = out;
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            skipped++;
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                Throwable cause = result.getThrowable().orElseGet(() -> new AssertionError("no reason is known"));
                cause.printStackTrace();
                failures.put(test.getDisplayName(), cause.toString());
            } else if (test.isTest()) {
                passed++;
            }
            if (test.isTest()) {
                line("test", Map.of("name", test.getDisplayName()));
            }
        }

        void ended(String name) {
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("name", name);
            figures.put("seconds", (System.nanoTime() - begun) / 1e9);
            figures.put("passed", passed);
            figures.put("skipped", skipped);
            figures.put("copies", LocalTieredStorage.copies() - copiesBefore);
            figures.put("failures", failures);
            line("class", figures);
            passedInAll += passed;
            skippedInAll += skipped;
            failedInAll += failures.size();
            failures.clear();
            passed = 0;
            skipped = 0;
            copiesBefore = LocalTieredStorage.copies();
            begun = System.nanoTime();
        }

        int conclude() {
            line("summary", Map.of("passed", passedInAll, "failed", failedInAll, "skipped", skippedInAll, "copies", copiesBefore));
            return failedInAll > 0 ? FAILED : passedInAll == 0 ? NOTHING_RAN : 0;
        }

        void line(String event, Map<String, Object> figures) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("event", event);
            line.putAll(figures);
            try {
                out.println(JSON.writeValueAsString(line));
                out.flush();
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("figures are numbers, strings and lists", e);
            }
        }
    }
}
