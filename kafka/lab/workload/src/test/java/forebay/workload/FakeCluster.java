package forebay.workload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A cluster in memory: topics of one partition, and a group's messages go to whichever of its consumers asks first. */
final class FakeCluster implements Clients {
    final Set<String> topics = new TreeSet<>();
    private final Map<String, List<ConsumerRecord<byte[], byte[]>>> logs = new HashMap<>();
    private final Map<String, Integer> positions = new HashMap<>();
    /** What every message from now on is refused with. */
    volatile RuntimeException refusal;
    /** No message is answered from now on. */
    volatile boolean silent;
    /** Messages are kept, and answered on {@link #release}. */
    volatile boolean held;
    private final List<Runnable> answers = new ArrayList<>();
    /** How many messages a consumer gets at once. */
    volatile int fetchMax = Integer.MAX_VALUE;
    /** What ends whichever consumer asks next. */
    volatile Error failure;
    /** How many topics can be made. */
    int topicsMax = Integer.MAX_VALUE;

    private synchronized void append(ProducerRecord<byte[], byte[]> record) {
        List<ConsumerRecord<byte[], byte[]>> log = logs.get(record.topic());
        log.add(new ConsumerRecord<>(record.topic(), 0, log.size(), System.currentTimeMillis() - 5,
                TimestampType.CREATE_TIME, 0, record.value().length, record.key(), record.value(),
                new RecordHeaders(record.headers()), java.util.Optional.empty()));
    }

    synchronized long published() {
        return logs.values().stream().mapToLong(List::size).sum();
    }

    private synchronized void answer(Runnable answer) {
        if (held) {
            answers.add(answer);
        } else {
            answer.run();
        }
    }

    /** Answers what was kept, and what comes. */
    synchronized void release() {
        held = false;
        answers.forEach(Runnable::run);
        answers.clear();
    }

    private synchronized List<ConsumerRecord<byte[], byte[]>> fetch(String group, String topic) {
        List<ConsumerRecord<byte[], byte[]>> log = logs.getOrDefault(topic, List.of());
        int from = positions.getOrDefault(group, 0);
        int to = from + Math.min(fetchMax, log.size() - from);
        positions.put(group, to);
        return new ArrayList<>(log.subList(from, to));
    }

    @Override
    public Producer<byte[], byte[]> producer() {
        return new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
            @Override
            public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
                Runnable answer = () -> callback.onCompletion(new RecordMetadata(new TopicPartition(record.topic(), 0), 0, 0, 0, 0, 0), null);
                if (refusal == null && !silent) {
                    append(record);
                    answer(answer);
                } else if (refusal != null) {
                    callback.onCompletion(null, refusal);
                }
                return null;
            }
        };
    }

    @Override
    public Consumer<byte[], byte[]> consumer(String group) {
        return new MockConsumer<>("earliest") {
            private String topic;
            private Set<TopicPartition> paused = new HashSet<>();

            @Override
            public synchronized void subscribe(Collection<String> names) {
                topic = names.iterator().next();
            }

            @Override
            public Set<TopicPartition> assignment() {
                return Set.of(new TopicPartition(topic, 0));
            }

            @Override
            public Set<TopicPartition> paused() {
                return paused;
            }

            @Override
            public void pause(Collection<TopicPartition> partitions) {
                paused.addAll(partitions);
            }

            @Override
            public void resume(Collection<TopicPartition> partitions) {
                paused = new HashSet<>();
            }

            @Override
            public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                if (failure != null) {
                    throw failure;
                }
                return paused.isEmpty()
                        ? new ConsumerRecords<>(Map.of(new TopicPartition(topic, 0), fetch(group, topic)), Map.of())
                        : ConsumerRecords.empty();
            }

            @Override
            public void commitAsync() {}
        };
    }

    @Override
    public boolean commitsByItself() {
        return false;
    }

    @Override
    public synchronized void createTopics(List<String> names, Workload workload) throws UsageException {
        topics.addAll(names.subList(0, Math.min(topicsMax, names.size())));
        if (names.size() > topicsMax) {
            throw new UsageException("too many topics");
        }
        names.forEach(name -> logs.put(name, new ArrayList<>()));
    }

    @Override
    public synchronized void deleteTopics(List<String> names) {
        topics.removeAll(names);
    }

    @Override
    public Map<String, Object> describe() {
        return Map.of("cluster", "fake");
    }
}
