package forebay.tiered;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;

/**
 * What is known of a copied segment: where its indexes are in the object, and checksums. Kafka keeps it as custom metadata, and
 * the {@code .indexes} object as user metadata.
 *
 * <p>Encoded, big-endian: "Fb", version 1, the kind of the log's checksum, its value (8 bytes), the log's size (4), and for each
 * index, in the order of {@link IndexType}, its size (4; -1 if there is none) and CRC-32C (4). That is 56 bytes.
 *
 * @param kind of the log's checksum
 * @param sizes of the indexes, -1 for one that does not exist
 * @param checksums CRC-32C of the indexes
 */
record SegmentFacts(Kind kind, long logChecksum, int logSize, int[] sizes, int[] checksums) {
    /** What the log's checksum is. */
    enum Kind { NONE, CRC32C, CRC64NVME }

    static final int BYTES = 56;
    private static final byte VERSION = 1;
    private static final int INDEXES = IndexType.values().length;

    SegmentFacts {
        if (sizes.length != INDEXES || checksums.length != INDEXES) {
            throw new IllegalArgumentException("a segment has " + INDEXES + " indexes");
        }
    }

    boolean has(IndexType type) {
        return sizes[type.ordinal()] >= 0;
    }

    int size(IndexType type) {
        return sizes[type.ordinal()];
    }

    int checksum(IndexType type) {
        return checksums[type.ordinal()];
    }

    /** Where the index begins in the object. */
    int offset(IndexType type) {
        return Arrays.stream(sizes, 0, type.ordinal()).map(size -> Math.max(0, size)).sum();
    }

    /** Size of the object with the indexes. */
    int total() {
        return Arrays.stream(sizes).map(size -> Math.max(0, size)).sum();
    }

    byte[] encode() {
        ByteBuffer out = ByteBuffer.allocate(BYTES);
        out.put((byte) 'F').put((byte) 'b').put(VERSION).put((byte) kind.ordinal()).putLong(logChecksum).putInt(logSize);
        for (int index = 0; index < INDEXES; index++) {
            out.putInt(sizes[index]).putInt(checksums[index]);
        }
        return out.array();
    }

    String encodeText() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(encode());
    }

    /** Empty if these bytes are not ours, or of a version that this release does not know. */
    static Optional<SegmentFacts> decode(byte[] bytes) {
        if (bytes.length != BYTES || bytes[0] != 'F' || bytes[1] != 'b' || bytes[2] != VERSION || bytes[3] < 0 || bytes[3] >= Kind.values().length) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(bytes, 3, BYTES - 3);
        Kind kind = Kind.values()[in.get()];
        long logChecksum = in.getLong();
        int logSize = in.getInt();
        int[] sizes = new int[INDEXES];
        int[] checksums = new int[INDEXES];
        long total = 0;
        for (int index = 0; index < INDEXES; index++) {
            sizes[index] = in.getInt();
            checksums[index] = in.getInt();
            total += Math.max(0, sizes[index]);
        }
        boolean possible = logSize >= 0 && Arrays.stream(sizes).allMatch(size -> size >= -1) && total <= Integer.MAX_VALUE;
        return possible ? Optional.of(new SegmentFacts(kind, logChecksum, logSize, sizes, checksums)) : Optional.empty();
    }

    static Optional<SegmentFacts> decodeText(String text) {
        try {
            return text == null ? Optional.empty() : decode(Base64.getUrlDecoder().decode(text));
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }
}
