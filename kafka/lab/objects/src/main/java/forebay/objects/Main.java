package forebay.objects;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line: {@code check}, {@code speed}, {@code upload} and {@code ranges}. */
@Command(
        name = "objects",
        description = "Checks and measures an object store, with the AWS SDK for Java.",
        subcommands = {CheckCommand.class, SpeedCommand.class, UploadCommand.class, RangesCommand.class},
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class Main {
    /** All is well. */
    static final int EXIT_OK = 0;

    /** The work could not be done. */
    static final int EXIT_COULD_NOT_RUN = 1;

    /** It was done, and a check failed. */
    static final int EXIT_CHECK_FAILED = 4;

    private Main() {}

    /** Runs the command and ends the process with its status. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main())
                .setExecutionExceptionHandler((failure, commandLine, parsed) -> {
                    commandLine.getErr().println("objects: " + failure);
                    return EXIT_COULD_NOT_RUN;
                });
    }
}
