package forebay.tiered;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.apache.kafka.common.config.ConfigException;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;

/** What a failed request means: whether it may pass, and what the operator can do. */
final class Failures {
    private static final Set<Integer> PASSING = Set.of(408, 429, 500, 502, 503, 504);
    /** Refusals of a request that may have been changed on its way. */
    private static final Set<String> PASSING_CODES = Set.of("RequestTimeout", "BadDigest", "XAmzContentChecksumMismatch",
            "XAmzContentSHA256Mismatch", "IncompleteBody", "SlowDown", "InternalError");
    private static final Set<String> OTHER_REGION = Set.of("PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException", "Redirect");

    private Failures() {}

    /** Explains why a request failed. The limit is that of the request if it was reached, or null. */
    static StoreException explain(Settings settings, String what, Duration limit, Exception failure) {
        if (failure instanceof AwsServiceException answer) {
            return answered(settings, what, answer);
        }
        String server = settings.endpoint() == null ? "the S3 server" : settings.endpoint().toString();
        if (limit != null) {
            return unanswered(what + ": " + server + " did not answer completely within " + limit.toMillis() + " ms", failure);
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConfigException wrong) {
                return new StoreException(StoreException.Kind.REFUSED, 0, "", wrong.getMessage(), failure);
            } else if (cause instanceof UnknownHostException) {
                return unanswered(what + ": the name in " + server + " has no address. Correct rsm.config.endpoint, or see to the name server", failure);
            } else if (cause instanceof ConnectException) {
                return unanswered(what + ": nothing accepts connections at " + server + ". See whether it runs, and whether rsm.config.endpoint is right", failure);
            } else if (cause instanceof SSLException) {
                return tls(what, server, cause, failure);
            }
        }
        return unanswered(what + ": " + server + ": " + failure.getMessage(), failure);
    }

    private static StoreException tls(String what, String server, Throwable cause, Exception failure) {
        String text = String.valueOf(cause.getMessage());
        boolean certificate = text.contains("certificat") || text.contains("PKIX") || text.contains("subject alternative");
        if (certificate) {
            return new StoreException(StoreException.Kind.REFUSED, 0, "", what + ": the certificate of " + server + " is not trusted (" + text
                    + "). Name the file with its authority's certificate in rsm.config.trust.store, and use a name that the certificate has", failure);
        }
        return unanswered(what + ": TLS with " + server + " failed: " + text + ". See whether the port speaks TLS", failure);
    }

    private static StoreException answered(Settings settings, String what, AwsServiceException answer) {
        int status = answer.statusCode();
        String code = Optional.ofNullable(answer.awsErrorDetails()).map(AwsErrorDetails::errorCode).orElse("");
        String said = Optional.ofNullable(answer.awsErrorDetails()).map(AwsErrorDetails::errorMessage).orElse("");
        StringBuilder message = new StringBuilder(what).append(": ").append(status).append(' ').append(code);
        if (!said.isEmpty()) {
            message.append(" (").append(said).append(')');
        }
        if (answer.requestId() != null) {
            message.append(", request ").append(answer.requestId());
        }
        remedy(settings, status, code, answer).ifPresent(remedy -> message.append(". ").append(remedy));
        return new StoreException(kind(status, code), status, code, message.toString(), answer);
    }

    private static StoreException.Kind kind(int status, String code) {
        if (status == 404 && code.equals("NoSuchKey")) {
            return StoreException.Kind.MISSING;
        }
        // A 404 without a code is that of something which is not an S3 server: a proxy whose server restarts.
        boolean strange = status == 404 && code.isEmpty();
        boolean passing = PASSING.contains(status) || PASSING_CODES.contains(code) || strange || status >= 200 && status < 300;
        return passing ? StoreException.Kind.PASSING : StoreException.Kind.REFUSED;
    }

    private static Optional<String> remedy(Settings settings, int status, String code, AwsServiceException answer) {
        if (OTHER_REGION.contains(code) || status == 301 || status == 307) {
            String region = Optional.ofNullable(answer.awsErrorDetails())
                    .flatMap(details -> Optional.ofNullable(details.sdkHttpResponse()))
                    .flatMap(response -> response.firstMatchingHeader("x-amz-bucket-region"))
                    .map(name -> " It says the region is " + name + ".")
                    .orElse("");
            return Optional.of("The bucket is in another region, or the endpoint is another." + region + " Correct rsm.config.region or rsm.config.endpoint");
        }
        return Optional.ofNullable(switch (code) {
            case "NoSuchBucket" -> "Create the bucket " + settings.bucket() + ", or correct rsm.config.bucket";
            case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken" ->
                "The access key or its secret is not right. Correct " + (settings.credentialsFile() == null ? "the credentials" : settings.credentialsFile());
            case "RequestTimeTooSkewed" -> "The clocks of this machine and of the server differ. Set them";
            case "AccessDenied", "AllAccessDisabled" -> "The user of S3 needs s3:ListBucket, s3:ListBucketMultipartUploads, s3:GetObject, s3:PutObject,"
                    + " s3:DeleteObject and s3:AbortMultipartUpload for the bucket " + settings.bucket();
            case "QuotaExceeded" -> "The bucket is full. Raise its size, or shorten the retention of its topics";
            case "" -> "An S3 server sends an error code; something else may answer at rsm.config.endpoint";
            default -> null;
        });
    }

    private static StoreException unanswered(String message, Exception failure) {
        return new StoreException(StoreException.Kind.PASSING, 0, "", message, failure);
    }
}
