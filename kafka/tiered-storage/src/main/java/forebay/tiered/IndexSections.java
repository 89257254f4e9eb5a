package forebay.tiered;

import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.kafka.server.log.remote.storage.LogSegmentData;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;

/** The indexes of a segment, one after another in the order of {@link IndexType}, as the body of an object. */
final class IndexSections {
    private static final int BUFFER = 64 << 10;

    private final List<Section> sections;
    private final int[] sizes = new int[IndexType.values().length];
    private final int[] checksums = new int[IndexType.values().length];

    /** Reads all indexes once, for their sizes and checksums. */
    IndexSections(LogSegmentData data) throws IOException {
        sections = List.of(
                file(data.offsetIndex()),
                file(data.timeIndex()),
                file(data.producerSnapshotIndex()),
                data.transactionIndex().map(IndexSections::file).orElse(Section.ABSENT),
                memory(data.leaderEpochIndex()));
        for (int index = 0; index < sizes.length; index++) {
            measure(index);
        }
    }

    private void measure(int index) throws IOException {
        CRC32C checksum = new CRC32C();
        long size = 0;
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = sections.get(index).open()) {
            if (in == null) {
                sizes[index] = -1;
                return;
            }
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                checksum.update(buffer, 0, count);
                size += count;
            }
        }
        sizes[index] = Math.toIntExact(size);
        checksums[index] = (int) checksum.getValue();
    }

    /** All indexes, as they were measured. An index that has changed since makes the checksum of the request wrong. */
    InputStream open() throws IOException {
        List<InputStream> open = new ArrayList<>();
        for (int index = 0; index < sizes.length; index++) {
            if (sizes[index] > 0) {
                open.add(new Limited(sections.get(index), sizes[index]));
            }
        }
        return new SequenceInputStream(Collections.enumeration(open));
    }

    /** CRC-32C of all. */
    int checksum() throws IOException {
        CRC32C checksum = new CRC32C();
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = open()) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                checksum.update(buffer, 0, count);
            }
        }
        return (int) checksum.getValue();
    }

    SegmentFacts facts(SegmentFacts.Kind kind, long logChecksum, int logSize) {
        return new SegmentFacts(kind, logChecksum, logSize, sizes.clone(), checksums.clone());
    }

    /** Where the bytes of an index are. Returns null if there is no such index. */
    private interface Section {
        Section ABSENT = () -> null;

        InputStream open() throws IOException;
    }

    private static Section file(Path path) {
        return path == null ? Section.ABSENT : () -> {
            try {
                return Files.newInputStream(path);
            } catch (NoSuchFileException absent) {
                return null;
            }
        };
    }

    private static Section memory(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return () -> new java.io.ByteArrayInputStream(bytes);
    }

    /** The first bytes of a section, which is opened when it is first read. */
    private static final class Limited extends InputStream {
        private final Section section;
        private InputStream in;
        private int left;

        Limited(Section section, int left) {
            this.section = section;
            this.left = left;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (left == 0) {
                return -1;
            }
            if (in == null) {
                in = section.open();
            }
            int count = in == null ? -1 : in.read(bytes, offset, Math.min(length, left));
            if (count < 0) {
                throw new IOException("an index became shorter while it was copied");
            }
            left -= count;
            return count;
        }

        @Override
        public void close() throws IOException {
            if (in != null) {
                in.close();
            }
        }
    }
}
