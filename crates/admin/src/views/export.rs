//! Export policies and their rules.

use crate::problem::Problem;
use forebay_nfs::policy;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::words::words;
use super::{Check, check_id, present};

words! {
    /// What clients may do with a volume.
    Access for policy::Access {
        /// Read and write, as far as the permissions of the files allow.
        ReadWrite = "rw",
        /// Only read.
        ReadOnly = "ro",
        /// Nothing: the volume is not there for them.
        None = "none",
    }
}

words! {
    /// Which users are taken for the anonymous one.
    Squash for policy::Squash {
        /// Nobody but callers that do not say who they are.
        None = "none",
        /// User 0 and group 0.
        Root = "root",
        /// Everyone.
        All = "all",
    }
}

words! {
    /// How callers say who they are.
    Security for policy::Security {
        /// AUTH_SYS: the client's word is taken.
        Sys = "sys",
    }
}

words! {
    /// Who says which groups a caller is in, beside the first.
    Groups for policy::Groups {
        /// The request, which has room for 16.
        Client = "client",
        /// The server's own database of users and groups.
        Server = "server",
    }
}

words! {
    /// Whether connections must be secured (RFC 9289).
    TlsUse for policy::TlsUse {
        /// They must not be.
        Off = "off",
        /// They may be.
        Optional = "optional",
        /// They must be.
        Required = "required",
        /// They must be, and the client must have shown a certificate.
        Mutual = "mutual",
    }
}

/// A rule to be made. What is absent is as in most rules.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRule {
    /// The clients that it is for: `*`, an address, a network such as 10.0.0.0/8, or a host name.
    #[schema(min_length = 1, max_length = 255)]
    pub clients: String,
    /// What they may do; rw if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub access: Option<Access>,
    /// Which of their users are taken for the anonymous one; none if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub squash: Option<Squash>,
    /// The anonymous user; 65534 if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, maximum = 4294967294u32)]
    pub anonymous_uid: Option<u32>,
    /// The anonymous user's group; 65534 if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, maximum = 4294967294u32)]
    pub anonymous_gid: Option<u32>,
    /// How callers say who they are; sys if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub security: Option<Security>,
    /// Whether connections must be secured; optional if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tls: Option<TlsUse>,
    /// Who says which groups a caller is in; client if it is absent.
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

/// What is to change of a rule; what is absent stays.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleChange {
    /// What the clients may do.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub access: Option<Access>,
    /// Which of their users are taken for the anonymous one.
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
    /// Whether connections must be secured.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tls: Option<TlsUse>,
    /// Who says which groups a caller is in.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub groups: Option<Groups>,
}

impl Check for RuleChange {
    fn check(&self) -> Result<(), Problem> {
        check_id("anonymous_uid", self.anonymous_uid)?;
        check_id("anonymous_gid", self.anonymous_gid)
    }
}

/// A policy to be created.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPolicy {
    /// Its name.
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub name: String,
    /// Its rules; without any, nobody sees a volume that has it.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub rules: Vec<NewRule>,
}

impl Check for NewPolicy {
    fn check(&self) -> Result<(), Problem> {
        self.rules.iter().try_for_each(Check::check)
    }
}

/// All rules of a policy.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyRules {
    /// The rules; the first that is for a client decides.
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
    /// Its name.
    pub name: String,
    /// Its rules; the first that is for a client decides.
    pub rules: Vec<RuleView>,
    /// The volumes that have it.
    pub volumes: Vec<String>,
}

/// A rule.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RuleView {
    /// The clients that it is for.
    pub clients: String,
    /// What they may do.
    pub access: Access,
    /// Which of their users are taken for the anonymous one.
    pub squash: Squash,
    /// The anonymous user.
    pub anonymous_uid: u32,
    /// The anonymous user's group.
    pub anonymous_gid: u32,
    /// How callers say who they are.
    pub security: Security,
    /// Whether connections must be secured.
    pub tls: TlsUse,
    /// Who says which groups a caller is in.
    pub groups: Groups,
    /// What a host name stands for now; null for other clients, and before it was looked up.
    pub addresses: Option<Vec<String>>,
}
