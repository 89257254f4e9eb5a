//! The format of policies in the pool, as records of the protocol (`docs/formats.md`).
//!
//! ```text
//! nfs-export         policy's name → format u32 = 3, count u32, rules
//!   rule             clients string, access string, squash string, uid u32, gid u32, security string, tls string,
//!                    groups string
//! nfs-export-volume  volume's name → policy's name
//! nfs-export-host    host name → count u32, addresses, each a string: the last known ones
//! ```
//!
//! In format 1 a rule has no TLS field, which means `optional`; in formats 1 and 2 it has no groups field,
//! which means `client`. Numbers and strings are XDR. Words are stored as operators write them, so that a
//! record reads like the output of `forebay export show`.

use std::net::IpAddr;
use std::str::FromStr;

use bytes::Bytes;

use super::rule::{Anonymous, Groups, Policy, Rule, TlsUse};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encode, Encoder};

/// Policies by name.
pub(super) const POLICIES: &str = "nfs-export";
/// The policy of each volume, by the volume's name. Volumes with `default` have no record.
pub(super) const VOLUMES: &str = "nfs-export-volume";
/// The last addresses of host names, so that a restart does not depend on the name service.
pub(super) const HOSTS: &str = "nfs-export-host";

const FORMAT: u32 = 3;
/// The first format with TLS in rules, and the first with groups.
const FORMAT_OF_TLS: u32 = 2;
const FORMAT_OF_GROUPS: u32 = 3;
/// Maximum number of rules of one policy.
pub(super) const RULES_MAX: usize = 1000;
/// Maximum number of stored addresses of one host.
pub(super) const ADDRESSES_MAX: usize = 64;
const WORD_BYTES_MAX: usize = 256;

pub(super) fn encode_policy(policy: &Policy) -> Bytes {
    let mut out = Encoder::new();
    FORMAT.encode(&mut out);
    out.put_length(policy.rules.len());
    for rule in &policy.rules {
        out.put_opaque(rule.clients.to_string().as_bytes());
        out.put_opaque(rule.access.to_string().as_bytes());
        out.put_opaque(rule.squash.to_string().as_bytes());
        rule.anonymous.uid.encode(&mut out);
        rule.anonymous.gid.encode(&mut out);
        out.put_opaque(rule.security.to_string().as_bytes());
        out.put_opaque(rule.tls.to_string().as_bytes());
        out.put_opaque(rule.groups.to_string().as_bytes());
    }
    out.into_bytes()
}

/// Returns `None` if this release cannot read the record.
pub(super) fn decode_policy(record: &Bytes) -> Option<Policy> {
    let mut input = Decoder::new(record.clone());
    let format = u32::decode(&mut input).ok()?;
    if !(1..=FORMAT).contains(&format) {
        return None;
    }
    let count = u32::decode(&mut input).ok()? as usize;
    let mut policy = Policy::default();
    if count > RULES_MAX {
        return None;
    }
    for _ in 0..count {
        policy.rules.push(decode_rule(&mut input, format)?);
    }
    input.finish().ok()?;
    Some(policy)
}

fn decode_rule(input: &mut Decoder, format: u32) -> Option<Rule> {
    Some(Rule {
        clients: word(input)?,
        access: word(input)?,
        squash: word(input)?,
        anonymous: Anonymous { uid: Decode::decode(input).ok()?, gid: Decode::decode(input).ok()? },
        security: word(input)?,
        tls: if format < FORMAT_OF_TLS { TlsUse::Optional } else { word(input)? },
        groups: if format < FORMAT_OF_GROUPS { Groups::Client } else { word(input)? },
    })
}

fn word<T: FromStr>(input: &mut Decoder) -> Option<T> {
    let bytes = input.opaque(WORD_BYTES_MAX).ok()?;
    text(&bytes)?.parse().ok()
}

/// A name in a key or value.
pub(super) fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

pub(super) fn encode_addresses(addresses: &[IpAddr]) -> Bytes {
    let mut out = Encoder::new();
    out.put_length(addresses.len());
    for address in addresses {
        out.put_opaque(address.to_string().as_bytes());
    }
    out.into_bytes()
}

/// Returns `None` if the record cannot be read.
pub(super) fn decode_addresses(record: &Bytes) -> Option<Vec<IpAddr>> {
    let mut input = Decoder::new(record.clone());
    let count = u32::decode(&mut input).ok()? as usize;
    if count > ADDRESSES_MAX {
        return None;
    }
    (0..count).map(|_| word(&mut input)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::rule::{Access, Security, Squash};

    fn policy() -> Policy {
        let rule = |clients: &str, access, squash| Rule {
            access,
            squash,
            anonymous: Anonymous { uid: 7, gid: 8 },
            security: Security::Sys,
            tls: TlsUse::Mutual,
            groups: Groups::Server,
            ..Rule::new(clients.parse().expect(clients))
        };
        let rules = vec![
            rule("10.0.0.0/8", Access::ReadWrite, Squash::Root),
            rule("2001:db8::1", Access::None, Squash::None),
            rule("broker.example.org", Access::ReadOnly, Squash::All),
            rule("*", Access::ReadOnly, Squash::All),
        ];
        Policy { rules }
    }

    #[test]
    fn a_policy_comes_back_as_it_went() {
        for policy in [policy(), Policy::default(), Policy::open_to_everyone()] {
            assert_eq!(decode_policy(&encode_policy(&policy)), Some(policy));
        }
    }

    /// A record of one rule, as older releases wrote it.
    fn old_record(format: u32) -> Bytes {
        let mut out = Encoder::new();
        format.encode(&mut out);
        out.put_length(1);
        for word in ["*", "ro", "all"] {
            out.put_opaque(word.as_bytes());
        }
        7u32.encode(&mut out);
        8u32.encode(&mut out);
        out.put_opaque(b"sys");
        if format == FORMAT_OF_TLS {
            out.put_opaque(b"required");
        }
        out.into_bytes()
    }

    #[test]
    fn a_record_from_before_tls_and_groups_says_what_held_then() {
        for (format, tls) in [(1, TlsUse::Optional), (2, TlsUse::Required)] {
            let rule = decode_policy(&old_record(format)).unwrap().rules.remove(0);
            assert_eq!((rule.access, rule.tls, rule.groups), (Access::ReadOnly, tls, Groups::Client));
        }
    }

    #[test]
    fn a_record_that_is_cut_lengthened_or_of_another_format_is_not_read() {
        let record = encode_policy(&policy());
        for length in 0..record.len() {
            assert_eq!(decode_policy(&record.slice(..length)), None, "{length}");
        }
        let longer: Bytes = [&record[..], &[0; 4]].concat().into();
        assert_eq!(decode_policy(&longer), None);
        let newer: Bytes = [&4u32.to_be_bytes()[..], &record[4..]].concat().into();
        assert_eq!(decode_policy(&newer), None);
    }

    #[test]
    fn addresses_come_back_as_they_went() {
        let addresses: Vec<IpAddr> = ["192.0.2.1", "2001:db8::1"].map(|text| text.parse().unwrap()).into();
        assert_eq!(decode_addresses(&encode_addresses(&addresses)), Some(addresses));
        assert_eq!(decode_addresses(&Bytes::from_static(b"\xff\xff\xff\xff")), None);
    }
}
