//! Command line of `forebay bucket`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::settings::{CreateArgs, ModifyArgs};
use crate::arguments::{Remote, Sure, names};

/// `forebay bucket`.
#[derive(Debug, Subcommand)]
pub enum BucketCommand {
    /// Create a bucket
    #[command(after_long_help = CREATE_EXAMPLES)]
    Create(CreateArgs),

    /// List all buckets
    List {
        /// Only buckets with this prefix
        #[arg(long, value_name = "TEXT", default_value = "")]
        prefix: String,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show one bucket
    Show {
        /// The bucket's name
        #[arg(value_parser = names::bucket)]
        name: String,

        /// Also show the savings from deduplication and compression; this scans every extent
        #[arg(long)]
        efficiency: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Change a bucket's versioning, limits, tags and other settings
    ///
    /// Either all given changes are made or none. They take effect at once.
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Modify(ModifyArgs),

    /// Delete a bucket
    ///
    /// Refused if the bucket has objects or older versions, unless --force is given. Uploads in progress are aborted.
    Delete {
        /// The bucket's name
        #[arg(value_parser = names::bucket)]
        name: String,

        /// Delete it with all objects and versions; refused for a bucket with object lock
        #[arg(long)]
        force: bool,

        /// Whether to ask for confirmation.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show, set or remove the policy of a bucket
    ///
    /// The policy is JSON in AWS's policy language. It allows or denies requests for the bucket, beside the policies of
    /// the user's groups (`forebay s3 group policy`). A denial always wins.
    #[command(subcommand)]
    Policy(PolicyCommand),

    /// Show, set or remove the lifecycle rules of a bucket
    ///
    /// An hourly pass expires objects, removes older versions and aborts uploads as the rules say.
    #[command(subcommand)]
    Lifecycle(LifecycleCommand),

    /// Show, set or remove a bucket's rules for cross-origin requests of browsers
    #[command(subcommand)]
    Cors(CorsCommand),

    /// List the objects in a bucket
    #[command(subcommand)]
    Objects(ObjectsCommand),
}

/// `forebay bucket policy`.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Print the policy as it was set
    Show(OneBucket),

    /// Set the policy, replacing the one that is there
    #[command(after_long_help = POLICY_EXAMPLES)]
    Set(SetArgs),

    /// Remove the policy
    Remove(RemoveArgs),
}

/// `forebay bucket lifecycle`.
#[derive(Debug, Subcommand)]
pub enum LifecycleCommand {
    /// Show the rules
    Show(OneBucket),

    /// Set the rules, replacing those that are there
    #[command(after_long_help = LIFECYCLE_EXAMPLES)]
    Set(SetArgs),

    /// Remove all rules
    Remove(RemoveArgs),
}

/// `forebay bucket cors`.
#[derive(Debug, Subcommand)]
pub enum CorsCommand {
    /// Show the rules
    Show(OneBucket),

    /// Set the rules, replacing those that are there
    #[command(after_long_help = CORS_EXAMPLES)]
    Set(SetArgs),

    /// Remove all rules
    Remove(RemoveArgs),
}

/// A bucket.
#[derive(Debug, Args)]
pub struct OneBucket {
    /// The bucket's name
    #[arg(value_parser = names::bucket)]
    pub name: String,

    /// Where the daemon is.
    #[command(flatten)]
    pub remote: Remote,
}

/// A bucket, and the document that it is to have.
#[derive(Debug, Args)]
pub struct SetArgs {
    /// The bucket's name
    #[arg(value_parser = names::bucket)]
    pub name: String,

    /// The file with the JSON document, or - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Where the daemon is.
    #[command(flatten)]
    pub remote: Remote,
}

/// A bucket whose document is removed.
#[derive(Debug, Args)]
pub struct RemoveArgs {
    /// The bucket's name
    #[arg(value_parser = names::bucket)]
    pub name: String,

    /// Whether to ask for confirmation.
    #[command(flatten)]
    pub sure: Sure,

    /// Where the daemon is.
    #[command(flatten)]
    pub remote: Remote,
}

/// `forebay bucket objects`.
#[derive(Debug, Subcommand)]
pub enum ObjectsCommand {
    /// List objects, by key
    #[command(after_long_help = OBJECTS_EXAMPLES)]
    List(ListArgs),
}

/// Selects objects.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// The bucket's name
    #[arg(value_parser = names::bucket)]
    pub name: String,

    /// Only keys with this prefix
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub prefix: String,

    /// Group keys by this delimiter, such as /
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub delimiter: String,

    /// Start after this key
    #[arg(long, value_name = "KEY")]
    pub after: Option<String>,

    /// Also list older versions and delete markers
    #[arg(long)]
    pub versions: bool,

    /// Maximum number of lines [default: all]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,

    /// Where the daemon is.
    #[command(flatten)]
    pub remote: Remote,
}

const CREATE_EXAMPLES: &str = "\
Examples:
  forebay bucket create tiered --owner kafka
  forebay bucket create backup --versioning enabled --size 2TiB
";

const POLICY_EXAMPLES: &str = "\
Example:
  forebay bucket policy set backup - <<'END'
  {\"Version\": \"2012-10-17\", \"Statement\": [{
    \"Sid\": \"RestoreReads\", \"Effect\": \"Allow\",
    \"Principal\": {\"AWS\": \"arn:aws:iam::000000000000:user/restore\"},
    \"Action\": [\"s3:GetObject\", \"s3:ListBucket\"],
    \"Resource\": [\"arn:aws:s3:::backup\", \"arn:aws:s3:::backup/*\"]}]}
  END
";

const LIFECYCLE_EXAMPLES: &str = "\
Example:
  forebay bucket lifecycle set backup - <<'END'
  {\"rules\": [
    {\"id\": \"daily\", \"prefix\": \"daily/\", \"expire_days\": 30},
    {\"id\": \"versions\", \"noncurrent_days\": 7, \"abort_uploads_days\": 2}]}
  END
The fields are those of the API: PUT /buckets/{bucket}/lifecycle.
";

const CORS_EXAMPLES: &str = "\
Example:
  forebay bucket cors set media - <<'END'
  {\"rules\": [{\"allowed_origins\": [\"https://*.example.com\"], \"allowed_methods\": [\"GET\", \"HEAD\"]}]}
  END
The fields are those of the API: PUT /buckets/{bucket}/cors.
";

const OBJECTS_EXAMPLES: &str = "\
Examples:
  forebay bucket objects list backup --delimiter /
  forebay bucket objects list backup --prefix daily/ --versions
";
