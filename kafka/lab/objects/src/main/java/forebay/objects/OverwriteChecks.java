package forebay.objects;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * An object is replaced again and again while others read it. A read must return one version, whole, that is not older than the
 * last one that was answered before the read began.
 */
final class OverwriteChecks {
    private static final String KEY = "overwrite/manifest";
    private static final int READERS = 2;

    private OverwriteChecks() {}

    static void run(Store store, Sizes sizes) throws InterruptedException {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger answered = new AtomicInteger();
        replace(store, begun, answered);
        int last = sizes.overwrites();
        Thread[] readers = new Thread[READERS];
        for (int i = 0; i < READERS; i++) {
            readers[i] = new Thread(() -> {
                while (begun.get() < last) {
                    read(store, begun, answered);
                }
            });
            readers[i].start();
        }
        while (begun.get() < last) {
            replace(store, begun, answered);
        }
        for (Thread reader : readers) {
            reader.join();
        }
        store.get(KEY, content(last));
    }

    private static void replace(Store store, AtomicInteger begun, AtomicInteger answered) {
        int version = begun.incrementAndGet();
        if (store.put(KEY, content(version), request -> request.metadata(Store.version(version))) != null) {
            answered.set(version);
        }
    }

    /** From 1 byte to 1.5 MB, so that versions differ in how they are stored. */
    static Content content(int version) {
        return new Content(2000 + version, version % 4 == 0 ? version : 1 + version % 7 * 250_000L);
    }

    private static void read(Store store, AtomicInteger begun, AtomicInteger answered) {
        int oldest = answered.get();
        store.answered("get while it is replaced", 0, () -> {
            try (ResponseInputStream<GetObjectResponse> stream =
                    store.client().getObject(request -> request.bucket(store.bucket()).key(KEY))) {
                int version = Integer.parseInt(stream.response().metadata().getOrDefault("version", "0"));
                Content content = content(version);
                String difference = content.difference(stream, 0, content.length());
                store.cases().check(store.group(), Cases.Kind.CONTENT, "a read returns one version, whole",
                        difference == null ? null : "version %d: %s".formatted(version, difference));
                boolean current = version >= oldest && version <= begun.get();
                store.cases().check(store.group(), Cases.Kind.CONTENT, "a read returns the last version or a later one",
                        current ? null : "version %d, when %d was answered before".formatted(version, oldest));
                return stream.response();
            } catch (IOException failure) {
                throw SdkException.create(failure.toString(), new UncheckedIOException(failure));
            }
        });
    }
}
