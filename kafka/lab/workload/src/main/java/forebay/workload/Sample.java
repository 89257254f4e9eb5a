package forebay.workload;

/**
 * What happened in one interval.
 *
 * @param phase in which phase of the run
 * @param atSeconds end of the interval, since the run began
 * @param seconds its length
 * @param counted what was counted in it
 * @param backlog messages that consumers still had to receive at its end
 * @param latencies times of it
 */
record Sample(
        Phase phase,
        double atSeconds,
        double seconds,
        Statistics.Counters counted,
        long backlog,
        Statistics.Latencies latencies) {

    /** This interval and the one right after it, as one. */
    Sample and(Sample next) {
        return new Sample(phase, next.atSeconds, seconds + next.seconds, counted.and(next.counted), next.backlog,
                latencies.and(next.latencies));
    }

    double publishRate() {
        return counted.sent() / seconds;
    }

    double publishBytesRate() {
        return counted.sentBytes() / seconds;
    }

    double errorRate() {
        return counted.errors() / seconds;
    }

    double consumeRate() {
        return counted.received() / seconds;
    }

    double consumeBytesRate() {
        return counted.receivedBytes() / seconds;
    }
}
