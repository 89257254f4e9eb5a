package forebay.workload;

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
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.AppInfoParser;

/** Clients of a cluster, as a driver file describes them. */
final class KafkaClients implements Clients, AutoCloseable {
    /** How long a cluster may take to answer at all, whatever its clients are told. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** How long it may take to make or delete topics; thousands of partitions take minutes. */
    private static final Duration TOPICS_PATIENCE = Duration.ofMinutes(10);
    /** Topics that are asked for at once. */
    private static final int TOPICS_AT_ONCE = 500;

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
        for (int from = 0; from < names.size(); from += TOPICS_AT_ONCE) {
            List<NewTopic> topics = new ArrayList<>();
            for (String name : names.subList(from, Math.min(names.size(), from + TOPICS_AT_ONCE))) {
                topics.add(new NewTopic(name, workload.partitionsPerTopic(), driver.replicationFactor()).configs(settings));
            }
            await("make the topics", admin.createTopics(topics).all(), TOPICS_PATIENCE);
        }
    }

    @Override
    public void deleteTopics(List<String> names) {
        try {
            await("delete the topics", admin.deleteTopics(names).all(), PATIENCE);
        } catch (UsageException e) {
            System.err.println("workload: " + e.getMessage() + "; left are " + names);
        }
    }

    @Override
    public Map<String, Object> describe() throws UsageException {
        DescribeClusterResult cluster = admin.describeCluster();
        Collection<Node> nodes = await("reach the cluster", cluster.nodes(), PATIENCE);
        Map<String, Object> said = new LinkedHashMap<>();
        said.put("cluster", await("reach the cluster", cluster.clusterId(), PATIENCE));
        said.put("brokers", nodes.stream().map(node -> node.host() + ":" + node.port()).sorted().toList());
        said.put("kafkaClients", AppInfoParser.getVersion());
        said.put("topicConfig", driver.topic());
        said.put("replicationFactor", driver.replicationFactor());
        said.put("producerConfig", Driver.strings(driver.producer(overrides)));
        said.put("consumerConfig", Driver.strings(driver.consumer(overrides, "(one for each subscription)")));
        return said;
    }

    private static <T> T await(String what, org.apache.kafka.common.KafkaFuture<T> future, Duration patience)
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
