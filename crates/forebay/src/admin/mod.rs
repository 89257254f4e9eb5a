//! The command line's side of the daemon's API: which daemon it is about ([`target`]), and asking it ([`client`]).

pub mod client;
pub mod profiles;
pub mod target;
