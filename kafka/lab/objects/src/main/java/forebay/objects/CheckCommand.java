package forebay.objects;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider;

/** {@code objects check}. */
@Command(
        name = "check",
        description = "Does what tiered storage does, in a new bucket, and compares all that is read. "
                + "The key is read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        sortOptions = false)
final class CheckCommand implements Callable<Integer> {
    @Option(names = "--endpoint", required = true, paramLabel = "URL", description = "the object store's address")
    URI endpoint;

    @Option(names = "--region", defaultValue = "us-east-1", description = "its region (default: us-east-1)")
    String region;

    @Option(names = "--size", defaultValue = "laptop", description = "laptop or full (default: laptop)")
    String size;

    @Spec
    CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        Sizes sizes = Sizes.named(size);
        if (sizes == null) {
            throw new ParameterException(spec.commandLine(), "--size is laptop or full, not " + size);
        }
        Report report = new Report(System.out);
        Cases cases = new Cases();
        Timings timings = new Timings();
        String bucket = "forebay-lab-%016x".formatted(ThreadLocalRandom.current().nextLong());
        try (Endpoint to = new Endpoint(endpoint, region, EnvironmentVariableCredentialsProvider.create())) {
            to.client().createBucket(request -> request.bucket(bucket));
            try {
                for (Map.Entry<String, Groups.Group> group : Groups.all().entrySet()) {
                    report.progress(group.getKey());
                    group.getValue().run(new Store(to.client(), bucket, group.getKey(), cases, timings), sizes);
                }
                report.progress("bucket");
                Store store = new Store(to.client(), bucket, "bucket", cases, timings);
                store.refused("a bucket that has objects is not deleted", 409, "BucketNotEmpty",
                        () -> to.client().deleteBucket(request -> request.bucket(bucket)));
            } finally {
                report.progress("removing the bucket");
                Buckets.remove(to.client(), bucket);
            }
            report.summary(summary(sizes, cases, timings, to.repeated()));
        }
        return cases.passed() ? Main.EXIT_OK : Main.EXIT_CHECK_FAILED;
    }

    private static Map<String, Object> summary(Sizes sizes, Cases cases, Timings timings, long repeated) {
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("sdk", software.amazon.awssdk.core.util.VersionInfo.SDK_VERSION);
        summary.put("sizes", sizes.toString());
        summary.put("cases", cases.summary());
        summary.put("operations", timings.summary());
        summary.put("requests_repeated", repeated);
        return summary;
    }
}
