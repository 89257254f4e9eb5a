package forebay.tiered;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** An interrupt ends each call within 100 ms, whatever the server does meanwhile. */
class InterruptTest {
    private static final int MIB = 1 << 20;
    private static final long MILLIS_MAX = 100;
    /** The machine may be busy: one of so many attempts must be quick. */
    private static final int ATTEMPTS = 5;
    private static final int STALL_MILLIS = 60_000;
    private static final int DRIBBLE_MILLIS = 20;

    /** What the server does when the request of the call comes. */
    enum Server {
        SILENT,
        SLOW,
        STOPS_IN_THE_BODY
    }

    /** A call, and the request in which it is interrupted. */
    enum Kind {
        COPY("UploadPart"),
        COPY_OF_INDEXES("PutObject"),
        COPY_BY_REFERENCE("CopyObject"),
        OPEN("GetObject"),
        READ("GetObject"),
        INDEX("GetObject"),
        DELETE("DeleteObjects");

        private final String operation;

        Kind(String operation) {
            this.operation = operation;
        }
    }

    @TempDir
    Path folder;

    private final AtomicInteger reached = new AtomicInteger();
    private FakeS3 fake;
    private ForebayRemoteStorageManager plugin;
    private long nextOffset;

    @BeforeEach
    void start() throws Exception {
        fake = new FakeS3();
        plugin = Plugins.start(fake, folder);
    }

    @AfterEach
    void stop() throws Exception {
        plugin.close();
        fake.close();
    }

    static Stream<Arguments> all() {
        return Stream.of(Kind.values()).flatMap(kind -> Stream.of(Server.values()).map(server -> Arguments.of(kind, server)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void an_interrupt_ends_a_call_within_100_ms(Kind kind, Server server) throws Exception {
        long best = Long.MAX_VALUE;
        for (int attempt = 0; attempt < ATTEMPTS && best >= MILLIS_MAX; attempt++) {
            best = Math.min(best, attempt(kind, server));
        }
        assertTrue(best < MILLIS_MAX, best + " ms");
        // The plugin goes on.
        fake.fault = (request, exchange) -> false;
        TestSegment next = segment(MIB);
        next.copied(plugin.copyLogSegmentData(next.metadata(), next.data));
        assertArrayEquals(next.bytes, plugin.fetchLogSegment(next.metadata(), 0).readAllBytes());
        plugin.deleteLogSegmentData(next.metadata());
    }

    /** A reader that waits until the blocks of others are loaded, because there is no memory for its own. */
    @Test
    void an_interrupt_ends_the_wait_for_memory() throws Exception {
        plugin.close();
        plugin = Plugins.start(fake, folder, "fetch.memory.bytes", String.valueOf(4 * MIB), "fetch.window.bytes", String.valueOf(4 * MIB));
        TestSegment first = segment(5 * MIB);
        first.copied(plugin.copyLogSegmentData(first.metadata(), first.data));
        TestSegment second = copied();
        fake.fault = stalling("GetObject", Server.SILENT, 0);
        Thread reader = new Thread(() -> {
            try {
                plugin.fetchLogSegment(first.metadata(), 0);
            } catch (Exception closed) {
                // The test is over.
            }
        });
        reader.start();
        Waiting.until(() -> reached.get() == 1);
        long best = Long.MAX_VALUE;
        for (int attempt = 0; attempt < ATTEMPTS && best >= MILLIS_MAX; attempt++) {
            long fetches = plugin.metrics().fetches.sum();
            best = Math.min(best, Waiting.millisUntilInterrupted(() -> plugin.fetchLogSegment(second.metadata(), 0),
                    () -> plugin.metrics().fetches.sum() > fetches));
        }
        assertTrue(best < MILLIS_MAX, best + " ms");
        reader.interrupt();
        reader.join();
    }

    @Test
    void a_delete_whose_caller_has_left_does_not_hold_up_the_next() throws Exception {
        TestSegment first = copied();
        TestSegment second = copied();
        fake.fault = stalling("DeleteObjects", Server.SILENT, 0);
        Waiting.millisUntilInterrupted(() -> deleted(first), () -> reached.get() == 1);
        fake.fault = (request, exchange) -> false;
        long begun = System.nanoTime();
        deleted(second);
        // Much less than the time-out of the first request, 30 s.
        assertTrue(System.nanoTime() - begun < 10_000_000_000L);
    }

    @Test
    void a_delete_that_is_interrupted_does_not_end_the_request_of_others() throws Exception {
        CountDownLatch firstMayEnd = new CountDownLatch(1);
        CountDownLatch secondMayEnd = new CountDownLatch(1);
        TestSegment first = copied();
        TestSegment second = copied();
        TestSegment third = copied();
        fake.fault = (request, exchange) -> {
            if (request.operation().equals("DeleteObjects")) {
                (reached.incrementAndGet() == 1 ? firstMayEnd : secondMayEnd).await();
            }
            return false;
        };
        List<CompletableFuture<Void>> others = new ArrayList<>();
        others.add(CompletableFuture.runAsync(() -> assertDoesNotThrow(() -> deleted(first))));
        Waiting.until(() -> reached.get() == 1);
        // These two share the next request.
        others.add(CompletableFuture.runAsync(() -> assertDoesNotThrow(() -> deleted(second))));
        CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS).execute(firstMayEnd::countDown);
        Waiting.millisUntilInterrupted(() -> deleted(third), () -> reached.get() == 2);
        secondMayEnd.countDown();
        for (CompletableFuture<Void> other : others) {
            other.get(20, TimeUnit.SECONDS);
        }
        assertFalse(fake.objects.containsKey(second.logKey()));
    }

    private Void deleted(TestSegment segment) throws Exception {
        plugin.deleteLogSegmentData(segment.metadata());
        return null;
    }

    private long attempt(Kind kind, Server server) throws Exception {
        fake.fault = (request, exchange) -> false;
        int before = reached.get();
        Callable<?> call = prepared(kind);
        fake.fault = stalling(kind.operation, server, kind == Kind.READ ? Block.BYTES : 0);
        return Waiting.millisUntilInterrupted(call, () -> reached.get() > before);
    }

    /** A call whose request the server has not seen before, so nothing of it is in memory. */
    private Callable<?> prepared(Kind kind) throws Exception {
        TestSegment segment = switch (kind) {
            case COPY -> segment(12 * MIB);
            case COPY_OF_INDEXES -> segment(6 * MIB);
            case COPY_BY_REFERENCE -> named(segment(MIB));
            default -> copied();
        };
        return switch (kind) {
            case COPY, COPY_OF_INDEXES, COPY_BY_REFERENCE -> () -> plugin.copyLogSegmentData(segment.metadata(), segment.data);
            case OPEN -> () -> plugin.fetchLogSegment(segment.metadata(), 0);
            case READ -> () -> {
                try (InputStream stream = plugin.fetchLogSegment(segment.metadata(), 0)) {
                    return stream.readAllBytes();
                }
            };
            case INDEX -> () -> plugin.fetchIndex(segment.metadata(), IndexType.OFFSET);
            case DELETE -> () -> deleted(segment);
        };
    }

    private TestSegment segment(int bytes) throws IOException {
        nextOffset += 1_000_000;
        return TestSegment.write(folder, nextOffset, bytes);
    }

    private TestSegment copied() throws Exception {
        TestSegment segment = segment(3 * Block.BYTES);
        return segment.copied(plugin.copyLogSegmentData(segment.metadata(), segment.data));
    }

    /** The segment's file has the attribute that a volume of Forebay has. */
    private TestSegment named(TestSegment segment) {
        try {
            UserDefinedFileAttributeView view = Files.getFileAttributeView(segment.log, UserDefinedFileAttributeView.class);
            view.write("forebay.source", ByteBuffer.wrap("TOKEN".getBytes(StandardCharsets.US_ASCII)));
        } catch (IOException | UnsupportedOperationException | NullPointerException absent) {
            Assumptions.abort("the file system has no extended attributes: " + absent);
        }
        return segment;
    }

    /** Bodies are stopped after so many bytes. */
    private FakeS3.Fault stalling(String operation, Server server, int bytesBefore) {
        return (request, exchange) -> {
            if (!request.operation().equals(operation)) {
                return false;
            }
            if (request.key().isEmpty() || !operation.startsWith("Get")) {
                stall(exchange, server, operation.equals("UploadPart"));
            } else {
                stallAnswer(exchange, server, request, bytesBefore);
            }
            return true;
        };
    }

    /** Requests that send something. If their body is large, it is not read to its end. */
    private void stall(HttpExchange exchange, Server server, boolean large) throws IOException, InterruptedException {
        InputStream body = exchange.getRequestBody();
        if (!large) {
            body.readAllBytes();
        }
        switch (server) {
            case SILENT -> waitForTheEnd();
            case SLOW -> {
                if (large) {
                    reached.incrementAndGet();
                    while (body.read() >= 0) {
                        Thread.sleep(DRIBBLE_MILLIS);
                    }
                } else {
                    dribble(exchange, 200);
                }
            }
            case STOPS_IN_THE_BODY -> {
                if (large) {
                    body.readNBytes(MIB);
                } else {
                    exchange.sendResponseHeaders(200, 1000);
                    exchange.getResponseBody().write("<".getBytes(StandardCharsets.UTF_8));
                    exchange.getResponseBody().flush();
                }
                waitForTheEnd();
            }
        }
    }

    private void stallAnswer(HttpExchange exchange, Server server, FakeS3.Request request, int bytesBefore) throws IOException, InterruptedException {
        if (server == Server.SILENT && bytesBefore == 0) {
            waitForTheEnd();
            return;
        }
        FakeS3.Stored stored = fake.objects.get(request.key());
        stored.metadata().forEach((name, value) -> exchange.getResponseHeaders().set("x-amz-meta-" + name, value));
        String[] ends = request.range().substring("bytes=".length()).split("-");
        int first = Integer.parseInt(ends[0]);
        int end = Math.min(stored.bytes().length, Integer.parseInt(ends[1]) + 1);
        exchange.getResponseHeaders().set("Content-Range", "bytes " + first + "-" + (end - 1) + "/" + stored.bytes().length);
        exchange.sendResponseHeaders(206, end - first);
        exchange.getResponseBody().write(stored.bytes(), first, bytesBefore);
        exchange.getResponseBody().flush();
        if (server == Server.SLOW) {
            reached.incrementAndGet();
            for (int at = first + bytesBefore; at < end; at++) {
                exchange.getResponseBody().write(stored.bytes(), at, 1);
                exchange.getResponseBody().flush();
                Thread.sleep(DRIBBLE_MILLIS);
            }
            return;
        }
        if (server == Server.STOPS_IN_THE_BODY) {
            exchange.getResponseBody().write(stored.bytes(), first + bytesBefore, 100);
            exchange.getResponseBody().flush();
        }
        waitForTheEnd();
    }

    private void dribble(HttpExchange exchange, int status) throws IOException, InterruptedException {
        exchange.sendResponseHeaders(status, 100_000);
        reached.incrementAndGet();
        for (int sent = 0; sent < 100_000; sent++) {
            exchange.getResponseBody().write(' ');
            exchange.getResponseBody().flush();
            Thread.sleep(DRIBBLE_MILLIS);
        }
    }

    /** Until the server is closed, which interrupts its threads. */
    private void waitForTheEnd() throws InterruptedException {
        reached.incrementAndGet();
        Thread.sleep(STALL_MILLIS);
    }
}
