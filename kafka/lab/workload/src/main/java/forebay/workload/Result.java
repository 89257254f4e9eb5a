package forebay.workload;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * The result file: the fields of OpenMessaging Benchmark's, in its units, and what that lacks below the one key {@code forebay}.
 *
 * <p>Lists have one value for each sample. Latencies are in milliseconds, but for {@code …DelayLatency…}, which are in microseconds.
 */
final class Result {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    private static final double MILLISECOND = 1e3;
    private static final double MICROSECOND = 1;
    /** Name of a percentile in fields, and the percentile. */
    private static final List<Map.Entry<String, Double>> PERCENTILES = List.of(
            Map.entry("50pct", 50.0), Map.entry("75pct", 75.0), Map.entry("95pct", 95.0), Map.entry("99pct", 99.0),
            Map.entry("999pct", 99.9), Map.entry("9999pct", 99.99));

    private final ObjectNode root = JSON.createObjectNode();
    private final Run.Outcome outcome;

    private Result(Run.Outcome outcome) {
        this.outcome = outcome;
    }

    /** The result of a run as JSON. */
    static ObjectNode of(Workload workload, Driver driver, Run.Outcome outcome, Map<String, Object> described) {
        Result result = new Result(outcome);
        result.head(workload, driver);
        result.series();
        result.latency("ublishLatency", "p", MILLISECOND, Statistics.Latencies::publish);
        result.latency("ublishDelayLatency", "p", MICROSECOND, Statistics.Latencies::delay);
        result.latency("ndToEndLatency", "e", MILLISECOND, Statistics.Latencies::endToEnd);
        result.more(workload, described);
        return result.root;
    }

    /** Writes it, at once or not at all. */
    static void write(ObjectNode result, Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        Files.createDirectories(folder);
        Path beside = Files.createTempFile(folder, file.getFileName().toString(), ".new");
        Files.writeString(beside, JSON.writeValueAsString(result) + "\n");
        Files.move(beside, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    private void head(Workload workload, Driver driver) {
        root.put("workload", workload.name());
        root.put("driver", driver.name());
        root.put("messageSize", workload.messageSize());
        root.put("topics", workload.topics());
        root.put("partitions", workload.partitionsPerTopic());
        root.put("producersPerTopic", workload.producersPerTopic());
        root.put("consumersPerTopic", workload.consumerPerSubscription());
    }

    private void series() {
        list(root, "publishRate", Sample::publishRate);
        list(root, "publishErrorRate", Sample::errorRate);
        list(root, "consumeRate", Sample::consumeRate);
        ArrayNode backlog = root.putArray("backlog");
        outcome.samples().forEach(sample -> backlog.add(sample.backlog()));
    }

    private void list(ObjectNode node, String name, ToDoubleFunction<Sample> value) {
        ArrayNode list = node.putArray(name);
        outcome.samples().forEach(sample -> list.add(value.applyAsDouble(sample)));
    }

    /** A latency, for each sample and for all of them. {@code initial} is the name's first letter, which follows "aggregated" as a capital. */
    private void latency(String name, String initial, double unit, Function<Statistics.Latencies, Histogram> which) {
        Function<Sample, Histogram> of = sample -> which.apply(sample.latencies());
        list(root, initial + name + "Avg", sample -> of.apply(sample).getMean() / unit);
        PERCENTILES.forEach(percentile -> list(root, initial + name + percentile.getKey(),
                sample -> of.apply(sample).getValueAtPercentile(percentile.getValue()) / unit));
        list(root, initial + name + "Max", sample -> of.apply(sample).getMaxValue() / unit);
        String all = "aggregated" + initial.toUpperCase(java.util.Locale.ROOT) + name;
        aggregate(root, all, which.apply(outcome.latencies()), unit);
    }

    private static void aggregate(ObjectNode node, String name, Histogram all, double unit) {
        node.put(name + "Avg", all.getMean() / unit);
        PERCENTILES.forEach(percentile -> node.put(name + percentile.getKey(),
                all.getValueAtPercentile(percentile.getValue()) / unit));
        node.put(name + "Max", all.getMaxValue() / unit);
        ObjectNode quantiles = node.putObject(name + "Quantiles");
        all.percentiles(100).forEach(value ->
                quantiles.put(Double.toString(value.getPercentile()), value.getValueIteratedTo() / unit));
    }

    private void more(Workload workload, Map<String, Object> described) {
        ObjectNode more = root.putObject("forebay");
        more.put("format", 1);
        more.put("stopped", outcome.stopped());
        more.set("errors", JSON.valueToTree(outcome.errors()));
        ObjectNode totals = more.putObject("totals");
        totals.put("published", outcome.counters().sent());
        totals.put("publishedBytes", outcome.counters().sentBytes());
        totals.put("publishErrors", outcome.counters().errors());
        totals.put("notSent", outcome.notSent());
        totals.put("consumed", outcome.counters().received());
        totals.put("consumedBytes", outcome.counters().receivedBytes());
        ArrayNode phases = more.putArray("phases");
        outcome.phaseSeconds().forEach((phase, seconds) -> phase(phases.addObject(), phase, seconds));
        ArrayNode phaseOfSample = more.putArray("phase");
        outcome.samples().forEach(sample -> phaseOfSample.add(sample.phase().word()));
        list(more, "atSeconds", Sample::atSeconds);
        list(more, "intervalSeconds", Sample::seconds);
        list(more, "publishBytesPerSecond", Sample::publishBytesRate);
        list(more, "consumeBytesPerSecond", Sample::consumeBytesRate);
        list(more, "intendedLatency99pct", sample -> sample.latencies().fromIntended().getValueAtPercentile(99) / MILLISECOND);
        aggregate(more, "aggregatedIntendedLatency", outcome.latencies().fromIntended(), MILLISECOND);
        ArrayNode searched = more.putArray("rateSearch");
        outcome.searched().forEach(step -> searched.addObject().put("atSeconds", step[0]).put("rate", step[1]));
        more.set("workload", JSON.valueToTree(workload));
        more.set("cluster", JSON.valueToTree(described));
        more.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.version"));
        more.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        more.put("processors", Runtime.getRuntime().availableProcessors());
    }

    /** Seconds, messages and bytes of a phase. The warm-up has its seconds only. */
    private void phase(ObjectNode node, Phase phase, double seconds) {
        node.put("phase", phase.word());
        node.put("seconds", seconds);
        List<Sample> samples = outcome.samples().stream().filter(sample -> sample.phase() == phase).toList();
        if (samples.isEmpty()) {
            return;
        }
        Statistics.Counters all = samples.stream().map(Sample::counted).reduce(Statistics.Counters::and).orElseThrow();
        double measured = samples.stream().mapToDouble(Sample::seconds).sum();
        node.put("publishRate", all.sent() / measured);
        node.put("publishBytesPerSecond", all.sentBytes() / measured);
        node.put("consumeRate", all.received() / measured);
        node.put("consumeBytesPerSecond", all.receivedBytes() / measured);
        node.put("publishErrors", all.errors());
    }
}
