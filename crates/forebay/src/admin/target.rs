//! The address of a daemon: reads and checks the URL that `--server` takes.
//!
//! What must hold: a token never crosses a network unencrypted, so plain HTTP is only for this machine.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use hyper::Uri;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};

use crate::arguments::{Fingerprint, Remote};
use crate::config::API_PORT;

use super::pinned::Pinned;
use super::profiles::{self, Profile};
use super::running;

/// The address of a daemon, and the transport.
#[derive(Clone)]
pub enum Target {
    /// A UNIX socket at a path.
    Socket(PathBuf),
    /// A TCP address on this machine.
    Plain {
        /// Host name or address, and port.
        place: (String, u16),
    },
    /// A TCP address, with TLS.
    Secured {
        /// Host name or address, and port.
        place: (String, u16),
        /// The name that its certificate must be for.
        name: ServerName<'static>,
        /// The authorities whose certificates are trusted.
        tls: Arc<ClientConfig>,
    },
}

/// The daemon that a command is about, and the token for it.
pub fn of(remote: &Remote) -> Result<(Target, Option<String>)> {
    let chosen = chosen(remote)?;
    let token = remote.token.clone().or_else(|| chosen.as_ref().and_then(|profile| profile.token.clone()));
    let Some(profile) = chosen else {
        let mut socket = remote.settings.load()?.admin_socket();
        // Where a service is installed, commands are about that one, also while it is stopped.
        if !remote.settings.is_given()
            && remote.settings.file().is_none()
            && !socket.exists()
            && let Some(last) = running::last()
        {
            socket = last;
        }
        forebay_net::http::check_path(&socket)?;
        return Ok((Target::Socket(socket), token));
    };
    let given =
        Trust { authority: remote.ca_certificate.as_deref(), fingerprint: remote.tls_fingerprint.as_ref() };
    let saved =
        Trust { authority: profile.ca_certificate.as_deref(), fingerprint: profile.tls_fingerprint.as_ref() };
    let is_given = given.authority.is_some() || given.fingerprint.is_some();
    Ok((read(&profile.server, if is_given { &given } else { &saved })?, token))
}

/// The daemon that the options name, unless it is the one on this machine.
fn chosen(remote: &Remote) -> Result<Option<Profile>> {
    if let Some(server) = &remote.server {
        let server = server.clone();
        return Ok(Some(Profile { server, token: None, ca_certificate: None, tls_fingerprint: None }));
    }
    match &remote.profile {
        Some(name) if name == profiles::LOCAL => Ok(None),
        Some(name) => profiles::load()?.get(name).map(Some),
        None if remote.settings.is_given() => Ok(None),
        None => Ok(profiles::load()?.current()),
    }
}

/// Which certificates are trusted: those that the system trusts, unless one of these is given.
#[derive(Clone, Copy, Default)]
pub struct Trust<'a> {
    /// Those of this authority.
    pub authority: Option<&'a Path>,
    /// The one with this fingerprint.
    pub fingerprint: Option<&'a Fingerprint>,
}

/// Parses a URL.
pub fn read(url: &str, trust: &Trust<'_>) -> Result<Target> {
    let hint = "write https://HOST[:PORT], http://127.0.0.1[:PORT] or unix:PATH";
    if let Some(path) = url.strip_prefix("unix:") {
        let path = PathBuf::from(path.strip_prefix("//").unwrap_or(path));
        forebay_net::http::check_path(&path)?;
        return Ok(Target::Socket(path));
    }
    let uri: Uri = url.parse().map_err(|error| anyhow!("server {url}: not a URL ({error}); {hint}"))?;
    let host =
        uri.host().filter(|host| !host.is_empty()).ok_or_else(|| anyhow!("server {url}: no host; {hint}"))?;
    if !["", "/"].contains(&uri.path()) || uri.query().is_some() {
        bail!("server {url}: has a path; {hint}");
    }
    let bare = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let place = (bare.clone(), uri.port_u16().unwrap_or(API_PORT));
    match uri.scheme_str() {
        Some("http") if is_this_machine(&bare) => Ok(Target::Plain { place }),
        Some("http") => bail!("server {url}: the token would cross the network unencrypted; use https://"),
        Some("https") => {
            let name = ServerName::try_from(bare)
                .map_err(|_| anyhow!("server {url}: {host} is not a host name; {hint}"))?;
            Ok(Target::Secured { place, name, tls: Arc::new(tls(trust)?) })
        }
        _ => bail!("server {url}: not a supported address; {hint}"),
    }
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// TLS settings that trust these certificates.
pub fn tls(trust: &Trust<'_>) -> Result<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])?;
    let mut config = match trust.fingerprint {
        Some(fingerprint) => {
            let pinned = Arc::new(Pinned::new(fingerprint.clone(), &provider));
            builder.dangerous().with_custom_certificate_verifier(pinned).with_no_client_auth()
        }
        None => builder.with_root_certificates(roots(trust.authority)?).with_no_client_auth(),
    };
    config.alpn_protocols = vec![forebay_net::http::ALPN.to_vec()];
    Ok(config)
}

fn roots(authority: Option<&Path>) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    match authority {
        Some(file) => {
            let problem = || format!("CA certificate {}: cannot be used; it must be PEM", file.display());
            for certificate in CertificateDer::pem_file_iter(file).with_context(problem)? {
                roots.add(certificate.with_context(problem)?).with_context(problem)?;
            }
        }
        None => {
            // Some of the system's certificates may be unusable; the others still count.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if roots.is_empty() {
        bail!("no certificate authority is trusted; give --ca-certificate FILE or --tls-fingerprint SHA256");
    }
    Ok(roots)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(url: &str) -> (String, u16) {
        match read(url, &Trust::default()).unwrap() {
            Target::Plain { place } | Target::Secured { place, .. } => place,
            Target::Socket(_) => panic!("a socket"),
        }
    }

    #[test]
    fn urls_say_where_a_daemon_is() {
        assert_eq!(place("http://127.0.0.1"), ("127.0.0.1".to_owned(), API_PORT));
        assert_eq!(place("http://[::1]:9000/"), ("::1".to_owned(), 9000));
        assert!(
            matches!(read("unix:/run/x.sock", &Trust::default()), Ok(Target::Socket(path)) if path == Path::new("/run/x.sock"))
        );
        assert!(
            matches!(read("unix:///run/x.sock", &Trust::default()), Ok(Target::Socket(path)) if path == Path::new("/run/x.sock"))
        );
    }

    #[test]
    fn what_would_send_a_token_in_clear_and_what_is_no_server_is_refused() {
        for (url, part) in [
            ("http://storage.example.org", "unencrypted"),
            ("http://192.0.2.1:8049", "unencrypted"),
            ("ftp://127.0.0.1", "not a supported address"),
            ("127.0.0.1:8049", "server 127.0.0.1:8049"),
            ("http://127.0.0.1/pool", "has a path"),
            ("", "server"),
        ] {
            let refused = read(url, &Trust::default()).err().unwrap().to_string();
            assert!(refused.contains(part), "{url}: {refused}");
        }
    }
}
