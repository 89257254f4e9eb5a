//! Registration of clients, and which client makes room for another.

use super::*;
use forebay_nfs_proto::xdr::nfs4::Verifier;

const ALICE: Principal = Principal { flavor: 1, uid: 1 };
const BOB: Principal = Principal { flavor: 1, uid: 2 };

const LEASE: Duration = Duration::from_secs(30);

/// Memory for this many clients.
fn registry_of(clients_max: usize, clock: &Clock) -> Registry {
    Registry::new(Boot::new(1), clock.clone(), StateMemory::new(16 << 20, clients_max))
}

fn registry() -> Registry {
    registry_of(8, &Clock::manual())
}

fn owner(name: &'static str, incarnation: u8) -> ClientOwner {
    ClientOwner { verifier: Verifier([incarnation; 8]), ownerid: Bytes::from_static(name.as_bytes()) }
}

fn try_register(registry: &mut Registry, host: u8, owner: &ClientOwner) -> Result<Arc<Client>, Status> {
    let address = SocketAddr::from(([192, 0, 2, host], 1000));
    registry.register(owner, ALICE, address, LEASE, |_| true).map(|registered| {
        // As the caller does.
        registered.made_room.iter().for_each(|client| registry.left(client.id()));
        registered.client
    })
}

fn register(registry: &mut Registry, owner: &ClientOwner) -> Arc<Client> {
    try_register(registry, 1, owner).expect("registered")
}

/// A client at this host that has used an export.
fn guest(registry: &mut Registry, host: u8, name: &'static str) -> Arc<Client> {
    let client = try_register(registry, host, &owner(name, 1)).expect("registered");
    registry.confirm(&client).expect("known");
    client.account().note_export_used();
    client
}

#[test]
fn the_same_incarnation_keeps_its_id_once_it_is_confirmed() {
    let mut registry = registry();
    let first = register(&mut registry, &owner("a", 1));
    let second = register(&mut registry, &owner("a", 1));
    assert_ne!(first.id(), second.id(), "not confirmed: replaced");
    assert_eq!(registry.get(first.id()).err(), Some(Status::StaleClientid));
    assert!(registry.confirm(&second).expect("known").is_none());
    assert_eq!(register(&mut registry, &owner("a", 1)).id(), second.id());
}

#[test]
fn a_restarted_client_replaces_itself_when_it_is_confirmed() {
    let mut registry = registry();
    let before = register(&mut registry, &owner("a", 1));
    registry.confirm(&before).expect("known");
    let after = register(&mut registry, &owner("a", 2));
    assert!(!before.is_gone(), "until the new incarnation has proved to be one");
    let replaced = registry.confirm(&after).expect("known").expect("there was one before");
    assert_eq!(replaced.id(), before.id());
    assert!(before.is_gone());
    assert_eq!(registry.get(before.id()).err(), Some(Status::StaleClientid));
    assert!(registry.get(after.id()).is_ok());
}

#[test]
fn anothers_name_is_in_use_as_long_as_it_has_state() {
    let mut registry = registry();
    let client = register(&mut registry, &owner("a", 1));
    registry.confirm(&client).expect("known");
    let address = SocketAddr::from(([192, 0, 2, 1], 1000));
    let by_bob = |registry: &mut Registry, in_use| {
        registry.register(&owner("a", 1), BOB, address, LEASE, |_| in_use).map(|registered| registered.client)
    };
    assert_eq!(by_bob(&mut registry, true).err(), Some(Status::ClidInUse));
    assert!(by_bob(&mut registry, false).is_ok());
    assert!(client.is_gone());
}

#[test]
fn an_update_needs_the_confirmed_registration() {
    let mut registry = registry();
    assert_eq!(registry.update(&owner("a", 1), ALICE).err(), Some(Status::NoEnt));
    let client = register(&mut registry, &owner("a", 1));
    assert_eq!(registry.update(&owner("a", 1), ALICE).err(), Some(Status::NoEnt));
    registry.confirm(&client).expect("known");
    assert_eq!(registry.update(&owner("a", 1), ALICE).map(|client| client.id()), Ok(client.id()));
    assert_eq!(registry.update(&owner("a", 2), ALICE).err(), Some(Status::NotSame));
    assert_eq!(registry.update(&owner("a", 1), BOB).err(), Some(Status::Perm));
}

#[test]
fn the_number_of_clients_is_bounded() {
    let mut registry = registry_of(4, &Clock::manual());
    for (host, name) in [(1, "a"), (2, "b"), (3, "c")] {
        guest(&mut registry, host, name);
    }
    let unconfirmed = register(&mut registry, &owner("d", 1));
    let client = register(&mut registry, &owner("e", 1));
    assert!(unconfirmed.is_gone(), "it gave way");
    registry.confirm(&client).expect("known");
    client.account().note_export_used();
    assert_eq!(try_register(&mut registry, 5, &owner("f", 1)).err(), Some(Status::Delay));
}

#[test]
fn who_never_made_a_session_gives_way_before_who_is_silent() {
    let clock = Clock::manual();
    let mut registry = registry_of(2, &clock);
    let silent = guest(&mut registry, 1, "a");
    clock.advance(LEASE * 2);
    for name in ["b", "c", "d"] {
        try_register(&mut registry, 2, &owner(name, 1)).expect("registered");
    }
    assert!(!silent.is_gone());
}

#[test]
fn who_has_used_no_export_gives_way_and_of_these_the_one_that_is_silent_longest() {
    let clock = Clock::manual();
    let mut registry = registry_of(8, &clock);
    let guests = [guest(&mut registry, 1, "a"), guest(&mut registry, 2, "b")];
    let mut strangers = Vec::new();
    for (host, name) in (3..9).zip(["c", "d", "e", "f", "g", "h"]) {
        let client = try_register(&mut registry, host, &owner(name, 1)).expect("registered");
        registry.confirm(&client).expect("known");
        strangers.push(client);
        clock.advance(Duration::from_millis(10));
    }
    try_register(&mut registry, 9, &owner("i", 1)).expect("registered");
    assert!(strangers[0].is_gone());
    assert!(strangers[1..].iter().chain(&guests).all(|client| !client.is_gone()));
}

#[test]
fn an_address_has_half_of_the_clients_and_leaves_the_rest_to_others() {
    let mut registry = registry_of(8, &Clock::manual());
    for name in ["a", "b", "c", "d"] {
        guest(&mut registry, 1, name);
    }
    assert_eq!(try_register(&mut registry, 1, &owner("e", 1)).err(), Some(Status::Delay));
    for (host, name) in (2..6).zip(["f", "g", "h", "i"]) {
        guest(&mut registry, host, name);
    }
}

#[test]
fn clients_of_the_address_that_has_most_give_way_first() {
    let clock = Clock::manual();
    let mut registry = registry_of(16, &clock);
    let only = try_register(&mut registry, 2, &owner("only", 1)).expect("registered");
    clock.advance(LEASE / 2);
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        register(&mut registry, &owner(name, 1));
    }
    assert!(!only.is_gone(), "it is silent longest, and alone");
}

#[test]
fn one_client_too_many_takes_the_place_of_the_one_that_is_silent_longest() {
    let clock = Clock::manual();
    let mut registry = registry_of(4, &clock);
    let mut clients = Vec::new();
    for (host, name) in (1..).zip(["a", "b", "c", "d"]) {
        clients.push(guest(&mut registry, host, name));
        clock.advance(LEASE);
    }
    let address = SocketAddr::from(([192, 0, 2, 9], 1000));
    assert!(registry.register(&owner("e", 1), ALICE, address, LEASE, |_| true).is_ok());
    let gone: Vec<bool> = clients.iter().map(|client| client.is_gone()).collect();
    assert_eq!(gone, [true, false, false, false]);
    assert_eq!(registry.all_leaving().len(), 1, "its state is still to be taken away");
}
