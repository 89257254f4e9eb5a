//! Maps operations to the functions that run them.

use std::time::{Duration, Instant};

use crate::compound::Context;
use crate::gate;
use crate::ops::*;
use crate::statistics;
use crate::tree::FileHandle;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{OpCode, OpenClaim, Operation, OperationResult, StateId, errors};

/// A request of more bytes is not held while it waits for the end of a grace period.
const HELD_BYTES_MAX: usize = 16 << 10;

/// An operation that takes longer is logged at debug level.
const SLOW: Duration = Duration::from_secs(1);

macro_rules! table {
    ($($code:ident => $function:path;)*) => {
        async fn run_unchecked(context: &mut Context<'_>, operation: Operation) -> OperationResult {
            match operation {
                $(Operation::$code(args) => OperationResult::$code($function(context, args).await),)*
                Operation::Sequence(_) => OperationResult::Sequence(Err(Status::SequencePos)),
                Operation::Other(code, _) => OperationResult::Other(code, Status::NotSupp),
            }
        }
    };
}

/// Runs one operation, if the export policies allow it.
pub async fn check_and_run(context: &mut Context<'_>, operation: Operation) -> OperationResult {
    let (begin, code) = (Instant::now(), operation.code());
    // For other operations NoSpc does not mean disk space.
    let changes_files = !matches!(operation, Operation::CreateSession(_));
    let result = match gate::check(context, &operation).await {
        Ok(()) => {
            wait_for_grace(context, &operation).await;
            run_unchecked(context, operation).await
        }
        Err(status) => {
            context.server.statistics.events.refused(status);
            OperationResult::failed(code, status)
        }
    };
    let result = match result.status() {
        // Silent clients may have deleted files open that take the space.
        Status::NoSpc if changes_files && context.server.state.yield_space().await => {
            OperationResult::failed(code, Status::Delay)
        }
        // For the few operations that have no such error in the RFC; the pool has failed.
        Status::Io if !errors::is_valid_for(code, Status::Io) => {
            OperationResult::failed(code, Status::ServerFault)
        }
        _ => result,
    };
    count(context, code, &result, begin.elapsed());
    result
}

/// Holds an operation that has to wait for the end of the volume's grace period. A large one is not held, because its memory may be needed for the
/// reclaims that the grace period waits for.
async fn wait_for_grace(context: &Context<'_>, operation: &Operation) {
    let is_special =
        |stateid| matches!(context.stateid(stateid), Ok(StateId::ANONYMOUS | StateId::READ_BYPASS));
    let needs_end = match operation {
        Operation::Open(args) => !matches!(args.claim, OpenClaim::Previous(_)),
        Operation::Lock(args) => !args.reclaim,
        Operation::Lockt(_) => true,
        Operation::Read(args) => is_special(args.stateid),
        Operation::Write(args) => is_special(args.stateid),
        Operation::Setattr(args) => is_special(args.stateid),
        _ => false,
    };
    if needs_end
        && context.memory.bytes() <= HELD_BYTES_MAX
        // All mounts of a client share its session, and its other requests need slots.
        && context.session.as_ref().is_some_and(|session| session.slots_in_work() <= session.highest_slotid() as usize / 2)
        && let (Some(client), Some(FileHandle::Inode(handle))) = (&context.client, context.current)
        && context.server.state.wait_for_grace(client, handle.volume).await
    {
        context.server.statistics.events.held.one();
    }
}

fn count(context: &Context<'_>, code: u32, result: &OperationResult, took: Duration) {
    let statistics = &context.server.statistics;
    let status = result.status();
    statistics.count(code, took, status);
    if status != Status::Ok || took >= SLOW {
        report(context, code, status, took);
    }
    let volume = match context.current {
        Some(FileHandle::Inode(handle)) => Some(handle.volume),
        _ => None,
    };
    if status != Status::Ok {
        statistics.failures.note(volume, context.connection.peer.ip(), code, status);
    }
    if let Some(volume) = volume
        && let Some((direction, bytes)) = statistics.traffic.count(&context.server.pool, volume, result, took)
        && let Some(client) = &context.client
    {
        client.note_moved(direction, bytes, took);
    }
    if let Some(client) = &context.client {
        match OpCode::try_from(code) {
            Ok(OpCode::Sequence | OpCode::Putfh) => {}
            Ok(OpCode::Commit) => {
                client.note_operation();
                client.note_commit(took);
            }
            _ => client.note_operation(),
        }
    }
}

/// Logs an operation that failed or was slow. Most failures are normal responses, for example that a name
/// does not exist.
fn report(context: &Context<'_>, code: u32, status: Status, took: Duration) {
    tracing::debug!(
        operation = %statistics::operation_name(OpCode::try_from(code).ok()),
        ?status,
        duration_ms = took.as_micros() as f64 / 1e3,
        peer = %context.connection.peer,
        session = context.session.as_ref().map(|session| tracing::field::debug(session.id)),
        "NFS operation"
    );
}

table! {
    Access => access::access;
    Close => close::close;
    Commit => commit::commit;
    Create => create::create;
    Delegpurge => delegpurge::delegpurge;
    Delegreturn => delegreturn::delegreturn;
    Getattr => getattr::getattr;
    Getfh => getfh::getfh;
    Link => link::link;
    Lock => lock::lock;
    Lockt => lockt::lockt;
    Locku => locku::locku;
    Lookup => lookup::lookup;
    Lookupp => lookupp::lookupp;
    Nverify => nverify::nverify;
    Open => open::open;
    OpenDowngrade => open_downgrade::open_downgrade;
    Putfh => putfh::putfh;
    Putpubfh => putpubfh::putpubfh;
    Putrootfh => putrootfh::putrootfh;
    Read => read::read;
    Readdir => readdir::readdir;
    Readlink => readlink::readlink;
    Remove => remove::remove;
    Rename => rename::rename;
    Restorefh => restorefh::restorefh;
    Savefh => savefh::savefh;
    Secinfo => secinfo::secinfo;
    Setattr => setattr::setattr;
    Verify => verify::verify;
    Write => write::write;
    BackchannelCtl => backchannel_ctl::backchannel_ctl;
    BindConnToSession => bind_conn_to_session::bind_conn_to_session;
    ExchangeId => exchange_id::exchange_id;
    CreateSession => create_session::create_session;
    DestroySession => destroy_session::destroy_session;
    FreeStateid => free_stateid::free_stateid;
    GetDirDelegation => get_dir_delegation::get_dir_delegation;
    SecinfoNoName => secinfo_no_name::secinfo_no_name;
    TestStateid => test_stateid::test_stateid;
    DestroyClientid => destroy_clientid::destroy_clientid;
    ReclaimComplete => reclaim_complete::reclaim_complete;
    Allocate => allocate::allocate;
    Clone => clone::clone;
    Copy => copy::copy;
    Deallocate => deallocate::deallocate;
    IoAdvise => io_advise::io_advise;
    ReadPlus => read_plus::read_plus;
    Seek => seek::seek;
    Getxattr => getxattr::getxattr;
    Listxattrs => listxattrs::listxattrs;
    Removexattr => removexattr::removexattr;
    Setxattr => setxattr::setxattr;
}
