package forebay.tiered;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.server.log.remote.storage.LogSegmentData;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata.CustomMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteResourceNotFoundException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;

/**
 * Keeps the segments of tiered topics in a bucket. Every call ends at its deadline or when its thread is interrupted, and fails with
 * RemoteStorageException, whatever was thrown.
 */
public final class ForebayRemoteStorageManager implements RemoteStorageManager {
    private static final Logger LOG = LoggerFactory.getLogger(ForebayRemoteStorageManager.class);
    private static final Duration STALE_UPLOADS_INTERVAL = Duration.ofHours(6);
    private static final Duration STALE_UPLOADS_TIMEOUT = Duration.ofMinutes(10);

    private final Metrics metrics = new Metrics();
    private final UnaryOperator<SdkHttpClient> wrapHttp;
    /** Null before configure and after close. */
    private volatile Parts parts;

    /** Made by Kafka, which calls {@link #configure} next. */
    public ForebayRemoteStorageManager() {
        this(UnaryOperator.identity());
    }

    /** For tests, which let requests fail in ways of their own. */
    ForebayRemoteStorageManager(UnaryOperator<SdkHttpClient> wrapHttp) {
        this.wrapHttp = wrapHttp;
    }

    Metrics metrics() {
        return metrics;
    }

    /** What a configured plugin consists of. */
    private record Parts(Settings settings, ObjectKeys keys, ObjectStore store, Calls calls, BlockMemory memory, SegmentCopy copy, SegmentReads reads,
            Deletes deletes, ScheduledThreadPoolExecutor upkeep) {
        void close() {
            upkeep.shutdownNow();
            calls.close();
            store.close();
            Calls.end(upkeep);
        }
    }

    @Override
    public void configure(Map<String, ?> configs) {
        if (parts != null) {
            throw new ConfigException("the plugin is configured already");
        }
        Parts made = assemble(Settings.parse(configs));
        try {
            firstRequest(made);
        } catch (Throwable failure) {
            made.close();
            throw failure;
        }
        metrics.gauge("FetchMemoryBytes", "Memory that blocks take", () -> (long) made.memory().count() * Block.BYTES);
        metrics.register(made.settings().brokerId());
        StaleUploads stale = new StaleUploads(made.keys(), made.store(), made.settings(), metrics);
        made.upkeep().scheduleWithFixedDelay(() -> abortStaleUploads(made, stale), 0, STALE_UPLOADS_INTERVAL.toSeconds(), TimeUnit.SECONDS);
        parts = made;
    }

    private Parts assemble(Settings settings) {
        String threads = "forebay-tier-" + settings.brokerId();
        ObjectKeys keys = new ObjectKeys(settings.keyPrefix());
        ObjectStore store = new ObjectStore(settings, metrics, threads, wrapHttp);
        Calls calls = new Calls(threads);
        BlockMemory memory = new BlockMemory(settings.fetchMemoryBytes());
        Fetches fetches = new Fetches(store, settings, metrics, calls, memory);
        SegmentCopy copy = new SegmentCopy(keys, settings, metrics, new ReferenceCopy(store, settings), new Upload(store, settings, metrics, calls));
        ScheduledThreadPoolExecutor upkeep = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, threads + "-upkeep");
            thread.setDaemon(true);
            return thread;
        });
        return new Parts(settings, keys, store, calls, memory, copy, new SegmentReads(keys, store, settings, metrics, calls, fetches),
                new Deletes(store, settings.timeout(), metrics, calls), upkeep);
    }

    /**
     * A refusal stops the broker's start, with a remedy. A server that cannot be reached does not: the local logs are
     * as good as before.
     */
    private static void firstRequest(Parts made) {
        try {
            made.calls().run("look at the bucket " + made.store().bucket(), made.settings().timeout(), call -> {
                ListObjectsV2Response answer = made.store().request(call, "ListObjects of the bucket " + made.store().bucket(),
                        client -> client.listObjectsV2(list -> list.bucket(made.store().bucket()).prefix(made.keys().prefix()).maxKeys(1)));
                if (answer.name() == null) {
                    throw new StoreException(StoreException.Kind.REFUSED, 200, "", "the answer to ListObjects names no bucket, so it is not that of an S3 server."
                            + " Correct rsm.config.endpoint", null);
                }
                return null;
            });
        } catch (StoreException failure) {
            if (failure.kind() == StoreException.Kind.REFUSED || failure.kind() == StoreException.Kind.MISSING) {
                throw new ConfigException("tiered storage cannot be used: " + failure.getMessage());
            }
            LOG.error("tiered storage is not reachable now, and is tried again when it is needed: {}", failure.getMessage());
        } catch (Exception failure) {
            LOG.error("tiered storage is not reachable now, and is tried again when it is needed: {}", failure.getMessage());
        }
    }

    private static void abortStaleUploads(Parts made, StaleUploads stale) {
        try {
            made.calls().run("abort stale uploads", STALE_UPLOADS_TIMEOUT, call -> {
                stale.abort(call);
                return null;
            });
        } catch (Throwable failure) {
            LOG.warn("stale uploads are looked for again in {} hours: {}", STALE_UPLOADS_INTERVAL.toHours(), String.valueOf(failure.getMessage()));
        }
    }

    @Override
    public Optional<CustomMetadata> copyLogSegmentData(RemoteLogSegmentMetadata metadata, LogSegmentData data) throws RemoteStorageException {
        try {
            Parts now = configured();
            Duration timeout = now.settings().copyTimeout(metadata.segmentSizeInBytes());
            SegmentFacts facts = now.calls().run("copy " + data.logSegment(), timeout, call -> now.copy().copy(call, metadata, data));
            metrics.copies.increment();
            return Optional.of(new CustomMetadata(facts.encode()));
        } catch (Throwable failure) {
            metrics.failedCopies.increment();
            RemoteStorageException known = Guard.inCall(metrics, "copy", failure);
            if (failure instanceof DamagedSegmentException) {
                LOG.error("{}", known.getMessage());
            }
            throw known;
        }
    }

    @Override
    public InputStream fetchLogSegment(RemoteLogSegmentMetadata metadata, int startPosition) throws RemoteStorageException {
        return opened("fetch a segment", () -> configured().reads().log(metadata, startPosition, Integer.MAX_VALUE));
    }

    @Override
    public InputStream fetchLogSegment(RemoteLogSegmentMetadata metadata, int startPosition, int endPosition) throws RemoteStorageException {
        return opened("fetch a segment", () -> configured().reads().log(metadata, startPosition, endPosition));
    }

    @Override
    public InputStream fetchIndex(RemoteLogSegmentMetadata metadata, IndexType indexType) throws RemoteStorageException {
        return opened("fetch an index", () -> configured().reads().index(metadata, indexType));
    }

    private InputStream opened(String what, Callable<InputStream> open) throws RemoteStorageException {
        try {
            metrics.fetches.increment();
            return open.call();
        } catch (Throwable failure) {
            RemoteStorageException known = Guard.inCall(metrics, what, failure);
            (known instanceof RemoteResourceNotFoundException ? metrics.missingObjects : metrics.failedFetches).increment();
            throw known;
        }
    }

    @Override
    public void deleteLogSegmentData(RemoteLogSegmentMetadata metadata) throws RemoteStorageException {
        try {
            Parts now = configured();
            List<String> keys = List.of(now.keys().log(metadata), now.keys().indexes(metadata));
            now.deletes().delete(keys);
            now.memory().forget(keys.get(0), keys.get(1));
            now.reads().forget(metadata);
            metrics.deletes.increment();
        } catch (Throwable failure) {
            metrics.failedDeletes.increment();
            throw Guard.inCall(metrics, "delete", failure);
        }
    }

    private Parts configured() throws IOException {
        Parts now = parts;
        if (now == null) {
            throw new IOException("the plugin is not configured, or is closed");
        }
        return now;
    }

    /** Ends all calls and threads. */
    @Override
    public void close() {
        Parts last = parts;
        parts = null;
        if (last != null) {
            last.close();
        }
        metrics.close();
    }
}
