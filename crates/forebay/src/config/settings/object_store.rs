//! The settings of `[object_store]`: a bucket that has the segments of a pool in a database.

use std::path::{Path, PathBuf};

use forebay_admin::object_store::Prices;

use super::super::value::{Kind, Setting, number, on_or_off, path_or_none, path_text, region};
use super::super::{ConfigError, size};
use super::store;

/// The files of the cache, if `cache_size` says nothing else.
pub const CACHE_BYTES: u64 = 10 << 30;

/// The URL of a server, or `none`.
fn endpoint_or_none(text: &str) -> Result<Option<String>, String> {
    match text {
        "none" => Ok(None),
        url if url.starts_with("https://") || url.starts_with("http://") => Ok(Some(url.to_owned())),
        other => {
            Err(format!("`{other}` is not the URL of a server; write https://HOST:PORT, or none for AWS"))
        }
    }
}

/// The values of `prices`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PricesSetting {
    /// The list prices of AWS, if the bucket is there.
    Auto,
    /// Nothing is estimated.
    None,
    /// These.
    Of(Prices),
}

fn prices(text: &str) -> Result<PricesSetting, String> {
    match text {
        "auto" => return Ok(PricesSetting::Auto),
        "none" => return Ok(PricesSetting::None),
        _ => {}
    }
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [writes, reads, stored]
            if text.split_whitespace().count() == 3
                && numbers.iter().all(|price| price.is_finite() && *price >= 0.0) =>
        {
            Ok(PricesSetting::Of(Prices { writes, reads, stored }))
        }
        _ => Err("write three prices, such as `0.005 0.0004 0.023`: of 1,000 requests that store, of 1,000 that read, and of a GiB for a month; or \
                  auto, or none"
            .to_owned()),
    }
}

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        section: "object_store",
        key: "endpoint",
        kind: Kind::Text,
        value_name: "URL",
        summary: "The server of the bucket that pool.segments names, or `none` for AWS.",
        details: "Over http:// everything can be read on the way. Requests are signed in any case; what they store is part of the signature over \
                  http://, and with `sign_payloads`.",
        set: |config, text| store(&mut config.object_store.endpoint, endpoint_or_none(text)),
        get: |config| config.object_store.endpoint.clone().unwrap_or_else(|| "none".to_owned()),
    },
    Setting {
        section: "object_store",
        key: "region",
        kind: Kind::Text,
        value_name: "NAME",
        summary: "The region of the bucket.",
        details: "Servers other than AWS mostly accept any.",
        set: |config, text| store(&mut config.object_store.region, region(text)),
        get: |config| config.object_store.region.clone(),
    },
    Setting {
        section: "object_store",
        key: "credentials_file",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The file with the keys for the bucket, or `none`: those of the environment or of the machine.",
        details: "The first line is the access key, the second one its secret. They must be allowed to read, write, list and delete objects below the \
                  prefix. With `none`, the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY count, or the role of the machine at AWS.",
        set: |config, text| store(&mut config.object_store.credentials_file, path_or_none(text)),
        get: |config| path_text(config.object_store.credentials_file.as_deref()),
    },
    Setting {
        section: "object_store",
        key: "ca_file",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "A file of certificates to trust for the bucket's server, in PEM, or `none`.",
        details: "Besides those of the system.",
        set: |config, text| store(&mut config.object_store.ca_file, path_or_none(text)),
        get: |config| path_text(config.object_store.ca_file.as_deref()),
    },
    Setting {
        section: "object_store",
        key: "sign_payloads",
        kind: Kind::Text,
        value_name: "ON|OFF",
        summary: "Whether signatures cover the bytes of objects over https:// as well: `on` or `off`.",
        details: "TLS protects them already, and a SHA-256 of all bytes takes time. Policies of buckets can demand it.",
        set: |config, text| store(&mut config.object_store.sign_payloads, on_or_off(text)),
        get: |config| if config.object_store.sign_payloads { "on".to_owned() } else { "off".to_owned() },
    },
    Setting {
        section: "object_store",
        key: "cache_directory",
        kind: Kind::Text,
        value_name: "DIR",
        summary: "The directory of this machine that keeps copies of objects, or `none`: bucket-cache in the directory of the daemon.",
        details: "On a fast disk of the machine's own. Nothing depends on its content, which can be deleted while the daemon is stopped.",
        set: |config, text| store(&mut config.object_store.cache_directory, path_or_none(text)),
        get: |config| path_text(config.object_store.cache_directory.as_deref()),
    },
    Setting {
        section: "object_store",
        key: "cache_size",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "The bytes that the cache may take; 0 for none on the disk.",
        details: "The objects that were used least recently go first.",
        set: |config, text| {
            store(&mut config.object_store.cache_size, if text == "0" { Ok(0) } else { size::parse(text) })
        },
        get: |config| size::exact(config.object_store.cache_size),
    },
    Setting {
        section: "object_store",
        key: "prices",
        kind: Kind::Text,
        value_name: "PRICES",
        summary: "What the bucket costs, for an estimate of the costs of a month: `WRITES READS STORED`, `auto` or `none`.",
        details: "Three numbers: the price of 1,000 requests that store or list objects, that of 1,000 requests that read them, and that of a stored GiB \
                  for a month, such as `0.005 0.0004 0.023`. `auto` stands for the list prices of S3 Standard in us-east-1, if the bucket is at AWS.",
        set: |config, text| store(&mut config.object_store.prices, prices(text)),
        get: |config| match &config.object_store.prices {
            PricesSetting::Auto => "auto".to_owned(),
            PricesSetting::None => "none".to_owned(),
            PricesSetting::Of(Prices { writes, reads, stored }) => format!("{writes} {reads} {stored}"),
        },
    },
    Setting {
        section: "object_store",
        key: "keep_deleted_hours",
        kind: Kind::Number,
        value_name: "HOURS",
        summary: "How long objects without data are kept before they are deleted.",
        details: "A database that was restored to an earlier time, within these hours, finds all objects that it names.",
        set: |config, text| store(&mut config.object_store.keep_deleted_hours, number(text, 0, 8760)),
        get: |config| config.object_store.keep_deleted_hours.to_string(),
    },
];

/// See `[object_store]` in the reference.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectStoreConfig {
    /// The server's URL; `None` for AWS.
    pub endpoint: Option<String>,
    /// The region.
    pub region: String,
    /// The file with the keys.
    pub credentials_file: Option<PathBuf>,
    /// More certificates to trust.
    pub ca_file: Option<PathBuf>,
    /// Whether signatures cover the bytes of objects over HTTPS as well.
    pub sign_payloads: bool,
    /// The directory of the cache; `None` for the one in the daemon's directory.
    pub cache_directory: Option<PathBuf>,
    /// Bytes of the cache's files.
    pub cache_size: u64,
    /// Its prices; see [`ObjectStoreConfig::prices`].
    pub prices: PricesSetting,
    /// How long objects without data are kept.
    pub keep_deleted_hours: u64,
}

impl Default for ObjectStoreConfig {
    fn default() -> Self {
        ObjectStoreConfig {
            endpoint: None,
            region: "us-east-1".to_owned(),
            credentials_file: None,
            ca_file: None,
            sign_payloads: false,
            cache_directory: None,
            cache_size: CACHE_BYTES,
            prices: PricesSetting::Auto,
            keep_deleted_hours: 24,
        }
    }
}

impl ObjectStoreConfig {
    /// The prices by which costs are estimated, if they are known.
    pub fn prices(&self) -> Option<Prices> {
        match self.prices {
            PricesSetting::Auto => self.endpoint.is_none().then_some(Prices::AWS),
            PricesSetting::None => None,
            PricesSetting::Of(prices) => Some(prices),
        }
    }

    /// The place in the bucket.
    pub fn address(&self, bucket: &str, prefix: &str) -> Result<forebay_pool_s3::Address, ConfigError> {
        Ok(forebay_pool_s3::Address {
            bucket: bucket.to_owned(),
            prefix: prefix.to_owned(),
            endpoint: self.endpoint.clone(),
            region: self.region.clone(),
            credentials: self.credentials_file.as_deref().map(credentials).transpose()?,
            ca_file: self.ca_file.clone(),
            sign_payloads: self.sign_payloads,
        })
    }
}

/// The keys in a file.
fn credentials(file: &Path) -> Result<forebay_pool_s3::Credentials, ConfigError> {
    let refused = |problem: String| {
        ConfigError::new(format!(
            "object_store.credentials_file {}: {problem}; the first line is the access key, the second one its secret",
            file.display()
        ))
    };
    let text = std::fs::read_to_string(file).map_err(|error| refused(error.to_string()))?;
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match lines[..] {
        [access_key, secret_key] => Ok(forebay_pool_s3::Credentials {
            access_key: access_key.to_owned(),
            secret_key: secret_key.to_owned(),
        }),
        _ => Err(refused(format!("it has {} lines instead of two", lines.len()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_three_numbers_and_those_of_aws_only_there() {
        let of = |text: &str, endpoint: Option<&str>| {
            let prices = prices(text).unwrap();
            let endpoint = endpoint.map(str::to_owned);
            ObjectStoreConfig { prices, endpoint, ..ObjectStoreConfig::default() }.prices()
        };
        assert_eq!(of("auto", None), Some(Prices::AWS));
        assert_eq!(of("auto", Some("https://s3.example")), None);
        assert_eq!(of("none", None), None);
        let own = Prices { writes: 0.0, reads: 1e-4, stored: 0.01 };
        assert_eq!(of(" 0  0.0001 0.01", Some("https://s3.example")), Some(own));
        for bad in ["", "1 2", "1 2 3 4", "1 2 x", "1 -2 3", "1 inf 3", "1 NaN 3", "AUTO"] {
            assert!(prices(bad).unwrap_err().contains("0.005 0.0004 0.023"), "{bad}");
        }
    }
}
