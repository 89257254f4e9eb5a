package forebay.workload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Producers and consumers at work. Each consumer has a thread; senders are as many as there are processors, and each serves its
 * share of the producers in turn.
 */
final class Load implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);
    /** The same while consumers rest: a poll that gets nothing takes all of it, and would begin to drain a backlog so much later. */
    private static final Duration POLL_RESTING = Duration.ofMillis(10);
    private static final Duration CLOSE = Duration.ofSeconds(10);
    /** A sender that waits looks so often whether it still should. */
    private static final long NAP_NS = 20_000_000;
    /** Marks the messages by which consumers show that they are ready; nothing else counts them. */
    private static final String PROBE = "forebay.probe";
    private static final byte[] PROBE_VALUE = new byte[10];

    private final Statistics statistics;
    private final List<Outlet> outlets = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<Consumer<byte[], byte[]>> consumers = new ArrayList<>();
    private final Set<String> ready = ConcurrentHashMap.newKeySet();
    private final AtomicReference<String> broken = new AtomicReference<>();
    private final LongAdder unacknowledged = new LongAdder();
    private volatile boolean stopped;
    private volatile boolean finished;
    private volatile boolean resting;
    private volatile Pace pace;
    private int groups;

    /** A producer, and the topic it sends to. */
    private record Outlet(Producer<byte[], byte[]> producer, String topic) {}

    Load(Statistics statistics) {
        this.statistics = statistics;
    }

    /** Makes the consumers, which begin to read, and the producers, which wait. */
    void open(Clients clients, Workload workload, List<String> topics) throws UsageException {
        boolean commits = !clients.commitsByItself();
        for (String topic : topics) {
            for (int subscription = 0; subscription < workload.subscriptionsPerTopic(); subscription++) {
                String group = "forebay-%s-sub-%03d".formatted(topic, subscription);
                groups++;
                for (int i = 0; i < workload.consumerPerSubscription(); i++) {
                    Consumer<byte[], byte[]> consumer = clients.consumer(group);
                    consumers.add(consumer);
                    consumer.subscribe(List.of(topic));
                    start("consumer " + consumers.size(), () -> receive(consumer, group, commits));
                }
            }
            for (int i = 0; i < workload.producersPerTopic(); i++) {
                outlets.add(new Outlet(clients.producer(), topic));
            }
        }
        Collections.shuffle(outlets, new Random(1));
    }

    private void start(String name, Runnable work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                // Also an error, such as a full heap: others would go on, and what they do would be taken for all of it.
                broke(name + ": " + e);
            }
        }, name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void broke(String how) {
        if (!stopped) {
            broken.compareAndSet(null, how);
        }
    }

    /** What has ended a thread before its time; null if nothing has. */
    String broken() {
        return broken.get();
    }

    /**
     * Waits until a consumer of each group has received something: Kafka gives partitions to consumers when it sees fit. With
     * {@code auto.offset.reset=latest} a message that was sent before that is never received, so there is more than one.
     *
     * @param interrupted looked at again and again
     * @return false if that takes longer than {@code patience}, or {@code interrupted} holds
     */
    boolean awaitReady(Duration patience, BooleanSupplier interrupted) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        BooleanSupplier over = () -> System.nanoTime() > end || interrupted.getAsBoolean();
        while (ready.size() < groups && broken() == null && !over.getAsBoolean()) {
            for (Outlet outlet : outlets) {
                ProducerRecord<byte[], byte[]> probe = new ProducerRecord<>(outlet.topic, PROBE_VALUE);
                probe.headers().add(PROBE, PROBE_VALUE);
                outlet.producer.send(probe, (metadata, failure) -> {
                    if (failure != null) {
                        broke("a first message could not be published: " + failure);
                    }
                });
                // A producer that cannot reach the cluster takes a minute for each message.
                if (broken() != null || over.getAsBoolean()) {
                    break;
                }
            }
            for (int i = 0; i < 20 && ready.size() < groups && broken() == null && !over.getAsBoolean(); i++) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        return broken() == null && ready.size() >= groups;
    }

    /** How many consumer groups are ready, of how many. */
    String readiness() {
        return ready.size() + " of " + groups;
    }

    /** Producers send from now on. */
    void send(double perSecond, List<byte[]> payloads, KeyDistributor keys) {
        setRate(perSecond);
        int senders = Math.min(outlets.size(), Runtime.getRuntime().availableProcessors());
        for (int sender = 0; sender < senders; sender++) {
            List<Outlet> share = new ArrayList<>();
            for (int i = sender; i < outlets.size(); i += senders) {
                share.add(outlets.get(i));
            }
            start("sender " + sender, () -> sendAll(share, payloads, keys));
        }
    }

    /** All producers together send at this rate from now on. */
    void setRate(double perSecond) {
        pace = new Pace(perSecond, System.nanoTime());
    }

    /**
     * Sends nothing more. What was sent still counts when it is acknowledged.
     *
     * @return messages that should have been sent by now, and were not
     */
    long finishSending() {
        finished = true;
        return pace.due(System.nanoTime());
    }

    /** Messages that were sent, and neither acknowledged nor refused. */
    long unacknowledged() {
        return unacknowledged.sum();
    }

    private boolean sends() {
        return !stopped && !finished;
    }

    private void sendAll(List<Outlet> share, List<byte[]> payloads, KeyDistributor keys) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (long number = 0; sends(); number++) {
            Outlet outlet = share.get((int) (number % share.size()));
            byte[] payload = payloads.get(random.nextInt(payloads.size()));
            long intended = awaitTurn();
            if (intended != Long.MIN_VALUE) {
                send(outlet, keys.key(number), payload, intended);
            }
        }
    }

    /** Waits until the next message should be sent. Returns when that was, or the smallest number if nothing is to be sent. */
    private long awaitTurn() {
        while (sends()) {
            Pace current = pace;
            long intended = current.next();
            for (long wait = intended - System.nanoTime(); wait > 0; wait = intended - System.nanoTime()) {
                LockSupport.parkNanos(Math.min(wait, NAP_NS));
                if (!sends() || pace != current) {
                    break;
                }
            }
            // A message of a pace that is over is not sent: at a slow pace it could be far away.
            if (pace == current && sends()) {
                return intended;
            }
        }
        return Long.MIN_VALUE;
    }

    private void send(Outlet outlet, byte[] key, byte[] payload, long intended) {
        long begun = System.nanoTime();
        unacknowledged.increment();
        try {
            outlet.producer.send(new ProducerRecord<>(outlet.topic, key, payload), (metadata, failure) -> {
                if (failure == null) {
                    statistics.acknowledged(payload.length, intended, begun, System.nanoTime());
                } else if (!stopped) {
                    statistics.failed(failure);
                }
                unacknowledged.decrement();
            });
        } catch (InterruptException e) {
            broke("a sender was interrupted");
        } catch (KafkaException e) {
            unacknowledged.decrement();
            if (!stopped) {
                statistics.failed(e);
            }
        }
    }

    private void receive(Consumer<byte[], byte[]> consumer, String group, boolean commits) {
        boolean rested = false;
        try {
            while (!stopped) {
                rested = rest(consumer, rested);
                ConsumerRecords<byte[], byte[]> records = consumer.poll(rested ? POLL_RESTING : POLL);
                long now = System.currentTimeMillis();
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    count(record, group, now);
                }
                if (commits && !records.isEmpty()) {
                    consumer.commitAsync();
                }
            }
        } catch (WakeupException | InterruptException e) {
            // The load is being closed.
        } finally {
            // Commits that wait for an answer would be asked for again and again once the topics are gone.
            closeAtOnce(consumer);
        }
    }

    /** What Kafka 4.1 has in the place of this method, 3.9 does not have. */
    @SuppressWarnings("deprecation")
    private static void closeAtOnce(Consumer<byte[], byte[]> consumer) {
        consumer.close(Duration.ZERO);
    }

    /** Fetches nothing while consumers rest. They go on polling, so that their group does not take them for dead. */
    private boolean rest(Consumer<byte[], byte[]> consumer, boolean rested) {
        // Asked once: a rest that ends meanwhile must not leave anything paused.
        boolean rest = resting;
        if (rest) {
            // Also what was given to it since the last time.
            consumer.pause(consumer.assignment());
        } else if (rested) {
            consumer.resume(consumer.paused());
        }
        return rest;
    }

    private void count(ConsumerRecord<byte[], byte[]> record, String group, long nowMs) {
        if (record.value().length == PROBE_VALUE.length && record.headers().lastHeader(PROBE) != null) {
            ready.add(group);
        } else {
            statistics.received(record.value().length, nowMs - record.timestamp());
        }
    }

    /** Consumers fetch nothing from now on. */
    void rest() {
        resting = true;
    }

    /** Consumers fetch again. */
    void resume() {
        resting = false;
    }

    /** Ends everything. What was not acknowledged by then is given up. */
    @Override
    public void close() {
        stopped = true;
        consumers.forEach(Consumer::wakeup);
        for (Outlet outlet : outlets) {
            outlet.producer.close(Duration.ZERO);
        }
        long end = System.nanoTime() + CLOSE.toNanos();
        for (Thread thread : threads) {
            try {
                thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
