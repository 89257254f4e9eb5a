package forebay.workload;

import java.util.concurrent.atomic.AtomicLong;

/**
 * When messages should be sent: evenly, one every {@code 1 / rate} seconds, from all senders together. A pace never changes; another
 * rate is another pace.
 */
final class Pace {
    private static final double NANOSECONDS = 1e9;

    private final double perSecond;
    private final long begun;
    private final AtomicLong next = new AtomicLong();

    /**
     * Begins now.
     *
     * @param perSecond messages per second, above 0
     */
    Pace(double perSecond, long nowNs) {
        if (!(perSecond > 0) || Double.isInfinite(perSecond)) {
            throw new IllegalArgumentException("a pace of " + perSecond + " messages per second");
        }
        this.perSecond = perSecond;
        this.begun = nowNs;
    }

    double perSecond() {
        return perSecond;
    }

    /** How many messages should have been sent by now, and were not asked for. */
    long due(long nowNs) {
        return Math.max(0, (long) ((nowNs - begun) / NANOSECONDS * perSecond) - next.get());
    }

    /** The time, of {@link System#nanoTime}, at which the next message should be sent. Each call is for another message. */
    long next() {
        return begun + (long) (next.getAndIncrement() * (NANOSECONDS / perSecond));
    }
}
