//! Signs requests byte by byte, so that a test can damage what was signed.

#![allow(dead_code, missing_docs, reason = "an example uses a part of it")]

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};

pub const REGION: &str = "us-east-1";
const EMPTY_SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Signs with one key, at one time, for one region.
#[derive(Clone)]
pub struct Signer {
    pub access_key: String,
    pub secret: String,
    pub region: String,
    pub ahead: Duration,
}

/// A request as it is sent.
#[derive(Clone)]
pub struct Raw {
    pub head: String,
    pub body: Vec<u8>,
    /// Whether the client ends its direction behind these bytes, though it has announced more.
    pub is_cut: bool,
    /// What the signatures of chunks begin with.
    seed: String,
    time: String,
}

impl Signer {
    pub fn new(access_key: &str, secret: &str) -> Signer {
        let (access_key, secret) = (access_key.to_owned(), secret.to_owned());
        Signer { access_key, secret, region: REGION.to_owned(), ahead: Duration::ZERO }
    }

    fn time(&self) -> String {
        let format = time::macros::format_description!("[year][month][day]T[hour][minute][second]Z");
        (OffsetDateTime::now_utc() + self.ahead).format(format).unwrap()
    }

    fn scope(&self, time: &str) -> String {
        format!("{}/{}/s3/aws4_request", &time[..8], self.region)
    }

    fn sign(&self, time: &str, algorithm: &str, text: &str) -> String {
        let mut key = format!("AWS4{}", self.secret).into_bytes();
        for part in [&time[..8], &self.region, "s3", "aws4_request"] {
            key = mac(&key, part);
        }
        hex(&mac(&key, &format!("{algorithm}\n{time}\n{}\n{text}", self.scope(time))))
    }

    /// A request whose body is covered by its hash.
    pub fn request(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Raw {
        self.with_payload(method, target, headers, &hex(&Sha256::digest(body)), body)
    }

    /// A request with this `x-amz-content-sha256`.
    pub fn with_payload(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        payload: &str,
        body: &[u8],
    ) -> Raw {
        let time = self.time();
        let mut all: Vec<(&str, &str)> = headers.to_vec();
        all.extend([("host", "localhost"), ("x-amz-content-sha256", payload), ("x-amz-date", &time)]);
        all.sort_unstable();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let lines: String = all.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        let names = names.join(";");
        let canonical = format!("{method}\n{path}\n{}\n{lines}\n{names}\n{payload}", sorted(query));
        let seed = self.sign(&time, "AWS4-HMAC-SHA256", &hex(&Sha256::digest(canonical.as_bytes())));
        let mut head = format!("{method} {target} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in &all {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let (key, scope) = (&self.access_key, self.scope(&time));
        head.push_str(&format!(
            "authorization: AWS4-HMAC-SHA256 Credential={key}/{scope}, SignedHeaders={names}, Signature={seed}\r\n"
        ));
        if !body.is_empty() && !all.iter().any(|(name, _)| *name == "content-length") {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        Raw { head, body: body.to_vec(), is_cut: false, seed, time }
    }

    /// A presigned GET or PUT.
    pub fn presigned(&self, method: &str, path: &str, lifetime_seconds: u32, body: &[u8]) -> Raw {
        let time = self.time();
        let credential = format!("{}/{}", self.access_key, self.scope(&time)).replace('/', "%2F");
        let query = format!(
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={credential}&X-Amz-Date={time}\
             &X-Amz-Expires={lifetime_seconds}&X-Amz-SignedHeaders=host"
        );
        let canonical = format!("{method}\n{path}\n{query}\nhost:localhost\n\nhost\nUNSIGNED-PAYLOAD");
        let seed = self.sign(&time, "AWS4-HMAC-SHA256", &hex(&Sha256::digest(canonical.as_bytes())));
        let head = format!(
            "{method} {path}?{query}&X-Amz-Signature={seed} HTTP/1.1\r\nconnection: close\r\nhost: localhost\r\n\
             content-length: {}\r\n",
            body.len()
        );
        Raw { head, body: body.to_vec(), is_cut: false, seed, time }
    }

    /// A PUT of signed chunks, with a trailer if one is given.
    pub fn signed_chunks(&self, target: &str, chunks: &[&[u8]], trailer: Option<(&str, &str)>) -> Raw {
        let bytes: usize = chunks.iter().map(|chunk| chunk.len()).sum();
        let bytes = bytes.to_string();
        let mut headers = vec![("x-amz-decoded-content-length", bytes.as_str())];
        let mut payload = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD".to_owned();
        if let Some((name, _)) = trailer {
            headers.push(("x-amz-trailer", name));
            payload.push_str("-TRAILER");
        }
        let mut raw = self.with_payload("PUT", target, &headers, &payload, b"");
        let mut previous = raw.seed.clone();
        for chunk in chunks.iter().copied().chain([b"".as_slice()]) {
            let text = format!("{previous}\n{EMPTY_SHA256}\n{}", hex(&Sha256::digest(chunk)));
            previous = self.sign(&raw.time, "AWS4-HMAC-SHA256-PAYLOAD", &text);
            raw.body.extend(format!("{:x};chunk-signature={previous}\r\n", chunk.len()).into_bytes());
            raw.body.extend_from_slice(chunk);
            if !chunk.is_empty() {
                raw.body.extend_from_slice(b"\r\n");
            }
        }
        if let Some((name, value)) = trailer {
            let line = format!("{name}:{value}\n");
            let text = format!("{previous}\n{}", hex(&Sha256::digest(line.as_bytes())));
            let signature = self.sign(&raw.time, "AWS4-HMAC-SHA256-TRAILER", &text);
            raw.body
                .extend(format!("{name}:{value}\r\nx-amz-trailer-signature:{signature}\r\n").into_bytes());
        }
        raw.body.extend_from_slice(b"\r\n");
        raw.announce_body();
        raw
    }

    /// A PUT of one unsigned chunk and a trailer.
    pub fn unsigned_chunks(&self, target: &str, decoded: Option<&str>, body: &[u8], trailer: &str) -> Raw {
        let mut headers = vec![("x-amz-trailer", trailer)];
        headers.extend(decoded.map(|length| ("x-amz-decoded-content-length", length)));
        self.with_payload("PUT", target, &headers, "STREAMING-UNSIGNED-PAYLOAD-TRAILER", body)
    }
}

impl Raw {
    /// The request with something else in its head.
    pub fn altered(mut self, from: &str, to: &str) -> Raw {
        assert!(self.head.contains(from), "{from:?} is not in {}", self.head);
        self.head = self.head.replacen(from, to, 1);
        self
    }

    /// The request with one more header, which is not signed.
    pub fn with_header(mut self, line: &str) -> Raw {
        self.head.push_str(&format!("{line}\r\n"));
        self
    }

    /// The request with other bytes in its body, of the same length.
    pub fn with_body(mut self, from: &str, to: &str) -> Raw {
        assert_eq!(from.len(), to.len());
        let found = self.body.windows(from.len()).position(|part| part == from.as_bytes());
        let at = found.expect("the text is in the body");
        self.body.splice(at..at + from.len(), to.bytes());
        self
    }

    /// The request, with a body that ends after this number of bytes although more are announced.
    pub fn cut(mut self, bytes: usize) -> Raw {
        self.body.truncate(bytes);
        self.is_cut = true;
        self
    }

    fn announce_body(&mut self) {
        self.head.push_str(&format!("content-length: {}\r\n", self.body.len()));
    }

    pub fn bytes(&self) -> Vec<u8> {
        [self.head.as_bytes(), b"\r\n", &self.body].concat()
    }
}

fn sorted(query: &str) -> String {
    let parameters = query.split('&').filter(|parameter| !parameter.is_empty());
    let mut parameters: Vec<String> = parameters
        .map(|parameter| if parameter.contains('=') { parameter.to_owned() } else { format!("{parameter}=") })
        .collect();
    parameters.sort();
    parameters.join("&")
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
