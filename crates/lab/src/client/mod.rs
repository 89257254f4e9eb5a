//! A Linux NFS client for the user: one guest, with mounts from servers that this host reaches, and a program in it.
//!
//! Guests are on a network of the lab's own, without a route to the host's network, which stays unchanged. Connections to a server are forwarded:
//! the guest's kernel connects to a port of the worker ([`relay::listen`]), which forwards the bytes through a UNIX socket in the run's folder to
//! the supervisor ([`relay::carry`]), which connects to the server. The input of the program takes the same path.

mod mount;
pub mod relay;
mod request;
mod session;

pub use mount::MountSource;
pub use request::{GuestRequest, input_socket, server_socket};
pub use session::work;
