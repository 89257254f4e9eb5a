//! Where the database is.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use forebay_pool::{Error, Result};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio_postgres::Config;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::reach::ADDRESS_MAX;

/// After this long without an acknowledgement of the other host, a connection is lost.
const SILENCE_MAX: Duration = Duration::from_secs(3);

/// The characters that a pool's name may have, so that it can be a part of the schema's name.
const NAME_RULE: &str = "a name has 1 to 40 characters, of a to z, 0 to 9 and _, and begins with a letter";

/// The metadata of one pool: the database that has it, and the pool's name there.
#[derive(Clone)]
pub struct Database {
    pub(crate) config: Config,
    pub(crate) tls: MakeRustlsConnect,
    name: String,
}

impl Database {
    /// The pool `name` in the database that `url` names, as `postgres://USER@HOST:PORT/DATABASE` or as words `host=… dbname=…`. The parameter
    /// `sslrootcert` names a file of certificates to trust in place of the system's.
    pub fn of(url: &str, name: &str) -> Result<Database> {
        check_name(name).map_err(|cause| Error::Remote {
            object: "pool name".into(),
            cause,
            remedy: "choose another name",
        })?;
        Database::read(url, name)
    }

    /// All pools in the database that `url` names.
    pub fn whole(url: &str) -> Result<Database> {
        Database::read(url, "")
    }

    fn read(url: &str, name: &str) -> Result<Database> {
        let (url, roots) = without_roots(url);
        let config = Config::from_str(&url).map_err(|error| {
            let cause = format!("cannot be understood: {}", sentence(&error));
            Error::Remote {
                object: "database URL".into(),
                cause,
                remedy: "write postgres://USER@HOST:PORT/DATABASE",
            }
        })?;
        let mut config = config;
        config
            .connect_timeout(ADDRESS_MAX)
            .tcp_user_timeout(SILENCE_MAX)
            .keepalives(true)
            .keepalives_idle(Duration::from_secs(2))
            .keepalives_interval(Duration::from_secs(1))
            .keepalives_retries(3);
        Ok(Database { config, tls: tls(roots.as_deref())?, name: name.to_owned() })
    }

    /// Connects with this password.
    #[must_use]
    pub fn with_password(mut self, password: &str) -> Database {
        self.config.password(password);
        self
    }

    /// The pool's name; empty for all pools of a database.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The pool of that name in the same database.
    #[must_use]
    pub fn pool(&self, name: &str) -> Database {
        Database { name: name.to_owned(), ..self.clone() }
    }

    /// The database and its server.
    pub fn place(&self) -> String {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            tokio_postgres::config::Host::Tcp(name) => name.clone(),
            tokio_postgres::config::Host::Unix(path) => path.display().to_string(),
        });
        let hosts: Vec<String> = hosts.collect();
        format!("database {} on {}", self.config.get_dbname().unwrap_or("postgres"), hosts.join(","))
    }

    /// The schema that has the pool's tables.
    pub(crate) fn schema(&self) -> String {
        format!("forebay_{}", self.name)
    }

    /// Identifies the pool in the names of sessions, which may have 63 bytes.
    pub(crate) fn tag(&self) -> String {
        blake3::hash(self.schema().as_bytes()).to_hex().chars().take(8).collect()
    }

    /// An error that names this pool.
    pub(crate) fn error(&self, cause: impl Into<String>, remedy: &'static str) -> Error {
        Error::Remote { object: self.object(), cause: cause.into(), remedy }
    }

    fn object(&self) -> String {
        if self.name.is_empty() { self.place() } else { format!("pool {} in {}", self.name, self.place()) }
    }
}

/// Refuses what cannot be the name of a pool in a database.
pub fn check_name(name: &str) -> std::result::Result<(), String> {
    if is_name(name) {
        Ok(())
    } else {
        Err(format!("{name:?} cannot be the name of a pool in a database: {NAME_RULE}"))
    }
}

/// Whether a pool can have this name.
pub(crate) fn is_name(name: &str) -> bool {
    let first = name.chars().next().is_some_and(|first| first.is_ascii_lowercase());
    let rest = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    first && rest && name.len() <= 40
}

impl std::fmt::Debug for Database {
    /// Without the password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.object())
    }
}

/// What an error of the client says, with its causes.
pub(crate) fn sentence(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// Takes `sslrootcert` out of the parameters, which the client does not know.
fn without_roots(url: &str) -> (String, Option<String>) {
    let mut roots = None;
    let separators: &[char] = if url.contains("://") { &['?', '&'] } else { &[' '] };
    let mut rest = String::new();
    for part in url.split_inclusive(separators) {
        match part.trim_end_matches(separators).strip_prefix("sslrootcert=") {
            Some(path) => roots = Some(path.to_owned()),
            None => rest.push_str(part),
        }
    }
    (rest.trim_end_matches(separators).to_owned(), roots)
}

fn tls(roots: Option<&str>) -> Result<MakeRustlsConnect> {
    let mut trusted = rustls::RootCertStore::empty();
    let (good, _) = match roots {
        Some(path) => {
            let failed = |cause: String| Error::Remote {
                object: format!("sslrootcert {path}"),
                cause,
                remedy: "name a file of certificates in PEM",
            };
            let certificates = CertificateDer::pem_file_iter(Path::new(path))
                .and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>)
                .map_err(|error| failed(error.to_string()))?;
            let count = trusted.add_parsable_certificates(certificates);
            if count.0 == 0 {
                return Err(failed("it has no certificate".into()));
            }
            count
        }
        None => trusted.add_parsable_certificates(rustls_native_certs::load_native_certs().certs),
    };
    tracing::debug!(certificates = good, "certificates that a database may be known by");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Meta(format!("TLS cannot be used: {error}")))?
        .with_root_certificates(trusted)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_must_be_able_to_be_a_schema() {
        let url = "postgres://forebay@localhost/forebay";
        assert_eq!(Database::of(url, "kafka_1").unwrap().schema(), "forebay_kafka_1");
        for bad in ["", "Kafka", "1kafka", "kafka-1", "kafka\"", &"k".repeat(41)] {
            let error = Database::of(url, bad).unwrap_err().to_string();
            assert!(error.contains("a name has 1 to 40 characters"), "{error}");
        }
    }

    #[test]
    fn a_url_that_cannot_be_understood_says_what_to_write() {
        let error = Database::of("http://example.com", "kafka").unwrap_err().to_string();
        assert!(error.contains("write postgres://USER@HOST:PORT/DATABASE"), "{error}");
    }

    #[test]
    fn the_password_is_not_shown() {
        let database = Database::of("postgres://forebay:secret@db.example/forebay", "kafka").unwrap();
        assert_eq!(format!("{database:?}"), "pool kafka in database forebay on db.example");
        assert!(!database.error("is away", "look").to_string().contains("secret"));
    }

    #[test]
    fn the_file_of_certificates_is_taken_out_of_the_url() {
        let (url, roots) = without_roots("postgres://db/forebay?sslmode=require&sslrootcert=/etc/ca.pem");
        assert_eq!(
            (url.as_str(), roots.as_deref()),
            ("postgres://db/forebay?sslmode=require", Some("/etc/ca.pem"))
        );
        let (url, roots) = without_roots("postgres://db/forebay?sslrootcert=/etc/ca.pem&sslmode=require");
        assert_eq!(
            (url.as_str(), roots.as_deref()),
            ("postgres://db/forebay?sslmode=require", Some("/etc/ca.pem"))
        );
        let (url, roots) = without_roots("host=db sslrootcert=/ca dbname=forebay");
        assert_eq!((url.as_str(), roots.as_deref()), ("host=db dbname=forebay", Some("/ca")));
        assert_eq!(without_roots("postgres://db/forebay"), ("postgres://db/forebay".to_owned(), None));
    }
}
