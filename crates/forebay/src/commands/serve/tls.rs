//! The certificate of the API: the operator's, or one that the daemon makes and renews.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Result, anyhow};
use forebay_net::http::ALPN;
use forebay_net::self_signed::SelfSigned;
use forebay_net::tls::{Tls, TlsError};
use forebay_pool::Permit;

use crate::config::{ApiConfig, Config, ConfigError};

/// The name of the files, without their endings.
const NAME: &str = "api-tls";
/// How often it is looked whether the certificate ends soon.
const LOOK_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

/// Whether the daemon makes the certificate.
pub fn is_own(config: &ApiConfig) -> bool {
    config.tls_self_signed && config.tls_certificate.is_none()
}

/// The certificate; `None` if connections are not encrypted.
pub fn of_api(config: &Config, permit: &Permit) -> Result<Option<Arc<Tls>>> {
    let files = match config.api.tls() {
        Some(files) => files,
        None if is_own(&config.api) && config.api.listen.is_some() => {
            permit.confirm()?;
            let own = self_signed(config);
            own.ensure(SystemTime::now()).map_err(|error| anyhow!("api.tls_self_signed: {error}"))?;
            own.files()
        }
        None => return Ok(None),
    };
    let tls = Tls::load(files, ALPN).map_err(|error| ConfigError::new(format!("api.tls_…: {error}")))?;
    if is_own(&config.api) {
        tracing::info!(
            fingerprint = tls.fingerprint(),
            "the API's certificate is self-signed; this is its SHA-256 fingerprint"
        );
    }
    Ok(Some(Arc::new(tls)))
}

/// Renews the daemon's own certificate before it ends. Ends only with the task.
pub async fn keep_valid(config: Config, permit: Permit, tls: Option<Arc<Tls>>) {
    let Some(tls) = tls.filter(|_| is_own(&config.api)) else { return };
    let own = Arc::new(self_signed(&config));
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let (own, tls, permit) = (own.clone(), tls.clone(), permit.clone());
        let renewed = tokio::task::spawn_blocking(move || renew(&own, &tls, &permit)).await;
        match renewed {
            Ok(Ok(Some(fingerprint))) => tracing::warn!(
                fingerprint,
                "the API's self-signed certificate was renewed; clients that compare fingerprints need this one"
            ),
            Ok(Ok(None)) => {}
            Ok(Err(error)) => tracing::error!(error, "the API's self-signed certificate cannot be renewed"),
            // The runtime is shutting down.
            Err(_) => return,
        }
    }
}

/// Returns the fingerprint of the certificate if it is a new one.
fn renew(own: &SelfSigned, tls: &Tls, permit: &Permit) -> Result<Option<String>, String> {
    permit.confirm().map_err(|error| error.to_string())?;
    let told = |error: TlsError| error.to_string();
    if !own.ensure(SystemTime::now()).map_err(told)? {
        return Ok(None);
    }
    tls.reload().map_err(told)?;
    Ok(Some(tls.fingerprint()))
}

fn self_signed(config: &Config) -> SelfSigned {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    // A certificate cannot have a name that is not a host name.
    let is_name = |name: &String| {
        !name.is_empty()
            && name.len() <= 253
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
    };
    let names: Vec<String> = [host].into_iter().filter(is_name).chain(["localhost".to_owned()]).collect();
    let mut addresses = vec![IpAddr::from([127, 0, 0, 1]), IpAddr::from(std::net::Ipv6Addr::LOCALHOST)];
    addresses.extend(forebay_address::own_addresses());
    addresses.extend(config.node.addresses.iter().map(|moving| moving.ip()));
    addresses.extend(config.api.listen.map(|address| address.ip()).filter(|ip| !ip.is_unspecified()));
    addresses.sort_unstable();
    addresses.dedup();
    SelfSigned::new(&config.pool.directory, NAME, names, addresses)
}
