package forebay.records;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The file that says which records the cluster acknowledged, and where each of them went.
 *
 * <p>Header: magic, seed, number of records planned, bytes per record, kind of payload, timestamp of the first record. Then 20 bytes per
 * acknowledgement: sequence, partition, offset. A torn last entry, left by a producer that was killed, is dropped when read.
 */
final class AcknowledgementLog {
    private static final long MAGIC = 0x464241434B533033L; // "FBACKS03"

    private AcknowledgementLog() {}

    /**
     * What was to be produced.
     *
     * @param firstTimestampMs the timestamp of record 0, if records have an {@link Envelope}; otherwise 0
     */
    record Plan(long seed, int records, int recordBytes, Payload payload, long firstTimestampMs) {
        /** A plan of records that have no payload in common, and no envelope. */
        Plan(long seed, int records, int recordBytes) {
            this(seed, records, recordBytes, Payload.UNIQUE, 0);
        }

        /** Whether records have a key, headers and timestamps that can be compared. */
        boolean hasEnvelopes() {
            return firstTimestampMs > 0;
        }

        /** The value of record {@code sequence}. */
        byte[] value(long sequence) {
            return payload.encode(this, sequence);
        }
    }

    /** Takes acknowledgements in any order, from any thread. */
    static final class Writer implements Closeable {
        private final DataOutputStream out;

        Writer(Path file, Plan plan) throws IOException {
            out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 1 << 16));
            out.writeLong(MAGIC);
            out.writeLong(plan.seed());
            out.writeInt(plan.records());
            out.writeInt(plan.recordBytes());
            out.writeInt(plan.payload().ordinal());
            out.writeLong(plan.firstTimestampMs());
        }

        synchronized void add(long sequence, int partition, long offset) throws IOException {
            out.writeLong(sequence);
            out.writeInt(partition);
            out.writeLong(offset);
        }

        synchronized void flush() throws IOException {
            out.flush();
        }

        @Override
        public synchronized void close() throws IOException {
            out.close();
        }
    }

    /** The acknowledgements of a finished, or killed, producer. */
    static final class Contents {
        private final Plan plan;
        private final int[] partitions;
        private final long[] offsets;
        private int acknowledged;

        private Contents(Plan plan) {
            this.plan = plan;
            this.partitions = new int[plan.records()];
            this.offsets = new long[plan.records()];
            Arrays.fill(partitions, -1);
        }

        Plan plan() {
            return plan;
        }

        int acknowledged() {
            return acknowledged;
        }

        boolean isAcknowledged(int sequence) {
            return partitions[sequence] >= 0;
        }

        int partition(int sequence) {
            return partitions[sequence];
        }

        long offset(int sequence) {
            return offsets[sequence];
        }

        private void add(Path file, long sequence, int partition, long offset) throws IOException {
            if (sequence < 0 || sequence >= plan.records() || partition < 0) {
                throw new IOException(file + " is damaged: it acknowledges record " + sequence + " of " + plan.records()
                        + " in partition " + partition);
            }
            int index = (int) sequence;
            if (isAcknowledged(index)) {
                throw new IOException(file + " is damaged: it acknowledges record " + sequence + " twice");
            }
            partitions[index] = partition;
            offsets[index] = offset;
            acknowledged++;
        }
    }

    /** Reads a log. Throws when it is not one. */
    static Contents read(Path file) throws IOException {
        return read(file, Integer.MAX_VALUE);
    }

    /** Reads the first {@code limit} acknowledgements of a log, which may still be written. Throws when it is not one. */
    static Contents read(Path file, int limit) throws IOException {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16))) {
            Contents contents = new Contents(readPlan(file, in));
            byte[] entry = new byte[Long.BYTES + Integer.BYTES + Long.BYTES];
            while (contents.acknowledged() < limit && in.readNBytes(entry, 0, entry.length) == entry.length) {
                ByteBuffer buffer = ByteBuffer.wrap(entry);
                contents.add(file, buffer.getLong(), buffer.getInt(), buffer.getLong());
            }
            return contents;
        }
    }

    private static Plan readPlan(Path file, DataInputStream in) throws IOException {
        try {
            if (in.readLong() != MAGIC) {
                throw new IOException(file + " is not a log of acknowledgements");
            }
            long seed = in.readLong();
            int records = in.readInt();
            int recordBytes = in.readInt();
            int payload = in.readInt();
            long firstTimestampMs = in.readLong();
            if (payload < 0 || payload >= Payload.values().length) {
                throw new IOException(file + " is damaged: it names payload " + payload);
            }
            Plan plan = new Plan(seed, records, recordBytes, Payload.values()[payload], firstTimestampMs);
            if (records < 0 || recordBytes < plan.payload().bytesMin()) {
                throw new IOException(file + " is damaged: its header plans " + plan);
            }
            return plan;
        } catch (EOFException e) {
            throw new IOException(file + " is not a log of acknowledgements: it ends within its header", e);
        }
    }
}
