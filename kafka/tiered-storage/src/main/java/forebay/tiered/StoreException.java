package forebay.tiered;

import java.io.IOException;

/** A request failed, after what may pass was repeated. The message says which object, what happened, and what to do. */
final class StoreException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What a caller can decide by. */
    enum Kind {
        /** The object does not exist. Two answers said so. */
        MISSING,
        /** The server refused the request, and would do so again. */
        REFUSED,
        /** No answer, or one that may be another the next time. */
        PASSING
    }

    private final Kind kind;
    private final int status;
    private final String code;

    StoreException(Kind kind, int status, String code, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.status = status;
        this.code = code;
    }

    /** An answer that is not what was asked for. It may be right the next time. */
    static StoreException wrongAnswer(String message) {
        return new StoreException(Kind.PASSING, 0, "", message, null);
    }

    Kind kind() {
        return kind;
    }

    /** The HTTP status, or 0 if there was no answer. */
    int status() {
        return status;
    }

    /** The error code of S3, or an empty string. */
    String code() {
        return code;
    }
}
