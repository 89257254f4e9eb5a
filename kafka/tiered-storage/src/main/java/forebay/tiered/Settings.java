package forebay.tiered;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigException;

/**
 * The settings of the plugin. In a broker's configuration each has the prefix {@code rsm.config.}, which Kafka removes. Unknown
 * settings are errors, so that a misspelled one is noticed.
 *
 * @param endpoint address of the S3 server; null for AWS
 * @param credentialsFile a file in the format of AWS's tools; null for the SDK's other sources
 * @param trustStore certificates to trust: PEM, PKCS #12 or JKS; null for those of the Java runtime
 * @param keyPrefix what all keys begin with, with a slash at its end, or empty
 * @param uploadBytesPerSecond what all uploads of this broker share; 0 for no limit
 * @param fetchWindowBytes what the first request of a reader asks for
 * @param fetchMemoryBytes what all readers share
 * @param timeout for each call except copies, and for each request
 * @param copyTimeout for a copy, besides the time that the upload rate allows it
 */
record Settings(
        int brokerId,
        URI endpoint,
        String bucket,
        String region,
        boolean pathStyle,
        Path credentialsFile,
        String credentialsProfile,
        Path trustStore,
        String trustStorePassword,
        String keyPrefix,
        Reference reference,
        Verify verify,
        int partBytes,
        long uploadBytesPerSecond,
        int fetchWindowBytes,
        long fetchMemoryBytes,
        Duration timeout,
        Duration copyTimeout) {

    /** Whether segments are copied by reference. */
    enum Reference { AUTO, NEVER, REQUIRE }

    /** What happens to a segment whose record batches are damaged. */
    enum Verify { REFUSE, WARN, OFF }

    private static final int MIB = 1 << 20;
    /** What brokers add: {@code broker.id}, and newer ones {@code node.id}. */
    private static final List<String> BROKER_IDS = List.of("node.id", "broker.id");

    /** Reads the settings. Throws ConfigException, which names the setting and says what would be right. */
    static Settings parse(Map<String, ?> configs) {
        Reader reader = new Reader(configs);
        URI endpoint = reader.address("endpoint");
        Settings settings = new Settings(
                reader.brokerId(),
                endpoint,
                reader.bucket(),
                reader.text("region", "us-east-1"),
                reader.flag("path.style", endpoint != null),
                reader.file("credentials.file"),
                reader.text("credentials.profile", "default"),
                reader.file("trust.store"),
                reader.text("trust.store.password", null),
                reader.keyPrefix(),
                reader.choice("reference", Reference.AUTO),
                reader.choice("verify", Verify.REFUSE),
                (int) reader.number("part.size.bytes", 64 * MIB, 5 * MIB, 1 << 30),
                reader.number("upload.max.bytes.per.second", 0, 0, Long.MAX_VALUE),
                (int) reader.number("fetch.window.bytes", MIB, 64 << 10, 64 * MIB),
                reader.number("fetch.memory.bytes", 64 * MIB, 4 * MIB, 64L << 30),
                Duration.ofMillis(reader.number("timeout.ms", 30_000, 1_000, 600_000)),
                Duration.ofMillis(reader.number("copy.timeout.ms", 1_800_000, 1_000, 86_400_000)));
        reader.refuseUnknown();
        return settings;
    }

    /** How long a copy of this many bytes may take. */
    Duration copyTimeout(long bytes) {
        return uploadBytesPerSecond == 0 ? copyTimeout : copyTimeout.plusSeconds(bytes / uploadBytesPerSecond);
    }

    /** How long a request with a body of this many bytes may take: at least 1 MiB/s are expected, or a quarter of the upload rate. */
    Duration requestTimeout(long bytes) {
        long rate = uploadBytesPerSecond == 0 ? MIB : Math.max(1, Math.min(MIB, uploadBytesPerSecond / 4));
        return timeout.plusSeconds(bytes / rate);
    }

    /** Reads settings by name, and remembers which were read. */
    private static final class Reader {
        private final Map<String, Object> left;

        Reader(Map<String, ?> configs) {
            left = new HashMap<>(configs);
        }

        int brokerId() {
            Stream<Object> values = BROKER_IDS.stream().map(left::remove).toList().stream().filter(Objects::nonNull);
            return values.findFirst().map(value -> Integer.parseInt(value.toString())).orElse(-1);
        }

        String text(String name, String otherwise) {
            Object value = left.remove(name);
            String text = value == null ? "" : value.toString().trim();
            return text.isEmpty() ? otherwise : text;
        }

        boolean flag(String name, boolean otherwise) {
            String value = text(name, String.valueOf(otherwise));
            return switch (value) {
                case "true" -> true;
                case "false" -> false;
                default -> throw wrong(name, value, "use true or false");
            };
        }

        long number(String name, long otherwise, long least, long most) {
            String value = text(name, String.valueOf(otherwise));
            try {
                long number = Long.parseLong(value);
                if (number >= least && number <= most) {
                    return number;
                }
            } catch (NumberFormatException ignored) {
                // Refused below, like a number outside the bounds.
            }
            throw wrong(name, value, "use a number from " + least + " to " + most);
        }

        <E extends Enum<E>> E choice(String name, E otherwise) {
            String value = text(name, otherwise.name().toLowerCase(Locale.ROOT));
            E[] all = otherwise.getDeclaringClass().getEnumConstants();
            return Arrays.stream(all)
                    .filter(each -> each.name().toLowerCase(Locale.ROOT).equals(value))
                    .findFirst()
                    .orElseThrow(() -> wrong(name, value, "use one of "
                            + Arrays.stream(all).map(each -> each.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(", "))));
        }

        URI address(String name) {
            String value = text(name, null);
            if (value == null) {
                return null;
            }
            try {
                URI address = new URI(value);
                boolean web = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
                boolean bare = address.getPath() == null || address.getPath().isEmpty() || address.getPath().equals("/");
                if (web && bare && address.getHost() != null && address.getQuery() == null && address.getUserInfo() == null) {
                    return address;
                }
            } catch (URISyntaxException ignored) {
                // Refused below, like an address of another form.
            }
            throw wrong(name, value, "use http://HOST:PORT or https://HOST:PORT");
        }

        String bucket() {
            String value = text("bucket", null);
            if (value == null) {
                throw new ConfigException("rsm.config.bucket is missing: set it to the name of the bucket for this cluster's segments");
            }
            if (!value.matches("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")) {
                throw wrong("bucket", value, "use the name of a bucket: 3 to 63 of a-z, 0-9, '-' and '.'");
            }
            return value;
        }

        Path file(String name) {
            String value = text(name, null);
            if (value == null) {
                return null;
            }
            Path path = Path.of(value);
            if (!Files.isReadable(path)) {
                throw wrong(name, value, "this file does not exist, or the broker's user may not read it");
            }
            return path;
        }

        String keyPrefix() {
            String value = text("key.prefix", "");
            String bare = value.endsWith("/") ? value.substring(0, value.length() - 1) : value;
            if (bare.isEmpty()) {
                if (value.isEmpty()) {
                    return "";
                }
                throw wrong("key.prefix", value, "leave it empty, or use names with '/' between them");
            }
            boolean odd = Arrays.stream(bare.split("/", -1)).anyMatch(part -> !part.matches("[A-Za-z0-9!_.*'()=-]+") || part.matches("\\.+"));
            if (odd || bare.length() > 512) {
                throw wrong("key.prefix", value, "use names of letters, digits and !_.*'()=- with '/' between them, 512 characters at most");
            }
            return bare + "/";
        }

        void refuseUnknown() {
            if (!left.isEmpty()) {
                String names = left.keySet().stream().sorted().map(name -> "rsm.config." + name).collect(Collectors.joining(", "));
                throw new ConfigException("unknown settings: " + names + ". Remove them, or correct their spelling");
            }
        }

        private static ConfigException wrong(String name, String value, String remedy) {
            return new ConfigException("rsm.config." + name, value, remedy);
        }
    }
}
