/**
 * Does with an object store what tiered storage does, and checks every answer.
 *
 * <p>{@code check} puts log segments and their indexes, reads them whole and in ranges, overwrites, lists and deletes them,
 * uploads in parts, and writes on conditions ({@link forebay.objects.Groups}). Every byte that is read is compared: content
 * follows from a seed and an offset ({@link forebay.objects.Content}). {@code speed} measures several stores by turns.
 * {@code upload} puts files in parts.
 *
 * <p>The client has the settings that the AWS SDK has by default, with its checksums, apart from the address and path style
 * ({@link forebay.objects.Endpoint}). All commands print lines of JSON on standard output: {@code "event":"progress"} while
 * they work, and last {@code "event":"summary"}. Exit status: 0 all is well, 1 could not run, 2 usage, 4 a check failed.
 */
package forebay.objects;
