package forebay.tiered;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * Reads blocks of objects. One request loads a run of blocks, and each block is handed out as soon as it is complete. Requests run in
 * threads of their own: a reader that is interrupted leaves, and its blocks still arrive.
 */
final class Fetches {
    private final ObjectStore store;
    private final Settings settings;
    private final Metrics metrics;
    private final Calls calls;
    private final BlockMemory memory;

    Fetches(ObjectStore store, Settings settings, Metrics metrics, Calls calls, BlockMemory memory) {
        this.store = store;
        this.settings = settings;
        this.metrics = metrics;
        this.calls = calls;
        this.memory = memory;
    }

    /**
     * Returns a loaded block, which the caller must {@link #release}. If the block is missing, one request loads it and the blocks
     * behind it, at most {@code countMax} in all. Waits for at most the time-out of the settings.
     */
    Block block(StoredObject object, int index, int countMax) throws IOException {
        long deadline = System.nanoTime() + settings.timeout().toNanos();
        String name = "read " + object.key();
        try {
            while (true) {
                BlockMemory.Taken taken = take(object, index, countMax, deadline, name);
                boolean shared = taken.toLoad().isEmpty();
                if (shared) {
                    metrics.sharedBlocks.increment();
                } else {
                    load(object, taken.toLoad());
                }
                Block waitedFor = taken.block();
                try {
                    waitedFor.bytes().get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                    Block there = waitedFor;
                    waitedFor = null;
                    return there;
                } catch (ExecutionException failure) {
                    // The request of another reader, which began earlier, has had its time. There may be time for one of this reader's own.
                    if (!shared || System.nanoTime() - deadline >= 0) {
                        throw failure;
                    }
                } finally {
                    if (waitedFor != null) {
                        release(waitedFor);
                    }
                }
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new CallEndedException(name + ": interrupted");
        } catch (TimeoutException late) {
            throw new CallEndedException(name + ": not done within " + settings.timeout().toMillis() + " ms. See whether the S3 server answers");
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof StoreException known) {
                // Each reader gets an exception of its own, with its own stack.
                throw new StoreException(known.kind(), known.status(), known.code(), known.getMessage(), known);
            }
            Throwable cause = failure.getCause();
            throw cause instanceof CallEndedException ? new CallEndedException(cause.getMessage()) : new IOException(cause.toString(), cause);
        }
    }

    /** Ends the use of a block. Its array may be used for other bytes afterwards. */
    void release(Block block) {
        memory.release(block);
    }

    /** The block, and what has to be loaded for it. Waits until there is memory for that. */
    private BlockMemory.Taken take(StoredObject object, int index, int countMax, long deadline, String name)
            throws InterruptedException, CallEndedException {
        BlockMemory.Taken taken = memory.take(object, index, countMax);
        while (taken == null) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new CallEndedException(name + ": no memory for it became free within " + settings.timeout().toMillis()
                        + " ms. Raise rsm.config.fetch.memory.bytes, or see why the S3 server is slow");
            }
            memory.awaitRoom(TimeUnit.NANOSECONDS.toMillis(left));
            taken = memory.take(object, index, countMax);
        }
        return taken;
    }

    /** Loads what is missing in a range of blocks, if there is memory to spare. Nobody waits for it. */
    void ahead(StoredObject object, int from, int until, int countMin, int countMax) {
        List<Block> blocks = memory.takeAhead(object, from, until, countMin, countMax);
        if (!blocks.isEmpty()) {
            metrics.readAheadBytes.add((long) blocks.size() * Block.BYTES);
            load(object, blocks);
        }
    }

    private void load(StoredObject object, List<Block> blocks) {
        Duration timeout = settings.timeout();
        try {
            calls.start(new Call("read " + object.key(), timeout), call -> {
                loadIn(call, object, blocks);
                return null;
            });
        } catch (Throwable failure) {
            fail(blocks, failure);
        }
    }

    private void loadIn(Call call, StoredObject object, List<Block> blocks) {
        try {
            Progress progress = new Progress();
            store.request(call, "GetObject " + object.key(), client -> {
                read(client, object, blocks, progress);
                return null;
            });
        } catch (Throwable failure) {
            fail(blocks, failure);
        }
    }

    /** How many blocks of a run are complete. A repeated request goes on behind them. */
    private static final class Progress {
        private int blocks;
    }

    private void read(S3Client client, StoredObject object, List<Block> blocks, Progress progress) throws IOException {
        int first = blocks.get(progress.blocks).id().index() * Block.BYTES;
        int end = (int) Math.min(object.size(), (blocks.get(blocks.size() - 1).id().index() + 1L) * Block.BYTES);
        String range = "bytes=" + first + "-" + (end - 1);
        try (ResponseInputStream<GetObjectResponse> body = client.getObject(get -> get.bucket(store.bucket()).key(object.key()).range(range))) {
            boolean whole = false;
            try {
                check(object, body.response(), first, end);
                while (progress.blocks < blocks.size()) {
                    Block block = blocks.get(progress.blocks);
                    byte[] bytes = memory.array(block, Math.min(Block.BYTES, object.size() - block.id().index() * Block.BYTES));
                    readFully(body, bytes, object);
                    progress.blocks++;
                    metrics.fetchedBytes.add(bytes.length);
                    block.bytes().complete(bytes);
                    memory.loaded();
                }
                whole = true;
            } finally {
                if (!whole) {
                    // Otherwise the SDK would read what is left, to keep the connection.
                    body.abort();
                }
            }
        }
    }

    private static void readFully(InputStream body, byte[] bytes, StoredObject object) throws IOException {
        int have = body.readNBytes(bytes, 0, bytes.length);
        if (have < bytes.length) {
            throw StoreException.wrongAnswer("GetObject " + object.key() + ": the body ended early");
        }
    }

    /** The answer must be about this object, and about the range that was asked for. */
    private static void check(StoredObject object, GetObjectResponse answer, int first, int end) throws StoreException {
        String expected = "bytes " + first + "-" + (end - 1) + "/" + object.size();
        if (!expected.equals(answer.contentRange())) {
            throw StoreException.wrongAnswer("GetObject " + object.key() + ": the answer has the range " + answer.contentRange() + " instead of " + expected
                    + ". Either the object is not what was stored, or something else than an S3 server answers");
        }
        if (!object.segmentId().equals(answer.metadata().get(SegmentCopy.SEGMENT))) {
            throw StoreException.wrongAnswer("GetObject " + object.key() + ": the answer has the bytes of another object; its "
                    + SegmentCopy.SEGMENT + " is " + answer.metadata().get(SegmentCopy.SEGMENT));
        }
    }

    private void fail(List<Block> blocks, Throwable failure) {
        for (Block block : blocks) {
            if (block.isLoading()) {
                memory.failed(block);
                block.bytes().completeExceptionally(failure);
            }
        }
    }
}
