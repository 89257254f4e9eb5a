//! The ways in which the owner of the pool is lost, or what the pool lies in.

use std::time::Duration;

use crate::storage::Place;

/// A loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The daemon is killed, and started again on its node at once.
    Restart,
    /// The node's links are down and nothing runs on it.
    Vanish,
    /// The owner gives the pool up.
    Move,
    /// The node is cut off from clients. It still writes to the pool's directory; a database it does not reach either.
    Partition,
    /// As [`Fault::Vanish`], and a broker's machine loses its power at the same moment.
    Broker,
    /// The owner's daemon is stopped for [`PAUSED`], and goes on after it was replaced.
    Pause,
    /// The owner does not reach the database any more, but its clients.
    Database,
    /// The database crashes, and is back after [`DATABASE_AWAY`].
    DatabaseRestart,
    /// The database's machine is lost, and its synchronous standby is promoted.
    Promotion,
    /// The bucket does not answer for [`BUCKET_AWAY`].
    Bucket,
}

/// How long the owner's daemon is stopped.
pub const PAUSED: Duration = Duration::from_secs(30);
/// How long the database is away.
pub const DATABASE_AWAY: Duration = Duration::from_secs(10);
/// How long the bucket does not answer.
pub const BUCKET_AWAY: Duration = Duration::from_secs(30);

/// The longest pauses that are allowed, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bars {
    /// Each time.
    pub max: f64,
    /// In half of the times.
    pub median: f64,
}

impl Fault {
    /// Those of a pool in a directory.
    const IN_A_DIRECTORY: [Self; 5] =
        [Self::Restart, Self::Vanish, Self::Move, Self::Partition, Self::Broker];
    /// Those of a pool in a database and a bucket.
    const ELSEWHERE: [Self; 10] = [
        Self::Restart,
        Self::Vanish,
        Self::Move,
        Self::Partition,
        Self::Pause,
        Self::Database,
        Self::DatabaseRestart,
        Self::Promotion,
        Self::Bucket,
        Self::Broker,
    ];

    /// All that can happen to a pool.
    pub fn all(place: Place) -> &'static [Self] {
        match place {
            Place::Directory => &Self::IN_A_DIRECTORY,
            Place::Elsewhere => &Self::ELSEWHERE,
        }
    }

    /// Their names as parts of the experiment.
    pub fn parts(place: Place) -> &'static [&'static str] {
        match place {
            Place::Directory => &["restart", "vanish", "move", "partition", "broker"],
            Place::Elsewhere => &[
                "restart",
                "vanish",
                "move",
                "partition",
                "pause",
                "database",
                "database-restart",
                "promotion",
                "bucket",
                "broker",
            ],
        }
    }

    /// Its name as a part of the experiment.
    pub fn part(self) -> &'static str {
        match self {
            Self::Restart => "restart",
            Self::Vanish => "vanish",
            Self::Move => "move",
            Self::Partition => "partition",
            Self::Broker => "broker",
            Self::Pause => "pause",
            Self::Database => "database",
            Self::DatabaseRestart => "database-restart",
            Self::Promotion => "promotion",
            Self::Bucket => "bucket",
        }
    }

    /// A short description.
    pub fn title(self) -> &'static str {
        match self {
            Self::Restart => "The daemon is killed and starts again on its node",
            Self::Vanish => "The owner's node vanishes",
            Self::Move => "The owner gives the pool to the other node",
            Self::Partition => "The owner's node is cut off from clients",
            Self::Broker => "The owner's node and a broker's machine vanish together",
            Self::Pause => "The owner's daemon is stopped for 30 s, and goes on after it was replaced",
            Self::Database => "The owner is cut off from the database only",
            Self::DatabaseRestart => "The database crashes and is back after 10 s",
            Self::Promotion => "The database is lost and its synchronous standby is promoted",
            Self::Bucket => "The bucket does not answer for 30 s",
        }
    }

    /// The pauses that are allowed.
    pub fn bars(self) -> Bars {
        let both = |max: f64| Bars { max, median: max };
        match self {
            Self::Restart | Self::Move => both(4.0),
            Self::Vanish | Self::Partition | Self::Broker | Self::Pause | Self::Database => {
                Bars { max: 10.0, median: 8.0 }
            }
            Self::DatabaseRestart => both(DATABASE_AWAY.as_secs_f64() + 10.0),
            Self::Promotion => both(10.0),
            Self::Bucket => both(BUCKET_AWAY.as_secs_f64() + 10.0),
        }
    }

    /// Whether another node has the pool afterwards.
    pub fn moves_the_pool(self) -> bool {
        !matches!(self, Self::Restart | Self::DatabaseRestart | Self::Promotion | Self::Bucket)
    }

    /// Whether the owner goes on throughout.
    pub fn keeps_the_owner(self) -> bool {
        matches!(self, Self::DatabaseRestart | Self::Promotion | Self::Bucket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_a_part() {
        for place in [Place::Directory, Place::Elsewhere] {
            let parts: Vec<_> = Fault::all(place).iter().map(|fault| fault.part()).collect();
            assert_eq!(parts, Fault::parts(place));
        }
    }

    #[test]
    fn whoever_keeps_the_pool_is_not_replaced() {
        for fault in Fault::ELSEWHERE {
            assert!(!(fault.keeps_the_owner() && fault.moves_the_pool()), "{fault:?}");
        }
    }
}
