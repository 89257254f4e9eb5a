package forebay.tiered;

import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteResourceNotFoundException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager.IndexType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Opens segments and indexes for reading, and reads ahead for readers that go through a partition from segment to segment. */
final class SegmentReads {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentReads.class);
    /** Kafka starts a little before the batch that it wants, at the nearest entry of the index. */
    private static final int BEFORE_WANTED = 64 << 10;
    private static final int AHEAD_BYTES_MAX = 8 << 20;
    private static final int REQUEST_BLOCKS_MIN = 4;
    private static final int REQUEST_BLOCKS_MAX = 16;
    private static final int INDEX_BLOCKS = 8;
    private static final int LOOKED_UP_MAX = 1024;
    private static final int NEXT_KEYS_MAX = 10;

    private final ObjectKeys keys;
    private final ObjectStore store;
    private final Settings settings;
    private final Metrics metrics;
    private final Calls calls;
    private final Fetches fetches;
    private final Readers readers = new Readers();
    private final Set<String> lookedUp = Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > LOOKED_UP_MAX;
        }
    }));

    SegmentReads(ObjectKeys keys, ObjectStore store, Settings settings, Metrics metrics, Calls calls, Fetches fetches) {
        this.keys = keys;
        this.store = store;
        this.settings = settings;
        this.metrics = metrics;
        this.calls = calls;
        this.fetches = fetches;
    }

    /** Opens a segment at a position. The end is inclusive. */
    InputStream log(RemoteLogSegmentMetadata metadata, int start, long endInclusive) throws IOException {
        if (start < 0 || endInclusive < start) {
            throw new IllegalArgumentException("there is no range from " + start + " to " + endInclusive);
        }
        int size = metadata.segmentSizeInBytes();
        if (size == 0) {
            return InputStream.nullInputStream();
        }
        StoredObject object = new StoredObject(id(metadata), keys.log(metadata), size);
        int end = (int) Math.min(size, endInclusive + 1);
        LogPlan plan = new LogPlan(metadata, object, Math.min(start, size - 1), readers.fetchesBefore(object.key(), start));
        ObjectStream stream = new ObjectStream(fetches, metrics, object, Math.min(start, size - 1), end, plan);
        // Says now whether the object exists.
        stream.fill();
        if (start >= size) {
            stream.skip(size);
        }
        return stream;
    }

    /** Opens an index. The stream compares its checksum when it ends. */
    InputStream index(RemoteLogSegmentMetadata metadata, IndexType type) throws Exception {
        Optional<SegmentFacts> known = metadata.customMetadata().flatMap(custom -> SegmentFacts.decode(custom.value()));
        SegmentFacts facts = known.isPresent() ? known.get() : calls.run("read " + keys.indexes(metadata), settings.timeout(), call -> storedFacts(call, metadata));
        if (!facts.has(type)) {
            throw new RemoteResourceNotFoundException("the segment " + metadata.remoteLogSegmentId() + " has no index of the type " + type);
        }
        int offset = facts.offset(type);
        int end = offset + facts.size(type);
        StoredObject object = new StoredObject(id(metadata), keys.indexes(metadata), facts.total());
        ObjectStream stream = new ObjectStream(fetches, metrics, object, offset, end, IndexPlan.INSTANCE);
        if (facts.total() > 0) {
            new ObjectStream(fetches, metrics, object, Math.min(offset, facts.total() - 1), end, IndexPlan.INSTANCE).fill();
        }
        return new IndexStream(stream, object.key() + ", " + type, facts.checksum(type));
    }

    /** Asks the object with the indexes, for segments whose custom metadata is not ours. */
    private SegmentFacts storedFacts(Call call, RemoteLogSegmentMetadata metadata) throws IOException {
        String key = keys.indexes(metadata);
        return store.request(call, "GetObject " + key, client -> {
            ResponseInputStream<GetObjectResponse> answer = client.getObject(get -> get.bucket(store.bucket()).key(key));
            answer.abort();
            return SegmentFacts.decodeText(answer.response().metadata().get(SegmentCopy.FACTS)).orElseThrow(() -> StoreException.wrongAnswer(
                    "GetObject " + key + ": the object does not say where its indexes are; its " + SegmentCopy.FACTS + " is missing or of a newer release"));
        });
    }

    private static String id(RemoteLogSegmentMetadata metadata) {
        return metadata.remoteLogSegmentId().id().toString();
    }

    /** A deleted segment is not read again. */
    void forget(RemoteLogSegmentMetadata metadata) {
        readers.forget(keys.log(metadata));
    }

    /** Indexes are read whole, and often several of one segment: they are loaded together. */
    private enum IndexPlan implements ObjectStream.Plan {
        INSTANCE;

        @Override
        public int blocksAt(int index) {
            return INDEX_BLOCKS;
        }

        @Override
        public void reached(int position) {
            // Nothing is read ahead.
        }

        @Override
        public void stopped(int position) {
            // Nobody goes on from there.
        }
    }

    /** A first read gets a window. A reader that goes on gets more with each request, and read-ahead. */
    private final class LogPlan implements ObjectStream.Plan {
        private final RemoteLogSegmentMetadata metadata;
        private final StoredObject object;
        private final int start;
        private final int fetchesBefore;
        private int grown = 1;

        LogPlan(RemoteLogSegmentMetadata metadata, StoredObject object, int start, int fetchesBefore) {
            this.metadata = metadata;
            this.object = object;
            this.start = start;
            this.fetchesBefore = fetchesBefore;
        }

        @Override
        public int blocksAt(int index) {
            int windowEnd = blocksUntil((long) start + settings.fetchWindowBytes() + BEFORE_WANTED);
            if (index < windowEnd) {
                return windowEnd - index;
            }
            grown = Math.min(REQUEST_BLOCKS_MAX, grown * 2);
            return grown;
        }

        @Override
        public void reached(int position) {
            boolean goesOn = fetchesBefore > 0 || position - start > 2L * settings.fetchWindowBytes();
            if (!goesOn) {
                return;
            }
            int ahead = aheadBlocks();
            int from = position / Block.BYTES + 1;
            int until = Math.min(Block.count(object.size()), from + blocks(settings.fetchWindowBytes()) + ahead);
            fetches.ahead(object, from, until, requestBlocksMin(ahead), REQUEST_BLOCKS_MAX);
            if (until >= Block.count(object.size())) {
                nextSegment();
            }
        }

        @Override
        public void stopped(int position) {
            // Nobody goes on from the end, and a stop there would count as one more reader.
            if (position < object.size()) {
                readers.stopped(object.key(), position, fetchesBefore + 1);
            }
        }

        /** How far is read ahead: further with each fetch, within this reader's share of the memory. */
        private int aheadBlocks() {
            long share = settings.fetchMemoryBytes() / 2 / readers.active();
            long ahead = Math.min(Math.min(AHEAD_BYTES_MAX, share), (long) settings.fetchWindowBytes() << Math.min(3, fetchesBefore));
            return blocks(ahead);
        }

        /** A request costs time, so it loads at least half of what is read ahead. The other half is there while it runs. */
        private int requestBlocksMin(int ahead) {
            return Math.max(REQUEST_BLOCKS_MIN, Math.min(REQUEST_BLOCKS_MAX, ahead / 2));
        }

        private int blocksUntil(long position) {
            return Block.count((int) Math.min(object.size(), position));
        }

        /** Finds the segment behind this one by its first offset, and loads its beginning and its indexes. */
        private void nextSegment() {
            if (!lookedUp.add(object.key())) {
                return;
            }
            try {
                calls.start(new Call("look for the segment behind " + object.key(), settings.timeout()), call -> {
                    loadNext(call);
                    return null;
                });
            } catch (CallEndedException busy) {
                LOG.debug("nothing is read ahead: {}", busy.getMessage());
            }
        }

        private void loadNext(Call call) {
            String prefix = keys.startingAt(metadata.topicIdPartition(), metadata.endOffset() + 1);
            try {
                List<S3Object> found = store.request(call, "ListObjects " + prefix, client ->
                        client.listObjectsV2(list -> list.bucket(store.bucket()).prefix(prefix).maxKeys(NEXT_KEYS_MAX))).contents();
                Map<String, S3Object> byKey = found.stream().collect(Collectors.toMap(S3Object::key, each -> each));
                // Several are attempts of which only Kafka knows the right one.
                if (byKey.size() != 2) {
                    return;
                }
                S3Object log = byKey.values().stream().filter(each -> each.key().endsWith(ObjectKeys.LOG)).findFirst().orElse(null);
                S3Object indexes = log == null ? null : byKey.get(log.key().replace(ObjectKeys.LOG, ObjectKeys.INDEXES));
                String id = log == null ? null : keys.parse(log.key()).map(ObjectKeys.Parsed::segmentId).orElse(null);
                if (indexes == null || id == null || log.size() > Integer.MAX_VALUE || indexes.size() > Integer.MAX_VALUE) {
                    return;
                }
                readers.stopped(log.key(), 0, fetchesBefore + 1);
                loadStart(new StoredObject(id, indexes.key(), indexes.size().intValue()), INDEX_BLOCKS);
                loadStart(new StoredObject(id, log.key(), log.size().intValue()),
                        Math.max(blocks(settings.fetchWindowBytes() + BEFORE_WANTED), Math.min(REQUEST_BLOCKS_MAX, aheadBlocks())));
            } catch (IOException failure) {
                LOG.debug("nothing is read ahead: {}", failure.getMessage());
            }
        }

        private static int blocks(long bytes) {
            return (int) ((bytes + Block.BYTES - 1) / Block.BYTES);
        }

        private void loadStart(StoredObject next, int blocks) {
            fetches.ahead(next, 0, Math.min(blocks, Block.count(next.size())), 1, blocks);
        }
    }
}
