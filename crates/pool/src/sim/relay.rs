//! Two nodes that take turns, and the moment at which the second one begins.
//!
//! Each node is a simulation of its own ([`super::schedule`]) on a thread of its own, with its own time. A node hands the turn over only
//! where its own threads change turns, so it is stopped with all its threads, each of them in the middle of anything. Exactly one node runs
//! at any time.

use std::cell::{Cell, RefCell};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::random::Random;

/// What a node is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Opening,
    Working,
    Closing,
    /// The model is being compared, or the life is over: no other node begins now.
    Other,
}

/// The moment at which the other node begins: in this phase, before this changing step of the disk, or this many points later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) phase: Phase,
    pub(crate) steps: u64,
    pub(crate) points: u64,
}

impl Moment {
    /// A moment in the life of a node that makes about so many steps.
    pub(crate) fn draw(random: &mut Random, steps: u64) -> Moment {
        let (phase, steps) = match random.below(10) {
            0 => (Phase::Opening, random.below(8)),
            1 | 2 => (Phase::Closing, random.below(12)),
            _ => (Phase::Working, random.below(steps * 2)),
        };
        let points = random.pick(&[0, 0, 3, 30]).unwrap_or(0);
        Moment { phase, steps, points: random.below(points + 1) }
    }
}

/// Waits for the moment. All threads of a node share it.
pub(crate) struct Trap(Mutex<State>);

struct State {
    moment: Moment,
    phase: Phase,
    is_due: bool,
    is_over: bool,
}

impl Trap {
    pub(crate) fn new(moment: Moment) -> Trap {
        Trap(Mutex::new(State { moment, phase: Phase::Opening, is_due: false, is_over: false }))
    }

    /// The node does something else from now on.
    pub(crate) fn enter(&self, phase: Phase) {
        self.0.lock().unwrap().phase = phase;
    }

    /// The other node has begun.
    pub(crate) fn disarm(&self) {
        self.0.lock().unwrap().is_over = true;
    }

    /// A thread of the node is about to change the disk.
    pub(crate) fn step(&self) {
        let mut state = self.0.lock().unwrap();
        if state.phase != state.moment.phase {
            return;
        }
        match state.moment.steps {
            0 => state.is_due = true,
            _ => state.moment.steps -= 1,
        }
    }

    /// A thread of the node is at a point. Returns whether the moment has come.
    pub(crate) fn has_come(&self) -> bool {
        let mut state = self.0.lock().unwrap();
        if !state.is_due || state.is_over || state.phase == Phase::Other {
            return false;
        }
        if state.moment.points > 0 {
            state.moment.points -= 1;
            return false;
        }
        true
    }
}

/// A node's end of the relay. When one node ends, the other one runs alone.
pub(crate) struct Relay {
    over: Sender<()>,
    back: Receiver<()>,
    random: RefCell<Random>,
    /// In how many cases in a thousand a point hands the turn over.
    handed_over: u64,
    /// The number of points before the other node has a turn.
    alone: Cell<u64>,
}

/// The relay of two nodes: the end of the one that is stopped now, and the end of the one that begins.
pub(crate) fn relay(random: &mut Random) -> (Relay, Relay) {
    let ((to_second, of_first), (to_first, of_second)) = (channel(), channel());
    let handed_over = random.pick(&[2, 20, 100]).unwrap_or(20);
    // The first one may go on while the second one still opens the pool, or only when that has nearly done its work.
    let alone = random.pick(&[0, 100, 1000, 10_000]).unwrap_or(0);
    let mut end = |over, back, alone| {
        let random = RefCell::new(random.fork());
        Relay { over, back, random, handed_over, alone: Cell::new(alone) }
    };
    (end(to_second, of_second, 0), end(to_first, of_first, alone))
}

impl Relay {
    /// A place where the turn may be handed over.
    pub(crate) fn point(&self) {
        if self.alone.get() > 0 {
            self.alone.set(self.alone.get() - 1);
        } else if self.random.borrow_mut().permille(self.handed_over) && self.over.send(()).is_ok() {
            self.wait();
        }
    }

    /// Waits for the turn, or for the end of the other node.
    pub(crate) fn wait(&self) {
        let _ = self.back.recv();
    }
}
