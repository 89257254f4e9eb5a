package forebay.tiered;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * One call of the broker, or one task of the plugin: its deadline, and the requests that it has under way, so that
 * another thread can end it. The thread that works on a call cannot be stopped by an interrupt while it waits for a
 * socket; aborting its request does stop it.
 */
final class Call {
    private static final ThreadLocal<Call> CURRENT = new ThreadLocal<>();

    private final String name;
    private final long deadline;
    private final Set<Runnable> aborts = new HashSet<>();
    private String abandoned;

    Call(String name, Duration timeout) {
        this.name = name;
        this.deadline = System.nanoTime() + timeout.toNanos();
    }

    /** The call on which this thread works, or null. */
    static Call current() {
        return CURRENT.get();
    }

    /** Makes this the call of the thread, until the result is run. */
    Runnable enter() {
        Call before = CURRENT.get();
        CURRENT.set(this);
        return () -> {
            if (before == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(before);
            }
        };
    }

    String name() {
        return name;
    }

    /** How much time is left; at least nothing. */
    Duration left() {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    /** Ends what the call does, for this reason. Later requests of the call fail. */
    void abandon(String reason) {
        Runnable[] pending;
        synchronized (this) {
            if (abandoned == null) {
                abandoned = reason;
            }
            pending = aborts.toArray(Runnable[]::new);
            aborts.clear();
        }
        for (Runnable abort : pending) {
            abort.run();
        }
    }

    /** Fails if the call was abandoned or its time is over. */
    void check() throws CallEndedException {
        String reason = reason();
        if (reason != null) {
            throw new CallEndedException(name + ": " + reason);
        }
        if (left().isZero()) {
            throw new CallEndedException(name + ": its time is over");
        }
    }

    private synchronized String reason() {
        return abandoned;
    }

    /** Registers how to end what the call does next. If the call was abandoned, it is ended at once. */
    void onAbandon(Runnable abort) {
        synchronized (this) {
            if (abandoned == null) {
                aborts.add(abort);
                return;
            }
        }
        abort.run();
    }

    synchronized void forget(Runnable abort) {
        aborts.remove(abort);
    }

    /** Waits, but not beyond the deadline or the end of the call. */
    void sleep(Duration time) throws CallEndedException {
        Object bell = new Object();
        Runnable ring = () -> {
            synchronized (bell) {
                bell.notifyAll();
            }
        };
        long until = System.nanoTime() + Math.min(time.toNanos(), left().toNanos());
        onAbandon(ring);
        try {
            synchronized (bell) {
                for (long wait = until - System.nanoTime(); wait > 0 && reason() == null; wait = until - System.nanoTime()) {
                    bell.wait(wait / 1_000_000, (int) (wait % 1_000_000));
                }
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new CallEndedException(name + ": interrupted");
        } finally {
            forget(ring);
        }
        check();
    }
}
