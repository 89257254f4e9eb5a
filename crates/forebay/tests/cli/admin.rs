//! The admin socket against clients that are not this release's command line.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;

use serde_json::Value;
use tempfile::tempdir;

use crate::daemon::{DEADLINE, Daemon, assert_refused, finish, forebay};

fn connect(daemon: &Daemon) -> BufReader<UnixStream> {
    let stream = UnixStream::connect(daemon.socket()).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    BufReader::new(stream)
}

fn ask(connection: &mut BufReader<UnixStream>, line: &str) -> Value {
    connection.get_mut().write_all(format!("{line}\n").as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_line(&mut answer).unwrap();
    serde_json::from_str(&answer).unwrap()
}

#[test]
fn only_the_daemons_user_may_connect() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let mode = std::fs::metadata(daemon.socket()).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
    daemon.stop();
}

#[test]
fn one_connection_carries_several_requests_also_after_a_wrong_one() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let mut connection = connect(&daemon);
    for wrong in ["", "{", "[]", "{\"version\":1}", "{\"version\":1,\"command\":{\"reboot\":{}}}"] {
        let answer = ask(&mut connection, wrong);
        assert!(answer["error"].as_str().unwrap().starts_with("not a request"), "{wrong}: {answer}");
    }
    let answer = ask(&mut connection, "{\"version\":1,\"command\":{\"volume_show\":{\"name\":\"kafka\"}}}");
    assert_eq!(answer["answer"]["volume"]["path"], "/kafka", "{answer}");
    daemon.stop();
}

#[test]
fn another_version_is_told_which_one_is_spoken() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let answer = ask(&mut connect(&daemon), "{\"version\":2,\"command\":{\"new_thing\":[]}}");
    assert!(answer["error"].as_str().unwrap().contains("speaks version 1"), "{answer}");
    daemon.stop();
}

#[test]
fn an_endless_line_is_refused_and_the_daemon_goes_on() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let mut connection = connect(&daemon);
    // The daemon may close the connection before it has read all of it.
    let _ = connection.get_mut().write_all(&vec![b'x'; 1 << 20]);
    let mut answer = Vec::new();
    let _ = connection.read_to_end(&mut answer);
    daemon.done(&["volume", "list"]);
    daemon.stop();
}

#[test]
fn idle_connections_neither_keep_others_out_nor_the_daemon_up() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let idle: Vec<_> = (0..8).map(|_| connect(&daemon)).collect();
    daemon.done(&["volume", "list"]);
    daemon.stop();
    drop(idle);
}

#[test]
fn a_leftover_socket_is_replaced_and_anything_else_is_not() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let socket = daemon.socket();
    daemon.kill();
    assert!(socket.exists());
    Daemon::start(scratch.path()).stop();

    std::fs::write(&socket, "precious").unwrap();
    let pool = scratch.path().join("pool");
    let refused =
        finish(forebay().args(["serve", "--nfs-listen", "127.0.0.1:0", "--pool-directory"]).arg(pool));
    assert_refused(&refused, 1, &[&socket.display().to_string(), "no socket", "--admin-socket"]);
    assert_eq!(std::fs::read_to_string(&socket).unwrap(), "precious");
}
