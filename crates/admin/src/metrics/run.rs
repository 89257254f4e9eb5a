//! This run of the daemon: when it started, how the one before ended, its certificate, and the clients that it refused lately.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use forebay_net::tls::Tls;
use forebay_pool::LastStop;

use super::{Observation, Source};

/// The number of refused clients that are remembered.
const REFUSED_MAX: usize = 64;
/// How long they are remembered. Refusals that go on are reported once a minute.
const REMEMBERED: Duration = Duration::from_secs(150);

/// See the module.
pub struct Run {
    started: SystemTime,
    last_stop: LastStop,
    api_tls: Option<Arc<Tls>>,
    refused: Mutex<BTreeMap<(IpAddr, String), RefusedClient>>,
}

/// What is seen of it.
#[derive(Clone, Debug, Default)]
pub struct RunSeen {
    /// When the daemon started.
    pub started: Option<SystemTime>,
    /// How the pool was stopped before.
    pub last_stop: LastStop,
    /// When the API's certificate expires; `None` without TLS.
    pub certificate_expires: Option<SystemTime>,
    /// Clients that export policies refused in the last minutes.
    pub refused: Vec<RefusedClient>,
}

/// A client that an export policy refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedClient {
    /// Its address.
    pub client: IpAddr,
    /// The volume.
    pub volume: String,
    /// Why.
    pub cause: String,
    /// What would let it in.
    pub remedy: Option<String>,
    /// When it was last reported.
    pub last: SystemTime,
}

impl Run {
    /// A run that starts now.
    pub fn new(last_stop: LastStop, api_tls: Option<Arc<Tls>>) -> Run {
        Run { started: SystemTime::now(), last_stop, api_tls, refused: Mutex::default() }
    }

    /// When it started.
    pub fn started(&self) -> SystemTime {
        self.started
    }

    /// How the pool was stopped before.
    pub fn last_stop(&self) -> LastStop {
        self.last_stop
    }

    /// Remembers a client that was refused.
    pub fn note_refused(&self, refused: RefusedClient) {
        let mut known = self.refused();
        let key = (refused.client, refused.volume.clone());
        if known.len() >= REFUSED_MAX
            && !known.contains_key(&key)
            && let Some(oldest) =
                known.iter().min_by_key(|(_, one)| one.last).map(|(oldest, _)| oldest.clone())
        {
            known.remove(&oldest);
        }
        known.insert(key, refused);
    }

    fn refused(&self) -> MutexGuard<'_, BTreeMap<(IpAddr, String), RefusedClient>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source for Run {
    fn observe(&self, observation: &mut Observation) {
        let now = SystemTime::now();
        let mut refused = self.refused();
        refused.retain(|_, one| now.duration_since(one.last).is_ok_and(|since| since < REMEMBERED));
        observation.run = RunSeen {
            started: Some(self.started),
            last_stop: self.last_stop,
            certificate_expires: self.api_tls.as_deref().and_then(Tls::expires),
            refused: refused.values().cloned().collect(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_clients_are_remembered_for_a_while_and_take_bounded_memory() {
        let run = Run::new(LastStop::Clean, None);
        let now = SystemTime::now();
        for number in 0..200_u32 {
            let refused = RefusedClient {
                client: IpAddr::from(number.to_be_bytes()),
                volume: "kafka".to_owned(),
                cause: "no rule".to_owned(),
                remedy: None,
                last: now - Duration::from_secs(if number % 2 == 0 { 0 } else { 1000 }),
            };
            run.note_refused(refused);
        }
        assert!(run.refused().len() <= REFUSED_MAX);
        run.refused().retain(|_, one| now.duration_since(one.last).is_ok_and(|since| since < REMEMBERED));
        assert!(run.refused().values().all(|one| one.last == now));
    }
}
