//! Lists of referrals as text: `PATH=SERVER:/PATH`, separated by commas.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use forebay_pool::NAME_BYTES_MAX;

use super::{Location, NFS_PORT, Referral, ReferralError, ServerAddress};

/// Maximum number of locations of a referral. Linux reads as many.
pub(super) const LOCATIONS_MAX: usize = 10;
/// Length of a path that is too long, in bytes.
pub(super) const PATH_MAX: usize = 1024;
/// Maximum length of a host name, in bytes.
pub(super) const NAME_MAX: usize = 253;

/// Reads a list of referrals. A path that appears several times has several locations, in this order.
pub fn list(text: &str) -> Result<Vec<Referral>, ReferralError> {
    let mut referrals: Vec<Referral> = Vec::new();
    for one in text.split(',').map(str::trim) {
        let (path, location) = one_referral(one)?;
        match referrals.iter_mut().find(|known| known.path == path) {
            None => referrals.push(Referral { path, locations: vec![location] }),
            Some(known) if known.locations.contains(&location) => {
                return Err(ReferralError::Twice { path, location: location.to_string() });
            }
            Some(known) if known.locations.len() == LOCATIONS_MAX => {
                return Err(ReferralError::TooManyLocations(path));
            }
            Some(known) => known.locations.push(location),
        }
    }
    require_apart(&referrals)?;
    Ok(referrals)
}

/// The text that [`list`] reads.
pub fn list_text(referrals: &[Referral]) -> String {
    let one = |referral: &Referral| {
        let locations = referral.locations.iter().map(|location| format!("{}={location}", referral.path));
        locations.collect::<Vec<_>>()
    };
    referrals.iter().flat_map(one).collect::<Vec<_>>().join(",")
}

fn one_referral(text: &str) -> Result<(String, Location), ReferralError> {
    let (path, location) =
        text.split_once('=').ok_or_else(|| ReferralError::NotAReferral(text.to_owned()))?;
    let (path, location) = (path.trim(), location.trim());
    if path.is_empty() || location.is_empty() {
        return Err(ReferralError::NotAReferral(text.to_owned()));
    }
    if !is_path(path) {
        return Err(ReferralError::BadPath(path.to_owned()));
    }
    Ok((path.to_owned(), self::location(location)?))
}

/// Whether a volume's junction path could be this.
fn is_path(path: &str) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name != "." && name != ".." && name.len() <= NAME_BYTES_MAX;
    path.len() < PATH_MAX
        && !path.chars().any(char::is_control)
        && path.strip_prefix('/').is_some_and(|rest| rest.split('/').all(is_name))
}

fn location(text: &str) -> Result<Location, ReferralError> {
    let not_one = || ReferralError::NotALocation(text.to_owned());
    let (server, rest) = text.split_once(":/").ok_or_else(not_one)?;
    let path = format!("/{rest}");
    if path != "/" && !is_path(&path) {
        return Err(ReferralError::BadLocationPath(text.to_owned()));
    }
    Ok(Location { server: self::server(text, server)?, path })
}

/// The server of the location `whole`: `HOST` or `HOST:PORT`.
fn server(whole: &str, text: &str) -> Result<ServerAddress, ReferralError> {
    let bad = || ReferralError::BadServer(whole.to_owned());
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (ip, port) = rest.split_once(']').ok_or_else(bad)?;
            let ip: Ipv6Addr = ip.parse().map_err(|_| bad())?;
            let port = if port.is_empty() { None } else { Some(port.strip_prefix(':').ok_or_else(bad)?) };
            (Host::Ip(ip.into()), port)
        }
        // An IPv6 address without brackets has no end.
        None if text.matches(':').count() > 1 => return Err(bad()),
        None => {
            let (host, port) = text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)));
            let ip = host.parse::<Ipv4Addr>().map(|ip| Host::Ip(ip.into())).ok();
            (ip.or_else(|| is_host_name(host).then_some(Host::Name(host))).ok_or_else(bad)?, port)
        }
    };
    if port.is_some_and(|port| port.parse() != Ok(NFS_PORT)) {
        return Err(ReferralError::OtherPort(whole.to_owned()));
    }
    match host {
        Host::Ip(ip) if ip.is_unspecified() || ip.is_multicast() => {
            Err(ReferralError::Unreachable(whole.to_owned()))
        }
        Host::Ip(ip) => Ok(ServerAddress::Ip(ip)),
        Host::Name(name) => Ok(ServerAddress::Name(name.to_owned())),
    }
}

enum Host<'a> {
    Ip(IpAddr),
    Name(&'a str),
}

/// Clients would read a name without a letter as an address.
fn is_host_name(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    text.len() <= NAME_MAX
        && text.split('.').all(is_label)
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn require_apart(referrals: &[Referral]) -> Result<(), ReferralError> {
    for (index, one) in referrals.iter().enumerate() {
        if let Some(other) = referrals.iter().skip(index + 1).find(|other| one.overlaps(&other.path)) {
            let (upper, lower) = if one.path.len() < other.path.len() { (one, other) } else { (other, one) };
            return Err(ReferralError::Nested { upper: upper.path.clone(), lower: lower.path.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_written_as_it_is_read() {
        for text in [
            "/kafka-2=10.0.0.12:/kafka-2",
            "/kafka-2=10.0.0.12:/kafka-2,/kafka-2=10.0.0.13:/kafka-2,/pools/3=[fd00::3]:/",
            "/a=[fd00::3]:/a/b,/b=pool-3.example.com:/b",
        ] {
            assert_eq!(list_text(&list(text).expect(text)), text);
        }
        let spaced = list(" /a = 10.0.0.1:/a , /b = 10.0.0.2:2049:/b ").expect("spaces are nothing");
        assert_eq!(list_text(&spaced), "/a=10.0.0.1:/a,/b=10.0.0.2:/b");
        let named = list("/b=pool-3:2049:/b").expect("the port of NFS is every server's");
        assert_eq!(list_text(&named), "/b=pool-3:/b");
    }

    #[test]
    fn locations_of_one_path_belong_together() {
        let referrals = list("/a=10.0.0.1:/a,/b=10.0.0.1:/b,/a=10.0.0.2:/a").expect("a list");
        let counts: Vec<_> = referrals.iter().map(|one| (one.path.as_str(), one.locations.len())).collect();
        assert_eq!(counts, [("/a", 2), ("/b", 1)]);
    }

    #[test]
    fn what_is_no_referral_is_refused_with_a_remedy() {
        let long = format!("/{}=10.0.0.1:/a", "x".repeat(256));
        let many: Vec<String> = (1..=11).map(|number| format!("/a=10.0.0.{number}:/a")).collect();
        for (text, expected) in [
            ("", "write PATH=SERVER:/PATH"),
            ("/a", "write PATH=SERVER:/PATH"),
            ("/a=", "write PATH=SERVER:/PATH"),
            ("=10.0.0.1:/a", "write PATH=SERVER:/PATH"),
            ("/a=10.0.0.1:/a,", "write PATH=SERVER:/PATH"),
            ("a=10.0.0.1:/a", "`a` is not a path"),
            ("/=10.0.0.1:/a", "`/` is not a path"),
            ("/a/=10.0.0.1:/a", "`/a/` is not a path"),
            ("/a/../b=10.0.0.1:/a", "is not a path"),
            (&long, "is not a path"),
            ("/a=10.0.0.1", "write SERVER:/PATH"),
            ("/a=10.0.0.1/a", "write SERVER:/PATH"),
            ("/a=10.0.0.1:/a//b", "its path cannot be on a server"),
            ("/a=:/a", "its server is not an address"),
            ("/a=fd00::12:/a", "its server is not an address"),
            ("/a=[fd00::12:/a", "its server is not an address"),
            ("/a=[fd00::12]2050:/a", "its server is not an address"),
            ("/a=10.0.0.12.8.1:/a", "its server is not an address"),
            ("/a=pool 2:/a", "its server is not an address"),
            ("/a=0.0.0.0:/a", "clients cannot reach this address"),
            ("/a=[::]:/a", "clients cannot reach this address"),
            ("/a=10.0.0.1:2050:/a", "clients connect to port 2049"),
            ("/a=[fd00::3]:70000:/a", "clients connect to port 2049"),
            ("/a=pool-2:2050:/a", "clients connect to port 2049"),
            ("/a=10.0.0.1:/a,/a=10.0.0.1:/a", "referral /a names 10.0.0.1:/a twice"),
            (&many.join(","), "referral /a has more than 10 locations"),
            ("/a/b=10.0.0.1:/b,/a=10.0.0.1:/a", "referral /a/b is below referral /a,"),
        ] {
            let message = list(text).expect_err(text).to_string();
            assert!(message.contains(expected), "{text:?}: {message}");
        }
    }
}
