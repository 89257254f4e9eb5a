//! Finds the lines in a broker's log that say why it stopped.

use std::path::Path;

/// How many lines are worth showing.
const LINES_MAX: usize = 12;

/// The errors in a broker's log, each with the exceptions that caused it but without their stack traces; shortened at the
/// end. Empty if the log has none or cannot be read.
pub fn failure_excerpt(log: &Path) -> Vec<String> {
    std::fs::read(log).map(|text| errors(&String::from_utf8_lossy(&text))).unwrap_or_default()
}

fn errors(log: &str) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut in_error = false;
    for line in log.lines() {
        if is_entry(line) {
            in_error = line.contains(" ERROR ") || line.contains(" FATAL ");
        } else if is_frame(line) {
            continue;
        }
        if in_error && !kept.iter().any(|before| before == line) {
            kept.push(line.to_owned());
        }
        if kept.len() == LINES_MAX {
            break;
        }
    }
    kept
}

/// A line that begins an entry: `20:31:07.123 ERROR …`.
fn is_entry(line: &str) -> bool {
    line.as_bytes().iter().take(8).enumerate().all(|(index, byte)| match index {
        2 | 5 => *byte == b':',
        _ => byte.is_ascii_digit(),
    }) && line.len() > 8
}

/// A line of a stack trace.
fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ") || line.starts_with("... ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_their_causes_are_kept_and_stack_traces_are_not() {
        let log = "\
20:31:05.000 INFO kafka.log.LogManager - Loading logs
20:31:07.123 ERROR o.a.k.LogDirFailureChannel - Error while deleting dir for demo-0 in dir /mnt/broker1
java.nio.file.FileSystemException: /mnt/broker1/demo-0.c7ec-delete/.nfs0001: Device or resource busy
\tat java.base/sun.nio.fs.UnixException.translateToIOException(UnixException.java:100)
\t... 12 more
20:31:07.200 INFO kafka.server.ReplicaManager - Stopping serving replicas
20:31:07.300 ERROR kafka.log.LogManager - Shutdown broker because all log dirs in /mnt/broker1 have failed
";
        let found = errors(log);
        assert_eq!(found.len(), 3, "{found:#?}");
        assert!(found[0].contains("Error while deleting dir"));
        assert!(found[1].contains(".nfs0001: Device or resource busy"));
        assert!(found[2].contains("Shutdown broker"));
    }

    #[test]
    fn a_log_without_errors_has_no_excerpt() {
        assert!(errors("20:31:05.000 INFO kafka.log.LogManager - Loading logs\n").is_empty());
        assert!(errors("").is_empty());
    }
}
