//! `forebay user`, `token` and `profile`: what can be typed, and its help.

use std::path::PathBuf;
use std::time::Duration;

use clap::Subcommand;
use forebay_admin::views::Role;

use super::names;
use super::remote::{Remote, Sure};
use super::volume::parse_word;

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

    /// Give a user a role; make the user if there is none of that name
    ///
    /// read-only may look at everything but users and tokens; operator may also change volumes, snapshots and export policies,
    /// revoke clients, and check and scrub the pool; admin may do everything, such as rolling a volume back or deleting it with its files. The last
    /// admin keeps the role.
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

    /// Delete a user, and the user's tokens
    ///
    /// Refused for the last user with the role admin.
    Delete {
        /// The name
        #[arg(value_parser = names::name)]
        name: String,

        /// Whether to ask first.
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
    /// Make a token, and print it; it can never be had again
    #[command(after_long_help = TOKEN_EXAMPLES)]
    Create {
        /// Whose it is
        #[arg(long, value_name = "NAME", default_value = "admin", value_parser = names::name)]
        user: String,

        /// After which time it expires, such as 12h or 90d [default: never]
        #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
        expires_in: Option<Duration>,

        /// What it is for
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

    /// Delete a token: it is refused from then on
    Delete {
        /// Its id, as `forebay token list` shows it
        #[arg(value_parser = names::token)]
        id: String,

        /// Whether to ask first.
        #[command(flatten)]
        sure: Sure,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

/// `forebay profile`.
#[derive(Debug, Subcommand)]
pub enum ProfileCommand {
    /// Remember a daemon, and use it from now on
    ///
    /// Profiles are in $XDG_CONFIG_HOME/forebay/profiles.toml, or ~/.config/forebay/profiles.toml, which only you can read.
    #[command(after_long_help = PROFILE_EXAMPLES)]
    Add {
        /// A name for it
        name: String,

        /// The daemon: https://HOST[:PORT], http://127.0.0.1[:PORT], or unix:PATH
        #[arg(long, value_name = "URL", env = "FOREBAY_SERVER", hide_env_values = true)]
        server: String,

        /// The token that says who you are
        #[arg(long, value_name = "TOKEN", env = "FOREBAY_TOKEN", hide_env_values = true)]
        token: Option<String>,

        /// Trust this authority's certificates (PEM), and no others
        #[arg(long, value_name = "FILE")]
        ca_certificate: Option<PathBuf>,
    },

    /// List the profiles; a * stands at the one in use
    List,

    /// Use a profile; `local` is the daemon on this machine
    Use {
        /// Its name
        name: String,
    },

    /// Forget a profile
    Remove {
        /// Its name
        name: String,
    },
}

const TOKEN_EXAMPLES: &str = "\
Examples:
  forebay user set monitoring --role read-only
  forebay token create --user monitoring --expires-in 90d --description 'Prometheus'
";

const PROFILE_EXAMPLES: &str = "\
Examples:
  forebay profile add prod --server https://storage.example.org --token fb_... --ca-certificate authority.pem
  forebay volume list
  forebay profile use local
";
