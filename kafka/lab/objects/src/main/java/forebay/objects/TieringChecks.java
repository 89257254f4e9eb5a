package forebay.objects;

import java.util.Random;

/** Several brokers tier at the same time: each archives segments, fetches ranges of earlier ones, and deletes the oldest. */
final class TieringChecks {
    private static final int SEGMENT_MIB = 4;
    private static final int FETCHES = 6;
    private static final int KEPT = 3;

    private TieringChecks() {}

    static void run(Store store, Sizes sizes) throws InterruptedException {
        Workers.run(sizes.threads(), sizes.threads(), broker -> broker(store, broker, sizes.tiered()));
    }

    private static void broker(Store store, int broker, int count) {
        Random random = new Random(broker);
        for (int segment = 0; segment < count; segment++) {
            store.put(key(broker, segment, "log"), log(broker, segment));
            store.put(key(broker, segment, "index"), index(broker, segment));
            for (int fetch = 0; fetch < FETCHES; fetch++) {
                int earlier = segment - random.nextInt(Math.min(KEPT, segment + 1));
                Content content = log(broker, earlier);
                long offset = random.nextLong(content.length() - Sizes.MIB);
                store.range(key(broker, earlier, "log"), "bytes=%d-%d".formatted(offset, offset + Sizes.MIB - 1), content, offset, Sizes.MIB);
            }
            store.get(key(broker, segment, "index"), index(broker, segment));
            if (segment >= KEPT) {
                store.delete(key(broker, segment - KEPT, "log"));
                store.delete(key(broker, segment - KEPT, "index"));
                store.absent("a segment whose retention has ended is gone", key(broker, segment - KEPT, "log"));
            }
        }
        for (int segment = Math.max(0, count - KEPT); segment < count; segment++) {
            store.get(key(broker, segment, "log"), log(broker, segment));
        }
    }

    private static String key(int broker, int segment, String ending) {
        return "tiering/%02d/%020d.%s".formatted(broker, segment, ending);
    }

    private static Content log(int broker, int segment) {
        return new Content(7000 + broker * 1000L + segment, (long) SEGMENT_MIB * Sizes.MIB - segment);
    }

    private static Content index(int broker, int segment) {
        return new Content(-7000 - broker * 1000L - segment, 4096 + segment);
    }
}
