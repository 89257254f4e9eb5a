//! The memory account of one client.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::audit::SLOT_BYTES;
use super::books::{Entry, Kind, Standing};
use super::state_memory::StateMemory;
use forebay_nfs_proto::xdr::Status;

/// How long after a refusal a client counts as short of memory, before it is checked again.
const SHORTAGE_MS: u64 = 5000;

/// There is no room for the charge, or the client has used its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom;

impl From<NoRoom> for Status {
    fn from(_: NoRoom) -> Status {
        Status::Delay
    }
}

/// How a charge is treated if there is no room.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// The caller can do without it.
    Optional,
    /// The operation fails without it, and the refusal is counted.
    Needed,
    /// As `Needed`, for a client that will have a file open.
    NeededForOpen,
    /// The memory is already in use, so the charge always succeeds.
    Settled,
}

/// The memory used for one client. It is changed under the lock of the books.
pub struct Account {
    memory: Arc<StateMemory>,
    address: IpAddr,
    /// Number of accounts at the same address, including this one.
    neighbours: Arc<AtomicUsize>,
    bytes: AtomicUsize,
    used_export: AtomicBool,
    has_files: AtomicBool,
    /// When the client was last refused memory, in milliseconds since the server started; 0 if a charge has
    /// succeeded since.
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

    /// Bytes charged to the client.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Number of clients at the client's address.
    pub fn neighbours(&self) -> usize {
        self.neighbours.load(Ordering::Relaxed)
    }

    /// Number of bytes to free so that clients at its address have room again.
    pub fn to_give_back(&self) -> usize {
        self.memory.to_give_back(self.address)
    }

    /// What the client has done so far, which determines its share.
    pub fn standing(&self) -> Standing {
        if self.has_files.load(Ordering::Relaxed) {
            Standing::Holder
        } else if self.used_export.load(Ordering::Relaxed) {
            Standing::Guest
        } else {
            Standing::Stranger
        }
    }

    /// Creates an empty charge.
    pub fn nothing(self: &Arc<Self>, kind: Kind) -> Charge {
        Charge { account: self.clone(), kind, bytes: 0 }
    }

    /// Charges `bytes`.
    pub fn charge(self: &Arc<Self>, kind: Kind, bytes: usize) -> Result<Charge, NoRoom> {
        let mut charge = self.nothing(kind);
        charge.resize(bytes)?;
        Ok(charge)
    }

    /// Charges `bytes` for an open that is about to be made.
    pub fn charge_for_open(self: &Arc<Self>, bytes: usize) -> Result<Charge, NoRoom> {
        let mut charge = self.nothing(Kind::File);
        charge.set(bytes, Wish::NeededForOpen)?;
        Ok(charge)
    }

    /// Records that the client was admitted to an export.
    pub fn note_export_used(&self) {
        if !self.used_export.load(Ordering::Relaxed) {
            self.change_standing(|| self.used_export.store(true, Ordering::Relaxed));
        }
    }

    /// Records whether the client has anything open or locked.
    pub fn note_files(&self, has_files: bool) {
        if self.has_files.load(Ordering::Relaxed) != has_files {
            self.change_standing(|| self.has_files.store(has_files, Ordering::Relaxed));
        }
    }

    /// Whether the client was recently refused memory, has obtained none since, and still could not.
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

    /// Whether there is room for this many bytes, if they are for an open.
    fn could_take(&self, bytes: usize) -> bool {
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

    /// Charges `growth` more bytes.
    fn grow(&self, kind: Kind, growth: usize, wish: Wish) -> Result<(), NoRoom> {
        let limits = &self.memory.limits;
        let mut books = self.memory.books();
        let before = self.entry();
        let asking = match wish {
            Wish::NeededForOpen => Entry { standing: Standing::Holder, ..before },
            _ => before,
        };
        if wish != Wish::Settled && !books.admits(self.address, asking, growth, limits) {
            drop(books);
            if wish != Wish::Optional {
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

/// Memory charged to an account until this value is dropped.
pub struct Charge {
    account: Arc<Account>,
    kind: Kind,
    bytes: usize,
}

impl Charge {
    /// The account.
    pub fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// Number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Changes the charge to `bytes`; leaves it unchanged if there is no room. Shrinking always succeeds.
    pub fn resize(&mut self, bytes: usize) -> Result<(), NoRoom> {
        self.set(bytes, Wish::Needed)
    }

    /// Changes the charge to `bytes` if there is room, for memory that the caller can do without.
    pub fn resize_if_room(&mut self, bytes: usize) -> bool {
        self.set(bytes, Wish::Optional).is_ok()
    }

    /// Changes the charge to `bytes` for memory that is already in use. `bytes` must be less than the
    /// previous charge, or small.
    pub fn settle(&mut self, bytes: usize) {
        // A forced charge is never refused.
        let _ = self.set(bytes, Wish::Settled);
    }

    /// Takes over another charge for the same use, to the same account.
    pub fn absorb(&mut self, mut other: Charge) {
        debug_assert!(Arc::ptr_eq(&self.account, &other.account) && self.kind == other.kind);
        self.bytes += std::mem::take(&mut other.bytes);
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
