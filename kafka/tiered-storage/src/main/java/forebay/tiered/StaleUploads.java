package forebay.tiered;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.MultipartUpload;

/**
 * Aborts multipart uploads that a dead broker left behind. Several brokers share a prefix, so they are known by their
 * age alone: an upload that is older than any copy can last belongs to nobody.
 */
final class StaleUploads {
    private static final Logger LOG = LoggerFactory.getLogger(StaleUploads.class);
    /** For clocks that differ. */
    private static final Duration MARGIN = Duration.ofHours(1);

    private final ObjectKeys keys;
    private final ObjectStore store;
    private final Metrics metrics;
    private final Duration age;

    StaleUploads(ObjectKeys keys, ObjectStore store, Settings settings, Metrics metrics) {
        this.keys = keys;
        this.store = store;
        this.metrics = metrics;
        this.age = settings.copyTimeout(Integer.MAX_VALUE).multipliedBy(2).plus(MARGIN);
    }

    /** Lists all uploads below the prefix, and aborts those that are stale. */
    void abort(Call call) throws IOException {
        for (MultipartUpload upload : list(store, call, keys.prefix())) {
            if (isStale(upload)) {
                abort(call, upload);
            }
        }
    }

    /** All uploads below a prefix. */
    static List<MultipartUpload> list(ObjectStore store, Call call, String prefix) throws IOException {
        List<MultipartUpload> all = new ArrayList<>();
        String keyMarker = null;
        String idMarker = null;
        boolean more = true;
        while (more) {
            String fromKey = keyMarker;
            String fromId = idMarker;
            ListMultipartUploadsResponse page = store.request(call, "ListMultipartUploads", client -> client.listMultipartUploads(
                    list -> list.bucket(store.bucket()).prefix(prefix).keyMarker(fromKey).uploadIdMarker(fromId)));
            all.addAll(page.uploads());
            keyMarker = page.nextKeyMarker();
            idMarker = page.nextUploadIdMarker();
            // A server that repeats a page would be asked for ever.
            more = Boolean.TRUE.equals(page.isTruncated()) && keyMarker != null && !(keyMarker.equals(fromKey) && Objects.equals(idMarker, fromId));
        }
        return all;
    }

    private boolean isStale(MultipartUpload upload) {
        return upload.initiated() != null && upload.initiated().isBefore(Instant.now().minus(age)) && keys.parse(upload.key()).isPresent();
    }

    private void abort(Call call, MultipartUpload upload) throws IOException {
        try {
            store.request(call, "AbortMultipartUpload " + upload.key(),
                    client -> client.abortMultipartUpload(abort -> abort.bucket(store.bucket()).key(upload.key()).uploadId(upload.uploadId())));
            metrics.abortedUploads.increment();
            LOG.info("aborted the upload of {}, which a copy left behind at {}", upload.key(), upload.initiated());
        } catch (StoreException refusal) {
            if (refusal.status() != 404) {
                throw refusal;
            }
        }
    }
}
