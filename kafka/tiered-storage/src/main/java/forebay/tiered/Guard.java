package forebay.tiered;

import java.io.IOException;
import org.apache.kafka.server.log.remote.storage.RemoteResourceNotFoundException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;

/**
 * Turns whatever is thrown into what Kafka expects. Its tasks catch Exception: an Error that reached one would end the copying of a
 * partition for good.
 */
final class Guard {
    /** Used when there is not even memory for another exception. */
    private static final RemoteStorageException LAST_RESORT = new RemoteStorageException("an error of the Java runtime ended the call; there was no memory to say which");
    private static final IOException LAST_RESORT_IN_STREAM = new IOException(LAST_RESORT.getMessage());

    private Guard() {}

    /** For the methods of the RemoteStorageManager. */
    static RemoteStorageException inCall(Metrics metrics, String what, Throwable failure) {
        try {
            count(metrics, failure);
            if (failure instanceof RemoteStorageException known) {
                return known;
            }
            if (failure instanceof StoreException answer && answer.kind() == StoreException.Kind.MISSING) {
                return new RemoteResourceNotFoundException(what + ": it does not exist: " + answer.getMessage());
            }
            String message = failure instanceof IOException && failure.getMessage() != null ? failure.getMessage() : failure.toString();
            return new RemoteStorageException(what + ": " + message, failure);
        } catch (Throwable again) {
            return LAST_RESORT;
        }
    }

    /** For the streams that they return. */
    static IOException inStream(Metrics metrics, Throwable failure) {
        try {
            count(metrics, failure);
            return failure instanceof IOException known ? known : new IOException(failure.toString(), failure);
        } catch (Throwable again) {
            return LAST_RESORT_IN_STREAM;
        }
    }

    private static void count(Metrics metrics, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof Error) {
                metrics.errorsCaught.increment();
                return;
            }
        }
    }
}
