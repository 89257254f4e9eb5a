package forebay.tiered;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import javax.management.JMException;
import javax.management.ObjectName;
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

/**
 * How much memory the plugin takes while 20 segments are copied and 50 readers read, with default settings. Segments are uploaded, which takes more memory than a
 * copy by reference.
 *
 * <p>The memory is what lives on the heap after a collection, and in direct buffers, above what lived there before the plugin was configured. Threads and buffers
 * of this program are there from the beginning, so they do not count. Arguments: the endpoint, the bucket, the file with the credentials, a folder, and the
 * seconds. Exit status: 0 all is well, 4 the memory was too much or a call failed.
 */
final class MemoryCheck {
    private static final int COPIES = 20;
    private static final int READERS = 50;
    private static final long MIB = 1 << 20;
    private static final long MIB_MAX = 96;
    private static final int SEGMENT_BYTES = 160 << 20;
    private static final int RECORD_BYTES = 64 << 10;
    private static final int STORED_SEGMENTS = 12;
    private static final int PARTITION_FETCH_BYTES = 1 << 20;
    private static final int READ_BYTES = 16 << 10;
    private static final long SAMPLE_MILLIS = 5_000;
    private static final int INDEX_EVERY = 10;
    private static final int FAILED = 4;

    private final CountDownLatch begin = new CountDownLatch(1);
    private final AtomicBoolean over = new AtomicBoolean();
    private final LongAdder copied = new LongAdder();
    private final LongAdder fetched = new LongAdder();
    private final LongAdder readBytes = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final List<RemoteLogSegmentMetadata> stored = new ArrayList<>();
    private final ForebayRemoteStorageManager plugin = new ForebayRemoteStorageManager();
    private final LogSegmentData data;
    private final long lastOffset;

    private MemoryCheck(Path folder) throws IOException {
        Path log = folder.resolve("segment.log");
        lastOffset = write(log);
        byte[] index = new byte[512 << 10];
        new Random(7).nextBytes(index);
        data = new LogSegmentData(log, Files.write(folder.resolve("segment.index"), index), Files.write(folder.resolve("segment.timeindex"), index),
                Optional.empty(), Files.write(folder.resolve("segment.snapshot"), new byte[100]), ByteBuffer.wrap(new byte[20]));
    }

    /** Called by scripts/check-tier-memory. */
    public static void main(String[] words) throws Exception {
        Map<String, Object> settings = new HashMap<>(Map.of("broker.id", 1, "endpoint", words[0], "bucket", words[1], "credentials.file", words[2],
                "reference", "never"));
        MemoryCheck check = new MemoryCheck(Path.of(words[3]));
        System.exit(check.run(settings, Integer.parseInt(words[4])) ? 0 : FAILED);
    }

    private static long write(Path log) throws IOException {
        byte[] value = new byte[RECORD_BYTES];
        Random random = new Random(1);
        long offset = 0;
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(log))) {
            for (long written = 0; written < SEGMENT_BYTES; offset++) {
                random.nextBytes(value);
                MemoryRecords records = MemoryRecords.withRecords(offset, Compression.NONE, new SimpleRecord(offset, value));
                out.write(records.buffer().array(), 0, records.sizeInBytes());
                written += records.sizeInBytes();
            }
        }
        return offset - 1;
    }

    private boolean run(Map<String, Object> settings, int seconds) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < COPIES; number++) {
            threads.add(new Thread(() -> work(this::copyAndDelete), "copy-" + number));
        }
        for (int number = 0; number < READERS; number++) {
            Reader reader = new Reader(number);
            threads.add(new Thread(() -> work(reader::fetch), "reader-" + number));
        }
        threads.forEach(Thread::start);
        // Loads what is part of Kafka and of this program.
        sample();
        long heapBefore = liveHeap();
        long directBefore = direct();
        plugin.configure(settings);
        for (int segment = 0; segment < STORED_SEGMENTS; segment++) {
            stored.add(copy());
        }
        long heapMax = 0;
        long directMax = 0;
        long sumMax = 0;
        begin.countDown();
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        for (int samples = 1; System.nanoTime() < end; samples++) {
            Thread.sleep(SAMPLE_MILLIS);
            long heap = liveHeap() - heapBefore;
            long direct = direct() - directBefore;
            heapMax = Math.max(heapMax, heap);
            directMax = Math.max(directMax, direct);
            sumMax = Math.max(sumMax, heap + direct);
            if (samples % 6 == 1) {
                System.out.printf("%4d s: heap %.1f MiB, direct buffers %.1f MiB, %d segments copied, %d fetches, %d failures%n", samples * SAMPLE_MILLIS / 1000,
                        mebibytes(heap), mebibytes(direct), copied.sum(), fetched.sum(), failures.sum());
            }
        }
        over.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        long errors = plugin.metrics().errorsCaught.sum();
        long peak = ManagementFactory.getMemoryPoolMXBeans().stream().filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getPeakUsage).mapToLong(usage -> usage.getUsed()).sum();
        System.out.printf("the plugin took at most %.1f MiB: heap %.1f MiB, direct buffers %.1f MiB; the limit is %d MiB%n", mebibytes(sumMax), mebibytes(heapMax),
                mebibytes(directMax), MIB_MAX);
        System.out.printf("the whole heap had %.1f MiB before, and with garbage at most %.1f of %.1f MiB%n", mebibytes(heapBefore), mebibytes(peak),
                mebibytes(Runtime.getRuntime().maxMemory()));
        System.out.printf("%d segments of %d MiB copied, %d fetches of %d MiB in all, %d failures, %d errors of the Java runtime%n", copied.sum(),
                SEGMENT_BYTES / MIB, fetched.sum(), readBytes.sum() / MIB, failures.sum(), errors);
        plugin.close();
        return sumMax <= MIB_MAX * MIB && failures.sum() == 0 && errors == 0 && copied.sum() >= COPIES && fetched.sum() >= READERS;
    }

    /** What a thread does again and again. */
    private interface Step {
        void run() throws Exception;
    }

    private void work(Step step) {
        try {
            begin.await();
        } catch (InterruptedException interrupt) {
            return;
        }
        while (!over.get()) {
            try {
                step.run();
            } catch (Throwable failure) {
                failures.increment();
                if (failures.sum() <= 3) {
                    failure.printStackTrace();
                }
            }
        }
    }

    private void copyAndDelete() throws Exception {
        RemoteLogSegmentMetadata metadata = copy();
        copied.increment();
        plugin.deleteLogSegmentData(metadata);
    }

    private RemoteLogSegmentMetadata copy() throws Exception {
        TopicIdPartition partition = new TopicIdPartition(Uuid.randomUuid(), new TopicPartition("topic", 0));
        RemoteLogSegmentMetadata metadata = new RemoteLogSegmentMetadata(new RemoteLogSegmentId(partition, Uuid.randomUuid()), 0, lastOffset, 1L, 1, 1L,
                (int) Files.size(data.logSegment()), Map.of(0, 0L));
        Optional<CustomMetadata> custom = plugin.copyLogSegmentData(metadata, data);
        return metadata.createWithUpdates(
                new RemoteLogSegmentMetadataUpdate(metadata.remoteLogSegmentId(), 2L, custom, RemoteLogSegmentState.COPY_SEGMENT_FINISHED, 1));
    }

    /** Reads as Kafka does: a header in a small read, then up to the limit, and close. Half of them go on where they stopped; the others jump. */
    private final class Reader {
        private final byte[] buffer = new byte[READ_BYTES];
        private final Random random;
        private final boolean sequential;
        private int segment;
        private int position;
        private int fetches;

        Reader(int number) {
            random = new Random(number);
            sequential = number % 2 == 0;
            segment = number % STORED_SEGMENTS;
            position = random.nextInt(SEGMENT_BYTES);
        }

        void fetch() throws Exception {
            if (!sequential || position >= SEGMENT_BYTES) {
                segment = random.nextInt(STORED_SEGMENTS);
                position = sequential ? 0 : random.nextInt(SEGMENT_BYTES);
            }
            RemoteLogSegmentMetadata metadata = stored.get(segment);
            if (fetches++ % INDEX_EVERY == 0) {
                try (InputStream index = plugin.fetchIndex(metadata, IndexType.OFFSET)) {
                    drain(index, Integer.MAX_VALUE);
                }
            }
            try (InputStream stream = plugin.fetchLogSegment(metadata, position)) {
                readBytes.add(stream.readNBytes(buffer, 0, 17));
                position += drain(stream, PARTITION_FETCH_BYTES);
            }
            fetched.increment();
        }

        private int drain(InputStream stream, int bytesMax) throws IOException {
            int read = 0;
            while (read < bytesMax) {
                int count = stream.read(buffer, 0, Math.min(buffer.length, bytesMax - read));
                if (count < 0) {
                    break;
                }
                read += count;
            }
            readBytes.add(read);
            return read;
        }
    }

    private static void sample() throws JMException {
        liveHeap();
        direct();
    }

    /** What lives on the heap, counted by the Java virtual machine right after a collection. */
    private static long liveHeap() throws JMException {
        String histogram = (String) ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram", new Object[] {null}, new String[] {String[].class.getName()});
        String total = histogram.substring(histogram.lastIndexOf("Total")).strip();
        return Long.parseLong(total.split("\\s+")[2]);
    }

    private static long direct() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream().filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }

    private static double mebibytes(long bytes) {
        return (double) bytes / MIB;
    }
}
