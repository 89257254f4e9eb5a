package forebay.tiered;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import software.amazon.awssdk.services.s3.model.Delete;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Error;

/** Deletes segments. Those that are asked for while a request is under way share the next one. */
final class Deletes {
    private static final int SEGMENTS_MAX = 500;

    /** A caller, and the keys that it deletes. The fields that change are guarded by the lock of its owner. */
    private static final class Waiting {
        private final List<String> keys;
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private Batch batch;
        private boolean left;

        Waiting(List<String> keys) {
            this.keys = keys;
        }
    }

    /** The callers that share a request. */
    private record Batch(Call call, List<Waiting> callers) {}

    private final ObjectStore store;
    private final Duration timeout;
    private final Metrics metrics;
    private final Calls calls;
    private final List<Waiting> waiting = new ArrayList<>();
    private boolean busy;

    Deletes(ObjectStore store, Duration timeout, Metrics metrics, Calls calls) {
        this.store = store;
        this.timeout = timeout;
        this.metrics = metrics;
        this.calls = calls;
    }

    /** Deletes objects; those that do not exist are deleted. A request ends when its last caller has left. */
    void delete(List<String> keys) throws Exception {
        Waiting own = new Waiting(keys);
        synchronized (this) {
            waiting.add(own);
        }
        sendNext(false);
        String name = "delete " + keys.get(0);
        try {
            own.done.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupt) {
            leave(own);
            Thread.currentThread().interrupt();
            throw new CallEndedException(name + ": interrupted");
        } catch (TimeoutException late) {
            leave(own);
            throw new CallEndedException(name + ": not done within " + timeout.toMillis() + " ms. See whether the S3 server answers");
        } catch (ExecutionException failure) {
            throw Calls.rethrown(failure.getCause());
        }
    }

    private void leave(Waiting own) {
        Batch unwanted;
        synchronized (this) {
            waiting.remove(own);
            own.left = true;
            unwanted = own.batch != null && own.batch.callers().stream().allMatch(each -> each.left) ? own.batch : null;
        }
        if (unwanted != null) {
            unwanted.call().abandon("nobody waits for it");
        }
    }

    /** Starts the next request, unless one is under way or nobody waits. */
    private void sendNext(boolean afterAnother) {
        Batch batch;
        synchronized (this) {
            if (busy && !afterAnother) {
                return;
            }
            busy = !waiting.isEmpty();
            if (!busy) {
                return;
            }
            List<Waiting> first = waiting.subList(0, Math.min(SEGMENTS_MAX, waiting.size()));
            batch = new Batch(new Call("delete " + first.get(0).keys.get(0), timeout), new ArrayList<>(first));
            first.clear();
            batch.callers().forEach(each -> each.batch = batch);
        }
        try {
            calls.start(batch.call(), call -> {
                try {
                    send(call, batch.callers());
                } finally {
                    sendNext(true);
                }
                return null;
            });
        } catch (Throwable failure) {
            batch.callers().forEach(each -> each.done.completeExceptionally(failure));
            sendNext(true);
        }
    }

    private void send(Call call, List<Waiting> batch) {
        try {
            List<String> keys = batch.stream().flatMap(each -> each.keys.stream()).distinct().toList();
            metrics.deleteRequests.increment();
            Map<String, S3Error> refused = request(store, call, keys);
            for (Waiting each : batch) {
                answer(each, refused);
            }
        } catch (Throwable failure) {
            batch.forEach(each -> each.done.completeExceptionally(failure));
        }
    }

    /** Deletes objects in one request. Returns the errors of keys that could not be deleted. */
    static Map<String, S3Error> request(ObjectStore store, Call call, List<String> keys) throws IOException {
        List<ObjectIdentifier> objects = keys.stream().map(key -> ObjectIdentifier.builder().key(key).build()).toList();
        String what = "DeleteObjects of " + keys.get(0) + (keys.size() > 1 ? " and " + (keys.size() - 1) + " more" : "");
        try {
            DeleteObjectsResponse answer = store.request(call, what, client ->
                    client.deleteObjects(delete -> delete.bucket(store.bucket()).delete(Delete.builder().objects(objects).build())));
            return refusals(what, keys, answer);
        } catch (StoreException failure) {
            if (failure.status() != 501 && !failure.code().equals("NotImplemented")) {
                throw failure;
            }
            oneByOne(store, call, keys);
            return Map.of();
        }
    }

    /** Each key must be in the answer: something that answers 200 and is no S3 server has deleted nothing. */
    private static Map<String, S3Error> refusals(String what, List<String> keys, DeleteObjectsResponse answer) throws StoreException {
        Set<String> answered = new HashSet<>();
        answer.deleted().forEach(deleted -> answered.add(deleted.key()));
        answer.errors().forEach(error -> answered.add(error.key()));
        if (!answered.containsAll(keys)) {
            throw StoreException.wrongAnswer(what + ": the answer does not name all keys, so it is not that of an S3 server");
        }
        Map<String, S3Error> refused = new HashMap<>();
        for (S3Error error : answer.errors()) {
            if (!"NoSuchKey".equals(error.code())) {
                refused.put(error.key(), error);
            }
        }
        return refused;
    }

    /** For servers without DeleteObjects. */
    private static void oneByOne(ObjectStore store, Call call, List<String> keys) throws IOException {
        for (String key : keys) {
            try {
                store.request(call, "DeleteObject " + key, client -> client.deleteObject(delete -> delete.bucket(store.bucket()).key(key)));
            } catch (StoreException failure) {
                if (failure.kind() != StoreException.Kind.MISSING) {
                    throw failure;
                }
            }
        }
    }

    private static void answer(Waiting segment, Map<String, S3Error> refused) {
        for (String key : segment.keys) {
            S3Error error = refused.get(key);
            if (error != null) {
                segment.done.completeExceptionally(new IOException("DeleteObjects: " + key + ": " + error.code() + " (" + error.message()
                        + "). The user of S3 needs s3:DeleteObject, and the bucket must not lock its objects"));
                return;
            }
        }
        segment.done.complete(null);
    }
}
