package forebay.workload;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command line. */
@Command(
        name = "workload",
        description = "Runs workloads of OpenMessaging Benchmark on a Kafka cluster.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class Main implements Callable<Integer> {
    /** All is well. */
    static final int EXIT_OK = 0;

    /** The work could not be done. */
    static final int EXIT_COULD_NOT_RUN = 1;

    /** Messages could not be published, or the run ended before its time. */
    static final int EXIT_FAILED = 4;

    /** Somebody ended it. */
    static final int EXIT_INTERRUPTED = 130;

    private static final String LOG_LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";

    /** How long an interrupted run may take to clean up. */
    private static final Duration CLEANING = Duration.ofSeconds(45);

    @Option(names = {"-d", "--drivers"}, required = true, split = ",", paramLabel = "FILE",
            description = "driver files; each workload runs with each of them")
    List<Path> drivers;

    @Parameters(arity = "1..*", paramLabel = "WORKLOAD", description = "workload files")
    List<Path> workloads;

    @Option(names = {"-o", "--output"}, paramLabel = "FILE",
            description = "where to write the result; by default WORKLOAD-DRIVER-TIME.json in this folder")
    Path output;

    @Option(names = "--bootstrap-server", paramLabel = "HOST:PORT,…", description = "brokers to ask first, instead of the driver's")
    String bootstrap;

    @Option(names = "--command-config", paramLabel = "FILE",
            description = "properties for all clients, such as security settings, over the driver's")
    Path commandConfig;

    @Option(names = "--interval-seconds", defaultValue = "10", description = "seconds of a sample (default: 10)")
    double intervalSeconds;

    @Option(names = "--stall-seconds", defaultValue = "120",
            description = "gives up when nothing was published or received for so long (default: 120)")
    double stallSeconds;

    @Option(names = "--keep-topics", description = "leaves the topics; else they are deleted at the end")
    boolean keepTopics;

    @Option(names = "--await-drain",
            description = "when a backlog is built, waits for a line on standard input, or its end, before consumers catch up; producers go on")
    boolean awaitDrain;

    @Option(names = "--topic-prefix", defaultValue = "forebay-workload", paramLabel = "NAME",
            description = "what the names of topics begin with (default: forebay-workload)")
    String topicPrefix;

    @Option(names = "--json", description = "writes progress as lines of JSON to standard output, too")
    boolean json;

    private volatile Run running;
    private volatile boolean interrupted;
    private final CountDownLatch ended = new CountDownLatch(1);

    private Main() {}

    /** Runs the command and ends the process with its status. */
    public static void main(String[] arguments) {
        // Clients warn of each try to connect, and of much that the driver files ask for.
        if (System.getProperty(LOG_LEVEL) == null) {
            System.setProperty(LOG_LEVEL, "error");
        }
        Main main = new Main();
        Thread hook = new Thread(main::interrupt, "interrupt");
        Runtime.getRuntime().addShutdownHook(hook);
        int status = commandLine(main).execute(arguments);
        main.ended.countDown();
        // Not exit: that would wait for the hook, and say another status, within a shutdown that is under way.
        Runtime.getRuntime().halt(status);
    }

    static CommandLine commandLine() {
        return commandLine(new Main());
    }

    private static CommandLine commandLine(Main main) {
        return new CommandLine(main).setExecutionExceptionHandler((failure, commandLine, parsed) -> {
            boolean usage = failure instanceof UsageException;
            commandLine.getErr().println("workload: " + (usage ? failure.getMessage() : failure.toString()));
            return EXIT_COULD_NOT_RUN;
        });
    }

    /** Somebody ends this process: the run cleans up first. */
    private void interrupt() {
        interrupted = true;
        Run run = running;
        if (run == null) {
            return;
        }
        System.err.println("--- interrupted: cleaning up");
        run.interrupt();
        try {
            if (!ended.await(CLEANING.toSeconds(), TimeUnit.SECONDS)) {
                System.err.println("workload: gave up cleaning up: topics whose names begin with %s may be left".formatted(run.prefix()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Integer call() throws UsageException, IOException, InterruptedException {
        if (output != null && drivers.size() * workloads.size() > 1) {
            throw new UsageException("--output names one file, and there are %d results: leave it out"
                    .formatted(drivers.size() * workloads.size()));
        }
        if (!(intervalSeconds >= 0.1) || !(stallSeconds >= 1)) {
            throw new UsageException("--interval-seconds must be at least 0.1, and --stall-seconds at least 1");
        }
        // All files are read before anything runs: a mistake in the last should not show after hours.
        for (Path file : drivers) {
            Driver.read(file);
        }
        for (Path file : workloads) {
            Payloads.of(Workload.read(file), file);
        }
        requireWritable(output);
        int status = EXIT_OK;
        for (Path workload : workloads) {
            for (Path driver : drivers) {
                status = Math.max(status, run(workload, driver));
            }
        }
        return status;
    }

    /** Before anything runs, for the same reason. */
    private static void requireWritable(Path result) throws UsageException {
        Path folder = result == null ? Path.of("") : result.toAbsolutePath().getParent();
        try {
            if (result != null && Files.isDirectory(result)) {
                throw new UsageException(result + " is a folder: --output names the file to write");
            }
            Files.createDirectories(folder.toAbsolutePath());
        } catch (IOException e) {
            throw new UsageException("%s cannot be made: %s".formatted(folder, e), e);
        }
        if (!Files.isWritable(folder.toAbsolutePath())) {
            throw new UsageException("%s cannot be written to, and the result is to be in it: name another file with --output"
                    .formatted(folder.toAbsolutePath()));
        }
    }

    private int run(Path workloadFile, Path driverFile) throws UsageException, IOException, InterruptedException {
        Workload workload = Workload.read(workloadFile);
        Driver driver = Driver.read(driverFile);
        Progress progress = new Progress(System.err, json ? System.out : null);
        progress.say("workload %s, driver %s".formatted(workload.name(), driver.name()));
        driver.unknown().forEach(setting -> progress.say(driverFile + ": Kafka's clients do not know " + setting));
        try (KafkaClients clients = new KafkaClients(driver, new Driver.Overrides(bootstrap, commandConfig))) {
            Map<String, Object> described = clients.describe();
            Run run = new Run(workload, Payloads.of(workload, workloadFile), clients, settings(), progress);
            running = run;
            if (interrupted) {
                return EXIT_INTERRUPTED;
            }
            Run.Outcome outcome = run.run();
            Path file = output != null ? output : Path.of("%s-%s-%s.json".formatted(
                    stem(workloadFile), driver.name().replaceAll("[/:]", "-"), DateTimeFormatter.ofPattern("yyyy-MM-dd-HH-mm-ss").format(LocalDateTime.now())));
            Result.write(Result.of(workload, driver, outcome, described), file);
            progress.say("result: " + file);
            return status(outcome);
        }
    }

    private Run.Settings settings() {
        String prefix = "%s-%08x".formatted(topicPrefix, ThreadLocalRandom.current().nextInt());
        return new Run.Settings(nanos(intervalSeconds), nanos(stallSeconds), prefix, keepTopics,
                awaitDrain ? () -> lineOf(System.in) : () -> () -> true);
    }

    /** Whether a line has been read, or the stream's end, since this was called. */
    static BooleanSupplier lineOf(InputStream stream) {
        CountDownLatch read = new CountDownLatch(1);
        Thread reader = new Thread(() -> {
            try {
                int next = stream.read();
                while (next >= 0 && next != '\n') {
                    next = stream.read();
                }
            } catch (IOException e) {
                System.err.println("workload: standard input: " + e.getMessage());
            } finally {
                read.countDown();
            }
        }, "await-drain");
        reader.setDaemon(true);
        reader.start();
        return () -> read.getCount() == 0;
    }

    private static Duration nanos(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }

    private static String stem(Path file) {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return dot > 0 ? name.substring(0, dot) : name;
    }

    private static int status(Run.Outcome outcome) {
        if (outcome.interrupted()) {
            return EXIT_INTERRUPTED;
        }
        if (outcome.stopped() != null || outcome.counters().errors() > 0) {
            System.err.printf("workload: %s%n", outcome.stopped() != null ? outcome.stopped()
                    : outcome.counters().errors() + " messages could not be published: " + outcome.errors());
            return EXIT_FAILED;
        }
        return EXIT_OK;
    }
}
