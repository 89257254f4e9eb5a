//! The admin socket: who may use it, and what others find there.

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

/// Sends a request as it is; returns status and body of the answer.
fn ask(connection: &mut BufReader<UnixStream>, request: &str) -> (u16, Value) {
    connection.get_mut().write_all(request.as_bytes()).unwrap();
    let mut line = || {
        let mut line = String::new();
        connection.read_line(&mut line).unwrap();
        line.trim_end().to_ascii_lowercase()
    };
    let status = line().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: Vec<String> = std::iter::from_fn(|| Some(line()).filter(|line| !line.is_empty())).collect();
    let length = headers.iter().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    connection.read_exact(&mut body).unwrap();
    (status, serde_json::from_slice(&body).unwrap())
}

#[test]
fn the_daemons_group_may_connect_if_it_is_let_in() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start_with(scratch.path(), &["--admin-group-access", "on"]);
    let mode = std::fs::metadata(daemon.socket()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o660, "{mode:o}");
    // The pool's own files stay the daemon's.
    assert_eq!(std::fs::metadata(daemon.pool.join("FORMAT")).unwrap().permissions().mode() & 0o077, 0);
    daemon.stop();
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
    let (status, answer) = ask(&mut connection, "GET /reboot HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!((status, &answer["error"]["code"]), (404, &"route_not_found".into()));
    let (status, answer) = ask(&mut connection, "GET /api/v1/volumes/kafka HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!((status, &answer["path"]), (200, &"/kafka".into()), "{answer}");
    daemon.stop();
}

#[test]
fn an_endless_request_is_refused_and_the_daemon_goes_on() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    for start in ["", "GET /api/v1/pool HTTP/1.1\r\nX: ", "{\"version\":1,\"command\":"] {
        let mut connection = connect(&daemon);
        connection.get_mut().write_all(start.as_bytes()).unwrap();
        // The daemon may close the connection before it has read all of it.
        let _ = connection.get_mut().write_all(&vec![b'x'; 1 << 20]);
        let mut answer = Vec::new();
        let _ = connection.read_to_end(&mut answer);
    }
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
    let mut command = forebay();
    command.args(["serve", "--nfs-listen", "127.0.0.1:0", "--api-listen", "off", "--pool-directory"]);
    let refused = finish(command.arg(pool));
    assert_refused(&refused, 1, &[&socket.display().to_string(), "no socket", "--admin-socket"]);
    assert_eq!(std::fs::read_to_string(&socket).unwrap(), "precious");
}
