//! The scheduler: all parts of a simulated pool and its clients take turns in an order that the seed determines.
//!
//! The tasks of the pool and of its clients run on a tokio runtime of one thread with paused time. Work that blocks
//! (`sync::blocking`) becomes a *fiber*: a separate thread that runs only while the runtime's thread waits for it. A
//! fiber gives the turn back when it has ended, when it needs a lock that is held elsewhere, and, at a rate that the
//! seed determines, at the *points*: each acquisition of a lock and each step of the disk. The runtime's thread lets
//! fibers continue at its own points. So exactly one thread runs at any time, and the same seed gives the same order.
//!
//! Another node may take turns with this one, from a certain moment on ([`super::relay`]). All threads of a node stop then, wherever they
//! are.
//!
//! Outside of a simulation, on any other thread, these functions do nothing.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, Once, OnceLock};

use tokio::runtime::Handle;

use super::random::Random;
use super::relay::{Phase, Relay, Trap};
use crate::{Error, Result};

/// The number of turns after which unfinished work counts as a deadlock.
const TURNS_MAX: usize = 1_000_000;

type Work = Box<dyn FnOnce() + Send>;
type BeginOther = Box<dyn FnMut() -> Option<Relay>>;

/// The state of a fiber when it gives the turn back.
enum Turn {
    Yielded,
    Done,
    Panicked,
}

/// A thread that runs fibers, one after another.
struct Worker {
    begin: Sender<(Work, Dice)>,
    resume: Sender<()>,
    turns: Receiver<Turn>,
}

/// The random numbers, and the rate at which turns change.
#[derive(Clone)]
struct Dice {
    random: Arc<Mutex<Random>>,
    /// The number of cases in a thousand in which a point changes turns.
    preempted: u64,
    /// The moment at which another node begins.
    trap: Arc<OnceLock<Trap>>,
}

impl Dice {
    fn has_come(&self) -> bool {
        self.trap.get().is_some_and(Trap::has_come)
    }

    fn roll(&self) -> bool {
        self.random.lock().unwrap().permille(self.preempted)
    }
}

/// The state of the runtime's thread.
struct Main {
    dice: Dice,
    fibers: RefCell<BTreeMap<u64, Worker>>,
    done: RefCell<BTreeSet<u64>>,
    next: Cell<u64>,
    panicked: Cell<bool>,
    /// Begins the other node. Returns `None` if that cannot be done now.
    begin_other: RefCell<Option<BeginOther>>,
    /// The node that takes turns with this one.
    other: RefCell<Option<Relay>>,
}

/// The state of a fiber.
struct Fiber {
    dice: Dice,
    resumed: Rc<Receiver<()>>,
    turns: Sender<Turn>,
}

#[derive(Clone, Default)]
enum Seat {
    #[default]
    Outside,
    Main(Rc<Main>),
    Fiber(Rc<Fiber>),
}

thread_local! {
    static SEAT: RefCell<Seat> = RefCell::default();
    /// Idle workers, which are kept from one simulation to the next.
    static IDLE: RefCell<Vec<Worker>> = RefCell::default();
}

fn seat() -> Seat {
    // While the thread ends, it has no seat any more.
    SEAT.try_with(|seat| seat.borrow().clone()).unwrap_or_default()
}

fn main() -> Option<Rc<Main>> {
    if let Seat::Main(main) = seat() { Some(main) } else { None }
}

/// While this value lives, this thread belongs to a simulation.
pub(crate) struct Simulated(());

/// Makes this thread part of a simulation. `preempted` is the number of cases in a thousand in which a point changes
/// turns.
pub(crate) fn simulate(random: Random, preempted: u64) -> Simulated {
    let main = Main {
        dice: Dice { random: Arc::new(Mutex::new(random)), preempted, trap: Arc::default() },
        fibers: RefCell::default(),
        done: RefCell::default(),
        next: Cell::default(),
        panicked: Cell::default(),
        begin_other: RefCell::default(),
        other: RefCell::default(),
    };
    note_panics();
    SEAT.set(Seat::Main(Rc::new(main)));
    Simulated(())
}

impl Drop for Simulated {
    fn drop(&mut self) {
        SEAT.set(Seat::Outside);
    }
}

/// Whether this thread belongs to a simulation.
pub(crate) fn is_simulated() -> bool {
    !matches!(seat(), Seat::Outside)
}

/// Whether anything panicked in this simulation.
pub(crate) fn has_panicked() -> bool {
    main().is_some_and(|main| main.panicked.get())
}

/// Records panics of a simulation's tasks, which tokio catches.
fn note_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if let Some(main) = main() {
                main.panicked.set(true);
            }
            before(info);
        }));
    });
}

/// Begins another node when the moment of the trap comes.
pub(crate) fn begin_other_at(trap: Trap, begin: impl FnMut() -> Option<Relay> + 'static) {
    if let Some(main) = main() {
        let _ = main.dice.trap.set(trap);
        *main.begin_other.borrow_mut() = Some(Box::new(begin));
    }
}

/// Takes turns with another node from now on.
pub(crate) fn take_turns(with: Relay) {
    if let Some(main) = main() {
        *main.other.borrow_mut() = Some(with);
    }
}

/// This node does something else from now on.
pub(crate) fn enter(phase: Phase) {
    if let Some(main) = main()
        && let Some(trap) = main.dice.trap.get()
    {
        trap.enter(phase);
    }
}

/// A point right before the disk changes.
pub(crate) fn disk_step() {
    let dice = match seat() {
        Seat::Outside => return,
        Seat::Main(main) => main.dice.clone(),
        Seat::Fiber(fiber) => fiber.dice.clone(),
    };
    dice.trap.get().into_iter().for_each(Trap::step);
    point();
}

/// A place where the turn may change.
pub(crate) fn point() {
    match seat() {
        Seat::Outside => {}
        Seat::Main(main) => {
            main.visit_other();
            if !main.fibers.borrow().is_empty() && main.dice.roll() {
                main.step_any();
            }
        }
        Seat::Fiber(fiber) => {
            if fiber.dice.has_come() || fiber.dice.roll() {
                fiber.give_way();
            }
        }
    }
}

/// Lets other threads run until `ready` returns true.
pub(crate) fn until(ready: impl Fn() -> bool) {
    let seat = seat();
    if matches!(seat, Seat::Outside) {
        return;
    }
    point();
    for _ in 0..TURNS_MAX {
        if ready() {
            return;
        }
        match &seat {
            Seat::Main(main) => assert!(main.step_any(), "a lock is taken twice by one task"),
            Seat::Fiber(fiber) => fiber.give_way(),
            Seat::Outside => return,
        }
    }
    panic!("a lock is never let go of");
}

/// Like `sync::blocking`.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let delay = main().map_or(0, |main| main.dice.random.lock().unwrap().below(3));
    for _ in 0..delay {
        tokio::task::yield_now().await;
    }
    let outcome = Arc::new(Mutex::new(None));
    let cell = outcome.clone();
    let begun = begin(Box::new(move || {
        let done = work();
        *cell.lock().unwrap() = Some(done);
    }));
    while !begun.is_none_or(step) {
        tokio::task::yield_now().await;
    }
    let outcome = outcome.lock().unwrap().take();
    // The same as for a thread that panicked.
    outcome.unwrap_or(Err(Error::Closed))
}

/// Like `sync::in_background`.
pub(crate) fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) {
    tokio::spawn(blocking(move || {
        work();
        Ok(())
    }));
}

/// Runs all fibers to their end and ignores their results.
pub(crate) fn drain() {
    let Some(main) = main() else { return };
    for _ in 0..TURNS_MAX {
        if !main.step_any() {
            return;
        }
    }
    panic!("blocking work does not end");
}

/// Makes the work a fiber. Returns `None` if the work is already done, because this simulation never preempts.
fn begin(work: Work) -> Option<u64> {
    let main = main()?;
    if main.dice.preempted == 0 {
        // The hook has recorded the panic. Otherwise the result is the same as on a thread.
        let _ = catch_unwind(AssertUnwindSafe(work));
        return None;
    }
    let runtime = Handle::current();
    let work: Work = Box::new(move || {
        let _within = runtime.enter();
        work();
    });
    let worker = IDLE.with_borrow_mut(Vec::pop).unwrap_or_else(worker);
    worker.begin.send((work, main.dice.clone())).unwrap();
    let fiber = main.next.get();
    main.next.set(fiber + 1);
    main.fibers.borrow_mut().insert(fiber, worker);
    Some(fiber)
}

/// Gives a fiber a turn. Returns true if it has ended.
fn step(fiber: u64) -> bool {
    main().is_none_or(|main| main.step(fiber))
}

impl Main {
    fn step(&self, fiber: u64) -> bool {
        if self.done.borrow_mut().remove(&fiber) {
            return true;
        }
        // A missing fiber belongs to another simulation.
        let Some(worker) = self.fibers.borrow_mut().remove(&fiber) else { return true };
        worker.resume.send(()).unwrap();
        match worker.turns.recv().unwrap() {
            Turn::Yielded => {
                self.fibers.borrow_mut().insert(fiber, worker);
                self.visit_other();
                false
            }
            end => {
                self.panicked.set(self.panicked.get() || matches!(end, Turn::Panicked));
                IDLE.with_borrow_mut(|idle| idle.push(worker));
                true
            }
        }
    }

    /// Begins the other node, or lets it have a turn. All threads of this node are stopped meanwhile.
    fn visit_other(&self) {
        if self.dice.has_come() {
            let begun = self.begin_other.borrow_mut().as_mut().and_then(|begin| begin());
            if let Some(begun) = begun {
                self.dice.trap.get().into_iter().for_each(Trap::disarm);
                self.begin_other.replace(None);
                begun.wait();
                self.other.replace(Some(begun));
            }
        } else if let Some(other) = &*self.other.borrow() {
            other.point();
        }
    }

    /// Gives a random fiber a turn. Returns false if there is none.
    fn step_any(&self) -> bool {
        let fibers: Vec<u64> = self.fibers.borrow().keys().copied().collect();
        let Some(fiber) = self.dice.random.lock().unwrap().pick(&fibers) else { return false };
        if self.step(fiber) {
            self.done.borrow_mut().insert(fiber);
        }
        true
    }
}

impl Fiber {
    fn give_way(&self) {
        self.turns.send(Turn::Yielded).unwrap();
        self.resumed.recv().unwrap();
    }
}

fn worker() -> Worker {
    let (begin, begun) = channel::<(Work, Dice)>();
    let (resume, resumed) = channel();
    let (turns, told) = channel();
    let run = move || {
        let resumed = Rc::new(resumed);
        while let Ok((work, dice)) = begun.recv() {
            if resumed.recv().is_err() {
                return;
            }
            let fiber = Fiber { dice, resumed: resumed.clone(), turns: turns.clone() };
            SEAT.set(Seat::Fiber(Rc::new(fiber)));
            let end = catch_unwind(AssertUnwindSafe(work)).map_or(Turn::Panicked, |()| Turn::Done);
            SEAT.set(Seat::Outside);
            if turns.send(end).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name("fiber".into()).spawn(run).unwrap();
    Worker { begin, resume, turns: told }
}
