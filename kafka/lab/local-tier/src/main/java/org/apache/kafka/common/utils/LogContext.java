package org.apache.kafka.common.utils;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stands in for Kafka's class of this name, which LocalTieredStorage needs, and which Kafka 4.4 has in another package. */
public final class LogContext {
    /** The prefix is left out: one broker writes one log. */
    public LogContext(String prefix) {}

    /** The logger of a class. */
    public Logger logger(Class<?> owner) {
        return LoggerFactory.getLogger(owner);
    }
}
