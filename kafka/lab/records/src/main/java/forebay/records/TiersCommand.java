package forebay.records;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code records tiers}: reports again and again how far topics are in the tier, until it is ended. */
@Command(name = "tiers", description = "Reports how far each partition is copied to the tier and deleted locally.", sortOptions = false)
final class TiersCommand implements Callable<Integer> {
    /** Time limit for an answer. Without one, brokers are busy or gone, and the question is asked again. */
    private static final int PATIENCE_MS = 10_000;

    @Option(names = "--bootstrap", required = true, paramLabel = "HOST:PORT,…", description = "brokers to ask first")
    String bootstrap;

    @Option(names = "--topic", required = true, description = "a topic; may be repeated")
    List<String> topics;

    @Option(names = "--partitions", required = true, description = "the number of partitions of each topic")
    int partitions;

    @Option(names = "--every-ms", defaultValue = "500", description = "time between two readings (default: 500)")
    long everyMs;

    @Override
    public Integer call() throws InterruptedException {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        Report report = new Report(System.out);
        Set<TopicPartition> known = new HashSet<>();
        try (Admin admin = Admin.create(settings)) {
            while (true) {
                try {
                    report.progress(read(admin).figures(known));
                } catch (ExecutionException e) {
                    report.progress(Map.of("unanswered", String.valueOf(e.getCause())));
                }
                Thread.sleep(everyMs);
            }
        }
    }

    private State read(Admin admin) throws ExecutionException, InterruptedException {
        // In this order: a segment is in the tier before it is deleted locally, and what retention deletes meanwhile is neither lost nor kept.
        Map<TopicPartition, Long> local = offsets(admin, OffsetSpec.earliestLocal());
        Map<TopicPartition, Long> tiered = offsets(admin, OffsetSpec.latestTiered());
        Map<TopicPartition, Long> start = offsets(admin, OffsetSpec.earliest());
        return new State(start, local, tiered, offsets(admin, OffsetSpec.latest()));
    }

    private Map<TopicPartition, Long> offsets(Admin admin, OffsetSpec spec) throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        for (String topic : topics) {
            for (int partition = 0; partition < partitions; partition++) {
                wanted.put(new TopicPartition(topic, partition), spec);
            }
        }
        Map<TopicPartition, Long> offsets = new HashMap<>();
        Map<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> found =
                admin.listOffsets(wanted, new ListOffsetsOptions().timeoutMs(PATIENCE_MS)).all().get();
        found.forEach((partition, info) -> offsets.put(partition, info.offset()));
        return offsets;
    }

    /**
     * One reading.
     *
     * @param start the first offset of each partition, in the tier or not
     * @param local the first offset of each partition that the leader has in its log directory
     * @param tiered the last offset of each partition in the tier; -1 if there is none
     * @param end the offset of the next record
     */
    record State(Map<TopicPartition, Long> start, Map<TopicPartition, Long> local, Map<TopicPartition, Long> tiered, Map<TopicPartition, Long> end) {
        /**
         * The figures of a line.
         *
         * @param known partitions of which something was in the tier at an earlier reading. A new leader has nothing in the tier until it
         *     has read Kafka's metadata, which is no loss. Those of this reading are added
         */
        Map<String, Object> figures(Set<TopicPartition> known) {
            List<String> lost = new ArrayList<>();
            Map<String, Long> next = new LinkedHashMap<>();
            local.forEach((partition, first) -> {
                long inTier = tiered.get(partition) + 1;
                next.put(partition.toString(), inTier);
                boolean hasNotReadMetadata = inTier == 0 && known.contains(partition);
                if (inTier > 0) {
                    known.add(partition);
                }
                boolean isDeleted = first <= start.getOrDefault(partition, 0L);
                if (first > inTier && !hasNotReadMetadata && !isDeleted) {
                    lost.add(partition + " begins locally at " + first + ", and the tier ends at " + inTier);
                }
            });
            return Map.of("tiered", sum(tiered) + tiered.size(), "local", sum(local), "end", sum(end), "lost", lost, "next", next,
                    "starts", named(start), "ends", named(end));
        }

        private static Map<String, Long> named(Map<TopicPartition, Long> offsets) {
            Map<String, Long> named = new LinkedHashMap<>();
            offsets.forEach((partition, offset) -> named.put(partition.toString(), offset));
            return named;
        }

        private static long sum(Map<TopicPartition, Long> offsets) {
            return offsets.values().stream().mapToLong(Long::longValue).sum();
        }
    }
}
