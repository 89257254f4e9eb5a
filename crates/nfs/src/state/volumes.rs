//! Sets of volumes: those in which a client may have state, and those that a grace period still concerns.

use std::collections::BTreeSet;

use forebay_pool::VolumeId;

/// Beyond this number a client's record names all volumes.
const VOLUMES_MAX: usize = 64;

/// A set of volumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Volumes {
    /// All of them, also those that will be created.
    All,
    /// These.
    These(BTreeSet<VolumeId>),
}

impl Volumes {
    /// No volume.
    pub const NONE: Volumes = Volumes::These(BTreeSet::new());

    pub fn is_empty(&self) -> bool {
        matches!(self, Volumes::These(volumes) if volumes.is_empty())
    }

    pub fn contains(&self, volume: VolumeId) -> bool {
        match self {
            Volumes::All => true,
            Volumes::These(volumes) => volumes.contains(&volume),
        }
    }

    /// Adds a volume to those of a client.
    pub fn add(&mut self, volume: VolumeId) {
        if let Volumes::These(volumes) = self {
            volumes.insert(volume);
            if volumes.len() > VOLUMES_MAX {
                *self = Volumes::All;
            }
        }
    }

    /// Adds other volumes.
    pub fn unite(&mut self, other: &Volumes) {
        match (&mut *self, other) {
            (Volumes::These(volumes), Volumes::These(others)) => volumes.extend(others),
            (_, Volumes::All) => *self = Volumes::All,
            (Volumes::All, _) => {}
        }
    }

    /// The volumes that are also in `other`.
    pub fn within(&self, other: &Volumes) -> Volumes {
        match (self, other) {
            (volumes, Volumes::All) | (Volumes::All, volumes) => volumes.clone(),
            (Volumes::These(volumes), Volumes::These(others)) => {
                Volumes::These(volumes.intersection(others).copied().collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn these(volumes: impl IntoIterator<Item = u32>) -> Volumes {
        Volumes::These(volumes.into_iter().map(VolumeId).collect())
    }

    #[test]
    fn sets_unite_and_intersect() {
        let mut volumes = Volumes::NONE;
        assert!(volumes.is_empty());
        volumes.add(VolumeId(1));
        volumes.unite(&these([2, 3]));
        assert_eq!(volumes, these([1, 2, 3]));
        assert_eq!(volumes.within(&these([3, 4])), these([3]));
        assert_eq!(volumes.within(&Volumes::All), volumes);
        assert_eq!(Volumes::All.within(&volumes), volumes);
        volumes.unite(&Volumes::All);
        assert_eq!(volumes, Volumes::All);
        assert!(volumes.contains(VolumeId(9)) && !volumes.is_empty());
    }

    #[test]
    fn many_volumes_are_all() {
        let mut volumes = Volumes::NONE;
        (0..VOLUMES_MAX as u32).for_each(|volume| volumes.add(VolumeId(volume)));
        assert_ne!(volumes, Volumes::All);
        volumes.add(VolumeId(1));
        assert_ne!(volumes, Volumes::All);
        volumes.add(VolumeId(1000));
        assert_eq!(volumes, Volumes::All);
    }
}
