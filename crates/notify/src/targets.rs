//! The file of targets: TOML, read strictly.

use std::fmt::{self, Display, Formatter};
use std::net::ToSocketAddrs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lettre::Address;
use lettre::message::Mailbox;
use serde::Deserialize;

use crate::http::Url;
use crate::message::Severity;

/// The number of targets in a file.
const TARGETS_MAX: usize = 32;
/// The largest file.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// Bits of a file's mode that let others read it.
const OTHERS: u32 = 0o077;

/// Where notices go.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    /// Asked regularly while the daemon is healthy enough to evaluate its rules.
    pub heartbeat: Option<Heartbeat>,
    /// The targets, in the order of the file.
    pub targets: Vec<Target>,
}

/// A URL that is asked regularly. A service behind it complains when it is not.
#[derive(Clone, Debug)]
pub struct Heartbeat {
    pub(crate) url: Url,
    pub(crate) every: Duration,
}

/// A target.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// Notices below this severity are not for it.
    pub severity: Severity,
    /// How it is reached.
    pub kind: Kind,
}

/// How a target is reached.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A POST of a JSON object.
    Webhook(Webhook),
    /// A Slack or Mattermost incoming webhook.
    Slack(Webhook),
    /// A Microsoft Teams workflow.
    Teams(Webhook),
    /// The Events API of PagerDuty, version 2.
    PagerDuty(Webhook, String),
    /// Mail.
    Mail(Box<Mail>),
    /// A program on this machine.
    Command(PathBuf),
}

impl Kind {
    /// The word for it in the file.
    pub fn word(&self) -> &'static str {
        match self {
            Kind::Webhook(_) => "webhook",
            Kind::Slack(_) => "slack",
            Kind::Teams(_) => "teams",
            Kind::PagerDuty(..) => "pagerduty",
            Kind::Mail(_) => "mail",
            Kind::Command(_) => "command",
        }
    }

    /// Where it goes, without secrets.
    pub fn place(&self) -> String {
        match self {
            Kind::Webhook(to) | Kind::Slack(to) | Kind::Teams(to) | Kind::PagerDuty(to, _) => to.url.origin(),
            Kind::Mail(mail) => {
                let to: Vec<String> = mail.to.iter().map(|to| to.email.to_string()).collect();
                format!("{} by {}:{}", to.join(", "), mail.host, mail.port)
            }
            Kind::Command(program) => program.display().to_string(),
        }
    }
}

/// A URL, and a header that proves who calls.
#[derive(Clone, Debug)]
pub struct Webhook {
    pub(crate) url: Url,
    pub(crate) authorization: Option<String>,
}

/// A mail server, and whom to write to.
#[derive(Clone, Debug)]
pub struct Mail {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) tls: MailTls,
    pub(crate) user: Option<(String, String)>,
    pub(crate) from: Mailbox,
    pub(crate) to: Vec<Mailbox>,
}

/// Encryption on the way to the mail server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MailTls {
    /// STARTTLS, which the server must offer.
    #[default]
    Starttls,
    /// TLS from the first byte.
    Tls,
    /// None.
    None,
}

/// Why a file of targets cannot be used.
#[derive(Debug)]
pub struct TargetsError(String);

impl Display for TargetsError {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for TargetsError {}

impl Targets {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Targets, TargetsError> {
        let name = path.display();
        let failed = |error: std::io::Error| {
            TargetsError(format!(
                "{name}: cannot be read: {error}; see whether the daemon's user may read it"
            ))
        };
        let metadata = std::fs::metadata(path).map_err(failed)?;
        if metadata.permissions().mode() & OTHERS != 0 {
            return Err(TargetsError(format!(
                "{name}: other users can read it, and it may have passwords: chmod 600 {name}"
            )));
        }
        if metadata.len() > FILE_BYTES_MAX {
            return Err(TargetsError(format!("{name}: is larger than {FILE_BYTES_MAX} bytes")));
        }
        let text = std::fs::read_to_string(path).map_err(failed)?;
        Targets::parse(&text).map_err(|error| TargetsError(format!("{name}: {}", error.0.trim_end())))
    }

    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<Targets, TargetsError> {
        let file: File = toml::from_str(text).map_err(|error| TargetsError(error.to_string()))?;
        if file.target.len() > TARGETS_MAX {
            return Err(TargetsError(format!("it has more than {TARGETS_MAX} targets")));
        }
        let mut targets: Vec<Target> = Vec::new();
        for entry in file.target {
            let name = entry.name.clone();
            let of = |cause: String| TargetsError(format!("target {name}: {cause}"));
            if name.is_empty()
                || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
            {
                return Err(of("a name has letters, digits, - _ and . only".to_owned()));
            }
            if targets.iter().any(|target| target.name == name) {
                return Err(of("there are two of that name".to_owned()));
            }
            targets.push(entry.target().map_err(of)?);
        }
        let heartbeat = file.heartbeat.map(|heartbeat| {
            let url = Url::parse(&heartbeat.url)
                .map_err(|cause| TargetsError(format!("heartbeat: url: {cause}")))?;
            if !(10..=86_400).contains(&heartbeat.seconds) {
                return Err(TargetsError("heartbeat: seconds must be from 10 to 86400".to_owned()));
            }
            Ok(Heartbeat { url, every: Duration::from_secs(heartbeat.seconds) })
        });
        Ok(Targets { heartbeat: heartbeat.transpose()?, targets })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    heartbeat: Option<HeartbeatEntry>,
    #[serde(default)]
    target: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeartbeatEntry {
    url: String,
    #[serde(default = "a_minute")]
    seconds: u64,
}

fn a_minute() -> u64 {
    60
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Webhook,
    Slack,
    Teams,
    PagerDuty,
    Mail,
    Command,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    #[serde(rename = "type")]
    word: Word,
    #[serde(default)]
    severity: Severity,
    url: Option<String>,
    authorization: Option<String>,
    routing_key: Option<String>,
    server: Option<String>,
    tls: Option<MailTls>,
    user: Option<String>,
    password: Option<String>,
    from: Option<String>,
    to: Option<Vec<String>>,
    program: Option<PathBuf>,
}

/// PagerDuty's, unless the file has another.
const PAGERDUTY: &str = "https://events.pagerduty.com/v2/enqueue";

impl Entry {
    /// The fields that a type has.
    fn allowed(&self) -> &'static [&'static str] {
        match self.word {
            Word::Webhook => &["url", "authorization"],
            Word::Slack | Word::Teams => &["url"],
            Word::PagerDuty => &["url", "routing_key"],
            Word::Mail => &["server", "tls", "user", "password", "from", "to"],
            Word::Command => &["program"],
        }
    }

    fn given(&self) -> impl Iterator<Item = &'static str> {
        [
            ("url", self.url.is_some()),
            ("authorization", self.authorization.is_some()),
            ("routing_key", self.routing_key.is_some()),
            ("server", self.server.is_some()),
            ("tls", self.tls.is_some()),
            ("user", self.user.is_some()),
            ("password", self.password.is_some()),
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
            ("program", self.program.is_some()),
        ]
        .into_iter()
        .filter_map(|(field, is_given)| is_given.then_some(field))
    }

    fn target(self) -> Result<Target, String> {
        let allowed = self.allowed();
        if let Some(field) = self.given().find(|field| !allowed.contains(field)) {
            return Err(format!("{field} is not for this type, which has {}", allowed.join(", ")));
        }
        let (name, severity) = (self.name.clone(), self.severity);
        Ok(Target { name, severity, kind: self.kind()? })
    }

    fn kind(self) -> Result<Kind, String> {
        let missing = |field: &str| format!("{field} is missing");
        let webhook = |url: Option<String>, authorization: Option<String>| -> Result<Webhook, String> {
            let url =
                Url::parse(&url.ok_or_else(|| missing("url"))?).map_err(|cause| format!("url: {cause}"))?;
            if authorization
                .as_deref()
                .is_some_and(|value| hyper::header::HeaderValue::from_str(value).is_err())
            {
                return Err("authorization: has characters that no header may have".to_owned());
            }
            Ok(Webhook { url, authorization })
        };
        Ok(match self.word {
            Word::Webhook => Kind::Webhook(webhook(self.url, self.authorization)?),
            Word::Slack => Kind::Slack(webhook(self.url, None)?),
            Word::Teams => Kind::Teams(webhook(self.url, None)?),
            Word::PagerDuty => {
                let url = self.url.or_else(|| Some(PAGERDUTY.to_owned()));
                Kind::PagerDuty(webhook(url, None)?, self.routing_key.ok_or_else(|| missing("routing_key"))?)
            }
            Word::Mail => {
                let tls = self.tls.unwrap_or_default();
                let server = self.server.ok_or_else(|| missing("server"))?;
                let (host, port) = place(&server, tls)?;
                let user = match (self.user, self.password) {
                    (Some(user), Some(password)) => Some((user, password)),
                    (None, None) => None,
                    _ => return Err("user and password belong together".to_owned()),
                };
                if user.is_some() && tls == MailTls::None {
                    return Err("a password is not sent without TLS: set tls to starttls or tls".to_owned());
                }
                let to: Vec<Mailbox> = self
                    .to
                    .unwrap_or_default()
                    .iter()
                    .map(|to| mailbox("to", to))
                    .collect::<Result<_, _>>()?;
                if to.is_empty() {
                    return Err(missing("to"));
                }
                let from = mailbox("from", &self.from.ok_or_else(|| missing("from"))?)?;
                Kind::Mail(Box::new(Mail { host, port, tls, user, from, to }))
            }
            Word::Command => {
                let program = self.program.ok_or_else(|| missing("program"))?;
                if program.is_relative() {
                    return Err("program: write its whole path, from / on".to_owned());
                }
                Kind::Command(program)
            }
        })
    }
}

fn mailbox(field: &str, text: &str) -> Result<Mailbox, String> {
    let address: Result<Mailbox, _> = text.parse();
    address.or_else(|_| {
        text.parse::<Address>()
            .map(|address| Mailbox::new(None, address))
            .map_err(|error| format!("{field}: `{text}` is not an address: {error}"))
    })
}

/// A host and a port. The port is that of the protocol if there is none.
fn place(server: &str, tls: MailTls) -> Result<(String, u16), String> {
    let default = match tls {
        MailTls::Starttls => 587,
        MailTls::Tls => 465,
        MailTls::None => 25,
    };
    let wrong = || format!("server: `{server}` is not HOST or HOST:PORT");
    let (host, port) = match server.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
            (host, port.parse().map_err(|_| wrong())?)
        }
        _ => (server, default),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    // A name is looked up for each mail; only what can be no name at all is refused here.
    let is_sound =
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte));
    if is_sound { Ok((host.to_owned(), port)) } else { Err(wrong()) }
}

/// Whether a name or an address can be resolved now.
pub(crate) fn resolve(host: &str, port: u16) -> std::io::Result<Vec<std::net::SocketAddr>> {
    Ok((host, port).to_socket_addrs()?.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Targets::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn every_type_can_be_written() {
        let text = r#"
            [heartbeat]
            url = "https://watch.example/ping/1"
            [[target]]
            name = "own"
            type = "webhook"
            url = "http://10.0.0.1:8080/alerts?from=forebay"
            authorization = "Bearer secret"
            severity = "info"
            [[target]]
            name = "chat"
            type = "slack"
            url = "https://hooks.example/T1/B2/secret"
            [[target]]
            name = "teams"
            type = "teams"
            url = "https://teams.example/workflows/1"
            [[target]]
            name = "page"
            type = "pagerduty"
            routing_key = "0123456789"
            severity = "critical"
            [[target]]
            name = "mail"
            type = "mail"
            server = "mail.example.org"
            user = "forebay"
            password = "secret"
            from = "Forebay <forebay@example.org>"
            to = ["storage@example.org"]
            [[target]]
            name = "pager"
            type = "command"
            program = "/usr/local/bin/page"
        "#;
        let targets = Targets::parse(text).unwrap();
        let kinds: Vec<_> =
            targets.targets.iter().map(|target| (target.kind.word(), target.kind.place())).collect();
        let expected = [
            ("webhook", "http://10.0.0.1:8080"),
            ("slack", "https://hooks.example"),
            ("teams", "https://teams.example"),
            ("pagerduty", "https://events.pagerduty.com"),
            ("mail", "storage@example.org by mail.example.org:587"),
            ("command", "/usr/local/bin/page"),
        ];
        assert_eq!(kinds, expected.map(|(word, place)| (word, place.to_owned())));
        let severities: Vec<_> = targets.targets.iter().map(|target| target.severity).collect();
        use Severity::{Critical, Info, Warning};
        assert_eq!(severities, [Info, Warning, Warning, Critical, Warning, Warning]);
        assert_eq!(targets.heartbeat.unwrap().every, Duration::from_secs(60));
        assert!(Targets::parse("").unwrap().targets.is_empty());
    }

    #[test]
    fn mistakes_name_the_target_and_the_field() {
        let with = |rest: &str| error(&format!("[[target]]\nname = \"a\"\n{rest}"));
        for (text, expected) in [
            ("type = \"webhook\"", "target a: url is missing"),
            ("type = \"webhook\"\nurl = \"ftp://x\"", "target a: url: `ftp://x` is not a URL"),
            ("type = \"webhook\"\nurl = \"http://x\"\nto = [\"b@c.d\"]", "target a: to is not for this type"),
            (
                "type = \"slack\"\nurl = \"http://x\"\nserver = \"y\"",
                "server is not for this type, which has url",
            ),
            ("type = \"pagerduty\"", "routing_key is missing"),
            ("type = \"command\"\nprogram = \"page\"", "whole path"),
            (
                "type = \"mail\"\nserver = \"m\"\nfrom = \"x\"\nto = [\"b@c.d\"]",
                "from: `x` is not an address",
            ),
            ("type = \"mail\"\nserver = \"m\"\nfrom = \"a@b.c\"", "to is missing"),
            (
                "type = \"mail\"\nserver = \"m:x\"\nfrom = \"a@b.c\"\nto = [\"b@c.d\"]",
                "is not HOST or HOST:PORT",
            ),
            (
                "type = \"mail\"\nserver = \"m\"\nfrom = \"a@b.c\"\nto = [\"b@c.d\"]\nuser = \"u\"\npassword = \"p\"\ntls = \"none\"",
                "without TLS",
            ),
            ("type = \"pigeon\"", "unknown variant `pigeon`"),
            ("type = \"slack\"\nurll = \"http://x\"", "unknown field `urll`"),
        ] {
            assert!(with(text).contains(expected), "{text}: {}", with(text));
        }
        let twice = "[[target]]\nname=\"a\"\ntype=\"slack\"\nurl=\"http://x\"\n".repeat(2);
        assert!(error(&twice).contains("two of that name"));
        assert!(error("[heartbeat]\nurl=\"http://x\"\nseconds=1").contains("from 10 to 86400"));
        assert!(error("[[target]]\nname=\"a b\"\ntype=\"slack\"").contains("letters"));
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("targets.toml");
        assert!(Targets::load(&path).unwrap_err().to_string().contains("cannot be read"));
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(Targets::load(&path).unwrap_err().to_string().contains("chmod 600"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        Targets::load(&path).unwrap();
    }
}
