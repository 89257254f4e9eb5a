//! Arguments that several commands share: the daemon, the output format, the names of objects.

mod fingerprint;
pub mod names;
pub mod order;
pub mod remote;
pub mod values;

pub use fingerprint::Fingerprint;
pub use remote::{Format, Output, Remote, Sure};
