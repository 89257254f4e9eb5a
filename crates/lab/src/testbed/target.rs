//! The interface of a cluster for load experiments, whether the lab started it or not.

use std::time::Duration;

use anyhow::Result;

use crate::cluster::Tools;

/// A cluster that serves loads.
pub trait Target {
    /// The name of its storage, or another name that distinguishes it.
    fn name(&self) -> &str;

    /// The tools for the cluster.
    fn tools(&self) -> &Tools;

    /// The number of its brokers.
    fn brokers(&self) -> u32;

    /// Whether topics must stay after a load, because their deletion would end brokers.
    fn keeps_topics(&self) -> bool;

    /// Processor time of each broker's machine since its start; `None` if the lab cannot know it.
    fn cpu(&self) -> Result<Option<Vec<CpuTime>>>;

    /// Processor time that the storage's server has taken since its start; `None` where there is none on this host.
    fn server_cpu(&self) -> Result<Option<Duration>>;

    /// Writes the dirty pages of the brokers' machines to the storage.
    fn sync(&self) -> Result<()>;

    /// Drops the caches of the brokers' machines and of the storage's host, as far as the lab can, so that later reads come from the
    /// disk.
    fn forget(&self) -> Result<()>;

    /// Whether the lab started it, and so knows when a broker ends.
    fn is_ours(&self) -> bool {
        true
    }

    /// The brokers, and the storage's server, whose process has ended, in words; empty if all run or the lab did not start them.
    fn ended(&self) -> Result<Vec<String>>;

    /// The brokers whose machine runs and does not answer, in words; each of these takes seconds to find.
    fn silent(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// The processes that have [ended](Self::ended) or are [silent](Self::silent).
    fn lost(&self) -> Result<Vec<String>> {
        let mut lost = self.ended()?;
        lost.extend(self.silent()?);
        Ok(lost)
    }
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

    #[test]
    fn a_share_is_of_the_time_between_two_readings() {
        let at = |busy, total| CpuTime { busy: Duration::from_secs(busy), total: Duration::from_secs(total) };
        assert!((at(5, 60).percent_since(&at(2, 40)) - 15.0).abs() < 1e-9);
        assert_eq!(at(5, 60).percent_since(&at(5, 60)), 0.0);
    }
}
