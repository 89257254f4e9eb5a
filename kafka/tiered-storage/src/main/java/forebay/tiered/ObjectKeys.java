package forebay.tiered;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;

/**
 * The keys of a segment's two objects. They follow from the topic, the partition, the segment's id and its start offset alone, because
 * Kafka deletes after a failed copy without saying more.
 *
 * @param prefix of all keys; ends with a slash, or is empty
 */
record ObjectKeys(String prefix) {
    static final String LOG = ".log";
    static final String INDEXES = ".indexes";

    /** TOPIC-TOPICID/PARTITION/BASEOFFSET-SEGMENTID.ENDING; identifiers are 22 characters of URL-safe Base64. */
    private static final Pattern OWN =
            Pattern.compile("[a-zA-Z0-9._-]{1,249}-([A-Za-z0-9_-]{22})/(\\d{1,10})/(\\d{20})-([A-Za-z0-9_-]{22})(\\.log|\\.indexes)");

    /** What a key says. */
    record Parsed(String topicId, int partition, long baseOffset, String segmentId, String ending) {}

    String log(RemoteLogSegmentMetadata metadata) {
        return base(metadata) + LOG;
    }

    String indexes(RemoteLogSegmentMetadata metadata) {
        return base(metadata) + INDEXES;
    }

    /** What the keys of segments of a partition begin with if their first offset is this one. */
    String startingAt(TopicIdPartition partition, long offset) {
        return "%s%s-%s/%d/%020d-".formatted(prefix, partition.topic(), partition.topicId(), partition.partition(), offset);
    }

    private String base(RemoteLogSegmentMetadata metadata) {
        return startingAt(metadata.topicIdPartition(), metadata.startOffset()) + metadata.remoteLogSegmentId().id();
    }

    /** What the key says, if it is one that this plugin writes. */
    Optional<Parsed> parse(String key) {
        if (!key.startsWith(prefix)) {
            return Optional.empty();
        }
        Matcher matcher = OWN.matcher(key.substring(prefix.length()));
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Parsed(matcher.group(1), Integer.parseInt(matcher.group(2)), Long.parseLong(matcher.group(3)),
                    Uuid.fromString(matcher.group(4)).toString(), matcher.group(5)));
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }
}
