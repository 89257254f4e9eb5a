//! The Internet checksum (RFC 1071).

/// The ones' complement of the ones' complement sum over the parts, one after the other. Each part but the last has an even length.
///
/// Over a message that has a correct checksum in it, the result is 0.
pub fn internet_checksum(parts: &[&[u8]]) -> u16 {
    let word = |pair: &[u8]| u64::from(pair[0]) << 8 | pair.get(1).map_or(0, |low| u64::from(*low));
    let mut sum: u64 = parts.iter().flat_map(|part| part.chunks(2)).map(word).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_of_the_standards_example_is_right() {
        // RFC 1071 section 3: the sum of these words is 0xddf2.
        let message = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(internet_checksum(&[&message]), !0xddf2);
        assert_eq!(internet_checksum(&[&message[..4], &message[4..]]), !0xddf2);
        assert_eq!(internet_checksum(&[&message, &[0x22, 0x0d]]), 0, "with its own checksum");
        assert_eq!(internet_checksum(&[&[0xff]]), 0x00ff, "an odd byte is the high half of a word");
    }
}
