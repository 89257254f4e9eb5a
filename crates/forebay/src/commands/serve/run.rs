//! `forebay serve`: opens the pool, starts the servers on it, and closes everything in order.
//!
//! What must hold: whenever the daemon ends in an orderly way, by a signal or after a failure, the pool is
//! closed last, after all servers have stopped; and every failure is one line that says what to do.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, anyhow};
use forebay_admin::health::Health;
use forebay_admin::history;
use forebay_admin::kafka::{self, Kafka};
use forebay_admin::lab::Lab;
use forebay_admin::metrics::Run;
use forebay_admin::object_store::ObjectStore;
use forebay_admin::{Api, Cluster, NodeControl, efficiency};
use forebay_net::Answers;
use forebay_net::http::{self, Listener, Socket, check_path};
use forebay_net::tls::{Tls, TlsError};
use forebay_nfs::{Server, ServerError, Shared};
use forebay_notify::Targets;
use forebay_pool::{LastStop, Pool};
use forebay_pool_postgres::Leaving;
use forebay_service::disk::Place;
use forebay_service::events::{Kind, Who};
use forebay_service::keeper::Keeper;
use forebay_service::{Service, ServiceOptions};
use rustix::fs::Mode;
use rustix::process::{Resource, getrlimit, setrlimit, umask};
use tokio::net::TcpListener;
use tokio::signal::unix::Signal;

use super::cluster;
use super::greeting;
use super::listener::{self, listen};
use super::node::Owning;
use super::notify::{self, Notifier};
use super::s3;
use super::signals::{self, Shutdown, Trigger};
use super::tls;
use crate::admin::running;
use crate::commands::config as config_command;
use crate::commands::init::{make_default_volume, make_first_user};
use crate::config::{AlertsConfig, Config, ConfigError};
use crate::traces::{self, Exporter};
use crate::{logging, output};

/// Maximum time for background work to finish at shutdown.
const LEFTOVER_WORK_MAX: Duration = Duration::from_secs(5);

/// Maximum time for events and the history to be written at shutdown.
const HISTORY_WRITE_MAX: Duration = Duration::from_secs(10);

/// How often it is checked whether the pool has stopped.
const STOPPED_EVERY: Duration = Duration::from_secs(1);

/// Number of files that the pool may have open: segments, metadata tables, journals.
const FILES_OF_POOL: u64 = 1024;

/// Serves until a signal requests a stop.
pub fn run(config: &Config) -> Result<()> {
    // Everything that the daemon creates, above all the admin socket, is only for its own user.
    umask(Mode::from_raw_mode(0o077));
    let (tracer, exporter) = match &config.traces.otlp_endpoint {
        Some(endpoint) => {
            let prepared = traces::prepare(endpoint);
            let (tracer, exporter) = prepared.map_err(|error| ConfigError::new(format!("{error:#}")))?;
            (Some(tracer), Some(exporter))
        }
        None => (None, None),
    };
    logging::start(&config.log, tracer)?;
    let files_max = raise_file_limit();
    let runtime = tokio::runtime::Runtime::new().context("the asynchronous runtime cannot be started")?;
    let result = runtime.block_on(async {
        let exporting = exporter.map(Exporter::start);
        let served = serve(config, files_max).await;
        if let Some(exporting) = exporting {
            exporting.finish().await;
        }
        served
    });
    runtime.shutdown_timeout(LEFTOVER_WORK_MAX);
    result
}

async fn serve(config: &Config, files_max: u64) -> Result<()> {
    check_path(&config.admin_socket())?;
    // A mistake in it is an error now, not when the pool is taken.
    config.alerts.load().map_err(ConfigError::new)?;
    let (trigger, shutdown) = signals::watch()?;
    let inherited = listener::inherited(config, &Notifier::from_environment());
    if config.is_shared() && inherited.is_none() {
        // An address that is in use is an error now, not when the pool is taken.
        drop(listen(config).await?);
    }
    let Some(mut owning) = Owning::wait(config, &shutdown).await? else { return Ok(()) };
    let leaving = Arc::new(Mutex::new(Leaving::Stopped));
    let stop = Stop { trigger, shutdown, leaving: leaving.clone() };
    let outcome = serve_owned(config, files_max, inherited, &mut owning, stop).await;
    owning.release_addresses().await;
    let leaving = leaving.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let is_leased = owning.leased().is_some();
    match outcome {
        // The other nodes must assume that it is still being written to. With a lease, nothing is committed once another process has it.
        Outcome::NotClosed(served) if !is_leased => served?,
        Outcome::Closed(served) | Outcome::NotClosed(served) => {
            let leaving = if is_leased { after(&served, leaving) } else { leaving };
            served.and(owning.release(leaving))?;
        }
    }
    tracing::info!("stopped");
    Ok(())
}

/// Who may serve the pool next. After a failure first another node than this one, which would take it back at once.
fn after(served: &Result<()>, leaving: Leaving) -> Leaving {
    if served.is_err() && leaving == Leaving::Stopped { Leaving::Released } else { leaving }
}

/// Ways to stop the daemon.
struct Stop {
    trigger: Trigger,
    shutdown: Shutdown,
    /// Who may serve the pool afterwards.
    leaving: Arc<Mutex<Leaving>>,
}

impl Stop {
    /// Begins to hand the pool over: to the node of this name, or to any.
    fn release(&self) -> Box<dyn Fn(Option<String>) + Send + Sync> {
        let (trigger, leaving) = (self.trigger.clone(), self.leaving.clone());
        Box::new(move |to| {
            let how = to.map_or(Leaving::Released, Leaving::MovedTo);
            *leaving.lock().unwrap_or_else(PoisonError::into_inner) = how;
            trigger.shut_down();
        })
    }
}

/// How the daemon's work on the pool ended.
enum Outcome {
    /// The pool is closed, or was never opened.
    Closed(Result<()>),
    /// It may still be written to.
    NotClosed(Result<()>),
}

async fn serve_owned(
    config: &Config,
    files_max: u64,
    inherited: Option<std::net::TcpListener>,
    owning: &mut Owning,
    stop: Stop,
) -> Outcome {
    // Clients that connect while the pool is being opened wait. If they were refused, a Linux client would wait for three seconds.
    let listener = match inherited.map(TcpListener::from_std) {
        Some(Ok(listener)) => Ok(listener),
        Some(Err(_)) | None => listen(config).await,
    };
    let listener = match listener {
        Ok(listener) => listener,
        Err(error) => return Outcome::Closed(Err(error)),
    };
    Notifier::from_environment().keep_listener(&listener);
    let opened = tokio::select! {
        pool = owning.open(config) => pool,
        // Threads that open the pool may go on until the process ends.
        () = stop.shutdown.clone().requested() => return Outcome::NotClosed(Ok(())),
    };
    let pool = match opened {
        Ok(pool) => pool,
        Err(error) => return Outcome::Closed(Err(error)),
    };
    let nfs_config = forebay_nfs::Config {
        answers: owning.answers(),
        gives_way: owning.is_shared(),
        ..nfs_config(config, files_max)
    };
    let served = serve_pool(config, nfs_config, &pool, listener, owning, &stop).await;
    match pool.close().await {
        Ok(()) => Outcome::Closed(served),
        Err(error) => {
            let error = anyhow!("the pool was not closed cleanly: {error}");
            Outcome::NotClosed(served.and(Err(error)))
        }
    }
}

/// Returns when the pool has stopped after a failure, if another node can take it.
async fn pool_stopped(pool: Pool, is_shared: bool) {
    if !is_shared {
        return std::future::pending().await;
    }
    while !pool.counters().is_ok_and(|counters| counters.stopped) {
        tokio::time::sleep(STOPPED_EVERY).await;
    }
    tracing::error!("the pool has stopped after a failure: this node gives it up");
}

async fn serve_pool(
    config: &Config,
    nfs_config: forebay_nfs::Config,
    pool: &Pool,
    listener: TcpListener,
    owning: &mut Owning,
    stop: &Stop,
) -> Result<()> {
    let Stop { trigger, shutdown, .. } = stop;
    make_default_volume(pool).await.map_err(|error| anyhow!("volume kafka cannot be made: {error}"))?;
    let options = ServiceOptions { backups: config.backup.settings(), ..nfs_config.service_options() };
    let service = Arc::new(Service::open(pool.clone(), options)?);
    let place = Arc::new(Place::new(&config.pool.directory, owning.permit()));
    let keeper = Arc::new(Keeper::open(place.clone(), service.clone()));
    let nfs = Server::on(service.clone(), listener, nfs_config).await.map_err(explain)?;
    let address = nfs.local_addr();
    make_first_user(pool, &service.accounts).await?;
    let api_tls = tls::of_api(config, &owning.permit())?;
    let mut listeners =
        vec![Listener::Socket(Socket::bind(config.admin_socket(), config.admin.group_access)?)];
    let mut api_address = None;
    if let Some(address) = config.api.listen {
        let listener = Listener::tcp(address, api_tls.clone());
        let listener = listener.await.map_err(|error| explain_bind("api", address, &error))?;
        api_address = listener.local_addr();
        listeners.push(listener);
    }
    let monitoring = match config.metrics.listen {
        Some(address) => {
            let listener = Listener::tcp(address, None).await;
            Some(listener.map_err(|error| explain_bind("metrics", address, &error))?)
        }
        None => None,
    };
    let monitoring_address = monitoring.as_ref().and_then(Listener::local_addr);
    let s3 = s3::start(config, service.clone(), &owning.answers(), shutdown).await?;
    let mut api = Api::new(service.clone(), Some(nfs.shared()), address, config.pool.directory.clone());
    api.settings = config_command::effective(config);
    api.metrics_public = config.metrics.public;
    api.run = Arc::new(Run::new(pool.last_stop(), api_tls.clone()));
    let cluster = owning.leased().map(|_| Arc::<Cluster>::default());
    api.node = owning
        .beats()
        .map(|beats| Arc::new(NodeControl { beats, release: stop.release(), cluster: cluster.clone() }));
    if let Some(place) = config.pool.database.bucket() {
        api.object_store = Some(Arc::new(ObjectStore::new(place.to_string(), config.object_store.prices())));
    }
    api.kafka = Arc::new(Kafka::new(pool.clone(), Some(nfs.shared()), config.kafka_settings()));
    api.kafka.history.keep_in(place.clone());
    api.lab = Lab::new(config.lab.results_directory.clone());
    api.s3 = s3.as_ref().map(|running| running.s3.clone());
    let api = Arc::new(api);
    api.health.keep_in(place.clone());
    api.health.repeat_every(config.alerts.repeat());
    notify_as(config.alerts.load().map_err(ConfigError::new)?, &api.health);
    let s3_tls = s3.as_ref().and_then(|running| running.tls.clone());
    let certificates: Vec<Arc<Tls>> = api_tls.iter().cloned().chain(s3_tls).collect();
    let renewing = tokio::spawn(tls::keep_valid(config.clone(), owning.permit(), api_tls.clone()));
    let reloading = tokio::spawn(reload_when_asked(
        nfs.shared(),
        certificates,
        (config.alerts.clone(), api.health.clone()),
        signals::reloads()?,
    ));
    let keeping = tokio::spawn(keeper.clone().run());
    let watching = tokio::spawn(forebay_service::watch::run(service.clone()));
    let backing_up = tokio::spawn(forebay_service::backups::run(service.clone()));
    let surveying = tokio::spawn(kafka::run(api.kafka.clone()));
    let counting = tokio::spawn(efficiency::run(api.efficiencies.clone()));
    let refusals = tokio::spawn(forebay_admin::watch::run(nfs.shared(), api.run.clone()));
    let mut serving = serve_api(&api, listeners, &owning.answers(), shutdown);
    serving.extend(monitoring.map(|listener| serve_monitoring(&api, listener, shutdown)));
    service.events.note(
        Kind::DaemonStarted,
        "daemon",
        started(
            config,
            pool,
            address,
            (api_address, monitoring_address),
            s3.as_ref().map(|running| running.url.as_str()),
        ),
        Who::default(),
    );
    // After the event of the start, so that alerts come after it.
    let (history, health) = (api.history.clone(), api.health.clone());
    let points = history::Keeper::open(place, history.clone(), pool.last_stop(), SystemTime::now());
    let points = Arc::new(points);
    let recording = tokio::spawn(history::run(
        history,
        Some(points.clone()),
        health,
        api.sources(),
        history::SystemClock,
    ));
    owning.acquire(address).await?;
    if let Some(taken) = owning.taken() {
        service.events.note(Kind::PoolTaken, "pool", taken, Who::default());
    }
    let looking = cluster::start(owning.leased(), &api);
    running::remember(&config.admin_socket());
    let places = greeting::Places {
        nfs: &api.nfs_view,
        api: api_address,
        fingerprint: api_tls.as_ref().filter(|_| tls::is_own(&config.api)).map(|tls| tls.fingerprint()),
        monitoring: monitoring_address,
    };
    for line in greeting::lines(config, pool, &places, &nfs.shared().policies) {
        output::print_line(&line)?;
    }
    let notifier = Notifier::from_environment();
    notifier.ready(&notify::status_of(&nfs.shared()));
    let telling = tokio::spawn(notifier.clone().keep_told(nfs.shared()));
    let listing = owning.keep_list(nfs.shared().connections.subscribe());
    let (asked, stopped) = (shutdown.clone(), pool_stopped(pool.clone(), owning.is_shared()));
    let stop = async {
        tokio::select! {
            () = asked.requested() => {}
            () = stopped => {}
        }
        telling.abort();
        if let Some(listing) = listing {
            listing.abort();
        }
        notifier.stopping();
        owning.release_addresses().await;
    };

    let served = nfs.run(stop).await;
    reloading.abort();
    renewing.abort();
    watching.abort();
    refusals.abort();
    looking.into_iter().for_each(|task| task.abort());
    recording.abort();
    // What reads the pool's metadata in a thread ends soon, so that the pool can be closed.
    api.kafka.stop();
    backing_up.abort();
    surveying.abort();
    counting.abort();
    trigger.shut_down();
    service.jobs.cancel_all();
    keeping.abort();
    let (alerts, topics) = (api.health.clone(), api.kafka.history.clone());
    let writing = tokio::task::spawn_blocking(move || {
        points.write_all();
        alerts.write_now();
        topics.write(true);
        keeper.write(true);
    });
    for listener in serving {
        listener.await.context("a server of the API failed")?;
    }
    if let Some(running) = s3 {
        running.stop().await?;
    }
    // A disk that hangs must not keep the pool from being closed.
    let _ = tokio::time::timeout(HISTORY_WRITE_MAX, writing).await;
    served.map_err(|error| anyhow!("the NFS server failed: {error}"))
}

/// Serves the API on all its listeners.
fn serve_api(
    api: &Arc<Api>,
    listeners: Vec<Listener>,
    answers: &Answers,
    shutdown: &Shutdown,
) -> Vec<tokio::task::JoinHandle<()>> {
    let router = forebay_admin::router::router(api.clone());
    let serve = |listener| {
        tokio::spawn(http::serve(
            listener,
            forebay_admin::LIMITS,
            answers.hold(router.clone()),
            shutdown.clone().requested(),
        ))
    };
    listeners.into_iter().map(serve).collect()
}

/// Serves metrics and health on a listener of their own.
fn serve_monitoring(api: &Arc<Api>, listener: Listener, shutdown: &Shutdown) -> tokio::task::JoinHandle<()> {
    let router = forebay_admin::router::monitoring(api.clone());
    tokio::spawn(http::serve(
        listener,
        forebay_admin::MONITORING_LIMITS,
        router,
        shutdown.clone().requested(),
    ))
}

fn started(
    config: &Config,
    pool: &Pool,
    nfs: SocketAddr,
    (api, monitoring): (Option<SocketAddr>, Option<SocketAddr>),
    s3: Option<&str>,
) -> String {
    let api = match api {
        Some(address) if config.api.is_secured() => format!("https://{address}"),
        Some(address) => format!("http://{address}"),
        None => "the admin socket only".to_owned(),
    };
    let (directory, release) = (config.pool.directory.display(), forebay_admin::RELEASE);
    let s3 = s3.map_or_else(String::new, |url| format!(", S3 at {url}"));
    let monitoring =
        monitoring.map_or_else(String::new, |address| format!(", metrics and health at http://{address}"));
    let last_stop = match pool.last_stop() {
        LastStop::First => "the pool is new",
        LastStop::Clean => "the last stop was clean",
        LastStop::Unclean => "the last stop was not clean",
        LastStop::Unknown => "whether the last stop was clean is not known",
    };
    format!(
        "release {release} serves pool {directory}, start {} ({last_stop}): NFS at {nfs}, the API at {api}{s3}{monitoring}",
        pool.boot()
    )
}

/// Sends notices of alerts to these targets from now on.
fn notify_as(targets: Targets, health: &Arc<Health>) {
    let alive = health.clone();
    health.notifier.configure(targets, move || alive.is_alive());
}

/// At every SIGHUP, reads the certificates and the targets of alerts again and clears the cache of users and groups.
async fn reload_when_asked(
    nfs: Arc<Shared>,
    others: Vec<Arc<Tls>>,
    (alerts, health): (AlertsConfig, Arc<Health>),
    mut asked: Signal,
) {
    while asked.recv().await.is_some() {
        nfs.identities.forget();
        match alerts.load() {
            Ok(targets) => notify_as(targets, &health),
            Err(error) => {
                tracing::error!(%error, "SIGHUP: cannot read the targets of alerts; the old ones stay in use");
            }
        }
        let all: Vec<&Tls> = nfs.tls.iter().chain(others.iter().map(Arc::as_ref)).collect();
        if all.is_empty() {
            tracing::info!(
                "SIGHUP: users and groups will be looked up again; no certificates are configured"
            );
            continue;
        }
        let failed: Vec<TlsError> = all.into_iter().filter_map(|tls| tls.reload().err()).collect();
        if failed.is_empty() {
            tracing::info!("SIGHUP: certificates reloaded");
        }
        for error in failed {
            tracing::error!(%error, "SIGHUP: cannot reload certificates; the old ones stay in use");
        }
    }
}

fn nfs_config(config: &Config, files_max: u64) -> forebay_nfs::Config {
    let connections_max = config.nfs.connections_max.min(connections_for(files_max));
    if connections_max < config.nfs.connections_max {
        tracing::warn!(
            files_max,
            connections_max,
            "nfs.connections_max exceeds what the open file limit allows; raise the limit (LimitNOFILE= in the unit, or ulimit -Hn)"
        );
    }
    forebay_nfs::Config {
        lease_seconds: config.nfs.lease_seconds,
        grace_seconds: config.nfs.grace_seconds,
        grace_hold_seconds: config.nfs.grace_hold_seconds,
        connections_max,
        connections_per_client_max: config.nfs.connections_per_client_max,
        tls: config.nfs.tls(),
        id_domain: config.nfs.id_domain.clone(),
        owner_names: config.nfs.owner_names,
        referrals: config.nfs.referrals.clone(),
        trace_one_in: config.traces.otlp_endpoint.as_ref().map_or(0, |_| config.traces.nfs_one_in),
        requests_bytes_max: usize::try_from(config.nfs.requests_max).unwrap_or(usize::MAX),
        state_bytes_max: usize::try_from(config.nfs.state_max).unwrap_or(usize::MAX),
        resets_connections: config.is_shared(),
        ..forebay_nfs::Config::default()
    }
}

/// Explains what an operator can do about an NFS server that fails to start.
fn explain(error: ServerError) -> anyhow::Error {
    match error {
        ServerError::Tls(error) => ConfigError::new(format!("nfs.tls_…: {error}")).into(),
        error => anyhow!("{error}"),
    }
}

/// Explains what an operator can do about an address that cannot be bound.
pub(super) fn explain_bind(section: &str, address: SocketAddr, source: &std::io::Error) -> anyhow::Error {
    let (cause, remedy) = match source.kind() {
        ErrorKind::AddrInUse => (
            "the port is in use".to_owned(),
            "stop the other server (`ss -ltnp` shows it), or choose another port",
        ),
        ErrorKind::PermissionDenied => (
            "not permitted".to_owned(),
            "ports below 1024 need root or CAP_NET_BIND_SERVICE; choose a higher one",
        ),
        ErrorKind::AddrNotAvailable => (
            "this machine does not have the address".to_owned(),
            "choose one of its own (`ip address` shows them), or 0.0.0.0,",
        ),
        _ => (source.to_string(), "choose another address"),
    };
    anyhow!("{section}.listen {address}: {cause}; {remedy} with --{section}-listen")
}

/// Raises the limit of open files as far as the system allows; returns the limit.
fn raise_file_limit() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // If this is forbidden, the lower limit stays, which is enough for small installations.
    let _ = setrlimit(Resource::Nofile, limit);
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// The number of connections that a limit of open files allows. The pool's share is reserved.
fn connections_for(files_max: u64) -> usize {
    let pool = (files_max / 8).max(FILES_OF_POOL.min(files_max / 2));
    usize::try_from(files_max.saturating_sub(pool)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_to_the_pool() {
        assert_eq!(connections_for(1024), 512);
        assert_eq!(connections_for(4096), 3072);
        assert_eq!(connections_for(20_000), 17_500);
        assert!(connections_for(u64::MAX) > 1 << 40);
    }
}
