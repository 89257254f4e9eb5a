package forebay.workload;

import java.util.Locale;

/** A part of a run. */
enum Phase {
    /** Nothing of it counts. */
    WARMUP,
    /** Consumers rest until the backlog is as large as it should be. */
    BUILD,
    /** Consumers catch up. */
    DRAIN,
    /** All is as it will go on. */
    STEADY;

    /** Its name in results. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
