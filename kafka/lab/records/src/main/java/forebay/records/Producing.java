package forebay.records;

import java.util.Map;

/** Writes the planned records to a topic, and counts. */
interface Producing {
    /**
     * Sends everything and waits for the last answer.
     *
     * @param recordsPerSecond 0 is as fast as the cluster takes them
     */
    void run(String topic, int recordsPerSecond);

    /** The counts so far. The log's file has the records that they count as acknowledged. */
    Map<String, Object> progress();

    /** The counts at the end. */
    Map<String, Object> summary();

    /** Whether every record was acknowledged. */
    boolean passed();
}
