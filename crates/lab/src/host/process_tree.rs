//! A process and its descendants, found through `/proc`: for machines without control groups.

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// The fields of `/proc/PID/stat` that the lab needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stat {
    parent: u32,
    /// Its own time and that of children it has waited for, in clock ticks.
    ticks: u64,
}

/// The processor time of a process and its descendants, including those that have ended and were reaped.
pub fn busy(pid: u32) -> Duration {
    let all = processes();
    let ticks: u64 = members(pid, &all).iter().filter_map(|pid| all.get(pid)).map(|stat| stat.ticks).sum();
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_secs_f64(ticks as f64 / per_second as f64)
}

/// Ends a process's descendants at once, but not the process.
pub fn kill_descendants(pid: u32) {
    for member in members(pid, &processes()).into_iter().filter(|member| *member != pid) {
        let member = i32::try_from(member).ok().and_then(Pid::from_raw);
        let _ = member.map(|member| kill_process(member, Signal::KILL));
    }
}

/// The threads of a process and of its descendants.
pub fn threads(pid: u32) -> Vec<Pid> {
    let threads = |pid: &u32| fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of_members = members(pid, &processes());
    let all = of_members.iter().flat_map(threads);
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw)).collect()
}

/// The process and its descendants.
fn members(pid: u32, all: &HashMap<u32, Stat>) -> Vec<u32> {
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        let children = all.iter().filter(|(_, stat)| stat.parent == parent).map(|(pid, _)| *pid);
        let children: Vec<u32> = children.filter(|child| !found.contains(child)).collect();
        found.extend(children);
        next += 1;
    }
    found
}

fn processes() -> HashMap<u32, Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let stat = |entry: fs::DirEntry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        Some((pid, parse(&fs::read_to_string(entry.path().join("stat")).ok()?)?))
    };
    entries.filter_map(stat).collect()
}

fn parse(stat: &str) -> Option<Stat> {
    // The second field is the program's name in parentheses, which may itself hold both spaces and parentheses.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    // Fields 4 (parent) and 14 to 17 (utime, stime, cutime, cstime) of proc_pid_stat(5); the first one here is field 3.
    let parent = fields.nth(1)?.parse().ok()?;
    let times: Vec<u64> = fields.skip(9).take(4).map(|field| field.parse().unwrap_or(0)).collect();
    (times.len() == 4).then(|| Stat { parent, ticks: times.iter().sum() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn a_process_is_read_whatever_its_name() {
        let line = "12 (a) b (c) S 7 12 12 0 -1 4194560 1 2 3 4 100 20 3 4 20 0 1 0 555 0 0";
        assert_eq!(parse(line), Some(Stat { parent: 7, ticks: 127 }));
        assert_eq!(parse("12 (a) S 7 12"), None);
    }

    #[test]
    fn descendants_are_found_at_any_depth() {
        let stat = |parent| Stat { parent, ticks: 0 };
        let all = HashMap::from([(2, stat(1)), (3, stat(2)), (4, stat(3)), (5, stat(1))]);
        let mut found = members(2, &all);
        found.sort_unstable();
        assert_eq!(found, [2, 3, 4]);
    }

    #[test]
    fn what_a_child_takes_counts_for_its_parent_and_a_descendant_can_be_ended() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "sh -c 'while :; do :; done'; exit 3"])
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while busy(child.id()) < Duration::from_millis(100) {
            assert!(Instant::now() < deadline, "it counts nothing");
            std::thread::sleep(Duration::from_millis(10));
        }
        kill_descendants(child.id());
        assert_eq!(child.wait().unwrap().code(), Some(3), "the child itself went on");
    }
}
