//! The ways in which the owner of the pool is lost.

/// A loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The daemon is killed, and started again on its node at once.
    Restart,
    /// The node's links are down and nothing runs on it.
    Vanish,
    /// The owner gives the pool up.
    Move,
    /// The node is cut off from clients, and still writes to the pool's directory.
    Partition,
    /// As [`Fault::Vanish`], and a broker's machine loses its power at the same moment.
    Broker,
}

/// The longest pauses that are allowed, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bars {
    /// Each time.
    pub max: f64,
    /// In half of the times.
    pub median: f64,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Restart, Self::Vanish, Self::Move, Self::Partition, Self::Broker];
    /// Their names as parts of the experiment.
    pub const PARTS: [&'static str; 5] = ["restart", "vanish", "move", "partition", "broker"];

    /// Its name as a part of the experiment.
    pub fn part(self) -> &'static str {
        match self {
            Self::Restart => "restart",
            Self::Vanish => "vanish",
            Self::Move => "move",
            Self::Partition => "partition",
            Self::Broker => "broker",
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
        }
    }

    /// The pauses that are allowed.
    pub fn bars(self) -> Bars {
        match self {
            Self::Restart | Self::Move => Bars { max: 4.0, median: 4.0 },
            Self::Vanish | Self::Partition | Self::Broker => Bars { max: 10.0, median: 8.0 },
        }
    }

    /// Whether another node has the pool afterwards.
    pub fn moves_the_pool(self) -> bool {
        self != Self::Restart
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_a_part() {
        assert_eq!(Fault::ALL.map(Fault::part), Fault::PARTS);
    }
}
