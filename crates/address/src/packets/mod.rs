//! Packets that ask for an address and announce it, as functions without side effects: ARP for IPv4, neighbour discovery for IPv6.
//!
//! The kernel adds and removes the Ethernet header, so packets start with the ARP message or the IPv6 header.

pub mod arp;
pub mod ndp;
