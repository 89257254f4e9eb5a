package forebay.records;

/** What the bytes of a record are, besides those that name it. */
enum Payload {
    /** Random bytes that no other record has: nothing can be stored in less. */
    UNIQUE {
        @Override
        byte[] encode(AcknowledgementLog.Plan plan, long sequence) {
            return RecordFormat.encode(plan.seed(), sequence, plan.recordBytes());
        }
    },

    /**
     * One of 100, each half random and half zeros, and each of another size between a third of the planned bytes and all of them:
     * OpenMessaging Benchmark's {@code useRandomizedPayloads} with {@code randomBytesRatio: 0.5} and
     * {@code randomizedPayloadPoolSize: 100}, but for the 24 bytes by which each record can be told.
     */
    POOL {
        @Override
        byte[] encode(AcknowledgementLog.Plan plan, long sequence) {
            int number = (int) Long.remainderUnsigned(RecordFormat.mix(plan.seed() ^ RecordFormat.mix(sequence)), POOL_SIZE);
            int least = plan.recordBytes() / 3;
            int size = least + (plan.recordBytes() - least) * number / (POOL_SIZE - 1);
            return RecordFormat.encode(plan.seed(), sequence, size, number, size / 2);
        }
    };

    private static final int POOL_SIZE = 100;

    /** The fewest bytes per record that a plan may say. */
    int bytesMin() {
        return this == UNIQUE ? RecordFormat.OVERHEAD_BYTES : 3 * RecordFormat.OVERHEAD_BYTES;
    }

    /** The value of record {@code sequence}. */
    abstract byte[] encode(AcknowledgementLog.Plan plan, long sequence);
}
