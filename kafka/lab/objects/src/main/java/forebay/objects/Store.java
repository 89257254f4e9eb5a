package forebay.objects;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;

/**
 * A bucket. Every call is timed, and notes whether it was answered. A call that was not answered returns null, and leaves out
 * the checks that need its answer.
 *
 * @param group what the checks belong to
 */
record Store(S3Client client, String bucket, String group, Cases cases, Timings timings) {
    static final String BINARY = "application/octet-stream";

    /** A call that must be answered. */
    <T> T answered(String operation, long bytes, Supplier<T> call) {
        String title = operation + " is answered";
        long begun = System.nanoTime();
        try {
            T answer = call.get();
            timings.add(operation, System.nanoTime() - begun, bytes);
            cases.check(group, Cases.Kind.ANSWER, title, null);
            return answer;
        } catch (SdkException | UncheckedIOException failure) {
            cases.check(group, Cases.Kind.ANSWER, title, inOneLine(failure));
            return null;
        }
    }

    /** A call that must be refused with this status and this code. An answer to HEAD has no code. */
    void refused(String title, int status, String code, Runnable call) {
        String expected = code == null ? String.valueOf(status) : status + " " + code;
        try {
            call.run();
            cases.check(group, Cases.Kind.RULE, title, "it was accepted, instead of " + expected);
        } catch (AwsServiceException refusal) {
            String actual = code == null ? String.valueOf(refusal.statusCode())
                    : refusal.statusCode() + " " + refusal.awsErrorDetails().errorCode();
            cases.equal(group, title, expected, actual);
        } catch (SdkException failure) {
            cases.check(group, Cases.Kind.ANSWER, title, inOneLine(failure));
        }
    }

    PutObjectResponse put(String key, Content content) {
        return put(key, content, request -> {});
    }

    PutObjectResponse put(String key, Content content, Consumer<PutObjectRequest.Builder> more) {
        PutObjectRequest.Builder request = PutObjectRequest.builder().bucket(bucket).key(key);
        more.accept(request);
        return answered("put", content.length(), () -> client.putObject(request.build(), body(content)));
    }

    /** The SDK can read it again for a second attempt. */
    static RequestBody body(Content content) {
        return RequestBody.fromContentProvider(content::stream, content.length(), BINARY);
    }

    /** Reads an object and compares it. */
    void get(String key, Content content) {
        read("get", key, null, content, 0, content.length());
    }

    /** Reads a range, as the header says it, and compares it with these bytes of the content. */
    void range(String key, String header, Content content, long offset, long count) {
        GetObjectResponse answer = read("get range", key, header, content, offset, count);
        if (answer != null) {
            String range = "bytes %d-%d/%d".formatted(offset, offset + count - 1, content.length());
            cases.equal(group, "the answer names the range", range, answer.contentRange());
        }
    }

    private GetObjectResponse read(String operation, String key, String header, Content content, long offset, long count) {
        GetObjectRequest request = GetObjectRequest.builder().bucket(bucket).key(key).range(header).build();
        return answered(operation, count, () -> {
            try (ResponseInputStream<GetObjectResponse> stream = client.getObject(request)) {
                String difference = content.difference(stream, offset, count);
                String named = difference == null ? null : "%s of %s: %s".formatted(Objects.requireNonNullElse(header, "all"), key, difference);
                cases.check(group, Cases.Kind.CONTENT, operation + " returns the bytes that were written", named);
                return stream.response();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        });
    }

    HeadObjectResponse head(String key) {
        return answered("head", 0, () -> client.headObject(request -> request.bucket(bucket).key(key)));
    }

    void delete(String key) {
        answered("delete", 0, () -> client.deleteObject(request -> request.bucket(bucket).key(key)));
    }

    /** Checks that nothing has this key. */
    void absent(String title, String key) {
        refused(title, 404, null, () -> client.headObject(request -> request.bucket(bucket).key(key)));
    }

    /** The same bucket, with the checks of another group. */
    Store of(String other) {
        return new Store(client, bucket, other, cases, timings);
    }

    static Map<String, String> version(int version) {
        return Map.of("version", String.valueOf(version));
    }

    static String inOneLine(Exception failure) {
        return failure.toString().lines().findFirst().orElse(failure.getClass().getName());
    }
}
