package forebay.records;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import picocli.CommandLine.Option;

/** The options that say which topic of which cluster. */
final class ClusterOptions {
    @Option(names = "--bootstrap", required = true, paramLabel = "HOST:PORT,…", description = "brokers to ask first")
    String bootstrap;

    @Option(names = "--topic", required = true, description = "the topic")
    String topic;

    @Option(names = "--property", paramLabel = "KEY=VALUE", description = "a setting of Kafka's client; may be repeated")
    Map<String, String> properties = new LinkedHashMap<>();

    /** {@code defaults}, then the bootstrap address, then what the command line says. */
    Properties client(Map<String, Object> defaults) {
        Properties all = new Properties();
        all.putAll(defaults);
        all.put("bootstrap.servers", bootstrap);
        all.putAll(properties);
        return all;
    }
}
