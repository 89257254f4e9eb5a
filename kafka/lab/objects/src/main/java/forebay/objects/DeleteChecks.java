package forebay.objects;

import java.util.List;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;

/** Deletes, of one object and of many. */
final class DeleteChecks {
    private static final int MANY = 50;
    private static final String PREFIX = "delete/";

    private DeleteChecks() {}

    static void run(Store store, Sizes sizes) {
        String key = PREFIX + "one";
        store.put(key, new Content(5000, 3L * Sizes.MIB));
        store.delete(key);
        store.absent("a deleted object is not found by head", key);
        store.refused("a deleted object is not found by get", 404, "NoSuchKey",
                () -> store.client().getObjectAsBytes(request -> request.bucket(store.bucket()).key(key)));
        // What is not there is deleted without an error: a broker that repeats a delete must not fail.
        store.delete(key);
        Content again = new Content(5001, 1000);
        store.put(key, again);
        store.get(key, again);
        many(store);
    }

    private static void many(Store store) {
        List<String> keys = IntStream.range(0, MANY).mapToObj(i -> PREFIX + "many/%03d".formatted(i)).toList();
        keys.forEach(key -> store.put(key, new Content(5100, 2000)));
        List<ObjectIdentifier> named = keys.stream().map(key -> ObjectIdentifier.builder().key(key).build()).toList();
        DeleteObjectsResponse answer = store.answered("delete many", 0,
                () -> store.client().deleteObjects(request -> request.bucket(store.bucket()).delete(delete -> delete.objects(named))));
        if (answer != null) {
            store.cases().equal(store.group(), "each of many deleted objects is named", MANY, answer.deleted().size());
            store.cases().equal(store.group(), "none of many deleted objects is an error", 0, answer.errors().size());
        }
        ListObjectsV2Response left = store.answered("list", 0,
                () -> store.client().listObjectsV2(request -> request.bucket(store.bucket()).prefix(PREFIX + "many/")));
        if (left != null) {
            store.cases().equal(store.group(), "deleted objects are not listed", 0, left.contents().size());
        }
    }
}
