//! Values that condition operators compare: numbers and ranges of addresses.

use std::net::IpAddr;

/// A decimal number with at most nine digits after the point, in billionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Number(i128);

impl Number {
    /// Parses a number such as `-2.5`.
    pub(super) fn parse(text: &str) -> Option<Number> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_digits = |text: &str, count_max| {
            (1..=count_max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !is_digits(whole, 20) || !is_digits(fraction, 9) {
            return None;
        }
        format!("{whole}{fraction:0<9}").parse().ok().map(|billionths: i128| Number(sign * billionths))
    }
}

/// A range of addresses, such as `192.0.2.0/24` or `2001:db8::/32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cidr {
    address: IpAddr,
    prefix_bits: u8,
}

impl Cidr {
    /// Parses a range. An address alone is a range of one.
    pub(super) fn parse(text: &str) -> Option<Cidr> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let bits = bits_of(address);
        let prefix_bits = match prefix {
            None => bits,
            Some(prefix) if prefix.bytes().all(|byte| byte.is_ascii_digit()) => prefix.parse().ok()?,
            Some(_) => return None,
        };
        (prefix_bits <= bits).then_some(Cidr { address, prefix_bits })
    }

    /// Whether an address is in the range. Addresses of IPv4 and IPv6 are never in one range.
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        let bits = bits_of(self.address);
        bits == bits_of(address)
            && leading(self.address, self.prefix_bits) == leading(address, self.prefix_bits)
    }

    /// Whether S3 calls the range so broad that a policy for it is public.
    pub(super) fn is_broad(&self) -> bool {
        self.prefix_bits < if self.address.is_ipv4() { 8 } else { 32 }
    }
}

fn bits_of(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// The first bits of an address.
fn leading(address: IpAddr, count: u8) -> u128 {
    let (value, bits) = match address {
        IpAddr::V4(address) => (u128::from(address.to_bits()), 32),
        IpAddr::V6(address) => (address.to_bits(), 128),
    };
    value.checked_shr(bits - u32::from(count)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_exactly() {
        let number = |text| Number::parse(text).unwrap();
        assert!(number("18446744073709551615") > number("18446744073709551614"));
        assert!(number("-2.5") < number("-2.4") && number("0.1") == number("0.10"));
        for wrong in
            ["", "-", "1.", ".5", "1e3", "+1", "1,5", "--1", "123456789012345678901", "0.1234567891", "١"]
        {
            assert_eq!(Number::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_address_is_in_its_range_alone() {
        let is_in =
            |range: &str, address: &str| Cidr::parse(range).unwrap().contains(address.parse().unwrap());
        assert!(is_in("203.0.113.0/24", "203.0.113.255") && !is_in("203.0.113.0/24", "203.0.114.0"));
        assert!(is_in("203.0.113.9/24", "203.0.113.1") && is_in("0.0.0.0/0", "255.255.255.255"));
        assert!(is_in("192.0.2.1", "192.0.2.1") && !is_in("192.0.2.1", "192.0.2.0"));
        assert!(is_in("2001:db8::/32", "2001:db8:ffff::1") && !is_in("2001:db8::/32", "2001:db9::"));
        assert!(is_in("::/0", "ffff::") && !is_in("::/0", "192.0.2.1") && !is_in("0.0.0.0/0", "::"));
        for wrong in [
            "",
            "/",
            "10.0.0.0/33",
            "10.0.0.0/",
            "10.0.0.0/-1",
            "10.0.0.0/+8",
            "10.0.0",
            "::/129",
            "localhost",
        ] {
            assert_eq!(Cidr::parse(wrong), None, "{wrong}");
        }
    }
}
