//! Spans of traced COMPOUNDs: one for the COMPOUND, and below it one for each operation except SEQUENCE.
//!
//! A COMPOUND is selected by a hash of its xid and the connection's number. COMPOUNDs that are not selected
//! create no spans.

use tracing::Span;
use tracing::field::Empty;

use crate::connection::Connection;
use crate::session::Session;
use crate::shared::Shared;
use crate::statistics::operation_name;
use forebay_net::traces::is_in_sample;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::OpCode;
use forebay_pool::TRACES;

/// The span of a COMPOUND; a disabled one if it is not traced.
pub(crate) fn of_compound(server: &Shared, connection: &Connection, xid: u32) -> Span {
    if !is_in_sample(server.config.trace_one_in, connection.id, xid.into()) {
        return Span::none();
    }
    tracing::info_span!(
        target: TRACES,
        parent: None,
        "COMPOUND",
        otel.kind = "server",
        rpc.system = "onc_rpc",
        network.peer.address = %connection.peer.ip(),
        network.peer.port = connection.peer.port(),
        nfs.xid = xid,
        nfs.session = Empty,
    )
}

/// Records the session in the span of the COMPOUND, which is the current one.
pub(crate) fn record_session(session: &Session) {
    Span::current().record("nfs.session", tracing::field::debug(session.id));
}

/// The span of an operation, below the current span of its COMPOUND.
pub(crate) fn of_operation(code: u32) -> Span {
    tracing::info_span!(
        target: TRACES,
        "operation",
        otel.name = operation_name(OpCode::try_from(code).ok()),
        otel.status_code = Empty,
        nfs.status = Empty,
    )
}

/// Records the result in an operation's span.
pub(crate) fn record_status(span: &Span, status: Status) {
    span.record("nfs.status", tracing::field::debug(status));
    if matches!(status, Status::Io | Status::ServerFault) {
        span.record("otel.status_code", "error");
    }
}
