package forebay.tiered;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32C;

/**
 * An index whose checksum is compared when it ends. Kafka writes an index to a temporary file first, so it does not
 * use one that fails here.
 */
final class IndexStream extends FilterInputStream {
    private final CRC32C checksum = new CRC32C();
    private final String name;
    private final int expected;

    IndexStream(InputStream in, String name, int expected) {
        super(in);
        this.name = name;
        this.expected = expected;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = super.read(bytes, offset, length);
        if (count > 0) {
            checksum.update(bytes, offset, count);
        } else if (count < 0 && (int) checksum.getValue() != expected) {
            throw new IOException(name + ": the index has a wrong checksum; the object was changed after it was stored");
        }
        return count;
    }

    @Override
    public long skip(long count) throws IOException {
        // Bytes that are skipped are part of the checksum.
        byte[] skipped = new byte[(int) Math.max(0, Math.min(count, 8192))];
        return Math.max(0, read(skipped, 0, skipped.length));
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
