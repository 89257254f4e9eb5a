package forebay.tiered;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompletedPart;

/** Uploads objects from files, in parts where they are large. No part is held in memory. */
final class Upload {
    private static final Logger LOG = LoggerFactory.getLogger(Upload.class);
    private static final String BINARY = "application/octet-stream";
    private static final Duration ABORT_TIMEOUT = Duration.ofSeconds(10);

    private final ObjectStore store;
    private final Settings settings;
    private final Metrics metrics;
    private final Calls calls;
    private final UploadRate rate;

    Upload(ObjectStore store, Settings settings, Metrics metrics, Calls calls) {
        this.store = store;
        this.settings = settings;
        this.metrics = metrics;
        this.calls = calls;
        this.rate = new UploadRate(settings.uploadBytesPerSecond());
    }

    /** Uploads the first bytes of a segment, with the checksums of the check. */
    void segment(Call call, SegmentFile file, long size, SegmentCheck check, String key, Map<String, String> userMetadata) throws IOException {
        if (check.parts().length == 1) {
            object(call, key, size, check.checksum(), userMetadata, () -> new FilePart(file, 0, size, rate));
        } else {
            parts(call, file, size, check, key, userMetadata);
        }
    }

    /** Uploads an object in one request. */
    void object(Call call, String key, long size, int checksum, Map<String, String> userMetadata, ContentStreamProvider body) throws IOException {
        store.request(call, "PutObject " + key, settings.requestTimeout(size), client -> stored("PutObject " + key, client.putObject(
                put -> put.bucket(store.bucket()).key(key).contentLength(size).contentType(BINARY).metadata(userMetadata)
                        .checksumCRC32C(text(checksum)),
                RequestBody.fromContentProvider(body, size, BINARY)).eTag()));
        metrics.uploadedBytes.add(size);
    }

    private void parts(Call call, SegmentFile file, long size, SegmentCheck check, String key, Map<String, String> userMetadata) throws IOException {
        String id = store.request(call, "CreateMultipartUpload " + key, client -> client.createMultipartUpload(create -> create
                .bucket(store.bucket()).key(key).contentType(BINARY).metadata(userMetadata).checksumAlgorithm(ChecksumAlgorithm.CRC32_C))).uploadId();
        boolean complete = false;
        try {
            List<CompletedPart> parts = new ArrayList<>();
            for (int index = 0; index < check.parts().length; index++) {
                parts.add(part(call, file, size, check, key, id, index));
            }
            store.request(call, "CompleteMultipartUpload " + key, settings.requestTimeout(size), client -> stored("CompleteMultipartUpload " + key,
                    client.completeMultipartUpload(done -> done
                            .bucket(store.bucket()).key(key).uploadId(id).multipartUpload(list -> list.parts(parts))).eTag()));
            complete = true;
        } finally {
            if (!complete) {
                abort(key, id);
            }
        }
    }

    private CompletedPart part(Call call, SegmentFile file, long size, SegmentCheck check, String key, String id, int index) throws IOException {
        long position = (long) index * settings.partBytes();
        long length = Math.min(settings.partBytes(), size - position);
        String checksum = text(check.parts()[index]);
        int number = index + 1;
        String tag = store.request(call, "UploadPart " + number + " of " + key, settings.requestTimeout(length), client -> stored("UploadPart of " + key,
                client.uploadPart(
                        part -> part.bucket(store.bucket()).key(key).uploadId(id).partNumber(number).contentLength(length)
                                .checksumCRC32C(checksum),
                        RequestBody.fromContentProvider(() -> new FilePart(file, position, length, rate), length, BINARY)).eTag()));
        metrics.uploadedBytes.add(length);
        return CompletedPart.builder().partNumber(number).eTag(tag).checksumCRC32C(checksum).build();
    }

    /** The copy has failed, and its call may be over: another call aborts the upload, and nobody waits for it. */
    private void abort(String key, String id) {
        try {
            calls.start(new Call("abort the upload of " + key, ABORT_TIMEOUT), call -> {
                try {
                    return store.request(call, "AbortMultipartUpload " + key,
                            client -> client.abortMultipartUpload(abort -> abort.bucket(store.bucket()).key(key).uploadId(id)));
                } catch (IOException failure) {
                    LOG.info("the upload is aborted later, when it is stale: {}", failure.getMessage());
                    return null;
                }
            });
        } catch (CallEndedException failure) {
            LOG.info("the upload is aborted later, when it is stale: {}", failure.getMessage());
        }
    }

    /**
     * Whoever stored something says under which ETag. Anything else that answers 200, such as a proxy, has stored
     * nothing, and Kafka would delete its file.
     */
    private static String stored(String what, String tag) throws StoreException {
        if (tag == null || tag.isEmpty()) {
            throw StoreException.wrongAnswer(what + ": the answer has no ETag, so it is not that of an S3 server");
        }
        return tag;
    }

    /** A checksum as S3 wants it. */
    static String text(int checksum) {
        return Base64.getEncoder().encodeToString(ByteBuffer.allocate(Integer.BYTES).putInt(checksum).array());
    }
}
