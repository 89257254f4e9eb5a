package forebay.objects;

import java.util.List;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.NoSuchBucketException;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;

/** Removes buckets that a run has made. */
final class Buckets {
    private static final int ROUNDS_MAX = 10_000;

    private Buckets() {}

    /** Deletes all objects and then the bucket, unless it is gone: a server may have deleted it although it had objects. */
    static void remove(S3Client client, String bucket) {
        try {
            empty(client, bucket);
            client.deleteBucket(request -> request.bucket(bucket));
        } catch (NoSuchBucketException gone) {
            // The case that deletes it has said so.
        }
    }

    private static void empty(S3Client client, String bucket) {
        for (int round = 0; round < ROUNDS_MAX; round++) {
            List<ObjectIdentifier> keys = client.listObjectsV2(request -> request.bucket(bucket)).contents().stream()
                    .map(object -> ObjectIdentifier.builder().key(object.key()).build())
                    .toList();
            if (keys.isEmpty()) {
                return;
            }
            client.deleteObjects(request -> request.bucket(bucket).delete(delete -> delete.objects(keys).quiet(true)));
        }
    }
}
