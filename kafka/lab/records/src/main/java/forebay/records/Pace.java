package forebay.records;

import java.util.concurrent.locks.LockSupport;

/** The times at which records are due. */
final class Pace {
    private Pace() {}

    /**
     * Waits until a record is due.
     *
     * @param startedNs when record 0 was due, by {@link System#nanoTime}
     * @param recordsPerSecond 0 is at once
     */
    static void wait(long startedNs, long sequence, int recordsPerSecond) {
        if (recordsPerSecond <= 0) {
            return;
        }
        long due = startedNs + sequence * 1_000_000_000L / recordsPerSecond;
        for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
            LockSupport.parkNanos(wait);
        }
    }
}
