//! Command line of `forebay user` and `forebay token`.

use std::time::Duration;

use clap::Subcommand;
use forebay_admin::views::Role;

use crate::arguments::values::parse_word;
use crate::arguments::{Remote, Sure, names};

/// `forebay user`.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// List all users
    List {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show one user
    Show {
        /// The name
        #[arg(value_parser = names::name)]
        name: String,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Create a user
    ///
    /// Refused if the user exists; `forebay user set` changes a role.
    #[command(after_long_help = TOKEN_EXAMPLES)]
    Create {
        /// The name: 1 to 64 of the characters a-z A-Z 0-9 _ - . not starting with . or -
        #[arg(value_parser = names::name)]
        name: String,

        /// read-only, operator or admin
        #[arg(long, value_name = "ROLE", value_parser = parse_word::<Role>)]
        role: Role,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Set a user's role; create the user if it does not exist
    ///
    /// read-only can view everything except users and tokens. operator can also change volumes, snapshots and
    /// export policies, revoke clients, and check and scrub the pool. admin has full access, including
    /// rolling back volumes and deleting them with their files. The last admin's role cannot be changed.
    #[command(after_long_help = TOKEN_EXAMPLES)]
    Set {
        /// The name: 1 to 64 of the characters a-z A-Z 0-9 _ - . not starting with . or -
        #[arg(value_parser = names::name)]
        name: String,

        /// read-only, operator or admin
        #[arg(long, value_name = "ROLE", value_parser = parse_word::<Role>)]
        role: Role,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Delete a user and its tokens
    ///
    /// Refused for the last user with the role admin.
    Delete {
        /// The name
        #[arg(value_parser = names::name)]
        name: String,

        /// Whether to ask for confirmation.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

/// `forebay token`.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Create a token and print it once
    #[command(after_long_help = TOKEN_EXAMPLES)]
    Create {
        /// The user that the token belongs to
        #[arg(long, value_name = "NAME", default_value = "admin", value_parser = names::name)]
        user: String,

        /// Lifetime of the token, such as 12h or 90d [default: never expires]
        #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
        expires_in: Option<Duration>,

        /// The purpose of the token
        #[arg(long, value_name = "TEXT", default_value = "")]
        description: String,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// List all tokens, without their secrets
    List {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Revoke a token
    Delete {
        /// The token's id, as `forebay token list` shows it
        #[arg(value_parser = names::token)]
        id: String,

        /// Whether to ask for confirmation.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

const TOKEN_EXAMPLES: &str = "\
Examples:
  forebay user create monitoring --role read-only
  forebay token create --user monitoring --expires-in 90d --description 'Prometheus'
";
