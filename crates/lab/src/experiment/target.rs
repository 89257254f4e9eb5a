//! What a load experiment needs of a cluster, whoever started it.

use std::time::Duration;

use anyhow::{Context, Result};

use crate::cluster::Tools;

/// A unit of the times in `/proc/stat`: the kernel's `USER_HZ`, which is 100 on every system that the lab runs on.
const TICK: Duration = Duration::from_millis(10);

/// A cluster that loads are run on.
pub trait Target {
    /// The storage it is on, or what else tells it from others.
    fn name(&self) -> &str;

    /// The tools, which talk to it.
    fn tools(&self) -> &Tools;

    /// How many brokers it has.
    fn brokers(&self) -> u32;

    /// Whether topics must stay when a load is over, since their deletion would end brokers.
    fn keeps_topics(&self) -> bool;

    /// What each broker's machine has done since its start; `None` where the lab cannot know.
    fn cpu(&self) -> Result<Option<Vec<CpuTime>>>;

    /// Processor time that the storage's server has taken since its start; `None` where there is none on this host.
    fn server_cpu(&self) -> Result<Option<Duration>>;

    /// Makes the brokers' machines forget what they have read and written, as far as the lab can.
    fn forget(&self) -> Result<()>;

    /// Whether the lab started it, and so knows when a broker ends.
    fn is_ours(&self) -> bool {
        true
    }

    /// The brokers whose process has ended, in words; empty if all run or the lab did not start them.
    fn ended(&self) -> Result<Vec<String>>;
}

/// Processor time of one machine since its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuTime {
    /// Time that its processors worked, summed over them.
    pub busy: Duration,
    /// Time that they could have worked.
    pub total: Duration,
}

impl CpuTime {
    /// Reads `/proc/stat`. Waiting for a disk is no work.
    pub fn parse(stat: &str) -> Result<Self> {
        let line =
            stat.lines().find_map(|line| line.strip_prefix("cpu ")).context("/proc/stat has no line cpu")?;
        let ticks: Vec<u32> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
        // user, nice, system, idle, iowait, irq, softirq, steal. Guests' time, after them, is part of user's.
        let [user, nice, system, idle, iowait, irq, softirq, steal] =
            *ticks.first_chunk::<8>().context("/proc/stat has fewer than 8 times for cpu")?;
        let sum = |parts: &[u32]| parts.iter().map(|part| TICK * *part).sum::<Duration>();
        let busy = sum(&[user, nice, system, irq, softirq, steal]);
        Ok(Self { busy, total: busy + sum(&[idle, iowait]) })
    }

    /// The share of its processors' time that it worked between an earlier reading and this one, in percent.
    pub fn percent_since(&self, before: &Self) -> f64 {
        let total = self.total.saturating_sub(before.total).as_secs_f64();
        let busy = self.busy.saturating_sub(before.busy).as_secs_f64();
        if total == 0.0 { 0.0 } else { busy / total * 100.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 100 0 50 800 50 0 0 0 0 0\nintr 1\n";

    #[test]
    fn waiting_is_no_work() {
        let cpu = CpuTime::parse(STAT).unwrap();
        assert_eq!(cpu.busy, Duration::from_millis(1500));
        assert_eq!(cpu.total, Duration::from_secs(10));
        let origin = CpuTime { busy: Duration::ZERO, total: Duration::ZERO };
        assert!((cpu.percent_since(&origin) - 15.0).abs() < 1e-9);
        assert_eq!(cpu.percent_since(&cpu), 0.0);
    }

    #[test]
    fn what_is_no_stat_is_told() {
        assert!(CpuTime::parse("intr 1\n").unwrap_err().to_string().contains("no line cpu"));
        assert!(CpuTime::parse("cpu 1 2 3\n").unwrap_err().to_string().contains("fewer than 8"));
    }
}
