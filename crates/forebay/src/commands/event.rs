//! `forebay event`.

use std::time::Duration;

use anyhow::Result;
use clap::Subcommand;
use forebay_admin::views::{EventView, List, Severity};

use crate::admin::client::Client;
use crate::arguments::Remote;
use crate::arguments::values::parse_word;
use crate::output::{print_as, print_columns, print_next};

/// The columns for spreadsheets.
const COLUMNS: [&str; 8] = ["id", "time", "severity", "kind", "object", "message", "user", "address"];
/// How often `--follow` polls for new events.
const FOLLOW_EVERY: Duration = Duration::from_secs(1);

/// `forebay event`.
#[derive(Debug, Subcommand)]
pub enum EventCommand {
    /// List events, oldest first
    ///
    /// The daemon keeps the last 2000 events, also across restarts. Its log has all of them.
    List {
        /// Keep printing new events until Ctrl-C
        #[arg(long, short = 'f')]
        follow: bool,

        /// Minimum severity: info, warning or error
        #[arg(long, value_name = "SEVERITY", default_value = "info", value_parser = parse_word::<Severity>)]
        severity: Severity,

        /// Maximum number of events to show, the newest
        #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=2000))]
        limit: u32,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

/// Carries out a `forebay event` command.
pub fn run(command: EventCommand) -> Result<()> {
    let EventCommand::List { follow, severity, limit, remote } = command;
    let events: List<EventView> =
        Client::new(&remote)?.get(&format!("events?severity={severity}&limit={limit}"))?;
    if follow {
        return follow_on(&remote, severity, events.items);
    }
    print_as(remote.format(), &events.items, |events| list_events(events))
}

/// Prints existing events and then new ones, one per line, until the user interrupts it or the reader is
/// gone. It also ends when the daemon restarts.
fn follow_on(remote: &Remote, severity: Severity, mut events: Vec<EventView>) -> Result<()> {
    let client = Client::new(remote)?;
    let mut after = 0;
    loop {
        for event in &events {
            after = after.max(event.id);
            if print_next(remote.format(), event, &COLUMNS, line)?.is_break() {
                return Ok(());
            }
        }
        std::thread::sleep(FOLLOW_EVERY);
        let next: List<EventView> =
            client.get(&format!("events?after={after}&severity={severity}&limit=1000"))?;
        // Without an event seen so far, the response has the latest events, and all of them are new.
        events = next.items;
    }
}

fn line(event: &EventView) -> String {
    format!("{} {} {}: {}{}", event.time, event.severity, event.object, event.message, by(event))
}

fn by(event: &EventView) -> String {
    match (&event.user, &event.address) {
        (Some(user), Some(address)) if user != address => format!(" (by {user} at {address})"),
        (Some(user), _) => format!(" (by {user})"),
        _ => String::new(),
    }
}

fn list_events(events: &[EventView]) -> Result<()> {
    let row = |event: &EventView| {
        let user = event.user.clone().unwrap_or_else(|| "-".to_owned());
        vec![
            event.time.clone(),
            event.severity.to_string(),
            event.object.clone(),
            event.message.clone(),
            user,
        ]
    };
    print_columns(&["time", "severity", "object", "what", "by"], events.iter().map(row))
}
