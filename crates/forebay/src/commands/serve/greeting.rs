//! What the daemon prints when clients can connect: how to mount, where the console is, how to get a token, and who has access.

use std::net::SocketAddr;

use forebay_admin::views::NfsView;
use forebay_nfs::policy::{Access, Clients, Policies, Policy, Squash};
use forebay_pool::Pool;

use crate::config::Config;

/// The volume that new users are told of, if there is one.
const FIRST_VOLUME: &str = "kafka";
/// Where a package puts the configuration. Commands find that daemon without options.
const INSTALLED: &str = "/var/lib/forebay";

/// Where the daemon is reached.
pub struct Places<'a> {
    /// NFS.
    pub nfs: &'a NfsView,
    /// The API and the console over TCP.
    pub api: Option<SocketAddr>,
    /// The fingerprint of the API's certificate, if the daemon made it.
    pub fingerprint: Option<String>,
    /// Metrics and health without a token.
    pub monitoring: Option<SocketAddr>,
}

/// The lines. The first one begins with `ready:`.
pub fn lines(config: &Config, pool: &Pool, places: &Places<'_>, policies: &Policies) -> Vec<String> {
    let mut lines = vec![ready(pool, places.nfs)];
    if let Some(address) = places.api {
        let scheme = if config.api.is_secured() { "https" } else { "http" };
        let address = reachable(address, places.nfs);
        lines.push(format!("console: {scheme}://{address}/ (for a token: {})", token_command(config)));
    }
    if let Some(fingerprint) = &places.fingerprint {
        lines.push(format!("certificate: self-signed, SHA-256 fingerprint {fingerprint}"));
    }
    if let Some(address) = places.monitoring {
        let address = reachable(address, places.nfs);
        lines.push(format!("metrics: http://{address}/metrics, and http://{address}/health"));
    }
    if let Some((volume, policy)) =
        open_to_everyone(pool, policies).filter(|_| !config.nfs.listen.ip().is_loopback())
    {
        let port = config.nfs.listen.port();
        lines.push(format!(
            "warning: everyone who reaches port {port} can read, change and delete volume {volume} as root, because export policy {policy} lets \
             them; to let in only your brokers: forebay export rule add {policy} 10.1.0.0/16, then forebay export rule remove {policy} '*'"
        ));
    }
    lines
}

/// With a name of this machine in the place of an address that stands for all of its addresses.
fn reachable(address: SocketAddr, nfs: &NfsView) -> String {
    if !address.ip().is_unspecified() {
        return address.to_string();
    }
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let host = if nfs.every_address { &nfs.host } else { &name };
    format!("{host}:{}", address.port())
}

fn ready(pool: &Pool, nfs: &NfsView) -> String {
    let volumes: Vec<_> = pool.volumes().into_iter().flatten().collect();
    let named = volumes.iter().find(|volume| volume.spec.name == FIRST_VOLUME);
    let Some(volume) = named.or_else(|| volumes.first()) else {
        return "ready: there is no volume yet; create one with `forebay volume create NAME`".to_owned();
    };
    format!("ready: on a client, as root: {}", nfs.mount_command(None, &volume.spec.junction_path))
}

/// The command that makes a token, with the options that lead it to this daemon.
fn token_command(config: &Config) -> String {
    // A relative path would hold in one directory only.
    let directory =
        std::path::absolute(&config.pool.directory).unwrap_or_else(|_| config.pool.directory.clone());
    let directory = directory.display().to_string();
    if directory == INSTALLED {
        return "forebay token create".to_owned();
    }
    format!("forebay token create --pool-directory {}", quoted(&directory))
}

/// For a shell.
fn quoted(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    if text.bytes().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// A volume that every client may change as root, and its policy.
fn open_to_everyone(pool: &Pool, policies: &Policies) -> Option<(String, String)> {
    let volumes = pool.volumes().into_iter().flatten();
    volumes.map(|volume| volume.spec.name).find_map(|volume| {
        let policy = policies.of_volume(&volume);
        let lets_all = policies.get(&policy).is_ok_and(|policy| lets_everyone_be_root(&policy));
        lets_all.then_some((volume, policy))
    })
}

fn lets_everyone_be_root(policy: &Policy) -> bool {
    policy.rules.iter().any(|rule| {
        rule.clients == Clients::Everyone && rule.access == Access::ReadWrite && rule.squash == Squash::None
    })
}

#[cfg(test)]
mod tests {
    use forebay_nfs::policy::Rule;

    use super::*;

    #[test]
    fn a_policy_that_squashes_or_limits_is_not_open() {
        assert!(lets_everyone_be_root(&Policy::open_to_everyone()));
        let rule = Rule::new("10.0.0.0/8".parse().unwrap());
        assert!(!lets_everyone_be_root(&Policy { rules: vec![rule] }));
        let mut squashed = Policy::open_to_everyone();
        squashed.rules[0].squash = Squash::Root;
        assert!(!lets_everyone_be_root(&squashed));
    }

    #[test]
    fn the_command_for_a_token_can_be_pasted() {
        let mut config = Config::default();
        config.pool.directory = "/srv/it's here".into();
        assert_eq!(token_command(&config), r"forebay token create --pool-directory '/srv/it'\''s here'");
        config.pool.directory = "/var/lib/forebay".into();
        assert_eq!(token_command(&config), "forebay token create");
    }
}
