//! Which of the machine's processors brokers may use, and which all else.
//!
//! On one machine a storage's server and the load take processors from the brokers, which in production they do not: there, each has a machine
//! of its own. So experiments that compare storages by what brokers do give brokers one half of the processors and everything else the other:
//! then the brokers have the same on every storage.

use std::process::{Child, Command};
use std::sync::{Mutex, PoisonError};

use super::family;
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

    /// Starts a program of a broker, on all processors, whatever this thread is on: brokers start sooner then. Once they serve,
    /// [`Halves::confine`] has them on their half.
    pub fn spawn(divided: Option<Self>, command: &mut Command) -> Result<Child> {
        let Some(halves) = divided else { return Ok(command.spawn()?) };
        let before = sched_getaffinity(None).context("ask which processors this thread may use")?;
        sched_setaffinity(None, &halves.all()).context("choose processors")?;
        // A program inherits the processors of the thread that starts it.
        let child = command.spawn();
        sched_setaffinity(None, &before).context("choose processors")?;
        Ok(child?)
    }

    /// From now on, a process, all that it started, and what these start, are on the brokers' half.
    pub fn confine(&self, pid: u32) {
        // Twice: what is started while the first look is under way is found by the second, and inherits from then on. Who has ended
        // meanwhile needs no processor.
        for _ in 0..2 {
            for thread in family::threads(pid) {
                let _ = sched_setaffinity(Some(thread), &self.brokers);
            }
        }
    }

    fn all(&self) -> CpuSet {
        let either = |cpu: &usize| self.brokers.is_set(*cpu) || self.rest.is_set(*cpu);
        set(&(0..CpuSet::MAX_CPU).filter(either).collect::<Vec<_>>())
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
    fn a_program_of_brokers_has_all_processors_until_it_is_confined_to_their_half() {
        let before = sched_getaffinity(None).unwrap();
        let Some(halves) = Halves::divide(&before) else { return };
        halves.leave_brokers_alone().unwrap();
        let mut command = Command::new("sleep");
        let mut child = Halves::spawn(Some(halves), command.arg("60")).unwrap();
        let pid = rustix::process::Pid::from_child(&child);
        assert_eq!(sched_getaffinity(Some(pid)).unwrap(), before);
        assert_eq!(sched_getaffinity(None).unwrap(), halves.rest);
        halves.confine(child.id());
        assert_eq!(sched_getaffinity(Some(pid)).unwrap(), halves.brokers);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
