//! Splits the machine's processors between brokers and everything else.
//!
//! On one machine, a storage's server and the load take processor time from the brokers; in production each has a separate machine. So
//! experiments that compare storages by the work of brokers give the brokers one half of the processors and everything else the other half.
//! Then the brokers have the same processors on every storage.
//!
//! A guest has one processor, and is pinned to one of the machine's, its seat. Its kernel and its programs are processes that wait for each
//! other at every system call and page fault. On two processors, each of these steps wakes a sleeping processor. Three guests without pinning
//! left half of the time of two processors idle, started a broker in 9 s instead of 4 s, and stored 22 MB/s of records instead of 45 MB/s.

use std::process::{Child, Command};
use std::sync::{Mutex, PoisonError};

use super::process_tree;
use anyhow::{Context, Result};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The two halves.
#[derive(Debug, Clone, Copy)]
pub struct ProcessorSplit {
    brokers: CpuSet,
    rest: CpuSet,
}

impl ProcessorSplit {
    /// Divides the processors that this program might use when it first asked; `None` if there is only one.
    pub fn of_machine() -> Result<Option<Self>> {
        // Later this thread may be confined to one half.
        static DIVIDED: Mutex<Option<Option<ProcessorSplit>>> = Mutex::new(None);
        let mut divided = DIVIDED.lock().unwrap_or_else(PoisonError::into_inner);
        if divided.is_none() {
            let all = sched_getaffinity(None).context("ask which processors this program may use")?;
            *divided = Some(Self::divide(&all));
        }
        Ok(divided.flatten())
    }

    fn divide(all: &CpuSet) -> Option<Self> {
        let available = listed(all);
        let (brokers, rest) =
            available.split_at_checked(available.len() / 2).filter(|(half, _)| !half.is_empty())?;
        Some(Self { brokers: set(brokers), rest: set(rest) })
    }

    /// The number of processors of all brokers together, and of everything else.
    pub fn counts(&self) -> (u32, u32) {
        (self.brokers.count(), self.rest.count())
    }

    /// Moves this thread, and the programs that it starts from now on, to the half that is not the brokers'.
    pub fn leave_brokers_alone(&self) -> Result<()> {
        sched_setaffinity(None, &self.rest).context("choose processors")
    }

    /// Starts a broker's program on all processors, even if this thread is confined, because brokers then start faster. Once they serve,
    /// [`ProcessorSplit::confine`] moves them to their half. A guest is on its seat among these processors.
    pub fn spawn(divided: Option<Self>, seat: Option<u32>, command: &mut Command) -> Result<Child> {
        let before = sched_getaffinity(None).context("ask which processors this thread may use")?;
        let all = divided.map_or(before, |split| split.all());
        sched_setaffinity(None, &seated(&all, seat)).context("choose processors")?;
        // A program inherits the processors of the thread that starts it.
        let child = command.spawn();
        sched_setaffinity(None, &before).context("choose processors")?;
        Ok(child?)
    }

    /// Moves a process, its descendants, and what they start from now on, to the brokers' half; a guest to its seat there.
    pub fn confine(&self, pid: u32, seat: Option<u32>) {
        let processors = seated(&self.brokers, seat);
        // Twice: the second pass finds processes that were started during the first. Later ones inherit the setting. Processes that
        // have ended are skipped.
        for _ in 0..2 {
            for thread in process_tree::threads(pid) {
                let _ = sched_setaffinity(Some(thread), &processors);
            }
        }
    }

    fn all(&self) -> CpuSet {
        let mut all = self.brokers;
        listed(&self.rest).into_iter().for_each(|cpu| all.set(cpu));
        all
    }
}

/// The processor of a seat, if there is one. Seats are assigned to processors in turns.
fn seated(processors: &CpuSet, seat: Option<u32>) -> CpuSet {
    let listed = listed(processors);
    let found = seat.and_then(|seat| listed.get((seat as usize).checked_rem(listed.len())?));
    found.map_or(*processors, |cpu| set(&[*cpu]))
}

fn listed(cpus: &CpuSet) -> Vec<usize> {
    (0..CpuSet::MAX_CPU).filter(|cpu| cpus.is_set(*cpu)).collect()
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
        let split = ProcessorSplit::divide(&set(&[1, 3, 5, 7, 8])).unwrap();
        assert_eq!(split.counts(), (2, 3));
        for cpu in [1, 3, 5, 7, 8] {
            assert!(split.brokers.is_set(cpu) != split.rest.is_set(cpu), "{cpu}");
        }
    }

    #[test]
    fn seats_are_dealt_in_turns() {
        let processors = set(&[1, 3, 5]);
        let seats = [0, 1, 2, 3].map(|seat| listed(&seated(&processors, Some(seat))));
        assert_eq!(seats, [[1], [3], [5], [1]]);
        assert_eq!(seated(&processors, None), processors);
        assert_eq!(seated(&CpuSet::new(), Some(1)), CpuSet::new());
    }

    #[test]
    fn a_guest_starts_on_its_seat_and_whoever_starts_it_stays_where_it_was() {
        let before = sched_getaffinity(None).unwrap();
        let mut child = ProcessorSplit::spawn(None, Some(1), Command::new("sleep").arg("60")).unwrap();
        let found = sched_getaffinity(Some(rustix::process::Pid::from_child(&child))).unwrap();
        assert_eq!(found, seated(&before, Some(1)));
        assert_eq!(sched_getaffinity(None).unwrap(), before);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn one_processor_cannot_be_divided() {
        assert!(ProcessorSplit::divide(&set(&[4])).is_none());
        assert!(ProcessorSplit::divide(&CpuSet::new()).is_none());
    }

    #[test]
    fn a_program_of_brokers_has_all_processors_until_it_is_confined_to_their_half() {
        let before = sched_getaffinity(None).unwrap();
        let Some(split) = ProcessorSplit::divide(&before) else { return };
        split.leave_brokers_alone().unwrap();
        let mut command = Command::new("sleep");
        let mut child = ProcessorSplit::spawn(Some(split), None, command.arg("60")).unwrap();
        let pid = rustix::process::Pid::from_child(&child);
        assert_eq!(sched_getaffinity(Some(pid)).unwrap(), before);
        assert_eq!(sched_getaffinity(None).unwrap(), split.rest);
        split.confine(child.id(), None);
        assert_eq!(sched_getaffinity(Some(pid)).unwrap(), split.brokers);
        split.confine(child.id(), Some(7));
        assert_eq!(sched_getaffinity(Some(pid)).unwrap(), seated(&split.brokers, Some(7)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
