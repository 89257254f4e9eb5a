//! Watches each broker mount, lock its log directory, and write.

use std::collections::BTreeMap;
use std::io::{IsTerminal, stdout};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use forebay_admin::views::{ClientView, List, LockView, OpenView, VolumeView};

use super::plan::Broker;
use crate::admin::client::Client;
use crate::output::{escaped, print_line, print_own};

/// How often the daemon is asked.
const AGAIN_AFTER: Duration = Duration::from_secs(1);
/// Kafka's file that keeps other brokers out of a log directory.
const LOCK: &str = ".lock";

/// How far a broker has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Nothing is seen of it.
    Missing,
    /// It has the volume mounted.
    Mounted,
    /// It holds the lock of its log directory.
    Locked,
    /// It has written, or has files of its log open to write.
    Writes,
}

impl Stage {
    fn word(self) -> &'static str {
        match self {
            Stage::Missing => "not seen yet",
            Stage::Mounted => "mounted",
            Stage::Locked => "mounted, and has locked its log directory",
            Stage::Writes => "mounted, has locked its log directory, and writes",
        }
    }
}

/// What the daemon says of clients.
pub struct Seen {
    clients: Vec<ClientView>,
    opens: Vec<OpenView>,
    locks: Vec<LockView>,
}

impl Seen {
    fn ask(client: &Client) -> Result<Seen> {
        let clients: List<ClientView> = client.get("nfs/clients")?;
        let opens: List<OpenView> = client.get("nfs/opens")?;
        let locks: List<LockView> = client.get("nfs/locks")?;
        Ok(Seen { clients: clients.items, opens: opens.items, locks: locks.items })
    }

    /// How far a broker has come. `path` is what it mounts.
    fn stage(&self, broker: &Broker, path: &str) -> Stage {
        let below = format!("{}/{}/", path.trim_end_matches('/'), broker.folder);
        let in_log = |path: &Option<String>| {
            path.as_deref().and_then(|path| path.strip_prefix(&below)).map(str::to_owned)
        };
        let holder = self.locks.iter().find(|lock| in_log(&lock.file.path).as_deref() == Some(LOCK));
        let writes = |client: &str| {
            let is_log = |open: &OpenView| {
                open.client == client
                    && open.access.contains('w')
                    && in_log(&open.file.path).is_some_and(|name| name != LOCK)
            };
            let has_written = |one: &ClientView| one.client == client && one.bytes_written > 0;
            self.opens.iter().any(is_log) || self.clients.iter().any(has_written)
        };
        match holder {
            Some(lock) if writes(&lock.client) => Stage::Writes,
            Some(_) => Stage::Locked,
            None => {
                let is_broker = |client: &ClientView| is_at(client, &broker.host);
                let has_open = |open: &OpenView| in_log(&open.file.path).is_some();
                if self.clients.iter().any(is_broker) || self.opens.iter().any(has_open) {
                    Stage::Mounted
                } else {
                    Stage::Missing
                }
            }
        }
    }
}

/// Whether a client has registered from that address.
fn is_at(client: &ClientView, host: &str) -> bool {
    let address: Option<SocketAddr> = client.address.as_deref().and_then(|address| address.parse().ok());
    address.is_some_and(|address| host.parse() == Ok(address.ip()))
}

/// Prints each broker's progress until all of them write.
pub fn wait(
    client: &Client,
    brokers: &[Broker],
    volumes: &[VolumeView],
    seconds_max: Option<u64>,
) -> Result<()> {
    let begun = Instant::now();
    let path_of = |broker: &Broker| {
        volumes.iter().find(|volume| volume.name == broker.volume).map(|volume| volume.path.as_str())
    };
    let mut shown: BTreeMap<usize, Stage> = BTreeMap::new();
    loop {
        let seen = Seen::ask(client)?;
        for broker in brokers {
            let stage = seen.stage(broker, path_of(broker).unwrap_or_default());
            if shown.insert(broker.number, stage) != Some(stage) {
                show(broker, stage)?;
            }
        }
        let waiting: Vec<String> = brokers
            .iter()
            .filter(|broker| shown.get(&broker.number) != Some(&Stage::Writes))
            .map(|broker| broker.host.clone())
            .collect();
        if waiting.is_empty() {
            return print_line("all brokers write to Forebay");
        }
        if seconds_max.is_some_and(|seconds| begun.elapsed() >= Duration::from_secs(seconds)) {
            bail!(
                "brokers {}: do not write yet; `forebay nfs clients` and the brokers' logs show how far they are",
                waiting.join(", ")
            );
        }
        std::thread::sleep(AGAIN_AFTER);
    }
}

fn show(broker: &Broker, stage: Stage) -> Result<()> {
    let line = format!("broker {} ({}): {}", broker.number, broker.host, stage.word());
    if stage == Stage::Writes && stdout().is_terminal() {
        return print_own(&format!("\x1b[32m{}\x1b[0m\n", escaped(&line)));
    }
    print_line(&line)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn broker() -> Broker {
        Broker {
            number: 1,
            host: "10.1.0.11".to_owned(),
            volume: "kafka-1".to_owned(),
            folder: "data".to_owned(),
        }
    }

    fn seen(clients: &Value, opens: &Value, locks: &Value) -> Seen {
        let of = |value: &Value| value.clone();
        Seen {
            clients: serde_json::from_value(of(clients)).unwrap(),
            opens: serde_json::from_value(of(opens)).unwrap(),
            locks: serde_json::from_value(of(locks)).unwrap(),
        }
    }

    #[test]
    fn a_broker_is_seen_to_mount_lock_and_write() {
        let client = |address: &str| {
            json!([{ "client": "1", "owner": "x", "address": address, "state": "confirmed", "silent_ms": 0, "sessions": 1, "opens": 0,
                "locks": 0, "memory_bytes": 0, "tls": "off", "certificates": [], "bytes_written": 0,
                "now": { "read_rate": 0.0, "write_rate": 0.0, "operation_rate": 0.0 } }])
        };
        let open = |path: &str, access: &str| json!([{ "stateid": "s", "client": "1", "volume": "kafka-1", "inode": 2, "path": path, "access": access, "deny": "" }]);
        let lock = json!([{ "stateid": "s", "client": "1", "volume": "kafka-1", "inode": 2, "path": "/kafka-1/data/.lock", "offset": 0,
            "length": null, "kind": "write" }]);
        let (none, other, own) = (json!([]), client("10.1.0.12:801"), client("10.1.0.11:801"));
        let stage = |clients: &Value, opens: &Value, locks: &Value| {
            seen(clients, opens, locks).stage(&broker(), "/kafka-1")
        };
        assert_eq!(stage(&other, &none, &none), Stage::Missing);
        assert_eq!(stage(&own, &none, &none), Stage::Mounted);
        assert_eq!(stage(&other, &open("/kafka-1/data/meta.properties", "r"), &none), Stage::Mounted);
        assert_eq!(stage(&other, &open("/kafka-2/data/t-0/0.log", "rw"), &none), Stage::Missing);
        assert_eq!(stage(&own, &open("/kafka-1/data/.lock", "rw"), &lock), Stage::Locked);
        assert_eq!(stage(&own, &open("/kafka-1/data/t-0/0.log", "rw"), &lock), Stage::Writes);
    }
}
