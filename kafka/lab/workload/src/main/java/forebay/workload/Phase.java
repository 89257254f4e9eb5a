package forebay.workload;

import java.util.Locale;

/** A part of a run. */
enum Phase {
    /** Nothing of it counts. */
    WARMUP,
    /** Consumers rest until the backlog is as large as it should be. */
    BUILD,
    /** It is, and waits for whoever asked for that. */
    WAIT,
    /** Consumers catch up. */
    DRAIN,
    /** They have, but for what is always on its way, and what producers could not send meanwhile. Nothing of it is asked for. */
    SETTLE,
    /** All is as it will go on. */
    STEADY;

    /** Its name in results. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
