//! Share reservations (RFC 8881 §9.7): the access of an open, and the access that it denies to others.

use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::share::{ACCESS_BOTH, ACCESS_READ, ACCESS_WRITE, DENY_BOTH};

/// The share of one OPEN: its own access, and the access it denies to others. Both are sets of read and
/// write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    access: u8,
    deny: u8,
}

impl Share {
    /// Built from the arguments of OPEN and OPEN_DOWNGRADE, `access` without the bits for delegations.
    /// Returns [`Status::Inval`] if no access is requested or undefined bits are set.
    pub fn new(access: u32, deny: u32) -> Result<Share, Status> {
        match (u8::try_from(access), u8::try_from(deny)) {
            (Ok(access @ 1..=3), Ok(deny @ 0..=3)) => Ok(Share { access, deny }),
            _ => Err(Status::Inval),
        }
    }

    /// Access to read, denying nothing: equivalent to a READ with a special stateid.
    pub const READ: Share = Share { access: ACCESS_READ as u8, deny: 0 };
    /// Access to write, denying nothing: equivalent to a WRITE with a special stateid.
    pub const WRITE: Share = Share { access: ACCESS_WRITE as u8, deny: 0 };

    /// Returns true if data may be written.
    pub fn writes(self) -> bool {
        self.access & ACCESS_WRITE as u8 != 0
    }

    /// Returns true if data may be read.
    pub fn reads(self) -> bool {
        self.access & ACCESS_READ as u8 != 0
    }

    /// Returns true if others may not read.
    pub fn denies_reading(self) -> bool {
        self.deny & ACCESS_READ as u8 != 0
    }

    /// Returns true if others may not write.
    pub fn denies_writing(self) -> bool {
        self.deny & ACCESS_WRITE as u8 != 0
    }

    /// Returns true if anything is denied to others.
    pub fn denies(self) -> bool {
        self.deny != 0
    }

    /// Returns true if the two opens conflict.
    pub fn conflicts(self, other: Share) -> bool {
        self.access & other.deny != 0 || self.deny & other.access != 0
    }

    fn contains(self, other: Share) -> bool {
        self.access & other.access == other.access && self.deny & other.deny == other.deny
    }

    fn union(self, other: Share) -> Share {
        Share { access: self.access | other.access, deny: self.deny | other.deny }
    }
}

/// The shares of all OPENs of one owner on one file.
///
/// OPEN_DOWNGRADE may only go back to a union of some of these OPENs (RFC 8881 §18.18.3), so their total
/// union would not be enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareSet {
    /// Bit `access * 4 + deny` is set for each pair that was requested.
    pairs: u16,
}

const PAIRS: std::ops::Range<u8> = (ACCESS_READ as u8 * 4)..((ACCESS_BOTH * 4 + DENY_BOTH + 1) as u8);

impl ShareSet {
    /// The set after the first OPEN.
    pub fn new(first: Share) -> ShareSet {
        let mut set = ShareSet { pairs: 0 };
        set.add(first);
        set
    }

    /// Adds a further OPEN.
    pub fn add(&mut self, share: Share) {
        self.pairs |= 1 << (share.access * 4 + share.deny);
    }

    fn iter(self) -> impl Iterator<Item = Share> {
        PAIRS
            .filter(move |pair| self.pairs & (1 << pair) != 0)
            .map(|pair| Share { access: pair / 4, deny: pair % 4 })
    }

    /// The union of all OPENs.
    pub fn effective(self) -> Share {
        self.iter().fold(Share { access: 0, deny: 0 }, Share::union)
    }

    /// Goes back to `to`. Returns [`Status::Inval`] if it is not the union of some OPENs.
    pub fn downgrade(&mut self, to: Share) -> Result<(), Status> {
        let mut kept = ShareSet { pairs: 0 };
        self.iter().filter(|share| to.contains(*share)).for_each(|share| kept.add(share));
        if kept.effective() != to {
            return Err(Status::Inval);
        }
        *self = kept;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(access: u32, deny: u32) -> Share {
        Share::new(access, deny).expect("valid")
    }

    #[test]
    fn only_read_and_write_can_be_asked_for() {
        assert_eq!(Share::new(0, 0), Err(Status::Inval));
        assert_eq!(Share::new(4, 0), Err(Status::Inval));
        assert_eq!(Share::new(1, 4), Err(Status::Inval));
        assert_eq!(Share::new(0x101, 0), Err(Status::Inval));
    }

    #[test]
    fn an_open_conflicts_with_what_denies_it_and_with_what_it_denies() {
        assert!(share(1, 0).conflicts(share(2, 1)));
        assert!(share(2, 1).conflicts(share(1, 0)));
        assert!(!share(1, 2).conflicts(share(1, 2)));
        assert!(!share(3, 0).conflicts(share(3, 0)));
    }

    #[test]
    fn a_downgrade_goes_back_to_what_was_opened() {
        let mut set = ShareSet::new(share(3, 0));
        assert_eq!(set.downgrade(share(1, 0)), Err(Status::Inval));
        set.add(share(1, 0));
        assert_eq!(set.downgrade(share(1, 0)), Ok(()));
        assert_eq!(set.effective(), share(1, 0));
        assert_eq!(set.downgrade(share(3, 0)), Err(Status::Inval), "no way up");
    }

    #[test]
    fn a_downgrade_may_keep_several_opens() {
        let mut set = ShareSet::new(share(1, 0));
        set.add(share(2, 0));
        set.add(share(3, 3));
        assert_eq!(set.downgrade(share(3, 0)), Ok(()));
        assert_eq!(set.downgrade(share(2, 0)), Ok(()));
    }
}
