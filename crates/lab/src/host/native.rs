//! A native node: an agent that runs as a program of the host, in the lab's namespaces, with an address of its own on the loopback network.
//!
//! Like a guest it represents a machine, but it shares the host's kernel: it cannot mount anything or lose its power.

use std::fs::{self, File};
use std::net::Ipv4Addr;
use std::num::NonZero;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::cgroup::CpuGroup;
use super::environment::Environment;
use super::node::Node;
use super::process_tree;
use super::processors::ProcessorSplit;
use crate::agent::{AgentConfig, NativeConfig};
use crate::exec;
use crate::executable;

/// Time limit from the start of the agent until it answers.
const START_PATIENCE: Duration = Duration::from_secs(60);

/// A running native node. Dropping it ends the agent and everything that it started.
#[derive(Debug)]
pub struct Native {
    node: Node,
    agent: Mutex<Child>,
    pid: u32,
    started: Instant,
    processors: u32,
    /// `None` if the lab cannot create control groups on this machine.
    group: Option<CpuGroup>,
    log: PathBuf,
}

impl Native {
    /// Starts an agent and waits until it answers. `index` counts nodes from 1; `folder` is the node's own on the storage under test.
    pub(super) fn start(
        environment: &Environment,
        name: &str,
        index: u8,
        folder: &Path,
        processors: Option<ProcessorSplit>,
    ) -> Result<Self> {
        let address = Ipv4Addr::new(127, 0, 1, index);
        let work_folder = environment.state_folder().join(name);
        fs::create_dir_all(&work_folder).with_context(|| format!("make {}", work_folder.display()))?;
        let config = AgentConfig::Native(NativeConfig { address, folder: folder.to_owned() });
        let config_path = work_folder.join("agent.json");
        fs::write(&config_path, serde_json::to_vec(&config)?)
            .with_context(|| format!("write {}", config_path.display()))?;
        let log_path = environment.logs().join(format!("{name}-agent.log"));
        let log = File::create(&log_path).with_context(|| format!("create {}", log_path.display()))?;
        let group = environment.cgroup().and_then(|parent| CpuGroup::create(parent, name).ok());
        let mut command = Command::new(executable::lab()?);
        command.arg("agent").arg(&config_path);
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let agent =
            ProcessorSplit::spawn(processors, None, &mut command).context("start a native node's agent")?;
        let processors = match processors {
            Some(split) => split.counts().0,
            None => {
                std::thread::available_parallelism().map_or(1, NonZero::get).try_into().unwrap_or(u32::MAX)
            }
        };
        let (pid, node) = (agent.id(), Node::new("native node", name, address, work_folder));
        let (agent, started) = (Mutex::new(agent), Instant::now());
        let mut native = Self { node, agent, pid, started, processors, group: None, log: log_path };
        // Before the first request, so that all programs of the agent are counted.
        native.group = group.filter(|group| group.add(pid).is_ok());
        let ended = || Ok(native.ended()?.map(|status| status.to_string()));
        native.node.wait_for_agent(START_PATIENCE, ended, || native.log_tail())?;
        Ok(native)
    }

    /// The process that starts all of its programs.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Processor time that its programs have taken since it started.
    pub fn busy(&self) -> Result<Duration> {
        match &self.group {
            Some(group) => group.busy(),
            None => Ok(process_tree::busy(self.pid)),
        }
    }

    /// Processor time that the machine could have given it since it started.
    pub fn available(&self) -> Duration {
        self.started.elapsed().saturating_mul(self.processors)
    }

    /// Kills the agent and everything that it started.
    pub fn kill(&self) -> Result<()> {
        if !self.group.as_ref().is_some_and(CpuGroup::kill) {
            process_tree::kill_descendants(self.pid);
        }
        let mut agent = self.agent();
        agent.kill().and_then(|()| agent.wait()).map(drop).with_context(|| format!("end {}", self.title()))
    }

    /// The source of [`Native::busy`], for a report.
    pub fn accounting(&self) -> &'static str {
        match self.group {
            Some(_) => "the control group of its processes",
            None => "/proc/PID/stat of its processes",
        }
    }

    /// How its agent ended, or `None` while it runs.
    pub fn ended(&self) -> Result<Option<ExitStatus>> {
        self.agent().try_wait().with_context(|| format!("look after {}", self.title()))
    }

    fn log_tail(&self) -> String {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        format!("{} ends with: {}", self.log.display(), exec::last_lines(&text, 5))
    }

    fn agent(&self) -> MutexGuard<'_, Child> {
        self.agent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deref for Native {
    type Target = Node;

    fn deref(&self) -> &Node {
        &self.node
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}
