//! Connections that are opened and then slow: they keep nobody away from the API.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use tempfile::tempdir;
use tokio::net::TcpSocket;

use crate::daemon::{DEADLINE, Daemon};
use crate::http::User;

/// More than the daemon serves at once, and from one address.
const CONNECTIONS: usize = 200;
const PER_ADDRESS: usize = 60;

/// What an honest request may take meanwhile. Alone it takes milliseconds.
const PROMPT: Duration = Duration::from_secs(5);

/// Opens more connections than there is room for, from several addresses of this machine, and sends `beginning` on each.
pub fn connections(daemon: SocketAddr, beginning: &[u8]) -> Vec<TcpStream> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let open = |number: usize| {
        let host = u8::try_from(1 + number / PER_ADDRESS).unwrap();
        let opened = runtime.block_on(async {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind(SocketAddr::from(([127, 0, 0, host], 0))).unwrap();
            socket.connect(daemon).await.unwrap()
        });
        let mut stream = opened.into_std().unwrap();
        stream.set_nonblocking(false).unwrap();
        // It may have had to make room already.
        let _ = stream.write_all(beginning);
        stream
    };
    (0..CONNECTIONS).map(open).collect()
}

fn assert_prompt(what: &str, ask: impl FnOnce()) {
    let began = Instant::now();
    ask();
    assert!(began.elapsed() < PROMPT, "{what}: {:?}", began.elapsed());
}

/// The status of the next answer on a connection that stays open.
fn ask_on(stream: &mut TcpStream, token: &str) -> String {
    let request =
        format!("GET /api/v1/whoami HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {token}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = [0; 4096];
    let length = stream.read(&mut answer).unwrap();
    String::from_utf8_lossy(&answer[..length]).split(' ').nth(1).unwrap_or_default().to_owned()
}

#[test]
fn whoever_is_slow_makes_room_and_who_has_shown_a_token_stays() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let token = daemon.done(&["token", "create"]).trim().to_owned();
    let user = User::of(&daemon, Some(&token));
    let address: SocketAddr = daemon.api().strip_prefix("http://").unwrap().parse().unwrap();
    let mut known = TcpStream::connect(address).unwrap();
    known.set_read_timeout(Some(DEADLINE)).unwrap();
    assert_eq!(ask_on(&mut known, &token), "200");
    for (what, beginning) in [
        ("nothing", &b""[..]),
        ("half a head", b"GET /api/v1/pool HTTP/1.1\r\nHost: te"),
        ("half a body", b"POST /api/v1/volumes HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\n{"),
        ("a whole request, and half another", b"GET /api/v1/health HTTP/1.1\r\nHost: test\r\n\r\nGET / HT"),
    ] {
        let slow = connections(address, beginning);
        assert_prompt(what, || assert_eq!(user.get("/pool").status, 200, "{what}"));
        assert_prompt(what, || assert_eq!(User::of(&daemon, None).get("/health").status, 200, "{what}"));
        assert_eq!(ask_on(&mut known, &token), "200", "{what}");
        drop(slow);
    }
    daemon.stop();
}

#[test]
fn the_admin_socket_is_not_taken_up_by_silent_connections() {
    let scratch = tempdir().unwrap();
    let daemon = Daemon::start(scratch.path());
    let _silent: Vec<UnixStream> =
        (0..CONNECTIONS).map(|_| UnixStream::connect(daemon.socket()).unwrap()).collect();
    assert_prompt("the admin socket", || drop(daemon.done(&["volume", "list"])));
    daemon.stop();
}
