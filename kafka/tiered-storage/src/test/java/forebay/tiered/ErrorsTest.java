package forebay.tiered;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.server.log.remote.storage.LogSegmentData;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteResourceNotFoundException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.SdkHttpClient;

/** Errors of the Java runtime, thrown inside each call. Kafka would never copy the partition again. */
class ErrorsTest {
    private static final List<Supplier<Error>> ERRORS =
            List.of(() -> new OutOfMemoryError("a test"), () -> new StackOverflowError("a test"), () -> new NoClassDefFoundError("a test"));

    @TempDir
    Path folder;

    private volatile Supplier<Error> thrown;

    /** Throws instead of sending requests, in the threads of the plugin. */
    private SdkHttpClient throwing(SdkHttpClient inner) {
        return new SdkHttpClient() {
            @Override
            public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
                if (thrown != null) {
                    throw thrown.get();
                }
                return inner.prepareRequest(request);
            }

            @Override
            public void close() {
                inner.close();
            }
        };
    }

    private static void fails(Executable call) {
        RemoteStorageException failure = assertThrows(RemoteStorageException.class, call);
        assertFalse(failure instanceof RemoteResourceNotFoundException);
        assertTrue(failure.getMessage().contains("a test"), failure.getMessage());
    }

    @Test
    void errors_within_requests_become_what_kafka_expects() throws Exception {
        try (FakeS3 fake = new FakeS3(); ForebayRemoteStorageManager plugin = new ForebayRemoteStorageManager(this::throwing)) {
            plugin.configure(Plugins.settings(fake, folder));
            TestSegment segment = TestSegment.write(folder, 100, 300_000);
            segment.copied(plugin.copyLogSegmentData(segment.metadata(), segment.data));
            for (Supplier<Error> error : ERRORS) {
                thrown = error;
                fails(() -> plugin.copyLogSegmentData(segment.retried(), segment.data));
                fails(() -> plugin.fetchLogSegment(segment.metadata(), 0));
                fails(() -> plugin.fetchLogSegment(segment.metadata(), 0, 10));
                fails(() -> plugin.fetchIndex(segment.metadata(), IndexType.OFFSET));
                fails(() -> plugin.deleteLogSegmentData(segment.metadata()));
                thrown = null;
            }
            assertTrue(plugin.metrics().errorsCaught.sum() >= 15);
            assertArrayEquals(segment.bytes, plugin.fetchLogSegment(segment.metadata(), 0).readAllBytes());
        }
    }

    @Test
    void errors_within_a_stream_become_exceptions() throws Exception {
        try (FakeS3 fake = new FakeS3(); ForebayRemoteStorageManager plugin = new ForebayRemoteStorageManager(this::throwing)) {
            plugin.configure(Plugins.settings(fake, folder));
            TestSegment segment = TestSegment.write(folder, 100, 4 << 20);
            segment.copied(plugin.copyLogSegmentData(segment.metadata(), segment.data));
            var stream = plugin.fetchLogSegment(segment.metadata(), 0);
            for (Supplier<Error> error : ERRORS) {
                thrown = error;
                assertThrows(IOException.class, stream::readAllBytes);
            }
            thrown = null;
            // The stream goes on where it failed.
            assertTrue(stream.readAllBytes().length > 0);
        }
    }

    @Test
    void errors_of_what_kafka_hands_over_become_exceptions() throws Exception {
        try (FakeS3 fake = new FakeS3(); ForebayRemoteStorageManager plugin = Plugins.start(fake, folder)) {
            TestSegment segment = TestSegment.write(folder, 100, 1000);
            for (Supplier<Error> error : ERRORS) {
                LogSegmentData data = new LogSegmentData(segment.log, segment.data.offsetIndex(), segment.data.timeIndex(), segment.data.transactionIndex(),
                        segment.data.producerSnapshotIndex(), segment.data.leaderEpochIndex()) {
                    @Override
                    public Path timeIndex() {
                        throw error.get();
                    }
                };
                fails(() -> plugin.copyLogSegmentData(segment.metadata(), data));
                RemoteLogSegmentMetadata metadata = segment.metadata();
                RemoteLogSegmentMetadata broken = new RemoteLogSegmentMetadata(metadata.remoteLogSegmentId(), 1, 2, 1, 1, 1, 1000, java.util.Map.of(0, 1L)) {
                    @Override
                    public long startOffset() {
                        throw error.get();
                    }
                };
                fails(() -> plugin.copyLogSegmentData(broken, segment.data));
                fails(() -> plugin.fetchLogSegment(broken, 0));
                fails(() -> plugin.fetchIndex(broken, IndexType.OFFSET));
                fails(() -> plugin.deleteLogSegmentData(broken));
            }
        }
    }
}
