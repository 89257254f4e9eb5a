package forebay.objects;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Puts and gets on conditions. */
final class ConditionChecks {
    private static final String KEY = "conditions/lock";
    private static final Content FIRST = new Content(3001, 40_000);
    private static final Content SECOND = new Content(3002, 50_000);
    private static final int WRITERS = 8;
    private static final int ROUNDS = 4;
    private static final String ABSENT = "If-None-Match: *";

    private ConditionChecks() {}

    static void run(Store store, Sizes sizes) throws InterruptedException {
        PutObjectResponse first = store.put(KEY, FIRST, request -> request.ifNoneMatch("*"));
        store.refused(ABSENT + " is refused when there is an object", 412, "PreconditionFailed",
                () -> put(store, SECOND, "*", null));
        store.get(KEY, FIRST);
        store.refused("If-Match with another ETag is refused", 412, "PreconditionFailed",
                () -> put(store, SECOND, null, "\"00000000000000000000000000000000\""));
        store.get(KEY, FIRST);
        if (first != null) {
            store.put(KEY, SECOND, request -> request.ifMatch(first.eTag()));
            store.get(KEY, SECOND);
            store.refused("If-Match with the ETag of what was replaced is refused", 412, "PreconditionFailed",
                    () -> put(store, FIRST, null, first.eTag()));
            store.refused("a get with If-Match of another ETag is refused", 412, "PreconditionFailed", () -> store.client()
                    .getObjectAsBytes(request -> request.bucket(store.bucket()).key(KEY).ifMatch(first.eTag())));
        }
        store.get(KEY, SECOND);
        store.refused("If-Match is refused when there is no object", 404, "NoSuchKey", () -> store.client().putObject(
                request -> request.bucket(store.bucket()).key("conditions/none").ifMatch("\"00000000000000000000000000000000\""),
                Store.body(FIRST)));
        for (int round = 0; round < ROUNDS; round++) {
            race(store, "conditions/race-%d".formatted(round));
        }
    }

    private static void put(Store store, Content content, String ifNoneMatch, String ifMatch) {
        store.client().putObject(
                request -> request.bucket(store.bucket()).key(KEY).ifNoneMatch(ifNoneMatch).ifMatch(ifMatch), Store.body(content));
    }

    /** Several writers put one key at once, if there is nothing: one of them must succeed, and its content must stay. */
    private static void race(Store store, String key) throws InterruptedException {
        CountDownLatch start = new CountDownLatch(1);
        AtomicInteger winner = new AtomicInteger(-1);
        AtomicInteger winners = new AtomicInteger();
        Thread[] writers = new Thread[WRITERS];
        for (int i = 0; i < WRITERS; i++) {
            int own = i;
            writers[i] = new Thread(() -> {
                try {
                    start.await();
                    store.client().putObject(request -> request.bucket(store.bucket()).key(key).ifNoneMatch("*"), Store.body(content(own)));
                    winner.set(own);
                    winners.incrementAndGet();
                } catch (S3Exception refusal) {
                    // 409: another write of the key is under way. S3 answers so, too.
                    boolean lost = refusal.statusCode() == 412 || refusal.statusCode() == 409;
                    store.cases().check(store.group(), Cases.Kind.RULE, "writers that lose are refused", lost ? null : Store.inOneLine(refusal));
                } catch (SdkException failure) {
                    store.cases().check(store.group(), Cases.Kind.ANSWER, "a writer is answered", Store.inOneLine(failure));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            writers[i].start();
        }
        start.countDown();
        for (Thread writer : writers) {
            writer.join();
        }
        store.cases().equal(store.group(), "of %d writers with %s one succeeds".formatted(WRITERS, ABSENT), 1, winners.get());
        if (winner.get() >= 0) {
            store.get(key, content(winner.get()));
        }
    }

    private static Content content(int writer) {
        return new Content(3100 + writer, 20_000 + writer);
    }
}
