//! The clients that a rule applies to: everyone, a network, or a host by its name.
//!
//! Written as operators write them: `*`, `192.0.2.7`, `192.0.2.0/24`, `2001:db8::/32`, `broker1.example.org`.
//! Each set of clients has only one spelling, so that two rules for the same clients can be detected.

use std::fmt::{self, Display, Formatter};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Maximum length of a host name (RFC 1035 §2.3.4), and of one of its labels, in bytes.
const HOST_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;

/// The clients that a rule applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clients {
    /// `*`.
    Everyone,
    /// An address or a network.
    Network(Network),
    /// The addresses of a host, by its name in lower case.
    Host(String),
}

/// The addresses that share a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix_bits: u8,
}

/// Text that does not name clients. The message says what is wrong and what would be valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("clients {text:?}: {cause}")]
pub struct BadClients {
    text: String,
    cause: String,
}

impl BadClients {
    /// The text that names no clients.
    pub fn object(&self) -> String {
        format!("clients {:?}", self.text)
    }

    /// What is wrong with it, and what would be right.
    pub fn cause(&self) -> &str {
        &self.cause
    }
}

impl Clients {
    /// Whether all of the other clients are among these, whatever addresses host names have.
    pub fn cover(&self, other: &Clients) -> bool {
        match (self, other) {
            (Clients::Everyone, _) => true,
            (Clients::Network(network), Clients::Network(other)) => {
                network.prefix_bits <= other.prefix_bits && network.contains(other.address)
            }
            (Clients::Host(host), Clients::Host(other)) => host == other,
            (Clients::Network(_) | Clients::Host(_), _) => false,
        }
    }
}

impl Network {
    /// Returns true if the address is in the network.
    pub fn contains(self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => network == self.mask_v4(address),
            (IpAddr::V6(network), IpAddr::V6(address)) => network == self.mask_v6(address),
            _ => false,
        }
    }

    fn mask_v4(self, address: Ipv4Addr) -> Ipv4Addr {
        let host_bits = 32u32.saturating_sub(self.prefix_bits.into());
        Ipv4Addr::from_bits(address.to_bits() & u32::MAX.checked_shl(host_bits).unwrap_or(0))
    }

    fn mask_v6(self, address: Ipv6Addr) -> Ipv6Addr {
        let host_bits = 128u32.saturating_sub(self.prefix_bits.into());
        Ipv6Addr::from_bits(address.to_bits() & u128::MAX.checked_shl(host_bits).unwrap_or(0))
    }

    /// The network that contains the address.
    fn masked(self) -> Network {
        let address = match self.address {
            IpAddr::V4(address) => IpAddr::V4(self.mask_v4(address)),
            IpAddr::V6(address) => IpAddr::V6(self.mask_v6(address)),
        };
        Network { address, ..self }
    }

    fn bits(self) -> u8 {
        if self.address.is_ipv4() { 32 } else { 128 }
    }

    fn parse(text: &str) -> Result<Network, String> {
        let (address, prefix) = text.split_once('/').map_or((text, None), |(a, p)| (a, Some(p)));
        let address: IpAddr = address.parse().map_err(|_| {
            "not an address or network; write one such as 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32".to_owned()
        })?;
        let mapped = matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some());
        if mapped && prefix.is_some() {
            return Err("an IPv4 network in IPv6 notation; write it as IPv4, such as 192.0.2.0/24".to_owned());
        }
        let whole = Network { address: address.to_canonical(), prefix_bits: 0 };
        let bits = whole.bits();
        let prefix_bits = prefix.map_or(Some(bits), |prefix| digits(prefix).filter(|prefix| *prefix <= bits));
        let prefix_bits =
            prefix_bits.ok_or_else(|| format!("after the slash comes a number of bits from 0 to {bits}"))?;
        let given = Network { prefix_bits, ..whole };
        let network = given.masked();
        if network != given {
            return Err(format!("the address has bits beyond the first {prefix_bits}; write {network}"));
        }
        Ok(network)
    }
}

fn digits(text: &str) -> Option<u8> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

fn parse_host(text: &str) -> Result<String, String> {
    let is_label = |label: &str| {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        !label.is_empty()
            && label.len() <= LABEL_BYTES_MAX
            && label.bytes().all(inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    // Text of only digits and dots is a misspelt address.
    let named = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    if named && text.len() <= HOST_BYTES_MAX && text.split('.').all(is_label) {
        return Ok(text.to_ascii_lowercase());
    }
    Err("write *, an address such as 192.0.2.7, a network such as 192.0.2.0/24, or a host name".to_owned())
}

impl FromStr for Clients {
    type Err = BadClients;

    fn from_str(text: &str) -> Result<Clients, BadClients> {
        let clients = if text == "*" {
            Ok(Clients::Everyone)
        } else if text.contains(['/', ':']) || text.parse::<IpAddr>().is_ok() {
            Network::parse(text).map(Clients::Network)
        } else {
            parse_host(text).map(Clients::Host)
        };
        clients.map_err(|cause| BadClients { text: text.to_owned(), cause })
    }
}

impl Display for Clients {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Clients::Everyone => formatter.write_str("*"),
            Clients::Network(network) => network.fmt(formatter),
            Clients::Host(name) => formatter.write_str(name),
        }
    }
}

impl Display for Network {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if self.prefix_bits == self.bits() {
            self.address.fmt(formatter)
        } else {
            write!(formatter, "{}/{}", self.address, self.prefix_bits)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn network(text: &str) -> Network {
        match text.parse() {
            Ok(Clients::Network(network)) => network,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn contains(text: &str, address: &str) -> bool {
        network(text).contains(address.parse().expect("an address"))
    }

    #[test]
    fn a_network_holds_the_addresses_that_share_its_bits() {
        assert!(contains("192.0.2.0/24", "192.0.2.255"));
        assert!(!contains("192.0.2.0/24", "192.0.3.0"));
        assert!(contains("192.0.2.7", "192.0.2.7"));
        assert!(!contains("192.0.2.7", "192.0.2.6"));
        assert!(contains("0.0.0.0/0", "203.0.113.9"));
        assert!(!contains("0.0.0.0/0", "2001:db8::1"), "IPv6 is not IPv4");
        assert!(contains("2001:db8::/32", "2001:db8:ffff::1"));
        assert!(!contains("2001:db8::/32", "2001:db9::"));
        assert!(contains("::/0", "2001:db8::1"));
    }

    #[test]
    fn an_ipv4_client_of_an_ipv6_socket_is_an_ipv4_client() {
        assert!(contains("192.0.2.0/24", "::ffff:192.0.2.9"));
        assert!(!contains("::/0", "::ffff:192.0.2.9"));
        assert_eq!(network("::ffff:192.0.2.9"), network("192.0.2.9"));
    }

    #[test]
    fn each_has_one_spelling() {
        for (given, shown) in [
            ("*", "*"),
            ("192.0.2.7/32", "192.0.2.7"),
            ("2001:0DB8::/32", "2001:db8::/32"),
            ("Broker-1.Example.ORG", "broker-1.example.org"),
            ("localhost", "localhost"),
        ] {
            let clients: Clients = given.parse().expect(given);
            assert_eq!(clients.to_string(), shown);
        }
    }

    #[test]
    fn what_names_no_clients_is_refused_with_what_would_be_right() {
        for (given, part) in [
            ("10.0.0.5/8", "write 10.0.0.0/8"),
            ("10.0.0.0/33", "from 0 to 32"),
            ("10.0.0.0/", "from 0 to 32"),
            ("10.0.0.0/+8", "from 0 to 32"),
            ("2001:db8::/129", "from 0 to 128"),
            ("::ffff:10.0.0.0/104", "write it as IPv4"),
            ("10.0.0/8", "192.0.2.0/24"),
            ("10.0.0.256", "192.0.2.7"),
            ("", "host name"),
            ("**", "host name"),
            ("*.example.org", "host name"),
            ("-x.example.org", "host name"),
            ("a..b", "host name"),
            ("host name", "host name"),
        ] {
            let refused = given.parse::<Clients>().expect_err(given).to_string();
            assert!(refused.contains(part), "{given}: {refused}");
            assert!(refused.contains(&format!("{given:?}")), "{refused}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_text_is_refused_or_reads_back_as_itself(text in ".{0,40}") {
            if let Ok(clients) = text.parse::<Clients>() {
                prop_assert_eq!(clients.to_string().parse::<Clients>(), Ok(clients));
            }
        }

        #[test]
        fn a_network_holds_its_own_address(address: u32, bits in 0u8..=32) {
            let address = IpAddr::V4(Ipv4Addr::from_bits(address));
            let network = Network { address, prefix_bits: bits }.masked();
            prop_assert!(network.contains(address));
            prop_assert_eq!(network.to_string().parse::<Clients>(), Ok(Clients::Network(network)));
        }
    }

    #[test]
    fn clients_cover_others_that_are_among_them() {
        let cover = |one: &str, other: &str| one.parse::<Clients>().unwrap().cover(&other.parse().unwrap());
        for (one, other) in [
            ("*", "10.0.0.1"),
            ("*", "*"),
            ("*", "broker-1"),
            ("10.1.0.0/16", "10.1.0.5"),
            ("10.1.0.0/16", "10.1.0.0/16"),
            ("2001:db8::/32", "2001:db8::7"),
            ("broker-1", "Broker-1"),
        ] {
            assert!(cover(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("10.1.0.5", "10.1.0.0/16"),
            ("10.1.0.0/16", "10.2.0.1"),
            ("10.1.0.0/16", "*"),
            ("10.0.0.0/8", "broker-1"),
            ("0.0.0.0/0", "2001:db8::7"),
            ("broker-1", "broker-2"),
        ] {
            assert!(!cover(one, other), "{one} {other}");
        }
    }
}
