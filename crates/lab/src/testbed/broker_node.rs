//! The node of a broker: a guest, or a program of the host.

use std::ops::Deref;
use std::process::ExitStatus;

use anyhow::Result;

use super::target::CpuTime;
use crate::host::{CONGESTION_CONTROL, Guest, Native, Node, ProcessorSplit};
use crate::report::Recorder;

/// The node of a broker.
#[derive(Debug)]
pub enum BrokerNode {
    /// A guest, with a kernel of its own.
    Guest(Guest),
    /// Programs of the host.
    Native(Native),
}

impl Deref for BrokerNode {
    type Target = Node;

    fn deref(&self) -> &Node {
        match self {
            Self::Guest(guest) => guest,
            Self::Native(native) => native,
        }
    }
}

impl BrokerNode {
    /// Processor time since its start: of a guest's one processor, or of all of the host's processors as far as they worked for a native
    /// node.
    pub fn cpu(&self) -> Result<CpuTime> {
        match self {
            Self::Guest(guest) => Ok(CpuTime { busy: guest.busy(), total: guest.available() }),
            Self::Native(native) => Ok(CpuTime { busy: native.busy()?, total: native.available() }),
        }
    }

    /// Moves it to the brokers' half of the processors.
    pub fn confine(&self, split: &ProcessorSplit) {
        match self {
            Self::Guest(guest) => guest.confine(split),
            Self::Native(native) => split.confine(native.pid(), None),
        }
    }

    /// Kills it and everything that runs there, as a power failure would. Unsynced writes of a native node's programs are not lost, because
    /// their kernel keeps running.
    pub fn kill(&self) -> Result<()> {
        match self {
            Self::Guest(guest) => guest.kill(),
            Self::Native(native) => native.kill(),
        }
    }

    /// How the guest's kernel, or the native node's agent, ended; `None` while it runs.
    pub fn ended(&self) -> Result<Option<ExitStatus>> {
        match self {
            Self::Guest(guest) => guest.ended(),
            Self::Native(native) => native.ended(),
        }
    }

    /// Records the properties of nodes of this kind.
    pub fn tell(&self, guest_memory_mib: u32, recorder: &Recorder) {
        match self {
            Self::Guest(_) => {
                recorder.setting("guest memory, MiB", guest_memory_mib);
                recorder.setting("TCP congestion control, this host to guests", CONGESTION_CONTROL);
            }
            Self::Native(_) => recorder.setting("brokers run", "on this host, without guests"),
        }
        let accounting = match self {
            Self::Guest(_) => "/proc/PID/stat of the guest's processes, on this host",
            Self::Native(native) => native.accounting(),
        };
        recorder.setting("brokers' CPU time is read from", accounting);
    }
}
