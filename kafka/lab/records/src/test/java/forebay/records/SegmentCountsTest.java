package forebay.records;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentId;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadataUpdate;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentState;
import org.junit.jupiter.api.Test;

class SegmentCountsTest {
    private static final TopicIdPartition PARTITION = new TopicIdPartition(Uuid.randomUuid(), new TopicPartition("t", 0));

    private long firstOffset;
    private final List<String> problems = new ArrayList<>();
    private final SegmentCounts counts = new SegmentCounts(partition -> firstOffset, problems::add);

    private RemoteLogSegmentId begin(int bytes) {
        return begin(bytes, 0, 9);
    }

    private RemoteLogSegmentId begin(int bytes, long startOffset, long endOffset) {
        RemoteLogSegmentId id = new RemoteLogSegmentId(PARTITION, Uuid.randomUuid());
        counts.take(new RemoteLogSegmentMetadata(id, startOffset, endOffset, 0, 1, 0, bytes, Map.of(0, 0L)));
        return id;
    }

    private void move(RemoteLogSegmentId id, RemoteLogSegmentState state) {
        counts.take(new RemoteLogSegmentMetadataUpdate(id, 0, Optional.empty(), state, 1));
    }

    @Test
    void aSegmentIsLiveFromTheEndOfItsCopyUntilItsDeleteBegins() {
        RemoteLogSegmentId first = begin(100);
        begin(50);
        move(first, RemoteLogSegmentState.COPY_SEGMENT_FINISHED);
        assertEquals(Map.of("live", 1L, "live_bytes", 100L, "copying", 1L, "deleting", 0L, "deleted", 0L, "deleted_bytes", 0L, "abandoned", 0L, "gaps", 0L), counts.figures());
        move(first, RemoteLogSegmentState.DELETE_SEGMENT_STARTED);
        assertEquals(0L, counts.figures().get("live_bytes"));
        assertEquals(1L, counts.figures().get("deleting"));
        move(first, RemoteLogSegmentState.DELETE_SEGMENT_FINISHED);
        // Repeated by a new leader.
        move(first, RemoteLogSegmentState.DELETE_SEGMENT_FINISHED);
        assertEquals(Map.of("live", 0L, "live_bytes", 0L, "copying", 1L, "deleting", 0L, "deleted", 1L, "deleted_bytes", 100L, "abandoned", 0L, "gaps", 0L), counts.figures());
    }

    @Test
    void aSegmentWhoseCopyFailedIsNotCountedAsDeletedByRetention() {
        RemoteLogSegmentId id = begin(100);
        move(id, RemoteLogSegmentState.DELETE_SEGMENT_STARTED);
        move(id, RemoteLogSegmentState.DELETE_SEGMENT_FINISHED);
        assertEquals(0L, counts.figures().get("deleted"));
        assertEquals(1L, counts.figures().get("abandoned"));
    }

    @Test
    void anOffsetThatIsPassedOverIsAGap() {
        move(begin(100), RemoteLogSegmentState.COPY_SEGMENT_FINISHED);
        // A new leader copies what the one before has copied, which Kafka allows.
        move(begin(100, 5, 14), RemoteLogSegmentState.COPY_SEGMENT_FINISHED);
        move(begin(100, 15, 19), RemoteLogSegmentState.COPY_SEGMENT_FINISHED);
        assertEquals(List.of(), problems);
        begin(100, 20, 21);
        move(begin(100, 22, 29), RemoteLogSegmentState.COPY_SEGMENT_FINISHED);
        assertEquals(List.of("t-0: offsets 20 to 21 are not copied"), problems);
        assertEquals(1L, counts.figures().get("gaps"));
    }

    @Test
    void whatRetentionDeletesBeforeItsCopyIsFinishedIsNoGap() {
        move(begin(100), RemoteLogSegmentState.COPY_SEGMENT_FINISHED);
        firstOffset = 20;
        move(begin(100, 20, 29), RemoteLogSegmentState.COPY_SEGMENT_FINISHED);
        assertEquals(List.of(), problems);
    }
}
