//! Daemons that somebody wants to remember: `profiles.toml` in the user's own configuration.
//!
//! It holds tokens, so it is written with mode 0600, and whole: a new file takes the place of the old one.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use forebay_pool::is_printable;
use serde::{Deserialize, Serialize};

/// The name that stands for the daemon on this machine, and for no profile.
pub const LOCAL: &str = "local";

/// A daemon, and who one is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its URL.
    pub server: String,
    /// The token.
    pub token: Option<String>,
    /// Whose certificates are trusted.
    pub ca_certificate: Option<PathBuf>,
}

/// All of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profiles {
    /// The one that is used if none is named.
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

    /// The one in use.
    pub fn current(&self) -> Option<Profile> {
        self.profile.get(self.current.as_ref()?).cloned()
    }

    /// Each with its name, and whether it is in use.
    pub fn list(&self) -> impl Iterator<Item = (&str, &Profile, bool)> {
        let is_current = |name: &String| self.current.as_ref() == Some(name);
        self.profile.iter().map(move |(name, profile)| (name.as_str(), profile, is_current(name)))
    }

    /// Remembers one, and uses it.
    pub fn add(&mut self, name: &str, profile: Profile) -> Result<()> {
        if name == LOCAL || name.is_empty() {
            bail!("profile {name:?}: this name stands for the daemon on this machine; choose another");
        }
        if !name.chars().all(is_printable) {
            bail!("profile {name:?}: must not have control characters; choose another name");
        }
        self.profile.insert(name.to_owned(), profile);
        self.current = Some(name.to_owned());
        Ok(())
    }

    /// Uses one, or with [`LOCAL`] none.
    pub fn select(&mut self, name: &str) -> Result<()> {
        if name == LOCAL {
            self.current = None;
            return Ok(());
        }
        self.get(name)?;
        self.current = Some(name.to_owned());
        Ok(())
    }

    /// Forgets one.
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
    let base =
        base.context("profiles: neither XDG_CONFIG_HOME nor HOME says where they are; set one of them")?;
    Ok(base.join("forebay/profiles.toml"))
}

/// Reads them; none if there is no file, or no place for one.
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

/// Writes them, for nobody else to read.
pub fn store(profiles: &Profiles) -> Result<()> {
    store_to(profiles, &path()?)
}

fn store_to(profiles: &Profiles, path: &Path) -> Result<()> {
    let written = || -> Result<()> {
        let folder = path.parent().context("it has no folder")?;
        std::fs::create_dir_all(folder)?;
        let new = path.with_extension("toml.new");
        // One that a crash left has whatever mode, and is not to be written into.
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
