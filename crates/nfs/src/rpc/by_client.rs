//! What all connections from one address have in common.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// One `T` for each address that someone has a connection from.
pub(super) struct ByClient<T>(Mutex<HashMap<IpAddr, Weak<T>>>);

impl<T> Default for ByClient<T> {
    fn default() -> Self {
        ByClient(Mutex::default())
    }
}

impl<T> ByClient<T> {
    /// What belongs to that address; made if nobody has it. It is forgotten when the last who has it drops it.
    pub fn get(&self, client: IpAddr, make: impl FnOnce() -> Arc<T>) -> Arc<T> {
        // Every change leaves a map that is in order, so a panic elsewhere does no harm.
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
