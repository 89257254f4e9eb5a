//! Which of the machine's processors brokers may use, and which all else.
//!
//! On one machine a storage's server and the load take processors from the brokers, which in production they do not: there, each has a machine
//! of its own. So experiments that compare storages by what brokers do give brokers one half of the processors and everything else the other:
//! then the brokers have the same on every storage.

use std::process::{Child, Command};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The two halves.
#[derive(Debug, Clone, Copy)]
pub struct Halves {
    brokers: CpuSet,
    rest: CpuSet,
}

impl Halves {
    /// Divides the processors that this program might use when it first asked; `None` if there is only one.
    pub fn of_machine() -> Result<Option<Self>> {
        // Later this thread may have left one half alone.
        static DIVIDED: Mutex<Option<Option<Halves>>> = Mutex::new(None);
        let mut divided = DIVIDED.lock().unwrap_or_else(PoisonError::into_inner);
        if divided.is_none() {
            let all = sched_getaffinity(None).context("ask which processors this program may use")?;
            *divided = Some(Self::divide(&all));
        }
        Ok(divided.flatten())
    }

    fn divide(all: &CpuSet) -> Option<Self> {
        let available: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| all.is_set(*cpu)).collect();
        let (brokers, rest) =
            available.split_at_checked(available.len() / 2).filter(|(half, _)| !half.is_empty())?;
        Some(Self { brokers: set(brokers), rest: set(rest) })
    }

    /// How many processors brokers have together, and how many all else has.
    pub fn counts(&self) -> (u32, u32) {
        (self.brokers.count(), self.rest.count())
    }

    /// From now on, what this thread does and starts is on the half of all else.
    pub fn leave_brokers_alone(&self) -> Result<()> {
        sched_setaffinity(None, &self.rest).context("choose processors")
    }

    /// Starts a program of a broker: on the brokers' half, if processors were divided.
    pub fn spawn(divided: Option<Self>, command: &mut Command) -> Result<Child> {
        match divided {
            Some(halves) => halves.spawn_with_brokers(command),
            None => Ok(command.spawn()?),
        }
    }

    fn spawn_with_brokers(&self, command: &mut Command) -> Result<Child> {
        let before = sched_getaffinity(None).context("ask which processors this thread may use")?;
        sched_setaffinity(None, &self.brokers).context("choose processors")?;
        // A program inherits the processors of the thread that starts it.
        let child = command.spawn();
        sched_setaffinity(None, &before).context("choose processors")?;
        Ok(child?)
    }
}

fn set(cpus: &[usize]) -> CpuSet {
    let mut set = CpuSet::new();
    cpus.iter().for_each(|cpu| set.set(*cpu));
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_share_no_processor_and_leave_none_out() {
        let halves = Halves::divide(&set(&[1, 3, 5, 7, 8])).unwrap();
        assert_eq!(halves.counts(), (2, 3));
        for cpu in [1, 3, 5, 7, 8] {
            assert!(halves.brokers.is_set(cpu) != halves.rest.is_set(cpu), "{cpu}");
        }
    }

    #[test]
    fn one_processor_cannot_be_divided() {
        assert!(Halves::divide(&set(&[4])).is_none());
        assert!(Halves::divide(&CpuSet::new()).is_none());
    }

    #[test]
    fn a_program_of_brokers_runs_on_their_half_and_this_thread_stays_where_it_was() {
        let before = sched_getaffinity(None).unwrap();
        let Some(halves) = Halves::divide(&before) else { return };
        let mut command = Command::new("sleep");
        let mut child = halves.spawn_with_brokers(command.arg("60")).unwrap();
        let pid = rustix::process::Pid::from_child(&child);
        assert_eq!(sched_getaffinity(Some(pid)).unwrap(), halves.brokers);
        assert_eq!(sched_getaffinity(None).unwrap(), before);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
