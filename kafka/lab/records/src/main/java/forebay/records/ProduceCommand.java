package forebay.records;

import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code records produce}. */
@Command(name = "produce", description = "Sends records with acks=all and logs each acknowledgement.", sortOptions = false)
final class ProduceCommand implements Callable<Integer> {
    /**
     * Large batches, because brokers in guests pay dearly for each request; timeouts longer than any absence of a storage
     * server that an experiment makes.
     */
    private static final Map<String, Object> DEFAULTS = Map.of(
            "acks", "all",
            "enable.idempotence", "true",
            "linger.ms", "20",
            "batch.size", "262144",
            "buffer.memory", "33554432",
            "delivery.timeout.ms", "180000",
            "max.block.ms", "180000",
            "request.timeout.ms", "30000");

    private static final long FUTURE_MS = 3_600_000;

    @Mixin
    ClusterOptions cluster;

    @Option(names = "--records", required = true, description = "how many records to send")
    int records;

    @Option(names = "--record-bytes", defaultValue = "1024", description = "bytes per record (default: 1024)")
    int recordBytes;

    @Option(names = "--payload", defaultValue = "UNIQUE",
            description = "UNIQUE random bytes, or one of a POOL of 100 that are half zeros (default: UNIQUE)")
    Payload payload;

    @Option(names = "--seed", defaultValue = "1", description = "what the payloads follow from (default: 1)")
    long seed;

    @Option(names = "--rate", defaultValue = "0", description = "records per second; 0 is unthrottled (default)")
    int rate;

    @Option(names = "--envelope", description = "give records keys, headers and timestamps that can be compared")
    boolean envelope;

    @Option(names = "--transaction", defaultValue = "0", paramLabel = "RECORDS",
            description = "send so many records in each transaction; 0 is without transactions (default)")
    int transaction;

    @Option(names = "--abort-every", defaultValue = "5", paramLabel = "TRANSACTIONS",
            description = "abort one transaction in this many, and repeat it; 0 is never (default: 5)")
    int abortEvery;

    @Option(names = "--pause-file", paramLabel = "FILE", description = "send nothing while this file exists; not with --transaction")
    Path pauseFile;

    @Option(names = "--stop-file", paramLabel = "FILE",
            description = "send no more once this file exists; not with --transaction")
    Path stopFile;

    @Option(names = "--acknowledged", required = true, paramLabel = "FILE", description = "where to log acknowledgements")
    Path acknowledged;

    @Override
    public Integer call() throws Exception {
        if ((pauseFile != null || stopFile != null) && transaction > 0) {
            throw new IllegalArgumentException("--pause-file and --stop-file cannot be combined with --transaction");
        }
        AcknowledgementLog.Plan plan = new AcknowledgementLog.Plan(seed, records, recordBytes, payload, firstTimestampMs());
        Report report = new Report(System.out);
        ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor();
        try (AcknowledgementLog.Writer log = new AcknowledgementLog.Writer(acknowledged, plan);
                KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                        client(), new ByteArraySerializer(), new ByteArraySerializer())) {
            Producing production = transaction > 0
                    ? new TransactionalProduction(producer, plan, log, transaction, abortEvery)
                    : new Production(producer, plan, log, new Pause(pauseFile), stopFile);
            ticker.scheduleAtFixedRate(() -> report.progress(production.progress()), 1, 1, TimeUnit.SECONDS);
            production.run(cluster.topic, rate);
            ticker.shutdown();
            report.summary(production.summary());
            return production.passed() ? Main.EXIT_OK : Main.EXIT_CHECK_FAILED;
        } finally {
            ticker.shutdownNow();
        }
    }

    /**
     * In the future, so that all records are later than the markers of their transactions, which have the broker's time. A lookup finds
     * markers too.
     */
    private long firstTimestampMs() {
        return envelope ? System.currentTimeMillis() + FUTURE_MS : 0;
    }

    private Properties client() {
        Properties settings = cluster.client(DEFAULTS);
        if (transaction > 0) {
            settings.put("transactional.id", "records-" + cluster.topic);
            // Longer than any fault.
            settings.put("transaction.timeout.ms", "300000");
        }
        return settings;
    }
}
