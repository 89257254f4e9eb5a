package forebay.objects;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/** Work that several threads share. */
final class Workers {
    private Workers() {}

    /** Does the work for every index below {@code count}, with so many threads. The first failure ends it, and is thrown. */
    static void run(int threads, int count, IntConsumer work) throws InterruptedException {
        AtomicInteger next = new AtomicInteger();
        AtomicReference<RuntimeException> failure = new AtomicReference<>();
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            all[i] = new Thread(() -> {
                for (int index = next.getAndIncrement(); index < count && failure.get() == null; index = next.getAndIncrement()) {
                    try {
                        work.accept(index);
                    } catch (RuntimeException e) {
                        failure.compareAndSet(null, e);
                    }
                }
            });
            all[i].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        if (failure.get() != null) {
            throw failure.get();
        }
    }
}
