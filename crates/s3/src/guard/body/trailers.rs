//! The section that follows the last chunk of an aws-chunked body.
//!
//! It is empty, or has lines such as `x-amz-checksum-crc32:sOO8/Q==`, and ends with an empty line. A line may end with a bare line
//! feed, and further empty lines are ignored, because AWS documents both and clients send both.

use bytes::{Bytes, BytesMut};

use super::fate::{BodyEnd, ChunkFault};
use crate::guard::payload::Chunking;

/// Most bytes that the section may have.
const TRAILERS_BYTES_MAX: usize = 8 << 10;

const SIGNATURE: &str = "x-amz-trailer-signature";

/// The section as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Trailers(BytesMut);

impl Trailers {
    /// Takes more bytes of the section.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), ChunkFault> {
        if self.0.len() + bytes.len() > TRAILERS_BYTES_MAX {
            return Err(ChunkFault::TrailersTooLong);
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    /// The whole section, once the body has ended.
    pub(super) fn finish(&mut self, chunking: Chunking) -> Result<Bytes, BodyEnd> {
        let section = std::mem::take(&mut self.0).freeze();
        if section.strip_prefix(b"\r\n").is_some_and(|rest| !rest.is_empty()) {
            return Err(ChunkFault::AfterEnd.into());
        }
        if section != "\r\n" && !section.ends_with(b"\n\r\n") {
            return Err(BodyEnd::Cut);
        }
        if is_as_announced(&section, chunking) { Ok(section) } else { Err(ChunkFault::Trailers.into()) }
    }
}

/// Whether the section has each trailer that it must have, once, and no other.
fn is_as_announced(section: &[u8], chunking: Chunking) -> bool {
    let signature = (chunking.signed && chunking.trailed).then_some(SIGNATURE);
    let mut awaited = [chunking.trailer, signature];
    let mut lines = section
        .split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| !line.is_empty());
    let sound = lines.all(|line| {
        let Some((name, value)) =
            line.iter().position(|byte| *byte == b':').and_then(|at| line.split_at_checked(at))
        else {
            return false;
        };
        let place = awaited
            .iter_mut()
            .find(|awaited| awaited.is_some_and(|awaited| name.eq_ignore_ascii_case(awaited.as_bytes())));
        let is_text = value.iter().all(|byte| (b' '..=b'~').contains(byte));
        is_text && place.and_then(Option::take).is_some()
    });
    sound && awaited.iter().all(Option::is_none)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finish(section: &str, signed: bool, trailer: Option<&'static str>) -> Result<Bytes, BodyEnd> {
        let mut trailers = Trailers::default();
        for byte in section.as_bytes().chunks(3) {
            trailers.push(byte).unwrap();
        }
        trailers.finish(Chunking { signed, trailed: trailer.is_some(), trailer })
    }

    #[test]
    fn a_section_has_the_announced_trailer_and_no_other() {
        const CRC: Option<&str> = Some("x-amz-checksum-crc32");
        let crc = "x-amz-checksum-crc32:sOO8/Q==";
        for (section, signed, trailer) in [
            ("\r\n".to_owned(), false, None),
            ("\r\n".to_owned(), true, None),
            (format!("{crc}\r\n\r\n"), false, CRC),
            (format!("{crc}\n\r\n"), false, CRC),
            ("X-Amz-Checksum-Crc32: sOO8/Q== \r\n\r\n".to_owned(), false, CRC),
            (format!("{crc}\r\n{SIGNATURE}:aa\r\n\r\n"), true, CRC),
            (format!("{crc}\n\r\n{SIGNATURE}:aa\r\n\r\n"), true, CRC),
        ] {
            assert_eq!(finish(&section, signed, trailer).unwrap(), section);
        }
        for (section, signed, trailer) in [
            ("\r\n".to_owned(), false, CRC),
            ("\r\n".to_owned(), true, CRC),
            (format!("{crc}\r\n\r\n"), false, None),
            (format!("{crc}\r\n\r\n"), true, None),
            (format!("{crc}\r\n\r\n"), true, CRC),
            (format!("{crc}\r\n{crc}\r\n\r\n"), false, CRC),
            (format!("{crc}\r\n{SIGNATURE}:aa\r\n\r\n"), false, CRC),
            (format!("{crc}\r\n\r\n{crc}\r\n\r\n"), false, CRC),
            ("x-amz-checksum-sha1:aa\r\n\r\n".to_owned(), false, CRC),
            ("x-amz-checksum-crc32\r\n\r\n".to_owned(), false, CRC),
            (":\r\n\r\n".to_owned(), false, CRC),
            ("x-amz-checksum-crc32:\u{7f}\r\n\r\n".to_owned(), false, CRC),
        ] {
            let malformed = Err(BodyEnd::Malformed(ChunkFault::Trailers));
            assert_eq!(finish(&section, signed, trailer), malformed, "{section:?} {signed} {trailer:?}");
        }
        for section in ["", "\r", "\n", crc, &format!("{crc}\r\n"), &format!("{crc}\r\n\r")] {
            assert_eq!(finish(section, false, CRC), Err(BodyEnd::Cut), "{section:?}");
        }
        let after = Err(BodyEnd::Malformed(ChunkFault::AfterEnd));
        assert_eq!(finish("\r\nmore", false, None), after);
        assert_eq!(finish(&format!("\r\n{crc}\r\n\r\n"), false, CRC), after);
    }

    #[test]
    fn a_section_has_at_most_8_kib() {
        let mut trailers = Trailers::default();
        assert_eq!(trailers.push(&[b'a'; TRAILERS_BYTES_MAX]), Ok(()));
        assert_eq!(trailers.push(b"a"), Err(ChunkFault::TrailersTooLong));
    }
}
