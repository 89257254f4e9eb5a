package forebay.objects;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code objects speed}. */
@Command(
        name = "speed",
        description = "Measures several object stores by turns: ranges of 1 MiB, puts of 64 MiB and of 4 KiB.",
        sortOptions = false)
final class SpeedCommand implements Callable<Integer> {
    @Option(names = "--stores", required = true, paramLabel = "FILE",
            description = "a list in JSON of name, endpoint, region, access_key, secret_key and pid")
    Path stores;

    @Option(names = "--turns", defaultValue = "7", description = "how often each store is measured, after one warm-up (default: 7)")
    int turns;

    /** A store to measure. Without a process, its processor time is not measured. */
    record Named(String name, URI endpoint, String region, String access_key, String secret_key, Long pid) {}

    @Override
    public Integer call() throws Exception {
        List<Named> named = new ObjectMapper().readValue(stores.toFile(), new TypeReference<>() {});
        Report report = new Report(System.out);
        Speed speed = new Speed(report);
        List<Map<String, Object>> measured = speed.run(named, turns);
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("sdk", software.amazon.awssdk.core.util.VersionInfo.SDK_VERSION);
        summary.put("measured", measured);
        report.summary(summary);
        return Main.EXIT_OK;
    }
}
