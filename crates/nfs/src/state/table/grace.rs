//! The grace period, volume by volume. Kept in the table, because a reclaim and the end of its volume's grace period must be ordered.

use forebay_pool::VolumeId;

use super::super::volumes::Volumes;

/// The phase of a volume's recovery after a restart (RFC 8881 §8.4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Clients whose durable record names the volume can reclaim; no client gets new state.
    Grace,
    /// Records of clients that did not return are losing the volume; no client gets any state.
    Closing,
    /// Normal operation; reclaims are no longer possible.
    Normal,
}

/// Which volumes are in which phase. Volumes only leave the grace period.
pub struct Grace {
    /// The volumes that are not in normal operation.
    awaited: Volumes,
    /// Those of them that remain when the current change is durable; the others are closing.
    remaining: Volumes,
}

impl Grace {
    /// After a start: clients may have had state in any volume.
    pub fn begin() -> Grace {
        Grace { awaited: Volumes::All, remaining: Volumes::All }
    }

    /// Whether all volumes are in normal operation.
    pub fn is_over(&self) -> bool {
        self.awaited.is_empty()
    }

    /// The phase of a volume.
    pub fn of(&self, volume: VolumeId) -> Phase {
        if !self.awaited.contains(volume) {
            Phase::Normal
        } else if self.remaining.contains(volume) {
            Phase::Grace
        } else {
            Phase::Closing
        }
    }

    /// Whether clients can still reclaim in some volume.
    pub fn takes_reclaims(&self) -> bool {
        !self.remaining.is_empty()
    }

    /// Begins to close all volumes but these. Returns those that stay in the grace period, or none if all others are in normal
    /// operation already.
    pub fn close_all_but(&mut self, remaining: &Volumes) -> Option<Volumes> {
        self.remaining = self.remaining.within(remaining);
        (self.remaining != self.awaited).then(|| self.remaining.clone())
    }

    /// The closing volumes are in normal operation from now on.
    pub fn closed(&mut self) {
        self.awaited = self.remaining.clone();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn volumes_leave_the_grace_period_and_never_come_back() {
        let these =
            |volumes: &[u32]| Volumes::These(volumes.iter().copied().map(VolumeId).collect::<BTreeSet<_>>());
        let phases = |grace: &Grace| [1, 2, 3].map(|volume| grace.of(VolumeId(volume)));
        let mut grace = Grace::begin();
        assert_eq!(phases(&grace), [Phase::Grace; 3]);
        assert_eq!(grace.close_all_but(&these(&[1, 2])), Some(these(&[1, 2])));
        assert_eq!(phases(&grace), [Phase::Grace, Phase::Grace, Phase::Closing]);
        grace.closed();
        assert_eq!(phases(&grace), [Phase::Grace, Phase::Grace, Phase::Normal]);
        assert_eq!(grace.close_all_but(&these(&[1, 2])), None);
        assert_eq!(grace.close_all_but(&these(&[2, 3])), Some(these(&[2])));
        assert_eq!(phases(&grace), [Phase::Closing, Phase::Grace, Phase::Normal]);
        assert!(grace.takes_reclaims());
        assert_eq!(grace.close_all_but(&Volumes::NONE), Some(Volumes::NONE));
        assert!(!grace.takes_reclaims() && !grace.is_over());
        grace.closed();
        assert!(grace.is_over());
        assert_eq!(phases(&grace), [Phase::Normal; 3]);
    }
}
