//! The types of RFC 8881 (XDR in RFC 5662) and RFC 7862 (XDR in RFC 7863), under the RFCs' names.
//!
//! [`types`] contains shared types. [`session`], [`state`], [`file`], [`range`] and [`xattr`] contain
//! arguments and results of the operations on sessions, on open and lock state, on files and directories, on
//! ranges of files, and on extended attributes. [`attribute`] has the numbers of file attributes,
//! [`locations`] the value of `fs_locations`, [`callback`] the calls to clients, [`errors`] the errors of each operation, and [`operation`] maps
//! operation numbers to arguments and results.

pub mod attribute;
pub mod callback;
pub mod errors;
pub mod file;
pub mod locations;
pub mod operation;
pub mod range;
pub mod session;
pub mod state;
mod status;
pub mod types;
pub mod xattr;

pub use file::*;
pub use locations::*;
pub use operation::*;
pub use range::*;
pub use session::*;
pub use state::*;
pub use status::Status;
pub use types::*;
pub use xattr::*;
