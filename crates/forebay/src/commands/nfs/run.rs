//! `forebay nfs`.

use std::time::Duration;

use anyhow::Result;
use forebay_admin::views::{
    ClientState, ClientView, FileView, List, LockView, OpenView, OperationView, SessionView,
};
use serde_json::json;

use super::arguments::NfsCommand;
use super::top;
use crate::admin::client::{Client, part};
use crate::arguments::Remote;
use crate::config::size;
use crate::output::{confirm, print_as, print_columns, print_gone, print_line};

/// Carries out a `forebay nfs` command.
pub fn run(command: NfsCommand) -> Result<()> {
    match command {
        NfsCommand::Clients { remote } => {
            let clients: List<ClientView> = Client::new(&remote)?.get("nfs/clients")?;
            print_as(remote.format(), &clients.items, |clients| show_clients(clients))
        }
        NfsCommand::Top { by, limit, once, remote } => top::run(by, limit, once, &remote),
        NfsCommand::Sessions { remote } => {
            let sessions: List<SessionView> = Client::new(&remote)?.get("nfs/sessions")?;
            print_as(remote.format(), &sessions.items, |sessions| show_sessions(sessions))
        }
        NfsCommand::Opens { client, limit, remote } => {
            let opens: List<OpenView> = excerpt(&remote, "nfs/opens", client.as_deref(), limit)?;
            let said = json!({"opens": opens.items, "total": opens.total});
            print_as(remote.format(), &said, |_| show_opens(&opens))
        }
        NfsCommand::Locks { client, limit, remote } => {
            let locks: List<LockView> = excerpt(&remote, "nfs/locks", client.as_deref(), limit)?;
            let said = json!({"locks": locks.items, "total": locks.total});
            print_as(remote.format(), &said, |_| show_locks(&locks))
        }
        NfsCommand::Evict { client, sure, remote } => {
            confirm(sure, || Ok(format!("Revoke all state of client {client}?")))?;
            Client::new(&remote)?.delete(&format!("nfs/clients/{}", part(&client)))?;
            print_gone(remote.format(), &format!("evicted client {client}"))
        }
        NfsCommand::Revoke { stateid, sure, remote } => {
            confirm(sure, || Ok(format!("Revoke {stateid}?")))?;
            Client::new(&remote)?.delete(&format!("nfs/opens/{}", part(&stateid)))?;
            print_gone(remote.format(), &format!("revoked {stateid}"))
        }
        NfsCommand::Stats { remote } => {
            let operations: List<OperationView> = Client::new(&remote)?.get("nfs/operations")?;
            print_as(remote.format(), &operations.items, |operations| show_operations(operations))
        }
    }
}

fn excerpt<T: serde::de::DeserializeOwned>(
    remote: &Remote,
    path: &str,
    client: Option<&str>,
    limit: u32,
) -> Result<List<T>> {
    let client = client.map(|client| format!("&client={}", part(client))).unwrap_or_default();
    Client::new(remote)?.get(&format!("{path}?limit={limit}{client}"))
}

fn show_clients(clients: &[ClientView]) -> Result<()> {
    let row = |client: &ClientView| {
        vec![
            client.client.clone(),
            client.address.clone().unwrap_or_default(),
            state(client.state).to_owned(),
            format!("{:.1}s", Duration::from_millis(client.silent_ms).as_secs_f64()),
            client.sessions.to_string(),
            client.opens.to_string(),
            client.locks.to_string(),
            size::rounded(client.memory_bytes),
            tls(client),
            client.owner.clone(),
        ]
    };
    let headings =
        ["client", "address", "state", "silent", "sessions", "opens", "locks", "memory", "tls", "owner"];
    print_columns(&headings, clients.iter().map(row))
}

/// The states as people call them; programs get the words of the RFC.
fn state(state: ClientState) -> &'static str {
    match state {
        ClientState::Unconfirmed => "connecting",
        ClientState::Reclaiming => "reclaiming",
        ClientState::Confirmed => "connected",
        ClientState::Courteous => "silent",
        ClientState::Leaving => "leaving",
    }
}

/// `off`, `on`, or `mutual: CN=broker1`.
fn tls(client: &ClientView) -> String {
    if client.certificates.is_empty() {
        return client.tls.to_string();
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
            session.back_channel.to_string(),
            session.connections.join(", "),
        ]
    };
    print_columns(
        &["session", "client", "slots", "in use", "back channel", "connections"],
        sessions.iter().map(row),
    )
}

fn show_opens(opens: &List<OpenView>) -> Result<()> {
    let rows = opens.items.iter().map(|open| {
        let deny = if open.deny.is_empty() { "-".to_owned() } else { open.deny.clone() };
        vec![open.stateid.clone(), open.client.clone(), open.access.clone(), deny, place(&open.file)]
    });
    print_columns(&["stateid", "client", "access", "deny", "file"], rows)?;
    say_rest(opens.items.len(), opens.total, "opens")
}

fn show_locks(locks: &List<LockView>) -> Result<()> {
    let rows = locks.items.iter().map(|lock| {
        let length = lock.length.map_or("to the end".to_owned(), |length| length.to_string());
        let kind = lock.kind.to_string();
        let (stateid, client) = (lock.stateid.clone(), lock.client.clone());
        vec![stateid, client, kind, lock.offset.to_string(), length, place(&lock.file)]
    });
    print_columns(&["stateid", "client", "kind", "offset", "length", "file"], rows)?;
    let mut owners: Vec<&str> = locks.items.iter().map(|lock| lock.stateid.as_str()).collect();
    owners.dedup();
    say_rest(owners.len(), locks.total, "lock owners")
}

/// The path of a file or, if it has none, its inode.
fn place(file: &FileView) -> String {
    let volume = || file.volume.as_deref().unwrap_or("a deleted volume");
    file.path.clone().unwrap_or_else(|| format!("inode {} of {}", file.inode, volume()))
}

fn say_rest(shown: usize, total: u64, what: &str) -> Result<()> {
    if (shown as u64) < total {
        print_line(&format!("{shown} of {total} {what}; --limit shows more"))
    } else {
        Ok(())
    }
}

fn show_operations(operations: &[OperationView]) -> Result<()> {
    let row = |operation: &OperationView| {
        let statuses = operation.errors_by_status.iter();
        let statuses: Vec<String> = statuses.map(|(status, count)| format!("{status} {count}")).collect();
        vec![
            operation.operation.clone(),
            operation.count.to_string(),
            duration(operation.p50_ns),
            duration(operation.p99_ns),
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

/// Time spent waiting for volume limits: `12.3 s in 456`.
fn waited(operation: &OperationView) -> String {
    match operation.waits {
        0 => "-".to_owned(),
        waits => format!("{:.1} s in {waits}", Duration::from_nanos(operation.waited_ns).as_secs_f64()),
    }
}

/// A duration with three digits: `350 µs`, `1.20 ms`.
fn duration(nanoseconds: u64) -> String {
    let digits = |value: f64| {
        let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
        format!("{value:.decimals$}")
    };
    let value = nanoseconds as f64;
    if nanoseconds == 0 {
        "0 s".to_owned()
    } else if value < 999_500.0 {
        format!("{} µs", digits(value / 1e3))
    } else if value < 999_500_000.0 {
        format!("{} ms", digits(value / 1e6))
    } else {
        format!("{} s", digits(value / 1e9))
    }
}
