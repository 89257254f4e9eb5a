//! The daemon's own process, as /proc shows it.
//!
//! What cannot be read counts as nothing: a metric that is missing is no reason for the others to be.

use std::fs;

use crate::traces::SPANS;

/// Clock ticks of a second in /proc: fixed by the kernel's interface on all architectures but two of the last century.
const TICKS_PER_SECOND: f64 = 100.0;

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Process {
    /// Seconds of processor time.
    pub cpu_seconds: f64,
    /// Bytes of memory in use.
    pub resident_bytes: u64,
    /// Threads.
    pub threads: u64,
    /// Files and connections that are open.
    pub files: u64,
    /// How many there may be.
    pub files_max: u64,
    /// When the process started, in seconds since 1970.
    pub started_seconds: f64,
    /// Spans of traces that a collector has taken.
    pub spans_exported: u64,
    /// Those that were lost.
    pub spans_dropped: u64,
}

impl Process {
    /// Looks at this process.
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

/// A field of /proc/PID/stat, counted as proc(5) counts them, behind the second. That one, the program's name, may have anything in it.
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
