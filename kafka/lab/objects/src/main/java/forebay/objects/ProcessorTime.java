package forebay.objects;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The processor time of a process, from {@code /proc}. */
final class ProcessorTime {
    /** The kernel's USER_HZ, which is 100 on every system that this runs on. */
    private static final double TICKS_PER_SECOND = 100;

    /** Fields behind the program's name: user's time is the twelfth of them, system's the thirteenth. */
    private static final int USER = 11;

    private ProcessorTime() {}

    /** Seconds since the start of the process; NaN if it cannot be read. */
    static double seconds(Long pid) {
        if (pid == null) {
            return Double.NaN;
        }
        try {
            return in(Files.readString(Path.of("/proc", pid.toString(), "stat")));
        } catch (IOException e) {
            return Double.NaN;
        }
    }

    /** The sum in a line of {@code /proc/PID/stat}. The program's name, in parentheses, may hold anything. */
    static double in(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" +");
        return fields.length <= USER + 1 ? Double.NaN
                : (Long.parseLong(fields[USER]) + Long.parseLong(fields[USER + 1])) / TICKS_PER_SECOND;
    }
}
