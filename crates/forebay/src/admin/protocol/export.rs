//! What is said about export policies.

use serde::{Deserialize, Serialize};

/// What can be asked for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ExportCommand {
    /// All policies, by name; answered with `exports`.
    List {},
    /// One policy.
    Show {
        /// Its name.
        name: String,
    },
    /// Make a policy without rules; answered with it.
    Create {
        /// Its name.
        name: String,
    },
    /// Delete a policy that no volume has; answered with `done`.
    Delete {
        /// Its name.
        name: String,
    },
    /// Add a rule; answered with the policy.
    RuleAdd {
        /// The policy's name.
        policy: String,
        /// The rule.
        rule: RuleChangeView,
        /// Where it is put, counted from 1; none: at the end.
        position: Option<usize>,
    },
    /// Change the rule for exactly these clients; answered with the policy.
    RuleModify {
        /// The policy's name.
        policy: String,
        /// The clients, and what is to change.
        rule: RuleChangeView,
    },
    /// Remove the rule for exactly these clients; answered with the policy.
    RuleRemove {
        /// The policy's name.
        policy: String,
        /// The clients.
        clients: String,
    },
}

/// A rule to be made, or what is to be changed in one. What is not said stays, or is as in most rules.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleChangeView {
    /// The clients that it is for.
    pub clients: String,
    /// `rw`, `ro` or `none`.
    pub access: Option<String>,
    /// `none`, `root` or `all`.
    pub squash: Option<String>,
    /// User and group of the anonymous user.
    pub anonymous: Option<(u32, u32)>,
    /// `sys`.
    pub security: Option<String>,
    /// `off`, `optional`, `required` or `mutual`.
    pub tls: Option<String>,
    /// `client` or `server`.
    pub groups: Option<String>,
}

/// A policy as an operator sees it; also what `--json` prints.
#[derive(Debug, Serialize, Deserialize)]
pub struct PolicyView {
    /// Its name.
    pub name: String,
    /// Its rules; the first that is for a client decides.
    pub rules: Vec<RuleView>,
    /// The volumes that have it.
    pub volumes: Vec<String>,
}

/// A rule as an operator sees it.
#[derive(Debug, Serialize, Deserialize)]
pub struct RuleView {
    /// The clients that it is for.
    pub clients: String,
    /// `rw`, `ro` or `none`.
    pub access: String,
    /// `none`, `root` or `all`.
    pub squash: String,
    /// The anonymous user.
    pub anonymous_uid: u32,
    /// The anonymous user's group.
    pub anonymous_gid: u32,
    /// `sys`.
    pub security: String,
    /// `off`, `optional`, `required` or `mutual`.
    pub tls: String,
    /// Who says which groups a user is in: `client` or `server`.
    pub groups: String,
    /// What a host name stands for now; nothing for other clients, and before it was looked up.
    pub addresses: Option<Vec<String>>,
}
