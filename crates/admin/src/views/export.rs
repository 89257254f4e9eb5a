//! Export policies and their rules.

use crate::base::problem::Problem;
use forebay_nfs::policy;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{Check, check_id};
use super::fields::{changes_in_words, present};
use super::words::words;

words! {
    /// The access that clients have to a volume.
    Access for policy::Access {
        /// Read and write, within the permissions of the files.
        ReadWrite = "rw",
        /// Read only.
        ReadOnly = "ro",
        /// No access: the volume is hidden.
        None = "none",
    }
}

words! {
    /// Which users are mapped to the anonymous user.
    Squash for policy::Squash {
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
    Security for policy::Security {
        /// AUTH_SYS: the server trusts the ids that the client sends.
        Sys = "sys",
    }
}

words! {
    /// The source of a caller's supplementary groups.
    Groups for policy::Groups {
        /// The request, which has room for 16.
        Client = "client",
        /// The user database of the server's host.
        Server = "server",
    }
}

words! {
    /// Whether connections must use TLS (RFC 9289).
    TlsUse for policy::TlsUse {
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

/// A rule to create. Fields that are absent take their defaults.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRule {
    /// The clients it applies to: `*`, an address, a network such as 10.0.0.0/8, or a host name.
    #[schema(min_length = 1, max_length = 255)]
    pub clients: String,
    /// The clients' access; default rw.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub access: Option<Access>,
    /// The clients' users that the server maps to the anonymous user; default none.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub squash: Option<Squash>,
    /// The anonymous user; default 65534.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, maximum = 4294967294u32)]
    pub anonymous_uid: Option<u32>,
    /// The anonymous user's group; default 65534.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, maximum = 4294967294u32)]
    pub anonymous_gid: Option<u32>,
    /// How callers identify themselves; default sys.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub security: Option<Security>,
    /// Whether connections must use TLS; default optional.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tls: Option<TlsUse>,
    /// The source of a caller's supplementary groups; default client.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub groups: Option<Groups>,
}

impl Check for NewRule {
    fn check(&self) -> Result<(), Problem> {
        check_id("anonymous_uid", self.anonymous_uid)?;
        check_id("anonymous_gid", self.anonymous_gid)
    }
}

/// Changes to a rule. Fields that are absent stay unchanged.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleChange {
    /// The clients' access.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub access: Option<Access>,
    /// The clients' users that the server maps to the anonymous user.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub squash: Option<Squash>,
    /// The anonymous user.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, maximum = 4294967294u32)]
    pub anonymous_uid: Option<u32>,
    /// The anonymous user's group.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, maximum = 4294967294u32)]
    pub anonymous_gid: Option<u32>,
    /// Whether connections must use TLS.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tls: Option<TlsUse>,
    /// The source of a caller's supplementary groups.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub groups: Option<Groups>,
}

impl RuleChange {
    /// The changes that were made, for an event: `access changed from rw to ro`.
    pub fn in_words(&self, before: &RuleView, after: &RuleView) -> String {
        changes_in_words(self, before, after)
    }
}

impl Check for RuleChange {
    fn check(&self) -> Result<(), Problem> {
        check_id("anonymous_uid", self.anonymous_uid)?;
        check_id("anonymous_gid", self.anonymous_gid)
    }
}

/// A policy to create.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPolicy {
    /// The policy's name.
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub name: String,
    /// The policy's rules. Without rules, no client sees a volume that uses the policy.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub rules: Vec<NewRule>,
}

impl Check for NewPolicy {
    fn check(&self) -> Result<(), Problem> {
        self.rules.iter().try_for_each(Check::check)
    }
}

/// Changes to a policy. Its rules are changed one by one, or replaced with PUT.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyEdit {
    /// Another name. Volumes that use the policy follow.
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub name: String,
}

impl Check for PolicyEdit {}

/// All rules of a policy.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyRules {
    /// The rules; the first one that matches a client applies.
    #[schema(max_items = 1000)]
    pub rules: Vec<NewRule>,
}

impl Check for PolicyRules {
    fn check(&self) -> Result<(), Problem> {
        self.rules.iter().try_for_each(Check::check)
    }
}

/// A policy.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PolicyView {
    /// The policy's name.
    pub name: String,
    /// The policy's rules; the first one that matches a client applies.
    pub rules: Vec<RuleView>,
    /// The volumes that use the policy.
    pub volumes: Vec<String>,
}

/// A rule.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RuleView {
    /// The clients it applies to.
    pub clients: String,
    /// The clients' access.
    pub access: Access,
    /// The clients' users that the server maps to the anonymous user.
    pub squash: Squash,
    /// The anonymous user.
    pub anonymous_uid: u32,
    /// The anonymous user's group.
    pub anonymous_gid: u32,
    /// How callers identify themselves.
    pub security: Security,
    /// Whether connections must use TLS.
    pub tls: TlsUse,
    /// The source of a caller's supplementary groups.
    pub groups: Groups,
    /// The current addresses of a host name; null for other kinds of clients, and until the name has been
    /// resolved.
    pub addresses: Option<Vec<String>>,
    /// The position of an earlier rule for all of these clients, so that this one is never reached; null if there is none.
    pub never_reached: Option<u32>,
}

/// The access of a client to a volume.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AccessView {
    /// The volume.
    pub volume: String,
    /// The client's address.
    pub client: String,
    /// The volume's export policy.
    pub policy: String,
    /// The rule that applies, with its position; null if none matches, so that the client does not see the volume.
    pub rule: Option<RuleView>,
    /// The position of that rule, counted from 1.
    pub position: Option<u32>,
}
