//! What one client takes.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::StateMemory;
use super::audit::SLOT_BYTES;
use super::books::{Entry, Kind, Standing};
use forebay_nfs_proto::xdr::Status;

/// How long a client that was refused memory is taken to be short of it, until it is looked at again.
const SHORTAGE_MS: u64 = 5000;

/// The memory for clients has no room for what is asked for, or the client has its part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom;

impl From<NoRoom> for Status {
    fn from(_: NoRoom) -> Status {
        Status::Delay
    }
}

/// How much a charge is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// It can be done without.
    Optional,
    /// Something is refused without it, which is counted.
    Needed,
    /// It has been taken, whether there is room or not.
    Settled,
}

/// The memory that is kept for one client. It is changed under the lock of the books.
pub struct Account {
    memory: Arc<StateMemory>,
    address: IpAddr,
    /// Accounts of the address, this one among them.
    neighbours: Arc<AtomicUsize>,
    bytes: AtomicUsize,
    used_export: AtomicBool,
    has_files: AtomicBool,
    /// When the client was last refused something, in milliseconds since the server started; 0 if it has got something since.
    refused_ms: AtomicU64,
}

impl Account {
    pub(super) fn open(memory: Arc<StateMemory>, address: IpAddr) -> Arc<Account> {
        let neighbours = memory.books().open_account(address);
        Arc::new(Account {
            memory,
            address,
            neighbours,
            bytes: AtomicUsize::new(0),
            used_export: AtomicBool::new(false),
            has_files: AtomicBool::new(false),
            refused_ms: AtomicU64::new(0),
        })
    }

    /// The address that the client registered from.
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// Bytes that the client takes.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// How many clients there are at the client's address.
    pub fn neighbours(&self) -> usize {
        self.neighbours.load(Ordering::Relaxed)
    }

    /// How much must be given back so that clients at its address find room.
    pub fn to_give_back(&self) -> usize {
        self.memory.to_give_back(self.address)
    }

    /// What the client has shown.
    pub fn standing(&self) -> Standing {
        if self.has_files.load(Ordering::Relaxed) {
            Standing::Holder
        } else if self.used_export.load(Ordering::Relaxed) {
            Standing::Guest
        } else {
            Standing::Stranger
        }
    }

    /// Takes nothing yet for something.
    pub fn nothing(self: &Arc<Self>, kind: Kind) -> Charge {
        Charge { account: self.clone(), kind, bytes: 0 }
    }

    /// Takes `bytes` for something.
    pub fn charge(self: &Arc<Self>, kind: Kind, bytes: usize) -> Result<Charge, NoRoom> {
        let mut charge = self.nothing(kind);
        charge.resize(bytes)?;
        Ok(charge)
    }

    /// The client was let through to an export.
    pub fn note_export_used(&self) {
        if !self.used_export.load(Ordering::Relaxed) {
            self.change_standing(|| self.used_export.store(true, Ordering::Relaxed));
        }
    }

    /// The client has something open or locked, or has nothing any more.
    pub fn note_files(&self, has_files: bool) {
        if self.has_files.load(Ordering::Relaxed) != has_files {
            self.change_standing(|| self.has_files.store(has_files, Ordering::Relaxed));
        }
    }

    /// Whether the client was refused memory lately, and has got none since and could not.
    pub fn is_short(&self) -> bool {
        let refused_ms = self.refused_ms.load(Ordering::Relaxed);
        if refused_ms == 0 {
            return false;
        }
        let now_ms = self.memory.now_ms();
        if now_ms.saturating_sub(refused_ms) < SHORTAGE_MS {
            return true;
        }
        let is_short = !self.could_take(SLOT_BYTES);
        self.refused_ms.store(if is_short { now_ms } else { 0 }, Ordering::Relaxed);
        is_short
    }

    /// Whether there is room for so many bytes, if they are for something that is opened.
    pub fn could_take(&self, bytes: usize) -> bool {
        let entry = Entry { standing: Standing::Holder, ..self.entry() };
        self.memory.books().admits(self.address, entry, bytes, &self.memory.limits)
    }

    fn entry(&self) -> Entry {
        Entry { bytes: self.bytes(), standing: self.standing() }
    }

    fn change_standing(&self, change: impl FnOnce()) {
        let mut books = self.memory.books();
        let before = self.entry();
        change();
        books.change(self.address, Kind::Client, before, self.entry(), &self.memory.limits);
    }

    /// Takes `growth` more bytes.
    fn grow(&self, kind: Kind, growth: usize, wish: Wish) -> Result<(), NoRoom> {
        let limits = &self.memory.limits;
        let mut books = self.memory.books();
        let before = self.entry();
        if wish != Wish::Settled && !books.admits(self.address, before, growth, limits) {
            drop(books);
            if wish == Wish::Needed {
                self.refused_ms.store(self.memory.now_ms(), Ordering::Relaxed);
                self.memory.note_refusal(kind, self.address);
            }
            return Err(NoRoom);
        }
        self.bytes.fetch_add(growth, Ordering::Relaxed);
        books.change(self.address, kind, before, self.entry(), limits);
        drop(books);
        if self.refused_ms.load(Ordering::Relaxed) != 0 {
            self.refused_ms.store(0, Ordering::Relaxed);
        }
        Ok(())
    }

    fn shrink(&self, kind: Kind, bytes: usize) {
        let mut books = self.memory.books();
        let before = self.entry();
        self.bytes.fetch_sub(bytes.min(before.bytes), Ordering::Relaxed);
        books.change(self.address, kind, before, self.entry(), &self.memory.limits);
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.memory.books().close_account(self.address);
    }
}

/// Memory that an account is charged for, until this is dropped.
pub struct Charge {
    account: Arc<Account>,
    kind: Kind,
    bytes: usize,
}

impl Charge {
    /// Whom it is charged to.
    pub fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// How much it is.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Makes it that many bytes; as it was if there is no room. Less always fits.
    pub fn resize(&mut self, bytes: usize) -> Result<(), NoRoom> {
        self.set(bytes, Wish::Needed)
    }

    /// Makes it that many bytes if there is room, for what can do without.
    pub fn resize_if_room(&mut self, bytes: usize) -> bool {
        self.set(bytes, Wish::Optional).is_ok()
    }

    /// Makes it that many bytes, for what cannot be refused any more. It must be less than was charged before, or little.
    pub fn settle(&mut self, bytes: usize) {
        // What is forced is not refused.
        let _ = self.set(bytes, Wish::Settled);
    }

    fn set(&mut self, bytes: usize, wish: Wish) -> Result<(), NoRoom> {
        match bytes.checked_sub(self.bytes) {
            Some(0) => {}
            Some(growth) => self.account.grow(self.kind, growth, wish)?,
            None => self.account.shrink(self.kind, self.bytes - bytes),
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.account.shrink(self.kind, self.bytes);
    }
}
