//! Sends spans to the collector, in its own task.
//!
//! A batch that the collector does not accept is dropped. The traces then have a gap, and a counter shows its
//! size. The start and the end of such an outage are logged once each.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use forebay_admin::traces::SPANS;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, USER_AGENT};
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_rustls::TlsConnector;

use super::{Finished, otlp};
use crate::admin;

/// Maximum number of spans per request.
const BATCH_MAX: usize = 512;
/// How long the first span of a batch waits for more.
const BATCH_WAIT: Duration = Duration::from_secs(1);
/// Maximum time for the collector to answer.
const ANSWER_WAIT_MAX: Duration = Duration::from_secs(5);
/// Maximum time that the last spans may delay the shutdown.
const LAST_WAIT_MAX: Duration = Duration::from_millis(500);
/// Maximum number of bytes of a response that are read.
const ANSWER_BYTES_MAX: usize = 64 << 10;
/// The default path of collectors, if the URL has none.
const PATH: &str = "/v1/traces";

/// Takes spans from the queue and sends them.
pub struct Exporter {
    collector: Collector,
    queue: mpsc::Receiver<Finished>,
}

/// A running exporter.
pub struct Exporting {
    stop: watch::Sender<bool>,
    work: JoinHandle<()>,
}

struct Collector {
    endpoint: String,
    host: String,
    port: u16,
    path: String,
    tls: Option<(ServerName<'static>, Arc<ClientConfig>)>,
}

impl Exporter {
    pub(super) fn new(endpoint: &str, queue: mpsc::Receiver<Finished>) -> Result<Exporter> {
        Ok(Exporter { collector: Collector::new(endpoint)?, queue })
    }

    /// Starts to send.
    pub fn start(self) -> Exporting {
        let (stop, stopped) = watch::channel(false);
        Exporting { stop, work: tokio::spawn(self.run(stopped)) }
    }

    async fn run(mut self, mut stopped: watch::Receiver<bool>) {
        let mut is_taking = true;
        let mut batch = Vec::new();
        loop {
            let is_last = self.gather(&mut batch, &mut stopped).await;
            if !batch.is_empty() {
                let sent = self.collector.send(&batch).await;
                self.note(sent, batch.len(), &mut is_taking);
                batch.clear();
            }
            if is_last {
                return;
            }
        }
    }

    /// Waits for a batch. Returns true if there will be no more.
    async fn gather(&mut self, batch: &mut Vec<Finished>, stopped: &mut watch::Receiver<bool>) -> bool {
        let mut due = None;
        while batch.len() < BATCH_MAX {
            let wait = async {
                match due {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                _ = stopped.wait_for(|stopped| *stopped) => {
                    while batch.len() < BATCH_MAX && let Ok(span) = self.queue.try_recv() {
                        batch.push(span);
                    }
                    return self.queue.is_empty();
                }
                () = wait => return false,
                span = self.queue.recv() => match span {
                    Some(span) => batch.push(span),
                    None => return true,
                },
            }
            due.get_or_insert_with(|| Instant::now() + BATCH_WAIT);
        }
        false
    }

    fn note(&self, sent: Result<()>, count: usize, is_taking: &mut bool) {
        let endpoint = &self.collector.endpoint;
        match sent {
            Ok(()) => {
                SPANS.add_exported(count);
                if !*is_taking {
                    tracing::info!(endpoint, "traces: the collector accepts spans again");
                }
                *is_taking = true;
            }
            Err(error) => {
                SPANS.add_dropped(count);
                if *is_taking {
                    let error = format!("{error:#}");
                    tracing::warn!(
                        endpoint,
                        error,
                        "traces: the collector does not accept spans, and they are dropped; start it, or set \
                         traces.otlp_endpoint"
                    );
                }
                *is_taking = false;
            }
        }
    }
}

impl Exporting {
    /// Sends the remaining spans if the collector accepts them immediately.
    pub async fn finish(mut self) {
        // An error means that the task has already ended.
        let _ = self.stop.send(true);
        if timeout(LAST_WAIT_MAX, &mut self.work).await.is_err() {
            self.work.abort();
        }
    }
}

impl Collector {
    fn new(endpoint: &str) -> Result<Collector> {
        let uri: Uri =
            endpoint.parse().with_context(|| format!("traces.otlp_endpoint {endpoint}: not a URL"))?;
        let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
        let is_secured = uri.scheme_str() == Some("https");
        let tls = if is_secured {
            let name = ServerName::try_from(host.clone());
            let name =
                name.map_err(|_| anyhow!("traces.otlp_endpoint {endpoint}: {host} is not a host name"))?;
            let trusted =
                admin::target::tls(&admin::target::Trust::default()).context("traces.otlp_endpoint")?;
            Some((name, Arc::new(trusted)))
        } else {
            None
        };
        let port = uri.port_u16().unwrap_or(if is_secured { 443 } else { 80 });
        let path = match uri.path_and_query().map_or("/", |path| path.as_str()) {
            "/" => PATH.to_owned(),
            path => path.to_owned(),
        };
        Ok(Collector { endpoint: endpoint.to_owned(), host, port, path, tls })
    }

    async fn send(&self, spans: &[Finished]) -> Result<()> {
        let sent = timeout(ANSWER_WAIT_MAX, self.exchange(spans)).await;
        sent.unwrap_or_else(|_| bail!("no answer in {} seconds", ANSWER_WAIT_MAX.as_secs()))
    }

    async fn exchange(&self, spans: &[Finished]) -> Result<()> {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let body = serde_json::to_vec(&otlp::request(spans, &host, std::process::id()))?;
        let name = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let request = Request::post(&self.path)
            .header(HOST, format!("{name}:{}", self.port))
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, concat!("forebay/", env!("CARGO_PKG_VERSION")))
            .body(Full::new(Bytes::from(body)))?;
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await.context("cannot connect")?;
        match &self.tls {
            None => exchange(stream, request).await,
            Some((name, tls)) => {
                let stream = TlsConnector::from(tls.clone())
                    .connect(name.clone(), stream)
                    .await
                    .context("TLS failed")?;
                exchange(stream, request).await
            }
        }
    }
}

/// One request on its own connection; there is at most one per second.
async fn exchange<S>(stream: S, request: Request<Full<Bytes>>) -> Result<()>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // Not a separate task: it ends with this exchange, even if that is abandoned.
    let carried = async {
        let _ = connection.await;
        std::future::pending::<()>().await;
    };
    let answered = async {
        let response = sender.send_request(request).await.context("no answer")?;
        let status = response.status();
        let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await;
        let said =
            body.map(|body| String::from_utf8_lossy(&body.to_bytes()).into_owned()).unwrap_or_default();
        let said: String = said.chars().take(200).collect();
        ensure!(status.is_success(), "it answered {status}: {said}");
        Ok(())
    };
    tokio::select! {
        answered = answered => answered,
        () = carried => bail!("the connection ended"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_host_and_maybe_a_path() {
        let read = |url: &str| {
            let collector = Collector::new(url).unwrap();
            (collector.host, collector.port, collector.path)
        };
        assert_eq!(read("http://127.0.0.1:4318"), ("127.0.0.1".into(), 4318, PATH.into()));
        assert_eq!(read("http://[::1]:4318/"), ("::1".into(), 4318, PATH.into()));
        assert_eq!(
            read("http://collector/otlp/v1/traces"),
            ("collector".into(), 80, "/otlp/v1/traces".into())
        );
    }
}
