package forebay.records;

import java.util.Arrays;

/**
 * The longest time without an acknowledgement of each partition, since that was last asked. A gap that still lasts counts with its length
 * so far. Not safe for use by several threads.
 */
final class Gaps {
    private static final long NS_PER_MS = 1_000_000;

    private final long[] lastNs;
    private final long[] longestNs;

    Gaps(int partitions, long nowNs) {
        lastNs = new long[partitions];
        longestNs = new long[partitions];
        Arrays.fill(lastNs, nowNs);
    }

    /** A record of this partition is acknowledged. */
    void acknowledged(int partition, long nowNs) {
        longestNs[partition] = Math.max(longestNs[partition], nowNs - lastNs[partition]);
        lastNs[partition] = nowNs;
    }

    /** The longest gap of each partition since the last call, in milliseconds. */
    long[] takeMs(long nowNs) {
        long[] found = new long[lastNs.length];
        for (int partition = 0; partition < found.length; partition++) {
            found[partition] = Math.max(longestNs[partition], nowNs - lastNs[partition]) / NS_PER_MS;
        }
        Arrays.fill(longestNs, 0);
        return found;
    }
}
