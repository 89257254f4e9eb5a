//! Saved connections to daemons: `profiles.toml` in the user's configuration directory.
//!
//! The file holds tokens, so it has mode 0600, and a change replaces the whole file atomically.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use forebay_pool::is_printable;
use serde::{Deserialize, Serialize};

use crate::arguments::Fingerprint;

/// The name that means the daemon on this machine instead of a profile.
pub const LOCAL: &str = "local";

/// A daemon, and the credentials for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its URL.
    pub server: String,
    /// The token.
    pub token: Option<String>,
    /// The authority whose certificates are trusted.
    pub ca_certificate: Option<PathBuf>,
    /// The only certificate that is trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_fingerprint: Option<Fingerprint>,
}

/// All profiles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profiles {
    /// The profile that is used by default.
    current: Option<String>,
    #[serde(default)]
    profile: BTreeMap<String, Profile>,
}

impl Profiles {
    /// The profile of that name.
    pub fn get(&self, name: &str) -> Result<Profile> {
        let found = self.profile.get(name).cloned();
        found
            .ok_or_else(|| anyhow!("profile {name}: not found; `forebay profile list` shows which there are"))
    }

    /// The active profile.
    pub fn current(&self) -> Option<Profile> {
        self.profile.get(self.current.as_ref()?).cloned()
    }

    /// All profiles with their names, and whether each is active.
    pub fn list(&self) -> impl Iterator<Item = (&str, &Profile, bool)> {
        let is_current = |name: &String| self.current.as_ref() == Some(name);
        self.profile.iter().map(move |(name, profile)| (name.as_str(), profile, is_current(name)))
    }

    /// Adds a profile and makes it active.
    pub fn add(&mut self, name: &str, profile: Profile) -> Result<()> {
        if name == LOCAL || name.is_empty() {
            bail!("profile {name:?}: this name means the daemon on this machine; choose another");
        }
        if !name.chars().all(is_printable) {
            bail!("profile {name:?}: must not contain control characters; choose another name");
        }
        self.profile.insert(name.to_owned(), profile);
        self.current = Some(name.to_owned());
        Ok(())
    }

    /// Makes a profile active, or none for [`LOCAL`].
    pub fn select(&mut self, name: &str) -> Result<()> {
        if name == LOCAL {
            self.current = None;
            return Ok(());
        }
        self.get(name)?;
        self.current = Some(name.to_owned());
        Ok(())
    }

    /// Removes a profile.
    pub fn remove(&mut self, name: &str) -> Result<()> {
        self.get(name)?;
        self.profile.remove(name);
        if self.current.as_deref() == Some(name) {
            self.current = None;
        }
        Ok(())
    }
}

fn path() -> Result<PathBuf> {
    let base = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let base = base.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config")));
    let base = base.context("profiles: neither XDG_CONFIG_HOME nor HOME is set; set one of them")?;
    Ok(base.join("forebay/profiles.toml"))
}

/// Loads the profiles; none if there is no file or no directory for it.
pub fn load() -> Result<Profiles> {
    match path() {
        Ok(path) => load_from(&path),
        Err(_) => Ok(Profiles::default()),
    }
}

fn load_from(path: &Path) -> Result<Profiles> {
    match std::fs::read_to_string(path) {
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            Ok(Profiles::default())
        }
        text => {
            let text = text.with_context(|| format!("profiles {}: cannot be read", path.display()))?;
            toml::from_str(&text).map_err(|error| {
                let message = error.message().to_owned();
                anyhow!("profiles {}: {message}; correct the file, or remove it", path.display())
            })
        }
    }
}

/// Writes the profiles, readable only by the user.
pub fn store(profiles: &Profiles) -> Result<()> {
    store_to(profiles, &path()?)
}

fn store_to(profiles: &Profiles, path: &Path) -> Result<()> {
    let written = || -> Result<()> {
        let folder = path.parent().context("it has no parent directory")?;
        std::fs::create_dir_all(folder)?;
        let new = path.with_extension("toml.new");
        // A file left by a crash may have any mode, so it must not be reused.
        match std::fs::remove_file(&new) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(toml::to_string(profiles)?.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, path)?;
        Ok(())
    };
    written().with_context(|| format!("profiles {}: cannot be written", path.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn profiles_are_kept_for_their_owner_only() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("below/profiles.toml");
        let profile = |server: &str| Profile {
            server: server.into(),
            token: Some("fb_x".into()),
            ca_certificate: None,
            tls_fingerprint: None,
        };
        let mut profiles = load_from(&path).unwrap();
        assert_eq!(profiles, Profiles::default());
        profiles.add("prod", profile("https://one")).unwrap();
        profiles.add("test", profile("https://two")).unwrap();
        store_to(&profiles, &path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(load_from(&path).unwrap(), profiles);
        assert_eq!(profiles.current().unwrap().server, "https://two");
        profiles.select("prod").unwrap();
        assert_eq!(profiles.current().unwrap().server, "https://one");
        profiles.remove("prod").unwrap();
        assert_eq!(profiles.current(), None);
        assert!(profiles.select("prod").is_err() && profiles.add(LOCAL, profile("x")).is_err());
    }
}
