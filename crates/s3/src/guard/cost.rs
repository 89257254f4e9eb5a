//! What a request costs from its beginning to the end of its response, beside what is charged as it grows.

use hyper::Method;
use hyper::http::request::Parts;

use super::length::X_AMZ_COPY_SOURCE;
use super::query::Query;
use super::target::Target;
use crate::memory::BaseCost;

/// The connection's buffers, and the state of the request.
const CONNECTION_BYTES: usize = 32 << 10;
/// A page of a listing, as records and as XML.
const LISTING_BYTES: usize = 1 << 20;
/// Bytes that a copy or the completion of an upload reads at once.
const COPY_BYTES: usize = 512 << 10;

/// The cost of a request.
pub(super) fn base(parts: &Parts, target: &Target, query: &Query) -> BaseCost {
    let is_listing = parts.method == Method::GET && *target != Target::Object;
    let copies = parts.headers.contains_key(X_AMZ_COPY_SOURCE)
        || (parts.method == Method::POST && query.has("uploadId"));
    BaseCost(match () {
        () if is_listing => LISTING_BYTES,
        () if copies => COPY_BYTES,
        () => CONNECTION_BYTES,
    })
}
