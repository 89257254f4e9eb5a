package forebay.tiered;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs calls in threads of the plugin, while the thread of the broker waits: that one can be interrupted at any time,
 * and leaves at the deadline. A thread that hangs in the kernel stays until the kernel lets it go; when too many do,
 * new calls are refused.
 */
final class Calls implements AutoCloseable {
    private static final int THREADS_MAX = 256;
    private static final Duration IDLE = Duration.ofSeconds(10);
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final Set<Call> running = ConcurrentHashMap.newKeySet();
    private final ThreadPoolExecutor threads;
    private volatile boolean closed;

    Calls(String name) {
        AtomicInteger count = new AtomicInteger();
        ClassLoader loader = Calls.class.getClassLoader();
        threads = new ThreadPoolExecutor(0, THREADS_MAX, IDLE.toSeconds(), TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            thread.setContextClassLoader(loader);
            return thread;
        });
    }

    /** What a call does. */
    interface Task<T> {
        T run(Call call) throws Exception;
    }

    /**
     * Runs the task, and waits until it ends, its deadline passes, or this thread is interrupted. In the last two
     * cases it is abandoned.
     */
    <T> T run(String name, Duration timeout, Task<T> task) throws Exception {
        Call call = new Call(name, timeout);
        Future<T> result = start(call, task);
        try {
            return result.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupt) {
            call.abandon("interrupted");
            Thread.currentThread().interrupt();
            throw new CallEndedException(name + ": interrupted");
        } catch (TimeoutException late) {
            call.abandon("not done within " + timeout.toMillis() + " ms");
            throw new CallEndedException(name + ": not done within " + timeout.toMillis()
                    + " ms. See whether the S3 server answers; rsm.config.timeout.ms and rsm.config.copy.timeout.ms allow more time");
        } catch (CancellationException cancelled) {
            throw new CallEndedException(name + ": the plugin was closed");
        } catch (ExecutionException failure) {
            throw rethrown(failure.getCause());
        }
    }

    /** Begins the task, for which nobody needs to wait. Fails if the plugin is closed or too many threads are busy. */
    <T> Future<T> start(Call call, Task<T> task) throws CallEndedException {
        FutureTask<T> future = new FutureTask<>(() -> {
            Runnable leave = call.enter();
            try {
                return task.run(call);
            } finally {
                leave.run();
                running.remove(call);
            }
        });
        running.add(call);
        try {
            threads.execute(future);
        } catch (RejectedExecutionException full) {
            running.remove(call);
            throw new CallEndedException(call.name() + ": " + (closed ? "the plugin is closed"
                    : THREADS_MAX + " calls are running. See whether the file system of the log directories hangs"));
        } catch (Throwable failure) {
            running.remove(call);
            throw failure;
        }
        if (closed) {
            call.abandon("the plugin is closed");
        }
        return future;
    }

    /** The failure of the task. Errors stay errors; the caller turns them into what the broker expects. */
    static Exception rethrown(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return (Exception) cause;
    }

    /** Ends all calls and threads. A thread that hangs in the kernel is left behind as a daemon thread. */
    @Override
    public void close() {
        closed = true;
        threads.shutdown();
        running.forEach(call -> call.abandon("the plugin was closed"));
        end(threads);
    }

    /** Waits until the threads have ended, and interrupts those that take long. Keeps an interrupt of this thread for later. */
    static void end(ExecutorService threads) {
        threads.shutdown();
        boolean interrupted = Thread.interrupted();
        try {
            if (!threads.awaitTermination(CLOSING.toMillis(), TimeUnit.MILLISECONDS)) {
                threads.shutdownNow();
                threads.awaitTermination(CLOSING.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException interrupt) {
            threads.shutdownNow();
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
