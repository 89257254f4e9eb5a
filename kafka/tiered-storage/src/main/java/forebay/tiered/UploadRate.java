package forebay.tiered;

import java.time.Duration;

/** Limits the bytes per second of all uploads of a broker. Bursts are at most a tenth of a second's bytes. */
final class UploadRate {
    private static final long SECOND = 1_000_000_000;
    private static final long BURST = SECOND / 10;

    private final long bytesPerSecond;
    /** When the next byte may be sent. */
    private long next = System.nanoTime();

    /** A limit of 0 is none. */
    UploadRate(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Waits until these bytes may be sent. Fails when the current call ends. */
    void take(int bytes) throws CallEndedException {
        if (bytesPerSecond == 0) {
            return;
        }
        long wait;
        synchronized (this) {
            long now = System.nanoTime();
            if (next - (now - BURST) < 0) {
                next = now - BURST;
            }
            next += bytes * SECOND / bytesPerSecond;
            wait = next - now;
        }
        Call call = Call.current();
        if (wait > 0 && call != null) {
            call.sleep(Duration.ofNanos(wait));
        }
    }
}
