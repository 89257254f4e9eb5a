//! Another node opens the pool while the node that has it is stopped, in the middle of anything. Then both run.
//!
//! At a moment that the seed determines, the *first* node stops with all its threads. It is fenced: what it has not synced may be lost,
//! and nothing that it does later reaches the disk. Or it is not, and looks before each write whether it was replaced. The *second* node opens the pool, and must find what the clients of the first one were
//! told before. It works on, while the first one goes on with what it was doing, with everything that it has in memory.
//!
//! The fence cuts the first node off from the clients' network as well. So an answer that it gives later reaches nobody, and the model does
//! not learn of it: the second node gets the model as it was at that moment. Clients send the first one no requests any more.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::thread::JoinHandle;

use super::client::Shared;
use super::history::{End, Setting, live_with, plan, work};
use super::model::World;
use super::ops::Appetite;
use super::random::Random;
use super::relay::{Moment, Relay, Trap, relay};
use super::schedule;
use crate::sim::faulty::{FaultyDisk, Fence};

/// A second node, which begins at a moment of the first one's life.
pub(super) struct Takeover {
    setting: Setting,
    shared: Rc<Shared>,
    random: RefCell<Random>,
    moment: Moment,
    second: Rc<Cell<Option<JoinHandle<Known>>>>,
}

/// What the second node begins with.
struct Beginning {
    setting: Setting,
    disk: Arc<FaultyDisk>,
    appetite: Appetite,
    is_bounded: bool,
    known: Known,
    random: Random,
    relay: Relay,
}

/// What is known of the pool: at first by the first node, at the end by the second one.
struct Known {
    world: World,
    failure: Option<String>,
    operations: u64,
    log: Vec<String>,
}

impl Takeover {
    pub(super) fn prepare(setting: &Setting, shared: &Rc<Shared>, random: &mut Random) -> Takeover {
        let mut random = random.fork();
        let moment = Moment::draw(&mut random, setting.clients * setting.operations);
        Takeover {
            setting: setting.clone(),
            shared: shared.clone(),
            random: RefCell::new(random),
            moment,
            second: Rc::default(),
        }
    }

    /// Returns a function that the first node calls at its beginning.
    pub(super) fn begin(&self) -> impl FnOnce() + use<> {
        let (setting, shared, second) = (self.setting.clone(), self.shared.clone(), self.second.clone());
        let (moment, random) = (self.moment, self.random.clone());
        let begin = move || {
            // None if a client is just changing the model. Then the second node begins at the next point.
            let world = shared.world.try_borrow().ok()?.as_known_now();
            let mut random = random.borrow_mut();
            let fence = random.pick(&[Fence::PowerOff, Fence::CutOff, Fence::CutOff])?;
            let disk = shared.disk.taken_over(fence, random.next());
            shared.note(format!("another node takes the pool over: {fence:?}"));
            shared.is_replaced.set(true);
            let (first, relay) = relay(&mut random);
            let known =
                Known { world, failure: None, operations: shared.operations.get(), log: shared.lines() };
            let beginning = Beginning {
                setting: setting.clone(),
                disk,
                appetite: shared.appetite,
                is_bounded: shared.bounded,
                known,
                random: random.fork(),
                relay,
            };
            let thread = std::thread::Builder::new().name("second node".into());
            second.set(Some(thread.spawn(move || live_as_second(beginning)).ok()?));
            Some(first)
        };
        move || schedule::begin_other_at(Trap::new(moment), begin)
    }

    /// Waits for the end of the second node, and goes on with what it knows. Returns false if it has not begun. To be called when the
    /// first node has ended.
    pub(super) fn end(self, shared: &Shared) -> bool {
        let Some(second) = self.second.take() else { return false };
        shared.is_replaced.set(false);
        match second.join() {
            Ok(known) => {
                shared.world.replace(known.world);
                shared.operations.set(known.operations);
                shared.replace_lines(known.log);
                known.failure.into_iter().for_each(|failure| shared.fail(failure));
            }
            Err(_) => shared.fail("the second node panicked".into()),
        }
        true
    }
}

/// A life of the second node, while the first one takes turns with it.
fn live_as_second(beginning: Beginning) -> Known {
    let Beginning { setting, disk, appetite, is_bounded, known, mut random, relay } = beginning;
    let shared = Shared::new(disk, appetite, is_bounded);
    shared.world.replace(known.world);
    shared.operations.set(known.operations);
    shared.replace_lines(known.log);
    let end = if random.permille(500) { End::Crash } else { End::Close };
    let begin = || schedule::take_turns(relay);
    live_with(&setting, &shared, &mut random, false, Some(begin), |pool, mut random| {
        let (shared, setting) = (shared.clone(), &setting);
        async move {
            let plan = plan(&mut random, end, setting);
            work(pool, &shared, random, setting, end, plan).await
        }
    });
    let (world, failure) = (shared.world.take(), shared.failure.take());
    Known { world, failure, operations: shared.operations.get(), log: shared.lines() }
}
