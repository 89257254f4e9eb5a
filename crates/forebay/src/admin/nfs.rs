//! Does what is asked for with NFS clients and their state.

use std::collections::{BTreeSet, HashMap};

use anyhow::{Context, Result, anyhow, bail};
use forebay_nfs::Shared;
use forebay_nfs::inspect::Paths;
use forebay_nfs::rpc::Connection;
use forebay_nfs::session::Reach;
use forebay_nfs::state::{Condition, LockKind, OpenedAs, Share};
use forebay_nfs::statistics::OperationStatistics;
use forebay_nfs::xdr::Status;
use forebay_nfs::xdr::nfs4::{ClientId, StateId};
use forebay_pool::Handle;

use super::protocol::{
    Answer, ClientView, FileView, LockView, LocksView, NfsCommand, OpenView, OpensView, OperationView,
    SessionView,
};

/// Carries out one command.
pub async fn execute(nfs: &Shared, command: NfsCommand) -> Result<Answer> {
    match command {
        NfsCommand::Clients {} => Ok(Answer::NfsClients(clients(nfs))),
        NfsCommand::Sessions {} => Ok(Answer::NfsSessions(sessions(nfs))),
        NfsCommand::Opens { client, limit } => opens(nfs, client, limit).await.map(Answer::NfsOpens),
        NfsCommand::Locks { client, limit } => locks(nfs, client, limit).await.map(Answer::NfsLocks),
        NfsCommand::Evict { client } => {
            evict(nfs, &client).await?;
            Ok(Answer::Done)
        }
        NfsCommand::Revoke { stateid } => {
            revoke(nfs, &stateid)?;
            Ok(Answer::Done)
        }
        NfsCommand::Stats {} => {
            Ok(Answer::NfsStats(nfs.statistics.snapshot().iter().map(operation).collect()))
        }
    }
}

fn clients(nfs: &Shared) -> Vec<ClientView> {
    let known = nfs.state.clients().into_iter();
    let mut protections = protections(nfs);
    known
        .map(|client| (protections.remove(&client.id).unwrap_or_default(), client))
        .map(|(protection, client)| ClientView {
            client: client_name(client.id),
            owner: client.owner.escape_ascii().to_string(),
            address: client.address.map(|address| address.to_string()),
            state: condition(client.condition).to_owned(),
            silent_ms: u64::try_from(client.silence.as_millis()).unwrap_or(u64::MAX),
            sessions: nfs.sessions.count_of_client(client.id),
            opens: client.opens,
            locks: client.locks,
            tls: protection.words().to_owned(),
            certificates: protection.certificates.into_iter().collect(),
        })
        .collect()
}

/// How a client's connections are secured.
#[derive(Default)]
struct Protections {
    plain: bool,
    secured: bool,
    certificates: BTreeSet<String>,
}

impl Protections {
    fn note(&mut self, connection: &Connection) {
        match connection.protection() {
            None => self.plain = true,
            Some(protection) => {
                self.secured = true;
                self.certificates.extend(protection.certificate.clone());
            }
        }
    }

    fn words(&self) -> &'static str {
        match (self.secured, self.plain, self.certificates.is_empty()) {
            (false, ..) => "off",
            (true, true, _) => "partly",
            (true, false, true) => "on",
            (true, false, false) => "mutual",
        }
    }
}

fn protections(nfs: &Shared) -> HashMap<ClientId, Protections> {
    let mut found: HashMap<ClientId, Protections> = HashMap::new();
    for session in nfs.sessions.all() {
        let of_client = found.entry(session.client.id()).or_default();
        session.connections().iter().for_each(|connection| of_client.note(connection));
    }
    found
}

fn condition(condition: Condition) -> &'static str {
    match condition {
        Condition::Unconfirmed => "unconfirmed",
        Condition::Reclaiming => "reclaiming",
        Condition::Confirmed => "confirmed",
        Condition::Courteous => "courteous",
        Condition::Leaving => "leaving",
    }
}

fn sessions(nfs: &Shared) -> Vec<SessionView> {
    let all = nfs.sessions.all().into_iter();
    all.map(|session| SessionView {
        session: hexadecimal(&session.id.0),
        client: client_name(session.client.id()),
        slots: session.fore.maxrequests,
        slots_in_work: session.slots_in_work(),
        request_bytes_max: session.fore.maxrequestsize,
        back_channel: match session.back_channel() {
            Reach::None => "none",
            Reach::Probing => "probing",
            Reach::Answers => "answers",
            Reach::Silent => "silent",
        }
        .to_owned(),
        connections: session.connections().iter().map(|connection| connection.peer.to_string()).collect(),
    })
    .collect()
}

async fn opens(nfs: &Shared, client: Option<String>, limit: usize) -> Result<OpensView> {
    let client = client.as_deref().map(|client| known_client(nfs, client)).transpose()?;
    let excerpt = nfs.state.opens(client, limit);
    let mut paths = Paths::new(nfs.pool.clone());
    let mut opens = Vec::with_capacity(excerpt.items.len());
    for open in excerpt.items {
        opens.push(OpenView {
            stateid: hexadecimal(&open.stateid.other),
            client: client_name(open.client),
            file: file(nfs, &mut paths, open.file, open.opened_as).await,
            access: letters(open.share.reads(), open.share.writes()),
            deny: denied(open.share),
        });
    }
    Ok(OpensView { opens, total: excerpt.total })
}

async fn locks(nfs: &Shared, client: Option<String>, limit: usize) -> Result<LocksView> {
    let client = client.as_deref().map(|client| known_client(nfs, client)).transpose()?;
    let excerpt = nfs.state.locks(client, limit);
    let mut paths = Paths::new(nfs.pool.clone());
    let mut locks = Vec::new();
    let total = excerpt.total;
    for owner in excerpt.items {
        for held in owner.held {
            locks.push(LockView {
                stateid: hexadecimal(&owner.stateid.other),
                client: client_name(owner.client),
                file: file(nfs, &mut paths, owner.file, owner.opened_as.clone()).await,
                offset: held.range.offset(),
                length: Some(held.range.length()).filter(|length| *length != u64::MAX),
                kind: if held.kind == LockKind::Read { "read" } else { "write" }.to_owned(),
            });
        }
    }
    Ok(LocksView { locks, total })
}

async fn file(nfs: &Shared, paths: &mut Paths, file: Handle, opened_as: Option<OpenedAs>) -> FileView {
    let path = paths.of_file(file, opened_as).await;
    let volume = nfs.pool.volume_by_id(file.volume).ok().map(|volume| volume.spec.name);
    FileView { volume, inode: file.inode.0, path }
}

fn letters(read: bool, write: bool) -> String {
    format!("{}{}", if read { "r" } else { "" }, if write { "w" } else { "" })
}

fn denied(share: Share) -> String {
    letters(share.denies_reading(), share.denies_writing())
}

async fn evict(nfs: &Shared, client: &str) -> Result<()> {
    let id = known_client(nfs, client)?;
    match nfs.state.evict(id).await {
        Ok(()) => {
            nfs.sessions.remove_void();
            Ok(())
        }
        Err(Status::StaleClientid) => Err(unknown_client(client)),
        Err(status) => {
            bail!("client {client}: its state cannot be taken away ({status:?}); the daemon's log says why")
        }
    }
}

fn revoke(nfs: &Shared, text: &str) -> Result<()> {
    let other = bytes_of(text).with_context(|| {
        format!("stateid {text:?}: write the 24 hexadecimal digits that `forebay nfs opens` or `locks` shows")
    })?;
    nfs.state.revoke(&StateId { seqid: 0, other }).map_err(|_| {
        anyhow!("stateid {text}: not found; `forebay nfs opens` and `forebay nfs locks` show which there are")
    })
}

fn client_name(id: ClientId) -> String {
    hexadecimal(&id.0.to_be_bytes())
}

fn known_client(nfs: &Shared, text: &str) -> Result<ClientId> {
    let id = bytes_of(text).map(|bytes| ClientId(u64::from_be_bytes(bytes))).with_context(|| {
        format!("client {text:?}: write the 16 hexadecimal digits that `forebay nfs clients` shows")
    })?;
    let known = nfs.state.clients().iter().any(|client| client.id == id);
    if known { Ok(id) } else { Err(unknown_client(text)) }
}

fn unknown_client(client: &str) -> anyhow::Error {
    anyhow!("client {client}: not found; `forebay nfs clients` shows which there are")
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of exactly so many hexadecimal digits.
fn bytes_of<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits =
        text.bytes().map(|digit| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok()));
    let digits = digits.collect::<Option<Vec<u8>>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    let bytes: Vec<u8> = pairs.iter().map(|[high, low]| high << 4 | low).collect();
    if rest.is_empty() { bytes.try_into().ok() } else { None }
}

fn operation(counted: &OperationStatistics) -> OperationView {
    let nanoseconds = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    OperationView {
        operation: counted.operation.map_or("ILLEGAL".to_owned(), |code| upper_snake(&format!("{code:?}"))),
        count: counted.count,
        errors: counted.failures.iter().map(|(_, count)| count).sum(),
        p50_ns: nanoseconds(counted.p50),
        p99_ns: nanoseconds(counted.p99),
        waits: counted.waits,
        waited_ns: nanoseconds(counted.waited),
        errors_by_status: counted
            .failures
            .iter()
            .map(|(status, count)| (format!("{status:?}"), *count))
            .collect(),
    }
}

/// `OpenDowngrade` as the RFC writes it, `OPEN_DOWNGRADE`.
fn upper_snake(name: &str) -> String {
    let mut written = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !written.is_empty() {
            written.push('_');
        }
        written.push(letter.to_ascii_uppercase());
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_digits_come_back_as_bytes() {
        assert_eq!(bytes_of(&hexadecimal(&[0, 0x1f, 0xff])), Some([0, 0x1f, 0xff]));
        for wrong in ["", "001ff", "001fffff", "001fgg", "001f é"] {
            assert_eq!(bytes_of::<3>(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn operations_are_named_as_in_the_rfc() {
        assert_eq!(upper_snake("OpenDowngrade"), "OPEN_DOWNGRADE");
        assert_eq!(upper_snake("Getattr"), "GETATTR");
    }
}
