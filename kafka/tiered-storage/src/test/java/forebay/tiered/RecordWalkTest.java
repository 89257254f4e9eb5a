package forebay.tiered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordWalkTest {
    @TempDir
    Path folder;

    private static String walk(byte[] bytes, long first, long last, int step) {
        RecordWalk walk = new RecordWalk(first, last);
        for (int at = 0; at < bytes.length; at += step) {
            walk.update(bytes, at, Math.min(step, bytes.length - at));
        }
        return walk.finish();
    }

    @Test
    void whole_segments_pass_however_their_bytes_arrive() throws Exception {
        TestSegment segment = TestSegment.write(folder, 500, 200_000);
        for (int step : new int[] {1, 7, 61, 4096, 1 << 20}) {
            assertNull(walk(segment.bytes, 500, segment.endOffset, step), "in steps of " + step);
        }
        assertNull(walk(new byte[0], 0, 10, 1));
    }

    @Test
    void a_flipped_bit_is_found_wherever_it_is_covered() throws Exception {
        TestSegment segment = TestSegment.write(folder, 500, 100_000);
        Random random = new Random(1);
        for (int round = 0; round < 300; round++) {
            int at = random.nextInt(segment.bytes.length);
            byte[] flipped = segment.bytes.clone();
            flipped[at] ^= (byte) (1 << random.nextInt(8));
            // The leader epoch is not covered, since leaders write it, nor are the bits of offsets that stay in order.
            ByteBuffer whole = ByteBuffer.wrap(segment.bytes);
            int batch = 0;
            while (batch + 12 + whole.getInt(batch + 8) <= at) {
                batch += 12 + whole.getInt(batch + 8);
            }
            if (at - batch >= 16 || at - batch >= 8 && at - batch < 12) {
                assertNotNull(walk(flipped, 500, segment.endOffset, 4096), "a bit at " + at + ", " + (at - batch) + " into its batch");
            }
        }
    }

    @Test
    void a_torn_tail_is_found() throws Exception {
        TestSegment segment = TestSegment.write(folder, 500, 50_000);
        for (int cut : new int[] {1, 10, 17, 60, 61, 62}) {
            String damage = walk(Arrays.copyOf(segment.bytes, segment.bytes.length - cut), 500, segment.endOffset, 4096);
            assertTrue(damage.contains("ends within the batch"), damage);
        }
        byte[] zeros = Arrays.copyOf(segment.bytes, segment.bytes.length + 100);
        assertNotNull(walk(zeros, 500, segment.endOffset, 4096));
    }

    @Test
    void offsets_outside_what_was_named_are_found() throws Exception {
        TestSegment segment = TestSegment.write(folder, 500, 50_000);
        assertNotNull(walk(segment.bytes, 501, segment.endOffset, 4096));
        assertNotNull(walk(segment.bytes, 500, segment.endOffset - 1, 4096));
        byte[] twice = Arrays.copyOf(segment.bytes, segment.bytes.length * 2);
        System.arraycopy(segment.bytes, 0, twice, segment.bytes.length, segment.bytes.length);
        String damage = walk(twice, 500, segment.endOffset, 4096);
        assertTrue(damage.contains("not within") && damage.contains("position " + segment.bytes.length), damage);
    }

    @Test
    void batches_of_old_formats_are_checked_too() {
        for (byte magic : new byte[] {RecordBatch.MAGIC_VALUE_V0, RecordBatch.MAGIC_VALUE_V1}) {
            MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(4096), magic, Compression.NONE, TimestampType.CREATE_TIME, 10);
            builder.append(1L, "k".getBytes(), "one".getBytes());
            builder.append(2L, "k".getBytes(), "two".getBytes());
            MemoryRecords records = builder.build();
            byte[] bytes = new byte[records.sizeInBytes()];
            records.buffer().duplicate().get(bytes);
            assertNull(walk(bytes, 10, 11, 5), "magic " + magic);
            bytes[bytes.length - 1] ^= 1;
            assertNotNull(walk(bytes, 10, 11, 5), "magic " + magic);
        }
    }

    @Test
    void sizes_that_cannot_be_are_found() throws Exception {
        TestSegment segment = TestSegment.write(folder, 500, 50_000);
        for (int size : new int[] {0, -1, Integer.MIN_VALUE, 48}) {
            byte[] wrong = segment.bytes.clone();
            ByteBuffer.wrap(wrong).putInt(8, size);
            assertNotNull(walk(wrong, 500, segment.endOffset, 4096), "size " + size);
        }
        byte[] magic = segment.bytes.clone();
        magic[16] = 3;
        assertEquals("the batch has magic 3, at position 0 of the segment (offsets 500 to " + segment.endOffset + ")", walk(magic, 500, segment.endOffset, 4096));
    }
}
