//! `forebay nfs top`.

use std::io::{IsTerminal, stdout};
use std::time::Duration;

use anyhow::Result;
use forebay_admin::views::{ClientView, List};

use super::arguments::TopBy;
use crate::admin::client::Client;
use crate::arguments::Remote;
use crate::config::size;
use crate::output::{print_as, print_columns, print_line, print_own};

/// The daemon looks every five seconds.
const AGAIN_AFTER: Duration = Duration::from_secs(5);
/// Moves to the first line of a terminal, and clears it.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// Shows the clients, again and again on a terminal.
pub fn run(by: TopBy, limit: usize, once: bool, remote: &Remote) -> Result<()> {
    let client = Client::new(remote)?;
    let again = !once && stdout().is_terminal() && remote.format().is_for_people();
    loop {
        let clients: List<ClientView> = client.get("nfs/clients")?;
        let total = clients.items.len();
        let mut clients = clients.items;
        clients.sort_by(|one, other| measure(by, other).total_cmp(&measure(by, one)));
        clients.truncate(limit);
        if again {
            print_own(CLEAR)?;
        }
        print_as(remote.format(), &clients, |clients| show(clients, total))?;
        if !again {
            return Ok(());
        }
        std::thread::sleep(AGAIN_AFTER);
    }
}

fn measure(by: TopBy, client: &ClientView) -> f64 {
    match by {
        TopBy::Bytes => client.now.read_rate + client.now.write_rate,
        TopBy::Operations => client.now.operation_rate,
        TopBy::Commit => client.now.commit_p99_seconds.unwrap_or_default(),
    }
}

fn show(clients: &[ClientView], total: usize) -> Result<()> {
    if clients.is_empty() {
        return print_line("No client is connected");
    }
    let rate = |value: f64| size::rounded(value.round() as u64);
    let time = |seconds: Option<f64>| {
        seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{:.1} ms", seconds * 1000.0))
    };
    let row = |client: &ClientView| {
        let now = &client.now;
        vec![
            client.owner.clone(),
            client.address.clone().unwrap_or_default(),
            rate(now.write_rate),
            rate(now.read_rate),
            format!("{:.0}", now.operation_rate),
            time(now.write_mean_seconds),
            time(now.read_mean_seconds),
            time(now.commit_p99_seconds),
        ]
    };
    let headings = ["client", "address", "writes/s", "reads/s", "ops/s", "write", "read", "fsync p99"];
    print_columns(&headings, clients.iter().map(row))?;
    let more = total.saturating_sub(clients.len());
    if more > 0 { print_line(&format!("and {more} more")) } else { Ok(()) }
}
