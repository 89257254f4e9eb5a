package forebay.tiered;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata.CustomMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteResourceNotFoundException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One case for each sentence of the documentation of RemoteStorageManager that demands something of a plugin. The server is the one in this process, or the one
 * that the environment names: FOREBAY_TIER_ENDPOINT, FOREBAY_TIER_BUCKET and FOREBAY_TIER_CREDENTIALS.
 */
class ContractTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private FakeS3 fake;
    private Map<String, Object> settings;
    private RemoteStorageManager plugin;

    @BeforeEach
    void start() throws Exception {
        settings = settings();
        plugin = new ForebayRemoteStorageManager();
        plugin.configure(settings);
    }

    private Map<String, Object> settings() throws Exception {
        String endpoint = System.getenv("FOREBAY_TIER_ENDPOINT");
        if (endpoint != null) {
            return new HashMap<>(Map.of("broker.id", 1, "endpoint", endpoint, "bucket", System.getenv("FOREBAY_TIER_BUCKET"),
                    "credentials.file", System.getenv("FOREBAY_TIER_CREDENTIALS"), "part.size.bytes", "5242880"));
        }
        fake = new FakeS3();
        return new HashMap<>(Plugins.settings(fake, folder));
    }

    @AfterEach
    void stop() throws Exception {
        plugin.close();
        if (fake != null) {
            fake.close();
        }
    }

    private TestSegment copied(int bytes) throws Exception {
        TestSegment segment = TestSegment.write(folder, 1000, bytes);
        return segment.copied(plugin.copyLogSegmentData(segment.metadata(), segment.data));
    }

    private static byte[] all(InputStream stream) throws Exception {
        try (stream) {
            return stream.readAllBytes();
        }
    }

    // Copies the given LogSegmentData provided for the given remoteLogSegmentMetadata.
    @Test
    void a_copied_segment_is_byte_for_byte_the_file() throws Exception {
        TestSegment segment = copied(12 * MIB);
        assertArrayEquals(segment.bytes, all(plugin.fetchLogSegment(segment.metadata(), 0)));
    }

    // This includes log segment and its auxiliary indexes like offset index, time index, transaction index, leader epoch index, and producer snapshot index.
    @Test
    void every_index_is_copied() throws Exception {
        TestSegment segment = copied(MIB);
        for (IndexType type : IndexType.values()) {
            assertArrayEquals(segment.index(type), all(plugin.fetchIndex(segment.metadata(), type)), type.toString());
        }
    }

    // Invoker of this API should always send a unique id [...] even when it retries to invoke this method for the same log segment data.
    @Test
    void a_retry_under_another_id_does_not_touch_the_first() throws Exception {
        TestSegment segment = copied(MIB);
        RemoteLogSegmentMetadata second = segment.retried();
        plugin.copyLogSegmentData(second, segment.data);
        plugin.deleteLogSegmentData(second);
        assertArrayEquals(segment.bytes, all(plugin.fetchLogSegment(segment.metadata(), 0)));
        assertArrayEquals(segment.index(IndexType.OFFSET), all(plugin.fetchIndex(segment.metadata(), IndexType.OFFSET)));
    }

    // This operation is expected to be idempotent. If a copy operation is retried and there is existing content already written, it should be overwritten, and do not
    // throw RemoteStorageException
    @Test
    void a_copy_under_the_same_id_overwrites() throws Exception {
        TestSegment segment = TestSegment.write(folder, 1000, MIB);
        Optional<CustomMetadata> first = plugin.copyLogSegmentData(segment.metadata(), segment.data);
        Optional<CustomMetadata> second = plugin.copyLogSegmentData(segment.metadata(), segment.data);
        assertArrayEquals(first.orElseThrow().value(), second.orElseThrow().value());
        assertArrayEquals(segment.bytes, all(plugin.fetchLogSegment(segment.copied(second).metadata(), 0)));
    }

    // @return custom metadata to be added to the segment metadata after copying.
    @Test
    void custom_metadata_is_small_and_not_needed() throws Exception {
        TestSegment segment = TestSegment.write(folder, 1000, MIB);
        CustomMetadata custom = plugin.copyLogSegmentData(segment.metadata(), segment.data).orElseThrow();
        assertTrue(custom.value().length <= 64);
        // Kafka lost it, or another plugin wrote it.
        for (Optional<CustomMetadata> lost : java.util.List.of(Optional.<CustomMetadata>empty(), Optional.of(new CustomMetadata(new byte[] {1, 2, 3})))) {
            assertArrayEquals(segment.index(IndexType.TIMESTAMP), all(plugin.fetchIndex(segment.copied(lost).metadata(), IndexType.TIMESTAMP)));
        }
    }

    // @throws RemoteStorageException if there are any errors in storing the data of the segment.
    @Test
    void a_copy_of_a_file_that_is_gone_fails() throws Exception {
        TestSegment segment = TestSegment.write(folder, 1000, MIB);
        Files.delete(segment.log);
        assertThrows(RemoteStorageException.class, () -> plugin.copyLogSegmentData(segment.metadata(), segment.data));
    }

    // Returns the remote log segment data file/object as InputStream [...] starting from the given startPosition. The stream will end at the end of the remote log
    // segment data file/object. startPosition: inclusive.
    @Test
    void a_stream_begins_at_its_position_and_ends_with_the_segment() throws Exception {
        TestSegment segment = copied(3 * MIB);
        for (int start : new int[] {0, 1, Block.BYTES - 1, Block.BYTES, MIB + 12345, segment.bytes.length - 1}) {
            assertArrayEquals(Arrays.copyOfRange(segment.bytes, start, segment.bytes.length), all(plugin.fetchLogSegment(segment.metadata(), start)), "from " + start);
        }
        assertEquals(0, all(plugin.fetchLogSegment(segment.metadata(), segment.bytes.length)).length);
    }

    // The stream will end at the smaller of endPosition and the end of the remote log segment data file/object. endPosition: inclusive.
    @Test
    void a_stream_ends_at_the_smaller_of_its_end_and_that_of_the_segment() throws Exception {
        TestSegment segment = copied(MIB);
        for (int end : new int[] {100, Block.BYTES - 1, Block.BYTES, segment.bytes.length - 1, segment.bytes.length, Integer.MAX_VALUE}) {
            int last = (int) Math.min(segment.bytes.length, end + 1L);
            assertArrayEquals(Arrays.copyOfRange(segment.bytes, 100, last), all(plugin.fetchLogSegment(segment.metadata(), 100, end)), "to " + end);
        }
    }

    // @throws RemoteStorageException if there are any errors while fetching the desired segment.
    @Test
    void a_range_that_cannot_be_is_an_error() throws Exception {
        TestSegment segment = copied(MIB);
        assertThrows(RemoteStorageException.class, () -> plugin.fetchLogSegment(segment.metadata(), -1));
        assertThrows(RemoteStorageException.class, () -> plugin.fetchLogSegment(segment.metadata(), 10, 9));
    }

    // @throws RemoteResourceNotFoundException the requested log segment is not found in the remote storage.
    @Test
    void a_segment_that_was_not_copied_is_not_found() throws Exception {
        TestSegment segment = TestSegment.write(folder, 1000, MIB);
        assertThrows(RemoteResourceNotFoundException.class, () -> plugin.fetchLogSegment(segment.metadata(), 0));
        assertThrows(RemoteResourceNotFoundException.class, () -> plugin.fetchLogSegment(segment.metadata(), 0, 10));
    }

    // Returns the index for the respective log segment of RemoteLogSegmentMetadata.
    @Test
    void an_index_is_that_of_its_segment() throws Exception {
        TestSegment one = copied(MIB);
        TestSegment other = TestSegment.write(folder, 5000, MIB);
        other.copied(plugin.copyLogSegmentData(other.metadata(), other.data));
        assertArrayEquals(one.index(IndexType.OFFSET), all(plugin.fetchIndex(one.metadata(), IndexType.OFFSET)));
        assertArrayEquals(other.index(IndexType.OFFSET), all(plugin.fetchIndex(other.metadata(), IndexType.OFFSET)));
    }

    // The transaction index may not exist because of no transactional records. In this case, it should throw a RemoteResourceNotFoundException, instead of returning null.
    @Test
    void a_transaction_index_that_does_not_exist_is_not_found() throws Exception {
        TestSegment segment = TestSegment.write(folder, 1000, MIB, false);
        segment.copied(plugin.copyLogSegmentData(segment.metadata(), segment.data));
        assertThrows(RemoteResourceNotFoundException.class, () -> plugin.fetchIndex(segment.metadata(), IndexType.TRANSACTION));
        assertNotNull(plugin.fetchIndex(segment.metadata(), IndexType.OFFSET));
        // Nor without custom metadata.
        segment.copied(Optional.empty());
        assertThrows(RemoteResourceNotFoundException.class, () -> plugin.fetchIndex(segment.metadata(), IndexType.TRANSACTION));
    }

    // @throws RemoteResourceNotFoundException the requested index is not found in the remote storage
    @Test
    void an_index_of_a_segment_that_was_not_copied_is_not_found() throws Exception {
        TestSegment segment = TestSegment.write(folder, 1000, MIB);
        for (IndexType type : IndexType.values()) {
            assertThrows(RemoteResourceNotFoundException.class, () -> plugin.fetchIndex(segment.metadata(), type));
        }
    }

    // Deletes the resources associated with the given remoteLogSegmentMetadata.
    @Test
    void a_deleted_segment_is_not_found() throws Exception {
        TestSegment segment = copied(MIB);
        plugin.deleteLogSegmentData(segment.metadata());
        assertThrows(RemoteResourceNotFoundException.class, () -> plugin.fetchLogSegment(segment.metadata(), 0));
        for (IndexType type : IndexType.values()) {
            assertThrows(RemoteResourceNotFoundException.class, () -> plugin.fetchIndex(segment.metadata(), type));
        }
    }

    // Deletion is considered as successful if this call returns successfully without any errors. This operation is expected to be idempotent. If resources are not
    // found, it is not expected to throw RemoteResourceNotFoundException as it may be already removed from a previous attempt.
    @Test
    void a_segment_can_be_deleted_twice_or_without_having_been_copied() throws Exception {
        TestSegment segment = copied(MIB);
        TestSegment never = TestSegment.write(folder, 9000, MIB);
        plugin.deleteLogSegmentData(segment.metadata());
        assertDoesNotThrow(() -> plugin.deleteLogSegmentData(segment.metadata()));
        assertDoesNotThrow(() -> plugin.deleteLogSegmentData(never.metadata()));
    }

    // Kafka deletes after a failed copy with the metadata from before it.
    @Test
    void a_segment_is_deleted_without_its_custom_metadata() throws Exception {
        TestSegment segment = TestSegment.write(folder, 1000, MIB);
        RemoteLogSegmentMetadata before = segment.metadata();
        segment.copied(plugin.copyLogSegmentData(before, segment.data));
        plugin.deleteLogSegmentData(before);
        assertThrows(RemoteResourceNotFoundException.class, () -> plugin.fetchLogSegment(segment.metadata(), 0));
    }

    // All properties prefixed with the config [...] are passed when configure(Map) is invoked on this instance.
    @Test
    void an_unknown_setting_is_refused() {
        Map<String, Object> misspelled = new HashMap<>(settings);
        misspelled.put("key.prefx", "x");
        try (RemoteStorageManager other = new ForebayRemoteStorageManager()) {
            assertTrue(assertThrows(ConfigException.class, () -> other.configure(misspelled)).getMessage().contains("key.prefx"));
        } catch (java.io.IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    // Closeable: Closes this stream and releases any system resources associated with it. If the stream is already closed then invoking this method has no effect.
    @Test
    void a_closed_plugin_has_no_threads_and_refuses_calls() throws Exception {
        TestSegment segment = copied(MIB);
        plugin.close();
        plugin.close();
        assertEquals(List.of(), FakeS3.pluginThreads("forebay-tier-1"));
        assertThrows(RemoteStorageException.class, () -> plugin.fetchLogSegment(segment.metadata(), 0));
        assertThrows(RemoteStorageException.class, () -> plugin.copyLogSegmentData(segment.metadata(), segment.data));
        assertThrows(RemoteStorageException.class, () -> plugin.deleteLogSegmentData(segment.metadata()));
    }
}
