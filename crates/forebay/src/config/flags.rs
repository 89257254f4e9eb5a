//! Flags and environment variables for the settings, generated from [`settings`], and the precedence of all
//! sources.

use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::settings::{ALIASES, settings};
use super::value::Setting;
use super::{Config, ConfigError, file};

/// The one flag that needs no value.
const STANDBY: &str = "standby";

const HEADING: &str = "Settings";

/// The path where packages install the service's configuration.
const INSTALLED_FILE: &str = "/etc/forebay/forebay.toml";

/// `--config`, and a flag for every setting.
#[derive(Debug)]
pub struct AllSettings(Given);

/// `--config`, and the flags that locate the admin socket.
#[derive(Debug)]
pub struct AdminSettings(Given);

/// `--config`, and the flags that locate a pool and its stores.
#[derive(Debug)]
pub struct PoolSettings(AdminSettings);

impl PoolSettings {
    /// Like [`AdminSettings::load`].
    pub fn load(&self) -> Result<Config, ConfigError> {
        self.0.load()
    }
}

/// The values given on the command line and in the environment.
#[derive(Debug, Default)]
struct Given {
    file: Option<PathBuf>,
    values: Vec<GivenValue>,
}

#[derive(Debug)]
struct GivenValue {
    /// The flag or variable that the value comes from.
    origin: String,
    path: String,
    value: String,
}

impl AllSettings {
    /// Combines flags, environment, file and defaults.
    pub fn load(&self) -> Result<Config, ConfigError> {
        self.0.load()
    }
}

impl AdminSettings {
    /// Whether any option or variable selects the daemon on this machine.
    pub fn is_given(&self) -> bool {
        self.0.file.is_some() || !self.0.values.is_empty()
    }

    /// The configuration file, if one is given or installed.
    pub fn file(&self) -> Option<PathBuf> {
        let installed = || Path::new(INSTALLED_FILE);
        self.0
            .file
            .clone()
            .or_else(|| (!self.is_given() && installed().is_file()).then(|| installed().to_owned()))
    }

    /// Combines flags, environment, file and defaults. Without any option, the installed service is used, or,
    /// if none is installed, the pool in the current directory.
    pub fn load(&self) -> Result<Config, ConfigError> {
        if self.is_given() {
            self.0.load()
        } else {
            installed_or_here(Path::new(INSTALLED_FILE), Path::new(""))
        }
    }
}

/// The configuration if no option is given. `installed` may be a service's configuration, and `here` may have
/// a daemon that someone is trying out. If both exist, the command refuses to guess: one of them may be in
/// production.
fn installed_or_here(installed: &Path, here: &Path) -> Result<Config, ConfigError> {
    let default = Config::default();
    if !installed.is_file() {
        return Ok(default);
    }
    let config = Config::read(installed)?;
    let tried = here.join(default.admin_socket());
    if tried.exists() {
        return Err(ConfigError(format!(
            "there is an installed service ({}) and the socket of a daemon here ({}): choose one with --config {} or \
             --admin-socket {}",
            installed.display(),
            tried.display(),
            installed.display(),
            tried.display(),
        )));
    }
    Ok(config)
}

impl Given {
    fn load(&self) -> Result<Config, ConfigError> {
        let mut config = Config::default();
        if let Some(path) = &self.file {
            file::apply(&mut config, path)?;
        }
        for given in &self.values {
            let setting = settings().find(|setting| setting.path() == given.path);
            if let Some(setting) = setting {
                (setting.set)(&mut config, &given.value)
                    .map_err(|message| ConfigError(format!("{}: {message}", given.origin)))?;
            }
        }
        config.check()?;
        Ok(config)
    }

    fn from_matches(matches: &ArgMatches, settings: impl Iterator<Item = &'static Setting>) -> Self {
        let values = settings
            .filter_map(|setting| {
                let flag = setting.flag();
                let value = matches.get_one::<String>(&flag)?.clone();
                let origin = match matches.value_source(&flag) {
                    Some(ValueSource::EnvVariable) => setting.environment(),
                    _ => format!("--{flag}"),
                };
                Some(GivenValue { origin, path: setting.path(), value })
            })
            .collect();
        Given { file: matches.get_one::<PathBuf>("config").cloned(), values }
    }
}

fn augment(command: Command, settings: impl Iterator<Item = &'static Setting>) -> Command {
    let config = Arg::new("config")
        .long("config")
        .short('c')
        .value_name("FILE")
        .env("FOREBAY_CONFIG")
        .hide_env_values(true)
        .value_parser(clap::value_parser!(PathBuf))
        .help_heading(HEADING)
        .help("Read this configuration file");
    settings.fold(command.arg(config), |command, setting| command.arg(argument(setting)))
}

fn argument(setting: &'static Setting) -> Arg {
    let default = (setting.get)(&Config::default());
    let summary = setting.summary.trim_end_matches('.');
    let details = if setting.details.is_empty() { String::new() } else { format!("\n\n{}", setting.details) };
    let alias = ALIASES.iter().find(|(path, _)| *path == setting.path()).map(|(_, alias)| *alias);
    let mut argument = Arg::new(setting.flag());
    if alias == Some(STANDBY) {
        argument = argument.num_args(0..=1).default_missing_value("on");
    }
    argument
        .long(setting.flag())
        .visible_aliases(alias)
        .value_name(setting.value_name)
        .env(setting.environment())
        .hide_env_values(true)
        .help_heading(HEADING)
        .help(format!("{summary} [default: {default}]"))
        .long_help(format!("{summary} [default: {default}]{details}"))
}

fn admin_settings() -> impl Iterator<Item = &'static Setting> {
    settings().filter(|setting| is_of_admin(setting))
}

fn is_of_admin(setting: &Setting) -> bool {
    matches!((setting.section, setting.key), ("pool", "directory") | ("admin", "socket"))
}

/// Those of [`PoolSettings`].
fn pool_settings() -> impl Iterator<Item = &'static Setting> {
    settings().filter(|setting| {
        let is_of_stores = match setting.section {
            "pool" => matches!(setting.key, "name" | "metadata" | "metadata_password_file" | "segments"),
            "object_store" => matches!(
                setting.key,
                "endpoint" | "region" | "credentials_file" | "ca_file" | "sign_payloads"
            ),
            _ => false,
        };
        is_of_stores || is_of_admin(setting)
    })
}

impl FromArgMatches for AllSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(AllSettings(Given::from_matches(matches, settings())))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for AllSettings {
    fn augment_args(command: Command) -> Command {
        augment(command, settings())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PoolSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(PoolSettings(AdminSettings(Given::from_matches(matches, pool_settings()))))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for PoolSettings {
    fn augment_args(command: Command) -> Command {
        augment(command, pool_settings())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for AdminSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(AdminSettings(Given::from_matches(matches, admin_settings())))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for AdminSettings {
    fn augment_args(command: Command) -> Command {
        augment(command, admin_settings())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_says_nothing_means_the_installed_service_unless_a_daemon_is_tried_out_here() {
        let scratch = tempfile::tempdir().unwrap();
        let (file, here) = (scratch.path().join("forebay.toml"), scratch.path());
        assert_eq!(installed_or_here(&file, here).unwrap(), Config::default());

        std::fs::write(&file, super::super::print::annotated_installed()).unwrap();
        let config = installed_or_here(&file, here).unwrap();
        assert_eq!(config.admin_socket(), Path::new("/run/forebay/admin.sock"));
        assert_eq!(config.pool.directory, Path::new("/var/lib/forebay"));
        assert!(config.admin.group_access);
        // All other settings are as without a file.
        let places = (config.pool.directory.clone(), config.admin.clone());
        let mut plain = Config::default();
        (plain.pool.directory, plain.admin) = places;
        plain.s3.secrets_key_file = Some("/var/lib/forebay-secrets/pool.s3-key".into());
        assert_eq!(config, plain);

        std::fs::create_dir(here.join("forebay-data")).unwrap();
        std::fs::write(here.join("forebay-data/admin.sock"), "").unwrap();
        let refused = installed_or_here(&file, here).unwrap_err().to_string();
        assert!(refused.contains("choose one"), "{refused}");
    }
}
