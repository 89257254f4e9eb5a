//! When a candidate may take the pool: what is silence, for whom a released pool is reserved, and how soon a pool goes back.

use std::time::Duration;

use crate::tenure::Exchange;

/// A node that lost the pool by its silence does not take it back by silence for this long.
pub(crate) const HOLD_DOWN: Duration = Duration::from_secs(30);
/// How long a pool that was released for one node is reserved for it.
pub(crate) const RESERVED: Duration = Duration::from_secs(5);
/// How long a node that released the pool for others leaves it to them.
pub(crate) const AVOIDED: Duration = Duration::from_secs(10);
/// How much longer a candidate waits for each step of its priority.
pub(crate) const PRIORITY_STEP: Duration = Duration::from_millis(500);

/// The name of the machine in what identifies a process: its first word.
pub fn name_of(identity: &str) -> &str {
    identity.split(' ').next().unwrap_or(identity)
}

/// Decides when an owner is silent.
pub(crate) struct Watch {
    silence: Duration,
    last: Option<(String, i64)>,
    since: Duration,
}

impl Watch {
    pub(crate) fn new(silence: Duration) -> Watch {
        Watch { silence, last: None, since: Duration::ZERO }
    }

    /// A look succeeded. Returns whether the owner has been silent for long enough. The silence begins with the *answer* to the first look that
    /// showed this count, since the owner may have renewed just before that look was carried out, and ends with the beginning of this look.
    pub(crate) fn saw(&mut self, instance: &str, renewals: i64, look: Exchange) -> bool {
        match &self.last {
            Some((known, count)) if known == instance && *count == renewals => {
                look.began.saturating_sub(self.since) >= self.silence
            }
            _ => {
                self.last = Some((instance.to_owned(), renewals));
                self.since = look.answered;
                false
            }
        }
    }

    /// Forgets earlier looks: the database was away, or may have lost the last renewals.
    pub(crate) fn forget(&mut self) {
        self.last = None;
    }
}

/// What a look at the lease says about taking it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Claim<'a> {
    /// The candidate's node.
    pub(crate) node: &'a str,
    /// The lease is already this process's: an answer was lost.
    pub(crate) is_ours: bool,
    /// The owner was an earlier process of the same machine, which has ended.
    pub(crate) was_here: bool,
    pub(crate) is_silent: bool,
    pub(crate) released: bool,
    /// The node for which the pool was released, as long as it is reserved; otherwise empty.
    pub(crate) reserved_for: &'a str,
    /// The node that released the pool for others, as long as it leaves it to them; otherwise empty.
    pub(crate) avoided: &'a str,
    /// The node from which the owner took the pool because of its silence; otherwise empty.
    pub(crate) silenced: &'a str,
    /// How long ago the owner took the pool.
    pub(crate) since: Duration,
}

impl Claim<'_> {
    /// Whether the candidate may take the pool now.
    pub(crate) fn may_take(&self) -> bool {
        if self.is_ours {
            return true;
        }
        if self.released {
            return match self.reserved_for {
                "" => self.avoided != self.node,
                node => node == self.node,
            };
        }
        self.was_here || (self.is_silent && !self.is_held_down())
    }

    /// Whether the candidate is the node that has just lost the pool by its silence.
    fn is_held_down(&self) -> bool {
        self.silenced == self.node && self.since < HOLD_DOWN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    /// A look that takes no time.
    fn at(time: f64) -> Exchange {
        look(time, time)
    }

    fn look(began: f64, answered: f64) -> Exchange {
        Exchange { began: seconds(began), answered: seconds(answered) }
    }

    #[test]
    fn an_owner_is_silent_when_nothing_new_was_seen_for_the_whole_time() {
        let mut watch = Watch::new(seconds(3.5));
        assert!(!watch.saw("a", 1, at(0.0)));
        assert!(!watch.saw("a", 2, at(3.0)));
        assert!(!watch.saw("a", 2, at(6.4)));
        assert!(watch.saw("a", 2, at(6.5)));
        assert!(!watch.saw("b", 2, at(6.6)), "another owner");
        assert!(!watch.saw("b", 1, at(9.0)), "the database was restored");
        assert!(watch.saw("b", 1, at(12.5)));
    }

    /// The owner may have renewed the lease right before the look was carried out, and then answers for 2.5 s after that.
    #[test]
    fn the_time_that_a_look_takes_is_no_silence() {
        let mut watch = Watch::new(seconds(3.5));
        assert!(!watch.saw("a", 1, look(0.0, 3.0)));
        assert!(!watch.saw("a", 1, look(3.5, 3.6)));
        assert!(!watch.saw("a", 1, look(6.4, 6.6)));
        assert!(watch.saw("a", 1, look(6.5, 6.6)));
    }

    #[test]
    fn time_without_the_database_counts_for_nobody() {
        let mut watch = Watch::new(seconds(3.5));
        watch.saw("a", 1, at(0.0));
        watch.forget();
        assert!(!watch.saw("a", 1, at(30.0)));
        assert!(!watch.saw("a", 1, at(33.0)));
        assert!(watch.saw("a", 1, at(33.5)));
    }

    #[test]
    fn a_released_pool_goes_to_the_node_it_is_reserved_for_and_to_anybody_afterwards() {
        let released = Claim { node: "b", released: true, ..Claim::default() };
        assert!(released.may_take());
        assert!(Claim { reserved_for: "b", ..released }.may_take());
        assert!(!Claim { reserved_for: "c", ..released }.may_take());
        assert!(
            !Claim { reserved_for: "c", was_here: true, ..released }.may_take(),
            "it was moved away on purpose"
        );
        assert!(Claim { avoided: "a", ..released }.may_take());
        assert!(!Claim { avoided: "b", ..released }.may_take());
    }

    #[test]
    fn the_node_that_was_silent_does_not_take_the_pool_back_by_silence_for_30_s() {
        let silent =
            Claim { node: "a", is_silent: true, silenced: "a", since: seconds(29.0), ..Claim::default() };
        assert!(!silent.may_take());
        assert!(Claim { since: seconds(30.0), ..silent }.may_take());
        assert!(Claim { node: "c", ..silent }.may_take(), "a third node replaces the new owner at once");
        assert!(Claim { silenced: "", ..silent }.may_take(), "the pool was moved, or nobody had it");
        assert!(Claim { released: true, ..silent }.may_take(), "a planned move is exempt");
        assert!(Claim { was_here: true, ..silent }.may_take(), "so is a restart on the same machine");
        assert!(Claim { is_ours: true, ..silent }.may_take());
        assert!(!Claim { is_silent: false, ..silent }.may_take());
    }
}
