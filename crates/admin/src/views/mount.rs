//! What to type on a client to mount a volume: said alike by the daemon when it is ready, by the command line, and by the console.

use std::net::SocketAddr;

use super::nfs::NfsView;

/// Where clients look if no port is said.
const NFS_PORT: u16 = 2049;

/// The options that suit Kafka; `docs/start.md` says why.
const OPTIONS: &str = "vers=4.2,hard,nconnect=4";

impl NfsView {
    /// What clients must know of a server at that address.
    pub fn of(address: SocketAddr, with_tls: bool) -> NfsView {
        let (ip, port) = (address.ip(), address.port());
        let host = if ip.is_unspecified() {
            rustix::system::uname().nodename().to_string_lossy().into_owned()
        } else if ip.is_ipv6() {
            format!("[{ip}]")
        } else {
            ip.to_string()
        };
        let on_port = if port == NFS_PORT { String::new() } else { format!(",port={port}") };
        NfsView {
            address: ip.to_string(),
            port,
            every_address: ip.is_unspecified(),
            host,
            options: format!("{OPTIONS}{on_port}"),
            tls: with_tls,
        }
    }

    /// The command that mounts the volume at `path`. `reached` is where the daemon is reached, if that says more than its own name.
    pub fn mount_command(&self, reached: Option<&str>, path: &str) -> String {
        format!("mount -t nfs -o {} {} /mnt", self.options, quoted(&self.source(reached, path)))
    }

    /// What is mounted, as the first field of a line in `/etc/fstab`: `HOST:PATH`.
    pub fn source(&self, reached: Option<&str>, path: &str) -> String {
        let host = reached.filter(|_| self.every_address).unwrap_or(&self.host);
        format!("{host}:{path}")
    }
}

/// As a shell takes it for one word.
pub(super) fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_.:/[]@+,%".contains(letter);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(address: &str, reached: Option<&str>, path: &str) -> String {
        NfsView::of(address.parse().unwrap(), false).mount_command(reached, path)
    }

    #[test]
    fn the_port_is_said_where_it_is_not_the_usual_one() {
        let usual = command("192.0.2.1:2049", Some("storage"), "/kafka");
        assert_eq!(usual, "mount -t nfs -o vers=4.2,hard,nconnect=4 192.0.2.1:/kafka /mnt");
        let other = command("[2001:db8::1]:20490", None, "/kafka");
        assert_eq!(other, "mount -t nfs -o vers=4.2,hard,nconnect=4,port=20490 [2001:db8::1]:/kafka /mnt");
    }

    #[test]
    fn a_server_at_every_address_is_where_it_is_reached() {
        assert!(
            command("0.0.0.0:2049", Some("storage.example.org"), "/a").contains(" storage.example.org:/a ")
        );
        assert!(!command("[::]:2049", None, "/a").contains("[::]"), "that is no host");
    }

    #[test]
    fn a_path_is_one_word_to_a_shell() {
        assert!(command("192.0.2.1:2049", None, "/it's; rm").ends_with(r" '192.0.2.1:/it'\''s; rm' /mnt"));
    }
}
