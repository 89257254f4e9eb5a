//! Finds the lines of a broker's log that explain why it stopped.

use std::path::Path;

/// The maximal number of lines of an excerpt.
const LINES_MAX: usize = 12;

/// The loggers that report a failed log directory.
const LOG_SPEAKERS: [&str; 2] = ["LogDirFailureChannel -", "kafka.log.LogManager -"];

/// The errors in a broker's log, with the exceptions that caused them but without stack traces, shortened at the end. If a log
/// directory failed, only the messages about that, because other errors are its consequences or irrelevant. Empty if there are
/// none, or if the log cannot be read.
pub fn failure_excerpt(log: &Path) -> Vec<String> {
    std::fs::read(log).map(|text| errors(&String::from_utf8_lossy(&text))).unwrap_or_default()
}

/// The cause of a broker's end according to its log: the message of the first exception, or the first error if there is none.
pub fn failure_reason(log: &Path) -> Option<String> {
    reason_in(&failure_excerpt(log))
}

fn reason_in(lines: &[String]) -> Option<String> {
    let thrown = lines.iter().find_map(|line| line.split_once("Exception: ").map(|(_, message)| message));
    thrown.or_else(|| lines.first().map(String::as_str)).map(|line| line.trim().to_owned())
}

/// The messages of a broker's log about failures of its log directories.
pub fn storage_errors(log: &Path) -> Vec<String> {
    std::fs::read(log).map(|text| about_logs(&String::from_utf8_lossy(&text))).unwrap_or_default()
}

fn errors(log: &str) -> Vec<String> {
    let about_logs = about_logs(log);
    if about_logs.is_empty() { entries(log, is_error) } else { about_logs }
}

fn about_logs(log: &str) -> Vec<String> {
    entries(log, |entry| is_error(entry) && LOG_SPEAKERS.iter().any(|speaker| entry.contains(speaker)))
}

fn is_error(entry: &str) -> bool {
    entry.contains(" ERROR ") || entry.contains(" FATAL ")
}

/// The entries whose first line is wanted, without stack traces and repeated lines.
fn entries(log: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut in_wanted = false;
    for line in log.lines().filter(|line| !is_frame(line)) {
        if is_entry(line) {
            in_wanted = wanted(line);
        }
        if in_wanted && !kept.iter().any(|before| before == line) {
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
20:31:07.150 ERROR state.change.logger - Expected partition demo-1 to exist, but it was missing
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
    fn any_error_is_worth_showing_if_no_log_directory_failed() {
        assert_eq!(errors("20:31:05.000 ERROR kafka.Kafka - out of memory\n").len(), 1);
    }

    #[test]
    fn a_log_without_errors_has_no_excerpt() {
        assert!(errors("20:31:05.000 INFO kafka.log.LogManager - Loading logs\n").is_empty());
        assert!(errors("").is_empty());
    }

    #[test]
    fn the_reason_is_what_was_thrown_and_not_what_it_led_to() {
        let lines = [
            "10:20:02.909 ERROR LogDirFailureChannel - Error while writing to /mnt/broker1".to_owned(),
            "java.io.IOException: No space left on device".to_owned(),
        ];
        assert_eq!(reason_in(&lines).unwrap(), "No space left on device");
        assert!(reason_in(&lines[..1]).unwrap().contains("Error while writing"));
        assert_eq!(reason_in(&[]), None);
    }
}
