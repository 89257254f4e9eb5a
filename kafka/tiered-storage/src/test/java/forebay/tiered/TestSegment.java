package forebay.tiered;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.server.log.remote.storage.LogSegmentData;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentId;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata.CustomMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadataUpdate;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentState;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;

/** A segment with real record batches, and indexes with any bytes, in a folder. */
final class TestSegment {
    private static final TopicIdPartition PARTITION = new TopicIdPartition(Uuid.randomUuid(), new TopicPartition("topic.of-tests_1", 7));

    final Path log;
    final byte[] bytes;
    final LogSegmentData data;
    final long endOffset;
    private final Map<IndexType, byte[]> indexes;
    private RemoteLogSegmentMetadata metadata;

    private TestSegment(Path log, byte[] bytes, LogSegmentData data, Map<IndexType, byte[]> indexes, long baseOffset, long endOffset) {
        this.log = log;
        this.bytes = bytes;
        this.data = data;
        this.indexes = indexes;
        this.endOffset = endOffset;
        this.metadata = new RemoteLogSegmentMetadata(new RemoteLogSegmentId(PARTITION, Uuid.randomUuid()), baseOffset, endOffset, 1L, 1, 1L, bytes.length,
                Map.of(0, baseOffset));
    }

    /** A segment of at least so many bytes. */
    static TestSegment write(Path folder, long baseOffset, int bytesMin) throws IOException {
        return write(folder, baseOffset, bytesMin, true);
    }

    static TestSegment write(Path folder, long baseOffset, int bytesMin, boolean transactions) throws IOException {
        Random random = new Random(baseOffset);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        long offset = baseOffset;
        while (out.size() < bytesMin) {
            byte[] value = new byte[1 + random.nextInt(20_000)];
            random.nextBytes(value);
            MemoryRecords records = MemoryRecords.withRecords(offset, Compression.NONE, new SimpleRecord(offset, value), new SimpleRecord(offset, "b".getBytes(StandardCharsets.UTF_8)));
            byte[] batch = new byte[records.sizeInBytes()];
            records.buffer().duplicate().get(batch);
            out.write(batch);
            offset += 2;
        }
        byte[] bytes = out.toByteArray();
        String name = "%020d".formatted(baseOffset);
        Path log = Files.write(folder.resolve(name + ".log"), bytes);
        Map<IndexType, byte[]> indexes = new java.util.EnumMap<>(IndexType.class);
        for (IndexType type : IndexType.values()) {
            byte[] index = new byte[100 + random.nextInt(3000)];
            random.nextBytes(index);
            if (transactions || type != IndexType.TRANSACTION) {
                indexes.put(type, index);
            }
        }
        LogSegmentData data = new LogSegmentData(log,
                Files.write(folder.resolve(name + ".index"), indexes.get(IndexType.OFFSET)),
                Files.write(folder.resolve(name + ".timeindex"), indexes.get(IndexType.TIMESTAMP)),
                transactions ? Optional.of(Files.write(folder.resolve(name + ".txnindex"), indexes.get(IndexType.TRANSACTION))) : Optional.empty(),
                Files.write(folder.resolve(name + ".snapshot"), indexes.get(IndexType.PRODUCER_SNAPSHOT)),
                ByteBuffer.wrap(indexes.get(IndexType.LEADER_EPOCH)));
        // Kafka does not name an end before the start, even of an empty segment.
        return new TestSegment(log, bytes, data, indexes, baseOffset, Math.max(baseOffset, offset - 1));
    }

    byte[] index(IndexType type) {
        return indexes.get(type);
    }

    /** As Kafka has it before a copy, or after one if {@link #copied} was called. */
    RemoteLogSegmentMetadata metadata() {
        return metadata;
    }

    /** Kafka notes the custom metadata that a copy returned. */
    TestSegment copied(Optional<CustomMetadata> custom) {
        metadata = metadata.createWithUpdates(new RemoteLogSegmentMetadataUpdate(metadata.remoteLogSegmentId(), 2L, custom, RemoteLogSegmentState.COPY_SEGMENT_FINISHED, 1));
        return this;
    }

    /** A retry of the copy, as Kafka does it: under a new id. */
    RemoteLogSegmentMetadata retried() {
        return new RemoteLogSegmentMetadata(new RemoteLogSegmentId(PARTITION, Uuid.randomUuid()), metadata.startOffset(), metadata.endOffset(), 1L, 1, 1L, bytes.length,
                Map.of(0, metadata.startOffset()));
    }

    /** From now on the segment has another id. */
    void renamed() {
        metadata = retried();
    }

    String logKey() {
        return new ObjectKeys("").log(metadata);
    }

    String indexesKey() {
        return new ObjectKeys("").indexes(metadata);
    }
}
