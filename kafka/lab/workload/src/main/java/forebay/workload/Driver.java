package forebay.workload;

import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;

/**
 * A driver file of OpenMessaging Benchmark for Kafka, every field of it. The {@code …Config} fields hold properties, one on a line.
 *
 * @param name what people call it
 * @param driverClass must be the benchmark's driver for Kafka
 * @param replicationFactor of the topics
 * @param topicConfig settings of the topics
 * @param commonConfig settings of all clients
 * @param producerConfig settings of producers
 * @param consumerConfig settings of consumers
 */
record Driver(
        String name,
        String driverClass,
        short replicationFactor,
        String topicConfig,
        String commonConfig,
        String producerConfig,
        String consumerConfig) {

    private static final String KAFKA_DRIVER = "io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver";
    private static final String ZONE_ID = "zone.id";

    /**
     * Reads and checks a driver file.
     *
     * @throws UsageException if it cannot be read, has a key that no driver has, or is not for Kafka
     */
    static Driver read(Path file) throws UsageException {
        Driver driver = Yaml.read(file, Driver.class);
        if (!KAFKA_DRIVER.equals(driver.driverClass)) {
            throw new UsageException("%s: driverClass is %s, and this is a driver for Kafka only: %s"
                    .formatted(file, driver.driverClass, KAFKA_DRIVER));
        }
        if (driver.name == null || driver.name.isBlank()) {
            throw new UsageException(file + ": the driver has no name, and results are named for it: set name");
        }
        if (driver.replicationFactor < 1) {
            throw new UsageException(file + ": replicationFactor is " + driver.replicationFactor + ", and must be at least 1");
        }
        try {
            driver.unknown();
        } catch (IllegalArgumentException e) {
            throw new UsageException(file + ": a line of properties cannot be read: " + e.getMessage(), e);
        }
        return driver;
    }

    /** What Kafka's clients would pass over: names of settings that they do not know, and where they are. Plug-ins may know them. */
    List<String> unknown() {
        List<String> found = new ArrayList<>();
        Set<String> all = new HashSet<>(AdminClientConfig.configNames());
        all.addAll(ProducerConfig.configNames());
        all.addAll(ConsumerConfig.configNames());
        note("commonConfig", commonConfig, all, found);
        note("producerConfig", producerConfig, ProducerConfig.configNames(), found);
        note("consumerConfig", consumerConfig, ConsumerConfig.configNames(), found);
        return found;
    }

    private static void note(String field, String text, Set<String> known, List<String> found) {
        properties(text).stringPropertyNames().stream()
                .filter(key -> !known.contains(key))
                .sorted()
                .forEach(key -> found.add(field + ": " + key));
    }

    /** Settings of the topics. */
    Map<String, String> topic() {
        Properties all = properties(topicConfig);
        Map<String, String> settings = new TreeMap<>();
        all.stringPropertyNames().forEach(name -> settings.put(name, all.getProperty(name)));
        return settings;
    }

    /**
     * What the command line adds to what clients are told.
     *
     * @param bootstrap brokers to ask first, instead of the file's; may be null
     * @param commandConfig a file of properties for all clients, as Kafka's own tools take; may be null
     */
    record Overrides(String bootstrap, Path commandConfig) {}

    /** Settings of the client that makes the topics. */
    Properties admin(Overrides overrides) throws UsageException {
        Properties all = properties(commonConfig);
        return override(all, overrides);
    }

    /** Settings of a producer. */
    Properties producer(Overrides overrides) throws UsageException {
        Properties all = properties(commonConfig);
        all.putAll(properties(producerConfig));
        return override(all, overrides);
    }

    /** Settings of a consumer of that group. */
    Properties consumer(Overrides overrides, String group) throws UsageException {
        Properties all = properties(commonConfig);
        all.putAll(properties(consumerConfig));
        // The benchmark's own default, which is not Kafka's.
        all.putIfAbsent(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        override(all, overrides);
        all.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        return all;
    }

    private static Properties override(Properties all, Overrides overrides) throws UsageException {
        if (overrides.commandConfig != null) {
            try (Reader reader = Files.newBufferedReader(overrides.commandConfig)) {
                all.load(reader);
            } catch (IOException | IllegalArgumentException e) {
                throw new UsageException(overrides.commandConfig + ": " + Yaml.reason(e), e);
            }
        }
        if (overrides.bootstrap != null) {
            all.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, overrides.bootstrap);
        }
        if (!all.containsKey(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG)) {
            throw new UsageException("no cluster is named: set bootstrap.servers in the driver's commonConfig, or use --bootstrap-server");
        }
        all.computeIfPresent(CommonClientConfigs.CLIENT_ID_CONFIG,
                (key, value) -> value.toString().replace("{" + ZONE_ID + "}", System.getProperty(ZONE_ID, "")));
        return all;
    }

    private static Properties properties(String text) {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(text == null ? "" : text));
        } catch (IOException e) {
            throw new IllegalStateException("a string can be read", e);
        }
        return properties;
    }

    /** Settings of a client as a result shows them, in order. What is secret is not shown, nor what a plug-in may keep secret. */
    static Map<String, String> shown(Properties properties, ConfigDef known) {
        Map<String, String> all = new TreeMap<>();
        properties.forEach((key, value) -> {
            ConfigDef.ConfigKey setting = known.configKeys().get(key.toString());
            boolean open = setting != null && setting.type != ConfigDef.Type.PASSWORD;
            all.put(key.toString(), open ? value.toString() : "(not shown)");
        });
        return all;
    }
}
