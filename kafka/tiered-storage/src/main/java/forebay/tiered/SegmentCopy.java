package forebay.tiered;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.server.log.remote.storage.LogSegmentData;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Copies a segment: the log by reference or by upload, then the indexes. */
final class SegmentCopy {
    /** User metadata of both objects: the segment's id. */
    static final String SEGMENT = "forebay-segment";
    /** User metadata of the object with the indexes: what Kafka has as custom metadata. */
    static final String FACTS = "forebay-facts";

    private static final Logger LOG = LoggerFactory.getLogger(SegmentCopy.class);

    private final ObjectKeys keys;
    private final Settings settings;
    private final Metrics metrics;
    private final ReferenceCopy reference;
    private final Upload upload;

    SegmentCopy(ObjectKeys keys, Settings settings, Metrics metrics, ReferenceCopy reference, Upload upload) {
        this.keys = keys;
        this.settings = settings;
        this.metrics = metrics;
        this.reference = reference;
        this.upload = upload;
    }

    /** What was stored. The object with the indexes is the last, so its presence means that all is there. */
    SegmentFacts copy(Call call, RemoteLogSegmentMetadata metadata, LogSegmentData data) throws IOException {
        try (SegmentFile file = new SegmentFile(data.logSegment())) {
            int size = metadata.segmentSizeInBytes();
            if (file.size() < size) {
                throw new IOException(file.path() + " has " + file.size() + " bytes, and Kafka says " + size);
            }
            IndexSections indexes = new IndexSections(data);
            LogCopy log = copyLog(call, file, metadata, indexes);
            SegmentFacts facts = log.facts();
            Map<String, String> userMetadata = new LinkedHashMap<>(userMetadata(metadata));
            userMetadata.put(FACTS, facts.encodeText());
            upload.object(call, keys.indexes(metadata), facts.total(), indexes.checksum(), userMetadata, () -> opened(indexes));
            // Counted now, so that a copy that fails before its end does not count.
            if (log.reason() == null) {
                metrics.copiesByReference.increment();
                metrics.bytesByReference.add(size);
            } else {
                metrics.uploads(log.reason()).increment();
            }
            return facts;
        }
    }

    /**
     * The object with the records.
     *
     * @param reason why it was uploaded; null if it was copied by reference
     */
    private record LogCopy(SegmentFacts facts, NotByReference reason) {}

    private LogCopy copyLog(Call call, SegmentFile file, RemoteLogSegmentMetadata metadata, IndexSections indexes) throws IOException {
        String key = keys.log(metadata);
        int size = metadata.segmentSizeInBytes();
        ReferenceCopy.Outcome outcome = reference.copy(call, file, metadata, key, userMetadata(metadata));
        NotByReference reason = outcome.reason();
        if (outcome.damage() != null) {
            damaged(file, outcome.damage());
            reason = NotByReference.DAMAGED;
        }
        if (reason == null) {
            return new LogCopy(indexes.facts(SegmentFacts.Kind.CRC64NVME, outcome.checksum(), size), null);
        }
        if (settings.reference() == Settings.Reference.REQUIRE) {
            throw new IOException(file.path() + " cannot be copied by reference, because " + reason.text() + ", and rsm.config.reference is require");
        }
        LOG.debug("{} is uploaded, because {}", file.path(), reason.text());
        RecordWalk walk = settings.verify() == Settings.Verify.OFF ? null : new RecordWalk(metadata.startOffset(), metadata.endOffset());
        SegmentCheck check = SegmentCheck.read(call, file, size, settings.partBytes(), walk);
        if (check.damage() != null && reason != NotByReference.DAMAGED) {
            damaged(file, check.damage());
        }
        upload.segment(call, file, size, check, key, userMetadata(metadata));
        return new LogCopy(indexes.facts(SegmentFacts.Kind.CRC32C, Integer.toUnsignedLong(check.checksum()), size), reason);
    }

    private void damaged(SegmentFile file, String damage) throws IOException {
        metrics.damagedSegments.increment();
        if (settings.verify() == Settings.Verify.REFUSE) {
            throw new DamagedSegmentException(file.path() + " is damaged and is not copied: " + damage);
        }
        LOG.error("{} is damaged, and is copied because rsm.config.verify is warn: {}", file.path(), damage);
    }

    private static Map<String, String> userMetadata(RemoteLogSegmentMetadata metadata) {
        return Map.of(SEGMENT, metadata.remoteLogSegmentId().id().toString());
    }

    private static java.io.InputStream opened(IndexSections indexes) {
        try {
            return indexes.open();
        } catch (IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
    }
}
