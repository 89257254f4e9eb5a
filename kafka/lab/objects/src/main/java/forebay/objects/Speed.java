package forebay.objects;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntConsumer;
import org.HdrHistogram.ConcurrentHistogram;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Measures stores by turns, in alternating order, so that disturbances of the machine hit all of them. The machine writes back
 * its dirty pages before each measurement, so that no store pays for what another has left in memory.
 */
final class Speed {
    private static final long OBJECT_BYTES = 64L << 20;
    private static final int OBJECTS_READ = 4;
    private static final int RANGE_BYTES = 1 << 20;
    private static final int DRAIN_BYTES = 64 << 10;

    /** What is measured. */
    private enum Row {
        GET_RANGE("get_1_mib", 4, 512, RANGE_BYTES),
        PUT_LARGE("put_64_mib", 2, 4, OBJECT_BYTES),
        PUT_SMALL("put_4_kib", 8, 2000, 4096);

        private final String label;
        private final int threads;
        private final int operations;
        private final long bytes;

        Row(String label, int threads, int operations, long bytes) {
            this.label = label;
            this.threads = threads;
            this.operations = operations;
            this.bytes = bytes;
        }
    }

    private final Report report;

    Speed(Report report) {
        this.report = report;
    }

    private record Target(SpeedCommand.Named named, Endpoint endpoint, String bucket) {}

    List<Map<String, Object>> run(List<SpeedCommand.Named> stores, int turns) throws InterruptedException, IOException {
        List<Target> targets = new ArrayList<>();
        List<Map<String, Object>> measured = new ArrayList<>();
        try {
            for (SpeedCommand.Named named : stores) {
                targets.add(open(named));
            }
            for (int turn = 0; turn <= turns; turn++) {
                report.progress(turn == 0 ? "warm-up" : "turn %d of %d".formatted(turn, turns));
                for (Row row : Row.values()) {
                    for (Target target : targets) {
                        Map<String, Object> one = measure(row, target, turn);
                        if (turn > 0) {
                            measured.add(one);
                        }
                    }
                }
                Collections.reverse(targets);
            }
        } finally {
            targets.forEach(target -> target.endpoint().close());
        }
        return measured;
    }

    /** A store that refuses the SDK's default checksums is measured without them. */
    private Target open(SpeedCommand.Named named) {
        Target target = create(named, RequestChecksumCalculation.WHEN_SUPPORTED);
        try {
            put(target, "first", new Content(OBJECTS_READ, Sizes.MIB));
        } catch (S3Exception refused) {
            target.endpoint().close();
            report.progress("%s refuses the SDK's checksums, and is measured without: %s".formatted(named.name(), refused.getMessage()));
            target = create(named, RequestChecksumCalculation.WHEN_REQUIRED);
        }
        for (int i = 0; i < OBJECTS_READ; i++) {
            put(target, "read/%d".formatted(i), new Content(i, OBJECT_BYTES));
        }
        return target;
    }

    private static Target create(SpeedCommand.Named named, RequestChecksumCalculation checksums) {
        Endpoint endpoint = new Endpoint(named.endpoint(), named.region(),
                StaticCredentialsProvider.create(AwsBasicCredentials.create(named.access_key(), named.secret_key())), checksums);
        String bucket = "forebay-lab-%016x".formatted(ThreadLocalRandom.current().nextLong());
        endpoint.client().createBucket(request -> request.bucket(bucket));
        return new Target(named, endpoint, bucket);
    }

    private static void put(Target target, String key, Content content) {
        target.endpoint().client().putObject(request -> request.bucket(target.bucket()).key(key), Store.body(content));
    }

    private static void get(Target target, int seed) {
        Random random = new Random(seed);
        String key = "read/%d".formatted(random.nextInt(OBJECTS_READ));
        long offset = random.nextLong(OBJECT_BYTES - RANGE_BYTES);
        String range = "bytes=%d-%d".formatted(offset, offset + RANGE_BYTES - 1);
        try (ResponseInputStream<GetObjectResponse> stream =
                target.endpoint().client().getObject(request -> request.bucket(target.bucket()).key(key).range(range))) {
            byte[] buffer = new byte[DRAIN_BYTES];
            long read = 0;
            for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
                read += count;
            }
            if (read != RANGE_BYTES) {
                throw new IOException("%s answered %d of %d bytes".formatted(target.named().name(), read, RANGE_BYTES));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static IntConsumer work(Row row, Target target, int turn) {
        // No content repeats, or a store that stores equal bytes once would have an advantage.
        return switch (row) {
            case GET_RANGE -> index -> get(target, turn * row.operations + index);
            case PUT_LARGE, PUT_SMALL -> index -> put(target, "%s/%d/%d".formatted(row.label, turn, index),
                    new Content(1_000_000L * (turn + 1) + 100_000L * row.ordinal() + index, row.bytes));
        };
    }

    private static Map<String, Object> measure(Row row, Target target, int turn) throws InterruptedException, IOException {
        new ProcessBuilder("sync").inheritIO().start().waitFor();
        ConcurrentHistogram nanos = new ConcurrentHistogram(3);
        IntConsumer work = work(row, target, turn);
        double server = ProcessorTime.seconds(target.named().pid());
        double client = ProcessorTime.seconds(ProcessHandle.current().pid());
        long begun = System.nanoTime();
        Workers.run(row.threads, row.operations, index -> {
            long from = System.nanoTime();
            work.accept(index);
            nanos.recordValue(System.nanoTime() - from);
        });
        double seconds = (System.nanoTime() - begun) / 1e9;
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("row", row.label);
        line.put("store", target.named().name());
        line.put("turn", turn);
        line.put("seconds", seconds);
        line.put("operations", row.operations);
        line.put("bytes", row.operations * row.bytes);
        line.put("p50_ms", nanos.getValueAtPercentile(50) / 1e6);
        line.put("p99_ms", nanos.getValueAtPercentile(99) / 1e6);
        line.put("client_cpu_s", ProcessorTime.seconds(ProcessHandle.current().pid()) - client);
        double used = ProcessorTime.seconds(target.named().pid()) - server;
        line.put("server_cpu_s", Double.isNaN(used) ? null : used);
        return line;
    }
}
