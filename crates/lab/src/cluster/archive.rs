//! A class-data archive: the classes of a Kafka broker as the Java machine keeps them in memory, so that each start maps them
//! instead of reading, checking and compiling their layout again. It more than halves the processor time that a broker takes to start.
//!
//! A Java machine other than the one that made the archive, or one that cannot map it, does without.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use super::Distribution;
use super::broker::STARTED;
use super::config::{self, CLUSTER_ID};
use super::java::{self, Size};

const SIZE: Size = Size { heap_mib: 256 };
const START_PATIENCE: Duration = Duration::from_secs(240);
const END_PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(100);

/// Makes the archive: starts a node of all roles on the loopback address, in a folder of its own, and lets the Java machine
/// archive what it has loaded when the node ends.
pub fn make(kafka: &Distribution, work: &Path, target: &Path) -> Result<()> {
    fs::create_dir_all(work).with_context(|| format!("make folder {}", work.display()))?;
    let properties = work.join("node.properties");
    let ports = [free_port()?, free_port()?];
    fs::write(&properties, config::loopback(ports, &work.join("data")))
        .with_context(|| format!("write {}", properties.display()))?;
    let properties = properties.to_string_lossy();
    let log = work.join("node.log");
    let format = ["format", "--cluster-id", CLUSTER_ID, "--config", &properties];
    let status =
        command(kafka, &[], "kafka.tools.StorageTool", &format, &log)?.status().context("start java")?;
    if !status.success() {
        bail!("the node's folder could not be formatted ({status}); see {}", log.display());
    }
    let made = work.join("made.jsa");
    let dump = format!("-XX:ArchiveClassesAtExit={}", made.display());
    let mut node =
        Node(command(kafka, &[dump], "kafka.Kafka", &[&properties], &log)?.spawn().context("start java")?);
    node.wait_until_it_serves(&log)?;
    node.stop()?;
    fs::rename(&made, target).with_context(|| format!("move {}", made.display()))
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

/// A port that nobody listens on at this moment.
fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("look for a free port")?;
    Ok(listener.local_addr().context("look for a free port")?.port())
}

/// The node's process; dropping it ends it.
struct Node(Child);

impl Node {
    fn wait_until_it_serves(&mut self, log: &Path) -> Result<()> {
        let deadline = Instant::now() + START_PATIENCE;
        while !fs::read_to_string(log).unwrap_or_default().contains(STARTED) {
            if let Some(status) = self.0.try_wait().context("look after the node")? {
                bail!("the node ended while it started ({status}); see {}", log.display());
            }
            if Instant::now() > deadline {
                bail!("the node did not start within {} s; see {}", START_PATIENCE.as_secs(), log.display());
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Asks it to end, which is when the archive is written.
    fn stop(&mut self) -> Result<()> {
        let pid = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw).context("pid out of range")?;
        kill_process(pid, Signal::TERM).context("ask the node to end")?;
        let deadline = Instant::now() + END_PATIENCE;
        while self.0.try_wait().context("look after the node")?.is_none() {
            if Instant::now() > deadline {
                bail!("the node did not end within {} s", END_PATIENCE.as_secs());
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
