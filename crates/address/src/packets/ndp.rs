//! Neighbour discovery for IPv6 (RFC 4861), as duplicate address detection uses it (RFC 4862).

use std::net::Ipv6Addr;

use super::checksum::internet_checksum;
use crate::Mac;

/// The Ethernet type of IPv6.
pub const ETHER_TYPE: u16 = 0x86dd;

/// All machines on the segment.
pub const ALL_NODES: Ipv6Addr = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 1);

const NEXT_HEADER_ICMPV6: u8 = 58;
/// Neighbour discovery ignores packets with any other hop limit, since these may come from outside the segment.
const HOP_LIMIT: u8 = 255;
const NEIGHBOUR_SOLICITATION: u8 = 135;
const NEIGHBOUR_ADVERTISEMENT: u8 = 136;
/// In an advertisement: what the receiver knew about the address is to be replaced.
const OVERRIDE: u8 = 0x20;
const OPTION_TARGET_LINK_LAYER_ADDRESS: u8 = 2;
/// The length of an advertisement or solicitation without options, in bytes.
const ICMPV6_LEN: usize = 24;

/// The multicast group of all machines whose address ends like `address` (RFC 4291 section 2.7.1).
pub fn solicited_node(address: Ipv6Addr) -> Ipv6Addr {
    let [.., a, b, c] = address.octets();
    Ipv6Addr::from([0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, a, b, c])
}

/// The hardware address to which Ethernet devices send what is for a multicast group (RFC 2464 section 7).
pub fn multicast_mac(group: Ipv6Addr) -> Mac {
    let [.., a, b, c, d] = group.octets();
    Mac([0x33, 0x33, a, b, c, d])
}

/// A solicitation as duplicate address detection sends it: asks who has `address` without saying who asks (RFC 4862 section 5.4.2).
pub fn probe(address: Ipv6Addr) -> Vec<u8> {
    let mut icmpv6 = vec![NEIGHBOUR_SOLICITATION, 0, 0, 0, 0, 0, 0, 0];
    icmpv6.extend(address.octets());
    packet(Ipv6Addr::UNSPECIFIED, solicited_node(address), icmpv6)
}

/// An unsolicited advertisement: the sender has `address`, whatever the receivers knew (RFC 4861 section 7.2.6).
pub fn announcement(own: Mac, address: Ipv6Addr) -> Vec<u8> {
    let mut icmpv6 = vec![NEIGHBOUR_ADVERTISEMENT, 0, 0, 0, OVERRIDE, 0, 0, 0];
    icmpv6.extend(address.octets());
    // Options have their length in units of 8 bytes.
    icmpv6.extend([OPTION_TARGET_LINK_LAYER_ADDRESS, 1]);
    icmpv6.extend(own.0);
    packet(address, ALL_NODES, icmpv6)
}

/// Puts an IPv6 header in front of an ICMPv6 message, and the checksum in it.
fn packet(source: Ipv6Addr, destination: Ipv6Addr, mut icmpv6: Vec<u8>) -> Vec<u8> {
    let checksum = checksum(source, destination, &icmpv6);
    icmpv6[2..4].copy_from_slice(&checksum.to_be_bytes());
    let [.., high, low] = icmpv6.len().to_be_bytes();
    let mut packet = vec![0x60, 0, 0, 0, high, low, NEXT_HEADER_ICMPV6, HOP_LIMIT];
    packet.extend(source.octets());
    packet.extend(destination.octets());
    packet.extend(icmpv6);
    packet
}

/// The checksum of an ICMPv6 message whose checksum field is 0, over the message and a pseudo-header (RFC 8200 section 8.1).
fn checksum(source: Ipv6Addr, destination: Ipv6Addr, icmpv6: &[u8]) -> u16 {
    let length = (icmpv6.len() as u32).to_be_bytes();
    let next_header = [0, 0, 0, NEXT_HEADER_ICMPV6];
    internet_checksum(&[&source.octets(), &destination.octets(), &length, &next_header, icmpv6])
}

/// The machine that uses `address` according to an ICMPv6 message without its IPv6 header; `None` if the message is something else.
///
/// The kernel has verified the checksum. A machine that answers a probe must name its hardware address (RFC 4861 section 7.2.4).
pub fn conflict(icmpv6: &[u8], own: Mac, address: Ipv6Addr) -> Option<Mac> {
    let (fixed, mut options) = icmpv6.split_at_checked(ICMPV6_LEN)?;
    if fixed[..2] != [NEIGHBOUR_ADVERTISEMENT, 0] || fixed[8..] != address.octets() {
        return None;
    }
    loop {
        let [kind, units, ..] = *options else { return None };
        // An option without a length ends the message.
        let (option, rest) = options.split_at_checked(usize::from(units) * 8).filter(|_| units > 0)?;
        if kind == OPTION_TARGET_LINK_LAYER_ADDRESS {
            let mac = Mac(option[2..8].try_into().ok()?);
            return (mac != own).then_some(mac);
        }
        options = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Mac = Mac([2, 0, 0, 0, 0, 1]);
    const OTHER: Mac = Mac([2, 0, 0, 0, 0, 2]);

    fn address() -> Ipv6Addr {
        "2001:db8::1:250".parse().unwrap()
    }

    /// The sum over the pseudo-header and a message that is correct, including its checksum, has all bits set.
    fn is_intact(packet: &[u8]) -> bool {
        let ip = |at: usize| Ipv6Addr::from(<[u8; 16]>::try_from(&packet[at..at + 16]).unwrap());
        checksum(ip(8), ip(24), &packet[40..]) == 0
    }

    #[test]
    fn groups_are_those_of_the_standards() {
        assert_eq!(solicited_node(address()), "ff02::1:ff01:250".parse::<Ipv6Addr>().unwrap());
        assert_eq!(multicast_mac(solicited_node(address())), Mac([0x33, 0x33, 0xff, 1, 2, 0x50]));
        assert_eq!(multicast_mac(ALL_NODES), Mac([0x33, 0x33, 0, 0, 0, 1]));
    }

    #[test]
    fn a_checksum_is_that_of_a_packet_that_linux_sent() {
        // A solicitation with a nonce (RFC 7527), captured from Linux 6.18. Its checksum is 0x406e.
        #[rustfmt::skip]
        let captured = [
            0x60, 0, 0, 0, 0, 0x20, 0x3a, 0xff,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0x01, 0x02, 0x50,
            0x87, 0, 0x40, 0x6e, 0, 0, 0, 0,
            0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x02, 0x50,
            0x0e, 0x01, 0x67, 0x58, 0xe2, 0xca, 0xaf, 0xb2,
        ];
        assert!(is_intact(&captured));
        let mut icmpv6 = captured[40..].to_vec();
        icmpv6[2..4].fill(0);
        assert_eq!(packet(Ipv6Addr::UNSPECIFIED, solicited_node(address()), icmpv6), captured);
    }

    #[test]
    fn a_probe_comes_from_nobody_and_goes_to_the_solicited_nodes() {
        let packet = probe(address());
        assert_eq!(packet.len(), 40 + 24);
        assert_eq!(packet[..8], [0x60, 0, 0, 0, 0, 24, 58, 255]);
        assert_eq!(packet[8..24], [0; 16]);
        assert_eq!(packet[24..40], solicited_node(address()).octets());
        assert_eq!(packet[40..42], [135, 0]);
        assert_eq!(packet[48..], address().octets());
        assert!(is_intact(&packet));
    }

    #[test]
    fn an_announcement_overrides_what_receivers_knew() {
        let packet = announcement(OWN, address());
        assert_eq!(packet.len(), 40 + 32);
        assert_eq!(packet[..8], [0x60, 0, 0, 0, 0, 32, 58, 255]);
        assert_eq!(packet[8..24], address().octets());
        assert_eq!(packet[24..40], ALL_NODES.octets());
        assert_eq!(packet[40..42], [136, 0]);
        assert_eq!(packet[44..48], [0x20, 0, 0, 0]);
        assert_eq!(packet[48..64], address().octets());
        assert_eq!(packet[64..], [2, 1, 2, 0, 0, 0, 0, 1]);
        assert!(is_intact(&packet));
        let mut damaged = packet;
        damaged[50] ^= 1;
        assert!(!is_intact(&damaged));
    }

    #[test]
    fn an_advertisement_of_the_address_is_a_conflict() {
        let advertisement = announcement(OTHER, address())[40..].to_vec();
        assert_eq!(conflict(&advertisement, OWN, address()), Some(OTHER));
        // After an option that we do not know.
        let mut two_options = advertisement[..ICMPV6_LEN].to_vec();
        two_options.extend([14, 1, 0, 0, 0, 0, 0, 0]);
        two_options.extend(&advertisement[ICMPV6_LEN..]);
        assert_eq!(conflict(&two_options, OWN, address()), Some(OTHER));
    }

    #[test]
    fn other_messages_are_no_conflict() {
        let advertisement = announcement(OTHER, address())[40..].to_vec();
        assert_eq!(conflict(&advertisement, OTHER, address()), None, "our own");
        assert_eq!(conflict(&advertisement, OWN, "2001:db8::51".parse().unwrap()), None);
        assert_eq!(conflict(&probe(address())[40..], OWN, address()), None);
        for len in 0..advertisement.len() {
            assert_eq!(conflict(&advertisement[..len], OWN, address()), None);
        }
        let mut endless = advertisement;
        endless[ICMPV6_LEN..ICMPV6_LEN + 2].copy_from_slice(&[14, 0]);
        assert_eq!(conflict(&endless, OWN, address()), None);
    }
}
