//! Memory for requests and replies, divided fairly between clients.
//!
//! For memory quotas a client is its IP address: its claimed identity is known only after its request has been read. [`Shares`] limits
//! what requests take while they are received and carried out, [`Buffers`] reuses the buffers of large requests, and [`Backlogs`]
//! limits the replies that clients have not read yet. No client gets more than half of any of these. [`Budget`] divides memory such that
//! several clients together cannot take all of it either.

mod backlog;
mod budget;
mod buffers;
mod per_address;
mod shares;

pub use backlog::{Backlog, Backlogs, Waiting};
pub use budget::{Allowance, Budget, Grant};
pub use buffers::{Buffer, Buffers};
pub use shares::{RequestMemory, Share, Shares, Taken};
