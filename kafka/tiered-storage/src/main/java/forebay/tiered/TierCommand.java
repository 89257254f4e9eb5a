package forebay.tiered;

import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Properties;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The command {@code forebay-tier check}. */
public final class TierCommand {
    private static final String PREFIX = "rsm.config.";
    private static final Duration AGE = Duration.ofHours(24);
    private static final Duration AGE_MIN = Duration.ofHours(1);
    private static final int EXIT_OK = 0;
    private static final int EXIT_COULD_NOT_RUN = 1;
    private static final int EXIT_USAGE = 2;
    private static final int EXIT_FOUND = 4;
    private static final String USAGE = """
            usage: forebay-tier check --bootstrap-server HOST:PORT --config FILE [options]

            Compares Kafka's topic __remote_log_metadata with the bucket of the tier.

              --bootstrap-server HOST:PORT  a broker
              --config FILE                 server.properties of a broker, for rsm.config.*
              --command-config FILE         settings of the client that reads the topic, such as for TLS
              --read                        read every object and compare its checksum
              --age TIME                    leave alone what is younger: 24h by default, at least 1h
              --delete-orphans              delete objects that nothing in Kafka names, if they are older
              --json                        print the result as JSON

            Exit status: 0 nothing is wrong, 1 could not run, 2 usage, 4 something is wrong.
            """;

    private TierCommand() {}

    /** Runs the command and ends the process with its status. */
    public static void main(String[] arguments) {
        System.exit(run(arguments, System.out, System.err));
    }

    /** What was asked for. */
    private record Options(String bootstrap, Path config, Path clientConfig, boolean read, Duration age, boolean deleteOrphans, boolean json) {}

    static int run(String[] arguments, PrintStream out, PrintStream err) {
        Options options;
        try {
            options = parse(arguments);
        } catch (IllegalArgumentException wrong) {
            err.println("forebay-tier: " + wrong.getMessage());
            err.print(USAGE);
            return EXIT_USAGE;
        }
        try (Metrics metrics = new Metrics();
                ObjectStore store = new ObjectStore(settings(options.config()), metrics, "forebay-tier-check", UnaryOperator.identity());
                KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(client(options), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            TierCheck check = new TierCheck(store, new ObjectKeys(settings(options.config()).keyPrefix()), options.age(), Instant.now());
            TierCheck.Report report = check.run(new KafkaSegments(consumer)::readToEnd, options.read(), options.deleteOrphans());
            out.print(options.json() ? json(report) : text(report));
            return report.findings().isEmpty() ? EXIT_OK : EXIT_FOUND;
        } catch (IOException | RuntimeException failure) {
            err.println("forebay-tier: " + failure.getMessage());
            return EXIT_COULD_NOT_RUN;
        }
    }

    private static Options parse(String[] arguments) {
        if (arguments.length == 0 || !arguments[0].equals("check")) {
            throw new IllegalArgumentException("name the command check");
        }
        String bootstrap = null;
        Path config = null;
        Path clientConfig = null;
        boolean read = false;
        boolean deleteOrphans = false;
        boolean json = false;
        Duration age = AGE;
        Iterator<String> left = Arrays.asList(arguments).subList(1, arguments.length).iterator();
        while (left.hasNext()) {
            String option = left.next();
            switch (option) {
                case "--bootstrap-server" -> bootstrap = value(option, left);
                case "--config" -> config = Path.of(value(option, left));
                case "--command-config" -> clientConfig = Path.of(value(option, left));
                case "--read" -> read = true;
                case "--delete-orphans" -> deleteOrphans = true;
                case "--json" -> json = true;
                case "--age" -> age = age(value(option, left));
                default -> throw new IllegalArgumentException("there is no option " + option);
            }
        }
        if (bootstrap == null || config == null) {
            throw new IllegalArgumentException("--bootstrap-server and --config are required");
        }
        return new Options(bootstrap, config, clientConfig, read, age, deleteOrphans, json);
    }

    private static String value(String option, Iterator<String> left) {
        if (!left.hasNext()) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return left.next();
    }

    private static Duration age(String text) {
        Matcher matcher = Pattern.compile("(\\d{1,6})([mhd])").matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("--age is a number with m, h or d, such as 24h");
        }
        long number = Long.parseLong(matcher.group(1));
        Duration age = switch (matcher.group(2)) {
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
        if (age.compareTo(AGE_MIN) < 0) {
            throw new IllegalArgumentException("--age is at least 1h: a copy that runs is not named by Kafka at once");
        }
        return age;
    }

    private static Properties load(Path file) throws IOException {
        Properties properties = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            properties.load(in);
        }
        return properties;
    }

    private static Settings settings(Path config) throws IOException {
        Map<String, Object> own = new HashMap<>();
        load(config).forEach((name, value) -> {
            if (name.toString().startsWith(PREFIX)) {
                own.put(name.toString().substring(PREFIX.length()), value);
            }
        });
        if (own.isEmpty()) {
            throw new ConfigException(config + " has no settings that begin with " + PREFIX);
        }
        return Settings.parse(own);
    }

    private static Properties client(Options options) throws IOException {
        Properties properties = options.clientConfig() == null ? new Properties() : load(options.clientConfig());
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, options.bootstrap());
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        return properties;
    }

    static String text(TierCheck.Report report) {
        StringBuilder text = new StringBuilder();
        for (TierCheck.Finding finding : report.findings()) {
            text.append("%s: %s: %s (%s)%n".formatted(name(finding.problem()), finding.key(), finding.problem().text(), finding.detail()));
        }
        text.append("%d segments, %d objects, %d bytes, %d problems%n".formatted(report.segments(), report.objects(), report.bytes(), report.findings().size()));
        if (report.unfinished() > 0) {
            text.append("%d objects are of copies or deletes that Kafka has begun and not finished%n".formatted(report.unfinished()));
        }
        if (report.young() > 0) {
            text.append("%d objects are named by nothing in Kafka, and too young to be called orphans%n".formatted(report.young()));
        }
        if (report.strange() > 0) {
            text.append("%d objects below the prefix are not those of the plugin%n".formatted(report.strange()));
        }
        if (report.deleted() > 0) {
            text.append("%d orphans were deleted%n".formatted(report.deleted()));
        }
        return text.toString();
    }

    static String json(TierCheck.Report report) {
        String findings = report.findings().stream()
                .map(each -> "{\"problem\":%s,\"key\":%s,\"detail\":%s}".formatted(quoted(name(each.problem())), quoted(each.key()), quoted(each.detail())))
                .collect(Collectors.joining(","));
        return "{\"segments\":%d,\"objects\":%d,\"bytes\":%d,\"unfinished_objects\":%d,\"young_objects\":%d,\"strange_objects\":%d,\"orphans_deleted\":%d,\"findings\":[%s]}%n".formatted(
                report.segments(), report.objects(), report.bytes(), report.unfinished(), report.young(), report.strange(), report.deleted(), findings);
    }

    private static String name(TierCheck.Problem problem) {
        return problem.name().toLowerCase(java.util.Locale.ROOT);
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') {
                out.append('\\').append(each);
            } else if (each < ' ') {
                out.append("\\u%04x".formatted((int) each));
            } else {
                out.append(each);
            }
        }
        return out.append('"').toString();
    }
}
