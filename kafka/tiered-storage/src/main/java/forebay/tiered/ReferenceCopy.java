package forebay.tiered;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import software.amazon.awssdk.services.s3.model.CopyObjectResponse;
import software.amazon.awssdk.services.s3.model.MetadataDirective;

/**
 * Copies a segment by the name that the server has for it. Only Forebay knows the bucket of the source, so other servers refuse the
 * request. Decision 35 has the protocol.
 */
final class ReferenceCopy {
    private static final String SOURCE_BUCKET = "forebay--source";
    private static final String SIZE = "x-forebay-size";
    private static final String RECORDS = "x-forebay-records";

    private final ObjectStore store;
    private final Settings settings;

    ReferenceCopy(ObjectStore store, Settings settings) {
        this.store = store;
        this.settings = settings;
    }

    /**
     * What came of it.
     *
     * @param checksum CRC-64/NVME of the object, if there is no reason and no damage
     * @param reason why the segment must be uploaded, or null
     * @param damage what the server found wrong with the records, or null
     */
    record Outcome(long checksum, NotByReference reason, String damage) {
        static Outcome not(NotByReference reason) {
            return new Outcome(0, Objects.requireNonNull(reason), null);
        }
    }

    Outcome copy(Call call, SegmentFile file, RemoteLogSegmentMetadata metadata, String key, Map<String, String> userMetadata) throws IOException {
        if (settings.reference() == Settings.Reference.NEVER) {
            return Outcome.not(NotByReference.SWITCHED_OFF);
        }
        long size = metadata.segmentSizeInBytes();
        if (size == 0 || file.size() != size) {
            return Outcome.not(NotByReference.EMPTY);
        }
        NotByReference reason = file.source().reason();
        if (reason != null) {
            return Outcome.not(reason);
        }
        // The server copies what it has. Kafka has not flushed the file.
        file.force();
        SegmentFile.Source source = file.source();
        if (source.reason() != null) {
            return Outcome.not(source.reason());
        }
        try {
            Duration timeout = settings.requestTimeout(size);
            CopyObjectResponse answer = store.request(call, "CopyObject of " + file.path() + " to " + key, timeout, client -> client.copyObject(copy -> copy
                    .sourceBucket(SOURCE_BUCKET)
                    .sourceKey(source.token())
                    .destinationBucket(store.bucket())
                    .destinationKey(key)
                    .metadataDirective(MetadataDirective.REPLACE)
                    .metadata(userMetadata)
                    .overrideConfiguration(override -> {
                        override.putHeader(SIZE, String.valueOf(size));
                        if (settings.verify() != Settings.Verify.OFF) {
                            override.putHeader(RECORDS, metadata.startOffset() + "-" + metadata.endOffset());
                        }
                    })));
            String checksum = answer.copyObjectResult() == null ? null : answer.copyObjectResult().checksumCRC64NVME();
            return checksum == null ? Outcome.not(NotByReference.UNCONFIRMED) : new Outcome(decode(checksum), null, null);
        } catch (StoreException refusal) {
            return refused(refusal);
        }
    }

    private static Outcome refused(StoreException refusal) throws StoreException {
        if (refusal.status() == 412) {
            return new Outcome(0, null, refusal.getMessage());
        }
        return Outcome.not(switch (refusal.status()) {
            case 404 -> NotByReference.UNKNOWN;
            case 403 -> NotByReference.FORBIDDEN;
            case 409 -> NotByReference.CHANGED;
            case 400, 405, 501 -> NotByReference.NOT_IMPLEMENTED;
            default -> throw refusal;
        });
    }

    private static long decode(String checksum) throws StoreException {
        try {
            byte[] bytes = Base64.getDecoder().decode(checksum);
            if (bytes.length == Long.BYTES) {
                return ByteBuffer.wrap(bytes).getLong();
            }
        } catch (IllegalArgumentException ignored) {
            // Refused below.
        }
        throw StoreException.wrongAnswer("CopyObject: the answer has no CRC-64/NVME but " + checksum);
    }
}
