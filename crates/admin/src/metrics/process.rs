//! The daemon's own process, from /proc.
//!
//! A value that cannot be read is reported as 0, so that the other metrics are still available.

use std::fs;

use crate::traces::SPANS;

/// Clock ticks per second in /proc: 100 on all architectures that Forebay runs on.
const TICKS_PER_SECOND: f64 = 100.0;

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Process {
    /// CPU time in seconds.
    pub cpu_seconds: f64,
    /// Resident memory in bytes.
    pub resident_bytes: u64,
    /// Number of threads.
    pub threads: u64,
    /// Number of open file descriptors.
    pub files: u64,
    /// Maximum number of open file descriptors.
    pub files_max: u64,
    /// When the process started, in seconds since 1970.
    pub started_seconds: f64,
    /// Number of spans that the collector accepted.
    pub spans_exported: u64,
    /// Number of spans that were dropped.
    pub spans_dropped: u64,
}

impl Process {
    /// Observes this process.
    pub fn observe() -> Process {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let (stat, status) = (read("/proc/self/stat"), read("/proc/self/status"));
        let (limits, system) = (read("/proc/self/limits"), read("/proc/stat"));
        let ticks = |field: usize| stat_field(&stat, field).unwrap_or_default() as f64 / TICKS_PER_SECOND;
        let booted = number_after(&system, "btime ").unwrap_or_default() as f64;
        Process {
            cpu_seconds: ticks(14) + ticks(15),
            resident_bytes: number_after(&status, "VmRSS:").unwrap_or_default().saturating_mul(1024),
            threads: number_after(&status, "Threads:").unwrap_or_default(),
            files: fs::read_dir("/proc/self/fd").map_or(0, |files| files.count() as u64),
            files_max: number_after(&limits, "Max open files").unwrap_or_default(),
            started_seconds: booted + ticks(22),
            spans_exported: SPANS.exported(),
            spans_dropped: SPANS.dropped(),
        }
    }
}

/// A field of /proc/PID/stat after the second, numbered as in proc(5). The second field, the program's name,
/// may contain any character.
fn stat_field(stat: &str, number: usize) -> Option<u64> {
    let (_, behind_name) = stat.rsplit_once(')')?;
    behind_name.split_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
}

/// The number that follows `key` on the line that begins with it.
fn number_after(text: &str, key: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(key))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_seen() {
        let seen = Process::observe();
        assert!(seen.resident_bytes > 100_000 && seen.threads > 0 && seen.files > 2, "{seen:?}");
        assert!(seen.files_max >= seen.files && seen.started_seconds > 1e9, "{seen:?}");
    }

    #[test]
    fn a_program_with_a_strange_name_is_understood() {
        let stat = "77 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 150 0";
        assert_eq!((stat_field(stat, 14), stat_field(stat, 15)), (Some(250), Some(150)));
        assert_eq!(stat_field("", 14), None);
    }
}
