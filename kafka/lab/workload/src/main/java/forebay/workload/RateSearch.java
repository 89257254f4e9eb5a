package forebay.workload;

/**
 * Searches for the largest rate at which consumers keep up with producers, and producers with what is asked of them: faster and faster
 * while both do, and when one does not, back to what was reached, less what has piled up. The steps, and the
 * 1,000 messages that may pile up, are those of OpenMessaging Benchmark, so that both find the same.
 */
final class RateSearch {
    private static final long PILE_MAX = 1000;
    private static final double STEP_MAX = 1;
    private static final double STEP_MIN = 0.01;

    private double step = STEP_MAX;
    private long sentBefore;
    private long receivedBefore;

    /**
     * The rate for the next period.
     *
     * @param rate the rate that was asked for in the last one, per second
     * @param seconds how long that was
     * @param sent messages that were sent since the beginning
     * @param received messages that one consumer group of each topic has received since the beginning
     */
    double next(double rate, double seconds, long sent, long received) {
        double sentRate = (sent - sentBefore) / seconds;
        double receivedRate = (received - receivedBefore) / seconds;
        sentBefore = sent;
        receivedBefore = received;
        if (sent - received > PILE_MAX) {
            return slower(rate, seconds, receivedRate, sent - received);
        }
        double missing = (rate - sentRate) * seconds;
        if (missing > PILE_MAX) {
            return slower(rate, seconds, sentRate, missing);
        }
        step = Math.min(STEP_MAX, step * 2);
        return rate * (1 + step);
    }

    private double slower(double rate, double seconds, double reached, double pile) {
        step = Math.max(STEP_MIN, step / 2);
        return Math.max(1, Math.min(reached, rate - pile / seconds));
    }
}
