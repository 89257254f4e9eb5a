//! The steps of `forebay setup`.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use forebay_admin::views::PoolView;

use super::answers::Answers;
use super::apply::{Made, apply};
use super::arguments::SetupArgs;
use super::plan::{Broker, Wishes};
use super::{place, questions, wait};
use crate::admin::client::{Client, NoDaemon};
use crate::config::{Config, ConfigError};
use crate::output::print_line;

/// Where a package puts the configuration.
const INSTALLED: &str = "/etc/forebay/forebay.toml";
/// How often it is looked whether the daemon runs.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Sets brokers up.
pub fn run(arguments: &SetupArgs) -> Result<()> {
    let mut answers = arguments.given();
    if let Some(file) = &arguments.answers {
        answers = answers.or(Answers::read(file)?);
    }
    let ask = !arguments.yes && arguments.answers.is_none() && questions::can_ask();
    if !ask && !arguments.yes && arguments.answers.is_none() {
        return Err(ConfigError::new(
            "setup asks questions, but there is no terminal to answer them; give answers as options with --yes, or in a file with --answers",
        )
        .into());
    }
    let client = Client::new(&arguments.remote)?;
    let (client, pool) = match client.get::<PoolView>("pool") {
        Ok(pool) => (client, pool),
        Err(error) if error.is::<NoDaemon>() => match prepare(arguments, ask)? {
            Some(found) => found,
            None => return Ok(()),
        },
        Err(error) => return Err(error),
    };
    for line in place::of_daemon(&client, &pool.directory) {
        print_line(&line)?;
    }
    let wishes = questions::complete(answers, ask)?;
    let made = apply(&client, &wishes)?;
    for line in &made.said {
        print_line(line)?;
    }
    let brokers = wishes.plan();
    show(&client, &wishes, &brokers, &made)?;
    if arguments.wait {
        return wait::wait(&client, &brokers, &made.volumes, arguments.wait_seconds_max);
    }
    print_line("To watch the brokers connect, run this again with --wait.")
}

/// Without a daemon: measures the disk, writes a configuration, and says how to start. Returns the daemon once the operator has started it,
/// or nothing if nobody can be asked to.
fn prepare(arguments: &SetupArgs, ask: bool) -> Result<Option<(Client, PoolView)>> {
    let settings = &arguments.remote.settings;
    let written = || arguments.write_config.is_file().then(|| arguments.write_config.clone());
    let existing = settings.file().or_else(written);
    let mut config = match &existing {
        Some(file) if !settings.is_given() => Config::read(file)?,
        _ => settings.load()?,
    };
    if existing.is_none() && ask && !settings.is_given() {
        let usual = config.pool.directory.display().to_string();
        config.pool.directory = questions::question(
            "Where: the pool's directory, preferably on its own file system",
            Some(&usual),
            place::parse_directory,
        )?;
    }
    for line in place::of_directory(&config.pool.directory)? {
        print_line(&line)?;
    }
    let file = existing.unwrap_or_else(|| arguments.write_config.clone());
    let is_new = place::write_configuration(&file, &config.pool.directory)?;
    let start = if file == Path::new(INSTALLED) {
        "systemctl start forebay".to_owned()
    } else {
        format!("forebay serve --config {}", file.display())
    };
    let verb = if is_new { "wrote" } else { "kept" };
    print_line(&format!("{verb} configuration {}", file.display()))?;
    if !ask {
        print_line(&format!("next: {start}"))?;
        print_line("then: run this again; it creates the volumes once the daemon runs")?;
        return Ok(None);
    }
    print_line(&format!("next, in another terminal: {start}"))?;
    print_line("waiting for the daemon; Ctrl-C ends this, and it can be run again")?;
    let client = Client::at_socket(std::path::absolute(config.admin_socket())?)?;
    loop {
        match client.get::<PoolView>("pool") {
            Ok(pool) => return Ok(Some((client, pool))),
            Err(error) if error.is::<NoDaemon>() => std::thread::sleep(AGAIN_AFTER),
            Err(error) => return Err(error),
        }
    }
}

/// The lines that go into each broker's files.
fn show(client: &Client, wishes: &Wishes, brokers: &[Broker], made: &Made) -> Result<()> {
    let reached = client.reached();
    if let Some(warning) = wishes.unreachable(&made.nfs) {
        print_line(&warning)?;
    }
    for broker in brokers {
        let Some(volume) = made.volumes.iter().find(|volume| volume.name == broker.volume) else { continue };
        print_line("")?;
        print_line(&format!(
            "# broker {} ({}): /etc/fstab, then `mkdir -p {m} && mount {m}` as root",
            broker.number,
            broker.host,
            m = wishes.mount.display()
        ))?;
        print_line(&wishes.fstab(&made.nfs, reached.as_deref(), &volume.path))?;
        print_line("# server.properties")?;
        print_line(&wishes.properties(broker))?;
    }
    print_line("")
}
