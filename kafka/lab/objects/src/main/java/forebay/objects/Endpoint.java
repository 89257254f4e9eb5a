package forebay.objects;

import java.net.URI;
import java.util.concurrent.atomic.AtomicLong;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** A client of one object store. It has the SDK's default settings, but for the address and path style. */
final class Endpoint implements AutoCloseable {
    private final Attempts attempts = new Attempts();
    private final S3Client client;

    Endpoint(URI address, String region, AwsCredentialsProvider credentials) {
        this(address, region, credentials, RequestChecksumCalculation.WHEN_SUPPORTED);
    }

    /** A client that computes checksums of what it puts as the SDK does by default, or only where S3 requires one. */
    Endpoint(URI address, String region, AwsCredentialsProvider credentials, RequestChecksumCalculation checksums) {
        this.client = S3Client.builder()
                .endpointOverride(address)
                .region(Region.of(region))
                .credentialsProvider(credentials)
                .forcePathStyle(true)
                .requestChecksumCalculation(checksums)
                .overrideConfiguration(settings -> settings.addExecutionInterceptor(attempts))
                .build();
    }

    S3Client client() {
        return client;
    }

    /** How many requests the SDK has sent again, because there was no answer, or an error that may pass. */
    long repeated() {
        return attempts.sent.get() - attempts.begun.get();
    }

    @Override
    public void close() {
        client.close();
    }

    private static final class Attempts implements ExecutionInterceptor {
        private final AtomicLong begun = new AtomicLong();
        private final AtomicLong sent = new AtomicLong();

        @Override
        public void beforeMarshalling(Context.BeforeMarshalling context, ExecutionAttributes attributes) {
            begun.incrementAndGet();
        }

        @Override
        public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
            sent.incrementAndGet();
        }
    }
}
