package forebay.tiered;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads as Kafka does them: how many bytes they ask for, what they share, and how they end. */
class FetchTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private FakeS3 fake;
    private ForebayRemoteStorageManager plugin;

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

    private TestSegment copied(long offset, int bytes) throws Exception {
        TestSegment segment = TestSegment.write(folder, offset, bytes);
        return segment.copied(plugin.copyLogSegmentData(segment.metadata(), segment.data));
    }

    /** A fetch of Kafka: a header in small reads, then up to a limit, and close. Returns how far it came. */
    private int fetch(TestSegment segment, int position, int bytes) throws Exception {
        try (InputStream in = plugin.fetchLogSegment(segment.metadata(), position)) {
            byte[] read = new byte[Math.min(bytes, segment.bytes.length - position)];
            int have = in.readNBytes(read, 0, Math.min(17, read.length));
            have += in.readNBytes(read, have, read.length - have);
            assertEquals(read.length, have);
            assertArrayEquals(Arrays.copyOfRange(segment.bytes, position, position + have), read);
            return position + have;
        }
    }

    private long asked() {
        return fake.requests("GetObject").stream().filter(each -> each.key().endsWith(".log")).mapToLong(each -> {
            String[] ends = each.range().substring("bytes=".length()).split("-");
            return Long.parseLong(ends[1]) - Long.parseLong(ends[0]) + 1;
        }).sum();
    }

    @Test
    void a_random_fetch_asks_for_at_most_twice_what_it_takes() throws Exception {
        TestSegment segment = copied(100, 40 * MIB);
        Random random = new Random(3);
        for (int round = 0; round < 8; round++) {
            // Far from each other, and never where another stopped.
            int position = round * 5 * MIB + random.nextInt(MIB);
            long before = asked();
            fetch(segment, position, MIB);
            assertTrue(asked() - before <= 2 * MIB, (asked() - before) + " bytes for a fetch at " + position);
        }
    }

    @Test
    void sequential_fetches_ask_for_little_more_than_they_take() throws Exception {
        TestSegment segment = copied(100, 24 * MIB);
        // Kafka's last batch is cut, so the next fetch begins a little before.
        for (int position = 0; position < segment.bytes.length - 1; ) {
            position = fetch(segment, Math.max(0, position - 15_000), MIB);
        }
        assertTrue(asked() <= segment.bytes.length * 1.15, asked() + " bytes for " + segment.bytes.length);
        assertTrue(fake.requests("GetObject").size() <= 12, fake.requests("GetObject").size() + " requests");
        assertTrue(plugin.metrics().readAheadBytes.sum() > 0);
    }

    @Test
    void two_readers_of_the_same_bytes_share_one_request() throws Exception {
        TestSegment segment = copied(100, 3 * MIB);
        ExecutorService threads = Executors.newFixedThreadPool(8);
        CountDownLatch together = new CountDownLatch(8);
        fake.fault = (request, exchange) -> {
            if (request.operation().equals("GetObject")) {
                // All readers are there before the first byte is.
                together.await(10, TimeUnit.SECONDS);
            }
            return false;
        };
        List<Future<Integer>> readers = new ArrayList<>();
        for (int reader = 0; reader < 8; reader++) {
            readers.add(threads.submit(() -> {
                together.countDown();
                return fetch(segment, 0, MIB);
            }));
        }
        for (Future<Integer> reader : readers) {
            reader.get();
        }
        threads.shutdown();
        assertEquals(1, fake.requests("GetObject").size());
    }

    @Test
    void the_request_of_an_interrupted_reader_is_there_for_its_retry() throws Exception {
        TestSegment segment = copied(100, 3 * MIB);
        CountDownLatch answer = new CountDownLatch(1);
        fake.fault = (request, exchange) -> {
            if (request.operation().equals("GetObject")) {
                answer.await(30, TimeUnit.SECONDS);
            }
            return false;
        };
        long millis = Waiting.millisUntilInterrupted(() -> plugin.fetchLogSegment(segment.metadata(), 0), () -> plugin.metrics().fetches.sum() == 1);
        assertTrue(millis < 1000, millis + " ms");
        answer.countDown();
        Waiting.until(() -> plugin.metrics().fetchedBytes.sum() >= MIB);
        fetch(segment, 0, MIB);
        assertEquals(1, fake.requests("GetObject").size());
    }

    @Test
    void a_reader_finds_the_beginning_of_the_next_segment_in_memory() throws Exception {
        TestSegment first = copied(100, 6 * MIB);
        TestSegment second = copied(first.endOffset + 1, 3 * MIB);
        // Another attempt to copy a segment behind it must not confuse this.
        for (int position = 0; position < first.bytes.length - 1; ) {
            position = fetch(first, position, MIB);
        }
        Waiting.until(() -> fake.requests("GetObject").stream().anyMatch(each -> each.key().equals(second.logKey())));
        Waiting.until(() -> fake.requests("GetObject").stream().anyMatch(each -> each.key().equals(second.indexesKey())));
        int before = fake.requests("GetObject").size();
        assertArrayEquals(second.index(IndexType.OFFSET), plugin.fetchIndex(second.metadata(), IndexType.OFFSET).readAllBytes());
        try (InputStream in = plugin.fetchLogSegment(second.metadata(), 0)) {
            assertArrayEquals(Arrays.copyOf(second.bytes, 100_000), in.readNBytes(100_000));
        }
        assertEquals(before, fake.requests("GetObject").stream().filter(each -> !each.key().equals(second.logKey()) || each.range().startsWith("bytes=0-")).count(),
                "the beginning was asked for again");
    }

    @Test
    void memory_is_bounded_with_many_readers() throws Exception {
        plugin.close();
        plugin = Plugins.start(fake, folder, "fetch.memory.bytes", String.valueOf(4 * MIB));
        TestSegment segment = copied(100, 16 * MIB);
        ExecutorService threads = Executors.newFixedThreadPool(20);
        List<Future<?>> readers = new ArrayList<>();
        for (int reader = 0; reader < 20; reader++) {
            int seed = reader;
            readers.add(threads.submit(() -> {
                Random random = new Random(seed);
                for (int round = 0; round < 5; round++) {
                    fetch(segment, random.nextInt(15 * MIB), MIB);
                    assertTrue((long) plugin.metrics().getAttribute("FetchMemoryBytes") <= 4 * MIB);
                }
                return null;
            }));
        }
        for (Future<?> reader : readers) {
            reader.get();
        }
        threads.shutdown();
    }

    @Test
    void streams_that_are_not_closed_keep_no_memory_of_others() throws Exception {
        plugin.close();
        plugin = Plugins.start(fake, folder, "fetch.memory.bytes", String.valueOf(4 * MIB));
        TestSegment segment = copied(100, 8 * MIB);
        List<InputStream> leaked = new ArrayList<>();
        for (int round = 0; round < 40; round++) {
            InputStream stream = plugin.fetchLogSegment(segment.metadata(), round * 200_000);
            assertEquals(segment.bytes[round * 200_000] & 0xff, stream.read());
            leaked.add(stream);
        }
        fetch(segment, 0, MIB);
    }

    @Test
    void a_slow_reader_keeps_its_bytes_while_others_take_the_memory() throws Exception {
        plugin.close();
        plugin = Plugins.start(fake, folder, "fetch.memory.bytes", String.valueOf(4 * MIB));
        TestSegment segment = copied(100, 16 * MIB);
        byte[] slow = new byte[Block.BYTES];
        try (InputStream in = plugin.fetchLogSegment(segment.metadata(), 0)) {
            int have = in.readNBytes(slow, 0, 1000);
            for (int position = MIB; position < 16 * MIB; position += MIB) {
                fetch(segment, position, MIB);
            }
            in.readNBytes(slow, have, slow.length - have);
        }
        assertArrayEquals(Arrays.copyOf(segment.bytes, slow.length), slow);
    }

    @Test
    void the_arrays_of_blocks_that_are_gone_are_used_again() {
        BlockMemory memory = new BlockMemory(2L * Block.BYTES);
        StoredObject object = new StoredObject("id", "key", 10 * Block.BYTES);
        Block first = loaded(memory, object, 0);
        Block second = loaded(memory, object, 1);
        byte[] firstArray = first.array();
        byte[] secondArray = second.array();
        memory.release(second);
        // The first is gone for new readers, and is read by an old one.
        Block third = loaded(memory, object, 2);
        assertTrue(third.array() != firstArray && third.array() != secondArray);
        memory.release(first);
        Block fourth = loaded(memory, object, 3);
        assertTrue(fourth.array() == secondArray || fourth.array() == firstArray);
        Block again = loaded(memory, object, 0);
        assertTrue(again.array() != fourth.array() && again.array() != third.array());
    }

    private static Block loaded(BlockMemory memory, StoredObject object, int index) {
        BlockMemory.Taken taken = memory.take(object, index, 1);
        taken.block().bytes().complete(memory.array(taken.block(), Block.BYTES));
        memory.loaded();
        return taken.block();
    }

    @Test
    void a_stream_may_be_closed_by_another_thread_while_it_is_read() throws Exception {
        plugin.close();
        plugin = Plugins.start(fake, folder, "fetch.memory.bytes", String.valueOf(4 * MIB));
        TestSegment segment = copied(100, 8 * MIB);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        for (int round = 0; round < 30; round++) {
            InputStream in = plugin.fetchLogSegment(segment.metadata(), 0);
            Future<?> reader = thread.submit(() -> {
                byte[] read = new byte[segment.bytes.length];
                int have = 0;
                try {
                    for (int count; (count = in.read(read, have, Math.min(20_000, read.length - have))) > 0; ) {
                        have += count;
                    }
                } catch (IOException closed) {
                    assertTrue(closed.getMessage().contains("is closed"), closed.getMessage());
                }
                assertArrayEquals(Arrays.copyOf(segment.bytes, have), Arrays.copyOf(read, have));
            });
            Thread.sleep(round % 5);
            in.close();
            fetch(segment, (round % 7) * MIB, MIB);
            reader.get();
        }
        thread.shutdown();
    }

    @Test
    void an_index_that_was_changed_in_the_bucket_fails_at_its_end() throws Exception {
        TestSegment segment = copied(100, MIB);
        fake.objects.get(segment.indexesKey()).bytes()[3] ^= 1;
        InputStream stream = plugin.fetchIndex(segment.metadata(), IndexType.OFFSET);
        assertTrue(assertThrows(IOException.class, stream::readAllBytes).getMessage().contains("wrong checksum"));
    }

    @Test
    void deletes_at_the_same_time_share_requests() throws Exception {
        List<TestSegment> segments = new ArrayList<>();
        for (int index = 0; index < 20; index++) {
            segments.add(copied(1000L * (index + 1), 1000));
        }
        fake.fault = (request, exchange) -> {
            if (request.operation().equals("DeleteObjects")) {
                Thread.sleep(300);
            }
            return false;
        };
        ExecutorService threads = Executors.newFixedThreadPool(20);
        List<Future<?>> deletes = new ArrayList<>();
        for (TestSegment segment : segments) {
            RemoteLogSegmentMetadata metadata = segment.metadata();
            deletes.add(threads.submit(() -> {
                plugin.deleteLogSegmentData(metadata);
                return null;
            }));
        }
        for (Future<?> delete : deletes) {
            delete.get();
        }
        threads.shutdown();
        assertTrue(fake.objects.isEmpty());
        assertTrue(fake.requests("DeleteObjects").size() < 10, fake.requests("DeleteObjects").size() + " requests");
    }
}
