package forebay.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesTest {
    private static final String WORKLOAD = """
            name: a workload
            topics: 2
            partitionsPerTopic: 3
            keyDistributor: "KEY_ROUND_ROBIN"
            messageSize: 100
            useRandomizedPayloads: true
            randomBytesRatio: 0.5
            randomizedPayloadPoolSize: 7
            subscriptionsPerTopic: 1
            consumerPerSubscription: 2
            producersPerTopic: 4
            producerRate: 1000
            consumerBacklogSizeGB: 0
            testDurationMinutes: 5
            """;
    private static final String DRIVER = """
            name: a driver
            driverClass: io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver
            replicationFactor: 3
            topicConfig: |
              min.insync.replicas=2
            commonConfig: |
              bootstrap.servers=localhost:9092
              client.id=one-{zone.id}
            producerConfig: |
              acks=all
              sasl.jaas.config=a secret
            consumerConfig: |
              auto.offset.reset=earliest
            """;

    @TempDir
    Path folder;

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("file.yaml"), text);
    }

    private String refusal(String text) throws IOException {
        Path file = write(text);
        return assertThrows(UsageException.class, () -> Payloads.of(Workload.read(file), file)).getMessage();
    }

    @Test
    void everyFieldOfWorkloadIsRead() throws Exception {
        Workload workload = Workload.read(write(WORKLOAD + "backlogDrainRatio: 0.9\nwarmupDurationMinutes: 2\n"));
        assertEquals(new Workload("a workload", 2, 3, KeyDistributor.KEY_ROUND_ROBIN, 100, true, 0.5, 7, null, 1, 4, 2, 1000, 0,
                0.9, 5, 2.0), workload);
    }

    @Test
    void whatIsNotSaidIsAsTheBenchmarkHasIt() throws Exception {
        Workload workload = Workload.read(write(WORKLOAD.replaceAll("keyDistributor.*\n", "")));
        assertEquals(KeyDistributor.NO_KEY, workload.keyDistributor());
        assertEquals(1, workload.backlogDrainRatio());
        assertEquals(1, workload.warmupDurationMinutes());
    }

    @Test
    void unknownKeyIsAnErrorThatNamesIt() throws IOException {
        String refusal = refusal(WORKLOAD + "producersRate: 7\n");
        assertTrue(refusal.contains("unknown key producersRate"), refusal);
        assertTrue(refusal.contains("producerRate"), refusal);
    }

    @Test
    void mistakesAreNamed() throws IOException {
        assertTrue(refusal(WORKLOAD + "topics: 3\n").contains("topics"));
        assertTrue(refusal(WORKLOAD.replace("topics: 2", "topics: two")).contains("two"));
        assertTrue(refusal(WORKLOAD.replace("topics: 2", "topics: 0")).contains("topics is 0, and must be at least 1"));
        assertTrue(refusal(WORKLOAD.replace("0.5", "1.5")).contains("randomBytesRatio is 1.5"));
        assertTrue(refusal(WORKLOAD.replace("useRandomizedPayloads: true", "")).contains("payloadFile"));
        assertTrue(refusal(WORKLOAD.replace("producerRate: 1000", "").replace("GB: 0", "GB: 1")).contains("fixed producerRate"));
        assertTrue(refusal("").contains("file.yaml"));
        Path missing = folder.resolve("missing.yaml");
        assertTrue(assertThrows(UsageException.class, () -> Workload.read(missing)).getMessage().endsWith("no such file"));
    }

    @Test
    void payloadsArePartRandomAndPartZeros() throws Exception {
        Path file = write(WORKLOAD);
        var payloads = Payloads.of(Workload.read(file), file);
        assertEquals(7, payloads.size());
        for (byte[] payload : payloads) {
            assertEquals(100, payload.length);
            int zeros = 0;
            for (int i = 50; i < 100; i++) {
                zeros += payload[i] == 0 ? 1 : 0;
            }
            assertEquals(50, zeros);
        }
    }

    @Test
    void payloadFileIsFoundBesideTheWorkloadAndMustHaveTheSize() throws Exception {
        String text = WORKLOAD.replace("useRandomizedPayloads: true", "payloadFile: payload.data");
        assertTrue(refusal(text).contains("payload.data: there is no such file"));
        Files.write(folder.resolve("payload.data"), new byte[99]);
        assertTrue(refusal(text).contains("has 99 bytes, and messageSize is 100"));
        Files.write(folder.resolve("payload.data"), new byte[100]);
        Path file = write(text);
        assertEquals(100, Payloads.of(Workload.read(file), file).get(0).length);
    }

    @Test
    void driverTellsEachClientWhatIsForAllAndWhatIsForIt() throws Exception {
        Driver driver = Driver.read(write(DRIVER));
        Driver.Overrides none = new Driver.Overrides(null, null);
        assertEquals("2", driver.topic().get("min.insync.replicas"));
        Properties producer = driver.producer(none);
        assertEquals("all", producer.get("acks"));
        assertEquals("one-", producer.get("client.id"));
        Properties consumer = driver.consumer(none, "g");
        assertEquals("g", consumer.get("group.id"));
        assertEquals("false", consumer.get("enable.auto.commit"));
        assertEquals("localhost:9092", consumer.get("bootstrap.servers"));
        assertEquals(null, consumer.get("acks"));
    }

    @Test
    void whatIsSecretOrAPluginsIsNotShown() throws Exception {
        String secrets = "sasl.jaas.config=a secret\n  sasl.oauthbearer.client.credentials.client.secret=a secret\n  my.plugin=a secret\n";
        Driver driver = Driver.read(write(DRIVER.replace("sasl.jaas.config=a secret\n", secrets)));
        Map<String, String> shown = Driver.shown(driver.producer(new Driver.Overrides(null, null)), ProducerConfig.configDef());
        assertEquals("all", shown.get("acks"));
        for (String secret : List.of("sasl.jaas.config", "sasl.oauthbearer.client.credentials.client.secret", "my.plugin")) {
            assertEquals("(not shown)", shown.get(secret), secret);
        }
    }

    @Test
    void driverWithoutANameIsRefusedBeforeAnythingRuns() throws IOException {
        Path file = write(DRIVER.replace("name: a driver\n", ""));
        assertTrue(assertThrows(UsageException.class, () -> Driver.read(file)).getMessage().contains("set name"));
    }

    @Test
    void commandLineOverridesDriver() throws Exception {
        Driver driver = Driver.read(write(DRIVER));
        Path more = Files.writeString(folder.resolve("client.properties"), "security.protocol=SSL\nacks=1\n");
        Properties producer = driver.producer(new Driver.Overrides("elsewhere:1", more));
        assertEquals("elsewhere:1", producer.get("bootstrap.servers"));
        assertEquals("SSL", producer.get("security.protocol"));
        assertEquals("1", producer.get("acks"));
    }

    @Test
    void settingsThatNoClientKnowsAreNamed() throws Exception {
        assertEquals(List.of(), Driver.read(write(DRIVER)).unknown());
        Driver driver = Driver.read(write(DRIVER.replace("acks=all", "ackz=all")));
        assertEquals(List.of("producerConfig: ackz"), driver.unknown());
        Path file = write(DRIVER.replace("acks=all", "acks=\\uall"));
        String refusal = assertThrows(UsageException.class, () -> Driver.read(file)).getMessage();
        assertTrue(refusal.contains("a line of properties cannot be read"), refusal);
    }

    @Test
    void driverOfAnotherSystemIsRefused() throws IOException {
        Path file = write(DRIVER.replace("kafka.KafkaBenchmarkDriver", "pulsar.PulsarBenchmarkDriver"));
        assertTrue(assertThrows(UsageException.class, () -> Driver.read(file)).getMessage().contains("Kafka only"));
        Path other = write(DRIVER + "reset: true\n");
        assertTrue(assertThrows(UsageException.class, () -> Driver.read(other)).getMessage().contains("unknown key reset"));
    }
}
