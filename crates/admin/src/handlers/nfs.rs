//! `nfs`: clients and their state.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use forebay_nfs::Connection;
use forebay_nfs::Shared as Nfs;
use forebay_nfs::inspect::Paths;
use forebay_nfs::state::{OpenedAs, Share};
use forebay_nfs::statistics::OperationStatistics;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ClientId, StateId};
use forebay_pool::Handle;
use forebay_service::events::Kind;
use serde::Deserialize;
use utoipa::IntoParams;

use super::common::Shared;
use crate::api::Api;
use crate::base::problem::Problem;
use crate::error::{ApiError, Code, ErrorBody, Result};
use crate::health::ClientNow;
use crate::request::{Operate, Params, Read};
use crate::views::{
    ClientNowView, ClientView, FileView, List, LockView, NfsView, OpenView, OperationView, SessionView,
    TlsState,
};

/// The default and the maximum number of opens or lock owners in a response.
const LIMIT: u32 = 10_000;
const LIMIT_MAX: u32 = 100_000;

/// A client in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ClientPath {
    /// The client's id.
    #[param(pattern = "^[0-9a-f]{16}$")]
    pub client: String,
}

/// An open, or the locks of an owner on a file, in a path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct StateidPath {
    /// The stateid.
    #[param(pattern = "^[0-9a-f]{24}$")]
    pub stateid: String,
}

/// Selects the entries to return.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Excerpt {
    /// Return only entries of this client.
    #[param(pattern = "^[0-9a-f]{16}$", nullable = false)]
    pub client: Option<String>,
    /// Maximum number of entries, oldest first; default 10000.
    #[param(minimum = 1, maximum = 100000, nullable = false)]
    pub limit: Option<u32>,
}

impl Excerpt {
    /// The client, if one is named and exists, and the limit.
    fn read(&self, nfs: &Nfs) -> Result<(Option<ClientId>, usize)> {
        let limit = self.limit.unwrap_or(LIMIT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            return Err(Problem::new("limit", format!("must be from 1 to {LIMIT_MAX}")).into());
        }
        let client = self.client.as_deref().map(|client| known_client(nfs, client)).transpose()?;
        Ok((client, usize::try_from(limit).unwrap_or(usize::MAX)))
    }
}

/// Get the address of the NFS server and its mount options
#[utoipa::path(get, path = "/nfs", tag = "nfs", responses((status = 200, description = "The address and the mount options", body = NfsView)))]
pub async fn nfs_show(State(api): Shared, _: Read) -> Result<Json<NfsView>> {
    Ok(Json(api.nfs_view.clone()))
}

/// List all clients
#[utoipa::path(get, path = "/nfs/clients", tag = "nfs", responses((status = 200, description = "All clients", body = List<ClientView>)))]
pub async fn client_list(State(api): Shared, _: Read) -> Result<Json<List<ClientView>>> {
    Ok(Json(List::all(clients(&api, api.nfs()?))))
}

/// Get a client
#[utoipa::path(get, path = "/nfs/clients/{client}", tag = "nfs", params(ClientPath), responses((status = 200, description = "The client", body = ClientView)))]
pub async fn client_show(
    State(api): Shared,
    _: Read,
    Params(path): Params<ClientPath>,
) -> Result<Json<ClientView>> {
    let name = client_name(known_client(api.nfs()?, &path.client)?);
    let found = clients(&api, api.nfs()?).into_iter().find(|client| client.client == name);
    found.map(Json).ok_or_else(|| unknown_client(&path.client))
}

/// Revoke all state of a client
///
/// A client that is still running registers again. To keep it out, change the export policy first.
#[utoipa::path(delete, path = "/nfs/clients/{client}", tag = "nfs", params(ClientPath), responses((status = 204, description = "The state was revoked")))]
pub async fn client_revoke(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<ClientPath>,
) -> Result<StatusCode> {
    evict(api.nfs()?, &path.client).await?;
    let message = "all opens, locks and sessions revoked";
    api.service.events.note(
        Kind::ClientRevoked,
        format!("client {}", path.client),
        message,
        asked.caller.who(),
    );
    Ok(StatusCode::NO_CONTENT)
}

/// List all sessions
#[utoipa::path(get, path = "/nfs/sessions", tag = "nfs", responses((status = 200, description = "All sessions", body = List<SessionView>)))]
pub async fn session_list(State(api): Shared, _: Read) -> Result<Json<List<SessionView>>> {
    Ok(Json(List::all(sessions(api.nfs()?))))
}

/// List open files
#[utoipa::path(
    get, path = "/nfs/opens", tag = "nfs", params(Excerpt),
    responses((status = 200, description = "The open files, oldest first", body = List<OpenView>), (status = 404, description = "The client does not exist", body = ErrorBody)),
)]
pub async fn open_list(State(api): Shared, asked: Read<Excerpt>) -> Result<Json<List<OpenView>>> {
    let nfs = api.nfs()?;
    let (client, limit) = asked.query.read(nfs)?;
    let excerpt = nfs.state.opens(client, limit);
    let mut paths = Paths::new(nfs.pool.clone());
    let mut items = Vec::with_capacity(excerpt.items.len());
    for open in excerpt.items {
        items.push(OpenView {
            stateid: hexadecimal(&open.stateid.other),
            client: client_name(open.client),
            file: file(nfs, &mut paths, open.file, open.opened_as).await,
            access: letters(open.share.reads(), open.share.writes()),
            deny: denied(open.share),
        });
    }
    Ok(Json(List { items, total: excerpt.total as u64 }))
}

/// Revoke an open with its locks, or one owner's locks on one file
#[utoipa::path(delete, path = "/nfs/opens/{stateid}", tag = "nfs", params(StateidPath), responses((status = 204, description = "The open or the locks were revoked")))]
pub async fn open_revoke(
    State(api): Shared,
    asked: Operate,
    Params(path): Params<StateidPath>,
) -> Result<StatusCode> {
    revoke(api.nfs()?, &path.stateid).await?;
    let message = "open or locks revoked";
    api.service.events.note(
        Kind::OpenRevoked,
        format!("stateid {}", path.stateid),
        message,
        asked.caller.who(),
    );
    Ok(StatusCode::NO_CONTENT)
}

/// List byte-range locks
///
/// `limit` and `total` count lock owners; each owner may have several ranges.
#[utoipa::path(
    get, path = "/nfs/locks", tag = "nfs", params(Excerpt),
    responses((status = 200, description = "The locks, oldest first", body = List<LockView>), (status = 404, description = "The client does not exist", body = ErrorBody)),
)]
pub async fn lock_list(State(api): Shared, asked: Read<Excerpt>) -> Result<Json<List<LockView>>> {
    let nfs = api.nfs()?;
    let (client, limit) = asked.query.read(nfs)?;
    let excerpt = nfs.state.locks(client, limit);
    let mut paths = Paths::new(nfs.pool.clone());
    let mut items = Vec::new();
    for owner in excerpt.items {
        for held in owner.held {
            items.push(LockView {
                stateid: hexadecimal(&owner.stateid.other),
                client: client_name(owner.client),
                file: file(nfs, &mut paths, owner.file, owner.opened_as.clone()).await,
                offset: held.range.offset(),
                length: Some(held.range.length()).filter(|length| *length != u64::MAX),
                kind: held.kind.into(),
            });
        }
    }
    Ok(Json(List { items, total: excerpt.total as u64 }))
}

/// Get counters, errors and latency of each operation
#[utoipa::path(get, path = "/nfs/operations", tag = "nfs", responses((status = 200, description = "All operations", body = List<OperationView>)))]
pub async fn operation_list(State(api): Shared, _: Read) -> Result<Json<List<OperationView>>> {
    Ok(Json(List::all(api.nfs()?.statistics.snapshot().iter().map(operation).collect())))
}

fn clients(api: &Api, nfs: &Nfs) -> Vec<ClientView> {
    let report = api.health.report();
    let known = nfs.state.clients().into_iter();
    let traffic = nfs.state.traffic(usize::MAX).into_iter();
    let written: HashMap<_, _> = traffic.map(|client| (client.id, client.activity.writes.bytes)).collect();
    let mut protections = protections(nfs);
    known
        .map(|client| (protections.remove(&client.id).unwrap_or_default(), client))
        .map(|(protection, client)| ClientView {
            client: client_name(client.id),
            owner: client.owner.escape_ascii().to_string(),
            address: Some(client.address.to_string()),
            state: client.condition.into(),
            silent_ms: u64::try_from(client.silence.as_millis()).unwrap_or(u64::MAX),
            sessions: nfs.sessions.count_of_client(client.id) as u64,
            opens: client.opens as u64,
            locks: client.locks as u64,
            memory_bytes: client.memory_bytes,
            tls: protection.words(),
            certificates: protection.certificates.into_iter().collect(),
            bytes_written: written.get(&client.id).copied().unwrap_or_default(),
            now: now_view(&report.clients_now.get(&client.id).copied().unwrap_or_default()),
        })
        .collect()
}

fn now_view(now: &ClientNow) -> ClientNowView {
    let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
    ClientNowView {
        read_rate: now.read,
        write_rate: now.written,
        operation_rate: now.operations,
        read_mean_seconds: seconds(now.read_mean),
        write_mean_seconds: seconds(now.write_mean),
        commit_p99_seconds: seconds(now.commit_p99),
    }
}

/// TLS on a client's connections.
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

    fn words(&self) -> TlsState {
        match (self.secured, self.plain, self.certificates.is_empty()) {
            (false, ..) => TlsState::Off,
            (true, true, _) => TlsState::Partly,
            (true, false, true) => TlsState::On,
            (true, false, false) => TlsState::Mutual,
        }
    }
}

fn protections(nfs: &Nfs) -> HashMap<ClientId, Protections> {
    let mut found: HashMap<ClientId, Protections> = HashMap::new();
    for session in nfs.sessions.all() {
        let of_client = found.entry(session.client.id()).or_default();
        session.connections().iter().for_each(|connection| of_client.note(connection));
    }
    found
}

fn sessions(nfs: &Nfs) -> Vec<SessionView> {
    let all = nfs.sessions.all().into_iter();
    all.map(|session| SessionView {
        session: hexadecimal(&session.id.0),
        client: client_name(session.client.id()),
        slots: session.fore.maxrequests,
        slots_in_work: session.slots_in_work() as u64,
        request_bytes_max: session.fore.maxrequestsize,
        back_channel: session.back_channel().into(),
        connections: session.connections().iter().map(|connection| connection.peer.to_string()).collect(),
    })
    .collect()
}

async fn file(nfs: &Nfs, paths: &mut Paths, file: Handle, opened_as: Option<OpenedAs>) -> FileView {
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

async fn evict(nfs: &Nfs, client: &str) -> Result<()> {
    let id = known_client(nfs, client)?;
    match nfs.state.evict(id).await {
        Ok(()) => {
            nfs.sessions.remove_of_client(id);
            Ok(())
        }
        Err(Status::StaleClientid) => Err(unknown_client(client)),
        Err(status) => {
            let cause = format!("its state cannot be taken away ({status:?})");
            let error = ApiError::new(Code::Internal, format!("client {client}"), cause);
            Err(error.with_remedy("the log says why"))
        }
    }
}

async fn revoke(nfs: &Nfs, text: &str) -> Result<()> {
    let other = bytes_of(text).ok_or_else(|| {
        let cause = "must be the 24 hexadecimal digits that `forebay nfs opens` or `locks` shows";
        Problem::new(format!("stateid {text:?}"), cause)
    })?;
    match nfs.state.revoke(&StateId { seqid: 0, other }).await {
        Ok(()) => Ok(()),
        Err(Status::BadStateid | Status::StaleStateid) => {
            let error = ApiError::new(Code::StateidNotFound, format!("stateid {text}"), "not found");
            Err(error.with_remedy("`forebay nfs opens` and `forebay nfs locks` show all stateids"))
        }
        Err(status) => {
            let cause = format!("cannot be revoked ({status:?})");
            let error = ApiError::new(Code::Internal, format!("stateid {text}"), cause);
            Err(error.with_remedy("the log says why"))
        }
    }
}

fn client_name(id: ClientId) -> String {
    hexadecimal(&id.0.to_be_bytes())
}

fn known_client(nfs: &Nfs, text: &str) -> Result<ClientId> {
    let id = bytes_of(text).map(|bytes| ClientId(u64::from_be_bytes(bytes))).ok_or_else(|| {
        let cause = "must be the 16 hexadecimal digits that `forebay nfs clients` shows";
        Problem::new(format!("client {text:?}"), cause)
    })?;
    let known = nfs.state.clients().iter().any(|client| client.id == id);
    if known { Ok(id) } else { Err(unknown_client(text)) }
}

fn unknown_client(client: &str) -> ApiError {
    ApiError::new(Code::ClientNotFound, format!("client {client}"), "not found")
        .with_remedy("`forebay nfs clients` shows all clients")
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of exactly N hexadecimal digit pairs.
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
        operation: counted.name(),
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
}
