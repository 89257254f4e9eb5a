//! Measures time, latencies and processor time while the load runs.

use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result};

use super::LoadDone;
use super::target::Target;

/// A measurement in progress.
pub struct Meter {
    server_pid: Option<u32>,
    begun: Instant,
    client_begun_s: f64,
    server_begun_s: Option<f64>,
    latencies_us: Mutex<Vec<u64>>,
}

impl Meter {
    /// Starts the measurement.
    pub fn begin(target: &Target) -> Result<Self> {
        Ok(Self {
            server_pid: target.server_pid,
            begun: Instant::now(),
            client_begun_s: cpu_s(std::process::id())?,
            server_begun_s: target.server_pid.map(cpu_s).transpose()?,
            latencies_us: Mutex::default(),
        })
    }

    /// Records an operation that began at this time and has ended now.
    pub fn operation(&self, begun: Instant) {
        self.latencies_us.lock().unwrap_or_else(PoisonError::into_inner).push(micros(begun));
    }

    /// Ends the measurement, in which this many bytes were written or read.
    pub fn end(self, bytes: u64) -> Result<LoadDone> {
        let elapsed_us = micros(self.begun);
        let mut latencies_us = self.latencies_us.into_inner().unwrap_or_else(PoisonError::into_inner);
        latencies_us.sort_unstable();
        let client_cpu_s = cpu_s(std::process::id())? - self.client_begun_s;
        let server_s = self.server_pid.map(cpu_s).transpose()?;
        Ok(LoadDone {
            bytes,
            elapsed_us,
            operations: latencies_us.len() as u64,
            latency_us_p50: percentile(&latencies_us, 50),
            latency_us_p99: percentile(&latencies_us, 99),
            client_cpu_s,
            server_cpu_s: server_s.zip(self.server_begun_s).map(|(end, begun)| end - begun),
        })
    }
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// The percentile of sorted values; 0 if there are none.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let index = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(index).copied().unwrap_or(0)
}

/// The processor time of a process so far, user and system, including threads that have ended, in seconds.
fn cpu_s(pid: u32) -> Result<f64> {
    let path = format!("/proc/{pid}/stat");
    let text = fs::read_to_string(&path).with_context(|| format!("read {path}"))?;
    let ticks = cpu_ticks(&text).with_context(|| format!("parse {path}"))?;
    let per_s = rustix::param::clock_ticks_per_second();
    Ok(ticks as f64 / per_s as f64)
}

/// The fields utime and stime, which are the 14th and 15th; the second one is a name that may hold spaces.
fn cpu_ticks(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let values: Vec<u64> = (1..=200).collect();
        assert_eq!((percentile(&values, 50), percentile(&values, 99)), (100, 198));
        assert_eq!((percentile(&[7], 99), percentile(&[], 50)), (7, 0));
    }

    #[test]
    fn processor_time_is_found_behind_any_name() {
        let stat = "42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 30 12 0 0 20 0 1 0";
        assert_eq!(cpu_ticks(stat), Some(42));
    }
}
