package forebay.tiered;

import java.util.concurrent.CompletableFuture;

/** A piece of an object, which is in memory or on its way to it. */
final class Block {
    /** Every block of an object has this size, except the last. */
    static final int BYTES = 256 << 10;

    /** Which block: objects are equal if their keys are. */
    record Id(String key, int index) {}

    private final Id id;
    private final CompletableFuture<byte[]> bytes = new CompletableFuture<>();
    /** How many streams read it. This and the next two are guarded by the {@link BlockMemory}. */
    int readers;
    /** Whether an array was taken for its bytes. */
    boolean hasArray;
    /** Whether it was evicted: no new reader finds it. */
    boolean isGone;

    Block(Id id) {
        this.id = id;
    }

    Id id() {
        return id;
    }

    /** Ends with the bytes, or with the failure of the request. */
    CompletableFuture<byte[]> bytes() {
        return bytes;
    }

    /** The bytes of a block that is there. A reader has them until it releases the block. */
    byte[] array() {
        return bytes.join();
    }

    boolean isLoading() {
        return !bytes.isDone();
    }

    static int count(int size) {
        return (int) (((long) size + BYTES - 1) / BYTES);
    }
}
