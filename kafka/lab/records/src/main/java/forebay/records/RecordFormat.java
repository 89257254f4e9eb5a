package forebay.records;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The value of a record: magic, seed, sequence, payload, CRC-32C of all before it; integers big-endian.
 *
 * <p>The payload follows from seed and sequence (SplitMix64), so a reader can tell every byte without a copy, and no two
 * records share content by chance.
 */
final class RecordFormat {
    /** Bytes of a record without payload. */
    static final int OVERHEAD_BYTES = 24;

    private static final int MAGIC = 0x46425231; // "FBR1"
    private static final int CRC_BYTES = 4;

    private RecordFormat() {}

    /** What a value says about itself, once its CRC has been found right. */
    record Header(long seed, long sequence) {}

    /** The value of record {@code sequence}, {@code size} bytes long, with a payload of its own. */
    static byte[] encode(long seed, long sequence, int size) {
        return encode(seed, sequence, size, sequence, size);
    }

    /**
     * The value of record {@code sequence}, {@code size} bytes long.
     *
     * @param payload what its payload follows from, besides the seed
     * @param randomBytes how many of its bytes are random, and not zero; those that name the record count as random
     */
    static byte[] encode(long seed, long sequence, int size, long payload, int randomBytes) {
        if (size < OVERHEAD_BYTES) {
            throw new IllegalArgumentException("a record takes at least " + OVERHEAD_BYTES + " bytes, not " + size);
        }
        ByteBuffer value = ByteBuffer.allocate(size);
        value.putInt(MAGIC).putLong(seed).putLong(sequence);
        fillPayload(value, seed, payload, Math.min(randomBytes, size - CRC_BYTES));
        value.position(size - CRC_BYTES);
        value.putInt(crc(value.array(), size - CRC_BYTES));
        return value.array();
    }

    /** The header of {@code value}, or null if it is none of ours or its CRC is wrong. */
    static Header decode(byte[] value) {
        if (value == null || value.length < OVERHEAD_BYTES) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.wrap(value);
        int expected = buffer.getInt(value.length - CRC_BYTES);
        if (buffer.getInt() != MAGIC || crc(value, value.length - CRC_BYTES) != expected) {
            return null;
        }
        return new Header(buffer.getLong(), buffer.getLong());
    }

    private static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private static void fillPayload(ByteBuffer value, long seed, long payload, int end) {
        long state = mix(seed ^ mix(payload));
        while (value.position() + Long.BYTES <= end) {
            state += 0x9E3779B97F4A7C15L;
            value.putLong(mix(state));
        }
        long last = mix(state + 0x9E3779B97F4A7C15L);
        while (value.position() < end) {
            value.put((byte) last);
            last >>>= Byte.SIZE;
        }
    }

    /** The finaliser of SplitMix64. */
    static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
