//! A *service address*: an IP address that clients connect to, and that moves from one machine to another.
//!
//! A machine that takes a pool over first listens on the address, with [`bind()`], although it does not have it yet. Then
//! [`acquire()`] makes sure that no other machine answers for the address, adds it to a network device, and announces it, so that
//! clients on the same network segment send to this machine at once, and [`tickle()`] has their connections to the last owner
//! reset. [`Held::release`] removes the address again. Where addresses are
//! moved by something else, such as a cloud provider's API or BGP, a [`Hook`] runs a program instead.
//!
//! Only Linux is supported. Everything here needs CAP_NET_ADMIN and CAP_NET_RAW, except [`bind()`], [`check`] and [`Hook`].
//! Start reading at `acquire.rs`.
//!
//! What must hold: an address that another machine answers for is never added unless the caller asks for no probes, and every error names the address or the
//! program, and what the operator can do.

#![forbid(unsafe_code)]

mod acquire;
mod bind;
mod error;
mod hook;
mod mac;
mod netlink;
mod own;
mod packets;
mod segment;
mod service_address;
mod tickle;

pub use acquire::{Held, Options, acquire, acquire_while, check, other_owner, release};
pub use bind::bind;
pub use error::Error;
pub use hook::{Hook, HookError};
pub use mac::Mac;
pub use own::own_addresses;
pub use service_address::{InvalidAddress, ServiceAddress};
pub use tickle::tickle;
