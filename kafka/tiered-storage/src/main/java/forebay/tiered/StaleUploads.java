package forebay.tiered;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.MultipartUpload;

/**
 * Aborts multipart uploads that a dead broker left behind. Several brokers share a prefix, so they are known by their age alone: an upload that is
 * older than any copy can last belongs to nobody.
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
        String keyMarker = null;
        String idMarker = null;
        do {
            String fromKey = keyMarker;
            String fromId = idMarker;
            ListMultipartUploadsResponse page = store.request(call, "ListMultipartUploads", client -> client.listMultipartUploads(
                    list -> list.bucket(store.bucket()).prefix(keys.prefix()).keyMarker(fromKey).uploadIdMarker(fromId)));
            for (MultipartUpload upload : page.uploads()) {
                if (isStale(upload)) {
                    abort(call, upload);
                }
            }
            boolean more = Boolean.TRUE.equals(page.isTruncated()) && page.nextKeyMarker() != null && !page.nextKeyMarker().equals(fromKey + "");
            keyMarker = more ? page.nextKeyMarker() : null;
            idMarker = page.nextUploadIdMarker();
        } while (keyMarker != null);
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
