package forebay.tiered;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentState;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Compares what Kafka knows of the tier with what is in the bucket. */
final class TierCheck {
    private static final int DELETE_MAX = 500;
    private static final Duration CALL_TIMEOUT = Duration.ofHours(24);

    private final ObjectStore store;
    private final ObjectKeys keys;
    private final Duration age;
    private final Instant now;
    private final Call call = new Call("check", CALL_TIMEOUT);

    /** Objects and unfinished copies that are younger than the age are left alone: they may be in use. */
    TierCheck(ObjectStore store, ObjectKeys keys, Duration age, Instant now) {
        this.store = store;
        this.keys = keys;
        this.age = age;
        this.now = now;
    }

    /** What can be wrong. */
    enum Problem {
        MISSING("Kafka has the segment, and the object does not exist"),
        WRONG_SIZE("the object has another size than Kafka says"),
        WRONG_CHECKSUM("the object has other bytes than were copied"),
        ORPHANED("nothing in Kafka names the object"),
        NEVER_FINISHED("a copy began and was not finished"),
        NEVER_DELETED("Kafka began to delete the segment, and objects of it are left"),
        STALE_UPLOAD("an upload in parts was not finished");

        private final String text;

        Problem(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /** Something that is wrong. */
    record Finding(Problem problem, String key, String detail) {}

    /**
     * The result.
     *
     * @param segments those whose copy is finished
     * @param unfinished objects of copies and deletes that Kafka has begun and not finished, of any age
     * @param young objects that nothing in Kafka names, and that are younger than the age
     * @param strange objects that are not those of the plugin
     */
    record Report(int segments, int objects, long bytes, int unfinished, int young, int strange, List<Finding> findings, int deleted) {}

    /**
     * Compares. Kafka's metadata is read twice: a segment that was there before the bucket was listed, and still is
     * afterwards, must be in the list; an object that is not named afterwards was not named while it was listed.
     *
     * @param readAll whether every object is read, for its checksum
     * @param deleteOrphans whether orphans that are old enough are deleted
     */
    Report run(Supplier<Map<Uuid, RemoteLogSegmentMetadata>> kafka, boolean readAll, boolean deleteOrphans) throws IOException {
        Map<Uuid, RemoteLogSegmentMetadata> before = kafka.get();
        TreeMap<String, S3Object> listed = list();
        Map<Uuid, RemoteLogSegmentMetadata> after = kafka.get();
        List<Finding> findings = new ArrayList<>();
        Set<String> named = new HashSet<>();
        Set<String> ofUnfinished = new HashSet<>();
        int live = 0;
        for (Map.Entry<Uuid, RemoteLogSegmentMetadata> each : after.entrySet()) {
            RemoteLogSegmentMetadata metadata = each.getValue();
            boolean finished = metadata.state() == RemoteLogSegmentState.COPY_SEGMENT_FINISHED;
            live += finished ? 1 : 0;
            if (metadata.state() != RemoteLogSegmentState.DELETE_SEGMENT_FINISHED) {
                named.add(keys.log(metadata));
                named.add(keys.indexes(metadata));
                if (!finished) {
                    ofUnfinished.add(keys.log(metadata));
                    ofUnfinished.add(keys.indexes(metadata));
                }
            }
            if (finished && isFinished(before.get(each.getKey()))) {
                compare(metadata, listed, readAll, findings);
            } else if (!finished && isOld(Instant.ofEpochMilli(metadata.eventTimestampMs()))) {
                unfinished(metadata, listed, findings);
            }
        }
        List<String> orphans = new ArrayList<>();
        int unfinished = 0;
        int young = 0;
        int strange = 0;
        for (S3Object object : listed.values()) {
            if (keys.parse(object.key()).isEmpty()) {
                strange++;
            } else if (ofUnfinished.contains(object.key())) {
                unfinished++;
            } else if (!named.contains(object.key()) && !isOld(object.lastModified())) {
                young++;
            } else if (!named.contains(object.key())) {
                orphans.add(object.key());
                findings.add(new Finding(Problem.ORPHANED, object.key(), object.size() + " bytes, of " + object.lastModified()));
            }
        }
        uploads(findings);
        int deleted = deleteOrphans ? delete(orphans) : 0;
        return new Report(live, listed.size(), listed.values().stream().mapToLong(S3Object::size).sum(), unfinished, young, strange, findings, deleted);
    }

    private static boolean isFinished(RemoteLogSegmentMetadata metadata) {
        return metadata != null && metadata.state() == RemoteLogSegmentState.COPY_SEGMENT_FINISHED;
    }

    private boolean isOld(Instant time) {
        return time == null || time.isBefore(now.minus(age));
    }

    private TreeMap<String, S3Object> list() throws IOException {
        TreeMap<String, S3Object> listed = new TreeMap<>();
        String token = null;
        do {
            String from = token;
            ListObjectsV2Response page = store.request(call, "ListObjects", client ->
                    client.listObjectsV2(list -> list.bucket(store.bucket()).prefix(keys.prefix()).continuationToken(from)));
            page.contents().forEach(object -> listed.put(object.key(), object));
            token = Boolean.TRUE.equals(page.isTruncated()) ? page.nextContinuationToken() : null;
        } while (token != null);
        return listed;
    }

    private void compare(RemoteLogSegmentMetadata metadata, Map<String, S3Object> listed, boolean readAll, List<Finding> findings) throws IOException {
        Optional<SegmentFacts> facts = metadata.customMetadata().flatMap(custom -> SegmentFacts.decode(custom.value()));
        Map<String, Long> sizes = new HashMap<>();
        sizes.put(keys.log(metadata), (long) metadata.segmentSizeInBytes());
        sizes.put(keys.indexes(metadata), facts.map(known -> (long) known.total()).orElse(null));
        for (Map.Entry<String, Long> each : sizes.entrySet()) {
            S3Object object = listed.get(each.getKey());
            if (object == null) {
                findings.add(new Finding(Problem.MISSING, each.getKey(), "offsets " + metadata.startOffset() + " to " + metadata.endOffset()));
            } else if (each.getValue() != null && !each.getValue().equals(object.size())) {
                findings.add(new Finding(Problem.WRONG_SIZE, each.getKey(), object.size() + " bytes instead of " + each.getValue()));
            } else if (readAll && facts.isPresent()) {
                String damage = each.getKey().endsWith(ObjectKeys.LOG)
                        ? ObjectSums.log(store, call, each.getKey(), facts.get()) : ObjectSums.indexes(store, call, each.getKey(), facts.get());
                if (damage != null) {
                    findings.add(new Finding(Problem.WRONG_CHECKSUM, each.getKey(), damage));
                }
            }
        }
    }

    private void unfinished(RemoteLogSegmentMetadata metadata, Map<String, S3Object> listed, List<Finding> findings) {
        boolean copying = metadata.state() == RemoteLogSegmentState.COPY_SEGMENT_STARTED;
        boolean deleting = metadata.state() == RemoteLogSegmentState.DELETE_SEGMENT_STARTED;
        boolean stored = listed.containsKey(keys.log(metadata)) || listed.containsKey(keys.indexes(metadata));
        if (copying) {
            findings.add(new Finding(Problem.NEVER_FINISHED, keys.log(metadata), "begun at " + Instant.ofEpochMilli(metadata.eventTimestampMs())
                    + (stored ? "" : "; nothing is stored")));
        } else if (deleting && stored) {
            findings.add(new Finding(Problem.NEVER_DELETED, keys.log(metadata), "begun at " + Instant.ofEpochMilli(metadata.eventTimestampMs())));
        }
    }

    private void uploads(List<Finding> findings) throws IOException {
        for (MultipartUpload upload : StaleUploads.list(store, call, keys.prefix())) {
            if (keys.parse(upload.key()).isPresent() && isOld(upload.initiated())) {
                findings.add(new Finding(Problem.STALE_UPLOAD, upload.key(), "begun at " + upload.initiated() + "; the next start of a broker aborts it"));
            }
        }
    }

    private int delete(List<String> orphans) throws IOException {
        int deleted = 0;
        for (int from = 0; from < orphans.size(); from += DELETE_MAX) {
            List<String> some = orphans.subList(from, Math.min(orphans.size(), from + DELETE_MAX));
            deleted += some.size() - Deletes.request(store, call, some).size();
        }
        return deleted;
    }
}
