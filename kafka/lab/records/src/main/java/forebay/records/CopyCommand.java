package forebay.records;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadata.CustomMetadata;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentMetadataUpdate;
import org.apache.kafka.server.log.remote.storage.RemoteLogSegmentState;
import org.apache.kafka.server.log.remote.storage.RemoteStorageException;
import org.apache.kafka.server.log.remote.storage.RemoteStorageManager;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code records copy}: copies segments to the tier as a broker does, reads them back, and compares. */
@Command(name = "copy", description = "Copies segments with the plugin for tiered storage, and reads them back.", sortOptions = false)
final class CopyCommand implements Callable<Integer> {
    private static final int READ_BYTES = 1 << 20;
    private static final long WARM_UP_BYTES = 4 << 20;
    private static final long PROGRESS_NANOS = 500_000_000;

    @Option(names = "--plugin", required = true, paramLabel = "CLASS", description = "the RemoteStorageManager")
    String plugin;

    @Option(names = "--setting", paramLabel = "KEY=VALUE", description = "a setting of the plugin, without Kafka's prefix; may be repeated")
    Map<String, String> settings = new HashMap<>();

    @Option(names = "--folder", required = true, paramLabel = "DIR", description = "where the segments are written")
    Path folder;

    @Option(names = "--segments", required = true, paramLabel = "COUNT", description = "the number of segments")
    int segments;

    @Option(names = "--bytes", required = true, paramLabel = "BYTES", description = "the size of each")
    long bytes;

    @Option(names = "--fresh", description = "copy each as soon as it is written, while its pages are dirty; else wait for a line of standard input")
    boolean fresh;

    private final Report report = new Report(System.out);
    private RemoteStorageManager manager;
    private long lastProgress = System.nanoTime();
    private long equal;
    private long dirty;

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(folder);
        manager = (RemoteStorageManager) Class.forName(plugin).getDeclaredConstructor().newInstance();
        try (RemoteStorageManager closed = manager) {
            Map<String, Object> all = new HashMap<>(settings);
            all.put("broker.id", 1);
            closed.configure(all);
            // So that what is measured is not the loading of classes.
            LogSegment first = LogSegment.write(folder, 0, WARM_UP_BYTES);
            first.force();
            closed.deleteLogSegmentData(copy(first));
            first.remove();
            Map<String, Object> summary = fresh ? runFresh() : runMeasured();
            summary.put("equal", equal);
            report.summary(summary);
        }
        return equal == segments ? Main.EXIT_OK : Main.EXIT_CHECK_FAILED;
    }

    private Map<String, Object> runFresh() throws Exception {
        for (int number = 1; number <= segments; number++) {
            LogSegment segment = LogSegment.write(folder, number, bytes);
            if (dirtyBytes() >= bytes) {
                dirty++;
            }
            compare(segment, copy(segment));
            segment.remove();
            progress("compared", number);
        }
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("dirty", dirty);
        return summary;
    }

    private Map<String, Object> runMeasured() throws Exception {
        List<LogSegment> written = new ArrayList<>();
        for (int number = 1; number <= segments; number++) {
            LogSegment segment = LogSegment.write(folder, number, bytes);
            segment.force();
            written.add(segment);
            progress("written", number);
        }
        report.progress(Map.of("ready", true));
        if (System.in.read() < 0) {
            throw new IOException("standard input ended before its line");
        }
        List<RemoteLogSegmentMetadata> copied = new ArrayList<>();
        long total = 0;
        long sentBefore = sentBytes();
        long begun = System.nanoTime();
        for (LogSegment segment : written) {
            copied.add(copy(segment));
            total += segment.bytes();
            progress("copied", copied.size());
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("bytes", total);
        summary.put("sent_bytes", sentBytes() - sentBefore);
        summary.put("seconds", seconds);
        Map<String, Object> done = new LinkedHashMap<>(summary);
        done.put("done", true);
        report.progress(done);
        for (int index = 0; index < copied.size(); index++) {
            compare(written.get(index), copied.get(index));
            progress("compared", index + 1);
        }
        return summary;
    }

    private RemoteLogSegmentMetadata copy(LogSegment segment) throws RemoteStorageException, IOException {
        RemoteLogSegmentMetadata metadata = segment.metadata();
        Optional<CustomMetadata> custom = manager.copyLogSegmentData(metadata, segment.data());
        return metadata.createWithUpdates(new RemoteLogSegmentMetadataUpdate(
                metadata.remoteLogSegmentId(), 2L, custom, RemoteLogSegmentState.COPY_SEGMENT_FINISHED, 1));
    }

    /** Counts the segment if the tier has the bytes of the file. */
    private void compare(LogSegment segment, RemoteLogSegmentMetadata metadata) throws RemoteStorageException, IOException {
        byte[] ours = new byte[READ_BYTES];
        byte[] theirs = new byte[READ_BYTES];
        try (InputStream file = new BufferedInputStream(Files.newInputStream(segment.log()), READ_BYTES);
                InputStream tier = manager.fetchLogSegment(metadata, 0)) {
            while (true) {
                int count = file.readNBytes(ours, 0, READ_BYTES);
                if (tier.readNBytes(theirs, 0, READ_BYTES) != count || !Arrays.equals(ours, 0, count, theirs, 0, count)) {
                    System.err.println("records: the tier has other bytes than " + segment.log());
                    return;
                }
                if (count == 0) {
                    equal++;
                    return;
                }
            }
        }
    }

    private void progress(String what, int number) {
        if (System.nanoTime() - lastProgress >= PROGRESS_NANOS) {
            lastProgress = System.nanoTime();
            report.progress(Map.of(what, number));
        }
    }

    /** Bytes of files that are in this machine's memory alone. */
    private static long dirtyBytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/meminfo")).stream().filter(line -> line.startsWith("Dirty:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10).sum();
    }

    /** Bytes that this machine has sent, by all interfaces but the loopback. */
    private static long sentBytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/net/dev")).stream().filter(line -> line.contains(":"))
                .map(line -> line.strip().split("[:\\s]+")).filter(fields -> !fields[0].equals("lo")).mapToLong(fields -> Long.parseLong(fields[9])).sum();
    }
}
