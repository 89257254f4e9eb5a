package forebay.tiered;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;

/** Waits for conditions, with a deadline. */
final class Waiting {
    private static final long SECONDS_MAX = 60;

    private Waiting() {}

    static void until(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + SECONDS_MAX * 1_000_000_000L;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "it did not happen within " + SECONDS_MAX + " s");
            Thread.sleep(5);
        }
    }

    /** Interrupts a call once a condition holds, and returns how long it took to end. It must fail as Kafka expects, with the interrupt kept. */
    static long millisUntilInterrupted(Callable<?> call, BooleanSupplier ready) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicLong ended = new AtomicLong();
        Thread thread = new Thread(() -> {
            try {
                call.call();
            } catch (Throwable thrown) {
                failure.set(thrown);
            }
            ended.set(Thread.currentThread().isInterrupted() ? System.nanoTime() : 0);
        });
        thread.start();
        until(ready);
        long begun = System.nanoTime();
        thread.interrupt();
        thread.join(SECONDS_MAX * 1000);
        assertTrue(failure.get() instanceof RemoteStorageException || failure.get() instanceof java.io.IOException, String.valueOf(failure.get()));
        assertTrue(ended.get() != 0, "the interrupt was lost");
        return (ended.get() - begun) / 1_000_000;
    }
}
