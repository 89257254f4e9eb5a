package forebay.objects;

import java.util.List;
import java.util.stream.Stream;

/**
 * How much a check does.
 *
 * @param segments the sizes of log segments, in MiB
 * @param ranges how many ranges of 1 MiB are read of each segment
 * @param overwrites how often an object is replaced while it is read
 * @param partMib the size of a part
 * @param parts how many parts an upload has, besides a short one at its end
 * @param listed how many objects there are to list
 * @param threads how many threads tier at the same time
 * @param tiered how many segments each of them tiers
 */
record Sizes(List<Integer> segments, int ranges, int overwrites, int partMib, int parts, int listed, int threads, int tiered) {
    static final int MIB = 1 << 20;

    /** Seconds on a laptop. */
    static final Sizes LAPTOP = new Sizes(segments(4, 3, 2, 1), 16, 40, 8, 3, 2500, 4, 6);

    /** Minutes. */
    static final Sizes FULL = new Sizes(segments(64, 32, 16, 16), 128, 1000, 25, 20, 25_000, 16, 40);

    private static List<Integer> segments(int of1, int of4, int of16, int of64) {
        return Stream.of(List.of(1, of1), List.of(4, of4), List.of(16, of16), List.of(64, of64))
                .flatMap(pair -> Stream.generate(() -> pair.get(0)).limit(pair.get(1)))
                .toList();
    }

    /** The size of a name, or null. */
    static Sizes named(String name) {
        return switch (name) {
            case "laptop" -> LAPTOP;
            case "full" -> FULL;
            default -> null;
        };
    }
}
