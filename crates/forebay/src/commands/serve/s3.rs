//! Starts the S3 server, if it is turned on.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use forebay_net::Answers;
use forebay_net::http::{self, ALPN, Limits, Listener};
use forebay_net::tls::Tls;
use forebay_s3::S3;
use forebay_s3::auth::access::Gate;
use forebay_s3::auth::users::Users;
use forebay_s3::lifecycle_worker;
use forebay_s3::server::Server;
use forebay_s3::shared::Shared;
use forebay_service::Service;
use tokio::task::JoinHandle;

use super::run::explain_bind;
use super::s3_admin::make_first_user;
use super::signals::Shutdown;
use crate::config::{Config, ConfigError};

/// How often the times at which access keys were last used are stored.
const LAST_USED_PERIOD: Duration = Duration::from_secs(60);

/// A running S3 server.
pub struct Running {
    /// For the API.
    pub s3: S3,
    /// Its certificate, if it uses TLS.
    pub tls: Option<Arc<Tls>>,
    /// Where it listens, as a URL.
    pub url: String,
    serving: JoinHandle<()>,
    background: Vec<JoinHandle<()>>,
}

/// Starts the server, if it is turned on.
pub async fn start(
    config: &Config,
    service: Arc<Service>,
    answers: &Answers,
    shutdown: &Shutdown,
) -> Result<Option<Running>> {
    let Some(address) = config.s3.listen else { return Ok(None) };
    let key_file = config.s3.secrets_key_file(&config.pool.directory);
    let users = Users::open(service.pool.clone(), &key_file).map_err(|error| anyhow!("s3: {error}"))?;
    make_first_user(&users, &key_file).await?;
    let tls = config.s3.tls().map(|files| Tls::load(files, ALPN)).transpose();
    let tls = tls.map_err(|error| ConfigError::new(format!("s3.tls_…: {error}")))?.map(Arc::new);
    let listener = Listener::tcp(address, tls.clone()).await;
    let listener = listener.map_err(|error| explain_bind("s3", address, &error))?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{}", listener.local_addr().unwrap_or(address));
    let mut shared = Shared::new(service, &config.s3.region);
    shared.tls.clone_from(&tls);
    shared.trace_one_in = config.traces.otlp_endpoint.as_ref().map_or(0, |_| config.traces.s3_one_in);
    let shared = Arc::new(shared);
    let gate = Gate::new(shared.clone(), users.clone());
    let domains: Vec<String> = config.s3.domain.iter().cloned().collect();
    let server = Server::new(shared.clone(), gate.clone(), gate, &domains)
        .map_err(|error| ConfigError::new(format!("s3.domain: {error}")))?
        .with_requests_max(usize::try_from(config.s3.requests_max).unwrap_or(usize::MAX));
    let limits = Limits {
        name: "s3",
        connections_max: config.s3.connections_max,
        connections_per_address_max: config.s3.connections_per_client_max,
    };
    let connections = shared.statistics.connections.clone();
    let stopped = shutdown.clone().requested();
    let serving =
        tokio::spawn(http::serve_counted(listener, limits, connections, answers.hold(server), stopped));
    let background = vec![
        tokio::spawn(forebay_s3::cleaning::run(shared.clone())),
        tokio::spawn(lifecycle_worker::run(shared.clone(), lifecycle_worker::PERIOD)),
        tokio::spawn(store_last_used(users.clone())),
        tokio::spawn(forebay_s3::key_expiry::run(shared.clone(), users.clone())),
    ];
    Ok(Some(Running { s3: S3 { shared, users }, tls, url, serving, background }))
}

async fn store_last_used(users: Users) {
    loop {
        tokio::time::sleep(LAST_USED_PERIOD).await;
        if let Err(error) = users.flush_last_used(false).await {
            tracing::warn!(%error, "s3: the times at which access keys were last used cannot be stored");
        }
    }
}

impl Running {
    /// Waits until the last requests have ended, after a shutdown was requested.
    pub async fn stop(self) -> Result<()> {
        for task in self.background {
            task.abort();
        }
        let served = self.serving.await;
        if let Err(error) = self.s3.users.flush_last_used(true).await {
            tracing::warn!(%error, "s3: the times at which access keys were last used cannot be stored");
        }
        served.map_err(|error| anyhow!("the S3 server failed: {error}"))
    }
}
