package forebay.tiered;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The blocks of all readers, at most a given number. A block counts from before its request is sent. When there is no
 * room, the block that was not used for the longest time goes; one that is still loading stays.
 *
 * <p>Arrays are used again: blocks live long enough for the garbage collector to copy each several times, which took half of
 * the processor time of a fetch. The array of a block that is gone is free when its last reader has released it. If a
 * reader never does, because its stream was not closed, the garbage collector gets the array with the stream.
 */
final class BlockMemory {
    private final int blocksMax;
    private final LinkedHashMap<Block.Id, Block> blocks = new LinkedHashMap<>(64, 0.75f, true);
    private final Deque<byte[]> free = new ArrayDeque<>();
    /** Blocks that have an array, whether its bytes are there or on their way. */
    private int filled;
    private int loading;

    BlockMemory(long bytesMax) {
        this.blocksMax = (int) Math.max(1, bytesMax / Block.BYTES);
    }

    /** What a reader gets: the block it asked for, which it must release, and the blocks that it must load, which begin with that one if there are any. */
    record Taken(Block block, List<Block> toLoad) {}

    /**
     * Finds a block. If it is not there, makes room for it and for those after it that are not there either, up to a
     * number. Returns null if there is no room for one, until {@link #loaded} or {@link #failed} is called.
     */
    synchronized Taken take(StoredObject object, int index, int countMax) {
        Block found = blocks.get(new Block.Id(object.key(), index));
        List<Block> made = found != null ? List.of() : make(object, index, countMax, blocksMax - loading);
        Block block = found != null || made.isEmpty() ? found : made.get(0);
        if (block == null) {
            return null;
        }
        block.readers++;
        return new Taken(block, made);
    }

    /** Ends the use of a block by a reader that took it. */
    synchronized void release(Block block) {
        block.readers--;
        recycle(block);
    }

    /** Returns an array to load the bytes of a block into. It may contain bytes of another block. */
    byte[] array(Block block, int length) {
        byte[] found = freeArray(block, length);
        return found == null ? new byte[length] : found;
    }

    private synchronized byte[] freeArray(Block block, int length) {
        // A repeated request leaves the array of the one before to the garbage collector.
        if (!block.hasArray) {
            block.hasArray = true;
            filled++;
        }
        return length == Block.BYTES ? free.poll() : null;
    }

    /** Keeps the array of a block that is gone and that nobody reads. */
    private void recycle(Block block) {
        if (block.readers == 0 && block.isGone && !block.bytes().isCompletedExceptionally() && filled + free.size() < blocksMax) {
            byte[] array = block.array();
            if (array.length == Block.BYTES) {
                free.push(array);
            }
        }
    }

    /**
     * Makes room for blocks that no reader waits for: the first that are missing from a range, up to a number. Takes no more than
     * half of the memory, and never waits. If fewer than a least number are missing, it waits for more to be, unless
     * the object ends there: requests should not be small.
     */
    synchronized List<Block> takeAhead(StoredObject object, int from, int until, int countMin, int countMax) {
        int index = from;
        while (index < until && blocks.containsKey(new Block.Id(object.key(), index))) {
            index++;
        }
        boolean few = until - index < countMin && until < Block.count(object.size());
        return few ? List.of() : make(object, index, Math.min(until - index, countMax), blocksMax / 2 - loading);
    }

    private List<Block> make(StoredObject object, int index, int countMax, int room) {
        List<Block> made = new ArrayList<>();
        int end = Block.count(object.size());
        for (int next = index; next < end && made.size() < Math.min(countMax, room); next++) {
            Block.Id id = new Block.Id(object.key(), next);
            if (blocks.containsKey(id)) {
                break;
            }
            made.add(new Block(id));
        }
        loading += made.size();
        evict(blocksMax - made.size());
        made.forEach(block -> blocks.put(block.id(), block));
        return made;
    }

    private void evict(int keep) {
        Iterator<Map.Entry<Block.Id, Block>> oldest = blocks.entrySet().iterator();
        while (blocks.size() > keep && oldest.hasNext()) {
            Block block = oldest.next().getValue();
            if (!block.isLoading()) {
                oldest.remove();
                gone(block);
            }
        }
    }

    private void gone(Block block) {
        block.isGone = true;
        filled--;
        recycle(block);
    }

    /** A block is there. */
    synchronized void loaded() {
        loading--;
        notifyAll();
    }

    /** The request of a block failed. The block is forgotten before its readers know, so that the next one asks again. */
    synchronized void failed(Block block) {
        loading--;
        filled -= block.hasArray ? 1 : 0;
        blocks.remove(block.id(), block);
        notifyAll();
    }

    /** Waits until there may be room, or for the given time. */
    synchronized void awaitRoom(long millis) throws InterruptedException {
        if (loading >= blocksMax) {
            wait(Math.max(1, millis));
        }
    }

    /** Forgets the blocks of objects that are deleted. */
    synchronized void forget(String... keys) {
        Set<String> gone = new HashSet<>(List.of(keys));
        List<Block> deleted = blocks.values().stream().filter(block -> !block.isLoading() && gone.contains(block.id().key())).toList();
        deleted.forEach(block -> blocks.remove(block.id()));
        deleted.forEach(this::gone);
    }

    synchronized int count() {
        return blocks.size();
    }
}
