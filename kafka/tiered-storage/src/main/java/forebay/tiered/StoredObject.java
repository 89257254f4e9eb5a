package forebay.tiered;

/**
 * An object that can be read.
 *
 * @param segmentId the segment to which it belongs; the answers must name it
 * @param key its name in the bucket
 * @param size its bytes; the answers must say the same
 */
record StoredObject(String segmentId, String key, int size) {}
