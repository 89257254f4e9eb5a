package forebay.records;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.server.log.remote.storage.LogSegmentData;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentId;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;

/**
 * A segment as a broker has it: a log, which stays open, and indexes. An NFS client writes a file back when the file is closed. Each batch has
 * one record, with a value that cannot be compressed.
 */
final class LogSegment implements AutoCloseable {
    private static final int VALUE_BYTES = 64 << 10;
    private static final int INDEX_BYTES = 64 << 10;
    private static final byte MAGIC = 2;
    /** Kafka's DefaultRecordBatch: the fields before its length ends, before its checksum, and in all. */
    private static final int LENGTH_END = 12;
    private static final int CRC_AT = 17;
    private static final int HEADER_BYTES = 61;

    private final Path log;
    private final FileChannel channel;
    private final Path index;
    private final long lastOffset;
    private final RemoteLogSegmentId id =
            new RemoteLogSegmentId(new TopicIdPartition(Uuid.randomUuid(), new TopicPartition("copied", 0)), Uuid.randomUuid());

    private LogSegment(Path log, FileChannel channel, Path index, long lastOffset) {
        this.log = log;
        this.channel = channel;
        this.index = index;
        this.lastOffset = lastOffset;
    }

    /** Writes a segment of at least so many bytes, and does not sync it. */
    static LogSegment write(Path folder, long number, long bytesMin) throws IOException {
        Path log = folder.resolve("%020d.log".formatted(number));
        Random random = new Random(number);
        byte[] value = new byte[VALUE_BYTES];
        long offset = 0;
        FileChannel channel = FileChannel.open(log, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        // Not closed: that would close the channel.
        OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 20);
        for (long written = 0; written < bytesMin; offset++) {
            random.nextBytes(value);
            ByteBuffer batch = batch(offset, value);
            out.write(batch.array(), 0, batch.limit());
            written += batch.limit();
        }
        out.flush();
        random.nextBytes(value);
        Path index = Files.write(folder.resolve("%020d.index".formatted(number)), Arrays.copyOf(value, INDEX_BYTES));
        return new LogSegment(log, channel, index, offset - 1);
    }

    /** A batch of one record, in the format of Kafka's documentation. */
    static ByteBuffer batch(long offset, byte[] value) {
        ByteBuffer record = ByteBuffer.allocate(value.length + 16);
        // Attributes, differences to the batch's time and offset, no key.
        record.put(new byte[] {0, 0, 0, 1});
        putVarint(record, value.length);
        record.put(value).put((byte) 0).flip();
        ByteBuffer batch = ByteBuffer.allocate(HEADER_BYTES + 5 + record.limit());
        batch.position(HEADER_BYTES);
        putVarint(batch, record.limit());
        batch.put(record).flip();
        batch.putLong(offset).putInt(batch.limit() - LENGTH_END).putInt(0).put(MAGIC);
        batch.position(CRC_AT + Integer.BYTES);
        // No compression, one record, no idempotent producer.
        batch.putShort((short) 0).putInt(0).putLong(offset).putLong(offset).putLong(-1).putShort((short) -1).putInt(-1).putInt(1);
        CRC32C crc = new CRC32C();
        crc.update(batch.array(), CRC_AT + Integer.BYTES, batch.limit() - CRC_AT - Integer.BYTES);
        batch.putInt(CRC_AT, (int) crc.getValue());
        return batch.rewind();
    }

    private static void putVarint(ByteBuffer out, int value) {
        int left = value << 1 ^ value >> 31;
        for (; (left & ~0x7f) != 0; left >>>= 7) {
            out.put((byte) (left | 0x80));
        }
        out.put((byte) left);
    }

    Path log() {
        return log;
    }

    long bytes() throws IOException {
        return Files.size(log);
    }

    /** Makes its log durable, as a broker does when it rolls the segment. */
    void force() throws IOException {
        channel.force(true);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    void remove() throws IOException {
        close();
        Files.delete(log);
        Files.delete(index);
    }

    RemoteLogSegmentMetadata metadata() throws IOException {
        return new RemoteLogSegmentMetadata(id, 0, lastOffset, lastOffset, 1, 1, (int) bytes(), Map.of(0, 0L));
    }

    LogSegmentData data() {
        return new LogSegmentData(log, index, index, Optional.empty(), index, ByteBuffer.wrap(new byte[20]));
    }
}
