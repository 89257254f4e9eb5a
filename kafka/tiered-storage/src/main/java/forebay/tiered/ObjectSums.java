package forebay.tiered;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;

/** Reads whole objects and compares their checksums with those of the copy. */
final class ObjectSums {
    private static final int BUFFER = 256 << 10;
    private static final Duration TIMEOUT = Duration.ofHours(1);

    private ObjectSums() {}

    /** What is wrong with a segment, or null. */
    static String log(ObjectStore store, Call call, String key, SegmentFacts facts) throws IOException {
        if (facts.kind() == SegmentFacts.Kind.NONE) {
            return null;
        }
        long sum = store.request(call, "GetObject " + key, TIMEOUT, client -> {
            Checksum checksum = facts.kind() == SegmentFacts.Kind.CRC32C ? new CRC32C() : new Crc64Nvme();
            try (InputStream in = client.getObject(get -> get.bucket(store.bucket()).key(key))) {
                update(checksum, in, Long.MAX_VALUE);
            }
            return checksum.getValue();
        });
        return sum == facts.logChecksum() ? null : facts.kind() + " " + Long.toHexString(sum) + " instead of " + Long.toHexString(facts.logChecksum());
    }

    /** What is wrong with the indexes, or null. */
    static String indexes(ObjectStore store, Call call, String key, SegmentFacts facts) throws IOException {
        return store.request(call, "GetObject " + key, TIMEOUT, client -> {
            try (InputStream in = client.getObject(get -> get.bucket(store.bucket()).key(key))) {
                for (IndexType type : IndexType.values()) {
                    CRC32C checksum = new CRC32C();
                    update(checksum, in, Math.max(0, facts.size(type)));
                    if (facts.has(type) && (int) checksum.getValue() != facts.checksum(type)) {
                        return "the index " + type + " has a wrong CRC-32C";
                    }
                }
            }
            return null;
        });
    }

    private static void update(Checksum checksum, InputStream in, long limit) throws IOException {
        byte[] buffer = new byte[BUFFER];
        for (long left = limit; left > 0; ) {
            int count = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (count < 0) {
                return;
            }
            checksum.update(buffer, 0, count);
            left -= count;
        }
    }
}
