//! The configuration: its settings, and the sources of their values.
//!
//! A value comes from the command line, the environment or the configuration file, in this order, or is the
//! default. [`settings`] lists the settings; [`file`](mod@file) reads TOML strictly; [`flags`] defines the
//! flags and reads the environment; [`print`] writes the annotated default and the reference page.

mod alerts;
mod backup;
pub mod file;
pub mod flags;
mod node;
pub mod print;
mod s3;
pub mod settings;
pub mod size;
pub mod value;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use alerts::AlertsConfig;
pub use backup::BackupConfig;
pub use node::NodeConfig;
pub use s3::S3Config;
pub use settings::{DatabaseConfig, ObjectStoreConfig, Place};

const DAY_SECONDS: u64 = 24 * 60 * 60;

const HOUR_SECONDS: u64 = 60 * 60;

/// All settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `[pool]`.
    pub pool: PoolConfig,
    /// `[object_store]`.
    pub object_store: ObjectStoreConfig,
    /// `[nfs]`.
    pub nfs: NfsConfig,
    /// `[s3]`.
    pub s3: S3Config,
    /// `[node]`.
    pub node: NodeConfig,
    /// `[backup]`.
    pub backup: BackupConfig,
    /// `[alerts]`.
    pub alerts: AlertsConfig,
    /// `[log]`.
    pub log: LogConfig,
    /// `[admin]`.
    pub admin: AdminConfig,
    /// `[api]`.
    pub api: ApiConfig,
    /// `[metrics]`.
    pub metrics: MetricsConfig,
    /// `[traces]`.
    pub traces: TracesConfig,
    /// `[kafka]`.
    pub kafka: KafkaConfig,
    /// `[lab]`.
    pub lab: LabConfig,
}

/// The pool's directory and limits. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolConfig {
    /// The directory that holds the pool.
    pub directory: PathBuf,
    /// Maximum size of the pool; `None` means the whole file system.
    pub size_max: Option<u64>,
    /// Maximum size of unstable writes in memory.
    pub dirty_max: u64,
    /// Age in milliseconds at which unstable writes are made durable.
    pub dirty_age_ms_max: u64,
    /// Maximum size of the read cache.
    pub cache_max: u64,
    /// Maximum memory for the fingerprints of recently used chunks.
    pub fingerprints_max: u64,
    /// Size at which a segment is sealed.
    pub segment_size: u64,
    /// Whether bytes are compared before they are shared.
    pub dedup_verify: bool,
    /// Whether large writes bypass the system's page cache.
    pub direct_io: bool,
    /// The directory of a second copy of all data, if any.
    pub copies_directory: Option<PathBuf>,
    /// The directory of the intent log, if it is not in the pool's.
    pub log_directory: Option<PathBuf>,
    /// Maximum size of the intent log.
    pub log_max: u64,
    /// Days between two scrubs; 0 means only on request.
    pub scrub_days: u64,
    /// Bytes verified per second.
    pub scrub_rate: u64,
    /// Hours for which a deleted volume can be recovered; 0 means not at all.
    pub recovery_hours: u64,
    /// The database that has the metadata, if any.
    pub database: DatabaseConfig,
}

impl PoolConfig {
    /// The options for the pool.
    pub fn options(&self) -> forebay_pool::PoolOptions {
        forebay_pool::PoolOptions {
            bytes_max: self.size_max,
            dirty_bytes_max: self.dirty_max,
            dirty_age_ms_max: self.dirty_age_ms_max,
            segment_bytes: self.segment_size,
            cache_bytes: self.cache_max,
            fingerprint_bytes: self.fingerprints_max,
            dedup_verify: self.dedup_verify,
            direct_io: self.direct_io,
            copies_directory: self.copies_directory.clone(),
            log_directory: self.log_directory.clone(),
            log_bytes_max: self.log_max,
            scrub_period: (self.scrub_days > 0).then(|| Duration::from_secs(self.scrub_days * DAY_SECONDS)),
            scrub_bytes_per_second: self.scrub_rate,
            recoverable: Duration::from_secs(self.recovery_hours * HOUR_SECONDS),
            ..forebay_pool::PoolOptions::default()
        }
    }
}

/// The NFS server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NfsConfig {
    /// The address that clients connect to.
    pub listen: SocketAddr,
    /// How long a silent client keeps its state.
    pub lease_seconds: u32,
    /// How long clients may reclaim their state after a restart.
    pub grace_seconds: u32,
    /// How long a request is held that waits for others to reclaim.
    pub grace_hold_seconds: u32,
    /// Maximum number of TCP connections.
    pub connections_max: usize,
    /// Maximum number of TCP connections from one address.
    pub connections_per_client_max: usize,
    /// Maximum memory for requests in progress.
    pub requests_max: u64,
    /// Maximum memory for client state between requests.
    pub state_max: u64,
    /// The server's certificate, if TLS is offered.
    pub tls_certificate: Option<PathBuf>,
    /// The certificate's private key.
    pub tls_key: Option<PathBuf>,
    /// The authorities for client certificates, if clients are asked for one.
    pub tls_client_authorities: Option<PathBuf>,
    /// The domain of the names that clients may use for owners and groups.
    pub id_domain: Option<String>,
    /// Whether owners and groups are reported to clients by name.
    pub owner_names: bool,
    /// Paths of the tree whose file systems are on other servers.
    pub referrals: Vec<forebay_nfs::referral::Referral>,
}

impl NfsConfig {
    /// The certificate files; `None` without TLS.
    pub fn tls(&self) -> Option<forebay_net::tls::TlsFiles> {
        let (certificate, key) = self.tls_certificate.clone().zip(self.tls_key.clone())?;
        let client_authorities = self.tls_client_authorities.clone();
        Some(forebay_net::tls::TlsFiles { certificate, key, client_authorities })
    }
}

/// The log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogConfig {
    /// The format of log lines.
    pub format: LogFormat,
    /// The events to log, as a `tracing` filter.
    pub level: String,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

/// The admin socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdminConfig {
    /// The socket's path; a relative path is resolved against the pool's directory.
    pub socket: PathBuf,
    /// Whether members of the daemon's group can connect as well.
    pub group_access: bool,
}

/// Metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricsConfig {
    /// The address that serves metrics and health without a token; `None` means only the API does.
    pub listen: Option<SocketAddr>,
    /// Whether collectors need no token on the API.
    pub public: bool,
}

/// Traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracesConfig {
    /// The collector's URL; `None` means nothing is traced.
    pub otlp_endpoint: Option<String>,
    /// Trace one in this many COMPOUNDs; 0 means none.
    pub nfs_one_in: u64,
    /// Trace one in this many S3 requests; 0 means none.
    pub s3_one_in: u64,
}

/// Kafka views.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KafkaConfig {
    /// Whether there are any.
    pub views: bool,
    /// Seconds between two reports.
    pub interval_seconds: u64,
    /// Topics with metrics of their own; `None` decides by whether metrics are public.
    pub metrics_topics: Option<usize>,
    /// Seconds that a broker has to delete a directory that it has renamed.
    pub deleted_after_seconds: u64,
}

/// Topics with metrics of their own if nothing else is set.
const METRICS_TOPICS: usize = 500;

impl Config {
    /// How Kafka views work.
    pub fn kafka_settings(&self) -> forebay_admin::kafka::Settings {
        let is_public = self.metrics.public || self.metrics.listen.is_some();
        let usual = if is_public { 0 } else { METRICS_TOPICS };
        forebay_admin::kafka::Settings {
            is_on: self.kafka.views,
            interval: Duration::from_secs(self.kafka.interval_seconds),
            metrics_topics: self.kafka.metrics_topics.unwrap_or(usual),
            deleted_after: Duration::from_secs(self.kafka.deleted_after_seconds),
        }
    }
}

/// Lab reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabConfig {
    /// The directory of the reports; `None` means none are shown.
    pub results_directory: Option<PathBuf>,
}

/// The API over TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiConfig {
    /// The address that users connect to; `None` means the API is not served over TCP.
    pub listen: Option<SocketAddr>,
    /// The certificate, if TLS is used.
    pub tls_certificate: Option<PathBuf>,
    /// The certificate's private key.
    pub tls_key: Option<PathBuf>,
    /// Whether the daemon makes a certificate if it is given none.
    pub tls_self_signed: bool,
}

impl ApiConfig {
    /// Whether connections are encrypted.
    pub fn is_secured(&self) -> bool {
        self.tls_certificate.is_some() || self.tls_self_signed
    }

    /// The certificate files; `None` without TLS.
    pub fn tls(&self) -> Option<forebay_net::tls::TlsFiles> {
        let (certificate, key) = self.tls_certificate.clone().zip(self.tls_key.clone())?;
        Some(forebay_net::tls::TlsFiles { certificate, key, client_authorities: None })
    }

    fn check(&self) -> Result<(), ConfigError> {
        match (&self.tls_certificate, &self.tls_key) {
            (Some(_), None) => {
                return Err(ConfigError::new(
                    "api.tls_certificate is set, but api.tls_key is not: set it too",
                ));
            }
            (None, Some(_)) => {
                return Err(ConfigError::new(
                    "api.tls_key is set, but api.tls_certificate is not: set it too",
                ));
            }
            _ => {}
        }
        match self.listen {
            Some(address) if !self.is_secured() && !address.ip().is_loopback() => Err(ConfigError(format!(
                "api.listen is {address}, but TLS is not configured, and other machines can reach it: tokens would cross the \
                     network unencrypted; set api.tls_certificate and api.tls_key, or api.tls_self_signed = \"on\", or listen on 127.0.0.1"
            ))),
            _ => Ok(()),
        }
    }
}

/// The default port of the API: NFS's port number moved to the range of HTTP ports. It is not registered for
/// anything else.
pub const API_PORT: u16 = 8049;

impl Default for Config {
    /// The defaults, taken from the parts themselves where they have one.
    fn default() -> Self {
        let pool = forebay_pool::PoolOptions::default();
        let nfs = forebay_nfs::Config::default();
        Config {
            pool: PoolConfig {
                directory: PathBuf::from("./forebay-data"),
                size_max: pool.bytes_max,
                dirty_max: pool.dirty_bytes_max,
                dirty_age_ms_max: pool.dirty_age_ms_max,
                cache_max: pool.cache_bytes,
                fingerprints_max: pool.fingerprint_bytes,
                segment_size: pool.segment_bytes,
                dedup_verify: pool.dedup_verify,
                direct_io: pool.direct_io,
                copies_directory: pool.copies_directory,
                log_directory: pool.log_directory,
                log_max: pool.log_bytes_max,
                scrub_days: pool.scrub_period.map_or(0, |period| period.as_secs() / DAY_SECONDS),
                scrub_rate: pool.scrub_bytes_per_second,
                recovery_hours: pool.recoverable.as_secs() / HOUR_SECONDS,
                database: DatabaseConfig::default(),
            },
            object_store: ObjectStoreConfig::default(),
            nfs: NfsConfig {
                listen: SocketAddr::from((Ipv4Addr::UNSPECIFIED, 2049)),
                lease_seconds: nfs.lease_seconds,
                grace_seconds: nfs.grace_seconds,
                grace_hold_seconds: nfs.grace_hold_seconds,
                connections_max: nfs.connections_max,
                connections_per_client_max: nfs.connections_per_client_max,
                requests_max: nfs.requests_bytes_max as u64,
                state_max: nfs.state_bytes_max as u64,
                tls_certificate: None,
                tls_key: None,
                tls_client_authorities: None,
                id_domain: None,
                owner_names: false,
                referrals: nfs.referrals,
            },
            s3: S3Config::default(),
            node: NodeConfig::default(),
            backup: BackupConfig::default(),
            alerts: AlertsConfig::default(),
            log: LogConfig { format: LogFormat::Text, level: "info".to_owned() },
            admin: AdminConfig { socket: PathBuf::from("admin.sock"), group_access: false },
            api: ApiConfig {
                listen: Some(SocketAddr::from((Ipv4Addr::LOCALHOST, API_PORT))),
                tls_certificate: None,
                tls_key: None,
                tls_self_signed: false,
            },
            metrics: MetricsConfig { listen: None, public: false },
            traces: TracesConfig { otlp_endpoint: None, nfs_one_in: 1000, s3_one_in: 1000 },
            kafka: KafkaConfig {
                views: true,
                interval_seconds: 300,
                metrics_topics: None,
                deleted_after_seconds: 600,
            },
            lab: LabConfig { results_directory: None },
        }
    }
}

impl Config {
    /// The configuration from a file alone.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        let mut config = Config::default();
        file::apply(&mut config, path)?;
        config.check()?;
        Ok(config)
    }

    /// The path of the admin socket.
    pub fn admin_socket(&self) -> PathBuf {
        self.pool.directory.join(&self.admin.socket)
    }

    /// Whether other nodes can take the pool over.
    pub fn is_shared(&self) -> bool {
        self.node.standby || self.pool.database.metadata.is_some()
    }

    /// Checks constraints between settings.
    fn check(&self) -> Result<(), ConfigError> {
        let (lease, grace) = (self.nfs.lease_seconds, self.nfs.grace_seconds);
        if grace < lease {
            return Err(ConfigError(format!(
                "nfs.grace_seconds is {grace}, less than nfs.lease_seconds ({lease}): clients may notice a restart \
                 as late as at the end of their lease; make the grace period at least as long"
            )));
        }
        if self.nfs.owner_names && self.nfs.id_domain.is_none() {
            return Err(ConfigError::new(
                "nfs.owner_names is on, but nfs.id_domain is not set: names need a domain; set it to that of the clients' \
                 idmapd.conf",
            ));
        }
        self.node.check().map_err(ConfigError)?;
        self.pool.database.check().map_err(ConfigError)?;
        if self.pool.database.metadata.is_some() && self.pool.copies_directory.is_some() {
            return Err(ConfigError::new(
                "pool.copies_directory is set, and so is pool.metadata: a pool in a database has no second copy; set it to none",
            ));
        }
        if self.pool.database.metadata.is_some() && self.node.standby {
            return Err(ConfigError::new(
                "node.standby is on, and pool.metadata is set: node.standby is for pools in a shared directory, and a daemon of a pool in a \
                 database always waits for it; set node.standby to off",
            ));
        }
        self.api.check()?;
        self.s3.check(&self.pool.directory).map_err(ConfigError)?;
        match (&self.nfs.tls_certificate, &self.nfs.tls_key, &self.nfs.tls_client_authorities) {
            (Some(_), None, _) => {
                Err(ConfigError::new("nfs.tls_certificate is set, but nfs.tls_key is not: set it too"))
            }
            (None, Some(_), _) => {
                Err(ConfigError::new("nfs.tls_key is set, but nfs.tls_certificate is not: set it too"))
            }
            (None, None, Some(_)) => Err(ConfigError::new(
                "nfs.tls_client_authorities is set, but nfs.tls_certificate and nfs.tls_key are not: clients present \
                 certificates only to a server that has one; set both",
            )),
            _ => Ok(()),
        }
    }
}

/// An invalid configuration: the place, the reason, and what would be valid.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigError(String);

impl ConfigError {
    /// An error that says which setting is invalid, and what would be valid.
    pub fn new(message: impl Into<String>) -> Self {
        ConfigError(message.into())
    }
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grace_period_shorter_than_the_lease_is_refused() {
        let mut config = Config::default();
        config.nfs.grace_seconds = config.nfs.lease_seconds - 1;
        assert!(config.check().unwrap_err().to_string().contains("nfs.grace_seconds"));
    }

    #[test]
    fn names_of_owners_need_a_domain() {
        let mut config = Config::default();
        config.nfs.owner_names = true;
        assert!(config.check().unwrap_err().to_string().contains("nfs.id_domain"));
        config.nfs.id_domain = Some("example.org".into());
        config.check().unwrap();
    }

    #[test]
    fn a_certificate_without_its_key_is_refused() {
        let path = || Some(PathBuf::from("file.pem"));
        let mut config = Config::default();
        config.nfs.tls_certificate = path();
        assert!(config.check().unwrap_err().to_string().contains("nfs.tls_key is not"));
        config.nfs.tls_key = path();
        config.check().unwrap();
        assert!(config.nfs.tls().is_some());
        config.nfs = NfsConfig { tls_client_authorities: path(), ..Config::default().nfs };
        assert!(config.check().is_err());
    }

    #[test]
    fn the_api_is_for_this_machine_only_without_a_certificate() {
        let mut config = Config::default();
        config.api.listen = Some("0.0.0.0:8049".parse().unwrap());
        assert!(config.check().unwrap_err().to_string().contains("api.tls_certificate"));
        config.api.tls_certificate = Some(PathBuf::from("file.pem"));
        assert!(config.check().unwrap_err().to_string().contains("api.tls_key is not"));
        config.api.tls_key = Some(PathBuf::from("file.pem"));
        config.check().unwrap();
        config.api = ApiConfig { listen: None, ..Config::default().api };
        config.check().unwrap();
        config.api = ApiConfig {
            listen: Some("0.0.0.0:8049".parse().unwrap()),
            tls_self_signed: true,
            ..Config::default().api
        };
        config.check().unwrap();
    }

    #[test]
    fn the_admin_socket_is_in_the_pool_unless_its_path_is_absolute() {
        let mut config = Config::default();
        assert_eq!(config.admin_socket(), PathBuf::from("./forebay-data/admin.sock"));
        config.admin.socket = PathBuf::from("/run/forebay.sock");
        assert_eq!(config.admin_socket(), PathBuf::from("/run/forebay.sock"));
    }
}
