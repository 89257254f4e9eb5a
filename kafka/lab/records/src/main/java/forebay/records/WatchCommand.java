package forebay.records;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartitionInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code records watch}: says again and again how many replicas are not in sync, until it is ended. */
@Command(name = "watch", description = "Tells how many partitions lack a replica in sync, or a leader, as it changes.", sortOptions = false)
final class WatchCommand implements Callable<Integer> {
    /** How long an answer may take: then brokers are busy or gone, and the question is asked again. */
    private static final int PATIENCE_MS = 5000;

    @Option(names = "--bootstrap", required = true, paramLabel = "HOST:PORT,…", description = "brokers to ask first")
    String bootstrap;

    @Option(names = "--every-ms", defaultValue = "100", description = "time between two looks (default: 100)")
    long everyMs;

    @Override
    public Integer call() throws InterruptedException {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        Report report = new Report(System.out);
        try (Admin admin = Admin.create(settings)) {
            while (true) {
                try {
                    report.progress(look(admin).figures());
                } catch (ExecutionException e) {
                    report.progress(Map.of("unanswered", String.valueOf(e.getCause())));
                }
                Thread.sleep(Duration.ofMillis(everyMs).toMillis());
            }
        }
    }

    private static State look(Admin admin) throws ExecutionException, InterruptedException {
        ListTopicsOptions all = new ListTopicsOptions().listInternal(true).timeoutMs(PATIENCE_MS);
        DescribeTopicsOptions patience = new DescribeTopicsOptions().timeoutMs(PATIENCE_MS);
        return State.of(admin.describeTopics(admin.listTopics(all).names().get(), patience).allTopicNames().get().values());
    }

    /**
     * What a look found.
     *
     * @param partitions of all topics
     * @param underReplicated partitions that lack a replica in sync
     * @param leaderless partitions without a leader
     */
    record State(int partitions, int underReplicated, int leaderless) {
        static State of(Iterable<TopicDescription> topics) {
            int partitions = 0;
            int underReplicated = 0;
            int leaderless = 0;
            for (TopicDescription topic : topics) {
                List<TopicPartitionInfo> all = topic.partitions();
                partitions += all.size();
                underReplicated += (int) all.stream().filter(one -> one.isr().size() < one.replicas().size()).count();
                leaderless += (int) all.stream().filter(one -> one.leader() == null || one.leader().isEmpty()).count();
            }
            return new State(partitions, underReplicated, leaderless);
        }

        Map<String, Object> figures() {
            return Map.of("partitions", partitions, "under_replicated", underReplicated, "leaderless", leaderless);
        }
    }
}
