//! A relay in front of an S3 server: guests reach the server through it, it sees which requests pass, and it disturbs them.
//!
//! It copies bytes, so signatures stay valid. A request is recognized by the method at the beginning of what the client sends at once.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

const METHODS: [&[u8]; 5] = [b"PUT ", b"GET ", b"POST ", b"HEAD ", b"DELETE "];
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// What is copied at once.
const PIECE_BYTES: usize = 64 << 10;
/// What is copied at once, and the pause before it, if requests are slow: 160 KiB/s.
const SLOW_PIECE_BYTES: usize = 16 << 10;
const SLOW_PAUSE: Duration = Duration::from_millis(100);
/// The part of an answer that a client gets before its connection is cut.
const CUT_BYTES: usize = 100;
/// How long a request stays without an answer.
const SILENCE: Duration = Duration::from_secs(20);
const NO_CUT: usize = usize::MAX;

/// What happens to requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disturbance {
    /// Nothing.
    None,
    /// In turn: refused with 503, cut before the server gets it, cut within the answer, refused with 500, not answered, passed on.
    Errors,
    /// All bytes are slow, in both directions.
    Slow,
    /// All are refused with 503.
    Refused,
}

/// A running relay. It ends with the process.
#[derive(Debug)]
pub struct Relay {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    target: SocketAddr,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    disturbance: Disturbance,
    /// Requests since the disturbance began.
    turn: usize,
    /// The first lines of requests that somebody waits for.
    awaited: Option<Vec<String>>,
}

/// What a request meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Treatment {
    Pass,
    CutAnswer,
    Cut,
    Silence,
    Refuse(&'static str, &'static str),
}

const SLOW_DOWN: Treatment = Treatment::Refuse("503 Slow Down", "SlowDown");

impl Relay {
    /// Listens on a free port of an address, and passes connections on to a server.
    pub fn start(address: Ipv4Addr, target: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind((address, 0)).with_context(|| format!("listen on {address}"))?;
        let port = listener.local_addr().context("ask for the relay's port")?.port();
        let state = State { disturbance: Disturbance::None, turn: 0, awaited: None };
        let shared = Arc::new(Shared { target, state: Mutex::new(state), changed: Condvar::new() });
        let theirs = Arc::clone(&shared);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let shared = Arc::clone(&theirs);
                // A connection that fails is closed, which its client notices.
                std::thread::spawn(move || carry(&client, &shared));
            }
        });
        Ok(Self { port, shared })
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Disturbs requests from now on.
    pub fn disturb(&self, disturbance: Disturbance) {
        let mut state = self.shared.lock();
        (state.disturbance, state.turn) = (disturbance, 0);
    }

    /// Waits until a request passes whose first line contains all of these. Returns false if there is none within `patience`. The request
    /// has reached the server when this returns, and may not have been answered.
    pub fn wait_for(&self, parts: &[&str], patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.shared.lock();
        state.awaited = Some(Vec::new());
        loop {
            let lines = state.awaited.get_or_insert_default();
            if lines.drain(..).any(|line| parts.iter().all(|part| line.contains(part))) {
                state.awaited = None;
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                state.awaited = None;
                return false;
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_slow(&self) -> bool {
        self.lock().disturbance == Disturbance::Slow
    }

    /// What the next request meets.
    fn treatment(&self) -> Treatment {
        let mut state = self.lock();
        match state.disturbance {
            Disturbance::None | Disturbance::Slow => return Treatment::Pass,
            Disturbance::Refused => return SLOW_DOWN,
            Disturbance::Errors => state.turn += 1,
        }
        match state.turn % 6 {
            1 => SLOW_DOWN,
            2 => Treatment::Cut,
            3 => Treatment::CutAnswer,
            4 => Treatment::Refuse("500 Internal Server Error", "InternalError"),
            5 => Treatment::Silence,
            _ => Treatment::Pass,
        }
    }

    fn note(&self, request: &[u8]) {
        let mut state = self.lock();
        if let Some(lines) = &mut state.awaited {
            let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
            lines.push(String::from_utf8_lossy(line).into_owned());
            self.changed.notify_all();
        }
    }
}

fn carry(client: &TcpStream, shared: &Arc<Shared>) -> io::Result<()> {
    let server = TcpStream::connect_timeout(&shared.target, CONNECT_PATIENCE)?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let cut = Arc::new(AtomicUsize::new(NO_CUT));
    let (answers, to_client) = (server.try_clone()?, client.try_clone()?);
    let (theirs, their_cut) = (Arc::clone(shared), Arc::clone(&cut));
    std::thread::spawn(move || {
        let _ = pass_answers(&answers, &to_client, &theirs, &their_cut);
        let _ = to_client.shutdown(Shutdown::Both);
        let _ = answers.shutdown(Shutdown::Both);
    });
    let result = pass_requests(client, &server, shared, &cut);
    let _ = server.shutdown(Shutdown::Write);
    if result.is_err() {
        let _ = client.shutdown(Shutdown::Both);
        let _ = server.shutdown(Shutdown::Both);
    }
    result
}

/// Returns when the client has sent its last byte; an error ends the connection.
fn pass_requests(
    mut client: &TcpStream,
    server: &TcpStream,
    shared: &Shared,
    cut: &AtomicUsize,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let count = client.read(&mut piece)?;
        let bytes = piece.get(..count).unwrap_or_default();
        if bytes.is_empty() {
            return Ok(());
        }
        if METHODS.iter().any(|method| bytes.starts_with(method)) {
            match shared.treatment() {
                Treatment::Pass => {}
                Treatment::CutAnswer => cut.store(CUT_BYTES, Ordering::Release),
                Treatment::Cut => return Err(io::ErrorKind::ConnectionReset.into()),
                Treatment::Silence => {
                    std::thread::sleep(SILENCE);
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Treatment::Refuse(status, code) => {
                    client.write_all(refusal(status, code).as_bytes())?;
                    return Err(io::ErrorKind::ConnectionRefused.into());
                }
            }
            write(server, bytes, shared)?;
            shared.note(bytes);
        } else {
            write(server, bytes, shared)?;
        }
    }
}

fn pass_answers(
    mut server: &TcpStream,
    client: &TcpStream,
    shared: &Shared,
    cut: &AtomicUsize,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let count = server.read(&mut piece)?;
        let bytes = piece.get(..count).unwrap_or_default();
        if bytes.is_empty() {
            return Ok(());
        }
        let left = cut.load(Ordering::Acquire);
        write(client, bytes.get(..left).unwrap_or(bytes), shared)?;
        if left != NO_CUT {
            return Ok(());
        }
    }
}

fn write(mut to: &TcpStream, bytes: &[u8], shared: &Shared) -> io::Result<()> {
    for piece in bytes.chunks(SLOW_PIECE_BYTES) {
        if shared.is_slow() {
            std::thread::sleep(SLOW_PAUSE);
        }
        to.write_all(piece)?;
    }
    Ok(())
}

/// An answer as S3 servers give it.
fn refusal(status: &str, code: &str) -> String {
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>{code}</Code><Message>refused</Message></Error>"
    );
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: &[u8] = b"PUT /tier/a.log HTTP/1.1\r\nHost: x\r\n\r\n";
    const LONG: &str = "an answer that is longer than the part of it that a client gets before its connection is cut, and so it \
                        cannot be mistaken for a whole one";

    /// A relay before a server that answers each request.
    fn relay() -> Relay {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        std::thread::spawn(move || {
            for mut stream in server.incoming().flatten() {
                std::thread::spawn(move || {
                    let mut bytes = [0; 1000];
                    while matches!(stream.read(&mut bytes), Ok(1..)) {
                        stream.write_all(LONG.as_bytes()).unwrap();
                    }
                });
            }
        });
        Relay::start(Ipv4Addr::LOCALHOST, address).unwrap()
    }

    fn connect(relay: &Relay) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", relay.port())).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream
    }

    fn answer(relay: &Relay) -> String {
        let mut stream = connect(relay);
        stream.write_all(REQUEST).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        // An error ends the answer too.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    }

    #[test]
    fn requests_and_answers_pass_and_are_seen() {
        let relay = relay();
        assert_eq!(answer(&relay), LONG);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| relay.wait_for(&["PUT", "a.log"], Duration::from_secs(10)));
            while !waits.is_finished() {
                answer(&relay);
            }
            assert!(waits.join().unwrap());
        });
        assert!(!relay.wait_for(&["PUT"], Duration::ZERO), "none passed since");
    }

    #[test]
    fn requests_are_refused_and_cut_in_turn_and_pass_again_afterwards() {
        let relay = relay();
        relay.disturb(Disturbance::Errors);
        assert!(answer(&relay).starts_with("HTTP/1.1 503 "));
        assert_eq!(answer(&relay), "");
        assert_eq!(answer(&relay), LONG[..CUT_BYTES]);
        assert!(answer(&relay).starts_with("HTTP/1.1 500 "));
        relay.disturb(Disturbance::Refused);
        (0..8).for_each(|_| assert!(answer(&relay).starts_with("HTTP/1.1 503 ")));
        relay.disturb(Disturbance::None);
        assert_eq!(answer(&relay), LONG);
    }

    #[test]
    fn slow_requests_arrive() {
        let relay = relay();
        relay.disturb(Disturbance::Slow);
        let begun = Instant::now();
        assert_eq!(answer(&relay), LONG);
        assert!(begun.elapsed() >= SLOW_PAUSE * 2);
    }
}
