//! Memory of which every client may have as much as stays free for others.
//!
//! The first client may have half of it, the second a quarter, and so on, so some is left for a client that comes later, however
//! many others hold all that they may. [`Shares`](super::Shares) gives each client up to half, and two clients could take all.
//!
//! Memory is granted at once if the rule allows it; otherwise the caller waits behind the same client's other waiters, for a limited
//! time. When memory is returned, the client that has least comes first. A client is an IPv4 address, or the first half of an IPv6
//! address, since one host can use all addresses that share it.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

/// The memory of one server for one purpose. Clones share it.
#[derive(Clone)]
pub struct Budget(Arc<Books>);

/// One client's part of a budget.
#[derive(Clone)]
pub struct Allowance {
    books: Arc<Books>,
    client: IpAddr,
}

/// Memory that is granted until this is dropped.
pub struct Grant {
    books: Arc<Books>,
    client: IpAddr,
    bytes: usize,
}

struct Books {
    bytes_max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    used: usize,
    waiters: usize,
    last_ticket: u64,
    /// Clients that have memory or wait for some.
    clients: BTreeMap<IpAddr, Client>,
}

#[derive(Default)]
struct Client {
    used: usize,
    waiters: VecDeque<Waiter>,
}

struct Waiter {
    ticket: u64,
    bytes: usize,
    granted: oneshot::Sender<Grant>,
}

impl Budget {
    /// A budget of this many bytes.
    pub fn new(bytes_max: usize) -> Budget {
        Budget(Arc::new(Books { bytes_max, state: Mutex::default() }))
    }

    /// The part of the client at this address.
    pub fn of(&self, client: IpAddr) -> Allowance {
        let client = match client.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
            address => address,
        };
        Allowance { books: self.0.clone(), client }
    }

    /// The bytes that are granted.
    pub fn used(&self) -> usize {
        self.0.state().used
    }
}

impl Allowance {
    /// This many bytes, if they may be had at once.
    pub fn try_take(&self, bytes: usize) -> Option<Grant> {
        self.books.state().try_take(self, bytes).then(|| self.grant(bytes))
    }

    /// This many bytes; `None` if they cannot be had within `wait_max`.
    pub async fn take(&self, bytes: usize, wait_max: Duration) -> Option<Grant> {
        let (granted, mut waits) = oneshot::channel();
        let ticket = {
            let mut state = self.books.state();
            if state.try_take(self, bytes) {
                drop(state);
                return Some(self.grant(bytes));
            }
            state.last_ticket += 1;
            state.waiters += 1;
            let waiter = Waiter { ticket: state.last_ticket, bytes, granted };
            let ticket = waiter.ticket;
            state.clients.entry(self.client).or_default().waiters.push_back(waiter);
            ticket
        };
        // Leaves the queue if the caller is cancelled, too.
        let queued = Queued { allowance: self, ticket };
        let outcome = tokio::time::timeout(wait_max, &mut waits).await;
        drop(queued);
        match outcome {
            Ok(granted) => granted.ok(),
            // It may have been granted in the last moment.
            Err(_) => waits.try_recv().ok(),
        }
    }

    /// Whether somebody waits who should have what this client holds: the client itself, or one that has less.
    pub fn is_wanted(&self) -> bool {
        let state = self.books.state();
        if state.waiters == 0 {
            return false;
        }
        let used = state.clients.get(&self.client).map_or(0, |client| client.used);
        let waits_with_less =
            |(address, client): (&IpAddr, &Client)| *address == self.client || client.used < used;
        state.clients.iter().filter(|(_, client)| !client.waiters.is_empty()).any(waits_with_less)
    }

    fn grant(&self, bytes: usize) -> Grant {
        Grant { books: self.books.clone(), client: self.client, bytes }
    }
}

/// A caller's place in the queue, until this is dropped.
struct Queued<'a> {
    allowance: &'a Allowance,
    ticket: u64,
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        let mut state = self.allowance.books.state();
        let Some(client) = state.clients.get_mut(&self.allowance.client) else { return };
        let Some(at) = client.waiters.iter().position(|waiter| waiter.ticket == self.ticket) else { return };
        client.waiters.remove(at);
        state.waiters -= 1;
        state.forget_if_idle(self.allowance.client);
        let served = self.allowance.books.serve(&mut state);
        drop(state);
        hand_over(served);
    }
}

impl Grant {
    /// How many bytes are granted.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds another grant of the same client and budget to this one.
    pub fn merge(&mut self, mut other: Grant) {
        debug_assert!(Arc::ptr_eq(&self.books, &other.books) && self.client == other.client);
        self.bytes += std::mem::take(&mut other.bytes);
    }

    /// Takes a part out of this grant, or all of it if it has no more.
    pub fn split(&mut self, bytes: usize) -> Grant {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        Grant { books: self.books.clone(), client: self.client, bytes }
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut state = self.books.state();
        state.used -= self.bytes;
        if let Some(client) = state.clients.get_mut(&self.client) {
            client.used -= self.bytes;
        }
        state.forget_if_idle(self.client);
        let served = self.books.serve(&mut state);
        drop(state);
        hand_over(served);
    }
}

type Served = Vec<(oneshot::Sender<Grant>, Grant)>;

/// Hands memory to waiters. A waiter that has gone gives it back. The caller must not hold the lock.
fn hand_over(served: Served) {
    for (waiter, grant) in served {
        let _ = waiter.send(grant);
    }
}

impl Books {
    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is completed before anything can panic, so a panic elsewhere does no harm.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn allows(&self, used: usize, own: usize, bytes: usize) -> bool {
        let left = self.bytes_max.checked_sub(used).and_then(|free| free.checked_sub(bytes));
        left.is_some_and(|left| own.saturating_add(bytes) <= left)
    }

    /// Grants what the rule allows, to the clients that have least first.
    fn serve(self: &Arc<Self>, state: &mut State) -> Served {
        let mut served = Vec::new();
        if state.waiters == 0 {
            return served;
        }
        let waiting = state.clients.iter().filter(|(_, client)| !client.waiters.is_empty());
        let mut waiting: Vec<(usize, IpAddr)> =
            waiting.map(|(address, client)| (client.used, *address)).collect();
        waiting.sort_unstable();
        for (_, address) in waiting {
            let Some(client) = state.clients.get_mut(&address) else { continue };
            while let Some(waiter) = client.waiters.pop_front() {
                if !self.allows(state.used, client.used, waiter.bytes) {
                    client.waiters.push_front(waiter);
                    break;
                }
                state.waiters -= 1;
                state.used += waiter.bytes;
                client.used += waiter.bytes;
                let grant = Grant { books: self.clone(), client: address, bytes: waiter.bytes };
                served.push((waiter.granted, grant));
            }
        }
        served
    }
}

impl State {
    fn try_take(&mut self, allowance: &Allowance, bytes: usize) -> bool {
        let known = self.clients.get(&allowance.client);
        let own = known.map_or(0, |client| client.used);
        let is_first = known.is_none_or(|client| client.waiters.is_empty());
        if !is_first || !allowance.books.allows(self.used, own, bytes) {
            return false;
        }
        self.used += bytes;
        self.clients.entry(allowance.client).or_default().used += bytes;
        true
    }

    fn forget_if_idle(&mut self, client: IpAddr) {
        if self.clients.get(&client).is_some_and(|client| client.used == 0 && client.waiters.is_empty()) {
            self.clients.remove(&client);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(20);
    const DEADLINE: Duration = Duration::from_secs(20);

    fn client(budget: &Budget, last: u8) -> Allowance {
        budget.of([192, 0, 2, last].into())
    }

    #[tokio::test]
    async fn each_further_client_has_half_of_what_the_others_left() {
        let budget = Budget::new(1024);
        let mut grants = Vec::new();
        for (last, bytes) in [(1, 512), (2, 256), (3, 128), (4, 64)] {
            let client = client(&budget, last);
            assert!(client.try_take(bytes + 1).is_none());
            grants.push(client.try_take(bytes).unwrap());
            assert!(client.try_take(1).is_none());
        }
        assert_eq!(budget.used(), 960);
        drop(grants);
        assert_eq!(budget.used(), 0);
        assert!(budget.0.state().clients.is_empty(), "clients without memory are forgotten");
    }

    #[tokio::test]
    async fn waiters_are_served_in_order_and_give_up_after_their_time() {
        let budget = Budget::new(1024);
        let greedy = client(&budget, 1);
        let held = greedy.try_take(512).unwrap();
        assert!(greedy.take(100, SOON).await.is_none());
        assert!(!greedy.is_wanted());
        let (first, second) = (greedy.clone(), greedy.clone());
        let first = tokio::spawn(async move { first.take(400, DEADLINE).await });
        while !greedy.is_wanted() {
            tokio::task::yield_now().await;
        }
        let second = tokio::spawn(async move { second.take(10, DEADLINE).await });
        while budget.0.state().waiters < 2 {
            tokio::task::yield_now().await;
        }
        assert!(greedy.try_take(1).is_none(), "others were first");
        assert!(!client(&budget, 2).is_wanted(), "who has nothing is in nobody's way");
        drop(held);
        assert_eq!(first.await.unwrap().unwrap().bytes(), 400);
        assert_eq!(second.await.unwrap().unwrap().bytes(), 10);
        assert_eq!((budget.used(), budget.0.state().waiters), (0, 0));
    }

    #[tokio::test]
    async fn a_cancelled_waiter_leaves_its_place_to_the_next() {
        let budget = Budget::new(1024);
        let greedy = client(&budget, 1);
        let mut held = greedy.try_take(512).unwrap();
        let (large, small) = (greedy.clone(), greedy.clone());
        let large = tokio::spawn(async move { large.take(512, DEADLINE).await });
        while budget.0.state().waiters < 1 {
            tokio::task::yield_now().await;
        }
        let small = tokio::spawn(async move { small.take(100, DEADLINE).await });
        while budget.0.state().waiters < 2 {
            tokio::task::yield_now().await;
        }
        drop(held.split(112));
        large.abort();
        assert_eq!(small.await.unwrap().unwrap().bytes(), 100);
        let mut more = greedy.try_take(12).unwrap();
        more.merge(held);
        assert_eq!(more.bytes(), 412);
        drop(more);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn the_addresses_of_one_ipv6_network_are_one_client() {
        let budget = Budget::new(1024);
        let _held = budget.of("2001:db8::1".parse().unwrap()).try_take(512).unwrap();
        assert!(budget.of("2001:db8::ffff:1".parse().unwrap()).try_take(1).is_none());
        assert!(budget.of("2001:db8:0:1::1".parse().unwrap()).try_take(1).is_some());
        assert!(budget.of("::ffff:192.0.2.1".parse().unwrap()).client.is_ipv4());
    }
}
