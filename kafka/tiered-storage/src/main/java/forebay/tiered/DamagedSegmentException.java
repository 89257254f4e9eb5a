package forebay.tiered;

import java.io.IOException;

/** The record batches of a segment are not what the producer sent. The local segment may be the last copy, so it stays. */
final class DamagedSegmentException extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedSegmentException(String message) {
        super(message);
    }
}
