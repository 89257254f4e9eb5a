//! The format of stateids, and the checks of stateids from clients (RFC 8881 §8.2).
//!
//! ```text
//! other, bytes 0..4    the server's boot (big endian, as all numbers here)
//! other, bytes 4..12   number of the state, never used again in this boot
//! ```
//!
//! The boot is never 0 and never `u32::MAX`, so a stateid never looks like a special one, and a stateid from
//! before a restart never refers to state of this one.

use std::cmp::Ordering;

use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::StateId;

/// Identifies open or lock state inside the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StateKey(pub u64);

/// The server's boot number in stateids and client ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Boot(u32);

impl Boot {
    /// Derived from the number of times the pool was opened. A number repeats only after more than four
    /// billion.
    pub fn new(openings: u64) -> Boot {
        Boot(u32::try_from(openings % u64::from(u32::MAX - 1)).map_or(1, |boot| boot + 1))
    }

    pub fn number(self) -> u32 {
        self.0
    }

    /// The stateid of a state.
    pub fn stateid(self, key: StateKey, seqid: u32) -> StateId {
        let mut other = [0; 12];
        other[..4].copy_from_slice(&self.0.to_be_bytes());
        other[4..].copy_from_slice(&key.0.to_be_bytes());
        StateId { seqid, other }
    }

    /// The state that a stateid of this boot refers to.
    pub fn key(self, stateid: &StateId) -> Result<StateKey, Status> {
        match (stateid.other.split_first_chunk(), stateid.other.split_last_chunk()) {
            (Some((boot, _)), Some((_, key))) if u32::from_be_bytes(*boot) == self.0 => {
                Ok(StateKey(u64::from_be_bytes(*key)))
            }
            _ => Err(Status::BadStateid),
        }
    }
}

/// Returns true for stateids that refer to no state.
pub(super) fn is_special(stateid: &StateId) -> bool {
    matches!(stateid.other, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) || stateid.other == [0xff; 12]
}

/// Checks a stateid's seqid against the current one: 0 means the newest, an older one returns
/// [`Status::OldStateid`], and one that was never used returns [`Status::BadStateid`].
pub(super) fn check_seqid(given: u32, current: u32) -> Result<(), Status> {
    if given == 0 {
        return Ok(());
    }
    match given.cmp(&current) {
        Ordering::Equal => Ok(()),
        Ordering::Less => Err(Status::OldStateid),
        Ordering::Greater => Err(Status::BadStateid),
    }
}

/// The seqid after a change. 0 is skipped, since it means the newest.
pub(super) fn next_seqid(seqid: u32) -> u32 {
    seqid.checked_add(1).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stateid_names_its_state_in_its_boot_only() {
        let boot = Boot::new(7);
        let stateid = boot.stateid(StateKey(99), 3);
        assert_eq!(boot.key(&stateid), Ok(StateKey(99)));
        assert_eq!(Boot::new(8).key(&stateid), Err(Status::BadStateid));
    }

    #[test]
    fn no_boot_looks_like_a_special_stateid() {
        for openings in
            [0, 1, u64::from(u32::MAX) - 2, u64::from(u32::MAX) - 1, u64::from(u32::MAX), u64::MAX]
        {
            let boot = Boot::new(openings);
            assert!(!is_special(&boot.stateid(StateKey(0), 1)));
            assert!(!is_special(&boot.stateid(StateKey(u64::MAX), 1)));
        }
        assert!(is_special(&StateId::ANONYMOUS));
        assert!(is_special(&StateId::READ_BYPASS));
        assert!(is_special(&StateId::CURRENT));
        assert!(is_special(&StateId::INVALID));
    }

    #[test]
    fn seqids_are_old_current_or_never_given() {
        assert_eq!(check_seqid(0, 5), Ok(()));
        assert_eq!(check_seqid(5, 5), Ok(()));
        assert_eq!(check_seqid(4, 5), Err(Status::OldStateid));
        assert_eq!(check_seqid(6, 5), Err(Status::BadStateid));
        assert_eq!(next_seqid(u32::MAX), 1);
    }
}
