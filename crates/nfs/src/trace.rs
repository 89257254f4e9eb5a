//! Spans of traced COMPOUNDs: one for the COMPOUND, and below it one for each operation except SEQUENCE.
//!
//! A COMPOUND is selected by a hash of its xid and the connection's number. So the selection needs no shared
//! state and does not depend on a pattern in a client's requests. COMPOUNDs that are not selected create no
//! spans.

use tracing::Span;
use tracing::field::Empty;

use crate::connection::Connection;
use crate::session::Session;
use crate::shared::Shared;
use crate::statistics::operation_name;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::OpCode;
use forebay_pool::TRACES;

/// The span of a COMPOUND; a disabled one if it is not traced.
pub(crate) fn of_compound(server: &Shared, connection: &Connection, xid: u32) -> Span {
    let one_in = server.config.trace_one_in;
    if one_in == 0 || !mixed(connection.id, xid).is_multiple_of(one_in) {
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

/// The finalizer of SplitMix64.
fn mixed(connection: u64, xid: u32) -> u64 {
    let mut mixed =
        connection.rotate_left(32).wrapping_add(u64::from(xid)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_as_many_are_chosen_as_are_to_be_and_not_by_rhythm() {
        for (connection, step) in [(1, 1), (2, 10), (7, 100)] {
            let chosen =
                (0..100_000_u32).filter(|number| mixed(connection, number * step).is_multiple_of(100));
            let count = chosen.count();
            assert!((800..1200).contains(&count), "{count} of 100,000, in steps of {step}");
        }
    }
}
