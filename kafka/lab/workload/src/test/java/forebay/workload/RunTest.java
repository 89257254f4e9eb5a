package forebay.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class RunTest {
    private static final Driver DRIVER = new Driver("d", "", (short) 1, "", "", "", "");

    private final FakeCluster cluster = new FakeCluster();
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();

    private static Workload workload(double rate, double seconds, double warmupSeconds, long backlogBytes) {
        return new Workload("w", 2, 1, KeyDistributor.NO_KEY, 100, true, 0.5, 3, null, 2, 2, 2, rate,
                backlogBytes / (double) (1 << 30), 1.0, seconds / 60, warmupSeconds / 60);
    }

    private Run run(Workload workload, Duration stall) {
        return run(workload, stall, () -> () -> true);
    }

    private Run run(Workload workload, Duration stall, Supplier<BooleanSupplier> drain) {
        Run.Settings settings = new Run.Settings(Duration.ofMillis(200), stall, "t", false, drain);
        Progress progress = new Progress(System.err, new PrintStream(told, true, StandardCharsets.UTF_8));
        return new Run(workload, List.of(new byte[100]), cluster, settings, progress);
    }

    private Run.Outcome outcome(Workload workload) throws Exception {
        return run(workload, Duration.ofSeconds(30)).run();
    }

    private void awaitTold(String text) {
        try {
            while (!told.toString(StandardCharsets.UTF_8).contains(text)) {
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void steadyRunReceivesForEachSubscriptionWhatItPublishes() throws Exception {
        Run.Outcome outcome = outcome(workload(2000, 2, 0.4, 0));
        assertNull(outcome.stopped());
        assertEquals(Map.of(), outcome.errors());
        Statistics.Counters counters = outcome.counters();
        // A machine that is held up takes longer, and sends what was due meanwhile.
        double due = 2000 * outcome.phaseSeconds().values().stream().mapToDouble(Double::doubleValue).sum();
        assertEquals(due, counters.sent(), due * 0.25);
        assertEquals(2.0 * counters.sent(), counters.received(), 0.1 * counters.sent());
        assertEquals(100 * counters.sent(), counters.sentBytes());
        assertEquals(Set.of(Phase.WARMUP, Phase.STEADY), outcome.phaseSeconds().keySet());
        assertTrue(outcome.samples().stream().allMatch(sample -> sample.phase() == Phase.STEADY));
        assertTrue(outcome.latencies().endToEnd().getMinValue() >= 4_900, "as old as the timestamps say");
        assertTrue(cluster.topics.isEmpty(), "topics are deleted");
        assertTrue(told.toString(StandardCharsets.UTF_8).contains("\"event\":\"sample\""));
    }

    @Test
    void backlogIsBuiltDrainedAndThenAllIsSteady() throws Exception {
        Run.Outcome outcome = outcome(workload(20_000, 0.5, 0, 2_000_000));
        assertNull(outcome.stopped());
        assertEquals(List.of(Phase.BUILD, Phase.DRAIN, Phase.STEADY), List.copyOf(outcome.phaseSeconds().keySet()));
        long largest = outcome.samples().stream().mapToLong(Sample::backlog).max().orElseThrow();
        assertTrue(largest >= 20_000, "20,000 messages of 100 bytes waited: " + largest);
        Sample last = outcome.samples().get(outcome.samples().size() - 1);
        assertTrue(last.backlog() < 20_000, "drained: " + last.backlog());
    }

    @Test
    void backlogWaitsForALineBeforeItIsDrainedWhileProducersGoOn() throws Exception {
        PipedOutputStream input = new PipedOutputStream();
        PipedInputStream stream = new PipedInputStream(input);
        Thread later = new Thread(() -> {
            awaitTold("\"event\":\"built\"");
            long built = cluster.published();
            try {
                while (cluster.published() < built + 5_000) {
                    Thread.sleep(5);
                }
                input.write('\n');
                input.flush();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        later.start();
        Run.Outcome outcome = run(workload(20_000, 0.5, 0, 2_000_000), Duration.ofSeconds(30), () -> Main.lineOf(stream)).run();
        later.join();
        assertNull(outcome.stopped());
        long largest = outcome.samples().stream().mapToLong(Sample::backlog).max().orElseThrow();
        assertTrue(largest >= 25_000, "5,000 more waited than were planned: " + largest);
        assertEquals(List.of(Phase.BUILD, Phase.WAIT, Phase.DRAIN, Phase.STEADY), List.copyOf(outcome.phaseSeconds().keySet()));
    }

    @Test
    void backlogThatConsumersDoNotCatchUpWithEndsTheRun() throws Exception {
        cluster.fetchMax = 1;
        Run.Outcome outcome = run(workload(20_000, 600, 0, 2_000_000), Duration.ofSeconds(1)).run();
        assertTrue(outcome.stopped().startsWith("consumers do not catch up: for 1 s at least "), outcome.stopped());
        assertTrue(cluster.topics.isEmpty());
    }

    @Test
    void whatDrainedSettlesBeforeItIsMeasured() throws Exception {
        Run.Outcome outcome = outcome(workload(20_000, 0.5, 0.2, 2_000_000));
        assertEquals(List.of(Phase.WARMUP, Phase.BUILD, Phase.DRAIN, Phase.SETTLE, Phase.STEADY),
                List.copyOf(outcome.phaseSeconds().keySet()));
    }

    @Test
    void interruptedRunThatNoConsumerJoinsEndsAtOnce() throws Exception {
        cluster.fetchMax = 0;
        Run run = run(workload(1000, 600, 0, 0), Duration.ofSeconds(30));
        Thread later = new Thread(() -> {
            awaitTold("waiting until every consumer group receives");
            run.interrupt();
        });
        later.start();
        Run.Outcome outcome = run.run();
        later.join();
        assertEquals("interrupted", outcome.stopped());
        assertTrue(cluster.topics.isEmpty());
    }

    @Test
    void topicsThatWereMadeBeforeOneCouldNotBeAreDeleted() {
        cluster.topicsMax = 1;
        assertThrows(UsageException.class, () -> outcome(workload(1000, 1, 0, 0)));
        assertTrue(cluster.topics.isEmpty());
    }

    @Test
    void consumerThatEndsWithAnErrorEndsTheRun() throws Exception {
        Thread later = new Thread(() -> {
            awaitTold("steady");
            cluster.failure = new OutOfMemoryError("heap");
        });
        later.start();
        Run.Outcome outcome = outcome(workload(1000, 600, 0, 0));
        later.join();
        assertTrue(outcome.stopped().contains("OutOfMemoryError"), outcome.stopped());
    }

    @Test
    void refusedMessagesAreCountedByWhatTheySaid() throws Exception {
        Thread later = new Thread(() -> {
            awaitTold("steady");
            cluster.refusal = new TimeoutException("gone");
        });
        later.start();
        Run.Outcome outcome = outcome(workload(1000, 1, 0, 0));
        later.join();
        assertTrue(outcome.counters().errors() > 0);
        assertEquals(Set.of("org.apache.kafka.common.errors.TimeoutException: gone"), outcome.errors().keySet());
    }

    @Test
    void clusterThatStopsAnsweringEndsTheRun() throws Exception {
        Thread later = new Thread(() -> {
            awaitTold("steady");
            cluster.silent = true;
        });
        later.start();
        Run.Outcome outcome = run(workload(1000, 600, 0, 0), Duration.ofSeconds(1)).run();
        later.join();
        assertTrue(outcome.stopped().startsWith("nothing was published or received for 1 s"), outcome.stopped());
        assertTrue(cluster.topics.isEmpty());
    }

    @Test
    void whatIsNotAcknowledgedAtTheEndFailsTheRun() throws Exception {
        Thread later = new Thread(() -> {
            awaitTold("steady");
            cluster.silent = true;
        });
        later.start();
        Run.Outcome outcome = run(workload(1000, 1, 0, 0), Duration.ofSeconds(2)).run();
        later.join();
        assertTrue(outcome.stopped().matches("\\d+ messages were sent and not acknowledged within 2 s of the end"), outcome.stopped());
    }

    @Test
    void acknowledgementsAfterTheEndCountAsLatenciesAndNotAsRates() throws Exception {
        Thread later = new Thread(() -> {
            awaitTold("steady");
            cluster.held = true;
            awaitTold("\"event\":\"measured\"");
            cluster.release();
        });
        later.start();
        Run.Outcome outcome = run(workload(1000, 1, 0, 0), Duration.ofSeconds(30)).run();
        later.join();
        assertNull(outcome.stopped());
        long inTime = outcome.samples().stream().mapToLong(sample -> sample.counted().sent()).sum();
        assertEquals(1000, outcome.counters().sent(), 250);
        assertTrue(inTime < outcome.counters().sent() / 2, inTime + " of " + outcome.counters().sent());
        // A few are sent before the time begins.
        assertEquals(outcome.counters().sent(), outcome.latencies().fromIntended().getTotalCount(), 50);
        assertTrue(outcome.latencies().fromIntended().getMaxValue() > 500_000, "the first waited for all of the second");
    }

    @Test
    void consumersThatReceiveNothingEndTheRunThoughProducersGoOn() throws Exception {
        Thread later = new Thread(() -> {
            awaitTold("steady");
            cluster.fetchMax = 0;
        });
        later.start();
        Run.Outcome outcome = run(workload(1000, 600, 0, 0), Duration.ofSeconds(1)).run();
        later.join();
        assertTrue(outcome.stopped().startsWith("consumers received nothing for 1 s"), outcome.stopped());
    }

    @Test
    void runThatEndsInItsWarmupHasMeasuredNothing() throws Exception {
        Run run = run(workload(1000, 600, 600, 0), Duration.ofSeconds(30));
        Thread later = new Thread(() -> {
            awaitTold("\"phase\":\"warmup\",\"elapsed_s\"");
            run.interrupt();
        });
        later.start();
        Run.Outcome outcome = run.run();
        later.join();
        assertEquals("interrupted", outcome.stopped());
        assertTrue(outcome.samples().isEmpty());
        assertEquals(0, outcome.latencies().publish().getTotalCount());
    }

    @Test
    void interruptedRunCleansUpAndKeepsWhatItMeasured() throws Exception {
        Run run = run(workload(1000, 600, 0, 0), Duration.ofSeconds(30));
        Thread later = new Thread(() -> {
            awaitTold("\"phase\":\"steady\",\"elapsed_s\"");
            run.interrupt();
        });
        later.start();
        Run.Outcome outcome = run.run();
        later.join();
        assertEquals("interrupted", outcome.stopped());
        assertTrue(outcome.interrupted());
        assertTrue(!outcome.samples().isEmpty() && cluster.topics.isEmpty());
    }

    @Test
    void resultHasTheBenchmarksFieldsAndWhatItLacks() throws Exception {
        Workload workload = workload(2000, 1, 0, 0);
        ObjectNode result = Result.of(workload, DRIVER, outcome(workload), Map.of("cluster", "fake"));
        for (String latency : List.of("publishLatency", "publishDelayLatency", "endToEndLatency")) {
            String all = "aggregated" + Character.toUpperCase(latency.charAt(0)) + latency.substring(1);
            for (String which : List.of("Avg", "50pct", "75pct", "95pct", "99pct", "999pct", "9999pct", "Max")) {
                assertTrue(result.get(latency + which).isArray(), latency + which);
                assertTrue(result.get(all + which).isNumber(), all + which);
            }
            assertTrue(result.get(all + "Quantiles").size() > 1);
        }
        int samples = result.get("publishRate").size();
        for (String name : List.of("publishErrorRate", "consumeRate", "backlog")) {
            assertEquals(samples, result.get(name).size());
        }
        assertEquals("w", result.get("workload").asText());
        assertEquals(2, result.get("producersPerTopic").asInt());
        assertNotNull(result.get("forebay").get("aggregatedIntendedLatency99pct"));
        assertEquals("steady", result.get("forebay").get("phases").get(0).get("phase").asText());
        assertEquals(samples, result.get("forebay").get("publishBytesPerSecond").size());
        assertEquals("fake", result.get("forebay").get("cluster").get("cluster").asText());
    }
}
