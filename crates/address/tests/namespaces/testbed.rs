//! Machines on one network segment: network namespaces whose `eth0` is a port of one bridge.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use forebay_address::{Mac, ServiceAddress, bind};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// The port of the services that tests run.
const PORT: u16 = 2049;

/// Counts the testbeds of this process, so that their names differ.
static TESTBEDS: AtomicU32 = AtomicU32::new(0);

/// Machines, and the switch that connects them. All disappears when this is dropped.
pub struct Testbed {
    name: String,
    machines: Vec<Machine>,
    stopped: Arc<AtomicBool>,
}

/// A machine with the addresses 10.0.0.N/24 and fd00::N/64 on `eth0`, counted from 1.
#[derive(Clone)]
pub struct Machine {
    namespace: String,
    stopped: Arc<AtomicBool>,
}

impl Testbed {
    /// Connects some machines. Says why and returns `None` where this is impossible.
    pub fn new(machines: usize) -> Option<Testbed> {
        if let Some(reason) = obstacle() {
            println!("skipped: {reason}");
            return None;
        }
        let number = TESTBEDS.fetch_add(1, Ordering::Relaxed);
        let name = format!("fb-address-{}-{number}", std::process::id());
        let mut testbed = Testbed { name, machines: Vec::new(), stopped: Arc::default() };
        let switch = testbed.switch();
        ip(&format!("netns add {switch}"));
        ip(&format!("-n {switch} link add br0 type bridge"));
        ip(&format!("-n {switch} link set br0 up"));
        for number in 1..=machines {
            testbed.add_machine(number);
        }
        Some(testbed)
    }

    /// The machines.
    pub fn machines<const N: usize>(&self) -> [Machine; N] {
        self.machines.clone().try_into().ok().unwrap()
    }

    /// Pulls the cable of a machine, counted from 1.
    pub fn disconnect(&self, number: usize) {
        ip(&format!("-n {} link set port{number} down", self.switch()));
    }

    fn switch(&self) -> String {
        format!("{}-switch", self.name)
    }

    fn add_machine(&mut self, number: usize) {
        let (switch, namespace) = (self.switch(), format!("{}-{number}", self.name));
        ip(&format!("netns add {namespace}"));
        let machine = Machine { namespace, stopped: self.stopped.clone() };
        self.machines.push(machine.clone());
        let namespace = &machine.namespace;
        ip(&format!("link add port{number} netns {switch} type veth peer name eth0 netns {namespace}"));
        ip(&format!("-n {switch} link set port{number} master br0 up"));
        machine.ip("link set lo up");
        machine.ip("link set eth0 up");
        machine.ip(&format!("address add 10.0.0.{number}/24 dev eth0"));
        machine.ip(&format!("address add fd00::{number}/64 dev eth0 nodad"));
        wait_for("the link of eth0", || machine.ip("link show eth0").contains("LOWER_UP"));
    }
}

impl Drop for Testbed {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        let switch = self.switch();
        for namespace in self.machines.iter().map(|machine| &machine.namespace).chain([&switch]) {
            let _ = Command::new("ip").args(["netns", "delete", namespace]).output();
        }
    }
}

impl Machine {
    /// Runs a future on this machine.
    pub fn run<T: Send>(&self, work: impl AsyncFnOnce() -> T + Send) -> T {
        self.run_blocking(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(work())
        })
    }

    /// Runs a function on this machine, in a thread of its own.
    pub fn run_blocking<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        thread::scope(|scope| {
            let thread = scope.spawn(|| {
                self.enter();
                work()
            });
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Moves the calling thread to this machine.
    fn enter(&self) {
        let namespace = File::open(format!("/run/netns/{}", self.namespace)).unwrap();
        move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
    }

    /// Runs `ip` on this machine, and returns what it prints.
    pub fn ip(&self, arguments: &str) -> String {
        ip(&format!("-n {} {arguments}", self.namespace))
    }

    /// Adds another device, which is connected to nobody else.
    pub fn add_device(&self, name: &str) {
        self.ip(&format!("link add name {name} type veth peer name {name}-peer"));
        self.ip(&format!("link set {name}-peer up"));
        self.ip(&format!("link set {name} up"));
        wait_for("the device's link", || self.ip(&format!("link show {name}")).contains("LOWER_UP"));
    }

    /// The hardware address of `eth0`.
    pub fn mac(&self) -> Mac {
        let link = self.ip("link show eth0");
        let text = link.split_whitespace().skip_while(|word| *word != "link/ether").nth(1).unwrap();
        let bytes: Vec<_> = text.split(':').map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
        Mac(bytes.try_into().unwrap())
    }

    /// Whether a device of this machine has an IP address, as `ip` shows it.
    pub fn has(&self, address: &ServiceAddress) -> bool {
        let shown = self.ip(&format!("address show dev {}", address.device()));
        shown.contains(&format!(" {}/", address.ip()))
    }

    /// The hardware address that this machine sends to, to reach an IP address.
    pub fn neighbour(&self, ip: IpAddr) -> String {
        let shown = self.ip(&format!("neighbour show {ip} dev eth0"));
        shown.split_whitespace().skip_while(|word| *word != "lladdr").nth(1).unwrap_or_default().to_owned()
    }

    /// Serves TCP clients of an address, whether or not this machine has it: each is sent `answer`, and the connection stays open.
    pub fn serve(&self, address: &ServiceAddress, answer: u8) {
        let (machine, ip) = (self.clone(), address.ip());
        let listener = self.run_blocking(move || bind(SocketAddr::new(ip, PORT))).unwrap();
        thread::spawn(move || {
            let mut connections = Vec::new();
            while !machine.stopped.load(Ordering::Relaxed) {
                match listener.accept() {
                    Ok((mut connection, _)) => {
                        connection.write_all(&[answer]).unwrap();
                        connections.push(connection);
                    }
                    Err(_) => thread::sleep(Duration::from_millis(5)),
                }
            }
        });
    }

    /// Connects to a service within 1 s, and returns the connection and the service's answer.
    pub fn connect(&self, address: &ServiceAddress) -> std::io::Result<(TcpStream, u8)> {
        let service = SocketAddr::new(address.ip(), PORT);
        self.run_blocking(|| {
            let deadline = Instant::now() + Duration::from_secs(1);
            let mut connection = TcpStream::connect_timeout(&service, Duration::from_secs(1))?;
            let rest = deadline.saturating_duration_since(Instant::now());
            connection.set_read_timeout(Some(rest.max(Duration::from_millis(1))))?;
            let mut answer = [0];
            connection.read_exact(&mut answer)?;
            Ok((connection, answer[0]))
        })
    }
}

/// Waits until something is true.
pub fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < deadline, "waited 10 s for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Why this machine cannot run these tests.
fn obstacle() -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("only root can make network namespaces".to_owned());
    }
    if let Err(error) = Command::new("ip").arg("-V").output() {
        return Some(format!("`ip` of iproute2 is needed: {error}"));
    }
    let name = format!("fb-address-{}-try-{}", std::process::id(), TESTBEDS.fetch_add(1, Ordering::Relaxed));
    let made = Command::new("ip").args(["netns", "add", &name]).output().unwrap();
    let _ = Command::new("ip").args(["netns", "delete", &name]).output();
    (!made.status.success()).then(|| {
        format!("network namespaces cannot be made: {}", String::from_utf8_lossy(&made.stderr).trim())
    })
}

fn ip(arguments: &str) -> String {
    let output = Command::new("ip").args(arguments.split_whitespace()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "ip {arguments}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}
