//! Policies, their rules, and what they allow a client to do.

use std::fmt::{self, Display, Formatter};
use std::net::IpAddr;
use std::str::FromStr;

use super::clients::Clients;
use crate::protection::Protection;
use forebay_nfs_proto::rpc::auth::{AUTH_NONE, NOBODY};
use forebay_nfs_proto::rpc::{Credential, Principal};

/// An export policy: its rules in the order in which they are checked. The first rule that matches a client
/// applies; a client that matches no rule sees nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// The rules.
    pub rules: Vec<Rule>,
}

/// What certain clients may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The clients.
    pub clients: Clients,
    /// The clients' access.
    pub access: Access,
    /// The clients' users that the server maps to the anonymous user.
    pub squash: Squash,
    /// The anonymous user.
    pub anonymous: Anonymous,
    /// How the clients must identify their users.
    pub security: Security,
    /// Whether their connections must use TLS.
    pub tls: TlsUse,
    /// The source of their users' supplementary groups.
    pub groups: Groups,
}

impl Rule {
    /// A rule that gives clients read and write access, and trusts the user ids they send.
    pub fn new(clients: Clients) -> Rule {
        Rule {
            clients,
            access: Access::ReadWrite,
            squash: Squash::None,
            anonymous: Anonymous::default(),
            security: Security::Sys,
            tls: TlsUse::Optional,
            groups: Groups::Client,
        }
    }
}

impl Policy {
    /// The policy of a volume that names none, until an operator changes it: everyone may read and write.
    pub fn open_to_everyone() -> Policy {
        Policy { rules: vec![Rule::new(Clients::Everyone)] }
    }
}

/// Defines an enum whose values are words.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident: $what:literal { $($(#[$value_meta:meta])* $value:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$value_meta])* $value,)* }

        impl Display for $name {
            fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
                formatter.write_str(match self { $($name::$value => $word,)* })
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok($name::$value),)*
                    _ => Err(format!("{} {text:?}: write one of {}", $what, [$($word),*].join(", "))),
                }
            }
        }
    };
}

words! {
    /// The clients' access to a volume.
    Access: "access" {
        /// Read and write, within the permissions of the files.
        ReadWrite = "rw",
        /// Read only: every change fails with NFS4ERR_ROFS.
        ReadOnly = "ro",
        /// No access: the volume is hidden.
        None = "none",
    }
}

words! {
    /// Which users are mapped to the anonymous user.
    Squash: "squash" {
        /// No users, except callers without credentials.
        None = "none",
        /// User 0 and group 0.
        Root = "root",
        /// All users.
        All = "all",
    }
}

words! {
    /// How callers identify themselves.
    Security: "security" {
        /// AUTH_SYS: the server trusts the ids that the client sends. A caller without credentials is the
        /// anonymous user.
        Sys = "sys",
    }
}

words! {
    /// The source of a caller's supplementary groups.
    Groups: "groups" {
        /// The request, which has room for 16.
        Client = "client",
        /// The user database of the server's host.
        Server = "server",
    }
}

words! {
    /// Whether connections must use TLS (RFC 9289).
    TlsUse: "tls" {
        /// TLS is not allowed.
        Off = "off",
        /// TLS is allowed.
        Optional = "optional",
        /// TLS is required.
        Required = "required",
        /// TLS and a client certificate are required.
        Mutual = "mutual",
    }
}

impl TlsUse {
    /// Whether a connection with this protection is admitted.
    pub fn admits(self, protection: Option<&Protection>) -> bool {
        match self {
            TlsUse::Off => protection.is_none(),
            TlsUse::Optional => true,
            TlsUse::Required => protection.is_some(),
            TlsUse::Mutual => protection.is_some_and(|protection| protection.certificate.is_some()),
        }
    }
}

/// Not a valid user or group id: in system calls it means "leave unchanged".
pub const NO_ID: u32 = u32::MAX;

/// The user and group that squashed users are mapped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anonymous {
    /// User.
    pub uid: u32,
    /// Group.
    pub gid: u32,
}

impl Default for Anonymous {
    fn default() -> Self {
        Anonymous { uid: NOBODY, gid: NOBODY }
    }
}

/// What one client may do with one volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// False means read-only.
    pub writable: bool,
    /// Whether the connection must use TLS.
    pub tls: TlsUse,
    mapping: Mapping,
}

/// How a grant maps callers. Files opened under another mapping are checked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    squash: Squash,
    anonymous: Anonymous,
    groups: Groups,
}

impl Grant {
    /// How callers are mapped.
    pub fn mapping(&self) -> Mapping {
        self.mapping
    }

    /// Whether the caller's groups must be looked up in the server's database before [`Grant::credential`] is
    /// called.
    pub fn needs_groups(&self, principal: Principal) -> bool {
        let Mapping { squash, groups, .. } = self.mapping;
        groups == Groups::Server && squash != Squash::All && principal.flavor != AUTH_NONE
    }

    /// The credential that a caller's operations run with.
    pub fn credential(&self, principal: Principal, caller: &Credential) -> Credential {
        let Mapping { squash, anonymous: Anonymous { uid, gid }, .. } = self.mapping;
        if principal.flavor == AUTH_NONE || squash == Squash::All {
            return Credential { uid, gid, groups: Vec::new() };
        }
        let squashed = |given: u32| given == NO_ID || (given == 0 && squash == Squash::Root);
        let group = |given: u32| if squashed(given) { gid } else { given };
        Credential {
            uid: if squashed(caller.uid) { uid } else { caller.uid },
            gid: group(caller.gid),
            groups: caller.groups.iter().copied().map(group).collect(),
        }
    }
}

/// The decision of a policy about a client and a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The client may use the volume.
    Granted(Grant),
    /// The client cannot see the volume.
    Hidden,
    /// The decision depends on a host name that is still being resolved, which takes seconds.
    Undecided,
}

/// The addresses of a host name; `None` while they are unknown.
pub(super) trait HostAddresses {
    fn addresses(&self, host: &str) -> Option<&[IpAddr]>;
}

impl Policy {
    /// The policy's decision about the client at this address.
    pub(super) fn decide(&self, client: IpAddr, hosts: &impl HostAddresses) -> Admission {
        match self.rule_for(client, hosts) {
            Some(Some(rule)) => rule.admission(),
            Some(None) => Admission::Hidden,
            None => Admission::Undecided,
        }
    }

    /// The rule that applies to the client at this address, if any; `None` while that is unknown.
    pub(super) fn rule_for(&self, client: IpAddr, hosts: &impl HostAddresses) -> Option<Option<&Rule>> {
        let client = client.to_canonical();
        for rule in &self.rules {
            let matches = match &rule.clients {
                Clients::Everyone => true,
                Clients::Network(network) => network.contains(client),
                Clients::Host(name) => hosts.addresses(name)?.contains(&client),
            };
            if matches {
                return Some(Some(rule));
            }
        }
        Some(None)
    }
}

impl Rule {
    fn admission(&self) -> Admission {
        let Rule { tls, squash, anonymous, groups, .. } = *self;
        let mapping = Mapping { squash, anonymous, groups };
        let granted = |writable| Admission::Granted(Grant { writable, tls, mapping });
        match self.access {
            Access::ReadWrite => granted(true),
            Access::ReadOnly => granted(false),
            Access::None => Admission::Hidden,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use forebay_nfs_proto::rpc::auth::AUTH_SYS;

    impl HostAddresses for HashMap<String, Vec<IpAddr>> {
        fn addresses(&self, host: &str) -> Option<&[IpAddr]> {
            self.get(host).map(Vec::as_slice)
        }
    }

    fn rule(clients: &str, access: Access) -> Rule {
        Rule { access, ..Rule::new(clients.parse().expect(clients)) }
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect(text)
    }

    fn writable(admission: Admission) -> Option<bool> {
        match admission {
            Admission::Granted(grant) => Some(grant.writable),
            _ => None,
        }
    }

    #[test]
    fn the_first_rule_for_a_client_decides() {
        let rules = vec![
            rule("192.0.2.7", Access::None),
            rule("192.0.2.0/24", Access::ReadWrite),
            rule("2001:db8::/32", Access::ReadOnly),
        ];
        let policy = Policy { rules };
        let hosts = HashMap::new();
        assert_eq!(policy.decide(address("192.0.2.7"), &hosts), Admission::Hidden);
        assert_eq!(writable(policy.decide(address("192.0.2.8"), &hosts)), Some(true));
        assert_eq!(writable(policy.decide(address("::ffff:192.0.2.8"), &hosts)), Some(true));
        assert_eq!(writable(policy.decide(address("2001:db8::8"), &hosts)), Some(false));
        assert_eq!(policy.decide(address("203.0.113.1"), &hosts), Admission::Hidden);
        assert_eq!(Policy::default().decide(address("192.0.2.8"), &hosts), Admission::Hidden);
    }

    #[test]
    fn a_host_name_that_is_not_known_yet_leaves_open_what_comes_after_it() {
        let rules = vec![
            rule("192.0.2.1", Access::ReadWrite),
            rule("broker1", Access::None),
            rule("*", Access::ReadOnly),
        ];
        let policy = Policy { rules };
        let mut hosts = HashMap::new();
        assert_eq!(writable(policy.decide(address("192.0.2.1"), &hosts)), Some(true), "decided before");
        assert_eq!(policy.decide(address("192.0.2.5"), &hosts), Admission::Undecided);
        hosts.insert("broker1".to_owned(), vec![address("192.0.2.5")]);
        assert_eq!(policy.decide(address("192.0.2.5"), &hosts), Admission::Hidden);
        assert_eq!(writable(policy.decide(address("192.0.2.6"), &hosts)), Some(false));
    }

    #[test]
    fn squashing_takes_users_for_the_anonymous_one() {
        let tls = TlsUse::Optional;
        let anonymous = Anonymous { uid: 99, gid: 98 };
        let grant_by = |squash, groups| {
            let mapping = Mapping { squash, anonymous, groups };
            Grant { writable: true, tls, mapping }
        };
        let grant = |squash| grant_by(squash, Groups::Client);
        let sys = |uid| Principal { flavor: AUTH_SYS, uid };
        let root = Credential { uid: 0, gid: 0, groups: vec![0, 5] };
        let user = Credential { uid: 7, gid: 8, groups: vec![9] };
        assert_eq!(grant(Squash::None).credential(sys(0), &root), root);
        let squashed = Credential { uid: 99, gid: 98, groups: vec![98, 5] };
        assert_eq!(grant(Squash::Root).credential(sys(0), &root), squashed);
        assert_eq!(grant(Squash::Root).credential(sys(7), &user), user);
        let anonymous = Credential { uid: 99, gid: 98, groups: vec![] };
        assert_eq!(grant(Squash::All).credential(sys(7), &user), anonymous);
        let unnamed = Principal { flavor: AUTH_NONE, uid: NOBODY };
        let of_server = |squash| grant_by(squash, Groups::Server);
        assert!(of_server(Squash::Root).needs_groups(sys(7)) && !grant(Squash::Root).needs_groups(sys(7)));
        assert!(
            !of_server(Squash::All).needs_groups(sys(7)) && !of_server(Squash::None).needs_groups(unnamed)
        );
        assert_eq!(grant(Squash::None).credential(unnamed, &Credential::nobody()), anonymous);
        let no_one = Credential { uid: NO_ID, gid: NO_ID, groups: vec![NO_ID, 5] };
        assert_eq!(grant(Squash::None).credential(sys(NO_ID), &no_one), squashed);
    }

    #[test]
    fn a_rule_says_which_connections_will_do() {
        let tls = Protection { certificate: None };
        let mutual = Protection { certificate: Some("CN=broker1".to_owned()) };
        let connections = [None, Some(&tls), Some(&mutual)];
        let expected = [
            (TlsUse::Off, [true, false, false]),
            (TlsUse::Optional, [true; 3]),
            (TlsUse::Required, [false, true, true]),
            (TlsUse::Mutual, [false, false, true]),
        ];
        for (rule, admitted) in expected {
            assert_eq!(connections.map(|connection| rule.admits(connection)), admitted, "{rule}");
        }
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        for access in [Access::ReadWrite, Access::ReadOnly, Access::None] {
            assert_eq!(access.to_string().parse(), Ok(access));
        }
        assert!("RW".parse::<Access>().unwrap_err().contains("rw, ro, none"));
        assert!("krb5".parse::<Security>().unwrap_err().contains("sys"));
    }
}
