package forebay.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PaceTest {
    @Test
    void messagesAreSpreadEvenlyAlsoWhenNanosecondsDoNotDivide() {
        Pace pace = new Pace(3_000_000, 1000);
        assertEquals(1000, pace.next());
        assertEquals(1333, pace.next());
        assertEquals(1666, pace.next());
        assertEquals(2000, pace.next());
        assertThrows(IllegalArgumentException.class, () -> new Pace(0, 0));
    }

    /** A cluster that takes 50,000 messages per second, and hands them on as fast. */
    @Test
    void searchFindsWhatIsSustained() {
        RateSearch search = new RateSearch();
        double rate = 10_000;
        double sent = 0;
        double reached = 0;
        for (int period = 0; period < 200; period++) {
            double sentNow = Math.min(rate, 50_000) * 3;
            sent += sentNow;
            reached = period < 100 ? 0 : reached + sentNow;
            rate = search.next(rate, 3, (long) sent, (long) sent);
        }
        assertTrue(reached / 300 > 40_000, "sustained " + reached / 300);
    }

    @Test
    void searchFallsBackWhenConsumersFallBehind() {
        RateSearch search = new RateSearch();
        assertEquals(20_000, search.next(10_000, 1, 10_000, 10_000));
        double slower = search.next(20_000, 1, 30_000, 22_000);
        assertEquals(12_000, slower);
    }

    @Test
    void keysAreNoneOrOneAfterTheOther() {
        assertEquals(null, KeyDistributor.NO_KEY.key(1));
        assertEquals(KeyDistributor.KEY_ROUND_ROBIN.key(1), KeyDistributor.KEY_ROUND_ROBIN.key(10_001));
        assertEquals(10, KeyDistributor.RANDOM_NANO.key(0).length);
    }
}
