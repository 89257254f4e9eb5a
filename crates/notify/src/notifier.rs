//! A queue and a task for each target.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::message::{Notice, Severity};
use crate::targets::{Heartbeat, Kind, Target, Targets, Webhook};
use crate::{command, http, mail};

/// Notices that wait for a target. Further ones displace the oldest.
const WAITING_MAX: usize = 128;
/// The times between attempts to deliver a notice.
const AGAIN_AFTER: [Duration; 5] = [
    Duration::from_secs(2),
    Duration::from_secs(10),
    Duration::from_secs(60),
    Duration::from_secs(300),
    Duration::from_secs(900),
];

/// Delivers notices. It has no targets until it is told which.
#[derive(Default)]
pub struct Notifier(Mutex<Running>);

#[derive(Default)]
struct Running {
    targets: Vec<Arc<Lane>>,
    tasks: Vec<JoinHandle<()>>,
}

/// A target and its queue.
struct Lane {
    target: Target,
    state: Mutex<LaneState>,
    arrived: Notify,
}

#[derive(Default)]
struct LaneState {
    waiting: VecDeque<Notice>,
    delivered: u64,
    dropped: u64,
    last_delivered: Option<SystemTime>,
    failure: Option<(SystemTime, String)>,
}

/// How it goes with a target.
#[derive(Clone, Debug)]
pub struct TargetStatus {
    /// Its name.
    pub name: String,
    /// Its type, as in the file.
    pub kind: &'static str,
    /// Where it goes, without secrets.
    pub place: String,
    /// Notices below this severity are not for it.
    pub severity: Severity,
    /// The number of notices that were delivered.
    pub delivered: u64,
    /// The number of notices that could not be delivered and were given up.
    pub dropped: u64,
    /// The number of notices that wait.
    pub waiting: u64,
    /// When the last one was delivered.
    pub last_delivered: Option<SystemTime>,
    /// Why the last attempt failed, and when; `None` if it succeeded.
    pub failure: Option<(SystemTime, String)>,
}

impl Notifier {
    /// Replaces the targets. Notices that wait for a target of the same name still go to it. `is_alive` is asked before each heartbeat.
    /// Must be called in a runtime.
    pub fn configure(&self, targets: Targets, is_alive: impl Fn() -> bool + Send + Sync + 'static) {
        let mut running = self.running();
        running.tasks.drain(..).for_each(|task| task.abort());
        let before = std::mem::take(&mut running.targets);
        for target in targets.targets {
            let same = before.iter().find(|lane| lane.target.name == target.name);
            let state = same.map(|lane| std::mem::take(&mut *lane.state())).unwrap_or_default();
            let lane = Arc::new(Lane { target, state: Mutex::new(state), arrived: Notify::new() });
            running.tasks.push(tokio::spawn(lane.clone().work()));
            running.targets.push(lane);
        }
        if let Some(heartbeat) = targets.heartbeat {
            running.tasks.push(tokio::spawn(beat(heartbeat, is_alive)));
        }
    }

    /// Queues a notice for all targets that it is for.
    pub fn send(&self, notice: &Notice) {
        let running = self.running();
        running
            .targets
            .iter()
            .filter(|lane| notice.severity >= lane.target.severity)
            .for_each(|lane| lane.queue(notice.clone()));
    }

    /// Delivers a notice to one target now, and says how that went; `None` if there is no such target.
    pub async fn test(&self, name: &str, notice: &Notice) -> Option<Result<(), String>> {
        let lane = self.running().targets.iter().find(|lane| lane.target.name == name).cloned()?;
        let outcome = deliver(&lane.target, notice).await;
        lane.note(&outcome);
        Some(outcome)
    }

    /// How it goes with each target.
    pub fn status(&self) -> Vec<TargetStatus> {
        self.running().targets.iter().map(|lane| lane.status()).collect()
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        self.running().tasks.drain(..).for_each(|task| task.abort());
    }
}

impl Lane {
    fn state(&self) -> MutexGuard<'_, LaneState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn queue(&self, notice: Notice) {
        let mut state = self.state();
        if state.waiting.len() >= WAITING_MAX {
            state.waiting.pop_front();
            state.dropped = state.dropped.saturating_add(1);
        }
        state.waiting.push_back(notice);
        drop(state);
        self.arrived.notify_one();
    }

    async fn work(self: Arc<Self>) {
        loop {
            let next = self.state().waiting.front().cloned();
            match next {
                None => self.arrived.notified().await,
                Some(notice) => {
                    self.deliver(&notice).await;
                    self.state().waiting.pop_front();
                }
            }
        }
    }

    /// Tries for about twenty minutes.
    async fn deliver(&self, notice: &Notice) {
        let mut pauses = AGAIN_AFTER.into_iter();
        loop {
            let outcome = deliver(&self.target, notice).await;
            self.note(&outcome);
            let Err(error) = outcome else { return };
            let Some(pause) = pauses.next() else {
                let mut state = self.state();
                state.dropped = state.dropped.saturating_add(1);
                drop(state);
                tracing::error!(target_name = self.target.name, alert = notice.title(), %error, "a notice could not be delivered, and is given up");
                return;
            };
            tracing::warn!(target_name = self.target.name, alert = notice.title(), %error, "a notice could not be delivered; it is tried again in {} s", pause.as_secs());
            tokio::time::sleep(pause).await;
        }
    }

    fn note(&self, outcome: &Result<(), String>) {
        let (mut state, now) = (self.state(), SystemTime::now());
        match outcome {
            Ok(()) => {
                state.delivered = state.delivered.saturating_add(1);
                (state.last_delivered, state.failure) = (Some(now), None);
            }
            Err(error) => state.failure = Some((now, error.clone())),
        }
    }

    fn status(&self) -> TargetStatus {
        let state = self.state();
        TargetStatus {
            name: self.target.name.clone(),
            kind: self.target.kind.word(),
            place: self.target.kind.place(),
            severity: self.target.severity,
            delivered: state.delivered,
            dropped: state.dropped,
            waiting: state.waiting.len() as u64,
            last_delivered: state.last_delivered,
            failure: state.failure.clone(),
        }
    }
}

async fn deliver(target: &Target, notice: &Notice) -> Result<(), String> {
    match &target.kind {
        Kind::Webhook(to) => http::post(to, &notice.json()).await,
        Kind::Slack(to) => http::post(to, &notice.slack()).await,
        Kind::Teams(to) => http::post(to, &notice.teams()).await,
        Kind::PagerDuty(to, key) => http::post(to, &notice.pagerduty(key)).await,
        Kind::Mail(mail) => mail::send(mail, notice).await,
        Kind::Command(program) => command::run(program, notice).await,
    }
}

async fn beat(heartbeat: Heartbeat, is_alive: impl Fn() -> bool) {
    let to = Webhook { url: heartbeat.url, authorization: None };
    let mut fails = false;
    loop {
        if is_alive() {
            let sent = http::post(&to, &serde_json::json!({"alive": true})).await;
            match &sent {
                Err(error) if !fails => tracing::warn!(%error, "the heartbeat of alerts is not received"),
                Ok(()) if fails => tracing::info!("the heartbeat of alerts is received again"),
                _ => {}
            }
            fails = sent.is_err();
        }
        tokio::time::sleep(heartbeat.every).await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::message::State;

    fn notice(number: usize, severity: Severity) -> Notice {
        let object = format!("volume {number}");
        Notice { object, severity, state: State::Firing, ..Notice::test("storage-1", "ada") }
    }

    /// Answers requests with these statuses, then with 200, and returns the bodies.
    async fn hook(statuses: &'static [u16]) -> (String, Arc<Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let bodies = Arc::<Mutex<Vec<String>>>::default();
        let seen = bodies.clone();
        tokio::spawn(async move {
            let mut statuses = statuses.iter();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = Vec::new();
                while !request.ends_with(b"}") {
                    let mut some = [0; 1024];
                    let length = stream.read(&mut some).await.unwrap();
                    request.extend(&some[..length]);
                }
                let status = statuses.next().unwrap_or(&200);
                let answer = format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\n\r\n");
                stream.write_all(answer.as_bytes()).await.unwrap();
                seen.lock().unwrap().push(String::from_utf8_lossy(&request).into_owned());
            }
        });
        (url, bodies)
    }

    fn configure(notifier: &Notifier, text: &str) {
        notifier.configure(Targets::parse(text).unwrap(), || true);
    }

    async fn until(what: impl Fn() -> bool) {
        for _ in 0..2000 {
            if what() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("it does not come");
    }

    #[tokio::test]
    async fn a_target_that_hangs_delays_no_other_one_and_takes_bounded_memory() {
        // It accepts connections and never answers.
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (url, bodies) = hook(&[]).await;
        let notifier = Notifier::default();
        configure(
            &notifier,
            &format!(
                "[[target]]\nname=\"silent\"\ntype=\"slack\"\nurl=\"http://{}/\"\n[[target]]\nname=\"good\"\ntype=\"webhook\"\nurl=\"{url}\"\nseverity=\"critical\"",
                silent.local_addr().unwrap()
            ),
        );
        for number in 0..WAITING_MAX + 50 {
            notifier.send(&notice(number, Severity::Warning));
        }
        notifier.send(&notice(1, Severity::Critical));
        notifier.send(&notice(2, Severity::Info));
        until(|| bodies.lock().unwrap().len() == 1).await;
        let [hangs, good] = notifier.status().try_into().unwrap();
        assert!(hangs.waiting <= WAITING_MAX as u64 && hangs.dropped >= 50, "{hangs:?}");
        assert_eq!((good.delivered, good.waiting.min(1)), (1, good.waiting.min(1)), "{good:?}");
    }

    #[tokio::test]
    async fn a_failure_is_seen_and_tried_again() {
        let (url, bodies) = hook(&[503]).await;
        let notifier = Notifier::default();
        configure(&notifier, &format!("[[target]]\nname=\"a\"\ntype=\"webhook\"\nurl=\"{url}\""));
        notifier.send(&notice(7, Severity::Critical));
        until(|| notifier.status()[0].failure.is_some()).await;
        assert!(notifier.status()[0].failure.as_ref().unwrap().1.contains("503"));
        until(|| notifier.status()[0].delivered == 1).await;
        assert!(notifier.status()[0].failure.is_none());
        let bodies = bodies.lock().unwrap().clone();
        assert!(bodies.len() == 2 && bodies.iter().all(|body| body.contains("volume 7")), "{bodies:?}");
    }

    #[tokio::test]
    async fn notices_that_wait_survive_a_new_file_and_a_test_says_how_it_went() {
        let (url, _) = hook(&[]).await;
        let notifier = Notifier::default();
        configure(&notifier, "[[target]]\nname=\"a\"\ntype=\"webhook\"\nurl=\"http://127.0.0.1:1/\"");
        notifier.send(&notice(1, Severity::Critical));
        until(|| notifier.status()[0].failure.is_some()).await;
        let test = Notice::test("storage-1", "ada");
        assert!(notifier.test("a", &test).await.unwrap().is_err());
        assert!(notifier.test("b", &test).await.is_none());
        configure(&notifier, &format!("[[target]]\nname=\"a\"\ntype=\"webhook\"\nurl=\"{url}\""));
        until(|| notifier.status()[0].delivered == 1).await;
        notifier.test("a", &test).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn the_heart_beats_only_while_the_daemon_is_alive() {
        let (url, bodies) = hook(&[]).await;
        let heartbeat =
            Heartbeat { url: crate::http::Url::parse(&url).unwrap(), every: Duration::from_millis(5) };
        let alive = Arc::new(std::sync::atomic::AtomicBool::new(true));
        let asked = alive.clone();
        let beating = tokio::spawn(beat(heartbeat, move || asked.load(std::sync::atomic::Ordering::Relaxed)));
        until(|| bodies.lock().unwrap().len() >= 2).await;
        alive.store(false, std::sync::atomic::Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(50)).await;
        let count = bodies.lock().unwrap().len();
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(bodies.lock().unwrap().len(), count);
        beating.abort();
    }
}
