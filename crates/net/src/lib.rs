//! What every network protocol of the daemon needs, and no protocol itself.
//!
//! [`tls`] loads certificates and reloads them, [`self_signed`] makes one where there is none, [`memory`] divides the memory for requests between clients, [`http`] accepts HTTP
//! connections, limits them and ends them in order, [`traces`] selects requests to trace, [`Answers`] holds answers while it is not certain that the pool is still this process's, and [`LogLimiter`] keeps a flood of refusals from flooding the log. Protocols use
//! these; this crate uses none of them. Start reading at [`http`] or [`memory`].
//!
//! What must hold: nothing that comes from the network is trusted, waited for without a limit, or kept without one.

mod answers;
pub mod http;
mod log_limiter;
pub mod memory;
pub mod self_signed;
pub mod tls;
pub mod traces;

pub use answers::{Answers, Held};
pub use log_limiter::LogLimiter;
