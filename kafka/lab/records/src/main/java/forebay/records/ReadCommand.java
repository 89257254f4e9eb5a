package forebay.records;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code records read}. */
@Command(name = "read", description = "Measures how fast a topic is read, from the beginning or at random offsets. Records are not compared.",
        sortOptions = false)
final class ReadCommand implements Callable<Integer> {
    private static final Map<String, Object> DEFAULTS = Map.of("enable.auto.commit", "false", "auto.offset.reset", "none");

    @Mixin
    ClusterOptions cluster;

    @Option(names = "--until", required = true, split = ",", paramLabel = "PARTITION=OFFSET",
            description = "the partitions to read, and for each the offset behind the last record")
    Map<Integer, Long> until;

    @Option(names = "--consumers", defaultValue = "1", paramLabel = "COUNT",
            description = "so many consumers share the partitions (default: 1)")
    int consumers;

    @Option(names = "--random", defaultValue = "0", paramLabel = "COUNT",
            description = "each consumer reads one record at so many random offsets; 0 reads everything from the beginning (default)")
    int random;

    @Option(names = "--seed", defaultValue = "1", description = "what the random offsets follow from (default: 1)")
    long seed;

    @Option(names = "--repeat", description = "read everything again and again until standard input ends")
    boolean repeat;

    @Option(names = "--patience-seconds", defaultValue = "60", description = "give up when nothing arrives this long (default: 60)")
    int patienceSeconds;

    private final ReadTotals totals = new ReadTotals();
    private volatile boolean stopped;

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        List<Map<TopicPartition, Long>> shares = shares(cluster.topic, until, consumers);
        Report report = new Report(System.out);
        ExecutorService threads = Executors.newFixedThreadPool(shares.size());
        ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor();
        if (repeat) {
            stopAtEndOfInput();
        }
        try {
            ticker.scheduleAtFixedRate(() -> report.progress(totals.figures()), 1, 1, TimeUnit.SECONDS);
            long begun = System.nanoTime();
            List<Future<?>> readers = new ArrayList<>();
            for (int index = 0; index < shares.size(); index++) {
                Random offsets = new Random(seed * 1_000_003 + index);
                Map<TopicPartition, Long> share = shares.get(index);
                readers.add(threads.submit(() -> read(share, offsets)));
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
            Map<String, Object> summary = totals.figures();
            summary.put("seconds", (System.nanoTime() - begun) / 1e9);
            report.summary(summary);
        } finally {
            threads.shutdownNow();
            ticker.shutdownNow();
        }
        return Main.EXIT_OK;
    }

    /** Deals the partitions to so many consumers. None is without a partition. */
    static List<Map<TopicPartition, Long>> shares(String topic, Map<Integer, Long> until, int consumers) {
        if (consumers < 1) {
            throw new IllegalArgumentException("--consumers must be at least 1");
        }
        List<Map<TopicPartition, Long>> shares = new ArrayList<>();
        int next = 0;
        for (Map.Entry<Integer, Long> each : new TreeMap<>(until).entrySet()) {
            if (each.getValue() < 1) {
                throw new IllegalArgumentException("--until: partition %d has no record to read before offset %d".formatted(each.getKey(), each.getValue()));
            }
            if (shares.size() < consumers) {
                shares.add(new HashMap<>());
            }
            shares.get(next++ % consumers).put(new TopicPartition(topic, each.getKey()), each.getValue());
        }
        return shares;
    }

    private void read(Map<TopicPartition, Long> share, Random offsets) {
        Duration patience = Duration.ofSeconds(patienceSeconds);
        try (Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(client(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            if (random > 0) {
                new RandomRead(consumer, share, patience, offsets, totals).run(random);
                return;
            }
            SequentialRead read = new SequentialRead(consumer, share, patience, totals);
            do {
                read.run(() -> stopped);
            } while (repeat && !stopped);
        }
    }

    private Properties client() {
        Properties settings = cluster.client(DEFAULTS);
        if (random > 0) {
            settings.put("max.poll.records", "1");
        }
        return settings;
    }

    private void stopAtEndOfInput() {
        Thread watch = new Thread(() -> {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException unreadable) {
                System.err.println("records: standard input: " + unreadable.getMessage());
            } finally {
                stopped = true;
            }
        }, "end-of-input");
        watch.setDaemon(true);
        watch.start();
    }
}
