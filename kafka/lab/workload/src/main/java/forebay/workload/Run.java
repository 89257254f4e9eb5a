package forebay.workload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * One run of a workload: topics, clients, warm-up, and then either a steady state or, with a backlog, its three phases: build, drain,
 * and steady state.
 */
final class Run {
    /** How long consumers may take to get their partitions. */
    private static final Duration READY = Duration.ofSeconds(120);
    private static final Duration SEARCH_PERIOD = Duration.ofSeconds(3);
    private static final double SEARCH_FROM = 10_000;
    /** Messages below which a backlog counts as drained, however small it was: so many are always on their way. */
    private static final long DRAINED = 1000;

    private final Workload workload;
    private final List<byte[]> payloads;
    private final Clients clients;
    private final Settings settings;
    private final Progress progress;
    private final Statistics statistics = new Statistics();
    private final AtomicBoolean interrupted = new AtomicBoolean();
    private final List<Sample> samples = new ArrayList<>();
    private final Map<Phase, Double> phaseSeconds = new LinkedHashMap<>();
    private final List<double[]> searched = new ArrayList<>();
    private final long begun = System.nanoTime();
    private Statistics.Counters before = statistics.counters();
    private long sampledNs;
    private RateSearch search;
    private long searchedNs;
    private double rate;
    private long movedNs;
    private long moved;
    private Phase headwayIn;
    private long headwayNs;
    private long headway;
    private long receivedNs;
    private long received;
    private long notSent;
    private String stoppedAt;

    /**
     * How to run it.
     *
     * @param interval between two samples
     * @param stall how long nothing may move before the run is given up
     * @param prefix of the topics' names
     * @param keepTopics leaves them there
     * @param drain asked once when a backlog is built: consumers rest on until what it returns holds
     */
    record Settings(Duration interval, Duration stall, String prefix, boolean keepTopics, Supplier<BooleanSupplier> drain) {}

    /**
     * How it ended.
     *
     * @param stopped why it ended before its time; null if it did not
     * @param latencies of all that was measured, warm-up aside
     * @param notSent messages that should have been sent when the time was over, and were not
     */
    record Outcome(
            List<Sample> samples,
            Map<Phase, Double> phaseSeconds,
            List<double[]> searched,
            Statistics.Latencies latencies,
            Statistics.Counters counters,
            long notSent,
            Map<String, Long> errors,
            String stopped,
            boolean interrupted) {}

    /** Ends the run before its time. */
    private static final class Stop extends Exception {
        private static final long serialVersionUID = 1L;

        Stop(String why) {
            super(why);
        }
    }

    Run(Workload workload, List<byte[]> payloads, Clients clients, Settings settings, Progress progress) {
        this.workload = workload;
        this.payloads = payloads;
        this.clients = clients;
        this.settings = settings;
        this.progress = progress;
    }

    /** What the names of its topics begin with. */
    String prefix() {
        return settings.prefix;
    }

    /** Has the run end as soon as it can, from any thread. */
    void interrupt() {
        interrupted.set(true);
    }

    /** Runs it. What was measured until it was stopped is in the outcome. */
    Outcome run() throws UsageException, InterruptedException {
        List<String> topics = IntStream.range(0, workload.topics())
                .mapToObj(number -> "%s-%07d".formatted(settings.prefix, number))
                .toList();
        progress.say("making %d topics of %d partitions: %s-…".formatted(topics.size(), workload.partitionsPerTopic(), settings.prefix));
        try {
            clients.createTopics(topics, workload);
            try (Load load = new Load(statistics)) {
                load.open(clients, workload, topics);
                through(load);
            }
        } finally {
            if (!settings.keepTopics) {
                clients.deleteTopics(topics);
            }
        }
        return new Outcome(samples, phaseSeconds, searched, statistics.all(), statistics.counters(), notSent,
                statistics.errors(), stoppedAt, interrupted.get());
    }

    private void through(Load load) throws InterruptedException {
        try {
            progress.say("waiting until every consumer group receives");
            if (!load.awaitReady(READY, interrupted::get)) {
                requireNotInterrupted();
                throw new Stop(load.broken() != null ? load.broken()
                        : "after %d s only %s consumer groups receive".formatted(READY.toSeconds(), load.readiness()));
            }
            startSending(load);
            phases(load);
        } catch (Stop e) {
            stoppedAt = e.getMessage();
            progress.say("stopped: " + stoppedAt);
        }
    }

    private void startSending(Load load) {
        rate = workload.producerRate();
        searchedNs = System.nanoTime();
        if (rate == 0) {
            rate = SEARCH_FROM;
            search = new RateSearch();
        }
        load.send(rate, payloads, workload.keyDistributor());
        sampledNs = System.nanoTime();
        movedNs = sampledNs;
        receivedNs = sampledNs;
    }

    private void phases(Load load) throws Stop, InterruptedException {
        double warmup = workload.warmupDurationMinutes() * 60;
        if (warmup > 0) {
            progress.phase(Phase.WARMUP, "%.0f s, which do not count".formatted(warmup));
            pass(load, Phase.WARMUP, () -> false, warmup);
        }
        sample(Phase.WARMUP);
        forgetWarmup();
        if (workload.consumerBacklogSizeGB() > 0) {
            backlog(load);
        }
        double seconds = workload.testDurationMinutes() * 60;
        progress.phase(Phase.STEADY, seconds > 0 ? "%.0f s".formatted(seconds) : "until interrupted");
        pass(load, Phase.STEADY, () -> false, seconds > 0 ? seconds : Double.POSITIVE_INFINITY);
        progress.measured();
        awaitAcknowledgements(load);
    }

    private void forgetWarmup() {
        statistics.resetLatencies();
        samples.removeIf(sample -> sample.phase() == Phase.WARMUP);
    }

    /**
     * What is on its way when the time is over must arrive, and its latencies count: they are those of the slowest. Rates are of the
     * time alone.
     */
    private void awaitAcknowledgements(Load load) throws Stop, InterruptedException {
        notSent = load.finishSending();
        long last = -1;
        long lastNs = 0;
        try {
            for (long left = load.unacknowledged(); left > 0; left = load.unacknowledged()) {
                long now = System.nanoTime();
                if (left != last) {
                    last = left;
                    lastNs = now;
                } else if (now - lastNs > settings.stall.toNanos()) {
                    throw new Stop("%d messages were sent and not acknowledged within %d s of the end"
                            .formatted(left, settings.stall.toSeconds()));
                }
                requireWhole(load);
                TimeUnit.MILLISECONDS.sleep(20);
            }
        } finally {
            statistics.sample();
        }
    }

    private void backlog(Load load) throws Stop, InterruptedException {
        long wanted = workload.backlogBytes() / workload.messageSize();
        progress.phase(Phase.BUILD, "consumers rest until %d messages wait".formatted(wanted));
        load.rest();
        pass(load, Phase.BUILD, () -> behind(statistics.counters()) >= wanted, Double.POSITIVE_INFINITY);
        awaitDrain(load);
        long drained = Math.max(DRAINED, (long) ((1 - workload.backlogDrainRatio()) * wanted));
        progress.phase(Phase.DRAIN, "consumers catch up until at most %d messages wait".formatted(drained));
        load.resume();
        pass(load, Phase.DRAIN, () -> behind(statistics.counters()) <= drained, Double.POSITIVE_INFINITY);
        double settling = workload.warmupDurationMinutes() * 60;
        if (settling > 0) {
            progress.phase(Phase.SETTLE, "%.0f s".formatted(settling));
            pass(load, Phase.SETTLE, () -> false, settling);
        }
    }

    private void awaitDrain(Load load) throws Stop, InterruptedException {
        progress.built();
        BooleanSupplier drain = settings.drain.get();
        if (!drain.getAsBoolean()) {
            progress.phase(Phase.WAIT, "consumers rest on until a line is read");
            pass(load, Phase.WAIT, drain, Double.POSITIVE_INFINITY);
        }
    }

    /** Messages that consumer groups have not received yet, all groups together. */
    private long behind(Statistics.Counters counters) {
        return Math.max(0, workload.subscriptionsPerTopic() * counters.sent() - counters.received());
    }

    /** Samples until the time is over or {@code done} holds, whichever is first. */
    private void pass(Load load, Phase phase, BooleanSupplier done, double seconds)
            throws Stop, InterruptedException {
        long from = System.nanoTime();
        long intervalNs = settings.interval.toNanos();
        try {
            for (boolean over = false; !over; ) {
                TimeUnit.MILLISECONDS.sleep(20);
                long now = System.nanoTime();
                over = done.getAsBoolean() || (now - from) / 1e9 >= seconds;
                requireWhole(load);
                requireGoingOn(now);
                requireReceiving(phase, now);
                requireHeadway(phase, now);
                if (over || now - sampledNs >= intervalNs) {
                    sample(phase);
                }
                searchOn(load, now);
            }
        } catch (Stop e) {
            sample(phase);
            if (phase == Phase.WARMUP) {
                forgetWarmup();
            }
            throw e;
        } finally {
            phaseSeconds.merge(phase, (System.nanoTime() - from) / 1e9, Double::sum);
        }
    }

    private void requireWhole(Load load) throws Stop {
        requireNotInterrupted();
        if (load.broken() != null) {
            throw new Stop(load.broken());
        }
    }

    private void requireGoingOn(long now) throws Stop {
        long all = statistics.counters().moved();
        if (all != moved) {
            moved = all;
            movedNs = now;
        } else if (now - movedNs > settings.stall.toNanos()) {
            throw new Stop("nothing was published or received for %d s%s".formatted(
                    settings.stall.toSeconds(), statistics.errors().isEmpty() ? "" : ": " + statistics.errors().keySet()));
        }
    }

    /** Producers that go on do not make up for consumers that do not, whatever keeps these. */
    private void requireReceiving(Phase phase, long now) throws Stop {
        Statistics.Counters counters = statistics.counters();
        boolean rests = phase == Phase.BUILD || phase == Phase.WAIT;
        if (rests || counters.received() != received || behind(counters) == 0) {
            received = counters.received();
            receivedNs = now;
        } else if (now - receivedNs > settings.stall.toNanos()) {
            throw new Stop("consumers received nothing for %d s, and %d messages wait for them".formatted(
                    settings.stall.toSeconds(), behind(counters)));
        }
    }

    private void requireNotInterrupted() throws Stop {
        if (interrupted.get()) {
            throw new Stop("interrupted");
        }
    }

    /** A backlog must come nearer to what is waited for. Messages that move are not enough: producers may be as fast as consumers. */
    private void requireHeadway(Phase phase, long now) throws Stop {
        if (phase != Phase.BUILD && phase != Phase.DRAIN) {
            return;
        }
        long behind = behind(statistics.counters());
        boolean nearer = phase == Phase.BUILD ? behind > headway : behind < headway;
        if (headwayIn != phase || nearer) {
            headwayIn = phase;
            headway = behind;
            headwayNs = now;
        } else if (now - headwayNs > settings.stall.toNanos()) {
            throw new Stop(phase == Phase.BUILD
                    ? "the backlog does not grow: for %d s at most %d messages waited".formatted(settings.stall.toSeconds(), headway)
                    : "consumers do not catch up: for %d s at least %d messages waited; lower producerRate (%.0f/s), or add consumers"
                            .formatted(settings.stall.toSeconds(), headway, rate));
        }
    }

    private void searchOn(Load load, long now) {
        double seconds = (now - searchedNs) / 1e9;
        if (search == null || seconds < SEARCH_PERIOD.toSeconds()) {
            return;
        }
        searchedNs = now;
        Statistics.Counters counters = statistics.counters();
        long received = workload.subscriptionsPerTopic() == 0
                ? counters.sent() : counters.received() / workload.subscriptionsPerTopic();
        rate = search.next(rate, seconds, counters.sent(), received);
        load.setRate(rate);
        searched.add(new double[] {(now - begun) / 1e9, rate});
    }

    private void sample(Phase phase) {
        long now = System.nanoTime();
        double seconds = (now - sampledNs) / 1e9;
        Statistics.Counters counters = statistics.counters();
        Sample sample = new Sample(phase, (now - begun) / 1e9, seconds, counters.since(before), behind(counters),
                statistics.sample());
        before = counters;
        sampledNs = now;
        Sample last = samples.isEmpty() ? null : samples.get(samples.size() - 1);
        // What is left over at the end of a phase is too short to say how fast anything is.
        if (last != null && last.phase() == phase && seconds < settings.interval.toNanos() / 2e9) {
            samples.set(samples.size() - 1, last.and(sample));
            return;
        }
        samples.add(sample);
        progress.sample(sample);
    }
}
