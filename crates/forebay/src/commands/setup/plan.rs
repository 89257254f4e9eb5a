//! What the answers amount to: an export policy, volumes, and for each broker the lines of its files.

use std::net::IpAddr;
use std::path::PathBuf;

use forebay_admin::views::{Access, NewRule, NfsView, Plan, Squash, TlsUse};

use super::answers::Layout;

/// The export policy of the brokers.
pub const POLICY: &str = "brokers";
/// The volume of the layout with folders, and the beginning of the names of volumes in the other.
pub const VOLUME: &str = "kafka";

/// All answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Wishes {
    /// The brokers' host names or addresses.
    pub brokers: Vec<String>,
    /// Which users are mapped to nobody.
    pub squash: Squash,
    /// Whether brokers must connect with TLS.
    pub tls: bool,
    /// The layout of the brokers' volumes.
    pub layout: Layout,
    /// The user and group that brokers run as.
    pub owner: (u32, u32),
    /// Maximum size of each volume; `None` leaves that of existing volumes.
    pub size: Option<Option<u64>>,
    /// Snapshots to take; `None` leaves those of existing volumes.
    pub snapshots: Option<Plan>,
    /// The directory where brokers mount.
    pub mount: PathBuf,
}

/// A broker, and where its data is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broker {
    /// Its number, from 1.
    pub number: usize,
    /// Its host name or address.
    pub host: String,
    /// The volume that it mounts.
    pub volume: String,
    /// The directory of its log below the mount.
    pub folder: String,
}

impl Wishes {
    /// The brokers in order.
    pub fn plan(&self) -> Vec<Broker> {
        let broker = |(index, host): (usize, &String)| {
            let number = index + 1;
            let (volume, folder) = match self.layout {
                Layout::Volumes => (format!("{VOLUME}-{number}"), "data".to_owned()),
                Layout::Folders => (VOLUME.to_owned(), format!("broker-{number}")),
            };
            Broker { number, host: host.clone(), volume, folder }
        };
        self.brokers.iter().enumerate().map(broker).collect()
    }

    /// The names of the volumes, each once.
    pub fn volumes(&self) -> Vec<String> {
        let mut names: Vec<String> = self.plan().into_iter().map(|broker| broker.volume).collect();
        names.dedup();
        names
    }

    /// The rules of the brokers.
    pub fn rules(&self) -> Vec<NewRule> {
        let rule = |host: &String| NewRule {
            clients: host.clone(),
            access: Some(Access::ReadWrite),
            squash: Some(self.squash),
            anonymous_uid: None,
            anonymous_gid: None,
            security: None,
            tls: Some(if self.tls { TlsUse::Required } else { TlsUse::Optional }),
            groups: None,
        };
        self.brokers.iter().map(rule).collect()
    }

    /// The line of a broker's /etc/fstab. Clients mount the broker's volume by `path`.
    pub fn fstab(&self, nfs: &NfsView, reached: Option<&str>, path: &str) -> String {
        let tls = if self.tls { ",xprtsec=tls" } else { "" };
        let (source, mount) = (nfs.source(reached, path), self.mount.display());
        format!("{source}  {mount}  nfs  {}{tls},_netdev  0  0", nfs.options)
    }

    /// Returns a warning if brokers cannot reach the address that the daemon listens on.
    pub fn unreachable(&self, nfs: &NfsView) -> Option<String> {
        let is_own = |host: &str| match host.parse::<IpAddr>() {
            Ok(address) => address.is_loopback(),
            Err(_) => host == "localhost",
        };
        let far = self.brokers.iter().find(|broker| !is_own(broker))?;
        is_own(&nfs.address).then(|| {
            format!(
                "warning: the daemon listens on {} alone, which {far} cannot reach: set nfs.listen to an address of this machine, or to \
                 0.0.0.0:2049, restart the daemon, and run this again",
                nfs.address
            )
        })
    }

    /// The line of a broker's server.properties.
    pub fn properties(&self, broker: &Broker) -> String {
        format!("log.dirs={}/{}", self.mount.display(), broker.folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wishes(layout: Layout) -> Wishes {
        Wishes {
            brokers: vec!["10.1.0.11".to_owned(), "kafka-2".to_owned()],
            squash: Squash::Root,
            tls: true,
            layout,
            owner: (993, 990),
            size: None,
            snapshots: None,
            mount: "/var/lib/kafka".into(),
        }
    }

    #[test]
    fn an_address_that_brokers_cannot_reach_is_named() {
        let view = |address: &str| NfsView::of(address.parse().unwrap(), false);
        let unreachable = |address: &str| wishes(Layout::Volumes).unreachable(&view(address));
        let said = unreachable("127.0.0.1:2049").unwrap();
        assert!(said.contains("10.1.0.11") && said.contains("nfs.listen"), "{said}");
        assert!(unreachable("[::1]:2049").is_some());
        assert_eq!(unreachable("0.0.0.0:2049"), None);
        assert_eq!(unreachable("10.1.0.1:2049"), None);
        let here =
            Wishes { brokers: vec!["localhost".into(), "127.0.0.1".into()], ..wishes(Layout::Volumes) };
        assert_eq!(here.unreachable(&view("127.0.0.1:2049")), None);
    }

    #[test]
    fn each_broker_has_its_lines() {
        let nfs = NfsView::of("192.0.2.1:2049".parse().unwrap(), true);
        let volumes = wishes(Layout::Volumes);
        let brokers = volumes.plan();
        assert_eq!(volumes.volumes(), ["kafka-1", "kafka-2"]);
        assert_eq!(
            volumes.fstab(&nfs, None, "/kafka-2"),
            "192.0.2.1:/kafka-2  /var/lib/kafka  nfs  vers=4.2,hard,nconnect=4,xprtsec=tls,_netdev  0  0"
        );
        assert_eq!(volumes.properties(&brokers[1]), "log.dirs=/var/lib/kafka/data");
        let folders = wishes(Layout::Folders);
        assert_eq!(folders.volumes(), ["kafka"]);
        assert_eq!(folders.properties(&folders.plan()[1]), "log.dirs=/var/lib/kafka/broker-2");
        assert_eq!(folders.rules().len(), 2);
    }
}
