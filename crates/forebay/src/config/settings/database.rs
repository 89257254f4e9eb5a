//! The settings of pools whose metadata lies in a database.

use std::fmt;
use std::path::PathBuf;

use forebay_pool_s3::Address;

use super::super::value::{Kind, Setting, path_or_none, path_text};
use super::store;

/// The URL of a database without a password, or `none`.
pub fn database_or_none(text: &str) -> Result<Option<String>, String> {
    if text == "none" {
        return Ok(None);
    }
    let hint = "write postgres://USER@HOST:PORT/DATABASE, or none";
    let rest = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"));
    let rest = rest.ok_or_else(|| format!("`{text}` is not the URL of a PostgreSQL database; {hint}"))?;
    let user = rest.split('/').next().unwrap_or_default().rsplit_once('@').map_or("", |(user, _)| user);
    // A password would appear in the log, in `ps`, and in what the API says about the configuration.
    if user.contains(':') || rest.contains("password=") {
        return Err(
            "the URL has a password; put it into a file, and name that with pool.metadata_password_file"
                .to_owned(),
        );
    }
    Ok(Some(text.to_owned()))
}

/// The settings.
pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        section: "pool",
        key: "metadata",
        kind: Kind::Text,
        value_name: "URL",
        summary: "The PostgreSQL database with the pool's metadata, or `none`: the metadata is in the pool's directory.",
        details: "With a database, any machine that reaches it and the segments can serve the pool, one at a \
            time. Every daemon with these settings waits until the pool is released or its owner is silent. `forebay pool create` makes such a pool. The parameter \
                  `sslrootcert` names a file of certificates to trust.",
        set: |config, text| store(&mut config.pool.database.metadata, database_or_none(text)),
        get: |config| config.pool.database.metadata.clone().unwrap_or_else(|| "none".to_owned()),
    },
    Setting {
        section: "pool",
        key: "metadata_password_file",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The file with the password for the database, or `none`.",
        details: "Its first line is the password.",
        set: |config, text| store(&mut config.pool.database.password_file, path_or_none(text)),
        get: |config| path_text(config.pool.database.password_file.as_deref()),
    },
    Setting {
        section: "pool",
        key: "name",
        kind: Kind::Text,
        value_name: "NAME",
        summary: "The pool's name in the database, or `none`.",
        details: "A database can hold several pools.",
        set: |config, text| {
            store(&mut config.pool.database.name, Ok((text != "none").then(|| text.to_owned())))
        },
        get: |config| config.pool.database.name.clone().unwrap_or_else(|| "none".to_owned()),
    },
    Setting {
        section: "pool",
        key: "segments",
        kind: Kind::Text,
        value_name: "PLACE",
        summary: "Where the segments of a pool lie whose metadata is in a database: a directory, s3://BUCKET/PREFIX, or `none`.",
        details: "All machines that may serve the pool must reach the same place: a directory on a shared file system, or a bucket, for which \
                  [object_store] has the settings. Nothing else may use it. pool.directory then holds only the daemon's socket, its \
                  history and its cache.",
        set: |config, text| store(&mut config.pool.database.segments, place_or_none(text)),
        get: |config| {
            let place = config.pool.database.segments.as_ref();
            place.map_or_else(|| "none".to_owned(), ToString::to_string)
        },
    },
];

/// Where the segments of a pool in a database lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A directory that all machines share.
    Directory(PathBuf),
    /// A bucket, and what the names of all objects begin with.
    Bucket {
        /// The bucket's name.
        bucket: String,
        /// The prefix; empty for none.
        prefix: String,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Directory(directory) => write!(formatter, "{}", directory.display()),
            Place::Bucket { bucket, prefix } if prefix.is_empty() => write!(formatter, "s3://{bucket}"),
            Place::Bucket { bucket, prefix } => write!(formatter, "s3://{bucket}/{prefix}"),
        }
    }
}

/// A directory, a bucket, or `none`.
pub fn place_or_none(text: &str) -> Result<Option<Place>, String> {
    if text.contains("://") {
        let (bucket, prefix) = Address::parse(text)?;
        return Ok(Some(Place::Bucket { bucket, prefix }));
    }
    Ok(path_or_none(text)?.map(Place::Directory))
}

/// See `[pool]` in the reference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseConfig {
    /// The database's URL; `None` if the metadata lies in the pool's directory.
    pub metadata: Option<String>,
    /// The file with the password.
    pub password_file: Option<PathBuf>,
    /// The pool's name.
    pub name: Option<String>,
    /// Where the segments lie.
    pub segments: Option<Place>,
}

impl DatabaseConfig {
    /// The bucket that has the segments.
    pub fn bucket(&self) -> Option<&Place> {
        self.segments.as_ref().filter(|place| matches!(place, Place::Bucket { .. }))
    }

    /// Settings that go together.
    pub fn check(&self) -> Result<(), String> {
        let with = [("pool.name", self.name.is_some()), ("pool.segments", self.segments.is_some())];
        for (setting, is_set) in with {
            match (&self.metadata, is_set) {
                (Some(_), false) => {
                    return Err(format!("pool.metadata is set, but {setting} is not: set it too"));
                }
                (None, true) => {
                    return Err(format!("{setting} is set, but pool.metadata is not: set it too"));
                }
                _ => {}
            }
        }
        self.name
            .as_deref()
            .map_or(Ok(()), forebay_pool_postgres::check_name)
            .map_err(|why| format!("pool.name: {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_no_password() {
        for good in
            ["postgres://forebay@db:5432/forebay", "postgresql://db/forebay?sslmode=require", "postgres://db"]
        {
            assert_eq!(database_or_none(good), Ok(Some(good.to_owned())));
        }
        for bad in ["postgres://forebay:secret@db/forebay", "postgres://db/forebay?password=secret"] {
            let message = database_or_none(bad).unwrap_err();
            assert!(
                message.contains("pool.metadata_password_file") && !message.contains("secret"),
                "{message}"
            );
        }
        assert!(database_or_none("mysql://db/forebay").unwrap_err().contains("PostgreSQL"));
        assert_eq!(database_or_none("none"), Ok(None));
    }

    #[test]
    fn segments_lie_in_a_directory_or_in_a_bucket() {
        let place = |text: &str| place_or_none(text).unwrap().map(|place| place.to_string());
        for text in ["/srv/kafka", "s3://kafka-pool", "s3://kafka-pool/pools/one"] {
            assert_eq!(place(text).as_deref(), Some(text));
        }
        assert_eq!(place("none"), None);
        assert!(place_or_none("gs://kafka-pool").unwrap_err().contains("s3://BUCKET"));
    }

    #[test]
    fn the_settings_go_together() {
        let whole = DatabaseConfig {
            metadata: Some("postgres://db".into()),
            name: Some("kafka".into()),
            segments: Some(Place::Directory("/srv".into())),
            ..DatabaseConfig::default()
        };
        assert_eq!(whole.check(), Ok(()));
        assert_eq!(DatabaseConfig::default().check(), Ok(()));
        let without = DatabaseConfig { segments: None, ..whole.clone() }.check().unwrap_err();
        assert!(without.contains("pool.segments is not"), "{without}");
        let alone = DatabaseConfig { metadata: None, ..whole.clone() }.check().unwrap_err();
        assert!(alone.contains("pool.metadata is not"), "{alone}");
        let named = DatabaseConfig { name: Some("Kafka!".into()), ..whole }.check().unwrap_err();
        assert!(named.contains("pool.name") && named.contains("a to z"), "{named}");
    }
}
