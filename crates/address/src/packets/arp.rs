//! ARP messages for IPv4 over Ethernet (RFC 826), as address conflict detection uses them (RFC 5227).

use std::net::Ipv4Addr;

use crate::Mac;

/// The Ethernet type of ARP.
pub const ETHER_TYPE: u16 = 0x0806;

/// The length of a message in bytes. Ethernet pads it to 46.
pub const LEN: usize = 28;

/// Hardware type Ethernet, protocol type IPv4, and the lengths of their addresses.
const ETHERNET_AND_IPV4: [u8; 6] = [0, 1, 0x08, 0, 6, 4];

const NOBODY: Mac = Mac([0; 6]);

/// What a message does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Asks who has the target address, and says what the sender's address is.
    Request = 1,
    /// Says what the sender's address is.
    Reply = 2,
}

/// An ARP probe: asks who has `address` without saying that the sender has it (RFC 5227 section 2.1.1).
pub fn probe(own: Mac, address: Ipv4Addr) -> [u8; LEN] {
    message(Operation::Request, (own, Ipv4Addr::UNSPECIFIED), (NOBODY, address))
}

/// An ARP announcement, also known as gratuitous ARP: the sender has `address` (RFC 5227 section 2.3).
///
/// Some systems only heed requests, some only replies. Linux takes a reply as an announcement only if the target's hardware address
/// is the sender's.
pub fn announcement(operation: Operation, own: Mac, address: Ipv4Addr) -> [u8; LEN] {
    let target = match operation {
        Operation::Request => NOBODY,
        Operation::Reply => own,
    };
    message(operation, (own, address), (target, address))
}

fn message(operation: Operation, sender: (Mac, Ipv4Addr), target: (Mac, Ipv4Addr)) -> [u8; LEN] {
    let mut message = [0; LEN];
    message[..6].copy_from_slice(&ETHERNET_AND_IPV4);
    message[7] = operation as u8;
    message[8..14].copy_from_slice(&sender.0.0);
    message[14..18].copy_from_slice(&sender.1.octets());
    message[18..24].copy_from_slice(&target.0.0);
    message[24..28].copy_from_slice(&target.1.octets());
    message
}

/// The machine that uses `address` according to `packet`, or is probing for it at the same moment; `None` if the packet is no
/// conflict (RFC 5227 section 2.1.1).
pub fn conflict(packet: &[u8], own: Mac, address: Ipv4Addr) -> Option<Mac> {
    let message: &[u8; LEN] = packet.first_chunk()?;
    if message[..6] != ETHERNET_AND_IPV4 {
        return None;
    }
    let operation = u16::from_be_bytes([message[6], message[7]]);
    let mac = Mac(message[8..14].try_into().ok()?);
    let sender: [u8; 4] = message[14..18].try_into().ok()?;
    let target: [u8; 4] = message[24..28].try_into().ok()?;
    let uses = sender == address.octets();
    let probes = operation == Operation::Request as u16 && sender == [0; 4] && target == address.octets();
    ((uses || probes) && mac != own).then_some(mac)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Mac = Mac([2, 0, 0, 0, 0, 1]);
    const OTHER: Mac = Mac([2, 0, 0, 0, 0, 2]);
    const ADDRESS: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 50);

    #[test]
    fn a_probe_names_no_sender_address() {
        #[rustfmt::skip]
        let expected = [
            0, 1, 8, 0, 6, 4, 0, 1,
            2, 0, 0, 0, 0, 1, 0, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 10, 0, 0, 50,
        ];
        assert_eq!(probe(OWN, ADDRESS), expected);
    }

    #[test]
    fn announcements_have_the_address_as_sender_and_as_target() {
        #[rustfmt::skip]
        let request = [
            0, 1, 8, 0, 6, 4, 0, 1,
            2, 0, 0, 0, 0, 1, 10, 0, 0, 50,
            0, 0, 0, 0, 0, 0, 10, 0, 0, 50,
        ];
        assert_eq!(announcement(Operation::Request, OWN, ADDRESS), request);
        #[rustfmt::skip]
        let reply = [
            0, 1, 8, 0, 6, 4, 0, 2,
            2, 0, 0, 0, 0, 1, 10, 0, 0, 50,
            2, 0, 0, 0, 0, 1, 10, 0, 0, 50,
        ];
        assert_eq!(announcement(Operation::Reply, OWN, ADDRESS), reply);
    }

    #[test]
    fn any_message_from_another_machine_with_the_address_is_a_conflict() {
        let mut padded = message(Operation::Reply, (OTHER, ADDRESS), (OWN, Ipv4Addr::UNSPECIFIED)).to_vec();
        padded.resize(46, 0);
        assert_eq!(conflict(&padded, OWN, ADDRESS), Some(OTHER));
        assert_eq!(conflict(&announcement(Operation::Request, OTHER, ADDRESS), OWN, ADDRESS), Some(OTHER));
        // Another machine that is about to take the same address.
        assert_eq!(conflict(&probe(OTHER, ADDRESS), OWN, ADDRESS), Some(OTHER));
    }

    #[test]
    fn other_messages_are_no_conflict() {
        let other = Ipv4Addr::new(10, 0, 0, 51);
        assert_eq!(conflict(&probe(OWN, ADDRESS), OWN, ADDRESS), None, "our own probe");
        assert_eq!(conflict(&probe(OTHER, other), OWN, ADDRESS), None);
        assert_eq!(conflict(&announcement(Operation::Reply, OTHER, other), OWN, ADDRESS), None);
        let asks = message(Operation::Request, (OTHER, other), (NOBODY, ADDRESS));
        assert_eq!(conflict(&asks, OWN, ADDRESS), None, "a client that looks for the address");
        let answer = announcement(Operation::Reply, OTHER, ADDRESS);
        for len in 0..LEN {
            assert_eq!(conflict(&answer[..len], OWN, ADDRESS), None);
        }
        let mut not_ethernet = answer;
        not_ethernet[1] = 6;
        assert_eq!(conflict(&not_ethernet, OWN, ADDRESS), None);
    }
}
