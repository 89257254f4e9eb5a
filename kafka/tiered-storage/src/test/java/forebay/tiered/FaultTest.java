package forebay.tiered;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.server.log.remote.storage.RemoteResourceNotFoundException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Servers that answer wrongly, late, or not at all. No call may hang, lose data, or say that something is missing which is not. */
class FaultTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private FakeS3 fake;
    private ForebayRemoteStorageManager plugin;
    private TestSegment segment;

    @BeforeEach
    void start() throws Exception {
        fake = new FakeS3();
        plugin = Plugins.start(fake, folder, "timeout.ms", "2000", "copy.timeout.ms", "6000");
        segment = TestSegment.write(folder, 100, MIB);
        segment.copied(plugin.copyLogSegmentData(segment.metadata(), segment.data));
    }

    @AfterEach
    void stop() throws Exception {
        plugin.close();
        fake.close();
    }

    /** Every call fails with RemoteStorageException within its deadline, and works again once the fault is over. */
    private void fails(FakeS3.Fault fault) throws Exception {
        fake.fault = (request, exchange) -> false;
        // Not in memory yet.
        segment.renamed();
        segment.copied(plugin.copyLogSegmentData(segment.metadata(), segment.data));
        fake.fault = fault;
        TestSegment other = TestSegment.write(folder, 70_000, MIB);
        fails(() -> plugin.copyLogSegmentData(other.metadata(), other.data));
        fails(() -> plugin.fetchLogSegment(segment.metadata(), 0));
        fails(() -> plugin.fetchIndex(segment.metadata(), IndexType.OFFSET));
        fails(() -> plugin.deleteLogSegmentData(other.metadata()));
        fake.fault = (request, exchange) -> false;
        works();
    }

    private static void fails(Executable call) {
        long begun = System.nanoTime();
        RemoteStorageException failure = assertThrows(RemoteStorageException.class, call);
        assertFalse(failure instanceof RemoteResourceNotFoundException, failure.toString());
        long millis = (System.nanoTime() - begun) / 1_000_000;
        assertTrue(millis < 15_000, millis + " ms");
    }

    private void works() throws Exception {
        assertArrayEquals(segment.bytes, plugin.fetchLogSegment(segment.metadata(), 0).readAllBytes());
        assertArrayEquals(segment.index(IndexType.OFFSET), plugin.fetchIndex(segment.metadata(), IndexType.OFFSET).readAllBytes());
        TestSegment next = TestSegment.write(folder, 90_000, MIB);
        plugin.copyLogSegmentData(next.metadata(), next.data);
        plugin.deleteLogSegmentData(next.metadata());
    }

    @Test
    void a_silent_server() throws Exception {
        fails((request, exchange) -> {
            Thread.sleep(20_000);
            return true;
        });
    }

    @Test
    void a_server_that_answers_slowly_byte_for_byte() throws Exception {
        fake.fault = (request, exchange) -> {
            exchange.sendResponseHeaders(206, 100_000);
            for (int index = 0; index < 1000; index++) {
                exchange.getResponseBody().write(1);
                exchange.getResponseBody().flush();
                Thread.sleep(20);
            }
            return true;
        };
        fails(() -> plugin.fetchLogSegment(segment.metadata(), 0));
        fake.fault = (request, exchange) -> false;
        works();
    }

    @Test
    void a_reader_that_waited_for_a_request_that_failed_sends_one_of_its_own() throws Exception {
        AtomicInteger silent = new AtomicInteger(1);
        CountDownLatch asked = new CountDownLatch(1);
        fake.fault = (request, exchange) -> {
            if (request.operation().equals("GetObject") && silent.getAndDecrement() > 0) {
                asked.countDown();
                Thread.sleep(20_000);
                return true;
            }
            return false;
        };
        CompletableFuture<Void> first = CompletableFuture.runAsync(() -> assertThrows(
                RemoteStorageException.class, () -> plugin.fetchLogSegment(segment.metadata(), 0)));
        assertTrue(asked.await(20, TimeUnit.SECONDS));
        Thread.sleep(500);
        assertArrayEquals(segment.bytes, plugin.fetchLogSegment(segment.metadata(), 0).readAllBytes());
        first.get(20, TimeUnit.SECONDS);
    }

    @Test
    void a_server_that_resets_connections() throws Exception {
        fails((request, exchange) -> {
            exchange.close();
            return true;
        });
    }

    @Test
    void half_a_body() throws Exception {
        fails((request, exchange) -> {
            exchange.getResponseHeaders().set("Content-Range", "bytes 0-" + (segment.bytes.length - 1) + "/" + segment.bytes.length);
            exchange.getResponseHeaders().set("x-amz-meta-forebay-segment", segment.metadata().remoteLogSegmentId().id().toString());
            exchange.sendResponseHeaders(206, segment.bytes.length);
            exchange.getResponseBody().write(segment.bytes, 0, 1000);
            return true;
        });
    }

    @Test
    void a_body_that_breaks_off_once_is_read_on() throws Exception {
        AtomicInteger left = new AtomicInteger(1);
        fake.fault = (request, exchange) -> {
            if (request.operation().equals("GetObject") && left.getAndDecrement() > 0) {
                exchange.getResponseHeaders().set("Content-Range", "bytes 0-" + (segment.bytes.length - 1) + "/" + segment.bytes.length);
                exchange.getResponseHeaders().set("x-amz-meta-forebay-segment", segment.metadata().remoteLogSegmentId().id().toString());
                exchange.sendResponseHeaders(206, segment.bytes.length);
                exchange.getResponseBody().write(segment.bytes, 0, Block.BYTES + 1000);
                return true;
            }
            return false;
        };
        assertArrayEquals(segment.bytes, plugin.fetchLogSegment(segment.metadata(), 0).readAllBytes());
        assertTrue(fake.requests("GetObject").get(1).range().startsWith("bytes=" + Block.BYTES + "-"), "the second request begins behind what was complete");
    }

    @Test
    void html_instead_of_s3() throws Exception {
        for (int status : new int[] {200, 403, 404, 500}) {
            FakeS3.Fault html = (request, exchange) -> {
                FakeS3.send(exchange, status, "<html><body>Welcome to the proxy</body></html>", Map.of("Content-Type", "text/html"));
                return true;
            };
            fails(html);
            startBeside(html, status);
        }
        fake.fault = (request, exchange) -> false;
        works();
    }

    /** A start beside a proxy: refused if the answer is definite, else it goes on. */
    private void startBeside(FakeS3.Fault fault, int status) throws Exception {
        fake.fault = fault;
        try (ForebayRemoteStorageManager other = new ForebayRemoteStorageManager()) {
            other.configure(Plugins.settings(fake, folder));
            assertTrue(status == 404 || status == 500, "the start went on after " + status);
        } catch (ConfigException refused) {
            assertTrue(status == 200 || status == 403, "the start was refused after " + status);
        }
    }

    @Test
    void the_bytes_of_another_object() throws Exception {
        TestSegment other = TestSegment.write(folder, 50_000, MIB);
        other.copied(plugin.copyLogSegmentData(other.metadata(), other.data));
        fake.fault = (request, exchange) -> {
            if (request.key().equals(segment.logKey())) {
                fake.get(exchange, other.logKey(), request.range());
                return true;
            }
            return false;
        };
        fails(() -> plugin.fetchLogSegment(segment.metadata(), 0));
    }

    @Test
    void an_object_of_another_size() throws Exception {
        FakeS3.Stored stored = fake.objects.get(segment.logKey());
        fake.objects.put(segment.logKey(), new FakeS3.Stored(java.util.Arrays.copyOf(stored.bytes(), stored.bytes().length - 10), stored.metadata()));
        fails(() -> plugin.fetchLogSegment(segment.metadata(), 0));
    }

    @Test
    void refusals_and_server_errors() throws Exception {
        for (String[] answer : new String[][] {{"403", "AccessDenied"}, {"301", "PermanentRedirect"}, {"404", "NoSuchBucket"}, {"503", "SlowDown"}, {"507", "QuotaExceeded"}}) {
            fake.fault = (request, exchange) -> {
                FakeS3.error(exchange, Integer.parseInt(answer[0]), answer[1]);
                return true;
            };
            TestSegment other = TestSegment.write(folder, 70_000, 1000);
            fails(() -> plugin.fetchLogSegment(segment.metadata(), 0));
            fails(() -> plugin.copyLogSegmentData(other.metadata(), other.data));
        }
        fake.fault = (request, exchange) -> false;
        works();
    }

    @Test
    void a_404_or_503_that_passes_is_not_noticed() throws Exception {
        for (String[] answer : new String[][] {{"404", "NoSuchKey"}, {"503", "SlowDown"}, {"500", "InternalError"}}) {
            AtomicInteger left = new AtomicInteger(1);
            TestSegment fresh = TestSegment.write(folder, 200_000 + Integer.parseInt(answer[0]), 1000);
            fresh.copied(plugin.copyLogSegmentData(fresh.metadata(), fresh.data));
            fake.fault = (request, exchange) -> {
                if (left.getAndDecrement() > 0) {
                    FakeS3.error(exchange, Integer.parseInt(answer[0]), answer[1]);
                    return true;
                }
                return false;
            };
            assertArrayEquals(fresh.bytes, plugin.fetchLogSegment(fresh.metadata(), 0).readAllBytes());
        }
    }

    @Test
    void a_bucket_that_was_emptied() throws Exception {
        fake.objects.clear();
        assertThrows(RemoteResourceNotFoundException.class, () -> plugin.fetchLogSegment(segment.metadata(), 0));
        assertThrows(RemoteResourceNotFoundException.class, () -> plugin.fetchIndex(segment.metadata(), IndexType.OFFSET));
    }

    @Test
    void an_error_of_one_key_fails_its_delete() throws Exception {
        fake.fault = (request, exchange) -> {
            if (request.operation().equals("DeleteObjects")) {
                exchange.getRequestBody().readAllBytes();
                FakeS3.send(exchange, 200, "<DeleteResult><Deleted><Key>" + segment.logKey() + "</Key></Deleted><Error><Key>" + segment.indexesKey() + "</Key><Code>AccessDenied</Code><Message>no</Message></Error></DeleteResult>", Map.of());
                return true;
            }
            return false;
        };
        fails(() -> plugin.deleteLogSegmentData(segment.metadata()));
    }

    @Test
    void a_server_without_DeleteObjects() throws Exception {
        fake.fault = (request, exchange) -> {
            if (request.operation().equals("DeleteObjects")) {
                FakeS3.error(exchange, 501, "NotImplemented");
                return true;
            }
            return false;
        };
        plugin.deleteLogSegmentData(segment.metadata());
        assertTrue(fake.objects.isEmpty());
    }

    private String refusedStart(String name, Object value, FakeS3.Fault fault) throws IOException {
        Map<String, Object> settings = new HashMap<>(Plugins.settings(fake, folder));
        settings.put(name, value);
        fake.fault = fault;
        try (ForebayRemoteStorageManager other = new ForebayRemoteStorageManager()) {
            return assertThrows(ConfigException.class, () -> other.configure(settings)).getMessage();
        }
    }

    private static FakeS3.Fault answers(int status, String code) {
        return (request, exchange) -> {
            exchange.getResponseHeaders().set("x-amz-bucket-region", "eu-north-1");
            FakeS3.error(exchange, status, code);
            return true;
        };
    }

    @Test
    void a_start_that_is_refused_says_how_to_mend_it() throws Exception {
        Map<String, String> remedies = Map.of(
                "404 NoSuchBucket", "Create the bucket",
                "403 InvalidAccessKeyId", "Correct " + folder.resolve("credentials"),
                "403 SignatureDoesNotMatch", "Correct " + folder.resolve("credentials"),
                "403 AccessDenied", "needs s3:ListBucket",
                "403 RequestTimeTooSkewed", "clocks",
                "301 PermanentRedirect", "eu-north-1");
        for (Map.Entry<String, String> each : remedies.entrySet()) {
            String[] answer = each.getKey().split(" ");
            String message = refusedStart("region", "us-east-1", answers(Integer.parseInt(answer[0]), answer[1]));
            assertTrue(message.contains(each.getValue()), message);
        }
        assertTrue(refusedStart("endpoint", fake.endpoint().replace("http:", "ftp:"), (request, exchange) -> false).contains("use http://"));
    }

    @Test
    void a_start_without_a_server_goes_on() throws Exception {
        int port;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        Map<String, Object> settings = Plugins.settings(fake, folder);
        settings.put("timeout.ms", "10000");
        for (String endpoint : new String[] {"http://127.0.0.1:" + port, "http://no-such-host.invalid:9000"}) {
            settings.put("endpoint", endpoint);
            try (ForebayRemoteStorageManager other = new ForebayRemoteStorageManager()) {
                other.configure(settings);
                String message = assertThrows(RemoteStorageException.class, () -> other.fetchLogSegment(segment.metadata(), 0)).getMessage();
                assertTrue(message.contains("rsm.config.endpoint"), message);
            }
        }
    }

    @Test
    void a_server_that_closes_at_once() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread closing = new Thread(() -> {
                try {
                    while (true) {
                        Socket socket = server.accept();
                        socket.setSoLinger(true, 0);
                        socket.close();
                    }
                } catch (IOException closed) {
                    // The test is over.
                }
            });
            closing.start();
            Map<String, Object> settings = Plugins.settings(fake, folder);
            settings.put("endpoint", "http://127.0.0.1:" + server.getLocalPort());
            settings.put("timeout.ms", "2000");
            try (ForebayRemoteStorageManager other = new ForebayRemoteStorageManager()) {
                other.configure(settings);
                fails(() -> other.fetchLogSegment(segment.metadata(), 0));
                fails(() -> other.copyLogSegmentData(segment.retried(), segment.data));
            }
        }
    }

    @Test
    void interrupts_end_every_call_at_once() throws Exception {
        fake.fault = (request, exchange) -> {
            Thread.sleep(20_000);
            return true;
        };
        assertTrue(Waiting.millisUntilInterrupted(() -> plugin.fetchLogSegment(segment.metadata(), 0), () -> plugin.metrics().fetches.sum() == 1) < 1000);
        assertTrue(Waiting.millisUntilInterrupted(() -> plugin.fetchIndex(segment.metadata(), IndexType.OFFSET), () -> plugin.metrics().fetches.sum() == 2) < 1000);
        assertTrue(Waiting.millisUntilInterrupted(() -> {
            plugin.deleteLogSegmentData(segment.metadata());
            return null;
        }, () -> plugin.metrics().deleteRequests.sum() == 1) < 1000);
        assertTrue(Waiting.millisUntilInterrupted(() -> plugin.copyLogSegmentData(segment.retried(), segment.data), () -> true) < 1000);
    }
}
