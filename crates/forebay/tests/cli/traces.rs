//! Traces, as a collector gets them, and what happens if it does not want them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use forebay_nfs_client::xdr::nfs4::StableHow;
use forebay_nfs_client::{Client, ClientOptions};
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::daemon::{Daemon, assert_refused, run, wait_until};
use crate::http::User;

/// Takes OTLP over HTTP, in JSON.
struct Collector {
    address: SocketAddr,
    spans: Arc<Mutex<Vec<Value>>>,
}

impl Collector {
    fn start() -> Collector {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let collector = Collector { address: listener.local_addr().unwrap(), spans: Arc::default() };
        let spans = collector.spans.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let taken = take(stream.unwrap());
                spans.lock().unwrap().extend(taken);
            }
        });
        collector
    }

    /// All that came so far.
    fn spans(&self) -> Vec<Value> {
        self.spans.lock().unwrap().clone()
    }

    /// The first span that is as wanted, once there is one.
    fn wait_for(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let find = || self.spans().into_iter().find(|span| wanted(span));
        wait_until(what, || find().is_some());
        find().unwrap()
    }

    /// The span of that name below another one, once it is there.
    fn child(&self, parent: &Value, name: &str) -> Value {
        self.wait_for(name, |span| {
            let is_below = span["parentSpanId"] == parent["spanId"] && span["traceId"] == parent["traceId"];
            is_below && span["name"] == name
        })
    }
}

/// Reads one request, and answers it.
fn take(stream: TcpStream) -> Vec<Value> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "POST /v1/traces HTTP/1.1\r\n");
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "content-type" => assert_eq!(value, "application/json"),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    reader.get_mut().write_all(answer.as_bytes()).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let resource = &body["resourceSpans"][0];
    assert_eq!(
        resource["resource"]["attributes"][0],
        json!({"key": "service.name", "value": {"stringValue": "forebay"}})
    );
    resource["scopeSpans"][0]["spans"].as_array().unwrap().clone()
}

fn attribute<'a>(span: &'a Value, key: &str) -> &'a Value {
    let attributes = span["attributes"].as_array().unwrap();
    attributes.iter().find(|attribute| attribute["key"] == key).map_or(&Value::Null, |found| &found["value"])
}

fn nanos(span: &Value, key: &str) -> u128 {
    span[key].as_str().unwrap().parse().unwrap()
}

fn start(scratch: &std::path::Path, collector: SocketAddr) -> Daemon {
    let endpoint = format!("http://{collector}");
    let arguments =
        ["--traces-otlp-endpoint", &endpoint, "--traces-nfs-one-in", "1", "--metrics-public", "on"];
    Daemon::start_with(scratch, &arguments)
}

/// A counter of the daemon.
fn metric(daemon: &Daemon, name: &str) -> u64 {
    let text = User::of(daemon, None).send_to("GET", "/metrics", "", "").body;
    let lines = text.as_str().unwrap().lines();
    let value = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).next();
    value.unwrap_or_else(|| panic!("no {name}")).parse().unwrap()
}

/// Writes some KiB to a file of the volume, has them made durable, and asks for its attributes so many times.
fn work(daemon: &Daemon, looks: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Client::mount(daemon.address(), ClientOptions::new("traced")).await.unwrap();
        let files = client.files();
        let folder = files.resolve("/kafka").await.unwrap();
        let file = files.create(&folder, "00000000000000000000.log").await.unwrap();
        files.write(&file, 0, Bytes::from(vec![7; 9000]), StableHow::Unstable).await.unwrap();
        files.commit(&file.handle).await.unwrap();
        for _ in 0..looks {
            files.getattr(&file.handle).await.unwrap();
        }
        files.close(&file).await.unwrap();
        files.remove(&folder, "00000000000000000000.log").await.unwrap();
        client.unmount().await.unwrap();
    });
}

#[test]
fn a_request_goes_on_with_the_trace_of_its_client() {
    let scratch = tempdir().unwrap();
    let collector = Collector::start();
    let daemon = start(scratch.path(), collector.address);
    let operator = User::with_role(&daemon, "operator");
    let (unsampled, sampled) = ("11111111111111111111111111111111", "4bf92f3577b34da6a3ce929d0e0e4736");
    operator.send("GET", "/pool", &format!("traceparent: 00-{unsampled}-00f067aa0ba902b7-00\r\n"), "");
    let headers = format!(
        "Content-Type: application/json\r\nX-Request-Id: traced-1\r\ntraceparent: 00-{sampled}-00f067aa0ba902b7-01\r\n"
    );
    assert_eq!(operator.send("PUT", "/volumes/logs", &headers, "{}").status, 201);

    let span = collector.wait_for("the request", |span| span["traceId"] == sampled);
    assert_eq!((&span["parentSpanId"], &span["kind"]), (&"00f067aa0ba902b7".into(), &2.into()), "{span}");
    assert_eq!(span["name"], "PUT /api/v1/volumes/{volume}");
    for (key, value) in [
        ("http.request.method", json!({"stringValue": "PUT"})),
        ("http.route", json!({"stringValue": "/api/v1/volumes/{volume}"})),
        ("http.response.status_code", json!({"intValue": "201"})),
        ("url.path", json!({"stringValue": "/api/v1/volumes/logs"})),
        ("client.address", json!({"stringValue": "127.0.0.1"})),
        ("forebay.request_id", json!({"stringValue": "traced-1"})),
    ] {
        assert_eq!(attribute(&span, key), &value, "{span}");
    }
    assert!(nanos(&span, "startTimeUnixNano") < nanos(&span, "endTimeUnixNano"), "{span}");
    // The other one came before it.
    assert!(collector.spans().iter().all(|span| span["traceId"] != unsampled));
    // Traces do not take the ids from the log.
    let log = daemon.log();
    assert!(log.lines().any(|line| line.contains("answered") && line.contains("traced-1")), "{log}");
    assert!(!log.contains("forebay_traces") && !log.contains("otel."), "{log}");
    wait_until("it is counted", || metric(&daemon, "forebay_traces_spans_exported_total") > 0);
    daemon.stop();
}

#[test]
fn a_compound_is_traced_down_to_the_commit_of_the_pool() {
    let scratch = tempdir().unwrap();
    let collector = Collector::start();
    let daemon = start(scratch.path(), collector.address);
    work(&daemon, 1);
    let commit = collector.wait_for("COMMIT", |span| span["name"] == "COMMIT");
    let compound = collector.wait_for("the COMPOUND", |span| span["spanId"] == commit["parentSpanId"]);
    assert_eq!((&compound["name"], &compound["kind"]), (&"COMPOUND".into(), &2.into()), "{compound}");
    assert!(compound["parentSpanId"].is_null() && compound["traceId"] == commit["traceId"], "{compound}");
    assert_eq!(attribute(&compound, "network.peer.address"), &json!({"stringValue": "127.0.0.1"}));
    assert!(attribute(&compound, "nfs.session")["stringValue"].is_string(), "{compound}");
    assert_eq!(attribute(&commit, "nfs.status"), &json!({"stringValue": "Ok"}));
    let flush = collector.child(&commit, "pool.flush");
    for stage in ["pool.cut", "pool.commit"] {
        let stage = collector.child(&flush, stage);
        assert!(nanos(&stage, "startTimeUnixNano") >= nanos(&flush, "startTimeUnixNano"), "{stage}");
        assert!(nanos(&stage, "endTimeUnixNano") <= nanos(&flush, "endTimeUnixNano"), "{stage} {flush}");
    }
    let put = collector.child(&compound, "PUTFH");
    assert!(nanos(&put, "endTimeUnixNano") <= nanos(&commit, "startTimeUnixNano"), "{put} {commit}");
    // What the pool does by itself is no trace of its own.
    let roots = collector.spans().into_iter().filter(|span| span["parentSpanId"].is_null());
    assert!(roots.into_iter().all(|span| span["kind"] == 2));
    daemon.stop();
}

#[test]
fn a_collector_that_never_answers_costs_spans_and_nothing_else() {
    let scratch = tempdir().unwrap();
    // It takes connections, and that is all.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let daemon = start(scratch.path(), listener.local_addr().unwrap());
    // Three spans each, so more than the queue has room for.
    work(&daemon, 3000);
    wait_until("spans are dropped", || metric(&daemon, "forebay_traces_spans_dropped_total") > 1000);
    wait_until("it is told", || daemon.log().contains("does not accept spans"));
    assert_eq!(metric(&daemon, "forebay_traces_spans_exported_total"), 0);
    work(&daemon, 1);
    let began = Instant::now();
    daemon.stop();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn an_endpoint_that_is_none_is_refused() {
    for endpoint in ["collector:4318", "ftp://collector", "http://", "http://me:secret@collector", "nonsense"]
    {
        let refused = run(&["serve", "--traces-otlp-endpoint", endpoint]);
        assert_refused(&refused, 2, &["--traces-otlp-endpoint", endpoint, "write http://HOST:PORT"]);
    }
}

#[test]
fn a_request_of_s3_goes_on_with_the_trace_of_its_client() {
    let scratch = tempdir().unwrap();
    let collector = Collector::start();
    let endpoint = format!("http://{}", collector.address);
    let arguments = ["--traces-otlp-endpoint", &endpoint, "--s3-listen", "127.0.0.1:0"];
    let daemon = Daemon::start_with(scratch.path(), &arguments);
    let (unsampled, sampled) = ("11111111111111111111111111111111", "4bf92f3577b34da6a3ce929d0e0e4736");
    let ask = |trace: &str, flags: &str| {
        let mut stream = std::net::TcpStream::connect(daemon.s3()).unwrap();
        let traceparent = format!("00-{trace}-00f067aa0ba902b7-{flags}");
        let request = format!(
            "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ntraceparent: {traceparent}\r\n\r\n"
        );
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        let mut answer = String::new();
        std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
        answer.lines().find_map(|line| line.strip_prefix("x-amz-request-id: ")).unwrap().to_owned()
    };
    ask(unsampled, "00");
    let id = ask(sampled, "01");
    let span = collector.wait_for("the request", |span| span["traceId"] == sampled);
    assert_eq!(
        (&span["name"], &span["parentSpanId"]),
        (&"S3.ListBuckets".into(), &"00f067aa0ba902b7".into())
    );
    for (key, value) in [
        ("rpc.method", json!({"stringValue": "ListBuckets"})),
        ("http.response.status_code", json!({"intValue": "403"})),
        ("error.type", json!({"stringValue": "AccessDenied"})),
        ("client.address", json!({"stringValue": "127.0.0.1"})),
        ("forebay.request_id", json!({"stringValue": id})),
    ] {
        assert_eq!(attribute(&span, key), &value, "{span}");
    }
    assert!(collector.spans().iter().all(|span| span["traceId"] != unsampled));
    daemon.stop();
}
