//! Which clients hold `.lock` in log directories, and since when.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, SystemTime};

use forebay_kafka::Report;
use forebay_nfs::state::{Condition, LockHolder};
use forebay_pool::Handle;

/// A broker whose client has sent nothing for this long is silent. Linux renews its lease every 60 s at the latest.
const SILENT_AFTER: Duration = Duration::from_secs(60);

/// A log directory, and the broker that uses it.
#[derive(Clone, Debug)]
pub struct Broker {
    /// The cluster's key.
    pub cluster: String,
    /// The index of the log directory in its cluster.
    pub directory: usize,
    /// The volume that the log directory is on.
    pub volume: String,
    /// The node id.
    pub node: Option<u32>,
    /// Whether `.kafka_cleanshutdown` is there.
    pub is_clean: bool,
    /// What is known of the broker.
    pub state: BrokerState,
}

/// Whether a broker runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrokerState {
    /// A client holds the lock.
    Up(Holding),
    /// A client holds the lock, and has not been heard of for a while.
    Silent(Holding, Duration),
    /// Nobody holds the lock any more. `Holding::since` is when it was noticed.
    Gone(Holding),
    /// Nobody has held the lock since the daemon started.
    Never,
}

/// A client that holds a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Its address.
    pub address: IpAddr,
    /// Its owner string.
    pub owner: String,
    /// When this was first seen, since the daemon started.
    pub since: SystemTime,
}

/// What was seen so far.
#[derive(Default)]
pub struct Holders(HashMap<Handle, Seen>);

struct Seen {
    holding: Holding,
    is_held: bool,
}

impl Holders {
    /// Looks at all log directories.
    pub fn look(
        &mut self,
        report: &Report,
        now: SystemTime,
        lockers: &dyn Fn(Handle) -> Vec<LockHolder>,
    ) -> Vec<Broker> {
        let mut brokers = Vec::new();
        let mut before = std::mem::take(&mut self.0);
        for cluster in &report.clusters {
            for (directory, log) in cluster.log_directories.iter().enumerate() {
                let holder = log.lock.and_then(|lock| lockers(lock).into_iter().find(is_there));
                let earlier = before.remove(&log.handle);
                let (state, seen) = state(holder, earlier, now);
                if let Some(seen) = seen {
                    self.0.insert(log.handle, seen);
                }
                brokers.push(Broker {
                    cluster: cluster.key.clone(),
                    directory,
                    volume: log.volume.clone(),
                    node: log.node,
                    is_clean: log.is_clean,
                    state,
                });
            }
        }
        brokers
    }
}

fn is_there(holder: &LockHolder) -> bool {
    holder.condition != Condition::Leaving
}

fn state(holder: Option<LockHolder>, earlier: Option<Seen>, now: SystemTime) -> (BrokerState, Option<Seen>) {
    let Some(holder) = holder else {
        let Some(earlier) = earlier else { return (BrokerState::Never, None) };
        let since = if earlier.is_held { now } else { earlier.holding.since };
        let holding = Holding { since, ..earlier.holding };
        return (BrokerState::Gone(holding.clone()), Some(Seen { holding, is_held: false }));
    };
    let (address, owner) = (holder.address.ip(), holder.owner.escape_ascii().to_string());
    let same =
        earlier.filter(|seen| seen.is_held && seen.holding.address == address && seen.holding.owner == owner);
    let holding = Holding { address, owner, since: same.map_or(now, |seen| seen.holding.since) };
    let is_silent = holder.condition == Condition::Courteous || holder.silence >= SILENT_AFTER;
    let state = if is_silent {
        BrokerState::Silent(holding.clone(), holder.silence)
    } else {
        BrokerState::Up(holding.clone())
    };
    (state, Some(Seen { holding, is_held: true }))
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use forebay_nfs_proto::xdr::nfs4::ClientId;

    use super::*;

    fn holder(address: [u8; 4], silence: u64) -> Option<LockHolder> {
        Some(LockHolder {
            client: ClientId(1),
            owner: bytes_of("host"),
            address: SocketAddr::from((address, 700)),
            condition: Condition::Confirmed,
            silence: Duration::from_secs(silence),
        })
    }

    fn bytes_of<T: From<&'static str>>(text: &'static str) -> T {
        text.into()
    }

    #[test]
    fn the_holder_of_a_lock_follows_a_broker_that_moves() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let (first, seen) = state(None, None, at(10));
        assert!(first == BrokerState::Never && seen.is_none());
        let (up, seen) = state(holder([10, 1, 0, 11], 0), None, at(20));
        let BrokerState::Up(holding) = &up else { panic!("{up:?}") };
        assert_eq!((holding.address.to_string(), holding.since), ("10.1.0.11".to_owned(), at(20)));
        let (still, seen) = state(holder([10, 1, 0, 11], 5), seen, at(30));
        assert_eq!(still, up);
        let (silent, seen) = state(holder([10, 1, 0, 11], 70), seen, at(40));
        assert!(matches!(silent, BrokerState::Silent(_, silence) if silence.as_secs() == 70));
        let (gone, seen) = state(None, seen, at(50));
        let BrokerState::Gone(last) = &gone else { panic!("{gone:?}") };
        assert_eq!((last.address.to_string(), last.since), ("10.1.0.11".to_owned(), at(50)));
        assert_eq!(state(None, seen, at(60)).0, gone);
        let (_, seen) = state(None, state(holder([10, 1, 0, 11], 0), None, at(0)).1, at(50));
        let (moved, _) = state(holder([10, 1, 0, 12], 0), seen, at(70));
        assert!(
            matches!(moved, BrokerState::Up(holding) if holding.address.to_string() == "10.1.0.12" && holding.since == at(70))
        );
    }
}
