package forebay.workload;

import java.nio.file.Path;

/**
 * A workload file of OpenMessaging Benchmark, every field of it.
 *
 * @param name what people call it
 * @param topics number of topics
 * @param partitionsPerTopic partitions of each
 * @param keyDistributor how messages get their keys
 * @param messageSize bytes of a message
 * @param useRandomizedPayloads messages are drawn from a pool of payloads that are part random and part zeros
 * @param randomBytesRatio how much of such a payload is random
 * @param randomizedPayloadPoolSize payloads in the pool
 * @param payloadFile the one payload, if they are not randomized
 * @param subscriptionsPerTopic consumer groups of each topic; each receives every message
 * @param producersPerTopic producers of each topic
 * @param consumerPerSubscription consumers of each group
 * @param producerRate messages per second in all; 0: the largest rate that the cluster sustains is searched for
 * @param consumerBacklogSizeGB if not 0, consumers rest until so many GiB wait for them, and then drain them
 * @param backlogDrainRatio how much of the backlog must be drained before it counts as empty
 * @param testDurationMinutes how long to measure; 0: until interrupted
 * @param warmupDurationMinutes how long to run before that
 */
record Workload(
        String name,
        int topics,
        int partitionsPerTopic,
        KeyDistributor keyDistributor,
        int messageSize,
        boolean useRandomizedPayloads,
        double randomBytesRatio,
        int randomizedPayloadPoolSize,
        String payloadFile,
        int subscriptionsPerTopic,
        int producersPerTopic,
        int consumerPerSubscription,
        double producerRate,
        double consumerBacklogSizeGB,
        Double backlogDrainRatio,
        double testDurationMinutes,
        Double warmupDurationMinutes) {

    private static final double DEFAULT_WARMUP_MINUTES = 1;

    Workload {
        keyDistributor = keyDistributor == null ? KeyDistributor.NO_KEY : keyDistributor;
        backlogDrainRatio = backlogDrainRatio == null ? Double.valueOf(1) : backlogDrainRatio;
        warmupDurationMinutes = warmupDurationMinutes == null ? Double.valueOf(DEFAULT_WARMUP_MINUTES) : warmupDurationMinutes;
    }

    /**
     * Reads and checks a workload file.
     *
     * @throws UsageException if it cannot be read, has a key that no workload has, or asks for what cannot be
     */
    static Workload read(Path file) throws UsageException {
        Workload workload = Yaml.read(file, Workload.class);
        workload.check(file);
        return workload;
    }

    private void check(Path file) throws UsageException {
        atLeast(file, "topics", topics, 1);
        atLeast(file, "partitionsPerTopic", partitionsPerTopic, 1);
        atLeast(file, "messageSize", messageSize, 1);
        atLeast(file, "subscriptionsPerTopic", subscriptionsPerTopic, 0);
        atLeast(file, "producersPerTopic", producersPerTopic, 1);
        atLeast(file, "consumerPerSubscription", consumerPerSubscription, subscriptionsPerTopic == 0 ? 0 : 1);
        atLeast(file, "producerRate", producerRate, 0);
        atLeast(file, "consumerBacklogSizeGB", consumerBacklogSizeGB, 0);
        atLeast(file, "testDurationMinutes", testDurationMinutes, 0);
        atLeast(file, "warmupDurationMinutes", warmupDurationMinutes, 0);
        isRatio(file, "randomBytesRatio", randomBytesRatio);
        isRatio(file, "backlogDrainRatio", backlogDrainRatio);
        if (useRandomizedPayloads) {
            atLeast(file, "randomizedPayloadPoolSize", randomizedPayloadPoolSize, 1);
        } else if (payloadFile == null) {
            throw new UsageException(file + ": neither useRandomizedPayloads nor payloadFile is set: say what messages are made of");
        }
        if (consumerBacklogSizeGB > 0 && producerRate == 0) {
            throw new UsageException(file + ": a backlog needs a fixed producerRate: what is sustained cannot be searched for while consumers rest");
        }
        if (consumerBacklogSizeGB > 0 && subscriptionsPerTopic == 0) {
            throw new UsageException(file + ": a backlog needs consumers: set subscriptionsPerTopic");
        }
    }

    private static void atLeast(Path file, String key, double value, double least) throws UsageException {
        if (!(value >= least)) {
            throw new UsageException("%s: %s is %s, and must be at least %s".formatted(file, key, plain(value), plain(least)));
        }
    }

    private static void isRatio(Path file, String key, double value) throws UsageException {
        if (!(value >= 0 && value <= 1)) {
            throw new UsageException("%s: %s is %s, and must be between 0 and 1".formatted(file, key, plain(value)));
        }
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    /** Size of the backlog in bytes. */
    long backlogBytes() {
        return (long) (consumerBacklogSizeGB * (1L << 30));
    }
}
