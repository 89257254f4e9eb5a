//! Values shared by all connections from one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// One `T` for each address that has a connection.
pub struct PerAddress<T>(Mutex<HashMap<IpAddr, Weak<T>>>);

impl<T> Default for PerAddress<T> {
    fn default() -> Self {
        PerAddress(Mutex::default())
    }
}

impl<T> PerAddress<T> {
    /// The state of that address; `make` creates it. It is removed when its last owner drops it.
    pub fn get(&self, client: IpAddr, make: impl FnOnce() -> Arc<T>) -> Arc<T> {
        // Every change leaves a valid map, so a panic elsewhere does no harm.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let client = client.to_canonical();
        if let Some(found) = known.get(&client).and_then(Weak::upgrade) {
            return found;
        }
        known.retain(|_, value| value.strong_count() > 0);
        let made = make();
        known.insert(client, Arc::downgrade(&made));
        made
    }
}
