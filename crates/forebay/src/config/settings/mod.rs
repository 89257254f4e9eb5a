//! Every setting, once.
//!
//! The configuration file, the flags, the environment variables, `forebay config init` and the reference page
//! are all generated from [`settings`], so they cannot disagree. To add a setting, add a field to [`Config`](super::Config)
//! and a row here, or for `[node]`, `[backup]`, `[alerts]`, `[metrics]`, `[traces]`, `[kafka]`, `[object_store]`, deleted volumes, databases and referrals in their own files.

mod alerts;
mod backup;
mod database;
mod kafka;
mod metrics;
mod node;
mod object_store;
mod recovery;
mod referrals;
mod traces;

pub use database::{DatabaseConfig, Place, database_or_none, place_or_none};
pub use node::ALIASES;
pub use object_store::ObjectStoreConfig;

use super::size;
use super::value::{
    Kind, Setting, address, address_or_off, always_or_off, at_least, directory, domain_or_none, level,
    number, on_or_off, path_or_none, path_text, region, segment_size, size_or_unlimited,
};

/// The sections of the file, in order, each with its description.
pub const SECTIONS: &[(&str, &str)] = &[
    ("pool", "Where data is stored, and the limits of the pool."),
    (
        "object_store",
        "The bucket that has the segments, if pool.segments names one. It is not one of the buckets that the S3 server serves.",
    ),
    ("nfs", "The NFSv4.1 and 4.2 server."),
    ("s3", "The S3 server. It serves buckets, which share the pool with the volumes."),
    ("node", "Several machines that can serve one pool, one at a time."),
    ("backup", "Backups of the pool on a schedule."),
    ("alerts", "Where notices of alerts go."),
    ("log", "What the daemon logs on standard error."),
    ("admin", "The admin socket, which `forebay volume`, `forebay pool` and other local commands use."),
    ("api", "The API over TCP, for users with tokens."),
    (
        "metrics",
        "The metrics that Prometheus scrapes from `/metrics`, on the API or on a listener of their own.",
    ),
    ("traces", "Traces of requests, for an OpenTelemetry collector."),
    ("kafka", "What the daemon shows of the Kafka clusters whose log directories it serves."),
    ("lab", "Lab reports shown by the console and the API."),
];

/// All settings, by section.
pub fn settings() -> impl Iterator<Item = &'static Setting> + Clone {
    SETTINGS
        .iter()
        .chain(database::SETTINGS)
        .chain(recovery::SETTINGS)
        .chain(referrals::SETTINGS)
        .chain(object_store::SETTINGS)
        .chain(node::SETTINGS)
        .chain(backup::SETTINGS)
        .chain(alerts::SETTINGS)
        .chain(metrics::SETTINGS)
        .chain(traces::SETTINGS)
        .chain(kafka::SETTINGS)
}

const SETTINGS: &[Setting] = &[
    Setting {
        section: "pool",
        key: "directory",
        kind: Kind::Text,
        value_name: "DIR",
        summary: "The directory that holds the pool.",
        details: "Created if it does not exist. An existing directory must be empty or hold a pool. A \
                  relative path is resolved against the daemon's working directory. Only one daemon can use \
                  a pool at a time.",
        set: |config, text| store(&mut config.pool.directory, directory(text)),
        get: |config| config.pool.directory.display().to_string(),
    },
    Setting {
        section: "pool",
        key: "size_max",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "Maximum size of the pool in bytes, or `unlimited`.",
        details: "`unlimited` means the pool can fill its file system. A full pool rejects writes with \"no \
                  space left\" and continues to serve reads and deletes. No data is lost.",
        set: |config, text| store(&mut config.pool.size_max, size_or_unlimited(text)),
        get: |config| config.pool.size_max.map_or_else(|| "unlimited".to_owned(), size::exact),
    },
    Setting {
        section: "pool",
        key: "dirty_max",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "Maximum amount of written data kept in memory before writers must wait for the disk.",
        details: "This is data for which clients have not yet requested durability. Clients keep their own \
                  copy until it is durable and resend it after a crash.",
        set: |config, text| store(&mut config.pool.dirty_max, at_least(1 << 20, text)),
        get: |config| size::exact(config.pool.dirty_max),
    },
    Setting {
        section: "pool",
        key: "dirty_age_ms_max",
        kind: Kind::Number,
        value_name: "MS",
        summary: "Maximum time, in milliseconds, before written data is made durable without a client's \
                  request.",
        details: "The last bytes of a file that is still being written may stay in memory four times as \
                  long.",
        set: |config, text| store(&mut config.pool.dirty_age_ms_max, number(text, 1, 600_000)),
        get: |config| config.pool.dirty_age_ms_max.to_string(),
    },
    Setting {
        section: "pool",
        key: "cache_max",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "Maximum memory for caching data that was read.",
        details: "Clients have their own caches. This one helps when several clients read the same data.",
        set: |config, text| store(&mut config.pool.cache_max, at_least(1 << 20, text)),
        get: |config| size::exact(config.pool.cache_max),
    },
    Setting {
        section: "pool",
        key: "fingerprints_max",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "Maximum memory for the fingerprints of recently written data.",
        details: "Fingerprints let the daemon detect the data of a second or third replica without reading \
                  metadata. 64MiB is enough for the last 60 GiB written.",
        set: |config, text| store(&mut config.pool.fingerprints_max, at_least(0, text)),
        get: |config| size::exact(config.pool.fingerprints_max),
    },
    Setting {
        section: "pool",
        key: "segment_size",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "The size at which a segment file is sealed and the next one started.",
        details: "Between 1 MiB and 1 GiB. Smaller segments free space sooner; larger segments mean fewer \
                  files.",
        set: |config, text| store(&mut config.pool.segment_size, segment_size(text)),
        get: |config| size::exact(config.pool.segment_size),
    },
    Setting {
        section: "pool",
        key: "dedup_verify",
        kind: Kind::Text,
        value_name: "OFF|ALWAYS",
        summary: "Whether data is compared before it is stored once for several files: `always` or `off`.",
        details: "With `off`, chunks with the same name are considered equal; names are keyed hashes under a \
            secret key of the pool. With `always`, the stored chunk is read and compared, and chunks are not \
            written before a client requests a sync.",
        set: |config, text| store(&mut config.pool.dedup_verify, always_or_off(text)),
        get: |config| if config.pool.dedup_verify { "always".to_owned() } else { "off".to_owned() },
    },
    Setting {
        section: "pool",
        key: "direct_io",
        kind: Kind::Text,
        value_name: "ON|OFF",
        summary: "Whether large writes bypass the operating system's page cache: `on` or `off`.",
        details: "Uses less CPU time and leaves the page cache to readers. If the file system does not \
                  support direct I/O, writes go through the page cache.",
        set: |config, text| store(&mut config.pool.direct_io, on_or_off(text)),
        get: |config| if config.pool.direct_io { "on".to_owned() } else { "off".to_owned() },
    },
    Setting {
        section: "pool",
        key: "copies_directory",
        kind: Kind::Text,
        value_name: "DIR",
        summary: "A directory on another disk for a second copy of the pool, or `none`.",
        details: "All data and all metadata is written to both copies before it is acknowledged. Data that is damaged in one \
                  copy is read and repaired from the other. Can be set later; the new copy is then filled \
                  while the pool serves. If the first disk is lost, `forebay pool promote` makes the second copy the pool. The directory must be empty or hold this pool's copy. While the copy is missing, the \
                  pool continues with one copy and reports it.",
        set: |config, text| store(&mut config.pool.copies_directory, path_or_none(text)),
        get: |config| path_text(config.pool.copies_directory.as_deref()),
    },
    Setting {
        section: "pool",
        key: "log_directory",
        kind: Kind::Text,
        value_name: "DIR",
        summary: "A directory for the intent log, or `none` for `log` in the pool's directory.",
        details: "The intent log answers small syncs, such as a broker's flush of its last records, before \
                  their data is in segments. A directory on a faster disk shortens them. Losing the log \
                      loses acknowledged data of the last seconds, so the pool then refuses to start. Change \
                      this setting only after a clean stop of the daemon. Pools must not share the directory.",
        set: |config, text| store(&mut config.pool.log_directory, path_or_none(text)),
        get: |config| path_text(config.pool.log_directory.as_deref()),
    },
    Setting {
        section: "pool",
        key: "log_max",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "Maximum size of the intent log; 0 for no log.",
        details: "It takes at most 1/64 of its file system, and of the second copy's file system. There is \
            no log if that is less than 32 MiB. The log never uses more than 1.25 times dirty_max.",
        set: |config, text| store(&mut config.pool.log_max, at_least(0, text)),
        get: |config| size::exact(config.pool.log_max),
    },
    Setting {
        section: "pool",
        key: "scrub_days",
        kind: Kind::Number,
        value_name: "DAYS",
        summary: "Number of days after which all stored data is read and verified again; 0 means never.",
        details: "`forebay pool scrub start` starts a scrub at any time.",
        set: |config, text| store(&mut config.pool.scrub_days, number(text, 0, 3650)),
        get: |config| config.pool.scrub_days.to_string(),
    },
    Setting {
        section: "pool",
        key: "scrub_rate",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "Maximum number of bytes verified per second. The limit leaves disk bandwidth to clients.",
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
        details: "0.0.0.0 means all IPv4 addresses of the machine; [::] means all addresses, IPv6 and IPv4. \
                  Ports below 1024 need root or CAP_NET_BIND_SERVICE; 2049 does not.",
        set: |config, text| store(&mut config.nfs.listen, address(text)),
        get: |config| config.nfs.listen.to_string(),
    },
    Setting {
        section: "nfs",
        key: "lease_seconds",
        kind: Kind::Number,
        value_name: "SECONDS",
        summary: "How long a client that stops responding keeps its open files and locks.",
        details: "After this time, another broker can replace one whose machine has failed. The same machine \
                  gets its locks back immediately.",
        set: |config, text| store(&mut config.nfs.lease_seconds, number(text, 5, 3600)),
        get: |config| config.nfs.lease_seconds.to_string(),
    },
    Setting {
        section: "nfs",
        key: "grace_seconds",
        kind: Kind::Number,
        value_name: "SECONDS",
        summary: "How long after a restart clients can reclaim their open files before new opens are \
                  allowed.",
        details: "Ends early, volume by volume, when every client that had files open in the volume has returned. Must not \
                  be shorter than `lease_seconds`.",
        set: |config, text| store(&mut config.nfs.grace_seconds, number(text, 5, 3600)),
        get: |config| config.nfs.grace_seconds.to_string(),
    },
    Setting {
        section: "nfs",
        key: "grace_hold_seconds",
        kind: Kind::Number,
        value_name: "SECONDS",
        summary: "How long a request waits for other clients to reclaim their open files.",
        details: "The request is executed as soon as they have. After this time the client is asked to \
            retry; a Linux client then waits up to 15 seconds. With 0 it is asked immediately.",
        set: |config, text| store(&mut config.nfs.grace_hold_seconds, number(text, 0, 60)),
        get: |config| config.nfs.grace_hold_seconds.to_string(),
    },
    Setting {
        section: "nfs",
        key: "connections_max",
        kind: Kind::Number,
        value_name: "COUNT",
        summary: "Maximum number of open TCP connections.",
        details: "A client opens one connection for each `nconnect` of its mount. When the limit is reached, \
                  a connection that no mount uses is replaced; if there is none, the new connection is \
                  refused. Must be below the system's limit on open files (LimitNOFILE= in the unit); the \
                  daemon warns if it is not.",
        set: |config, text| store(&mut config.nfs.connections_max, number(text, 1, 65_536)),
        get: |config| config.nfs.connections_max.to_string(),
    },
    Setting {
        section: "nfs",
        key: "connections_per_client_max",
        kind: Kind::Number,
        value_name: "COUNT",
        summary: "Maximum number of open TCP connections from one address.",
        details: "Clients behind a NAT gateway share one address.",
        set: |config, text| store(&mut config.nfs.connections_per_client_max, number(text, 1, 65_536)),
        get: |config| config.nfs.connections_per_client_max.to_string(),
    },
    Setting {
        section: "nfs",
        key: "requests_max",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "Maximum memory for requests in progress, in bytes; further requests wait.",
        details: "At least 4 MiB. No client can use more than half of it. Requests that are still being \
                  received may use half as much again, and replies that clients have not yet read may use \
                  the same amount again.",
        set: |config, text| store(&mut config.nfs.requests_max, at_least(4 << 20, text)),
        get: |config| size::exact(config.nfs.requests_max),
    },
    Setting {
        section: "nfs",
        key: "state_max",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "Maximum memory for client state between requests: sessions, cached replies, opens and \
                  locks.",
        details: "At least 16 MiB. An open file takes about 1.5 KiB. Clients at one address can use at most \
                  as much as remains free for others, so a single address can use half. Clients that need \
                  more are asked to retry later.",
        set: |config, text| store(&mut config.nfs.state_max, at_least(16 << 20, text)),
        get: |config| size::exact(config.nfs.state_max),
    },
    Setting {
        section: "nfs",
        key: "id_domain",
        kind: Kind::Text,
        value_name: "DOMAIN",
        summary: "The domain of owner and group names that clients may use, or `none`: numbers only.",
        details: "If this is `example.org`, `kafka@example.org` means the user `kafka` on the server's host. \
                  Use the domain of the clients' idmapd.conf. Linux clients send numbers unless they are \
                  configured otherwise; numbers are always accepted.",
        set: |config, text| store(&mut config.nfs.id_domain, domain_or_none(text)),
        get: |config| config.nfs.id_domain.clone().unwrap_or_else(|| "none".to_owned()),
    },
    Setting {
        section: "nfs",
        key: "owner_names",
        kind: Kind::Text,
        value_name: "ON|OFF",
        summary: "Whether the server reports owners and groups to clients by name instead of by number: `on` \
                  or `off`.",
        details: "Requires `id_domain`. A user or group without a name on the server's host is reported by \
                  number.",
        set: |config, text| store(&mut config.nfs.owner_names, on_or_off(text)),
        get: |config| if config.nfs.owner_names { "on".to_owned() } else { "off".to_owned() },
    },
    Setting {
        section: "nfs",
        key: "tls_certificate",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The server's certificate for RPC-with-TLS, or `none`: TLS is not offered.",
        details: "PEM, followed by any intermediate certificates up to the authority that clients trust. \
                  Clients mount with xprtsec=tls; `forebay export rule` sets which clients must. The daemon \
                  reads this file and the other two TLS files again on SIGHUP; existing connections are not \
                  affected.",
        set: |config, text| store(&mut config.nfs.tls_certificate, path_or_none(text)),
        get: |config| path_text(config.nfs.tls_certificate.as_deref()),
    },
    Setting {
        section: "nfs",
        key: "tls_key",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The private key of `tls_certificate`, or `none`.",
        details: "PEM. Make it readable only by the daemon's user.",
        set: |config, text| store(&mut config.nfs.tls_key, path_or_none(text)),
        get: |config| path_text(config.nfs.tls_key.as_deref()),
    },
    Setting {
        section: "nfs",
        key: "tls_client_authorities",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The authorities that issue client certificates, or `none`: clients are not asked for a \
                  certificate.",
        details: "PEM. Clients then mount with xprtsec=mtls. A client whose certificate is expired or issued \
                  by another authority is refused.",
        set: |config, text| store(&mut config.nfs.tls_client_authorities, path_or_none(text)),
        get: |config| path_text(config.nfs.tls_client_authorities.as_deref()),
    },
    Setting {
        section: "s3",
        key: "listen",
        kind: Kind::Text,
        value_name: "IP:PORT",
        summary: "The address and port of the S3 server, or `off`.",
        details: "Usually port 9000. At the first start with S3 the daemon creates the user admin, and writes its access key to a file beside \
                  `secrets_key_file`, with the extension s3-admin.",
        set: |config, text| store(&mut config.s3.listen, address_or_off(text)),
        get: |config| config.s3.listen.map_or_else(|| "off".to_owned(), |address| address.to_string()),
    },
    Setting {
        section: "s3",
        key: "region",
        kind: Kind::Text,
        value_name: "NAME",
        summary: "The region that clients name in their signatures.",
        details: "Clients use us-east-1 unless configured otherwise. Requests for another region are refused, and the error names the right one.",
        set: |config, text| store(&mut config.s3.region, region(text)),
        get: |config| config.s3.region.clone(),
    },
    Setting {
        section: "s3",
        key: "domain",
        kind: Kind::Text,
        value_name: "DOMAIN",
        summary: "The domain for virtual-host style: BUCKET.DOMAIN names a bucket; or `none`: path style only.",
        details: "Every name below the domain must resolve to this server. With TLS, the certificate must cover *.DOMAIN.",
        set: |config, text| store(&mut config.s3.domain, domain_or_none(text)),
        get: |config| config.s3.domain.clone().unwrap_or_else(|| "none".to_owned()),
    },
    Setting {
        section: "s3",
        key: "tls_certificate",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The server's certificate for S3, or `none`: connections are not encrypted.",
        details: "PEM, followed by any intermediate certificates. Signatures protect requests without TLS, but \
            anyone on the network path can read the objects. The daemon reads it again on SIGHUP.",
        set: |config, text| store(&mut config.s3.tls_certificate, path_or_none(text)),
        get: |config| path_text(config.s3.tls_certificate.as_deref()),
    },
    Setting {
        section: "s3",
        key: "tls_key",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The private key of `tls_certificate`, or `none`.",
        details: "PEM. Make it readable only by the daemon's user.",
        set: |config, text| store(&mut config.s3.tls_key, path_or_none(text)),
        get: |config| path_text(config.s3.tls_key.as_deref()),
    },
    Setting {
        section: "s3",
        key: "secrets_key_file",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The file with the key that encrypts the secrets of access keys, or `none`: a file beside the pool's directory.",
        details: "The daemon creates it when S3 is first turned on. With `none` it has the name of the pool's directory and \
                  `.s3-key`. Back it up apart from the pool: without it all access keys must be created again.",
        set: |config, text| store(&mut config.s3.secrets_key_file, path_or_none(text)),
        get: |config| path_text(config.s3.secrets_key_file.as_deref()),
    },
    Setting {
        section: "s3",
        key: "connections_max",
        kind: Kind::Number,
        value_name: "COUNT",
        summary: "Maximum number of S3 connections.",
        details: "Further connections are closed at once, unless one without an authenticated request can make room.",
        set: |config, text| store(&mut config.s3.connections_max, number(text, 1, 100_000)),
        get: |config| config.s3.connections_max.to_string(),
    },
    Setting {
        section: "s3",
        key: "connections_per_client_max",
        kind: Kind::Number,
        value_name: "COUNT",
        summary: "Maximum number of S3 connections from one address.",
        details: "",
        set: |config, text| store(&mut config.s3.connections_per_client_max, number(text, 1, 100_000)),
        get: |config| config.s3.connections_per_client_max.to_string(),
    },
    Setting {
        section: "s3",
        key: "requests_max",
        kind: Kind::Text,
        value_name: "SIZE",
        summary: "Maximum memory for S3 requests in progress: their bodies, documents, listings and the responses that clients have not \
                  taken yet.",
        details: "At least 32 MiB. Clients at one address can use at most as much as remains free for others, so a single address can \
                  use half. Clients that need more wait, and are answered with SlowDown after 10 seconds. Every connection takes up to \
                  another 128 KiB.",
        set: |config, text| store(&mut config.s3.requests_max, at_least(32 << 20, text)),
        get: |config| size::exact(config.s3.requests_max),
    },
    Setting {
        section: "log",
        key: "format",
        kind: Kind::Text,
        value_name: "FORMAT",
        summary: "The log format: `text` for people, or `json` for a log collector, with one object per \
                  line.",
        details: "",
        set: |config, text| store(&mut config.log.format, text.parse()),
        get: |config| config.log.format.to_string(),
    },
    Setting {
        section: "log",
        key: "level",
        kind: Kind::Text,
        value_name: "LEVEL",
        summary: "The log level: `error`, `warn`, `info`, `debug` or `trace`.",
        details: "Can be set per module: `info,forebay_nfs=debug`.",
        set: |config, text| store(&mut config.log.level, level(text)),
        get: |config| config.log.level.clone(),
    },
    Setting {
        section: "admin",
        key: "socket",
        kind: Kind::Text,
        value_name: "PATH",
        summary: "The path of the admin socket.",
        details: "A relative path is resolved against the pool's directory. Only the daemon's user and root \
                  can connect, unless `group_access` is on. The full path can have at most 107 bytes, a \
                  limit of the operating system.",
        set: |config, text| store(&mut config.admin.socket, directory(text)),
        get: |config| config.admin.socket.display().to_string(),
    },
    Setting {
        section: "admin",
        key: "group_access",
        kind: Kind::Text,
        value_name: "ON|OFF",
        summary: "Whether members of the daemon's group can connect to the admin socket: `on` or `off`.",
        details: "Anyone who can connect has full access, including deleting volumes and creating tokens. \
                  Members also need access to the socket's directory. The pool's directory does not allow \
                  that, so set `socket` to a path outside it.",
        set: |config, text| store(&mut config.admin.group_access, on_or_off(text)),
        get: |config| if config.admin.group_access { "on".to_owned() } else { "off".to_owned() },
    },
    Setting {
        section: "api",
        key: "listen",
        kind: Kind::Text,
        value_name: "IP:PORT",
        summary: "The address and port of the API over TCP, or `off`.",
        details: "Without `tls_certificate` or `tls_self_signed`, only a loopback address such as 127.0.0.1 is \
                  allowed. Every request needs a token; create one with `forebay token create` over the admin \
                  socket.",
        set: |config, text| store(&mut config.api.listen, address_or_off(text)),
        get: |config| config.api.listen.map_or_else(|| "off".to_owned(), |address| address.to_string()),
    },
    Setting {
        section: "api",
        key: "tls_certificate",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The server's certificate for the API, or `none`: connections are not encrypted.",
        details: "PEM, followed by any intermediate certificates up to the authority that users trust. Can \
                  be the same certificate as for NFS. The daemon reads it again on SIGHUP.",
        set: |config, text| store(&mut config.api.tls_certificate, path_or_none(text)),
        get: |config| path_text(config.api.tls_certificate.as_deref()),
    },
    Setting {
        section: "api",
        key: "tls_key",
        kind: Kind::Text,
        value_name: "FILE",
        summary: "The private key of `tls_certificate`, or `none`.",
        details: "PEM. Make it readable only by the daemon's user.",
        set: |config, text| store(&mut config.api.tls_key, path_or_none(text)),
        get: |config| path_text(config.api.tls_key.as_deref()),
    },
    Setting {
        section: "api",
        key: "tls_self_signed",
        kind: Kind::Text,
        value_name: "ON|OFF",
        summary: "Whether the daemon creates a certificate for the API if `tls_certificate` is not set: `on` or \
                  `off`.",
        details: "The files are `api-tls.pem` and `api-tls.key` in the pool's directory. The daemon prints the \
                  certificate's SHA-256 fingerprint when it is ready: compare it in the browser, and pass it to \
                  commands with --tls-fingerprint. The certificate is valid for 820 days, and renewed with the same \
                  key 60 days before it ends; existing files are not replaced otherwise.",
        set: |config, text| store(&mut config.api.tls_self_signed, on_or_off(text)),
        get: |config| if config.api.tls_self_signed { "on".to_owned() } else { "off".to_owned() },
    },
    Setting {
        section: "lab",
        key: "results_directory",
        kind: Kind::Text,
        value_name: "DIR",
        summary: "The directory with the results of `forebay lab run`, or `none`: no reports are shown.",
        details: "For example /var/lib/forebay/lab-results. The daemon searches this directory and its \
                  subdirectories; the daemon's user must be able to read them. Symbolic links are not \
                  followed.",
        set: |config, text| store(&mut config.lab.results_directory, path_or_none(text)),
        get: |config| path_text(config.lab.results_directory.as_deref()),
    },
];

pub(super) fn store<T>(field: &mut T, value: Result<T, String>) -> Result<(), String> {
    *field = value?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    #[test]
    fn every_default_is_a_value_that_the_setting_accepts() {
        for setting in settings() {
            let mut config = Config::default();
            let value = (setting.get)(&config);
            (setting.set)(&mut config, &value).unwrap();
            assert_eq!(config, Config::default(), "{}", setting.path());
        }
    }

    #[test]
    fn every_setting_is_in_a_section_and_named_once() {
        let mut names: Vec<_> = settings().map(Setting::path).collect();
        names.dedup();
        assert_eq!(names.len(), settings().count());
        for setting in settings() {
            assert!(SECTIONS.iter().any(|(name, _)| *name == setting.section), "{}", setting.path());
        }
    }
}
