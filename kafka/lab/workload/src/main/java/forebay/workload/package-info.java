/**
 * The load driver: runs the workloads of OpenMessaging Benchmark with Kafka's own clients.
 *
 * <p>A workload file ({@link forebay.workload.Workload}) says how many topics, producers and consumers there are, what they send and
 * how fast; a driver file ({@link forebay.workload.Driver}) what Kafka's clients are told. Both are read as that benchmark has
 * them, but a key that nobody knows is an error. {@link forebay.workload.Load} sends and receives,
 * {@link forebay.workload.Statistics} counts, {@link forebay.workload.Run} leads through the phases, and
 * {@link forebay.workload.Result} writes the benchmark's result fields and what it lacks.
 *
 * <p>Each message has a time at which it should be sent. Latency is told from the moment it was sent, as the benchmark does, and
 * from the moment it should have been: a sender that is held up by a slow cluster sends less, and the first alone would hide
 * that (coordinated omission).
 *
 * <p>Progress goes to standard error for people, and with {@code --json} as lines of JSON to standard output. Exit status: 0 all is
 * well, 1 could not run, 2 usage, 4 messages could not be published or nothing moved any more, 130 interrupted.
 */
package forebay.workload;
