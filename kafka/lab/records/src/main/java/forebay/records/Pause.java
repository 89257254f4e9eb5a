package forebay.records;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** Lets a file stop the sending of records: while it exists, none is sent. Those that were sent are answered. */
final class Pause {
    private static final long LOOK_NS = 20_000_000;

    private final Path file;

    /** @param file null for no pauses */
    Pause(Path file) {
        this.file = file;
    }

    /** Waits while the file exists. Returns how long that took, in nanoseconds. */
    long await() {
        if (file == null || !Files.exists(file)) {
            return 0;
        }
        long begun = System.nanoTime();
        while (Files.exists(file)) {
            LockSupport.parkNanos(LOOK_NS);
        }
        return System.nanoTime() - begun;
    }
}
