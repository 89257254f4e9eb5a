package forebay.tiered;

import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.net.ssl.TrustManager;
import org.apache.kafka.common.config.ConfigException;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Sends requests to the bucket. Each has a time limit of its own and ends with its call. What may pass is repeated;
 * anything else becomes a {@link StoreException}.
 */
final class ObjectStore implements AutoCloseable {
    private static final int ATTEMPTS_MAX = 5;
    private static final Duration BACKOFF = Duration.ofMillis(100);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration CONNECTION_AGE_MAX = Duration.ofMinutes(5);
    private static final int CONNECTIONS_MAX = 256;

    private final Settings settings;
    private final Metrics metrics;
    private final CredentialsFile credentials;
    private final S3Client client;
    private final AbortableHttpClient http;
    private final ScheduledThreadPoolExecutor timer;

    ObjectStore(Settings settings, Metrics metrics, String threadName, UnaryOperator<SdkHttpClient> wrapHttp) {
        this.settings = settings;
        this.metrics = metrics;
        this.credentials = credentialsFile(settings);
        this.http = new AbortableHttpClient(wrapHttp.apply(Apache5HttpClient.builder()
                .connectionTimeout(CONNECT_TIMEOUT)
                .connectionAcquisitionTimeout(settings.timeout())
                .socketTimeout(settings.timeout())
                .connectionTimeToLive(CONNECTION_AGE_MAX)
                .maxConnections(CONNECTIONS_MAX)
                // It would be a thread that outlives the plugin.
                .useIdleConnectionReaper(false)
                .tlsTrustManagersProvider(settings.trustStore() == null ? null : () -> trustManagers(settings))
                .build()));
        this.client = S3Client.builder()
                .httpClient(http)
                .endpointOverride(settings.endpoint())
                .region(Region.of(settings.region()))
                .forcePathStyle(settings.pathStyle())
                .credentialsProvider(provider(credentials))
                // The plugin names a checksum wherever it has one. Ranges have none.
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                // Requests are repeated here, where the deadline of the call is known.
                .overrideConfiguration(override -> override.retryStrategy(AwsRetryStrategy.doNotRetry()))
                .build();
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, threadName + "-timer");
            thread.setDaemon(true);
            return thread;
        });
        this.timer.setRemoveOnCancelPolicy(true);
    }

    /** What is asked of the client. It reads the whole answer before it returns. */
    interface Request<T> {
        T send(S3Client client) throws IOException;
    }

    URI endpoint() {
        return settings.endpoint();
    }

    String bucket() {
        return settings.bucket();
    }

    /** Sends a request, and repeats it while its failure may pass and the call has time. */
    <T> T request(Call call, String what, Request<T> request) throws IOException {
        return request(call, what, settings.timeout(), request);
    }

    <T> T request(Call call, String what, Duration timeout, Request<T> request) throws IOException {
        boolean missing = false;
        Duration backoff = BACKOFF;
        for (int attempt = 1; ; attempt++) {
            StoreException failure;
            long generation = credentials == null ? 0 : credentials.generation();
            try {
                return once(call, what, timeout, request);
            } catch (CallEndedException ended) {
                throw ended;
            } catch (StoreException failed) {
                failure = failed;
            }
            metrics.failedRequests.increment();
            boolean again = switch (failure.kind()) {
                case PASSING -> attempt < ATTEMPTS_MAX;
                case MISSING -> !missing;
                case REFUSED -> failure.status() == 403 && attempt < ATTEMPTS_MAX && haveChangedSince(generation);
            };
            missing = failure.kind() == StoreException.Kind.MISSING;
            if (!again || call.left().compareTo(backoff) <= 0) {
                throw failure;
            }
            call.sleep(backoff.plusMillis(ThreadLocalRandom.current().nextLong(backoff.toMillis())));
            backoff = backoff.multipliedBy(2);
        }
    }

    /** Whether there are other credentials than those of a request that was refused: from now, or since another request read them. */
    private boolean haveChangedSince(long generation) {
        if (credentials == null) {
            return false;
        }
        credentials.refresh();
        return credentials.generation() != generation;
    }

    /** One attempt, which is aborted when its time is over. */
    private <T> T once(Call call, String what, Duration timeout, Request<T> request) throws IOException {
        call.check();
        Duration limit = timeout.compareTo(call.left()) < 0 ? timeout : call.left();
        Call attempt = new Call(what, limit);
        Runnable abandon = () -> attempt.abandon("abandoned");
        Future<?> alarm = timer.schedule(abandon, limit.toNanos(), TimeUnit.NANOSECONDS);
        call.onAbandon(abandon);
        Runnable leave = attempt.enter();
        try {
            metrics.requests.increment();
            return request.send(client);
        } catch (StoreException failure) {
            throw failure;
        } catch (IOException | RuntimeException failure) {
            call.check();
            throw Failures.explain(settings, what, attempt.left().isZero() ? limit : null, failure);
        } finally {
            leave.run();
            call.forget(abandon);
            alarm.cancel(false);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        client.close();
        http.close();
        Calls.end(timer);
    }

    private static CredentialsFile credentialsFile(Settings settings) {
        if (settings.credentialsFile() == null) {
            return null;
        }
        try {
            return new CredentialsFile(settings.credentialsFile(), settings.credentialsProfile());
        } catch (IOException unusable) {
            throw new ConfigException("rsm.config.credentials.file", settings.credentialsFile(), unusable.getMessage());
        }
    }

    private static AwsCredentialsProvider provider(CredentialsFile file) {
        return file == null ? DefaultCredentialsProvider.builder().build() : file;
    }

    private static TrustManager[] trustManagers(Settings settings) {
        try {
            return TrustStore.load(settings.trustStore(), settings.trustStorePassword());
        } catch (IOException | GeneralSecurityException unusable) {
            throw new ConfigException("rsm.config.trust.store", settings.trustStore(), "no certificates can be read from it: " + unusable.getMessage());
        }
    }
}
