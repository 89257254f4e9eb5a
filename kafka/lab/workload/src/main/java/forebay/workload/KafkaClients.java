package forebay.workload;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Clients of a cluster, as a driver file describes them. */
final class KafkaClients implements Clients, AutoCloseable {
    /** How long a cluster may take to answer at all, whatever its clients are told. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** How long it may take to make or delete topics; thousands of partitions take minutes. */
    private static final Duration TOPICS_PATIENCE = Duration.ofMinutes(10);
    /** Topics that are asked for at once. */
    private static final int TOPICS_AT_ONCE = 500;
    /** Partitions that a controller makes at once, at most: {@code MAX_PARTITIONS_PER_BATCH} of Kafka. */
    private static final int PARTITIONS_AT_ONCE = 10_000;

    private final Driver driver;
    private final Driver.Overrides overrides;
    private final Admin admin;

    /**
     * Connects.
     *
     * @throws UsageException if no cluster answers
     */
    KafkaClients(Driver driver, Driver.Overrides overrides) throws UsageException {
        this.driver = driver;
        this.overrides = overrides;
        Properties settings = driver.admin(overrides);
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Long.toString(TOPICS_PATIENCE.toMillis()));
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, Long.toString(PATIENCE.toMillis()));
        this.admin = build("the cluster's client", () -> Admin.create(settings));
    }

    /** Makes a client; what is wrong with its settings is the person's to mend. */
    private static <T> T build(String what, java.util.function.Supplier<T> maker) throws UsageException {
        try {
            return maker.get();
        } catch (KafkaException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new UsageException("%s cannot be made of these settings: %s".formatted(what, cause.getMessage()), e);
        }
    }

    @Override
    public Producer<byte[], byte[]> producer() throws UsageException {
        Properties settings = driver.producer(overrides);
        return build("a producer", () -> new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()));
    }

    @Override
    public Consumer<byte[], byte[]> consumer(String group) throws UsageException {
        Properties settings = driver.consumer(overrides, group);
        return build("a consumer", () -> new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
    }

    @Override
    public boolean commitsByItself() throws UsageException {
        Object value = driver.consumer(overrides, "").get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG);
        return Boolean.parseBoolean(value.toString());
    }

    @Override
    public void createTopics(List<String> names, Workload workload) throws UsageException {
        Map<String, String> settings = driver.topic();
        int atOnce = Math.max(1, Math.min(TOPICS_AT_ONCE, PARTITIONS_AT_ONCE / workload.partitionsPerTopic()));
        for (List<String> some : batches(names, atOnce)) {
            List<NewTopic> topics = some.stream()
                    .map(name -> new NewTopic(name, workload.partitionsPerTopic(), driver.replicationFactor()).configs(settings))
                    .toList();
            // A request is sent again when its answer was lost; nobody else makes topics of these names.
            awaitAll("make the topics", admin.createTopics(topics).values(), TopicExistsException.class);
        }
    }

    @Override
    public void deleteTopics(List<String> names) {
        for (List<String> some : batches(names, TOPICS_AT_ONCE)) {
            try {
                awaitAll("delete the topics", admin.deleteTopics(some).topicNameValues(), UnknownTopicOrPartitionException.class);
            } catch (UsageException e) {
                List<String> left = names.subList(names.indexOf(some.get(0)), names.size());
                System.err.println("workload: " + e.getMessage() + "; left may be " + left);
                return;
            }
        }
    }

    private static List<List<String>> batches(List<String> names, int atOnce) {
        List<List<String>> all = new ArrayList<>();
        for (int from = 0; from < names.size(); from += atOnce) {
            all.add(names.subList(from, Math.min(names.size(), from + atOnce)));
        }
        return all;
    }

    /** Waits for something to be done with each topic; {@code done} says that it is so already. */
    private static void awaitAll(String what, Map<String, KafkaFuture<Void>> topics, Class<? extends ApiException> done)
            throws UsageException {
        long end = System.nanoTime() + TOPICS_PATIENCE.toNanos();
        for (KafkaFuture<Void> topic : topics.values()) {
            try {
                await(what, topic, Duration.ofNanos(Math.max(1, end - System.nanoTime())));
            } catch (UsageException e) {
                boolean already = e.getCause() instanceof ExecutionException failure && done.isInstance(failure.getCause());
                if (!already) {
                    throw e;
                }
            }
        }
    }

    @Override
    public Map<String, Object> describe() throws UsageException {
        DescribeClusterResult cluster = admin.describeCluster();
        Collection<Node> nodes = await("reach the cluster", cluster.nodes(), PATIENCE);
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("cluster", await("reach the cluster", cluster.clusterId(), PATIENCE));
        said.put("brokers", nodes.stream().map(node -> node.host() + ":" + node.port()).sorted().toList());
        said.put("kafkaClients", version());
        said.put("topicConfig", driver.topic());
        said.put("replicationFactor", driver.replicationFactor());
        said.put("producerConfig", Driver.shown(driver.producer(overrides), ProducerConfig.configDef()));
        said.put("consumerConfig", Driver.shown(driver.consumer(overrides, "(one for each subscription)"), ConsumerConfig.configDef()));
        return said;
    }

    /** The version of the clients, as their jar says it. The class that reads it is not at the same place in all versions. */
    private static String version() {
        Properties properties = new Properties();
        try (InputStream file = KafkaClients.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            if (file != null) {
                properties.load(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the version of Kafka's clients cannot be read", e);
        }
        return properties.getProperty("version", "unknown");
    }

    private static <T> T await(String what, KafkaFuture<T> future, Duration patience)
            throws UsageException {
        try {
            return future.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new UsageException("could not " + what + ": no answer within " + patience.toSeconds()
                    + " s; is bootstrap.servers right, and does the cluster run?", e);
        } catch (ExecutionException e) {
            throw new UsageException("could not " + what + ": " + e.getCause().getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UsageException("could not " + what + ": interrupted", e);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(5));
    }
}
