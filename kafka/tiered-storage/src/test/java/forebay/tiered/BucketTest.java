package forebay.tiered;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata.CustomMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteResourceNotFoundException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Buckets that refuse some requests, or all for a long time. What is stored can be read, and everything goes on when the cause is gone. */
class BucketTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private FakeS3 fake;
    private ForebayRemoteStorageManager plugin;
    private TestSegment stored;
    private long nextOffset = 100;

    @BeforeEach
    void start() throws Exception {
        fake = new FakeS3();
        plugin = Plugins.start(fake, folder, "timeout.ms", "3000", "copy.timeout.ms", "6000");
        stored = copied();
    }

    @AfterEach
    void stop() throws Exception {
        plugin.close();
        fake.close();
    }

    private TestSegment segment() throws Exception {
        nextOffset += 1_000_000;
        return TestSegment.write(folder, nextOffset, MIB);
    }

    private TestSegment copied() throws Exception {
        TestSegment segment = segment();
        return segment.copied(plugin.copyLogSegmentData(segment.metadata(), segment.data));
    }

    private void reads(TestSegment segment) throws Exception {
        assertArrayEquals(segment.bytes, plugin.fetchLogSegment(segment.metadata(), 0).readAllBytes());
        for (IndexType type : IndexType.values()) {
            assertArrayEquals(segment.index(type), plugin.fetchIndex(segment.metadata(), type).readAllBytes());
        }
    }

    private static String fails(Executable call) {
        RemoteStorageException failure = assertThrows(RemoteStorageException.class, call);
        assertFalse(failure instanceof RemoteResourceNotFoundException, failure.toString());
        return failure.getMessage();
    }

    private void answer(int status, String code, String... operations) {
        fake.fault = (request, exchange) -> {
            if (operations.length > 0 && !List.of(operations).contains(request.operation())) {
                return false;
            }
            refuse(exchange, status, code);
            return true;
        };
    }

    /** Reads the request's body first: otherwise the client may see a reset connection instead of the answer. */
    private static void refuse(HttpExchange exchange, int status, String code) throws IOException {
        exchange.getRequestBody().readAllBytes();
        FakeS3.error(exchange, status, code);
    }

    private void recover() throws Exception {
        fake.fault = (request, exchange) -> false;
        TestSegment next = copied();
        reads(next);
        plugin.deleteLogSegmentData(next.metadata());
        assertFalse(fake.objects.containsKey(next.logKey()) || fake.objects.containsKey(next.indexesKey()));
    }

    @Test
    void a_bucket_that_is_read_only_can_be_read() throws Exception {
        answer(403, "AccessDenied", "PutObject", "CreateUpload", "CopyObject", "DeleteObjects", "DeleteObject");
        TestSegment other = segment();
        assertTrue(fails(() -> plugin.copyLogSegmentData(other.metadata(), other.data)).contains("s3:PutObject"));
        assertTrue(fails(() -> plugin.deleteLogSegmentData(stored.metadata())).contains("s3:DeleteObject"));
        reads(stored);
        recover();
    }

    @Test
    void a_bucket_that_is_full_can_be_read_and_emptied() throws Exception {
        answer(507, "QuotaExceeded", "PutObject", "CreateUpload", "UploadPart", "CompleteUpload");
        TestSegment other = segment();
        assertTrue(fails(() -> plugin.copyLogSegmentData(other.metadata(), other.data)).contains("The bucket is full"));
        // Kafka deletes what a failed copy may have left.
        plugin.deleteLogSegmentData(other.metadata());
        reads(stored);
        plugin.deleteLogSegmentData(stored.metadata());
        assertTrue(fake.objects.isEmpty());
        recover();
    }

    @Test
    void a_bucket_that_is_full_in_the_middle_of_a_copy_keeps_nothing_of_it() throws Exception {
        TestSegment large = TestSegment.write(folder, 5, 12 * MIB);
        fake.fault = (request, exchange) -> {
            if (request.operation().equals("UploadPart") && fake.requests("UploadPart").size() == 1) {
                refuse(exchange, 507, "QuotaExceeded");
                return true;
            }
            return false;
        };
        fails(() -> plugin.copyLogSegmentData(large.metadata(), large.data));
        Waiting.until(() -> fake.uploadsOpen() == 0);
        assertFalse(fake.objects.containsKey(large.logKey()) || fake.objects.containsKey(large.indexesKey()));
        // The log was stored, its indexes were not.
        answer(507, "QuotaExceeded", "PutObject");
        fails(() -> plugin.copyLogSegmentData(large.metadata(), large.data));
        assertTrue(fake.objects.containsKey(large.logKey()));
        plugin.deleteLogSegmentData(large.metadata());
        assertFalse(fake.objects.containsKey(large.logKey()));
        recover();
    }

    @Test
    void a_server_that_answers_503_for_long_ends_each_call_in_time() throws Exception {
        answer(503, "SlowDown");
        TestSegment unread = stored;
        TestSegment other = segment();
        long begun = System.nanoTime();
        for (int round = 0; round < 2; round++) {
            fails(() -> plugin.copyLogSegmentData(other.metadata(), other.data));
            fails(() -> plugin.fetchLogSegment(unread.metadata(), 0));
            fails(() -> plugin.fetchIndex(unread.metadata(), IndexType.OFFSET));
            fails(() -> plugin.deleteLogSegmentData(unread.metadata()));
        }
        long millis = (System.nanoTime() - begun) / 1_000_000;
        assertTrue(millis < 2 * (6000 + 3 * 3000), millis + " ms");
        goesOn();
    }

    private void goesOn() throws Exception {
        fake.fault = (request, exchange) -> false;
        reads(stored);
        recover();
    }

    @Test
    void a_bucket_that_was_emptied_takes_new_segments() throws Exception {
        fake.objects.clear();
        assertThrows(RemoteResourceNotFoundException.class, () -> plugin.fetchLogSegment(stored.metadata(), 0));
        for (IndexType type : IndexType.values()) {
            assertThrows(RemoteResourceNotFoundException.class, () -> plugin.fetchIndex(stored.metadata(), type));
        }
        plugin.deleteLogSegmentData(stored.metadata());
        recover();
    }

    @Test
    void a_bucket_that_was_deleted_is_no_missing_segment() throws Exception {
        answer(404, "NoSuchBucket");
        TestSegment other = segment();
        for (String message : new String[] {
            fails(() -> plugin.copyLogSegmentData(other.metadata(), other.data)),
            fails(() -> plugin.fetchLogSegment(stored.metadata(), 0)),
            fails(() -> plugin.fetchIndex(stored.metadata(), IndexType.OFFSET)),
            fails(() -> plugin.deleteLogSegmentData(stored.metadata()))}) {
            assertTrue(message.contains("Create the bucket"), message);
        }
        goesOn();
    }

    @Test
    void an_empty_segment_is_copied_read_and_deleted() throws Exception {
        TestSegment empty = TestSegment.write(folder, 7, 0);
        assertEquals(0, empty.bytes.length);
        empty.copied(plugin.copyLogSegmentData(empty.metadata(), empty.data));
        assertEquals(0, fake.objects.get(empty.logKey()).bytes().length);
        assertEquals(-1, plugin.fetchLogSegment(empty.metadata(), 0).read());
        assertArrayEquals(empty.index(IndexType.OFFSET), plugin.fetchIndex(empty.metadata(), IndexType.OFFSET).readAllBytes());
        plugin.deleteLogSegmentData(empty.metadata());
        assertFalse(fake.objects.containsKey(empty.logKey()) || fake.objects.containsKey(empty.indexesKey()));
    }

    /** The other plugin's bytes happen to begin as ours do, or are as long. */
    @Test
    void custom_metadata_of_another_plugin_is_not_believed() throws Exception {
        RemoteLogSegmentMetadata own = stored.metadata();
        for (byte[] others : new byte[][] {{}, {0x46}, new byte[SegmentFacts.BYTES], new byte[128]}) {
            stored.copied(Optional.of(new CustomMetadata(others)));
            reads(stored);
        }
        assertEquals(own.remoteLogSegmentId(), stored.metadata().remoteLogSegmentId());
        plugin.deleteLogSegmentData(stored.metadata());
        assertTrue(fake.objects.isEmpty());
    }
}
