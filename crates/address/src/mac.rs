//! Hardware addresses of network devices.

use std::fmt;

/// The hardware address of an Ethernet device. Displayed like `02:42:ac:11:00:02`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// All devices on the segment.
    pub(crate) const BROADCAST: Mac = Mac([0xff; 6]);
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mac_is_displayed_as_ip_link_shows_it() {
        assert_eq!(Mac([0x02, 0, 0xac, 0x11, 0, 0x0f]).to_string(), "02:00:ac:11:00:0f");
    }
}
