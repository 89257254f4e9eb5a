package forebay.records;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.server.log.remote.storage.RemoteLogMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadataUpdate;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentState;

/** Counts tiered segments by their state. Not thread-safe. */
final class SegmentCounts {
    /**
     * A segment that is not deleted.
     *
     * @param wasLive whether its copy was finished once
     */
    private record Segment(RemoteLogSegmentMetadata begun, RemoteLogSegmentState state, boolean wasLive) {
        int bytes() {
            return begun.segmentSizeInBytes();
        }
    }

    private final Map<Uuid, Segment> segments = new HashMap<>();
    private final Map<RemoteLogSegmentState, Long> inState = new HashMap<>();
    /** For each partition, the first offset that no segment has had whose copy was finished. */
    private final Map<TopicIdPartition, Long> next = new HashMap<>();
    private final ToLongFunction<TopicPartition> firstOffset;
    private final Consumer<String> problems;
    private long gaps;
    private long liveBytes;
    private long deleted;
    private long deletedBytes;
    private long abandoned;

    /**
     * Counts nothing yet.
     *
     * @param firstOffset returns the first offset of a partition: retention has deleted those below
     * @param problems takes a description of each gap between the copied segments of a partition
     */
    SegmentCounts(ToLongFunction<TopicPartition> firstOffset, Consumer<String> problems) {
        this.firstOffset = firstOffset;
        this.problems = problems;
    }

    /** Takes one event of Kafka's topic. */
    void take(RemoteLogMetadata event) {
        if (event instanceof RemoteLogSegmentMetadata begun) {
            move(begun, begun.state());
        } else if (event instanceof RemoteLogSegmentMetadataUpdate update) {
            Segment known = segments.get(update.remoteLogSegmentId().id());
            // Brokers may repeat the last event of a segment.
            if (known != null) {
                move(known.begun(), update.state());
            }
        }
    }

    private void move(RemoteLogSegmentMetadata begun, RemoteLogSegmentState state) {
        Uuid id = begun.remoteLogSegmentId().id();
        Segment before = segments.remove(id);
        if (before != null) {
            count(before, -1);
        }
        if (state == RemoteLogSegmentState.COPY_SEGMENT_FINISHED) {
            finish(begun);
        }
        boolean wasLive = before != null && before.wasLive() || state == RemoteLogSegmentState.COPY_SEGMENT_FINISHED;
        if (state == RemoteLogSegmentState.DELETE_SEGMENT_FINISHED) {
            if (wasLive) {
                deleted++;
                deletedBytes += begun.segmentSizeInBytes();
            } else {
                abandoned++;
            }
            return;
        }
        Segment now = new Segment(begun, state, wasLive);
        segments.put(id, now);
        count(now, 1);
    }

    /**
     * Segments are copied in the order of their offsets, so that an offset which is passed over is never copied. Retention can delete a
     * segment before its copy is finished.
     */
    private void finish(RemoteLogSegmentMetadata begun) {
        TopicIdPartition partition = begun.remoteLogSegmentId().topicIdPartition();
        long expected = next.getOrDefault(partition, 0L);
        if (begun.startOffset() > expected && begun.startOffset() > firstOffset.applyAsLong(partition.topicPartition())) {
            gaps++;
            problems.accept(partition.topicPartition() + ": offsets " + expected + " to " + (begun.startOffset() - 1) + " are not copied");
        }
        next.merge(partition, begun.endOffset() + 1, Math::max);
    }

    private void count(Segment segment, int difference) {
        inState.merge(segment.state(), (long) difference, Long::sum);
        if (segment.state() == RemoteLogSegmentState.COPY_SEGMENT_FINISHED) {
            liveBytes += (long) difference * segment.bytes();
        }
    }

    /** The figures of a line. */
    Map<String, Object> figures() {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("live", inState.getOrDefault(RemoteLogSegmentState.COPY_SEGMENT_FINISHED, 0L));
        figures.put("live_bytes", liveBytes);
        figures.put("copying", inState.getOrDefault(RemoteLogSegmentState.COPY_SEGMENT_STARTED, 0L));
        figures.put("deleting", inState.getOrDefault(RemoteLogSegmentState.DELETE_SEGMENT_STARTED, 0L));
        figures.put("deleted", deleted);
        figures.put("deleted_bytes", deletedBytes);
        figures.put("abandoned", abandoned);
        figures.put("gaps", gaps);
        return figures;
    }
}
