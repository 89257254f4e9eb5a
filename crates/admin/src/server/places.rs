//! Places for connections: so many altogether, and so many for one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The places of a listener.
pub struct Places {
    shared: Arc<Mutex<Taken>>,
    all_max: usize,
    per_address_max: usize,
}

#[derive(Default)]
struct Taken {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A place that is taken; given back when it is dropped.
pub struct Place {
    shared: Arc<Mutex<Taken>>,
    address: Option<IpAddr>,
}

impl Places {
    /// So many, none of them taken.
    pub fn new(all_max: usize, per_address_max: usize) -> Places {
        Places { shared: Arc::default(), all_max, per_address_max }
    }

    /// Takes one, if there is one. Without an address only all count.
    pub fn take(&self, address: Option<IpAddr>) -> Option<Place> {
        let mut taken = lock(&self.shared);
        if taken.all >= self.all_max {
            return None;
        }
        if let Some(address) = address {
            let of_address = taken.by_address.entry(address).or_default();
            if *of_address >= self.per_address_max {
                return None;
            }
            *of_address = of_address.saturating_add(1);
        }
        taken.all = taken.all.saturating_add(1);
        Some(Place { shared: self.shared.clone(), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = lock(&self.shared);
        taken.all = taken.all.saturating_sub(1);
        if let Some(address) = self.address
            && let Some(of_address) = taken.by_address.get_mut(&address)
        {
            *of_address = of_address.saturating_sub(1);
            if *of_address == 0 {
                taken.by_address.remove(&address);
            }
        }
    }
}

fn lock(taken: &Mutex<Taken>) -> MutexGuard<'_, Taken> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_cannot_take_all_places_and_they_come_back() {
        let places = Places::new(3, 2);
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let first = places.take(Some(one));
        let second = places.take(Some(one));
        assert!(first.is_some() && second.is_some() && places.take(Some(one)).is_none());
        let third = places.take(Some(other));
        assert!(third.is_some() && places.take(None).is_none());
        drop(first);
        assert!(places.take(Some(one)).is_some());
        drop((second, third));
        assert!(lock(&places.shared).by_address.is_empty());
    }
}
