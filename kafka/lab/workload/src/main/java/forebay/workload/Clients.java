package forebay.workload;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;

/** Where clients come from: a cluster, or a test. */
interface Clients {
    Producer<byte[], byte[]> producer() throws UsageException;

    /** A consumer of that group. */
    Consumer<byte[], byte[]> consumer(String group) throws UsageException;

    /** Whether consumers commit by themselves what they have read. */
    boolean commitsByItself() throws UsageException;

    /** Makes topics. */
    void createTopics(List<String> names, Workload workload) throws UsageException;

    /** Deletes topics, as far as that can be done now. */
    void deleteTopics(List<String> names);

    /** What is worth knowing of the cluster, by name. */
    Map<String, Object> describe() throws UsageException;
}
