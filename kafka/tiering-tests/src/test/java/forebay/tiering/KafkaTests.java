package forebay.tiering;

import org.junit.platform.suite.api.SelectPackages;
import org.junit.platform.suite.api.Suite;

/** All of Kafka's integration tests of tiered storage. */
@Suite
@SelectPackages("org.apache.kafka.tiered.storage.integration")
class KafkaTests {}
