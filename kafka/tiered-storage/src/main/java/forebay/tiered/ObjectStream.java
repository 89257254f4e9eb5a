package forebay.tiered;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** Reads an object, or a range of it, through blocks in memory. It keeps one block, so a stream that is never closed costs little. */
final class ObjectStream extends InputStream {
    /** How a reader goes through an object. */
    interface Plan {
        /** How many blocks to load when this one is missing. */
        int blocksAt(int index);

        /** The reader has reached this position. */
        void reached(int position);

        /** The reader has stopped there. */
        void stopped(int position);
    }

    private final Fetches fetches;
    private final Metrics metrics;
    private final StoredObject object;
    private final int end;
    private final Plan plan;
    /** The block that was read last. Whoever takes it out may use it: a thread that closes the stream cannot release what another reads. */
    private final AtomicReference<Block> held = new AtomicReference<>();
    private int position;
    private volatile boolean closed;

    /** Reads from a position, inclusive, to an end, exclusive. */
    ObjectStream(Fetches fetches, Metrics metrics, StoredObject object, int position, int end, Plan plan) {
        this.fetches = fetches;
        this.metrics = metrics;
        this.object = object;
        this.position = position;
        this.end = end;
        this.plan = plan;
    }

    /** Loads the block of the current position. */
    void fill() throws IOException {
        putBack(takeBlock());
    }

    private Block takeBlock() throws IOException {
        int index = position / Block.BYTES;
        Block last = held.getAndSet(null);
        if (last != null && last.id().index() == index) {
            return last;
        }
        if (last != null) {
            fetches.release(last);
        }
        Block next = fetches.block(object, index, plan.blocksAt(index));
        plan.reached(position);
        return next;
    }

    private void putBack(Block block) {
        held.set(block);
        if (closed) {
            release();
        }
    }

    private void release() {
        Block last = held.getAndSet(null);
        if (last != null) {
            fetches.release(last);
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (closed) {
            throw new IOException("the stream of " + object.key() + " is closed");
        }
        if (length == 0) {
            return 0;
        }
        if (position >= end) {
            return -1;
        }
        try {
            Block block = takeBlock();
            int within = position % Block.BYTES;
            int count = Math.min(length, Math.min(block.array().length - within, end - position));
            System.arraycopy(block.array(), within, bytes, offset, count);
            putBack(block);
            position += count;
            metrics.readBytes.add(count);
            return count;
        } catch (Throwable failure) {
            release();
            metrics.failedFetches.increment();
            throw Guard.inStream(metrics, failure);
        }
    }

    @Override
    public long skip(long count) {
        int skipped = (int) Math.max(0, Math.min(count, end - position));
        position += skipped;
        return skipped;
    }

    @Override
    public int available() {
        Block last = held.get();
        boolean isHere = last != null && last.id().index() == position / Block.BYTES;
        return isHere ? Math.min(end - position, last.array().length - position % Block.BYTES) : 0;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            release();
            plan.stopped(position);
        }
    }
}
