package forebay.objects;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Content whose every byte follows from a seed and its offset, so that any range of it can be compared without a copy.
 *
 * @param seed contents with different seeds differ from their first bytes on
 * @param length in bytes
 */
record Content(long seed, long length) {
    private static final int WORD = Long.BYTES;
    private static final int BUFFER = 64 << 10;

    /** Fills {@code target} up to {@code count} with the bytes from {@code offset} on. */
    void copy(long offset, byte[] target, int count) {
        ByteBuffer words = ByteBuffer.wrap(target).order(ByteOrder.LITTLE_ENDIAN);
        int filled = 0;
        while (filled < count) {
            long at = offset + filled;
            int within = (int) (at % WORD);
            long word = word(at / WORD);
            if (within == 0 && count - filled >= WORD) {
                words.putLong(filled, word);
                filled += WORD;
            } else {
                target[filled++] = (byte) (word >>> (8 * within));
            }
        }
    }

    /** The finalizer of SplitMix64: neighbouring inputs give unrelated outputs. */
    private long word(long index) {
        long mixed = seed * 0x9E3779B97F4A7C15L + index * 0xD1342543DE82EF95L + 1;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** All of it. */
    InputStream stream() {
        return stream(0, length);
    }

    /** A range of it. */
    InputStream stream(long offset, long count) {
        return new Reader(offset, count);
    }

    /** All of it, for small contents. */
    byte[] bytes() {
        byte[] all = new byte[Math.toIntExact(length)];
        copy(0, all, all.length);
        return all;
    }

    /**
     * Reads a stream to its end and compares it with a range.
     *
     * @return what differs, or null if nothing does
     */
    String difference(InputStream read, long offset, long count) throws IOException {
        byte[] actual = new byte[BUFFER];
        byte[] expected = new byte[BUFFER];
        long compared = 0;
        while (true) {
            int got = read.readNBytes(actual, 0, BUFFER);
            int wanted = (int) Math.min(got, count - compared);
            copy(offset + compared, expected, wanted);
            int mismatch = Arrays.mismatch(actual, 0, wanted, expected, 0, wanted);
            if (mismatch >= 0) {
                return "the byte at %,d is wrong".formatted(offset + compared + mismatch);
            }
            if (got > wanted) {
                return "there are more than the %,d bytes expected".formatted(count);
            }
            compared += got;
            if (got < BUFFER) {
                return compared == count ? null : "it ends after %,d of %,d bytes".formatted(compared, count);
            }
        }
    }

    private final class Reader extends InputStream {
        private long position;
        private final long end;

        Reader(long offset, long count) {
            this.position = offset;
            this.end = offset + count;
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int from, int count) {
            if (count == 0) {
                return 0;
            }
            int wanted = (int) Math.min(count, end - position);
            if (wanted <= 0) {
                return -1;
            }
            if (from == 0) {
                copy(position, target, wanted);
            } else {
                byte[] part = new byte[wanted];
                copy(position, part, wanted);
                System.arraycopy(part, 0, target, from, wanted);
            }
            position += wanted;
            return wanted;
        }

        @Override
        public int available() {
            return (int) Math.min(Integer.MAX_VALUE, end - position);
        }
    }
}
