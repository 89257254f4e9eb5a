//! The memory kept for clients between requests, and how it is shared.
//!
//! Anyone who can reach the port can register clients, create sessions and make the server store replies. So
//! all of this is charged to an [`Account`], one per client, before it is allocated. Every [`Charge`] is
//! stored in the object that uses the memory, and ends with it. [`audit`] lists what is charged, and its
//! size. The sum of all accounts never exceeds the limit (`nfs.state_max`).
//!
//! The share of an account depends on what its client has done so far:
//!
//! ```text
//! ┌─── 1/4: floors ───┬──────────────────── 3/4: common part ───────────────────────┐
//! │ the same for      │ clients with open files: all                                │
//! │ every client      ├───────────────────────────────────┐                         │
//! │                   │ all others: 1/4                   │                         │
//! │                   ├────────────────────────────┐      │                         │
//! │                   │ clients that have used no  │      │                         │
//! │                   │ export: 1/4 of that        │      │                         │
//! └───────────────────┴────────────────────────────┴──────┴─────────────────────────┘
//! ```
//!
//! - The *floor* is memory that every client can use, whatever the others do. The number of clients is
//!   limited, and a quarter of the memory is reserved for their floors. A mount and a few open files fit.
//! - A [`Standing::Stranger`] has used no export, and may not be able to.
//! - A [`Standing::Guest`] has used an export, and has nothing open.
//! - A [`Standing::Holder`] has open files. Holders can use the whole common part.
//!
//! Within the common part a client is its IP address, as for the memory of requests. An address can use no
//! more than it leaves for others: a single greedy address ends at half, two at a third each. So there is
//! always some left for another.
//!
//! A charge that does not fit is refused before anything is done, and the client is asked to retry
//! (NFS4ERR_DELAY). Nothing that was acknowledged is ever dropped for lack of memory. A registration includes
//! the memory that its client needs to release its state: a session, with room for replies of usual length.

mod account;
pub mod audit;
mod books;
mod limits;
mod shrink;
mod state_memory;

pub use account::{Account, Charge, NoRoom};
pub use books::{Kind, Standing};
pub use limits::StateUsage;
pub(crate) use shrink::shrink;
pub use state_memory::StateMemory;

#[cfg(test)]
mod tests;
