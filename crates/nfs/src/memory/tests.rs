//! The shares of accounts under competing demand.

use std::net::IpAddr;
use std::sync::Arc;

use super::*;

const MIB: usize = 1 << 20;

fn address(host: u8) -> IpAddr {
    [192, 0, 2, host].into()
}

/// A client at this host that has used an export.
fn guest(memory: &Arc<StateMemory>, host: u8) -> Arc<Account> {
    let account = memory.open_account(address(host));
    account.note_export_used();
    account
}

/// A client at this host that has open files.
fn holder(memory: &Arc<StateMemory>, host: u8) -> Arc<Account> {
    let account = guest(memory, host);
    account.note_files(true);
    account
}

/// Charges as much as possible, in pieces.
fn fill(account: &Arc<Account>) -> Charge {
    let mut charge = account.nothing(Kind::Session);
    while charge.resize(charge.bytes() + 1024).is_ok() {}
    charge
}

fn fill_all(accounts: &[Arc<Account>]) -> Vec<Charge> {
    accounts.iter().map(fill).collect()
}

#[test]
fn whatever_clients_do_the_bound_holds_and_every_client_has_its_floor() {
    let memory = StateMemory::new(16 * MIB, 256);
    let greedy: Vec<Arc<Account>> = (0..200).map(|number| holder(&memory, number)).collect();
    let taken = fill_all(&greedy);
    assert!(memory.usage().bytes() <= 16 * MIB as u64);
    let late: Vec<Arc<Account>> = (0..56).map(|host| memory.open_account(address(host))).collect();
    for account in &late {
        assert!(fill(account).bytes() >= memory.limits.floor);
    }
    assert!(memory.usage().refused[Kind::Session as usize] >= 256);
    drop((taken, greedy, late));
    assert_eq!(memory.usage().bytes(), 0);
    assert!(memory.books().most().is_none());
}

#[test]
fn guests_have_a_quarter_beyond_their_floors_and_strangers_a_quarter_of_that() {
    let memory = StateMemory::new(64 * MIB, 1024);
    let strangers: Vec<Arc<Account>> = (2..50).map(|host| memory.open_account(address(host))).collect();
    let taken = fill_all(&strangers);
    let floors = strangers.len() * memory.limits.floor;
    let bytes: usize = taken.iter().map(Charge::bytes).sum();
    assert!(bytes <= floors + memory.limits.strangers_max, "{bytes}");
    drop((taken, strangers));
    let guests: Vec<Arc<Account>> = (2..50).map(|host| guest(&memory, host)).collect();
    let taken = fill_all(&guests);
    let floors = guests.len() * memory.limits.floor;
    let bytes: usize = taken.iter().map(Charge::bytes).sum();
    assert!(bytes <= floors + memory.limits.guests_max, "{bytes}");
    let holder = holder(&memory, 1);
    assert!(fill(&holder).bytes() >= memory.limits.common_max / 4, "guests are not in its way");
}

#[test]
fn an_address_leaves_as_much_as_it_has_however_many_clients_are_there() {
    let memory = StateMemory::new(64 * MIB, 1024);
    let crowd: Vec<Arc<Account>> = (0..100).map(|_| holder(&memory, 1)).collect();
    let taken = fill_all(&crowd);
    let bytes: usize = taken.iter().map(Charge::bytes).sum();
    let half = memory.limits.common_max / 2;
    assert!(bytes <= half + crowd.len() * memory.limits.floor, "{bytes}");
    let modest = fill(&holder(&memory, 2)).bytes();
    assert!(modest >= half / 2, "{modest}");
}

#[test]
fn an_account_moves_from_the_guests_to_the_holders_with_what_it_has() {
    let memory = StateMemory::new(64 * MIB, 1024);
    let account = guest(&memory, 1);
    let as_guest = fill(&account);
    account.note_files(true);
    assert!(fill(&account).bytes() > 0);
    let other = fill(&guest(&memory, 1));
    assert!(other.bytes() > memory.limits.floor, "the guests have their quarter for themselves");
    account.note_files(false);
    assert_eq!(fill(&guest(&memory, 1)).bytes(), memory.limits.floor);
    drop((as_guest, other, account));
    assert_eq!(memory.usage().bytes(), 0);
}

#[test]
fn a_charge_that_is_refused_changes_nothing_and_one_that_is_granted_ends_the_shortage() {
    let memory = StateMemory::new(MIB, 16);
    let account = memory.open_account(address(1));
    let mut charge = account.charge(Kind::Client, 1000).unwrap();
    assert_eq!(charge.resize(MIB), Err(NoRoom));
    assert_eq!((charge.bytes(), account.bytes()), (1000, 1000));
    assert!(account.is_short() && memory.take_wanted() && !memory.take_wanted());
    charge.resize(2000).unwrap();
    assert!(!account.is_short());
    charge.resize(10).unwrap();
    assert_eq!(memory.usage().clients, 10);
}
