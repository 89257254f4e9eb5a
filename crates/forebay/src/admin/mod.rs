//! The command line's side of the API: selecting the daemon ([`target`]) and talking to it ([`client`]).

pub mod client;
mod pinned;
pub mod profiles;
pub mod running;
pub mod target;
