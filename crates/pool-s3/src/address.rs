//! Where a bucket is, and how to sign in.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use forebay_pool::{Error, Result};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, S3ConditionalPut};
use object_store::{BackoffConfig, Certificate, ClientOptions, ObjectStore, RetryConfig};

/// How long a request may take at most. The client gives up most of them earlier.
const REQUEST_MAX: Duration = Duration::from_secs(300);
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// A place in a bucket.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// The bucket's name.
    pub bucket: String,
    /// What the names of all objects begin with; empty for the whole bucket.
    pub prefix: String,
    /// The URL of the server; none for AWS.
    pub endpoint: Option<String>,
    /// The region. Servers other than AWS mostly take any.
    pub region: String,
    /// The keys; none for those of the environment, or of the machine's role.
    pub credentials: Option<Credentials>,
    /// A file of certificates to trust besides those of the system, in PEM.
    pub ca_file: Option<PathBuf>,
    /// Whether signatures cover the bytes of objects over HTTPS as well, where TLS protects them already. Over HTTP they always do.
    pub sign_payloads: bool,
}

/// An access key and its secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The access key.
    pub access_key: String,
    /// Its secret.
    pub secret_key: String,
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "s3://{}", self.bucket)?;
        if self.prefix.is_empty() { Ok(()) } else { write!(formatter, "/{}", self.prefix) }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} with its secret", self.access_key)
    }
}

impl Address {
    /// The bucket and the prefix of `s3://BUCKET/PREFIX`. The error says what is wrong with it.
    pub fn parse(url: &str) -> std::result::Result<(String, String), String> {
        let hint = "write s3://BUCKET or s3://BUCKET/PREFIX";
        let rest =
            url.strip_prefix("s3://").ok_or_else(|| format!("`{url}` does not name a bucket; {hint}"))?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte);
        if !(3..=63).contains(&bucket.len()) || !bucket.bytes().all(is_name) {
            return Err(format!(
                "`{bucket}` cannot be a bucket's name: it has 3 to 63 lower-case letters, digits, dots and hyphens; {hint}"
            ));
        }
        let prefix = prefix.trim_end_matches('/');
        let is_part = |part: &str| !part.is_empty() && part != "." && part != "..";
        let is_plain = |character: char| character.is_ascii_alphanumeric() || "-._/".contains(character);
        if !prefix.is_empty() && (!prefix.split('/').all(is_part) || !prefix.chars().all(is_plain)) {
            return Err(format!(
                "the prefix `{prefix}` may have letters, digits, dots, hyphens and underscores between single slashes; {hint}"
            ));
        }
        Ok((bucket.to_owned(), prefix.to_owned()))
    }

    /// The place of an object, for messages.
    pub(crate) fn place(&self, object: &str) -> PathBuf {
        PathBuf::from(format!("{self}/{object}"))
    }

    /// The store of objects. Requests are not repeated: this crate does that itself.
    pub(crate) fn open(&self) -> Result<Arc<dyn ObjectStore>> {
        // The TLS of the client has no other source of cryptography. Another part of the process may have installed it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let refused = |cause: String| Error::invalid_arguments(format!("{self}: {cause}"));
        let mut client = ClientOptions::new()
            .with_timeout(REQUEST_MAX)
            .with_connect_timeout(CONNECT_MAX)
            .with_http1_only();
        if let Some(file) = &self.ca_file {
            let read = std::fs::read(file);
            let pem = read.map_err(|error| refused(format!("cannot read {}: {error}", file.display())))?;
            let certificates = Certificate::from_pem_bundle(&pem).map_err(|error| {
                refused(format!("{} has no certificates in PEM: {error}", file.display()))
            })?;
            client = certificates.into_iter().fold(client, ClientOptions::with_root_certificate);
        }
        let mut builder = match &self.credentials {
            None => AmazonS3Builder::from_env(),
            Some(keys) => AmazonS3Builder::new()
                .with_access_key_id(&keys.access_key)
                .with_secret_access_key(&keys.secret_key),
        };
        if let Some(endpoint) = &self.endpoint {
            if !endpoint.starts_with("https://") && !endpoint.starts_with("http://") {
                return Err(refused(format!(
                    "the endpoint `{endpoint}` is not a URL; write https://HOST:PORT"
                )));
            }
            client = client.with_allow_http(endpoint.starts_with("http://"));
            builder = builder.with_endpoint(endpoint.trim_end_matches('/'));
        }
        let is_protected = is_https(builder.get_config_value(&AmazonS3ConfigKey::Endpoint).as_deref());
        let retry =
            RetryConfig { backoff: BackoffConfig::default(), max_retries: 0, retry_timeout: REQUEST_MAX };
        let store = builder
            .with_bucket_name(&self.bucket)
            .with_region(&self.region)
            .with_client_options(client)
            .with_conditional_put(S3ConditionalPut::ETagMatch)
            .with_disable_tagging(true)
            .with_unsigned_payload(is_protected && !self.sign_payloads)
            .with_retry(retry)
            .build()
            .map_err(|error| refused(format!("cannot be opened: {error}")))?;
        Ok(Arc::new(store))
    }
}

/// Whether TLS protects what is sent to this server. None is AWS.
fn is_https(endpoint: Option<&str>) -> bool {
    endpoint.is_none_or(|url| url.starts_with("https://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tls_protects_what_no_signature_covers() {
        assert!(is_https(None) && is_https(Some("https://s3.example")));
        assert!(!is_https(Some("http://s3.example")) && !is_https(Some("s3.example")));
    }

    #[test]
    fn a_place_in_a_bucket_is_parsed_or_refused_with_what_to_write() {
        let good = |url: &str, bucket: &str, prefix: &str| {
            assert_eq!(Address::parse(url), Ok((bucket.to_owned(), prefix.to_owned())), "{url}");
        };
        good("s3://kafka-pool", "kafka-pool", "");
        good("s3://kafka.pool/", "kafka.pool", "");
        good("s3://kafka/pools/one/", "kafka", "pools/one");
        for bad in
            ["/srv", "s3://", "s3://Ab", "s3://ab", "s3://kafka//x", "s3://kafka/../x", "s3://kafka/a b"]
        {
            let message = Address::parse(bad).unwrap_err();
            assert!(message.contains("s3://BUCKET"), "{bad}: {message}");
        }
    }
}
