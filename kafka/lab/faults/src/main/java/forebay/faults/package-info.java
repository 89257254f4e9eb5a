/**
 * Lets Errors of the Java runtime happen inside the plugin for tiered storage, in a running broker. {@link forebay.faults.FaultyRemoteStorageManager}
 * is what a broker loads instead of the plugin.
 */
package forebay.faults;
