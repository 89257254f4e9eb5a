package forebay.records;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

class GapsTest {
    private static final long MS = 1_000_000;

    @Test
    void eachPartitionHasItsLongestGapAlsoOneThatLasts() {
        Gaps gaps = new Gaps(2, 0);
        gaps.acknowledged(0, 100 * MS);
        gaps.acknowledged(0, 700 * MS);
        gaps.acknowledged(1, 50 * MS);
        assertArrayEquals(new long[] {600, 950}, gaps.takeMs(1000 * MS));
        // The gap of partition 1 goes on: it counts from its beginning.
        gaps.acknowledged(0, 1100 * MS);
        gaps.acknowledged(1, 2050 * MS);
        assertArrayEquals(new long[] {1000, 2000}, gaps.takeMs(2100 * MS));
        assertArrayEquals(new long[] {1050, 100}, gaps.takeMs(2150 * MS));
    }
}
