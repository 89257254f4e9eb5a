//! A machine: its clock, and the process that runs on it.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::daemon::Server;

/// See the module.
pub(super) struct Machine {
    pub(super) name: String,
    begun: Instant,
    /// What the clock showed at the beginning.
    offset: Duration,
    /// How many millionths of a second the clock counts in a microsecond.
    rate: u64,
    /// How many steps later than others it takes a silent owner's pool.
    pub(super) priority: u32,
    state: Mutex<State>,
}

struct State {
    suspended_until: Instant,
    cut_until: Instant,
    process: Option<Arc<Process>>,
    server: Option<Arc<Server>>,
    /// A process may start.
    starts: bool,
}

/// A process. After its end nothing of it runs.
#[derive(Default)]
pub(super) struct Process {
    has_ended: AtomicBool,
    pub(super) ended: Notify,
    /// The operator asks it to stop.
    pub(super) asked: Notify,
}

impl Process {
    pub(super) fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
        self.ended.notify_one();
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }
}

impl Machine {
    pub(super) fn new(name: &str, offset: Duration, rate: u64, priority: u32) -> Machine {
        let now = Instant::now();
        let state = State { suspended_until: now, cut_until: now, process: None, server: None, starts: true };
        Machine { name: name.to_owned(), begun: now, offset, rate, priority, state: Mutex::new(state) }
    }

    /// The time of its clock, which goes on while it is suspended.
    pub(super) fn now(&self) -> Duration {
        let elapsed = self.begun.elapsed().as_micros() as u64;
        self.offset + Duration::from_nanos(elapsed * self.rate / 1000)
    }

    fn state<T>(&self, of: impl FnOnce(&mut State) -> T) -> T {
        of(&mut self.state.lock().unwrap())
    }

    /// Nothing runs on it for so long.
    pub(super) fn suspend(&self, time: Duration) {
        self.state(|state| state.suspended_until = Instant::now() + time);
    }

    /// It does not reach the database for so long.
    pub(super) fn cut(&self, time: Duration) {
        self.state(|state| state.cut_until = Instant::now() + time);
    }

    pub(super) fn is_cut(&self) -> bool {
        self.state(|state| Instant::now() < state.cut_until)
    }

    /// Nothing is wrong with it any more.
    pub(super) fn heal(&self) {
        let now = Instant::now();
        self.state(|state| (state.suspended_until, state.cut_until, state.starts) = (now, now, true));
    }

    /// Ends the process at once. If it `stays_down`, no other one starts until the machine is healed.
    pub(super) fn kill(&self, stays_down: bool) {
        let process = self.state(|state| {
            state.starts &= !stays_down;
            state.process.clone()
        });
        process.iter().for_each(|process| process.end());
    }

    pub(super) fn may_start(&self) -> bool {
        self.state(|state| state.starts)
    }

    /// Another process takes the place of the last one.
    pub(super) fn start(&self) -> Arc<Process> {
        let process = Arc::<Process>::default();
        self.state(|state| (state.process, state.server) = (Some(process.clone()), None));
        process
    }

    pub(super) fn process(&self) -> Option<Arc<Process>> {
        self.state(|state| state.process.clone())
    }

    /// Clients reach this server from now on.
    pub(super) fn serve(&self, server: Option<Arc<Server>>) {
        self.state(|state| state.server = server);
    }

    pub(super) fn server(&self) -> Option<Arc<Server>> {
        self.state(|state| state.server.clone())
    }

    fn suspended_until(&self) -> Option<Instant> {
        self.state(|state| (Instant::now() < state.suspended_until).then_some(state.suspended_until))
    }

    /// Runs a part of the process: it goes on only while the machine runs, and returns nothing if the process has ended.
    pub(super) async fn run<T>(&self, process: &Process, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        let mut resumed = pin!(tokio::time::sleep(Duration::ZERO));
        poll_fn(|context| {
            loop {
                if process.has_ended() {
                    return Poll::Ready(None);
                }
                let Some(until) = self.suspended_until() else { break };
                resumed.as_mut().reset(until);
                if resumed.as_mut().poll(context).is_pending() {
                    return Poll::Pending;
                }
            }
            work.as_mut().poll(context).map(Some)
        })
        .await
    }
}
