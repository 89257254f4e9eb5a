//! Command line of `forebay export`.

use std::net::IpAddr;

use clap::Subcommand;
use forebay_nfs::policy::{Access, Clients, Groups, Security, Squash, TlsUse};

use crate::arguments::values::parse_owner;
use crate::arguments::{Remote, names};

/// `forebay export`.
#[derive(Debug, Subcommand)]
pub enum ExportCommand {
    /// List all export policies
    List {
        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show one export policy with its rules
    Show {
        /// The policy's name
        #[arg(value_parser = names::name)]
        name: String,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Create an export policy without rules: no client sees a volume that uses it
    #[command(after_long_help = EXAMPLES)]
    Create {
        /// The policy's name: 1 to 64 of the characters a-z A-Z 0-9 _ - . not starting with . or -
        #[arg(value_parser = names::name)]
        name: String,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Rename an export policy; volumes that use it follow
    Rename {
        /// The policy's name
        #[arg(value_parser = names::name)]
        name: String,

        /// The new name
        #[arg(value_parser = names::name)]
        new: String,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Delete an export policy that no volume uses
    Delete {
        /// The policy's name
        #[arg(value_parser = names::name)]
        name: String,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Show which access a client has to a volume, and by which rule
    Check {
        /// The client's IP address
        client: IpAddr,

        /// The volume's name
        #[arg(value_parser = names::name)]
        volume: String,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// List, add, change and remove rules of an export policy
    #[command(subcommand)]
    Rule(RuleCommand),
}

/// `forebay export rule`.
#[derive(Debug, Subcommand)]
pub enum RuleCommand {
    /// List the rules of an export policy, in the order in which they are tried
    List {
        /// The policy's name
        #[arg(value_parser = names::name)]
        policy: String,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Add a rule
    ///
    /// Takes effect immediately, including for clients that have a volume with this policy mounted.
    #[command(after_long_help = EXAMPLES)]
    Add {
        /// The policy's name
        #[arg(value_parser = names::name)]
        policy: String,

        /// The clients: *, an address, a network such as 10.0.0.0/8 or 2001:db8::/32, or a host name
        clients: Clients,

        /// Access: rw, ro, or none, which hides the volume
        #[arg(long, value_name = "ACCESS", default_value = "rw")]
        access: Access,

        /// Squash: which users are mapped to the anonymous user: none, root or all
        #[arg(long, value_name = "USERS", default_value = "none")]
        squash: Squash,

        /// User and group of the anonymous user, as numbers
        #[arg(long, value_name = "UID:GID", default_value = "65534:65534", value_parser = parse_owner)]
        anonymous: (u32, u32),

        /// How clients identify their users: sys
        #[arg(long, value_name = "FLAVOR", default_value = "sys")]
        security: Security,

        /// TLS on the connection: off, optional, required, or mutual, which also requires a client
        /// certificate
        #[arg(long, value_name = "USE", default_value = "optional")]
        tls: TlsUse,

        /// Source of a user's supplementary groups: client, the request, which has room for 16; or server,
        /// the user database of the server's host
        #[arg(long, value_name = "SOURCE", default_value = "client")]
        groups: Groups,

        /// Position among the rules, counted from 1 [default: last]
        #[arg(long, value_name = "NUMBER")]
        position: Option<usize>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Change the rule for exactly these clients, without interrupting their access
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Modify {
        /// The policy's name
        #[arg(value_parser = names::name)]
        policy: String,

        /// The clients, as in the rule
        clients: Clients,

        /// Access: rw, ro, or none, which hides the volume
        #[arg(long, value_name = "ACCESS", group = "change")]
        access: Option<Access>,

        /// Squash: which users are mapped to the anonymous user: none, root or all
        #[arg(long, value_name = "USERS", group = "change")]
        squash: Option<Squash>,

        /// User and group of the anonymous user, as numbers
        #[arg(long, value_name = "UID:GID", value_parser = parse_owner, group = "change")]
        anonymous: Option<(u32, u32)>,

        /// TLS on the connection: off, optional, required, or mutual, which also requires a client
        /// certificate
        #[arg(long, value_name = "USE", group = "change")]
        tls: Option<TlsUse>,

        /// Source of a user's supplementary groups: client, the request, which has room for 16; or server,
        /// the user database of the server's host
        #[arg(long, value_name = "SOURCE", group = "change")]
        groups: Option<Groups>,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },

    /// Remove the rule for exactly these clients
    Remove {
        /// The policy's name
        #[arg(value_parser = names::name)]
        policy: String,

        /// The clients, as in the rule
        clients: Clients,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

const EXAMPLES: &str = "\
Examples:
  forebay export create brokers
  forebay export rule add brokers 10.1.0.0/16
  forebay export rule add brokers 10.2.0.7 --access ro --squash all
  forebay export rule add brokers 10.3.0.0/16 --tls mutual
  forebay volume modify kafka --export brokers
";
