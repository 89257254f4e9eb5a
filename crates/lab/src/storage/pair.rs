//! Two nodes and one pool: each runs the daemon on a machine of its own, both see what the pool lies in, and one of them serves it at an
//! address that moves.

use std::fs::{self, File};
use std::net::Ipv4Addr;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::process::Signal;
use serde::Deserialize;

use super::elsewhere::Elsewhere;
use super::forebay::{JUNCTION_PATH, POOL_SIZE_MAX, differences_of};
use super::interface::{Storage, Volumes};
use super::nfs::mount_nfs;
use super::server::Server;
use super::supervisor::Supervisor;
use crate::host::{DEVICE, Environment, Guest, Machine, PREFIX};
use crate::request::StorageKind;

/// The address that moves.
const ADDRESS: Ipv4Addr = Ipv4Addr::new(10, 99, 0, 5);
const OPTIONS: &str = "vers=4.2,nconnect=4";
/// Nothing listens there, and the machine says so.
const WITNESS_PORT: u16 = 9;
const PATIENCE: Duration = Duration::from_secs(60);
/// The interval between two looks.
const PAUSE: Duration = Duration::from_millis(20);
/// In the log of a standby that may take the pool over.
const WATCHING: &str = "has the pool, and what it writes is seen here";
/// The same of a pool in a database.
const WAITING: &str = "waiting: another node serves the pool";
/// In the log of a node that takes a pool in a database.
const TAKING: &str = "this node takes the pool";
/// In the output of a daemon that serves.
const READY: &str = "\nready: ";

/// What the pool lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A directory that both nodes see. A node that is replaced is fenced by a program.
    Directory,
    /// PostgreSQL and a bucket. Nobody is fenced by a program.
    Elsewhere,
}

/// One of the two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// The first.
    A,
    /// The second.
    B,
}

impl Node {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::A, Self::B];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
        }
    }

    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    fn address(self) -> Ipv4Addr {
        match self {
            Self::A => Ipv4Addr::new(10, 99, 0, 2),
            Self::B => Ipv4Addr::new(10, 99, 0, 3),
        }
    }
}

/// How the pool came to its owner, in milliseconds, as the owner says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Takeover {
    /// How long the owner before had been silent; 0 if it gave the pool up.
    pub silent_ms: u64,
    /// How long fencing took.
    pub fence_ms: Option<u64>,
    /// How long opening took.
    pub open_ms: Option<u64>,
    /// How long it took to get the address.
    pub address_ms: Option<u64>,
}

/// The fields of the file OWNER that the lab needs.
#[derive(Debug, Clone, Deserialize)]
struct Owner {
    node: Named,
    phase: String,
    takeover: Takeover,
}

#[derive(Debug, Clone, Deserialize)]
struct Named {
    name: String,
}

/// The nodes. Dropping it ends both at once.
pub struct Pair {
    program: PathBuf,
    /// The pool's directory, or the folder with a directory of each node.
    pool: PathBuf,
    elsewhere: Option<Elsewhere>,
    /// Admin sockets, process ids, and the fence program.
    state: PathBuf,
    logs: PathBuf,
    witness: Ipv4Addr,
    machines: [Machine; 2],
    daemons: Mutex<[Daemon; 2]>,
}

/// A node's daemon.
struct Daemon {
    server: Server,
    supervisor: Supervisor,
    /// Where its log began when it was started last.
    log_from: u64,
}

impl Daemon {
    fn new(name: &'static str, state: &Path) -> Result<Self> {
        let supervisor = Supervisor::new(state.join(format!("{name}.notify")))?;
        Ok(Self { server: Server::new(name), supervisor, log_from: 0 })
    }
}

impl Pair {
    /// Makes a pool and starts both nodes; the first serves.
    pub fn start(environment: &Environment, place: Place) -> Result<Arc<Self>> {
        let network = environment.network()?;
        let machine = |node: Node| network.add_machine(node.name(), node.address());
        let state = environment.state_folder();
        let pair = Arc::new(Self {
            program: environment.daemon()?.to_owned(),
            pool: environment.fresh("pair-data")?,
            elsewhere: match place {
                Place::Directory => None,
                Place::Elsewhere => Some(Elsewhere::start(environment)?),
            },
            state: state.to_owned(),
            logs: environment.logs(),
            witness: environment.gateway(),
            machines: [machine(Node::A)?, machine(Node::B)?],
            daemons: Mutex::new([Daemon::new("node-a", state)?, Daemon::new("node-b", state)?]),
        });
        if place == Place::Directory {
            pair.write_fence()?;
            let mut init = Command::new(&pair.program);
            crate::exec::run(init.args(["init", "--pool-directory"]).arg(&pair.pool))
                .context("make the pool")?;
        }
        pair.start_node(Node::A)?;
        pair.wait_until_serving(Node::A)?;
        pair.start_node(Node::B)?;
        pair.wait_until_watching(Node::B)?;
        Ok(pair)
    }

    /// A fence program that ends the node's daemon and takes its address, as if its power had been cut.
    fn write_fence(&self) -> Result<()> {
        let mut text = "#!/bin/sh\nset -e\n[ \"$1\" = fence ]\n".to_owned();
        text.push_str(&format!("kill -9 \"$(cat '{}'/\"$2\".pid)\" || true\n", self.state.display()));
        for node in Node::ALL {
            let (name, machine) = (node.name(), self.machine(node).prefix());
            text.push_str(&format!(
                "if [ \"$2\" = {name} ]; then {machine} ip address delete {ADDRESS}/{PREFIX} dev {DEVICE} || true; fi\n"
            ));
        }
        let file = self.fence_file();
        fs::write(&file, text).with_context(|| format!("write {}", file.display()))?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
        Ok(())
    }

    /// Starts the daemon of a node that was off. It serves the pool, or waits until it may.
    pub fn start_node(&self, node: Node) -> Result<()> {
        of(&mut self.daemons(), node).supervisor.forget();
        self.restart_node(node)
    }

    /// Starts the daemon of a node again, as an init system does that has kept its listener.
    pub fn restart_node(&self, node: Node) -> Result<()> {
        let mut daemons = self.daemons();
        let daemon = of(&mut daemons, node);
        let (mut command, stdin) = match daemon.supervisor.pass()? {
            Some((shell, stdin)) => {
                let mut command = self.machine(node).command(shell[0]);
                command.args(&shell[1..]).arg(&self.program);
                (command, stdin)
            }
            None => (self.machine(node).command(&self.program), Stdio::null()),
        };
        command.env("NOTIFY_SOCKET", daemon.supervisor.path());
        command.args(["serve", "--node-name", node.name()]);
        command.args(["--address", &format!("{ADDRESS}/{PREFIX}@{DEVICE}")]);
        match &self.elsewhere {
            Some(elsewhere) => {
                let folder = self.pool.join(node.name());
                fs::create_dir_all(&folder).with_context(|| format!("create {}", folder.display()))?;
                command.args(elsewhere.arguments(&folder));
            }
            None => {
                command.arg("--pool-directory").arg(&self.pool).args(["--pool-size-max", POOL_SIZE_MAX]);
                command
                    .args(["--standby", "--node-any-file-system", "on"])
                    .arg("--fence")
                    .arg(self.fence_file());
                command.args(["--witness", &format!("{}:{WITNESS_PORT}", self.witness)]);
            }
        }
        command.arg("--admin-socket").arg(self.socket(node)).args(["--api-listen", "off"]);
        let log = self.log(node);
        let log = File::options()
            .create(true)
            .append(true)
            .open(&log)
            .with_context(|| format!("open {}", log.display()))?;
        daemon.log_from = log.metadata()?.len();
        daemon.server.start_with_input(&mut command, stdin, log)?;
        let pid = daemon.server.pid().context("the daemon does not run")?;
        fs::write(self.pid_file(node), pid.to_string()).context("write the daemon's process id")
    }

    /// What a pool lies in that is not in a directory.
    pub fn elsewhere(&self) -> Result<&Elsewhere> {
        self.elsewhere.as_ref().context("the pool lies in a directory")
    }

    /// The node that serves the pool, or opens it.
    pub fn owner(&self) -> Result<Node> {
        let name = match &self.elsewhere {
            Some(elsewhere) => elsewhere.owner()?.0,
            None => self.read_owner()?.node.name,
        };
        Node::ALL.into_iter().find(|node| node.name() == name).context("another node owns the pool")
    }

    /// How the pool came to its owner, if the owner says it.
    pub fn takeover(&self) -> Result<Option<Takeover>> {
        match &self.elsewhere {
            Some(_) => Ok(None),
            None => Ok(Some(self.read_owner()?.takeover)),
        }
    }

    /// Waits until a node serves the pool.
    pub fn wait_until_serving(&self, node: Node) -> Result<()> {
        self.wait_until(node, "does not serve the pool", || self.serves(node))
    }

    /// Whether a node serves the pool, and has not ended since it said so.
    pub fn serves(&self, node: Node) -> bool {
        let has_said = match &self.elsewhere {
            Some(_) => self.has_said(node, READY),
            None => self.is_in(node, "serving"),
        };
        has_said && UnixStream::connect(self.socket(node)).is_ok()
    }

    /// Whether a node is opening the pool.
    pub fn opens(&self, node: Node) -> bool {
        match &self.elsewhere {
            Some(_) => self.has_said(node, TAKING),
            None => self.is_in(node, "opening"),
        }
    }

    /// Whether the log of a node has a text since the node was started last.
    fn has_said(&self, node: Node, text: &str) -> bool {
        let from = of(&mut self.daemons(), node).log_from;
        let log = fs::read(self.log(node)).unwrap_or_default();
        let log = log.get(usize::try_from(from).unwrap_or(usize::MAX)..).unwrap_or_default();
        String::from_utf8_lossy(log).contains(text)
    }

    fn is_in(&self, node: Node, phase: &str) -> bool {
        self.read_owner().is_ok_and(|owner| owner.node.name == node.name() && owner.phase == phase)
    }

    /// Waits until a node that was started last may take the pool over.
    pub fn wait_until_watching(&self, node: Node) -> Result<()> {
        let words = if self.elsewhere.is_some() { WAITING } else { WATCHING };
        self.wait_until(node, "does not see the other node", || self.has_said(node, words))
    }

    fn wait_until(&self, node: Node, what: &str, holds: impl Fn() -> bool) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while !holds() {
            if Instant::now() > deadline {
                bail!(
                    "node {} {what} after {} s; see {}",
                    node.name(),
                    PATIENCE.as_secs(),
                    self.log(node).display()
                );
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Kills a node's daemon (kill -9).
    pub fn kill(&self, node: Node) -> Result<()> {
        let mut daemons = self.daemons();
        let daemon = of(&mut daemons, node);
        daemon.supervisor.receive();
        daemon.server.kill()
    }

    /// Cuts a node off: its links are down, and nothing runs on it any more.
    pub fn vanish(&self, node: Node) -> Result<()> {
        self.machine(node).unplug()?;
        of(&mut self.daemons(), node).server.signal(Signal::STOP)
    }

    /// Cuts a node off from the network of clients. It still writes to the pool's directory, if the pool lies in one.
    pub fn unplug(&self, node: Node) -> Result<()> {
        self.machine(node).unplug()
    }

    /// Stops a node's daemon. Its machine goes on to answer for the address.
    pub fn pause(&self, node: Node) -> Result<()> {
        of(&mut self.daemons(), node).server.signal(Signal::STOP)
    }

    /// A node's daemon goes on after [`Pair::pause`].
    pub fn resume(&self, node: Node) -> Result<()> {
        of(&mut self.daemons(), node).server.signal(Signal::CONT)
    }

    /// The packets of the database to a node are lost.
    pub fn cut_off_from_database(&self, node: Node) -> Result<()> {
        self.elsewhere()?.cut_databases_off_from(node.address())
    }

    /// Ends [`Pair::cut_off_from_database`].
    pub fn mend_to_database(&self, node: Node) -> Result<()> {
        self.elsewhere()?.mend_databases_to(node.address())
    }

    /// Connects a node again to the network of clients.
    pub fn plug(&self, node: Node) -> Result<()> {
        self.machine(node).plug()
    }

    /// A node that has vanished had lost its power: nothing of it is left when it is back.
    pub fn lose_power(&self, node: Node) -> Result<()> {
        of(&mut self.daemons(), node).server.kill()?;
        let mut command = self.machine(node).command("ip");
        crate::exec::run(command.args(["address", "delete", &format!("{ADDRESS}/{PREFIX}"), "dev", DEVICE]))
    }

    /// Waits for the end of a node that learns that it was replaced. Returns how long it took, and its exit status.
    pub fn wait_for_end(&self, node: Node) -> Result<(Duration, ExitStatus)> {
        let begun = Instant::now();
        let status = of(&mut self.daemons(), node).server.wait_for_end(PATIENCE)?;
        Ok((begun.elapsed(), status))
    }

    /// Starts a node that has ended, until it may take the pool over.
    pub fn start_standby(&self, node: Node) -> Result<()> {
        self.start_node(node)?;
        self.wait_until_watching(node)
    }

    /// Asks the owner to give the pool up.
    pub fn release(&self, node: Node) -> Result<()> {
        let words = match &self.elsewhere {
            Some(_) => vec!["cluster", "move", "--to", node.other().name()],
            None => vec!["pool", "release"],
        };
        let output = self.admin(node, &words)?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "forebay {} failed: {}", words.join(" "), said.trim());
        Ok(())
    }

    /// Waits for the end of a node that was fenced or gave the pool up; plugs it in and starts it again, until it may take the pool over.
    pub fn return_as_standby(&self, node: Node) -> Result<()> {
        self.wait_for_end(node)?;
        self.plug(node)?;
        self.start_standby(node)
    }

    /// Runs a command of the daemon's program against a node.
    fn admin(&self, node: Node, words: &[&str]) -> Result<Output> {
        let mut command = Command::new(&self.program);
        command
            .args(words)
            .arg("--pool-directory")
            .arg(if self.elsewhere.is_some() { self.pool.join(node.name()) } else { self.pool.clone() })
            .arg("--admin-socket")
            .arg(self.socket(node));
        command.output().with_context(|| format!("run forebay {}", words.join(" ")))
    }

    /// The files that clients have open, by client, as the owner says.
    pub fn open_files(&self) -> Result<Vec<u64>> {
        let output = self.admin(self.owner()?, &["nfs", "clients", "--json"])?;
        let clients: Vec<Client> =
            serde_json::from_slice(&output.stdout).context("parse what nfs clients says")?;
        Ok(clients.into_iter().map(|client| client.opens).collect())
    }

    fn read_owner(&self) -> Result<Owner> {
        let file = self.pool.join("OWNER");
        let text = fs::read(&file).with_context(|| format!("read {}", file.display()))?;
        // One line of JSON, and a checksum behind it.
        let first = serde_json::Deserializer::from_slice(&text).into_iter().next();
        first
            .context("it is empty")
            .and_then(|owner| Ok(owner?))
            .with_context(|| format!("parse {}", file.display()))
    }

    fn machine(&self, node: Node) -> &Machine {
        let [a, b] = &self.machines;
        match node {
            Node::A => a,
            Node::B => b,
        }
    }

    fn daemons(&self) -> MutexGuard<'_, [Daemon; 2]> {
        self.daemons.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn socket(&self, node: Node) -> PathBuf {
        self.state.join(format!("{}.sock", node.name()))
    }

    fn pid_file(&self, node: Node) -> PathBuf {
        self.state.join(format!("{}.pid", node.name()))
    }

    fn fence_file(&self) -> PathBuf {
        self.state.join("fence")
    }

    /// The log of a node's daemon.
    pub fn log(&self, node: Node) -> PathBuf {
        self.logs.join(format!("node-{}.log", node.name()))
    }
}

fn of(daemons: &mut [Daemon; 2], node: Node) -> &mut Daemon {
    let [a, b] = daemons;
    match node {
        Node::A => a,
        Node::B => b,
    }
}

/// The fields of a client in `forebay nfs clients --json` that the lab needs.
#[derive(Deserialize)]
struct Client {
    opens: u64,
}

/// The pair as the storage of brokers.
pub struct PairStorage(pub Arc<Pair>);

impl Storage for PairStorage {
    fn kind(&self) -> StorageKind {
        StorageKind::Forebay
    }

    fn versions(&self) -> Vec<(String, String)> {
        vec![("forebay".into(), env!("CARGO_PKG_VERSION").into())]
    }

    fn mount(&self, guest: &Guest, target: &str) -> Result<()> {
        guest.load_modules(&["nfsv4"])?;
        mount_nfs(guest, ADDRESS, JUNCTION_PATH, OPTIONS, target)
    }

    fn volumes(&self) -> Result<&dyn Volumes> {
        Ok(self)
    }

    fn check(&self) -> Result<Vec<String>> {
        differences_of(&self.0.admin(self.0.owner()?, &["pool", "check", "--read", "--json"])?)
    }

    fn stop(&mut self) -> Result<()> {
        let owner = self.0.owner()?;
        let mut daemons = self.0.daemons();
        of(&mut daemons, owner.other()).server.stop(PATIENCE)?;
        of(&mut daemons, owner).server.stop(PATIENCE)
    }
}

impl Volumes for PairStorage {
    fn create(&self, name: &str) -> Result<()> {
        let output = self.0.admin(self.0.owner()?, &["volume", "create", name])?;
        ensure!(
            output.status.success(),
            "forebay volume create failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(())
    }

    fn mount(&self, guest: &Guest, name: &str, target: &str) -> Result<()> {
        guest.load_modules(&["nfsv4"])?;
        mount_nfs(guest, ADDRESS, &format!("/{name}"), OPTIONS, target)
    }

    fn limit(&self, name: &str, _: Option<u64>) -> Result<()> {
        bail!("volume {name} of a pair is not limited")
    }

    fn snapshot(&self, _: &[String], name: &str) -> Result<Duration> {
        bail!("no snapshot {name} is taken of a pair")
    }

    fn clone_snapshot(&self, volume: &str, _: &str, _: &str) -> Result<Duration> {
        bail!("volume {volume} of a pair is not cloned")
    }
}
