//! Command line of `forebay s3`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::arguments::{Remote, Sure, names};

/// `forebay s3`.
#[derive(Debug, Subcommand)]
pub enum S3Command {
    /// Create, list, show, disable and delete S3 users
    ///
    /// These are not the users of the API (`forebay user`). An S3 user has up to two access keys, and the rights that the
    /// policies of its groups and of buckets give it. A new user has no permissions.
    #[command(subcommand)]
    User(UserCommand),

    /// Create, list, disable and delete access keys
    #[command(subcommand)]
    Key(KeyCommand),

    /// Manage groups, their members and their policies
    ///
    /// The policies of a group give its members their permissions. The group `administrators` is built in; its
    /// members have all permissions.
    #[command(subcommand)]
    Group(GroupCommand),
}

/// `forebay s3 user`.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Create a user without access keys and groups
    #[command(after_long_help = USER_EXAMPLES)]
    Create {
        /// The name: 1 to 64 of the characters a-z A-Z 0-9 _ - . not starting with . or -
        #[arg(value_parser = names::name)]
        name: String,

        /// Add the user to this group; may be given several times
        #[arg(long = "group", value_name = "GROUP", value_parser = names::name)]
        groups: Vec<String>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// List all users
    List {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show one user, with its groups and access keys
    Show(OneName),

    /// Refuse all requests of a user; keys and groups are kept
    Disable(OneName),

    /// Accept requests of a user again
    Enable(OneName),

    /// Delete a user and its access keys
    ///
    /// The buckets and objects of the user are kept.
    Delete(DeleteArgs),
}

/// `forebay s3 key`.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Create an access key and print it once, in the format of ~/.aws/credentials
    ///
    /// A user has at most two keys: create the second, give it to the user's programs, then delete the first.
    #[command(after_long_help = KEY_EXAMPLES)]
    Create {
        /// The user
        #[arg(value_parser = names::name)]
        user: String,

        /// Lifetime of the key, such as 12h or 90d [default: never expires]
        #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
        expires_in: Option<Duration>,

        /// The name of the section in the printed file
        #[arg(long, value_name = "NAME", default_value = "default", value_parser = names::name)]
        section: String,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// List access keys, without their secrets
    List {
        /// Show only the keys of this user
        #[arg(value_parser = names::name)]
        user: Option<String>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Refuse requests with a key
    Disable(OneKey),

    /// Accept requests with a key again
    Enable(OneKey),

    /// Delete an access key
    Delete {
        /// The key's id, as `forebay s3 key list` shows it
        #[arg(value_parser = names::access_key)]
        id: String,

        /// Whether to ask for confirmation.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

/// `forebay s3 group`.
#[derive(Debug, Subcommand)]
pub enum GroupCommand {
    /// Create a group without members and policies
    Create(OneName),

    /// List all groups
    List {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show one group, with its members and policies
    Show(OneName),

    /// Delete a group; its members lose its permissions
    Delete(DeleteArgs),

    /// Add a user to a group
    AddMember(Member),

    /// Remove a user from a group
    RemoveMember(Member),

    /// Show, set or remove a policy of a group
    ///
    /// Policies are JSON in AWS's policy language, without principals.
    #[command(subcommand)]
    Policy(GroupPolicyCommand),
}

/// `forebay s3 group policy`.
#[derive(Debug, Subcommand)]
pub enum GroupPolicyCommand {
    /// Print a policy as it was set
    Show(OnePolicy),

    /// Set a policy, replacing the one with that name
    #[command(after_long_help = GROUP_POLICY_EXAMPLES)]
    Set {
        /// The group
        #[arg(value_parser = names::name)]
        group: String,

        /// The policy's name in the group
        #[arg(value_parser = names::name)]
        policy: String,

        /// The file with the policy, or - for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Remove a policy
    Remove {
        /// The policy.
        #[command(flatten)]
        policy: OnePolicy,

        /// Whether to ask for confirmation.
        #[command(flatten)]
        sure: Sure,
    },
}

/// A user or a group.
#[derive(Debug, Args)]
pub struct OneName {
    /// The name
    #[arg(value_parser = names::name)]
    pub name: String,

    /// Where the daemon is.
    #[command(flatten)]
    pub remote: Remote,
}

/// A user or a group to delete.
#[derive(Debug, Args)]
pub struct DeleteArgs {
    /// The name
    #[arg(value_parser = names::name)]
    pub name: String,

    /// Whether to ask for confirmation.
    #[command(flatten)]
    pub sure: Sure,

    /// Where the daemon is.
    #[command(flatten)]
    pub remote: Remote,
}

/// An access key.
#[derive(Debug, Args)]
pub struct OneKey {
    /// The key's id, as `forebay s3 key list` shows it
    #[arg(value_parser = names::access_key)]
    pub id: String,

    /// Where the daemon is.
    #[command(flatten)]
    pub remote: Remote,
}

/// A member of a group.
#[derive(Debug, Args)]
pub struct Member {
    /// The group
    #[arg(value_parser = names::name)]
    pub group: String,

    /// The user
    #[arg(value_parser = names::name)]
    pub user: String,

    /// Where the daemon is.
    #[command(flatten)]
    pub remote: Remote,
}

/// A policy of a group.
#[derive(Debug, Args)]
pub struct OnePolicy {
    /// The group
    #[arg(value_parser = names::name)]
    pub group: String,

    /// The policy's name in the group
    #[arg(value_parser = names::name)]
    pub policy: String,

    /// Where the daemon is.
    #[command(flatten)]
    pub remote: Remote,
}

const USER_EXAMPLES: &str = "\
Example:
  forebay s3 group create writers
  forebay s3 group policy set writers tiered policy.json
  forebay s3 user create kafka --group writers
  forebay s3 key create kafka >> ~/.aws/credentials
";

const KEY_EXAMPLES: &str = "\
Examples:
  forebay s3 key create kafka >> ~/.aws/credentials
  forebay s3 key create backup --expires-in 90d --section backup >> ~/.aws/credentials
";

const GROUP_POLICY_EXAMPLES: &str = "\
Example:
  forebay s3 group policy set writers tiered - <<'END'
  {\"Version\": \"2012-10-17\", \"Statement\": [
    {\"Sid\": \"Bucket\", \"Effect\": \"Allow\", \"Action\": [\"s3:ListBucket\", \"s3:ListBucketMultipartUploads\"],
     \"Resource\": \"arn:aws:s3:::tiered\"},
    {\"Sid\": \"Objects\", \"Effect\": \"Allow\",
     \"Action\": [\"s3:GetObject\", \"s3:PutObject\", \"s3:DeleteObject\", \"s3:AbortMultipartUpload\"],
     \"Resource\": \"arn:aws:s3:::tiered/*\"}]}
  END
";
