//! A Linux NFS client for a person: one guest, with mounts from servers that this host reaches, and a program in it.
//!
//! Guests are on a network of the lab's own, from which nothing leads to the host's, so that nothing of the host's is changed. What
//! goes to a server is carried over: the guest's kernel connects to a port of the worker ([`relay::listen`]), which passes the bytes on,
//! through a UNIX socket in the run's folder, to the supervisor ([`relay::carry`]); that one connects to the server. The input of the
//! program takes the same way.

mod mount;
pub mod relay;
mod request;
mod session;

pub use mount::MountSource;
pub use request::{Order, input_socket, server_socket};
pub use session::work;
