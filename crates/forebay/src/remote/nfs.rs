//! `forebay nfs`.

use std::time::Duration;

use anyhow::Result;

use super::unexpected;
use crate::admin::client::call;
use crate::admin::protocol::{
    Answer, ClientView, Command, FileView, LocksView, NfsCommand as Asked, OpensView, OperationView,
    SessionView,
};
use crate::cli::NfsCommand;
use crate::config::flags::AdminSettings;
use crate::output::{print, print_columns, print_json};

/// Carries out a `forebay nfs` command.
pub fn run(command: NfsCommand) -> Result<()> {
    match command {
        NfsCommand::Clients { json, settings } => match ask(&settings, Asked::Clients {})? {
            Answer::NfsClients(clients) if json => print_json(&clients),
            Answer::NfsClients(clients) => show_clients(&clients),
            other => unexpected(&other),
        },
        NfsCommand::Sessions { json, settings } => match ask(&settings, Asked::Sessions {})? {
            Answer::NfsSessions(sessions) if json => print_json(&sessions),
            Answer::NfsSessions(sessions) => show_sessions(&sessions),
            other => unexpected(&other),
        },
        NfsCommand::Opens { client, limit, json, settings } => {
            match ask(&settings, Asked::Opens { client, limit: count(limit) })? {
                Answer::NfsOpens(opens) if json => print_json(&opens),
                Answer::NfsOpens(opens) => show_opens(&opens),
                other => unexpected(&other),
            }
        }
        NfsCommand::Locks { client, limit, json, settings } => {
            match ask(&settings, Asked::Locks { client, limit: count(limit) })? {
                Answer::NfsLocks(locks) if json => print_json(&locks),
                Answer::NfsLocks(locks) => show_locks(&locks),
                other => unexpected(&other),
            }
        }
        NfsCommand::Evict { client, settings } => {
            match ask(&settings, Asked::Evict { client: client.clone() })? {
                Answer::Done => print(&format!("evicted client {client}\n")),
                other => unexpected(&other),
            }
        }
        NfsCommand::Revoke { stateid, settings } => {
            match ask(&settings, Asked::Revoke { stateid: stateid.clone() })? {
                Answer::Done => print(&format!("revoked {stateid}\n")),
                other => unexpected(&other),
            }
        }
        NfsCommand::Stats { json, settings } => match ask(&settings, Asked::Stats {})? {
            Answer::NfsStats(operations) if json => print_json(&operations),
            Answer::NfsStats(operations) => show_operations(&operations),
            other => unexpected(&other),
        },
    }
}

fn ask(settings: &AdminSettings, asked: Asked) -> Result<Answer> {
    call(&settings.load()?.admin_socket(), Command::Nfs(asked))
}

fn count(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn show_clients(clients: &[ClientView]) -> Result<()> {
    let row = |client: &ClientView| {
        vec![
            client.client.clone(),
            client.address.clone().unwrap_or_default(),
            client.state.clone(),
            format!("{:.1}s", Duration::from_millis(client.silent_ms).as_secs_f64()),
            client.sessions.to_string(),
            client.opens.to_string(),
            client.locks.to_string(),
            tls(client),
            client.owner.clone(),
        ]
    };
    let headings = ["client", "address", "state", "silent", "sessions", "opens", "locks", "tls", "owner"];
    print_columns(&headings, clients.iter().map(row))
}

/// `off`, `on`, or `mutual: CN=broker1`.
fn tls(client: &ClientView) -> String {
    if client.certificates.is_empty() {
        return client.tls.clone();
    }
    format!("{}: {}", client.tls, client.certificates.join("; "))
}

fn show_sessions(sessions: &[SessionView]) -> Result<()> {
    let row = |session: &SessionView| {
        vec![
            session.session.clone(),
            session.client.clone(),
            session.slots.to_string(),
            session.slots_in_work.to_string(),
            session.back_channel.clone(),
            session.connections.join(", "),
        ]
    };
    print_columns(
        &["session", "client", "slots", "in work", "back channel", "connections"],
        sessions.iter().map(row),
    )
}

fn show_opens(opens: &OpensView) -> Result<()> {
    let rows = opens.opens.iter().map(|open| {
        let deny = if open.deny.is_empty() { "-".to_owned() } else { open.deny.clone() };
        vec![open.stateid.clone(), open.client.clone(), open.access.clone(), deny, place(&open.file)]
    });
    print_columns(&["stateid", "client", "access", "deny", "file"], rows)?;
    say_rest(opens.opens.len(), opens.total, "opens")
}

fn show_locks(locks: &LocksView) -> Result<()> {
    let rows = locks.locks.iter().map(|lock| {
        let length = lock.length.map_or("to the end".to_owned(), |length| length.to_string());
        let kind = lock.kind.clone();
        let (stateid, client) = (lock.stateid.clone(), lock.client.clone());
        vec![stateid, client, kind, lock.offset.to_string(), length, place(&lock.file)]
    });
    print_columns(&["stateid", "client", "kind", "offset", "length", "file"], rows)?;
    let mut owners: Vec<&str> = locks.locks.iter().map(|lock| lock.stateid.as_str()).collect();
    owners.dedup();
    say_rest(owners.len(), locks.total, "lock owners")
}

/// The path of a file, or else its inode.
fn place(file: &FileView) -> String {
    let volume = || file.volume.as_deref().unwrap_or("a deleted volume");
    file.path.clone().unwrap_or_else(|| format!("inode {} of {}", file.inode, volume()))
}

fn say_rest(shown: usize, total: usize, what: &str) -> Result<()> {
    if shown < total { print(&format!("{shown} of {total} {what}; --limit shows more\n")) } else { Ok(()) }
}

fn show_operations(operations: &[OperationView]) -> Result<()> {
    let row = |operation: &OperationView| {
        let statuses = operation.errors_by_status.iter();
        let statuses: Vec<String> = statuses.map(|(status, count)| format!("{status} {count}")).collect();
        vec![
            operation.operation.clone(),
            operation.count.to_string(),
            microseconds(operation.p50_ns),
            microseconds(operation.p99_ns),
            waited(operation),
            operation.errors.to_string(),
            statuses.join(", "),
        ]
    };
    print_columns(
        &["operation", "count", "p50", "p99", "waited", "errors", "by status"],
        operations.iter().map(row),
    )
}

/// Waiting for limits of volumes: `12.3 s in 456`.
fn waited(operation: &OperationView) -> String {
    match operation.waits {
        0 => "-".to_owned(),
        waits => format!("{:.1} s in {waits}", Duration::from_nanos(operation.waited_ns).as_secs_f64()),
    }
}

fn microseconds(nanoseconds: u64) -> String {
    format!("{} µs", nanoseconds.div_ceil(1000))
}
