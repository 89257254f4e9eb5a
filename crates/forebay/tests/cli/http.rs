//! A plain HTTP client: one request on a connection, nothing clever.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::daemon::{DEADLINE, Daemon};

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Answer {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The code of an error.
    pub fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_else(|| panic!("no error: {self:?}"))
    }
}

/// Somebody who uses a daemon's API over TCP.
pub struct User {
    address: String,
    token: Option<String>,
}

impl User {
    /// With a token, or without.
    pub fn of(daemon: &Daemon, token: Option<&str>) -> User {
        let address = daemon.api().strip_prefix("http://").unwrap().to_owned();
        User { address, token: token.map(str::to_owned) }
    }

    /// Somebody without a token who connects to that address.
    pub fn at(address: &str) -> User {
        User { address: address.to_owned(), token: None }
    }

    /// With a new token of a user of that role.
    pub fn with_role(daemon: &Daemon, role: &str) -> User {
        daemon.done(&["user", "set", role, "--role", role]);
        let token = daemon.done(&["token", "create", "--user", role]);
        User::of(daemon, Some(token.trim()))
    }

    /// A request with a body in JSON, or none.
    pub fn ask(&self, method: &str, path: &str, body: Option<&str>) -> Answer {
        let json = if body.is_some() { "Content-Type: application/json\r\n" } else { "" };
        self.send(method, path, json, body.unwrap_or_default())
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, None)
    }

    /// A request with headers of one's own.
    pub fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        self.send_to(method, &format!("/api/v1{path}"), headers, body)
    }

    /// As [`User::send`], to a path that may be elsewhere than below the API's.
    pub fn send_to(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let token = self.token.as_ref().map(|token| format!("Authorization: Bearer {token}\r\n"));
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n{}{headers}Content-Length: {}\r\n\r\n{body}",
            token.unwrap_or_default(),
            body.len()
        );
        // It may be answered, and the connection closed, before all of it was read.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        read(&String::from_utf8(answer).unwrap())
    }
}

fn read(answer: &str) -> Answer {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let header =
        |line: &str| line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
    let headers: Vec<_> = lines.filter_map(header).collect();
    let body = match headers_say_json(&headers) {
        _ if body.is_empty() => Value::Null,
        true => serde_json::from_str(body).unwrap(),
        false => body.into(),
    };
    Answer { status, headers, body }
}

fn headers_say_json(headers: &[(String, String)]) -> bool {
    headers.iter().any(|(name, value)| name == "content-type" && value.starts_with("application/json"))
}
