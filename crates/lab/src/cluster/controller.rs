//! The KRaft controller, or ZooKeeper for versions of Kafka that need it: one process on the host, in the lab's network.

use std::fs::{self, File};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::config;
use super::config::Settings;
use super::distribution::Distribution;
use super::format::format;
use super::java::{self, Size};
use crate::host::Environment;

const START_PATIENCE: Duration = Duration::from_secs(90);
const ZOOKEEPER: &str = "org.apache.zookeeper.server.quorum.QuorumPeerMain";
const SIZE: Size = Size { heap_mib: 256 };

/// The running controller. Dropping it ends it.
#[derive(Debug)]
pub struct Controller {
    process: Child,
}

impl Controller {
    /// Formats its folder, starts it, and waits until it listens.
    /// `index` tells it from others at the same environment.
    pub fn start(
        environment: &Environment,
        kafka: &Distribution,
        settings: &Settings,
        index: u16,
    ) -> Result<Self> {
        let folder = environment.fresh(&format!("controller-{index}"))?;
        let file = environment.scratch().join(format!("controller-{index}.properties"));
        let address = SocketAddr::from((environment.gateway(), config::controller_port(index)));
        let is_zookeeper = kafka.kafka_version().has_zookeeper();
        let properties = if is_zookeeper {
            config::zookeeper(address, &folder)
        } else {
            let voters = config::voters(environment.gateway(), index);
            config::controller(settings, address, &voters, &folder)
        };
        fs::write(&file, properties).with_context(|| format!("write {}", file.display()))?;
        let log_path = environment.logs().join(format!("controller-{index}.log"));
        let log = File::options().append(true).create(true).open(&log_path);
        let log = log.with_context(|| format!("create {}", log_path.display()))?;
        if !is_zookeeper {
            format(kafka, &file, &log_path)?;
        }
        let main = if is_zookeeper { ZOOKEEPER } else { "kafka.Kafka" };
        let file = file.to_string_lossy();
        let process = command(kafka, main, &[&file], &log)?.spawn().context("start the controller")?;
        let mut controller = Self { process };
        controller.wait_until_it_listens(address).with_context(|| format!("see {}", log_path.display()))?;
        Ok(controller)
    }

    fn wait_until_it_listens(&mut self, address: SocketAddr) -> Result<()> {
        let deadline = Instant::now() + START_PATIENCE;
        while TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_err() {
            if let Some(status) = self.process.try_wait().context("look after the controller")? {
                bail!("the controller ended while it started ({status})");
            }
            if Instant::now() > deadline {
                bail!("the controller does not listen after {} s", START_PATIENCE.as_secs());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn command(kafka: &Distribution, main: &str, arguments: &[&str], log: &File) -> Result<Command> {
    let words = java::words(kafka, SIZE, "info", main, arguments);
    let (program, rest) = words.split_first().context("a command line has a program")?;
    let mut command = Command::new(program);
    command.args(rest).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log.try_clone()?);
    Ok(command)
}
