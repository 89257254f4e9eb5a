//! Starting, stopping, and everything that can be in the way.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tempfile::tempdir;

use crate::daemon::{DEADLINE, Daemon, Finished, assert_refused, finish, forebay};

fn serve(pool: &Path, arguments: &[&str]) -> Finished {
    finish(
        forebay()
            .args(["serve", "--nfs-listen", "127.0.0.1:0", "--api-listen", "off", "--pool-directory"])
            .arg(pool)
            .args(arguments),
    )
}

#[test]
fn a_new_pool_says_how_to_mount_the_default_volume() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    assert!(daemon.ready.contains("mount -t nfs -o vers=4.2,hard"), "{}", daemon.ready);
    assert!(daemon.ready.contains(" 127.0.0.1:/kafka "), "{}", daemon.ready);
    TcpStream::connect(daemon.address()).unwrap();
    daemon.stop();
}

#[test]
fn sigterm_and_sigint_stop_it_cleanly() {
    let scratch = tempdir().unwrap();
    for signal in [Signal::TERM, Signal::INT] {
        let mut daemon = Daemon::start(scratch.path());
        let idle_client = TcpStream::connect(daemon.address()).unwrap();
        daemon.signal(signal);
        let status = daemon.wait();
        assert_eq!(status.code(), Some(0), "{}", daemon.log());
        assert!(!daemon.socket().exists());
        drop(idle_client);
    }
}

#[test]
fn an_init_system_is_told_of_start_changes_and_stop() {
    let scratch = tempdir().unwrap();
    let path = scratch.path().join("notify");
    let listener = UnixDatagram::bind(&path).unwrap();
    listener.set_read_timeout(Some(DEADLINE)).unwrap();
    let told = || {
        let mut buffer = [0; 1024];
        let length = listener.recv(&mut buffer).unwrap();
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    };
    let until = |wanted: &str| {
        let deadline = Instant::now() + DEADLINE;
        while !told().contains(wanted) {
            assert!(Instant::now() < deadline, "not told: {wanted}");
        }
    };
    let mut daemon = Daemon::start_in(scratch.path(), &[], &[("NOTIFY_SOCKET", path.to_str().unwrap())]);
    // The listener may be kept from the beginning. Then clients can connect.
    assert_eq!(told(), "FDSTORE=1\nFDNAME=nfs");
    let first = told();
    assert!(first.starts_with("READY=1\nSTATUS=serving 1 volume"), "{first}");
    TcpStream::connect(daemon.address()).unwrap();
    daemon.done(&["volume", "create", "orders"]);
    until("STATUS=serving 2 volumes");
    daemon.signal(Signal::TERM);
    until("STOPPING=1\n");
    assert!(daemon.wait().success());
}

/// Starts a program with its standard input as descriptor 3, as an init system does with a listener that it has kept.
const PASS: &str = "exec 3<&0 0</dev/null; LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=nfs exec \"$0\" \"$@\"";

#[test]
fn a_client_that_connected_while_the_daemon_was_down_is_served_from_the_queue_that_was_kept() {
    let scratch = tempdir().unwrap();
    let kept = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = kept.local_addr().unwrap();
    let mut client = TcpStream::connect(address).unwrap();
    // A NULL call of NFSv4 (RFC 5531 section 9).
    let call: Vec<u8> = [0x8000_0028_u32, 7, 0, 2, 100_003, 4, 0, 0, 0, 0, 0]
        .iter()
        .flat_map(|word| word.to_be_bytes())
        .collect();
    client.write_all(&call).unwrap();
    let mut daemon = Command::new("sh")
        .args(["-c", PASS, env!("CARGO_BIN_EXE_forebay"), "serve", "--api-listen", "off", "--nfs-listen"])
        .arg(address.to_string())
        .arg("--pool-directory")
        .arg(scratch.path().join("pool"))
        .stdin(OwnedFd::from(kept.try_clone().unwrap()))
        .spawn()
        .unwrap();
    client.set_read_timeout(Some(DEADLINE)).unwrap();
    let mut reply = [0; 28];
    client.read_exact(&mut reply).unwrap();
    assert_eq!(reply[..8], [0x80, 0, 0, 24, 0, 0, 0, 7]);
    daemon.kill().unwrap();
    daemon.wait().unwrap();
}

#[test]
fn a_listener_that_was_kept_for_another_address_is_not_used() {
    let scratch = tempdir().unwrap();
    let kept = TcpListener::bind("127.0.0.1:0").unwrap();
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut daemon = Command::new("sh")
        .args(["-c", PASS, env!("CARGO_BIN_EXE_forebay"), "serve", "--api-listen", "off", "--nfs-listen"])
        .arg(elsewhere.to_string())
        .arg("--pool-directory")
        .arg(scratch.path().join("pool"))
        .stdin(OwnedFd::from(kept))
        .spawn()
        .unwrap();
    let deadline = Instant::now() + DEADLINE;
    while TcpStream::connect(elsewhere).is_err() {
        assert!(Instant::now() < deadline, "it does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    daemon.kill().unwrap();
    daemon.wait().unwrap();
}

#[test]
fn a_second_daemon_on_the_same_pool_is_refused() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let refused = serve(&daemon.pool, &[]);
    assert_refused(&refused, 1, &[&daemon.pool.display().to_string(), "in use by another process"]);
    // The one that runs is untouched.
    daemon.done(&["volume", "list"]);
    daemon.stop();
}

#[test]
fn a_port_in_use_is_refused_with_a_remedy() {
    let scratch = tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = forebay();
    command
        .args(["serve", "--nfs-listen", &address, "--api-listen", "off", "--pool-directory"])
        .arg(scratch.path().join("pool"));
    let refused = finish(&mut command);
    assert_refused(&refused, 1, &[&format!("nfs.listen {address}"), "in use", "--nfs-listen"]);
    // The pool was closed properly, and can be served.
    Daemon::start(scratch.path()).stop();
}

#[test]
fn an_address_of_another_machine_is_refused_with_a_remedy() {
    let scratch = tempdir().unwrap();
    let refused = finish(
        forebay().args(["serve", "--nfs-listen", "192.0.2.1:2049", "--pool-directory"]).arg(scratch.path()),
    );
    assert_refused(&refused, 1, &["nfs.listen 192.0.2.1:2049", "does not have the address"]);
}

#[test]
fn a_pool_directory_that_cannot_be_one_is_refused() {
    let scratch = tempdir().unwrap();
    let file = scratch.path().join("file");
    std::fs::write(&file, "x").unwrap();
    assert_refused(&serve(&file, &[]), 1, &[&file.display().to_string()]);
    assert_refused(&serve(&file.join("below"), &[]), 1, &[&file.display().to_string()]);
    // Also root cannot make directories here.
    let nowhere = Path::new("/proc/forebay-pool");
    assert_refused(&serve(nowhere, &[]), 1, &["/proc/forebay-pool", "--pool-directory"]);
}

#[test]
fn a_directory_with_something_else_in_it_is_refused_and_left_alone() {
    let scratch = tempdir().unwrap();
    std::fs::write(scratch.path().join("precious"), "x").unwrap();
    let refused = serve(scratch.path(), &[]);
    assert_refused(&refused, 1, &[&scratch.path().display().to_string(), "empty directory"]);
    let left: Vec<_> = std::fs::read_dir(scratch.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["precious"]);
}

#[test]
fn a_pool_of_a_newer_format_is_refused() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let format = daemon.pool.join("FORMAT");
    let pool = daemon.pool.clone();
    daemon.stop();
    let text = std::fs::read_to_string(&format).unwrap();
    let newer = text.replacen("forebay-pool 7", "forebay-pool 99", 1);
    assert_ne!(newer, text);
    std::fs::write(&format, newer).unwrap();
    assert_refused(&serve(&pool, &[]), 1, &["format 99 is newer", "use the newer release"]);
}

#[test]
fn an_admin_socket_path_that_is_too_long_is_refused_with_a_remedy() {
    let scratch = tempdir().unwrap();
    let pool = scratch.path().join("p".repeat(100));
    let refused = serve(&pool, &[]);
    assert_refused(&refused, 1, &["admin socket", "107", "--admin-socket"]);
    let listed = finish(forebay().args(["volume", "list", "--pool-directory"]).arg(&pool));
    assert_refused(&listed, 1, &["admin socket", "107", "--admin-socket"]);
}

#[test]
fn a_killed_daemon_leaves_a_pool_that_the_next_one_serves() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    daemon.done(&["volume", "create", "logs"]);
    daemon.kill();
    let daemon = Daemon::start(scratch.path());
    let names = daemon.done(&["volume", "list"]);
    assert!(names.contains("kafka") && names.contains("logs"), "{names}");
    daemon.stop();
}
