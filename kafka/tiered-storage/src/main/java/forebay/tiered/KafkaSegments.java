package forebay.tiered;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.server.log.remote.metadata.storage.serialization.RemoteLogMetadataSerde;
import org.apache.kafka.server.log.remote.storage.RemoteLogMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadataUpdate;

/** What Kafka knows of segments in the tier, from its topic with their metadata. */
final class KafkaSegments {
    private static final String TOPIC = "__remote_log_metadata";
    private static final Duration POLL = Duration.ofMillis(500);

    private final Consumer<byte[], byte[]> consumer;
    private final RemoteLogMetadataSerde serde = new RemoteLogMetadataSerde();
    private final Map<Uuid, RemoteLogSegmentMetadata> segments = new HashMap<>();
    private final List<TopicPartition> partitions;

    /** Nothing is read before {@link #readToEnd}. */
    KafkaSegments(Consumer<byte[], byte[]> consumer) {
        this.consumer = consumer;
        this.partitions = consumer.partitionsFor(TOPIC).stream().map(each -> new TopicPartition(each.topic(), each.partition())).toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /** Reads what was written until now. Returns all segments by their id, with the state of the last event of each. */
    Map<Uuid, RemoteLogSegmentMetadata> readToEnd() {
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                if (record.value() != null) {
                    apply(serde.deserialize(record.value()));
                }
            }
        }
        return Collections.unmodifiableMap(new HashMap<>(segments));
    }

    private void apply(RemoteLogMetadata event) {
        if (event instanceof RemoteLogSegmentMetadata begun) {
            segments.put(begun.remoteLogSegmentId().id(), begun);
        } else if (event instanceof RemoteLogSegmentMetadataUpdate update) {
            // An update whose beginning Kafka has deleted says nothing that can be compared.
            segments.computeIfPresent(update.remoteLogSegmentId().id(), (id, known) -> known.createWithUpdates(update));
        }
    }
}
