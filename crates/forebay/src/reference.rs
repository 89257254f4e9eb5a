//! Pages of the reference documentation and of the manual, generated from the code.

use std::path::Path;

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use forebay_admin::dashboards;

use crate::cli::{Cli, ReferencePage};
use crate::config::print;

/// The column at which help texts are wrapped.
const COLUMNS: usize = 100;

/// The text of one page, in Markdown.
pub fn page(page: ReferencePage) -> String {
    match page {
        ReferencePage::Configuration => print::reference(),
        ReferencePage::CommandLine => command_line(),
        ReferencePage::Openapi => openapi(),
        ReferencePage::Metrics => forebay_admin::metrics::reference::page(),
        ReferencePage::S3Operations => forebay_s3::reference::reference(),
        ReferencePage::Alerts => forebay_admin::health::reference::page(),
        ReferencePage::AlertRules => forebay_admin::health::prometheus::rules(),
        ReferencePage::ForebayOverview => dashboards::OVERVIEW.json(),
        ReferencePage::ForebayNfs => dashboards::NFS.json(),
        ReferencePage::ForebayS3 => dashboards::S3.json(),
        ReferencePage::ForebayPool => dashboards::POOL.json(),
        ReferencePage::ForebayTiering => dashboards::TIERING.json(),
        ReferencePage::DashboardRules => dashboards::rules(),
    }
}

/// Writes the manual pages of all commands.
pub fn manual(directory: &Path) -> Result<()> {
    clap_mangen::generate_to(without_environment(Cli::command()), directory)
        .with_context(|| format!("manual pages: cannot be written to {}; it must exist", directory.display()))
}

fn openapi() -> String {
    let document = forebay_admin::router::document();
    format!("{}\n", forebay_admin::openapi::Document::new(&document).text())
}

/// The page without the part about the lab, which the lab's program prints.
fn command_line() -> String {
    let mut text = String::from(
        "# Command line\n\n\
         <!-- Made by `make docs` from crates/forebay/src/commands and crates/lab/src/command. Do not edit. -->\n",
    );
    let mut root = without_environment(Cli::command()).term_width(COLUMNS);
    root.build();
    append(&mut text, &mut root, 2);
    text
}

/// The command without values from the environment.
fn without_environment(command: Command) -> Command {
    command.mut_args(|argument| argument.hide_env_values(true)).mut_subcommands(without_environment)
}

/// Appends the help of a command and of its subcommands.
fn append(text: &mut String, command: &mut Command, depth: usize) {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    let help: Vec<_> =
        command.render_long_help().to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    text.push_str(&format!(
        "\n{} {name}\n\n```text\n{}\n```\n",
        "#".repeat(depth),
        help.join("\n").trim_end()
    ));
    for child in command.get_subcommands_mut() {
        if child.get_name() != "help" && !child.is_hide_set() {
            append(text, child, (depth + 1).min(4));
        }
    }
}
