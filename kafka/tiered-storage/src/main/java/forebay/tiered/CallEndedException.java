package forebay.tiered;

import java.io.IOException;

/** A call was interrupted, or reached its deadline, or the plugin was closed. */
final class CallEndedException extends IOException {
    private static final long serialVersionUID = 1L;

    CallEndedException(String message) {
        super(message);
    }
}
