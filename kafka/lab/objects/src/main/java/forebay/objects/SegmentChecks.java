package forebay.objects;

import java.util.Map;
import java.util.Random;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;

/** Log segments and their indexes: put, head, get, ranges. */
final class SegmentChecks {
    private static final int MIB = Sizes.MIB;
    private static final Map<String, String> METADATA = Map.of("broker", "1", "base-offset", "00000000000000170101");

    private SegmentChecks() {}

    static void run(Store store, Sizes sizes) {
        Random random = new Random(1);
        long seed = 1000;
        for (int mib : sizes.segments()) {
            seed++;
            segment(store, "segments/%05d.log".formatted(seed), new Content(seed, (long) mib * MIB - 7), sizes.ranges(), random);
        }
        // An offset index, a short time index, and an index of transactions without an entry.
        for (int bytes : new int[] {10 << 10, 1, 0}) {
            seed++;
            object(store, "segments/%05d.index".formatted(seed), new Content(seed, bytes));
        }
        store.refused("a key that was never put is not found", 404, "NoSuchKey",
                () -> store.client().getObjectAsBytes(request -> request.bucket(store.bucket()).key("segments/never")));
    }

    private static void object(Store store, String key, Content content) {
        PutObjectResponse put = store.put(key, content, request -> request.contentType("application/x-log").metadata(METADATA));
        HeadObjectResponse head = store.head(key);
        if (put != null && head != null) {
            Cases cases = store.cases();
            cases.equal(store.group(), "head has the length", content.length(), head.contentLength());
            cases.equal(store.group(), "head has the ETag of the put", put.eTag(), head.eTag());
            cases.equal(store.group(), "head has the content type", "application/x-log", head.contentType());
            cases.equal(store.group(), "head has the metadata", METADATA, head.metadata());
        }
        store.get(key, content);
    }

    private static void segment(Store store, String key, Content content, int ranges, Random random) {
        object(store, key, content);
        long length = content.length();
        store.range(key, "bytes=0-0", content, 0, 1);
        store.range(key, "bytes=-1", content, length - 1, 1);
        store.range(key, "bytes=%d-".formatted(length - 5000), content, length - 5000, 5000);
        store.range(key, "bytes=%d-%d".formatted(length - 100, length + 100_000), content, length - 100, 100);
        store.refused("a range behind the end is refused", 416, "InvalidRange", () -> store.client()
                .getObjectAsBytes(request -> request.bucket(store.bucket()).key(key).range("bytes=%d-".formatted(length))));
        for (int i = 0; i < ranges; i++) {
            long count = Math.min(MIB, length / 2);
            long offset = random.nextLong(length - count + 1);
            store.range(key, "bytes=%d-%d".formatted(offset, offset + count - 1), content, offset, count);
        }
    }
}
