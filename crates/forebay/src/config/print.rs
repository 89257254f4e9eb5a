//! Prints the settings: the annotated default configuration, and the reference page.

use std::fmt::Write;

use super::Config;
use super::settings::{SECTIONS, settings};
use super::value::Setting;

const COMMENT_COLUMNS: usize = 96;

/// Values that differ from the defaults in an installed service: its paths, and access to the admin socket.
const INSTALLED: &[(&str, &str)] = &[
    ("pool.directory", "\"/var/lib/forebay\""),
    // Not in the pool's directory, and in one that the service may write to.
    ("s3.secrets_key_file", "\"/var/lib/forebay-secrets/pool.s3-key\""),
    ("admin.socket", "\"/run/forebay/admin.sock\""),
    ("admin.group_access", "\"on\""),
];

/// What a container needs besides: others can reach nothing that listens on its own 127.0.0.1.
const CONTAINER: &[(&str, &str)] = &[
    ("api.listen", "\"0.0.0.0:8049\""),
    ("api.tls_self_signed", "\"on\""),
    ("metrics.listen", "\"0.0.0.0:9095\""),
];

/// The default configuration as a TOML file, with the documentation of every setting.
pub fn annotated_default() -> String {
    let mut text = String::from(
        "# Configuration of Forebay. Every value below is the default: keep the ones you change, delete the rest.\n\
         # A flag overrides an environment variable, which overrides this file: `--nfs-listen`, FOREBAY_NFS_LISTEN,\n\
         # [nfs] listen. Check an edited file with `forebay config check FILE`.\n",
    );
    annotate(&mut text, |setting| format!("{} = {}", setting.key, setting.default_toml()));
    text
}

/// The configuration of an installed service: the same, with all defaults commented out.
pub fn annotated_installed() -> String {
    let head = "# Configuration of the Forebay service. Commented-out values are the defaults. After a change:\n\
                # `forebay config check /etc/forebay/forebay.toml`, then `systemctl restart forebay`.\n";
    annotated_with(head, INSTALLED)
}

/// The configuration of the container image.
pub fn annotated_container() -> String {
    let head = "# Configuration of Forebay in a container. Commented-out values are the defaults. To change it, mount a file of\n\
                # your own here, or set environment variables, which come first: FOREBAY_NFS_LEASE_SECONDS=45.\n";
    annotated_with(head, &[INSTALLED, CONTAINER].concat())
}

/// All settings: these with these values, the others commented out.
fn annotated_with(head: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::from(head);
    annotate(&mut text, |setting| {
        let path = setting.path();
        match values.iter().find(|(set, _)| *set == path) {
            Some((_, value)) => format!("{} = {value}", setting.key),
            None => format!("#{} = {}", setting.key, setting.default_toml()),
        }
    });
    text
}

/// All settings with their values, without documentation.
pub fn effective(config: &Config) -> String {
    let mut text = String::new();
    for (section, _) in SECTIONS {
        append(&mut text, format_args!("[{section}]\n"));
        for setting in of_section(section) {
            append(&mut text, format_args!("{} = {}\n", setting.key, setting.toml(config)));
        }
    }
    text
}

/// Every setting with its documentation, as lines of the file.
fn annotate(text: &mut String, line_of: impl Fn(&Setting) -> String) {
    for (section, about) in SECTIONS {
        append(text, format_args!("\n# {about}\n[{section}]\n"));
        for setting in of_section(section) {
            for line in wrapped(&[setting.summary, setting.details].join(" "), COMMENT_COLUMNS) {
                append(text, format_args!("# {line}\n"));
            }
            append(text, format_args!("{}\n", line_of(setting)));
        }
    }
}

/// The reference page of the configuration, in Markdown.
pub fn reference() -> String {
    let mut text = String::from(
        "# Configuration\n\n\
         <!-- Made by `make docs` from crates/forebay/src/config/settings.rs. Do not edit. -->\n\n\
         Forebay runs without a configuration file. Each setting has three names; the first one given, in\n\
         this order, applies: the flag of `forebay serve`, the environment variable, the key in the file that\n\
         `--config FILE` or `FOREBAY_CONFIG` names. Otherwise the default applies.\n\n\
         `forebay config init` prints a commented file with all defaults, and `forebay config check FILE` checks one.\n\
         Unknown keys are errors. Sizes are written like `500GiB` or `1.5TB`: KiB to PiB, or just K to P, are\n\
         powers of 1,024, and KB to PB are powers of 1,000.\n",
    );
    for (section, about) in SECTIONS {
        append(&mut text, format_args!("\n## [{section}]\n\n{about}\n"));
        for setting in of_section(section) {
            append(
                &mut text,
                format_args!(
                    "\n### {}\n\n| default | flag | environment |\n|---|---|---|\n| `{}` | `--{} {}` | `{}` |\n\n",
                    setting.key,
                    (setting.get)(&Config::default()),
                    setting.flag(),
                    setting.value_name,
                    setting.environment(),
                ),
            );
            append(&mut text, format_args!("{}\n", setting.summary));
            if !setting.details.is_empty() {
                append(&mut text, format_args!("\n{}\n", setting.details));
            }
        }
    }
    text
}

fn of_section(section: &str) -> impl Iterator<Item = &'static Setting> {
    settings().filter(move |setting| setting.section == section)
}

fn append(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = text.write_fmt(arguments);
}

/// Breaks text into lines of at most `columns` characters, at spaces.
fn wrapped(prose: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in prose.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
