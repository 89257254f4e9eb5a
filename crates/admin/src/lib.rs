//! The daemon's interface for operators: REST over HTTP/1.1, on a UNIX socket and on TCP.
//!
//! [`forebay_net::http`] accepts a connection and limits it. [`router`] passes each request to its handler: `access` gives it an id
//! and a span, `caller` identifies the caller, `request` reads the query, path and body strictly, and one of `handlers` calls the
//! [`Service`](forebay_service::Service) or a protocol. It responds with one of [`views`], or with an error of one shape ([`error`]).
//! Start reading at [`router`].
//!
//! The modules are floors, the ground first. Each uses only those above it in this list:
//!
//! | floor | purpose |
//! |---|---|
//! | `base` | paths, the current request's id, problems of a request, strict JSON |
//! | [`efficiency`] | how much less is stored than files have |
//! | [`object_store`] | what a bucket costs |
//! | [`views`] | the types of request and response bodies |
//! | [`error`] | errors as the API reports them |
//! | [`traces`] | spans for OpenTelemetry |
//! | [`kafka`] | the last report about Kafka, and who holds `.lock` |
//! | [`metrics`] | metrics for Prometheus |
//! | [`health`] | the table of health rules, and the alerts that it makes |
//! | [`history`] | the metrics of the last month, and a row for each day of the last year |
//! | [`dashboards`] | Grafana dashboards, generated |
//! | [`lab`] | reports of the lab's experiments |
//! | `console` | the files of the web console |
//! | [`watch`] | reports refused NFS clients as events |
//! | `api` | [`Api`]: everything that requests work on |
//! | `caller` | who makes a request, and what that user may do |
//! | `access` | the id, the span and the log line of a request |
//! | `request` | extractors of query, path and body |
//! | [`openapi`] | completes the OpenAPI document |
//! | `handlers` | one file for each family of resources |
//! | [`router`] | all routes |
//!
//! What must hold: nothing that comes from the network is trusted, waited for without a bound, or kept without one; and
//! a flood here does not hurt NFS.

mod access;
mod api;
mod base;
mod caller;
mod console;
pub mod dashboards;
pub mod efficiency;
pub mod error;
mod handlers;
pub mod health;
pub mod history;
pub mod kafka;
pub mod lab;
pub mod metrics;
pub mod object_store;
pub mod openapi;
mod request;
pub mod router;
#[cfg(test)]
mod test_support;
pub mod traces;
pub mod views;
pub mod watch;

pub use api::{Api, Cluster, NodeControl, RELEASE};
pub use router::{LIMITS, MONITORING_LIMITS};
