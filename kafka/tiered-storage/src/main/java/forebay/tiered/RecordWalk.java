package forebay.tiered;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * Walks the record batches of a segment while its bytes pass, and notes the first thing that is wrong: a checksum, an
 * offset outside what was named or not above the one before, a size that cannot be, or an end within a batch.
 *
 * <p>A batch begins with its base offset (8 bytes) and the length of what follows (4); byte 16 is its magic in all
 * versions. In version 2 a CRC-32C (4) covers everything after itself, and the last offset is the base offset plus a
 * delta. In versions 0 and 1 a CRC-32 stands before the magic and covers what follows; the offset is that of the last
 * record.
 */
final class RecordWalk {
    private static final int LENGTH_AT = 8;
    private static final int LOG_OVERHEAD = 12;
    private static final int OLD_CRC_AT = 12;
    private static final int MAGIC_AT = 16;
    private static final int CRC_AT = 17;
    private static final int COVERED_FROM = 21;
    private static final int LAST_DELTA_AT = 23;
    private static final int HEADER = 61;
    private static final int OLD_HEADER = 17;

    private final long firstAllowed;
    private final long lastAllowed;
    private final ByteBuffer header = ByteBuffer.allocate(HEADER);
    /** Position in the segment at which the current batch begins. */
    private long batchAt;
    /** Bytes of the current batch that are still to come, once its header is known. */
    private long left;
    private Checksum checksum;
    private long expected;
    private long above;
    private String wrong;

    RecordWalk(long firstAllowed, long lastAllowed) {
        this.firstAllowed = firstAllowed;
        this.lastAllowed = lastAllowed;
        this.above = firstAllowed - 1;
    }

    /** The next bytes of the segment. */
    void update(byte[] bytes, int offset, int length) {
        int at = offset;
        int end = offset + length;
        while (at < end && wrong == null) {
            if (left == 0) {
                at += takeHeader(bytes, at, end);
            } else {
                int count = (int) Math.min(left, end - at);
                checksum.update(bytes, at, count);
                at += count;
                left -= count;
                endOfBatch();
            }
        }
    }

    /** The end of the segment. Returns what is wrong, or null. */
    String finish() {
        if (wrong == null && (left > 0 || header.position() > 0)) {
            wrong = "the segment ends within the batch at position " + batchAt;
        }
        return wrong;
    }

    private int takeHeader(byte[] bytes, int at, int end) {
        int wanted = header.position() < OLD_HEADER ? OLD_HEADER : HEADER;
        int count = Math.min(wanted - header.position(), end - at);
        header.put(bytes, at, count);
        if (header.position() == OLD_HEADER) {
            if (header.get(MAGIC_AT) < 0 || header.get(MAGIC_AT) > 2) {
                note("the batch has magic " + header.get(MAGIC_AT));
            } else if (header.get(MAGIC_AT) < 2) {
                begin(OLD_HEADER, header.getLong(0), new CRC32(), header.getInt(OLD_CRC_AT), MAGIC_AT);
            }
        } else if (header.position() == HEADER) {
            long last = header.getLong(0) + header.getInt(LAST_DELTA_AT);
            if (last < header.getLong(0)) {
                note("the batch has a last offset below its first");
            } else {
                begin(HEADER, last, new CRC32C(), header.getInt(CRC_AT), COVERED_FROM);
            }
        }
        return count;
    }

    private void begin(int headerBytes, long last, Checksum covering, int crc, int coveredFrom) {
        long first = header.getLong(0);
        long size = (long) header.getInt(LENGTH_AT) + LOG_OVERHEAD;
        if (size < headerBytes) {
            note("the batch has a size of " + size + " bytes");
        } else if (first <= above || last > lastAllowed) {
            note("the batch has offsets " + first + " to " + last + ", which are not within " + (above + 1) + " to " + lastAllowed);
        } else {
            above = last;
            checksum = covering;
            expected = Integer.toUnsignedLong(crc);
            checksum.update(header.array(), coveredFrom, headerBytes - coveredFrom);
            left = size - headerBytes;
            if (left == 0) {
                endOfBatch();
            }
        }
    }

    private void endOfBatch() {
        if (left > 0) {
            return;
        }
        if (checksum.getValue() != expected) {
            note("the batch has a wrong checksum");
            return;
        }
        batchAt += header.getInt(LENGTH_AT) + LOG_OVERHEAD;
        header.clear();
    }

    private void note(String what) {
        wrong = what + ", at position " + batchAt + " of the segment (offsets " + firstAllowed + " to " + lastAllowed + ")";
    }
}
