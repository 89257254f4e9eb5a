package forebay.records;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line: {@code produce}, {@code verify}, {@code watch}, {@code tiers}, {@code read}, {@code segments} and {@code copy}. */
@Command(
        name = "records",
        description = "Writes records to a topic that can be checked byte for byte, and checks them; watches replicas and tiers; measures reads.",
        subcommands = {ProduceCommand.class, VerifyCommand.class, WatchCommand.class, TiersCommand.class, ReadCommand.class,
            SegmentsCommand.class, CopyCommand.class},
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class Main {
    /** All is well. */
    static final int EXIT_OK = 0;

    /** The work could not be done. */
    static final int EXIT_COULD_NOT_RUN = 1;

    /** It was done, and the check failed. */
    static final int EXIT_CHECK_FAILED = 4;

    private Main() {}

    /** Runs the command and ends the process with its status. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main())
                .setExecutionExceptionHandler((failure, commandLine, parsed) -> {
                    commandLine.getErr().println("records: " + failure.getMessage());
                    return EXIT_COULD_NOT_RUN;
                });
    }
}
