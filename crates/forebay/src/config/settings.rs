//! Every setting, once.
//!
//! The configuration file, the flags, the environment variables, `forebay config init` and the reference
//! page are all made from [`SETTINGS`], so they cannot disagree. To add a setting, add its field to
//! [`Config`] and its row here.

use super::value::{
    address, address_or_off, at_least, directory, domain_or_none, level, number, on_or_off, path_or_none,
    path_text, segment_size, size_or_unlimited, url_or_none,
};
use super::{Config, size};

/// What a value looks like in TOML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A quoted string.
    Text,
    /// A whole number.
    Number,
}

/// One setting: its names, its documentation, and how it gets into and out of a [`Config`].
pub struct Setting {
    /// The table of the file that it stands in.
    pub section: &'static str,
    /// Its key in that table. Units come last.
    pub key: &'static str,
    /// How its value is written in TOML.
    pub kind: Kind,
    /// What the value is called in the help of the flag.
    pub value_name: &'static str,
    /// One sentence: what it sets.
    pub summary: &'static str,
    /// What else an operator should know before changing it.
    pub details: &'static str,
    /// Checks a value and stores it. The error says what is wrong with it and what would be right.
    pub set: fn(&mut Config, &str) -> Result<(), String>,
    /// The value as the file, the flag and the environment would spell it.
    pub get: fn(&Config) -> String,
}

impl Setting {
    /// `pool.directory`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.key)
    }

    /// `pool-directory`, as in `--pool-directory`.
    pub fn flag(&self) -> String {
        format!("{}-{}", self.section, self.key.replace('_', "-"))
    }

    /// `FOREBAY_POOL_DIRECTORY`.
    pub fn environment(&self) -> String {
        format!("FOREBAY_{}_{}", self.section, self.key).to_uppercase()
    }

    /// The default, as the file spells it.
    pub fn default_toml(&self) -> String {
        self.toml(&Config::default())
    }

    /// Its value, as the file spells it.
    pub fn toml(&self, config: &Config) -> String {
        let value = (self.get)(config);
        match self.kind {
            Kind::Text => toml::Value::String(value).to_string(),
            Kind::Number => value,
        }
    }
}

/// The sections of the file, in order, and what each is about.
pub const SECTIONS: &[(&str, &str)] = &[
    ("pool", "Where everything is stored, and within which bounds."),
    ("nfs", "The NFSv4.1 and 4.2 server."),
    ("log", "What the daemon reports on standard error."),
    ("admin", "The local socket that `forebay volume` and `forebay pool` talk to."),
    ("api", "The same interface over TCP, for users with tokens."),
    ("metrics", "What Prometheus reads at `/metrics` of the API."),
    ("traces", "Where requests spend their time, for a collector of OpenTelemetry."),
    ("lab", "Reports of the lab, which the console and the API show."),
];

/// All settings, by section.
pub const SETTINGS: &[Setting] = &[
    Setting {
        section: "pool",
        key: "directory",
        kind: Kind::Text,
        value_name: "DIR",
        summary: "The directory that holds the pool.",
        details: "Created if it does not exist. An existing one must be empty or hold a pool. A relative \
                  path is taken from the directory that the daemon is started in. One daemon at a time.",
        set: |config, text| store(&mut config.pool.directory, directory(text)),
        get: |config| config.pool.directory.display().to_string(),
    },
    Setting {
        section: "pool",
        key: "size_max",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "How many bytes the pool may hold, or `unlimited`.",
        details: "`unlimited` means what the file system has room for. A full pool refuses writes with \
                  \"no space left\", keeps serving reads and deletes, and loses nothing.",
        set: |config, text| store(&mut config.pool.size_max, size_or_unlimited(text)),
        get: |config| config.pool.size_max.map_or_else(|| "unlimited".to_owned(), size::exact),
    },
    Setting {
        section: "pool",
        key: "dirty_max",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "How many written bytes may wait in memory before writers have to wait for the disk.",
        details: "These are writes that clients have not asked to be durable yet; clients keep them until \
                  they are, and send them again after a crash.",
        set: |config, text| store(&mut config.pool.dirty_max, at_least(1 << 20, text)),
        get: |config| size::exact(config.pool.dirty_max),
    },
    Setting {
        section: "pool",
        key: "dirty_age_ms_max",
        kind: Kind::Number,
        value_name: "MS",
        summary: "After how many milliseconds a written byte is made durable unasked.",
        details: "The last bytes of a file that is being written to may stay in memory four times as long.",
        set: |config, text| store(&mut config.pool.dirty_age_ms_max, number(text, 1, 600_000)),
        get: |config| config.pool.dirty_age_ms_max.to_string(),
    },
    Setting {
        section: "pool",
        key: "cache_max",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "How many bytes of data that was read are kept in memory for further reads.",
        details: "Clients have caches of their own; this one serves consumers that read the same data from \
                  several clients.",
        set: |config, text| store(&mut config.pool.cache_max, at_least(1 << 20, text)),
        get: |config| size::exact(config.pool.cache_max),
    },
    Setting {
        section: "pool",
        key: "fingerprints_max",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "How many bytes of memory the fingerprints of data that was written lately may take.",
        details: "With them, what a second and third replica writes is found without a read of the metadata. \
                  64MiB are enough for the last 60 GiB.",
        set: |config, text| store(&mut config.pool.fingerprints_max, at_least(0, text)),
        get: |config| size::exact(config.pool.fingerprints_max),
    },
    Setting {
        section: "pool",
        key: "segment_size",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "The size at which a segment file is sealed and the next one begun.",
        details: "Between 1 MiB and 1 GiB. Smaller segments give space back sooner, larger ones make \
                  fewer files.",
        set: |config, text| store(&mut config.pool.segment_size, segment_size(text)),
        get: |config| size::exact(config.pool.segment_size),
    },
    Setting {
        section: "pool",
        key: "direct_io",
        kind: Kind::Text,
        value_name: "ON|OFF",
        summary: "Whether large writes go past the system's page cache: `on` or `off`.",
        details: "Costs less processor time, and leaves the page cache to readers. A file system that does not \
                  take such writes is written to through the cache anyway.",
        set: |config, text| store(&mut config.pool.direct_io, on_or_off(text)),
        get: |config| if config.pool.direct_io { "on".to_owned() } else { "off".to_owned() },
    },
    Setting {
        section: "pool",
        key: "copies_directory",
        kind: Kind::Text,
        value_name: "DIR",
        summary: "A directory, on another disk, for a second copy of all data; or `none`.",
        details: "Everything is written to both before it is acknowledged, and what is damaged in one is read, \
                  and repaired, from the other. May be set later: the scrub fills it. Must be empty or the \
                  pool's own copy. While it is missing, the pool goes on with one copy, and says so. The \
                  metadata has one copy only.",
        set: |config, text| store(&mut config.pool.copies_directory, path_or_none(text)),
        get: |config| path_text(config.pool.copies_directory.as_deref()),
    },
    Setting {
        section: "pool",
        key: "scrub_days",
        kind: Kind::Number,
        value_name: "DAYS",
        summary: "After how many days everything that is stored is read and verified again; 0 for never.",
        details: "`forebay pool scrub start` does it at any time.",
        set: |config, text| store(&mut config.pool.scrub_days, number(text, 0, 3650)),
        get: |config| config.pool.scrub_days.to_string(),
    },
    Setting {
        section: "pool",
        key: "scrub_rate",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "How many bytes are verified in a second, so that clients have the disk.",
        details: "",
        set: |config, text| store(&mut config.pool.scrub_rate, at_least(1 << 20, text)),
        get: |config| size::exact(config.pool.scrub_rate),
    },
    Setting {
        section: "nfs",
        key: "listen",
        kind: Kind::Text,
        value_name: "IP:PORT",
        summary: "The address and port that NFS clients connect to.",
        details: "0.0.0.0 is every IPv4 address of the machine; [::] is every address, IPv6 and IPv4. \
                  Ports below 1024 need root or CAP_NET_BIND_SERVICE; 2049 does not.",
        set: |config, text| store(&mut config.nfs.listen, address(text)),
        get: |config| config.nfs.listen.to_string(),
    },
    Setting {
        section: "nfs",
        key: "lease_seconds",
        kind: Kind::Number,
        value_name: "SECONDS",
        summary: "How long a client that has gone silent keeps its open files and locks.",
        details: "A broker whose machine died can be replaced by another one after this time; the same \
                  machine gets its locks back at once.",
        set: |config, text| store(&mut config.nfs.lease_seconds, number(text, 5, 3600)),
        get: |config| config.nfs.lease_seconds.to_string(),
    },
    Setting {
        section: "nfs",
        key: "grace_seconds",
        kind: Kind::Number,
        value_name: "SECONDS",
        summary: "How long a restarted daemon lets clients reclaim what they had open, before new opens.",
        details: "Ends early when every client that had something open has come back. Must not be shorter \
                  than `lease_seconds`.",
        set: |config, text| store(&mut config.nfs.grace_seconds, number(text, 5, 3600)),
        get: |config| config.nfs.grace_seconds.to_string(),
    },
    Setting {
        section: "nfs",
        key: "connections_max",
        kind: Kind::Number,
        value_name: "COUNT",
        summary: "How many TCP connections are served at once.",
        details: "A client opens one for each `nconnect` of its mount. A further one takes the place of one that no \
                  mount uses, if there is one, and is closed else. Must be below the system's limit of open files \
                  (LimitNOFILE= in the unit); the daemon says when it is not.",
        set: |config, text| store(&mut config.nfs.connections_max, number(text, 1, 65_536)),
        get: |config| config.nfs.connections_max.to_string(),
    },
    Setting {
        section: "nfs",
        key: "connections_per_client_max",
        kind: Kind::Number,
        value_name: "COUNT",
        summary: "How many TCP connections one address may have at once.",
        details: "Clients behind a gateway that translates addresses have one address together.",
        set: |config, text| store(&mut config.nfs.connections_per_client_max, number(text, 1, 65_536)),
        get: |config| config.nfs.connections_per_client_max.to_string(),
    },
    Setting {
        section: "nfs",
        key: "requests_max",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "How many bytes the requests that are in work may take in memory; further ones wait.",
        details: "At least 4 MiB. No client has more than half of it. Requests that are being received may take \
                  half as much again, and replies that clients have still to take as much again.",
        set: |config, text| store(&mut config.nfs.requests_max, at_least(4 << 20, text)),
        get: |config| size::exact(config.nfs.requests_max),
    },
    Setting {
        section: "nfs",
        key: "state_max",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "How many bytes of memory are kept for clients between requests: their sessions, replies, opens and locks.",
        details: "At least 16 MiB. An open file takes about 1.5 KiB, and the clients at one address get no more than they \
                  leave for others: half, if they are alone. Clients that want more are told to come again later.",
        set: |config, text| store(&mut config.nfs.state_max, at_least(16 << 20, text)),
        get: |config| size::exact(config.nfs.state_max),
    },
    Setting {
        section: "nfs",
        key: "id_domain",
        kind: Kind::Text,
        value_name: "DOMAIN",
        summary: "The domain of the names that clients may use for owners and groups, or `none`: numbers only.",
        details: "`kafka@example.org` is the user `kafka` of the server's host, if this is `example.org`, as in the \
                  clients' idmapd.conf. Linux clients send numbers unless they are configured otherwise, and those \
                  are always taken.",
        set: |config, text| store(&mut config.nfs.id_domain, domain_or_none(text)),
        get: |config| config.nfs.id_domain.clone().unwrap_or_else(|| "none".to_owned()),
    },
    Setting {
        section: "nfs",
        key: "owner_names",
        kind: Kind::Text,
        value_name: "ON|OFF",
        summary: "Whether clients are told owners and groups by name, and not by number: `on` or `off`.",
        details: "Needs `id_domain`. Whoever has no name on the server's host is told by number.",
        set: |config, text| store(&mut config.nfs.owner_names, on_or_off(text)),
        get: |config| if config.nfs.owner_names { "on".to_owned() } else { "off".to_owned() },
    },
    Setting {
        section: "nfs",
        key: "tls_certificate",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The server's certificate for RPC-with-TLS, or `none`: TLS is not offered.",
        details: "PEM, followed by the certificates between it and the authority that clients trust. Clients \
                  mount with xprtsec=tls; `forebay export rule` says who must. It is read again on SIGHUP, and \
                  so are the other two files; connections that exist keep what they have.",
        set: |config, text| store(&mut config.nfs.tls_certificate, path_or_none(text)),
        get: |config| path_text(config.nfs.tls_certificate.as_deref()),
    },
    Setting {
        section: "nfs",
        key: "tls_key",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The private key of `tls_certificate`, or `none`.",
        details: "PEM. Only the daemon's user should be able to read it.",
        set: |config, text| store(&mut config.nfs.tls_key, path_or_none(text)),
        get: |config| path_text(config.nfs.tls_key.as_deref()),
    },
    Setting {
        section: "nfs",
        key: "tls_client_authorities",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The authorities whose certificates clients may show, or `none`: no client is asked for one.",
        details: "PEM. Clients mount with xprtsec=mtls then. A client that shows a certificate of another \
                  authority, or one that has expired, is not let in.",
        set: |config, text| store(&mut config.nfs.tls_client_authorities, path_or_none(text)),
        get: |config| path_text(config.nfs.tls_client_authorities.as_deref()),
    },
    Setting {
        section: "log",
        key: "format",
        kind: Kind::Text,
        value_name: "FORMAT",
        summary: "`text` for people, `json` for a log collector: one object on each line.",
        details: "",
        set: |config, text| store(&mut config.log.format, text.parse()),
        get: |config| config.log.format.to_string(),
    },
    Setting {
        section: "log",
        key: "level",
        kind: Kind::Text,
        value_name: "LEVEL",
        summary: "How much is reported: `error`, `warn`, `info`, `debug` or `trace`.",
        details: "Can be set for each part: `info,forebay_nfs=debug`.",
        set: |config, text| store(&mut config.log.level, level(text)),
        get: |config| config.log.level.clone(),
    },
    Setting {
        section: "admin",
        key: "socket",
        kind: Kind::Text,
        value_name: "PATH",
        summary: "The path of the admin socket.",
        details: "A relative path is taken from the pool's directory. Only the user that runs the daemon, \
                  and root, may connect, unless `group_access` is on. The whole path may have 107 bytes, a limit of \
                  the system.",
        set: |config, text| store(&mut config.admin.socket, directory(text)),
        get: |config| config.admin.socket.display().to_string(),
    },
    Setting {
        section: "admin",
        key: "group_access",
        kind: Kind::Text,
        value_name: "ON|OFF",
        summary: "Whether members of the group that the daemon runs as may connect to the admin socket: `on` or `off`.",
        details: "Whoever connects may do everything, deleting volumes and making tokens among it. They must also be \
                  able to enter the socket's directory, which the pool's is not made for: give `socket` a path outside it.",
        set: |config, text| store(&mut config.admin.group_access, on_or_off(text)),
        get: |config| if config.admin.group_access { "on".to_owned() } else { "off".to_owned() },
    },
    Setting {
        section: "api",
        key: "listen",
        kind: Kind::Text,
        value_name: "IP:PORT",
        summary: "The address and port of the API over TCP, or `off`.",
        details: "Without `tls_certificate` only this machine's own, such as 127.0.0.1. Everyone needs a token: \
                  `forebay token create` makes one, through the admin socket.",
        set: |config, text| store(&mut config.api.listen, address_or_off(text)),
        get: |config| config.api.listen.map_or_else(|| "off".to_owned(), |address| address.to_string()),
    },
    Setting {
        section: "api",
        key: "tls_certificate",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The server's certificate for the API, or `none`: it is not secured.",
        details: "PEM, followed by the certificates between it and the authority that users trust. May be the same as \
                  that of NFS. It is read again on SIGHUP.",
        set: |config, text| store(&mut config.api.tls_certificate, path_or_none(text)),
        get: |config| path_text(config.api.tls_certificate.as_deref()),
    },
    Setting {
        section: "api",
        key: "tls_key",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The private key of `tls_certificate`, or `none`.",
        details: "PEM. Only the daemon's user should be able to read it.",
        set: |config, text| store(&mut config.api.tls_key, path_or_none(text)),
        get: |config| path_text(config.api.tls_key.as_deref()),
    },
    Setting {
        section: "metrics",
        key: "public",
        kind: Kind::Text,
        value_name: "ON|OFF",
        summary: "Whether `/metrics` is served without a token: `on` or `off`.",
        details: "What it tells are names of volumes, sizes and rates: no names of files or users, and nothing of what is \
                  in files. With `off` a collector needs the token of a user, of whatever role.",
        set: |config, text| store(&mut config.metrics.public, on_or_off(text)),
        get: |config| if config.metrics.public { "on".to_owned() } else { "off".to_owned() },
    },
    Setting {
        section: "traces",
        key: "otlp_endpoint",
        kind: Kind::Text,
        value_name: "URL",
        summary: "The collector that traces are sent to by OTLP over HTTP, such as http://127.0.0.1:4318, or `none`: nothing is traced.",
        details: "Without a path, `/v1/traces` is taken. With https:// the collector's certificate must be from an authority that the system \
                  trusts. Spans have paths of the API and addresses of clients, and no names of files, no data and no tokens. A collector that \
                  is slow or gone costs spans, which are counted, and nothing else.",
        set: |config, text| store(&mut config.traces.otlp_endpoint, url_or_none(text)),
        get: |config| config.traces.otlp_endpoint.clone().unwrap_or_else(|| "none".to_owned()),
    },
    Setting {
        section: "traces",
        key: "nfs_one_in",
        kind: Kind::Number,
        value_name: "COUNT",
        summary: "Of so many NFS requests one is traced; 1 for all of them, 0 for none.",
        details: "Requests of the API are all traced, but those that bring a `traceparent` which says that they are not.",
        set: |config, text| store(&mut config.traces.nfs_one_in, number(text, 0, 1_000_000_000)),
        get: |config| config.traces.nfs_one_in.to_string(),
    },
    Setting {
        section: "lab",
        key: "results_directory",
        kind: Kind::Text,
        value_name: "DIR",
        summary: "The directory in which `forebay lab run` left its results, or `none`: no reports are shown.",
        details: "Such as /var/lib/forebay/lab-results. Reports are looked for in it and in the folders below; the daemon's user must be \
                  able to read them. Links are not followed.",
        set: |config, text| store(&mut config.lab.results_directory, path_or_none(text)),
        get: |config| path_text(config.lab.results_directory.as_deref()),
    },
];

fn store<T>(field: &mut T, value: Result<T, String>) -> Result<(), String> {
    *field = value?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_that_the_setting_accepts() {
        for setting in SETTINGS {
            let mut config = Config::default();
            let value = (setting.get)(&config);
            (setting.set)(&mut config, &value).unwrap();
            assert_eq!(config, Config::default(), "{}", setting.path());
        }
    }

    #[test]
    fn every_setting_is_in_a_section_and_named_once() {
        let mut names: Vec<_> = SETTINGS.iter().map(Setting::path).collect();
        names.dedup();
        assert_eq!(names.len(), SETTINGS.len());
        for setting in SETTINGS {
            assert!(SECTIONS.iter().any(|(name, _)| *name == setting.section), "{}", setting.path());
        }
    }
}
