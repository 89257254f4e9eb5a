//! A service address as an operator writes it: `10.0.0.50/24@eth0`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The longest name that the kernel allows for a network device, in bytes (IFNAMSIZ - 1).
const DEVICE_NAME_MAX: usize = 15;

/// An IP address, the length of its network's prefix, and the network device that has the address while the service runs here.
///
/// Parsed from and displayed as `ADDRESS/PREFIX@DEVICE`, for example `10.0.0.50/24@eth0` or `2001:db8::50/64@eth0`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ServiceAddress {
    ip: IpAddr,
    prefix: u8,
    device: String,
}

impl ServiceAddress {
    /// The address that clients connect to.
    pub fn ip(&self) -> IpAddr {
        self.ip
    }

    /// The length of the network's prefix in bits: 1 to 32 for IPv4, 1 to 128 for IPv6.
    pub fn prefix(&self) -> u8 {
        self.prefix
    }

    /// The name of the network device.
    pub fn device(&self) -> &str {
        &self.device
    }
}

impl fmt::Display for ServiceAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}@{}", self.ip, self.prefix, self.device)
    }
}

/// A text that is no service address. The message quotes the text, says what is wrong, and shows the form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?}: {problem}; a service address looks like 10.0.0.50/24@eth0 or 2001:db8::50/64@eth0")]
pub struct InvalidAddress {
    text: String,
    problem: String,
}

impl FromStr for ServiceAddress {
    type Err = InvalidAddress;

    fn from_str(text: &str) -> Result<Self, InvalidAddress> {
        parse(text).map_err(|problem| InvalidAddress { text: text.to_owned(), problem })
    }
}

fn parse(text: &str) -> Result<ServiceAddress, String> {
    let (network, device) = text.split_once('@').ok_or("the device is missing")?;
    let (ip, prefix) = network.split_once('/').ok_or("the length of the prefix is missing")?;
    let ip: IpAddr = ip.parse().map_err(|_| format!("{ip:?} is no IP address"))?;
    let prefix = parse_prefix(ip, prefix)?;
    match ip {
        IpAddr::V4(ip) => check_v4(ip, prefix)?,
        IpAddr::V6(ip) => check_v6(ip)?,
    }
    check_device(device)?;
    Ok(ServiceAddress { ip, prefix, device: device.to_owned() })
}

fn parse_prefix(ip: IpAddr, text: &str) -> Result<u8, String> {
    let (bits, version) = if ip.is_ipv4() { (32, "IPv4") } else { (128, "IPv6") };
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let prefix = digits.then(|| text.parse::<u8>().ok()).flatten();
    prefix.filter(|prefix| (1..=bits).contains(prefix)).ok_or_else(|| {
        format!("the length of the prefix is {text:?}, but must be 1 to {bits} for an {version} address")
    })
}

fn check_v4(ip: Ipv4Addr, prefix: u8) -> Result<(), String> {
    check_kind(ip.into())?;
    if ip.is_broadcast() {
        return Err(format!("{ip} is the broadcast address"));
    }
    let host = u32::MAX.checked_shr(u32::from(prefix)).unwrap_or(0);
    // Networks of two addresses have neither a network address nor a broadcast address (RFC 3021).
    if prefix < 31 && u32::from(ip) & host == 0 {
        return Err(format!("{ip} is the address of the network {ip}/{prefix}, not of a machine"));
    }
    if prefix < 31 && u32::from(ip) & host == host {
        return Err(format!("{ip} is the broadcast address of its network"));
    }
    Ok(())
}

fn check_v6(ip: Ipv6Addr) -> Result<(), String> {
    check_kind(ip.into())?;
    if ip.to_ipv4_mapped().is_some() {
        return Err(format!("{ip} is an IPv4 address in IPv6 form; write the IPv4 address"));
    }
    if ip.is_unicast_link_local() {
        return Err(format!("{ip} is a link-local address, which clients cannot reach without a device"));
    }
    Ok(())
}

fn check_kind(ip: IpAddr) -> Result<(), String> {
    if ip.is_unspecified() {
        return Err(format!("{ip} stands for any address"));
    }
    if ip.is_multicast() {
        return Err(format!("{ip} is a multicast address"));
    }
    Ok(())
}

/// The kernel's rule for names of devices (`dev_valid_name`), without characters that no terminal shows.
fn check_device(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("the device is missing".to_owned());
    }
    if name.len() > DEVICE_NAME_MAX {
        return Err(format!("the device's name is longer than {DEVICE_NAME_MAX} bytes"));
    }
    let invalid = |c: char| c.is_whitespace() || c.is_control() || "/:@".contains(c);
    if name == "." || name == ".." || name.contains(invalid) {
        return Err(format!("{name:?} is no name of a device"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_displayed_as_it_was_written() {
        for text in [
            "10.0.0.50/24@eth0",
            "2001:db8::50/64@eth0",
            "10.0.0.50/32@bond0.100",
            "10.0.0.0/31@eth0",
            "127.0.0.2/8@lo",
            "fd00::1/128@enp0s31f6-vlan7",
        ] {
            let address: ServiceAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), text);
        }
        let address: ServiceAddress = "10.0.0.50/24@eth0".parse().unwrap();
        assert_eq!(address.ip(), IpAddr::from([10, 0, 0, 50]));
        assert_eq!(address.prefix(), 24);
        assert_eq!(address.device(), "eth0");
    }

    #[test]
    fn an_invalid_address_is_refused_with_the_reason_and_the_form() {
        for (text, problem) in [
            ("", "the device is missing"),
            ("10.0.0.50/24", "the device is missing"),
            ("10.0.0.50/24@", "the device is missing"),
            ("10.0.0.50@eth0", "the length of the prefix is missing"),
            ("10.0.0/24@eth0", "\"10.0.0\" is no IP address"),
            ("pool.example.com/24@eth0", "is no IP address"),
            (
                "10.0.0.50/0@eth0",
                "the length of the prefix is \"0\", but must be 1 to 32 for an IPv4 address",
            ),
            ("10.0.0.50/33@eth0", "must be 1 to 32"),
            ("10.0.0.50/+24@eth0", "must be 1 to 32"),
            ("10.0.0.50/@eth0", "must be 1 to 32"),
            ("2001:db8::1/129@eth0", "must be 1 to 128 for an IPv6 address"),
            ("2001:db8::1/256@eth0", "must be 1 to 128"),
            ("0.0.0.0/24@eth0", "stands for any address"),
            ("::/64@eth0", "stands for any address"),
            ("224.0.0.1/24@eth0", "is a multicast address"),
            ("ff02::1/64@eth0", "is a multicast address"),
            ("255.255.255.255/32@eth0", "is the broadcast address"),
            ("10.0.0.0/24@eth0", "is the address of the network 10.0.0.0/24"),
            ("10.0.0.255/24@eth0", "is the broadcast address of its network"),
            ("::ffff:10.0.0.50/96@eth0", "write the IPv4 address"),
            ("fe80::1/64@eth0", "is a link-local address"),
            ("10.0.0.50/24@a-name-that-is-too-long", "longer than 15 bytes"),
            ("10.0.0.50/24@eth 0", "\"eth 0\" is no name of a device"),
            ("10.0.0.50/24@eth0@eth1", "is no name of a device"),
            ("10.0.0.50/24@../x", "is no name of a device"),
            ("10.0.0.50/24@..", "is no name of a device"),
        ] {
            let message = text.parse::<ServiceAddress>().unwrap_err().to_string();
            assert!(message.contains(problem), "{message}");
            assert!(message.starts_with(&format!("{text:?}: ")), "{message}");
            assert!(message.ends_with("looks like 10.0.0.50/24@eth0 or 2001:db8::50/64@eth0"), "{message}");
        }
    }
}
