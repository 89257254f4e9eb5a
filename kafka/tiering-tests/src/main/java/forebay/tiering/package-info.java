/**
 * Runs Kafka's own integration tests of tiered storage, unmodified, with the plugin.
 *
 * <p>The class {@link org.apache.kafka.server.log.remote.storage.LocalTieredStorage} of this module stands in for Kafka's class of this name, so the jar of this
 * module must come first on the class path.
 */
package forebay.tiering;
