/**
 * Writes records that can be checked byte for byte, and checks them.
 *
 * <p>Every record carries its sequence number, a payload that follows from a seed and that number, and a CRC-32C
 * ({@link forebay.records.RecordFormat}). {@code produce} sends them and notes each acknowledgement in a file
 * ({@link forebay.records.AcknowledgementLog}); {@code verify} reads the whole topic and holds it against that file
 * ({@link forebay.records.Verification}). A count alone would miss a record lost and another doubled.
 *
 * <p>Both print JSON lines on standard output: one per second with {@code "event":"progress"}, and last one with
 * {@code "event":"summary"}. Exit status: 0 all is well, 1 could not run, 2 usage, 4 the check failed.
 */
package forebay.records;
