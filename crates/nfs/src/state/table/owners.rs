//! The states on one file, by owner. Most files have one owner, so a few owners are stored in a compact list.
//! Many are stored in a tree, since clients can create any number of owners.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::state::stateid::StateKey;
use forebay_nfs_proto::xdr::nfs4::ClientId;

/// The owner of a state: a client, and the client's name for the owner of the open or lock.
pub(super) type Owner = (ClientId, Bytes);

/// Maximum length of the list.
const FEW_MAX: usize = 8;

/// See the module documentation.
pub(super) enum ByOwner {
    Few(Vec<(Owner, StateKey)>),
    Many(BTreeMap<Owner, StateKey>),
}

impl Default for ByOwner {
    fn default() -> Self {
        ByOwner::Few(Vec::new())
    }
}

impl ByOwner {
    pub fn is_empty(&self) -> bool {
        match self {
            ByOwner::Few(list) => list.is_empty(),
            ByOwner::Many(tree) => tree.is_empty(),
        }
    }

    pub fn get(&self, owner: &Owner) -> Option<StateKey> {
        match self {
            ByOwner::Few(list) => list.iter().find(|(other, _)| other == owner).map(|(_, key)| *key),
            ByOwner::Many(tree) => tree.get(owner).copied(),
        }
    }

    /// The owner must not have a state yet.
    pub fn insert(&mut self, owner: Owner, key: StateKey) {
        match self {
            ByOwner::Few(list) if list.len() < FEW_MAX => {
                list.reserve_exact(1);
                list.push((owner, key));
            }
            ByOwner::Few(list) => {
                let mut tree: BTreeMap<Owner, StateKey> = std::mem::take(list).into_iter().collect();
                tree.insert(owner, key);
                *self = ByOwner::Many(tree);
            }
            ByOwner::Many(tree) => _ = tree.insert(owner, key),
        }
    }

    pub fn remove(&mut self, owner: &Owner) {
        match self {
            ByOwner::Few(list) => list.retain(|(other, _)| other != owner),
            ByOwner::Many(tree) => _ = tree.remove(owner),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Owner, StateKey)> {
        let (list, tree) = match self {
            ByOwner::Few(list) => (Some(list), None),
            ByOwner::Many(tree) => (None, Some(tree)),
        };
        let few = list.into_iter().flatten().map(|(owner, key)| (owner, *key));
        few.chain(tree.into_iter().flatten().map(|(owner, key)| (owner, *key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(number: usize) -> Owner {
        (ClientId(1), Bytes::from(number.to_string()))
    }

    #[test]
    fn few_and_many_owners_are_found_and_removed() {
        let mut owners = ByOwner::default();
        for number in 0..3 * FEW_MAX {
            assert_eq!(owners.get(&owner(number)), None);
            owners.insert(owner(number), StateKey(number as u64));
            assert_eq!(owners.iter().count(), number + 1);
            assert_eq!(owners.get(&owner(number)), Some(StateKey(number as u64)));
            assert_eq!(owners.get(&owner(0)), Some(StateKey(0)));
        }
        for number in 0..3 * FEW_MAX {
            assert!(!owners.is_empty());
            owners.remove(&owner(number));
            assert_eq!(owners.get(&owner(number)), None);
        }
        assert!(owners.is_empty());
    }
}
