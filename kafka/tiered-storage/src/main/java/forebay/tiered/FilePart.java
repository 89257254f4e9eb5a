package forebay.tiered;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/** The bytes of a part of a segment, read from the file as they are sent. */
final class FilePart extends InputStream {
    private static final int READ_BYTES_MAX = 64 << 10;

    private final SegmentFile file;
    private final UploadRate rate;
    private final long end;
    private long position;
    private long marked;

    FilePart(SegmentFile file, long position, long length, UploadRate rate) {
        this.file = file;
        this.rate = rate;
        this.position = position;
        this.marked = position;
        this.end = position + length;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (position == end) {
            return -1;
        }
        int wanted = (int) Math.min(Math.min(length, READ_BYTES_MAX), end - position);
        rate.take(wanted);
        int count = file.read(bytes, offset, wanted, position);
        position += count;
        return count;
    }

    @Override
    public int available() {
        return (int) Math.min(READ_BYTES_MAX, end - position);
    }

    @Override
    public boolean markSupported() {
        return true;
    }

    @Override
    public synchronized void mark(int limit) {
        marked = position;
    }

    @Override
    public synchronized void reset() {
        position = marked;
    }
}
