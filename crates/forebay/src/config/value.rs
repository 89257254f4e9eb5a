//! One setting, and the parsers for values. Errors say what was given and what would be valid.

use std::fmt::Display;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use hyper::Uri;
use tracing_subscriber::EnvFilter;

use super::{Config, LogFormat, size};

/// A path that is not empty.
pub fn directory(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() || text.contains('\0') {
        return Err("a path must not be empty".to_owned());
    }
    Ok(PathBuf::from(text))
}

/// A domain, or `none`.
pub fn domain_or_none(text: &str) -> Result<Option<String>, String> {
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    match text {
        "none" => Ok(None),
        domain if !domain.is_empty() && domain.len() <= 255 && domain.bytes().all(sound) => {
            Ok(Some(domain.to_owned()))
        }
        _ => Err("write a domain such as example.org, or none".to_owned()),
    }
}

/// The name of a region.
pub fn region(text: &str) -> Result<String, String> {
    let sound = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if text.is_empty() || text.len() > 64 || !text.bytes().all(sound) {
        return Err("write a region such as us-east-1: lowercase letters, digits and hyphens".to_owned());
    }
    Ok(text.to_owned())
}

/// A path, or `none`.
pub fn path_or_none(text: &str) -> Result<Option<PathBuf>, String> {
    if text == "none" { Ok(None) } else { directory(text).map(Some) }
}

/// An absolute path, or `none`.
pub fn absolute_path_or_none(text: &str) -> Result<Option<PathBuf>, String> {
    match path_or_none(text)? {
        Some(path) if path.is_relative() => Err(format!("`{text}` is not an absolute path")),
        path => Ok(path),
    }
}

/// The text that [`path_or_none`] parses.
pub fn path_text(path: Option<&Path>) -> String {
    path.map_or("none".to_owned(), |path| path.display().to_string())
}

/// `on` or `off`.
pub fn on_or_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("`{text}` is neither on nor off")),
    }
}

/// `always` or `off`.
pub fn always_or_off(text: &str) -> Result<bool, String> {
    match text {
        "always" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("`{text}` is neither always nor off")),
    }
}

/// An IP address and a port.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    SocketAddr::from_str(text)
        .map_err(|_| format!("`{text}` is not an address; write IP:PORT, such as 0.0.0.0:2049 or [::]:2049"))
}

/// An IP address and a port, or `off`.
pub fn address_or_off(text: &str) -> Result<Option<SocketAddr>, String> {
    if text == "off" {
        Ok(None)
    } else {
        address(text).map(Some).map_err(|message| format!("{message}, or off"))
    }
}

/// An http or https URL without a password, or `none`.
pub fn url_or_none(text: &str) -> Result<Option<String>, String> {
    if text == "none" {
        return Ok(None);
    }
    let is_url = Uri::from_str(text).is_ok_and(|uri| {
        let has_scheme = matches!(uri.scheme_str(), Some("http" | "https"));
        // A password would appear in the log.
        let is_plain = uri.authority().is_some_and(|authority| !authority.as_str().contains('@'));
        has_scheme && is_plain && uri.host().is_some_and(|host| !host.is_empty())
    });
    let hint = "write http://HOST:PORT, https://HOST:PORT, or none";
    if is_url { Ok(Some(text.to_owned())) } else { Err(format!("`{text}` is not a URL; {hint}")) }
}

/// An integer within bounds.
pub fn number<T>(text: &str, min: T, max: T) -> Result<T, String>
where
    T: FromStr + PartialOrd + Display,
{
    text.trim()
        .parse()
        .ok()
        .filter(|value| *value >= min && *value <= max)
        .ok_or_else(|| format!("`{text}` is not a whole number from {min} to {max}"))
}

/// A size in bytes, with or without a unit.
pub fn at_least(min: u64, text: &str) -> Result<u64, String> {
    let bytes = size::parse(text)?;
    if bytes < min {
        return Err(format!("`{text}` is too small; at least {}", size::exact(min)));
    }
    Ok(bytes)
}

/// A valid segment size.
pub fn segment_size(text: &str) -> Result<u64, String> {
    let bytes = at_least(1 << 20, text)?;
    if bytes > 1 << 30 {
        return Err(format!("`{text}` is too large; at most 1GiB"));
    }
    Ok(bytes)
}

/// A pool size that is large enough, or `unlimited`.
pub fn size_or_unlimited(text: &str) -> Result<Option<u64>, String> {
    if text == "unlimited" {
        return Ok(None);
    }
    at_least(64 << 20, text).map(Some).map_err(|message| format!("{message}, or `unlimited`"))
}

/// The log level: one level, or levels per module.
pub fn level(text: &str) -> Result<String, String> {
    let hint = "write error, warn, info, debug or trace, or, for example, info,forebay_nfs=debug";
    match EnvFilter::builder().parse(text) {
        // A bare word that is not a level would be taken as a module name, and would silence everything else.
        Ok(filter) if filter.max_level_hint().is_some() && !is_unknown_word(text) => Ok(text.to_owned()),
        _ => Err(format!("`{text}` is not a level; {hint}")),
    }
}

fn is_unknown_word(text: &str) -> bool {
    text.split(',').map(str::trim).any(|part| {
        !part.contains('=') && !["error", "warn", "info", "debug", "trace", "off"].contains(&part)
    })
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(LogFormat::Text),
            "json" => Ok(LogFormat::Json),
            _ => Err(format!("`{text}` is not a log format; write text or json")),
        }
    }
}

impl Display for LogFormat {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            LogFormat::Text => "text",
            LogFormat::Json => "json",
        })
    }
}

/// How a value is written in TOML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A quoted string.
    Text,
    /// A whole number.
    Number,
}

/// One setting: its names, its documentation, and how to read and write it in a [`Config`].
pub struct Setting {
    /// The section (TOML table) of the file.
    pub section: &'static str,
    /// The key in that section. Units come last.
    pub key: &'static str,
    /// How its value is written in TOML.
    pub kind: Kind,
    /// The placeholder for the value in the flag's help.
    pub value_name: &'static str,
    /// One sentence that says what the setting does.
    pub summary: &'static str,
    /// Anything else an operator should know before changing it.
    pub details: &'static str,
    /// Checks a value and stores it. The error says what is wrong and what a valid value looks like.
    pub set: fn(&mut Config, &str) -> Result<(), String>,
    /// The value as written in the file, the flag and the environment variable.
    pub get: fn(&Config) -> String,
}

impl Setting {
    /// `pool.directory`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.section, self.key)
    }

    /// `pool-directory`, as in `--pool-directory`.
    pub fn flag(&self) -> String {
        format!("{}-{}", self.section, self.key).replace('_', "-")
    }

    /// `FOREBAY_POOL_DIRECTORY`.
    pub fn environment(&self) -> String {
        format!("FOREBAY_{}_{}", self.section, self.key).to_uppercase()
    }

    /// The default, as written in the file.
    pub fn default_toml(&self) -> String {
        self.toml(&Config::default())
    }

    /// The value, as written in the file.
    pub fn toml(&self, config: &Config) -> String {
        let value = (self.get)(config);
        match self.kind {
            Kind::Text => toml::Value::String(value).to_string(),
            Kind::Number => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_level_is_refused() {
        for text in ["inof", "", "info,nfs=loud", "verbose"] {
            assert!(level(text).is_err(), "{text}");
        }
        for text in ["info", "warn,forebay_nfs=trace", "off"] {
            assert!(level(text).is_ok(), "{text}");
        }
    }
}
