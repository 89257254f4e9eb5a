//! A TCP segment for a connection of which this machine knows nothing but its two ends (RFC 9293).

use std::net::{IpAddr, SocketAddr};

use super::checksum::internet_checksum;

const PROTOCOL_TCP: u8 = 6;
const HOP_LIMIT: u8 = 64;
/// The length of a segment without options and data, in bytes.
const LEN: usize = 20;
/// The header's length in units of 4 bytes, and no flags but ACK.
const FIVE_WORDS: u8 = 0x50;
const ACK: u8 = 0x10;
const WINDOW: [u8; 2] = [0x04, 0x00];

/// An acknowledgement from `server` to `client` without data, with its IP header, and with a sequence number that has nothing to do with the
/// connection. `None` if the two addresses are not of the same version of IP.
///
/// A client that has the connection answers a segment outside its window with its own sequence numbers (RFC 9293 section 3.10.7.4).
pub fn bare_ack(server: SocketAddr, client: SocketAddr, sequence: u32) -> Option<Vec<u8>> {
    let mut segment = Vec::with_capacity(LEN);
    segment.extend(server.port().to_be_bytes());
    segment.extend(client.port().to_be_bytes());
    segment.extend(sequence.to_be_bytes());
    segment.extend([0; 4]);
    segment.extend([FIVE_WORDS, ACK]);
    segment.extend(WINDOW);
    // The checksum, and the urgent pointer.
    segment.extend([0; 4]);
    match (server.ip(), client.ip()) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            put_checksum(&mut segment, &from.octets(), &to.octets());
            // The kernel fills in the length, the identification and the header's checksum.
            let mut packet = vec![0x45, 0, 0, 0, 0, 0, 0x40, 0, HOP_LIMIT, PROTOCOL_TCP, 0, 0];
            packet.extend(from.octets());
            packet.extend(to.octets());
            packet.extend(segment);
            Some(packet)
        }
        (IpAddr::V6(from), IpAddr::V6(to)) => {
            put_checksum(&mut segment, &from.octets(), &to.octets());
            let mut packet = vec![0x60, 0, 0, 0, 0, LEN as u8, PROTOCOL_TCP, HOP_LIMIT];
            packet.extend(from.octets());
            packet.extend(to.octets());
            packet.extend(segment);
            Some(packet)
        }
        _ => None,
    }
}

/// The pseudo-headers of both versions of IP have the same sum (RFC 9293 section 3.1).
fn put_checksum(segment: &mut [u8], from: &[u8], to: &[u8]) {
    let checksum = internet_checksum(&[from, to, &[0, PROTOCOL_TCP, 0, LEN as u8], segment]);
    segment[16..18].copy_from_slice(&checksum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_ack_names_both_ends_and_has_a_correct_checksum() {
        for (server, client, header) in
            [("10.0.0.50:2049", "10.0.0.7:931", 20), ("[fd00::50]:2049", "[fd00::7]:931", 40)]
        {
            let (server, client): (SocketAddr, SocketAddr) =
                (server.parse().unwrap(), client.parse().unwrap());
            let packet = bare_ack(server, client, 0x0102_0304).unwrap();
            let (ip, segment) = packet.split_at(header);
            assert_eq!(segment.len(), LEN);
            assert_eq!(segment[..4], [0x08, 0x01, 0x03, 0xa3]);
            assert_eq!(segment[4..8], [1, 2, 3, 4]);
            assert_eq!(segment[12..14], [0x50, 0x10]);
            let addresses = &ip[if header == 20 { 12 } else { 8 }..];
            assert_eq!(internet_checksum(&[addresses, &[0, 6, 0, 20], segment]), 0);
        }
    }

    #[test]
    fn two_versions_of_ip_do_not_make_a_connection() {
        let (server, client) = ("10.0.0.50:2049".parse().unwrap(), "[fd00::7]:931".parse().unwrap());
        assert_eq!(bare_ack(server, client, 0), None);
    }
}
