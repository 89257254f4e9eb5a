//! Opens a pool from its directory.
//!
//! `assemble.rs` opens the stores in a directory. `examine.rs` proves that their contents belong together before anything is
//! changed. Open `assemble.rs` first.

pub(crate) mod assemble;
pub(crate) mod examine;
pub(crate) mod lifecycle;
pub(crate) mod log;
pub(crate) mod promote;
pub(crate) mod replay;
pub(crate) mod upgrade;
