package forebay.workload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** What messages are made of. */
final class Payloads {
    private Payloads() {}

    /**
     * The payloads of a workload.
     *
     * @param workloadFile where the workload was read: a payload file is looked for from the working directory, as the benchmark does,
     *     then from the workload's folder and the one above
     */
    static List<byte[]> of(Workload workload, Path workloadFile) throws UsageException {
        if (!workload.useRandomizedPayloads()) {
            return List.of(fromFile(workload, workloadFile));
        }
        Random random = new Random();
        int randomBytes = (int) (workload.messageSize() * workload.randomBytesRatio());
        return Stream.generate(() -> partlyRandom(random, workload.messageSize(), randomBytes))
                .limit(workload.randomizedPayloadPoolSize())
                .toList();
    }

    private static byte[] partlyRandom(Random random, int size, int randomBytes) {
        byte[] begin = new byte[randomBytes];
        random.nextBytes(begin);
        return java.util.Arrays.copyOf(begin, size);
    }

    private static byte[] fromFile(Workload workload, Path workloadFile) throws UsageException {
        Path folder = workloadFile.toAbsolutePath().getParent();
        Path above = folder == null ? null : folder.getParent();
        Path named = Path.of(workload.payloadFile());
        Path found = Stream.of(Path.of(""), folder, above)
                .filter(base -> base != null)
                .map(base -> base.resolve(named))
                .filter(Files::isRegularFile)
                .findFirst()
                .orElseThrow(() -> new UsageException("payload file %s: there is no such file, neither here nor below %s or %s"
                        .formatted(named, folder, above)));
        try {
            byte[] payload = Files.readAllBytes(found);
            if (payload.length != workload.messageSize()) {
                throw new UsageException("payload file %s has %d bytes, and messageSize is %d: make them equal"
                        .formatted(found, payload.length, workload.messageSize()));
            }
            return payload;
        } catch (IOException e) {
            throw new UsageException("payload file " + found + ": " + Yaml.reason(e), e);
        }
    }
}
