//! Machines that can serve one pool: network namespaces on one switch, which see the same directory. One more has the clients, and another one may have the
//! database.

use std::collections::BTreeMap;
use std::fs::File;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use tempfile::TempDir;

use crate::postgres::Server;

/// The address that moves.
pub const ADDRESS: &str = "10.0.0.50";
/// Where clients reach NFS.
pub const NFS: &str = "10.0.0.50:2049";

static SWITCHES: AtomicU32 = AtomicU32::new(0);

/// What the fence program does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fence {
    /// Kills the node's daemon and takes its addresses, as if its power had been cut.
    Kills,
    /// Says that it did, and does nothing.
    Lies,
    /// The same, and the file system takes the locks away from the node: the files that it has open are no longer those that others see,
    /// but what it opens by name is.
    LosesLocks,
    /// Fails.
    Fails,
}

/// Nodes `a`, `b`, …, and the machine with clients. All disappears when this is dropped.
pub struct Cluster {
    name: String,
    scratch: TempDir,
    fence: Fence,
    /// The first one is the switch. The index of another machine is the last number of its IP address.
    machines: Vec<String>,
    database: Option<PoolDatabase>,
}

/// A pool in a database.
struct PoolDatabase {
    _server: Server,
    url: String,
}

/// The name of the pool in a database.
const POOL: &str = "moved";
/// The machine with the database.
const DATABASE: &str = "database";

impl Cluster {
    /// Connects so many nodes to a pool that has a volume for everyone. Says why and returns none where that is impossible.
    pub fn new(nodes: usize, fence: Fence) -> Option<Cluster> {
        let cluster = Cluster::of_machines(nodes, &["clients"], fence)?;
        cluster.write_fence();
        let pool = cluster.pool().display().to_string();
        done(&Command::new(PROGRAM).args(["init", "--pool-directory", &pool]).output().unwrap());
        Some(cluster)
    }

    /// The same with a pool in a database, which has a machine of its own.
    pub fn in_database(nodes: usize) -> Option<Cluster> {
        let mut cluster = Cluster::of_machines(nodes, &["clients", DATABASE], Fence::Fails)?;
        let host = cluster.ip_of(DATABASE);
        let server = cluster.on(DATABASE, || {
            Server::start_with("listen_addresses = '*'", |directory| {
                let rules = directory.join("data/pg_hba.conf");
                let known = std::fs::read_to_string(&rules).unwrap();
                std::fs::write(&rules, format!("{known}\nhost all all 10.0.0.0/24 trust\n")).unwrap();
            })
        });
        let url = format!("postgres://forebay@{host}/postgres");
        std::fs::create_dir(cluster.segments()).unwrap();
        let mut create = Command::new(PROGRAM);
        create.args(["pool", "create", POOL, "--metadata", &url, "--segments"]).arg(cluster.segments());
        done(&cluster.on(DATABASE, || create.output().unwrap()));
        cluster.database = Some(PoolDatabase { _server: server, url });
        Some(cluster)
    }

    fn of_machines(nodes: usize, others: &[&str], fence: Fence) -> Option<Cluster> {
        if !rustix::process::geteuid().is_root() || Command::new("ip").arg("-V").output().is_err() {
            println!("skipped: needs root, and the program ip");
            return None;
        }
        let number = SWITCHES.fetch_add(1, Ordering::Relaxed);
        let name = format!("fb-takeover-{}-{number}", std::process::id());
        let scratch = tempfile::tempdir().unwrap();
        let mut cluster = Cluster { name, scratch, fence, machines: Vec::new(), database: None };
        let switch = cluster.namespace("switch");
        cluster.machines.push("switch".to_owned());
        ip(&format!("netns add {switch}"));
        ip(&format!("-n {switch} link add br0 type bridge"));
        ip(&format!("-n {switch} link set br0 up"));
        for machine in names(nodes).into_iter().chain(others.iter().map(|other| (*other).to_owned())) {
            let namespace = cluster.namespace(&machine);
            cluster.machines.push(machine.clone());
            ip(&format!("netns add {namespace}"));
            ip(&format!("link add port-{machine} netns {switch} type veth peer name eth0 netns {namespace}"));
            ip(&format!("-n {switch} link set port-{machine} master br0 up"));
            ip(&format!("-n {namespace} link set lo up"));
            ip(&format!("-n {namespace} link set eth0 up"));
            ip(&format!("-n {namespace} address add {}/24 dev eth0", cluster.ip_of(&machine)));
        }
        Some(cluster)
    }

    fn ip_of(&self, machine: &str) -> String {
        let number = self.machines.iter().position(|known| known == machine).unwrap();
        format!("10.0.0.{number}")
    }

    /// The directory of segments of a pool in a database.
    fn segments(&self) -> PathBuf {
        self.scratch.path().join("segments")
    }

    /// Whether a node's machine has the address that moves.
    pub fn has_address(&self, node: &str) -> bool {
        let mut command = Command::new("ip");
        command.args(["-n", &self.namespace(node), "-oneline", "address", "show", "dev", "eth0"]);
        done(&command.output().unwrap()).contains(&format!("{ADDRESS}/"))
    }

    /// Nothing that the database sends reaches a node any more, which everybody else reaches.
    pub fn lose_database(&self, node: &str) {
        ip(&format!("-n {} route add blackhole {}", self.namespace(DATABASE), self.ip_of(node)));
    }

    /// The pool's directory.
    pub fn pool(&self) -> PathBuf {
        self.scratch.path().join("pool")
    }

    /// The files that a node has open which has lost its locks, with their content.
    pub fn open_files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut directories = vec![self.scratch.path().join("open")];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(&directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    directories.push(path);
                } else {
                    let content = std::fs::read(&path).unwrap();
                    files.insert(path, content);
                }
            }
        }
        files
    }

    fn namespace(&self, machine: &str) -> String {
        format!("{}-{machine}", self.name)
    }

    fn pid_file(&self, node: &str) -> PathBuf {
        self.scratch.path().join(format!("{node}.pid"))
    }

    fn write_fence(&self) {
        let text = match self.fence {
            Fence::Kills => format!(
                "#!/bin/sh\nset -e\n[ \"$1\" = fence ]\nkill -9 $(cat {dir}/$2.pid) || true\nip -n {name}-$2 address flush dev eth0\n\
                 echo \"$2\" >>{dir}/fenced\n",
                dir = self.scratch.path().display(),
                name = self.name,
            ),
            Fence::LosesLocks => format!(
                "#!/bin/sh\nset -e\necho \"$2\" >>{dir}/fenced\nmv {dir}/pool {dir}/open\ncp -a {dir}/open {dir}/pool\n",
                dir = self.scratch.path().display(),
            ),
            Fence::Lies => format!("#!/bin/sh\necho \"$2\" >>{}/fenced\n", self.scratch.path().display()),
            Fence::Fails => "#!/bin/sh\necho 'the power switch does not answer' >&2\nexit 3\n".to_owned(),
        };
        let file = self.scratch.path().join("fence");
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The nodes that were fenced.
    pub fn fenced(&self) -> String {
        std::fs::read_to_string(self.scratch.path().join("fenced")).unwrap_or_default()
    }

    /// Starts the daemon of a node as one of several.
    pub fn start(&self, node: &str) -> Daemon {
        self.start_with(node, &[])
    }

    /// The same, with arguments that go before.
    pub fn start_with(&self, node: &str, arguments: &[&str]) -> Daemon {
        let log = self.scratch.path().join(format!("{node}.log"));
        let out = File::options().create(true).append(true).open(&log).unwrap();
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace(node), PROGRAM, "serve"]).args(arguments);
        match &self.database {
            None => {
                command.env("FOREBAY_NODE_STANDBY", "on").env("FOREBAY_NODE_ANY_FILE_SYSTEM", "on");
                command.env("FOREBAY_NODE_FENCE", self.scratch.path().join("fence"));
            }
            Some(database) => {
                command.env("FOREBAY_POOL_NAME", POOL).env("FOREBAY_POOL_METADATA", &database.url);
                command.env("FOREBAY_POOL_SEGMENTS", self.segments());
            }
        }
        command.env("FOREBAY_NODE_NAME", node).env("FOREBAY_NODE_ADDRESSES", format!("{ADDRESS}/24@eth0"));
        command.env("FOREBAY_API_LISTEN", "off");
        command.env("FOREBAY_POOL_DIRECTORY", self.directory(node));
        command.env("FOREBAY_ADMIN_SOCKET", self.socket(node));
        command.stdout(out.try_clone().unwrap()).stderr(out).stdin(Stdio::null());
        let process = command.spawn().unwrap();
        std::fs::write(self.pid_file(node), process.id().to_string()).unwrap();
        Daemon { process, log }
    }

    /// The pool's directory, or what a node has of its own of a pool in a database.
    fn directory(&self, node: &str) -> PathBuf {
        if self.database.is_some() { self.scratch.path().join(node) } else { self.pool() }
    }

    fn socket(&self, node: &str) -> PathBuf {
        self.scratch.path().join(format!("{node}.sock"))
    }

    /// Runs `forebay` against the daemon of a node.
    pub fn command(&self, node: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).arg("--pool-directory").arg(self.directory(node));
        done(&command.arg("--admin-socket").arg(self.socket(node)).output().unwrap())
    }

    /// Cuts the power of a node: its cable is dead, and nothing runs any more.
    pub fn vanish(&self, node: &str, daemon: &Daemon) {
        ip(&format!("-n {} link set port-{node} down", self.namespace("switch")));
        daemon.signal(Signal::STOP);
    }

    /// Connects a node again. Its daemon goes on, if it still exists.
    pub fn come_back(&self, node: &str, daemon: &Daemon) {
        ip(&format!("-n {} link set port-{node} up", self.namespace("switch")));
        let _ = kill_process(daemon.pid(), Signal::CONT);
    }

    /// Runs a future on the machine with the clients.
    pub fn on_clients<T: Send>(&self, work: impl AsyncFnOnce() -> T + Send) -> T {
        self.on("clients", move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(work())
        })
    }

    /// Runs this on a machine, in a thread of its own. Processes that it starts are there as well.
    fn on<T: Send>(&self, machine: &str, work: impl FnOnce() -> T + Send) -> T {
        let namespace = File::open(format!("/run/netns/{}", self.namespace(machine))).unwrap();
        thread::scope(|scope| {
            let thread = scope.spawn(move || {
                move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
                work()
            });
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for machine in &self.machines {
            let _ = Command::new("ip").args(["netns", "delete", &self.namespace(machine)]).output();
        }
    }
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_forebay");

fn names(nodes: usize) -> Vec<String> {
    (b'a'..).take(nodes).map(|letter| char::from(letter).to_string()).collect()
}

/// A daemon. It is killed when this is dropped.
pub struct Daemon {
    process: Child,
    log: PathBuf,
}

impl Daemon {
    fn pid(&self) -> Pid {
        Pid::from_child(&self.process)
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// What it has written.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Waits until it has written this.
    pub fn wait_for(&self, text: &str) {
        wait_for(text, || self.log().contains(text));
    }

    /// Waits for its end, and returns the exit status.
    pub fn end(&mut self) -> Option<i32> {
        let mut status = None;
        wait_for("the end of a daemon", || {
            status = self.process.try_wait().unwrap();
            status.is_some()
        });
        status.and_then(|status| status.code())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if thread::panicking() {
            println!("--- {}\n{}", self.log.display(), self.log());
        }
    }
}

/// Where clients reach NFS.
pub fn nfs() -> SocketAddr {
    NFS.parse().unwrap()
}

/// Waits until something is true; fails after 30 s.
pub fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(30), "in vain: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn ip(arguments: &str) {
    done(&Command::new("ip").args(arguments.split(' ')).output().unwrap());
}

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A file whose presence shows that `directory` is a pool's.
pub fn owner_file(directory: &Path) -> PathBuf {
    directory.join("OWNER")
}
