//! Packets as functions without side effects: ARP for IPv4 and neighbour discovery for IPv6 ask for an address and announce it, and TCP
//! tells clients that their connections are gone.
//!
//! The kernel adds and removes the Ethernet header, so packets start with the ARP message or the IP header.

pub mod arp;
mod checksum;
pub mod ndp;
pub mod tcp;
