/**
 * A RemoteStorageManager for Kafka's tiered storage, on any S3 server, and without moving bytes on Forebay.
 *
 * <p>{@link forebay.tiered.ForebayRemoteStorageManager} is what the broker calls. It runs each call as a {@code Call}, which
 * has a deadline and can be abandoned, and hands it to {@code SegmentCopy}, {@code Fetches} or {@code Deletes}. These use
 * {@code ObjectStore}, the only class that sends requests: it repeats what may pass, and says what is wrong otherwise.
 *
 * <p>Objects are named by {@code ObjectKeys}; what is known of the indexes is in {@code SegmentFacts}.
 */
package forebay.tiered;
