package forebay.tiered;

import java.io.IOException;
import java.util.zip.CRC32C;

/**
 * Reads a segment once before it is sent: walks its record batches, and computes the checksums with which it is sent.
 * What the server then accepts are the bytes that were checked.
 *
 * @param checksum CRC-32C of all
 * @param parts CRC-32C of each part
 * @param damage what is wrong with the record batches, or null
 */
record SegmentCheck(int checksum, int[] parts, String damage) {
    private static final int BUFFER = 128 << 10;

    static SegmentCheck read(Call call, SegmentFile file, long size, int partBytes, RecordWalk walk) throws IOException {
        int[] parts = new int[(int) Math.max(1, (size + partBytes - 1) / partBytes)];
        CRC32C whole = new CRC32C();
        CRC32C part = new CRC32C();
        byte[] buffer = new byte[BUFFER];
        for (long position = 0; position < size; ) {
            call.check();
            long partEnd = Math.min(size, (position / partBytes + 1) * partBytes);
            int count = file.read(buffer, 0, (int) Math.min(buffer.length, partEnd - position), position);
            whole.update(buffer, 0, count);
            part.update(buffer, 0, count);
            if (walk != null) {
                walk.update(buffer, 0, count);
            }
            position += count;
            if (position == partEnd) {
                parts[(int) ((position - 1) / partBytes)] = (int) part.getValue();
                part.reset();
            }
        }
        return new SegmentCheck((int) whole.getValue(), parts, walk == null ? null : walk.finish());
    }
}
