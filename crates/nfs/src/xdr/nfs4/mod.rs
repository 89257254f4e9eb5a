//! The types of RFC 8881 (XDR in RFC 5662) and RFC 7862 (XDR in RFC 7863), under the RFCs' names.
//!
//! [`types`] holds what several operations share; [`session`], [`state`] and [`file`] hold arguments and
//! results of the operations on sessions, on open and lock state, and on files and directories;
//! [`attribute`] numbers the file attributes; [`callback`] is what goes to clients; [`errors`] says which errors belong to which operation; [`operation`] ties numbers, arguments and results together.

pub mod attribute;
pub mod callback;
pub mod errors;
pub mod file;
pub mod operation;
pub mod session;
pub mod state;
mod status;
pub mod types;

pub use file::*;
pub use operation::*;
pub use session::*;
pub use state::*;
pub use status::Status;
pub use types::*;
