//! A Kafka node with all roles on the loopback address, with its data in a folder of its own: creates the class-data archive, and serves tests
//! as a cluster that the lab did not start.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use super::broker::STARTED;
use super::config;
use super::distribution::Distribution;
use super::format::format;
use super::java::{self, Size};

const SIZE: Size = Size { heap_mib: 256 };
const START_PATIENCE: Duration = Duration::from_secs(240);
const END_PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(100);

/// The running node. Dropping it kills it.
#[derive(Debug)]
pub struct Loopback {
    process: Child,
    endpoint: String,
    log: PathBuf,
}

impl Loopback {
    /// Formats a folder, starts a node there with more options for its Java machine, and waits until it serves.
    pub fn start(kafka: &Distribution, folder: &Path, options: &[String]) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("make folder {}", folder.display()))?;
        let properties = folder.join("node.properties");
        let ports = [free_port()?, free_port()?];
        fs::write(&properties, config::loopback(ports, &folder.join("data")))
            .with_context(|| format!("write {}", properties.display()))?;
        let log = folder.join("node.log");
        format(kafka, &properties, &log)?;
        let properties = properties.to_string_lossy();
        let process =
            command(kafka, options, "kafka.Kafka", &[&properties], &log)?.spawn().context("start java")?;
        let mut node = Self { process, endpoint: format!("127.0.0.1:{}", ports[0]), log };
        node.wait_until_it_serves()?;
        Ok(node)
    }

    /// `address:port`, for clients.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    fn wait_until_it_serves(&mut self) -> Result<()> {
        let deadline = Instant::now() + START_PATIENCE;
        let log = &self.log;
        while !fs::read_to_string(log).unwrap_or_default().contains(STARTED) {
            if let Some(status) = self.process.try_wait().context("look after the node")? {
                bail!("the node ended while it started ({status}); see {}", log.display());
            }
            if Instant::now() > deadline {
                bail!("the node did not start within {} s; see {}", START_PATIENCE.as_secs(), log.display());
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Stops it, and waits until it has ended.
    pub fn stop(mut self) -> Result<()> {
        let pid =
            i32::try_from(self.process.id()).ok().and_then(Pid::from_raw).context("pid out of range")?;
        kill_process(pid, Signal::TERM).context("ask the node to end")?;
        let deadline = Instant::now() + END_PATIENCE;
        while self.process.try_wait().context("look after the node")?.is_none() {
            if Instant::now() > deadline {
                bail!("the node did not end within {} s", END_PATIENCE.as_secs());
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn command(
    kafka: &Distribution,
    options: &[String],
    main: &str,
    arguments: &[&str],
    log: &PathBuf,
) -> Result<Command> {
    let log = File::options()
        .create(true)
        .append(true)
        .open(log)
        .with_context(|| format!("open {}", log.display()))?;
    let words = java::words(kafka, SIZE, "info", main, arguments);
    let (program, rest) = words.split_first().context("a command line has a program")?;
    let mut command = Command::new(program);
    command.args(options).args(rest).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    Ok(command)
}

/// A port that is free at this moment.
fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("look for a free port")?;
    Ok(listener.local_addr().context("look for a free port")?.port())
}
