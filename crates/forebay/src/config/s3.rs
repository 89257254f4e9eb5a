//! `[s3]`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// The S3 server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct S3Config {
    /// The address that clients connect to; `None` means that S3 is not served.
    pub listen: Option<SocketAddr>,
    /// The region that clients sign for.
    pub region: String,
    /// The domain below which a host name names a bucket.
    pub domain: Option<String>,
    /// The certificate, if TLS is used.
    pub tls_certificate: Option<PathBuf>,
    /// The certificate's private key.
    pub tls_key: Option<PathBuf>,
    /// The file with the key that seals the secrets of access keys; `None` means beside the pool's directory.
    pub secrets_key_file: Option<PathBuf>,
    /// Maximum number of connections.
    pub connections_max: usize,
    /// Maximum number of connections from one address.
    pub connections_per_client_max: usize,
    /// Maximum memory for requests in progress.
    pub requests_max: u64,
}

impl Default for S3Config {
    fn default() -> Self {
        S3Config {
            listen: None,
            region: "us-east-1".to_owned(),
            domain: None,
            tls_certificate: None,
            tls_key: None,
            secrets_key_file: None,
            connections_max: 2048,
            connections_per_client_max: 1024,
            requests_max: forebay_s3::memory::REQUESTS_BYTES_MAX_DEFAULT as u64,
        }
    }
}

impl S3Config {
    /// The certificate files; `None` without TLS.
    pub fn tls(&self) -> Option<forebay_net::tls::TlsFiles> {
        let (certificate, key) = self.tls_certificate.clone().zip(self.tls_key.clone())?;
        Some(forebay_net::tls::TlsFiles { certificate, key, client_authorities: None })
    }

    /// The file with the key that seals secrets. By default it lies beside the pool's directory, and not in it, so that
    /// a copy of the pool alone reveals no secret.
    pub fn secrets_key_file(&self, pool: &Path) -> PathBuf {
        if let Some(file) = &self.secrets_key_file {
            return file.clone();
        }
        let mut name = pool.file_name().unwrap_or("forebay".as_ref()).to_owned();
        name.push(".s3-key");
        pool.with_file_name(name)
    }

    /// Checks constraints between settings. The error says what to do.
    pub(super) fn check(&self, pool: &Path) -> Result<(), String> {
        match (&self.tls_certificate, &self.tls_key) {
            (Some(_), None) => {
                return Err("s3.tls_certificate is set, but s3.tls_key is not: set it too".to_owned());
            }
            (None, Some(_)) => {
                return Err("s3.tls_key is set, but s3.tls_certificate is not: set it too".to_owned());
            }
            _ => {}
        }
        if self.secrets_key_file.as_ref().is_some_and(|file| file.starts_with(pool)) {
            return Err(format!(
                "s3.secrets_key_file is in the pool's directory {}: a copy of the pool would contain both the sealed secrets and \
                 their key; choose a file elsewhere",
                pool.display()
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_the_secrets_is_never_in_the_pool() {
        let config = S3Config::default();
        let pool = Path::new("/srv/pool");
        assert_eq!(config.secrets_key_file(pool), PathBuf::from("/srv/pool.s3-key"));
        assert_eq!(config.secrets_key_file(Path::new("./data")), PathBuf::from("./data.s3-key"));
        let inside = S3Config { secrets_key_file: Some("/srv/pool/key".into()), ..config };
        let error = inside.check(pool).unwrap_err();
        assert!(error.contains("s3.secrets_key_file"), "{error}");
    }

    #[test]
    fn a_certificate_without_its_key_is_refused() {
        let config = S3Config { tls_certificate: Some("a.pem".into()), ..S3Config::default() };
        let error = config.check(Path::new("/srv/pool")).unwrap_err();
        assert!(error.contains("s3.tls_key is not"), "{error}");
    }
}
