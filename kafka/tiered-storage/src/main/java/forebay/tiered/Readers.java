package forebay.tiered;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers where readers of the last while stopped, to know those that go on from there. Kafka opens a segment anew
 * for each fetch, and starts a little before the place where the last one stopped, because its last batch was cut.
 */
final class Readers {
    private static final int SEGMENTS_MAX = 1024;
    private static final int STOPS_MAX = 8;
    private static final int BEFORE_MAX = 512 << 10;
    private static final int BEHIND_MAX = Block.BYTES;
    /** A reader that takes longer begins anew: random reads should not come by chance where another stopped. */
    private static final long CONTINUES_NANOS = 10_000_000_000L;
    private static final long ACTIVE_NANOS = 5_000_000_000L;

    /** Where a reader stopped, after so many fetches in sequence. */
    private record Stop(int position, int fetches, long at) {}

    private final Map<String, Deque<Stop>> stops = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Deque<Stop>> eldest) {
            return size() > SEGMENTS_MAX;
        }
    };

    /** How many fetches in sequence lead to this one; 0 if it is not known to continue another. */
    synchronized int fetchesBefore(String key, int position) {
        Deque<Stop> known = stops.get(key);
        if (known == null) {
            return 0;
        }
        long since = System.nanoTime() - CONTINUES_NANOS;
        known.removeIf(stop -> stop.at() - since < 0);
        for (Stop stop : known) {
            if (position <= stop.position() + BEHIND_MAX && position >= stop.position() - BEFORE_MAX) {
                known.remove(stop);
                return stop.fetches();
            }
        }
        return 0;
    }

    synchronized void stopped(String key, int position, int fetches) {
        Deque<Stop> known = stops.computeIfAbsent(key, absent -> new ArrayDeque<>());
        if (known.size() == STOPS_MAX) {
            known.removeLast();
        }
        known.addFirst(new Stop(position, fetches, System.nanoTime()));
    }

    /** The number of recent sequential readers, at least one. A reader that is expected at the beginning of a segment is still counted in the one before. */
    synchronized int active() {
        long since = System.nanoTime() - ACTIVE_NANOS;
        long count = stops.values().stream().flatMap(Deque::stream).filter(stop -> stop.position() > 0 && stop.fetches() > 1 && stop.at() - since > 0).count();
        return (int) Math.max(1, count);
    }

    synchronized void forget(String key) {
        stops.remove(key);
    }
}
