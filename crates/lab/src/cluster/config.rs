//! The properties files of brokers and the controller.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

/// The controller's node id. Those of brokers count from 1.
pub const CONTROLLER_ID: u32 = 1000;
/// The port of the first cluster's controller on the host, followed by those of other clusters; on combined nodes, the port in each guest.
const CONTROLLER_PORT: u16 = 9093;
/// Every broker's port, in its guest.
pub const BROKER_PORT: u16 = 9092;
/// The port of every broker's metrics, in its guest.
pub const METRICS_PORT: u16 = 9010;
/// The id of all clusters. Kafka only requires that there is one.
pub const CLUSTER_ID: &str = "Rm9yZWJheUxhYktSYWZ0MQ";

/// Makes the kernel size the buffers of brokers' connections. With Kafka's defaults, 64 and 100 KiB, a follower or a broker in a guest accepts
/// 7 to 20 KB from its peer and then closes the window for up to 200 ms. An experiment would measure these waits (produced to four brokers
/// with replication factor 2: 6.6 MB/s instead of 23 MB/s).
const SOCKETS: [(&str, &str); 3] = [
    ("replica.socket.receive.buffer.bytes", "-1"),
    ("socket.receive.buffer.bytes", "-1"),
    ("socket.send.buffer.bytes", "-1"),
];

/// The settings that an experiment chooses for all brokers; others have Kafka's defaults.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Largest heap of a broker.
    pub heap_mib: u32,
    /// `log.segment.bytes`.
    pub segment_bytes: u64,
    /// `log.segment.delete.delay.ms`: how long a deleted replica's folder waits as `…-delete`.
    pub delete_delay_ms: u64,
    /// Further settings, by Kafka's names.
    pub more: BTreeMap<String, String>,
    /// Whether brokers serve their metrics over JMX, at [`METRICS_PORT`].
    pub metrics: bool,
}

impl Settings {
    /// Settings for brokers under load, and those that the experiment adds. The consumers of a load start together, so groups do not wait for
    /// more members; deleted topics are removed soon. Groups' offsets have three replicas, or fewer if there are fewer brokers, because Kafka
    /// would refuse them otherwise.
    pub fn for_loads(brokers: u32, heap_mib: u32, more: &[(&str, &str)]) -> Self {
        let factor = brokers.min(3).to_string();
        let common = [
            ("group.initial.rebalance.delay.ms", "0"),
            ("offsets.topic.num.partitions", "3"),
            ("offsets.topic.replication.factor", factor.as_str()),
        ];
        let all = common.iter().chain(more);
        let more = all.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Self { heap_mib, segment_bytes: 1 << 30, delete_delay_ms: 1_000, more, metrics: false }
    }

    /// All settings by Kafka's names.
    pub fn all(&self) -> Vec<(String, String)> {
        let mut all = vec![
            ("auto.create.topics.enable".to_owned(), "false".to_owned()),
            // The default of 128 MiB is a quarter of a small broker's heap, and the log cleaner has no work here.
            ("log.cleaner.dedupe.buffer.size".to_owned(), (16 << 20).to_string()),
            ("log.segment.bytes".to_owned(), self.segment_bytes.to_string()),
            ("log.segment.delete.delay.ms".to_owned(), self.delete_delay_ms.to_string()),
        ];
        all.extend(SOCKETS.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
        all.extend(self.more.clone());
        all
    }
}

/// The properties of a broker.
pub fn broker(
    settings: &Settings,
    id: u32,
    address: Ipv4Addr,
    voters: &str,
    log_folders: &[PathBuf],
    metadata_folder: &Path,
) -> String {
    let mut text = properties(&[
        ("process.roles", "broker"),
        ("node.id", &id.to_string()),
        ("controller.quorum.voters", voters),
        ("controller.listener.names", "CONTROLLER"),
        ("listeners", &format!("PLAINTEXT://{address}:{BROKER_PORT}")),
        ("log.dirs", &comma_separated(log_folders)),
        ("metadata.log.dir", &metadata_folder.display().to_string()),
    ]);
    text.push_str(&chosen(settings));
    text
}

/// The properties of a broker that ZooKeeper coordinates.
pub fn broker_of_zookeeper(
    settings: &Settings,
    id: u32,
    address: Ipv4Addr,
    zookeeper: &str,
    log_folders: &[PathBuf],
) -> String {
    let mut text = properties(&[
        ("broker.id", &id.to_string()),
        ("zookeeper.connect", zookeeper),
        ("listeners", &format!("PLAINTEXT://{address}:{BROKER_PORT}")),
        ("log.dirs", &comma_separated(log_folders)),
    ]);
    text.push_str(&chosen(settings));
    text
}

/// The properties of a ZooKeeper.
pub fn zookeeper(address: SocketAddr, folder: &Path) -> String {
    properties(&[
        ("admin.enableServer", "false"),
        ("clientPort", &address.port().to_string()),
        ("clientPortAddress", &address.ip().to_string()),
        ("dataDir", &folder.display().to_string()),
        ("maxClientCnxns", "0"),
        ("tickTime", "2000"),
    ])
}

/// The settings of the experiment.
fn chosen(settings: &Settings) -> String {
    let all = settings.all();
    let pairs: Vec<(&str, &str)> = all.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    properties(&pairs)
}

/// The properties of a combined node (broker and controller), whose log directory also has the cluster's metadata.
pub fn combined(
    settings: &Settings,
    id: u32,
    address: Ipv4Addr,
    voters: &str,
    log_folders: &[PathBuf],
) -> String {
    let listeners = format!("PLAINTEXT://{address}:{BROKER_PORT},CONTROLLER://{address}:{CONTROLLER_PORT}");
    let mut text = properties(&[
        ("process.roles", "broker,controller"),
        ("node.id", &id.to_string()),
        ("controller.quorum.voters", voters),
        ("controller.listener.names", "CONTROLLER"),
        ("listeners", &listeners),
        ("log.dirs", &comma_separated(log_folders)),
    ]);
    text.push_str(&chosen(settings));
    text
}

/// The properties of the controller, which includes some settings of the experiment, such as when a broker counts as failed.
pub fn controller(settings: &Settings, address: SocketAddr, voters: &str, folder: &Path) -> String {
    let mut text = properties(&[
        ("process.roles", "controller"),
        ("node.id", &CONTROLLER_ID.to_string()),
        ("controller.quorum.voters", voters),
        ("controller.listener.names", "CONTROLLER"),
        ("listeners", &format!("CONTROLLER://{address}")),
        ("log.dirs", &folder.display().to_string()),
    ]);
    text.push_str(&chosen(settings));
    text
}

/// The properties of a single combined node (broker and controller) on the loopback address.
pub fn loopback([port, controller_port]: [u16; 2], folder: &Path) -> String {
    properties(&[
        ("process.roles", "broker,controller"),
        ("node.id", "1"),
        ("controller.quorum.voters", &format!("1@127.0.0.1:{controller_port}")),
        ("controller.listener.names", "CONTROLLER"),
        ("listeners", &format!("PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}")),
        // There is only one broker for them.
        ("offsets.topic.replication.factor", "1"),
        ("offsets.topic.num.partitions", "1"),
        ("log.dirs", &folder.display().to_string()),
    ])
}

/// The value of `controller.quorum.voters` for the cluster with this index in an environment.
pub fn voters(address: Ipv4Addr, index: u16) -> String {
    format!("{CONTROLLER_ID}@{address}:{}", controller_port(index))
}

/// The value of `zookeeper.connect` for the cluster with this index in an environment.
pub fn zookeeper_address(address: Ipv4Addr, index: u16) -> String {
    format!("{address}:{}", controller_port(index))
}

/// The port of this cluster's controller, or ZooKeeper, on the host.
pub fn controller_port(index: u16) -> u16 {
    CONTROLLER_PORT.saturating_add(index)
}

fn comma_separated(folders: &[PathBuf]) -> String {
    folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(",")
}

/// The value of `controller.quorum.voters` for combined nodes, with ids from 1.
pub fn combined_voters(addresses: impl Iterator<Item = Ipv4Addr>) -> String {
    let voters = (1u32..).zip(addresses).map(|(id, address)| format!("{id}@{address}:{CONTROLLER_PORT}"));
    voters.collect::<Vec<_>>().join(",")
}

fn properties(pairs: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (key, value) in pairs {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{key}={}", escaped(value));
    }
    text
}

/// A value escaped for a Java properties file: all characters that are not ASCII become codes.
fn escaped(value: &str) -> String {
    let mut text = String::new();
    for unit in value.encode_utf16() {
        match u8::try_from(unit) {
            Ok(b'\\') => text.push_str("\\\\"),
            Ok(byte @ b' '..=b'~') => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_broker_keeps_groups_offsets_by_itself() {
        let factor =
            |brokers| Settings::for_loads(brokers, 512, &[]).more["offsets.topic.replication.factor"].clone();
        assert_eq!([1, 2, 3, 8].map(factor), ["1", "2", "3", "3"]);
    }

    #[test]
    fn a_broker_is_told_its_own_address_and_the_experiments_settings() {
        let settings = Settings {
            heap_mib: 512,
            segment_bytes: 1 << 20,
            delete_delay_ms: 5000,
            more: BTreeMap::from([("num.io.threads".to_owned(), "4".to_owned())]),
            metrics: false,
        };
        let address = Ipv4Addr::new(10, 0, 0, 2);
        let text = broker(
            &settings,
            3,
            address,
            "1000@10.0.0.1:9093",
            &["/mnt/logs".into(), "/mnt/more".into()],
            Path::new("/run/meta"),
        );
        for line in [
            "node.id=3",
            "listeners=PLAINTEXT://10.0.0.2:9092",
            "log.dirs=/mnt/logs,/mnt/more",
            "log.segment.bytes=1048576",
            "log.segment.delete.delay.ms=5000",
            "num.io.threads=4",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is missing from\n{text}");
        }
    }

    #[test]
    fn a_value_is_read_as_it_was_whatever_is_in_it() {
        assert_eq!(escaped("/mnt/my kafka=1"), "/mnt/my kafka=1");
        assert_eq!(escaped("/mnt/é\\x\n"), "/mnt/\\u00e9\\\\x\\u000a");
    }
}
