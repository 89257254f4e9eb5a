package forebay.objects;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.IntConsumer;
import org.HdrHistogram.ConcurrentHistogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Object;

/** {@code objects ranges}. */
@Command(
        name = "ranges",
        description = "Measures how fast ranges of existing objects are read, once all of them in their order, and once some at random positions. "
                + "The key is read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        sortOptions = false)
final class RangesCommand implements Callable<Integer> {
    private static final int DRAIN_BYTES = 64 << 10;

    @Option(names = "--endpoint", required = true, paramLabel = "URL", description = "the object store's address")
    URI endpoint;

    @Option(names = "--region", defaultValue = "us-east-1", description = "its region (default: us-east-1)")
    String region;

    @Option(names = "--bucket", required = true, description = "the bucket with the objects")
    String bucket;

    @Option(names = "--prefix", defaultValue = "", description = "what the objects' keys begin with (default: anything)")
    String prefix;

    @Option(names = "--suffix", defaultValue = "", description = "what they end with (default: anything)")
    String suffix;

    @Option(names = "--range-bytes", required = true, paramLabel = "COUNT", description = "the size of a range")
    int rangeBytes;

    @Option(names = "--threads", defaultValue = "4", paramLabel = "COUNT", description = "so many requests at once (default: 4)")
    int threads;

    @Option(names = "--random", defaultValue = "0", paramLabel = "COUNT",
            description = "read so many ranges at random positions; 0 reads every object from its beginning to its end (default)")
    int random;

    @Option(names = "--seed", defaultValue = "1", description = "what the random positions follow from (default: 1)")
    long seed;

    private final ConcurrentHistogram nanos = new ConcurrentHistogram(3);

    @Override
    public Integer call() throws InterruptedException {
        if (rangeBytes < 1 || threads < 1 || random < 0) {
            throw new IllegalArgumentException("--range-bytes and --threads must be at least 1, and --random at least 0");
        }
        Report report = new Report(System.out);
        try (Endpoint to = new Endpoint(endpoint, region, EnvironmentVariableCredentialsProvider.create())) {
            List<S3Object> objects = objects(to.client());
            if (objects.isEmpty()) {
                throw new IllegalArgumentException("bucket %s has no objects whose keys begin with %s and end with %s".formatted(bucket, prefix, suffix));
            }
            report.progress("%d objects in ranges of %d bytes".formatted(objects.size(), rangeBytes));
            List<Range> ranges = random > 0 ? atRandom(objects, rangeBytes, random, new Random(seed)) : List.of();
            int count = random > 0 ? ranges.size() : objects.size();
            IntConsumer work = random > 0 ? index -> get(to.client(), ranges.get(index))
                    : index -> inOrder(objects.get(index), rangeBytes).forEach(range -> get(to.client(), range));
            long begun = System.nanoTime();
            Workers.run(threads, count, work);
            double seconds = (System.nanoTime() - begun) / 1e9;
            Map<String, Object> summary = new LinkedHashMap<>();
            summary.put("seconds", seconds);
            summary.put("operations", nanos.getTotalCount());
            summary.put("bytes", random > 0 ? ranges.stream().mapToLong(Range::length).sum() : objects.stream().mapToLong(S3Object::size).sum());
            summary.put("p50_ms", nanos.getValueAtPercentile(50) / 1e6);
            summary.put("p99_ms", nanos.getValueAtPercentile(99) / 1e6);
            report.summary(summary);
        }
        return Main.EXIT_OK;
    }

    /** A range of an object. */
    record Range(String key, long offset, long length) {}

    /** The ranges that an object consists of; the last one may be shorter. */
    static List<Range> inOrder(S3Object object, int rangeBytes) {
        List<Range> ranges = new ArrayList<>();
        for (long offset = 0; offset < object.size(); offset += rangeBytes) {
            ranges.add(new Range(object.key(), offset, Math.min(rangeBytes, object.size() - offset)));
        }
        return ranges;
    }

    /** Ranges at random positions. Those of an object that is smaller than a range are the object. */
    static List<Range> atRandom(List<S3Object> objects, int rangeBytes, int count, Random random) {
        List<Range> ranges = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            S3Object object = objects.get(random.nextInt(objects.size()));
            long length = Math.min(rangeBytes, object.size());
            ranges.add(new Range(object.key(), random.nextLong(object.size() - length + 1), length));
        }
        return ranges;
    }

    private List<S3Object> objects(S3Client client) {
        return client.listObjectsV2Paginator(list -> list.bucket(bucket).prefix(prefix)).contents().stream()
                .filter(object -> object.key().endsWith(suffix) && object.size() > 0)
                .toList();
    }

    private void get(S3Client client, Range range) {
        long from = System.nanoTime();
        String bytes = "bytes=%d-%d".formatted(range.offset(), range.offset() + range.length() - 1);
        try (ResponseInputStream<GetObjectResponse> stream = client.getObject(get -> get.bucket(bucket).key(range.key()).range(bytes))) {
            byte[] buffer = new byte[DRAIN_BYTES];
            long read = 0;
            for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
                read += count;
            }
            if (read != range.length()) {
                throw new IOException("%s: %d of %d bytes were answered".formatted(range.key(), read, range.length()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        nanos.recordValue(System.nanoTime() - from);
    }
}
