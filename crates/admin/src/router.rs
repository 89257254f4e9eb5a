//! Leads each request to its handler, with an id and a span around it ([`crate::access`]).

use std::sync::Arc;

use axum::http::{HeaderMap, Method, Uri};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use forebay_net::http::{Limits, Peer};
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::access;
use crate::api::Api;
pub use crate::base::paths::BASE;
use crate::base::paths::LAB_PAGES;
use crate::caller::identify;
use crate::console;
use crate::error::{ApiError, Code};
use crate::handlers::{
    accounts, alerts, backups, bucket_contents, bucket_documents, buckets, capacity, cluster, events,
    exports, health, jobs, kafka, lab, metrics, nfs, node, pool, recovery, s3_groups, s3_users, settings,
    snapshots, volumes,
};
use crate::openapi::{self, Document};

/// The limits of the API's listeners.
pub const LIMITS: Limits = Limits { name: "api", connections_max: 128, connections_per_address_max: 48 };

/// The limits of the listener for metrics and health.
pub const MONITORING_LIMITS: Limits =
    Limits { name: "metrics", connections_max: 64, connections_per_address_max: 16 };

/// What answers requests. Each of them must have a [`forebay_net::http::Peer`] among its extensions.
pub fn router(api: Arc<Api>) -> Router {
    let (routes, document) = described();
    let document = Document::new(&openapi::complete(document));
    routes
        .route("/metrics", get(metrics::exposition))
        .route(&format!("{}/{{ticket}}/{{*place}}", LAB_PAGES), get(lab::page_show))
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .layer(Extension(document))
        .layer(middleware::from_fn_with_state(api.clone(), identify))
        .layer(middleware::from_fn(access::follow))
        .with_state(api)
}

/// The router for metrics and health alone, on a listener of their own, without tokens.
pub fn monitoring(api: Arc<Api>) -> Router {
    Router::new()
        .route("/metrics", get(metrics::exposition_to_everyone))
        .route("/health", get(health::health_show))
        .route("/livez", get(health::live))
        .fallback(no_monitoring)
        .method_not_allowed_fallback(no_method)
        .layer(middleware::from_fn(access::follow))
        .with_state(api)
}

/// The whole OpenAPI document, as it is served and as it is in the reference.
pub fn document() -> OpenApi {
    openapi::complete(described().1)
}

/// All routes, and what their annotations say of them.
fn described() -> (Router<Arc<Api>>, OpenApi) {
    let routes = OpenApiRouter::new()
        .routes(routes!(health::health_show))
        .routes(routes!(health::openapi_show))
        .routes(routes!(health::status_show))
        .routes(routes!(alerts::alert_list))
        .routes(routes!(alerts::alert_acknowledge, alerts::alert_unacknowledge))
        .routes(routes!(alerts::silence_list, alerts::silence_create))
        .routes(routes!(alerts::silence_delete))
        .routes(routes!(alerts::target_list))
        .routes(routes!(alerts::target_test))
        .routes(routes!(pool::pool_show))
        .routes(routes!(pool::pool_check))
        .routes(routes!(pool::pool_finalize))
        .routes(routes!(pool::pool_speed))
        .routes(routes!(pool::scrub_show, pool::scrub_start, pool::scrub_stop))
        .routes(routes!(backups::backups_show, backups::backup_create))
        .routes(routes!(pool::pool_efficiency))
        .routes(routes!(capacity::capacity_show))
        .routes(routes!(node::node_show))
        .routes(routes!(node::node_release))
        .routes(routes!(cluster::cluster_show))
        .routes(routes!(cluster::cluster_move))
        .routes(routes!(cluster::cluster_release))
        .routes(routes!(pool::lost_found_list))
        .routes(routes!(pool::lost_found_delete))
        .routes(routes!(volumes::volume_list, volumes::volume_create))
        .routes(routes!(
            volumes::volume_show,
            volumes::volume_put,
            volumes::volume_change,
            volumes::volume_delete
        ))
        .routes(routes!(volumes::volume_clone))
        .routes(routes!(recovery::volume_clients))
        .routes(routes!(recovery::deleted_volume_list))
        .routes(routes!(recovery::deleted_volume_show, recovery::deleted_volume_purge))
        .routes(routes!(recovery::deleted_volume_recover))
        .routes(routes!(snapshots::snapshot_list_all, snapshots::snapshot_create_all))
        .routes(routes!(snapshots::snapshot_list, snapshots::snapshot_create))
        .routes(routes!(
            snapshots::snapshot_show,
            snapshots::snapshot_put,
            snapshots::snapshot_change,
            snapshots::snapshot_delete
        ))
        .routes(routes!(snapshots::snapshot_space_show))
        .routes(routes!(snapshots::snapshot_rollback))
        .routes(routes!(snapshots::snapshot_clone))
        .routes(routes!(exports::policy_list, exports::policy_create))
        .routes(routes!(
            exports::policy_show,
            exports::policy_put,
            exports::policy_change,
            exports::policy_delete
        ))
        .routes(routes!(exports::volume_access))
        .routes(routes!(exports::rule_add))
        .routes(routes!(exports::rule_change, exports::rule_remove))
        .routes(routes!(nfs::nfs_show))
        .routes(routes!(nfs::client_list))
        .routes(routes!(nfs::client_show, nfs::client_revoke))
        .routes(routes!(nfs::session_list))
        .routes(routes!(nfs::open_list))
        .routes(routes!(nfs::open_revoke))
        .routes(routes!(nfs::lock_list))
        .routes(routes!(nfs::operation_list))
        .routes(routes!(accounts::whoami))
        .routes(routes!(accounts::user_list))
        .routes(routes!(accounts::user_show, accounts::user_set, accounts::user_delete))
        .routes(routes!(accounts::token_list, accounts::token_create))
        .routes(routes!(accounts::token_show, accounts::token_delete))
        .routes(routes!(buckets::bucket_list, buckets::bucket_create))
        .routes(routes!(buckets::bucket_show, buckets::bucket_change, buckets::bucket_delete))
        .routes(routes!(buckets::bucket_efficiency))
        .routes(routes!(
            bucket_documents::bucket_policy_show,
            bucket_documents::bucket_policy_put,
            bucket_documents::bucket_policy_delete
        ))
        .routes(routes!(
            bucket_documents::bucket_lifecycle_show,
            bucket_documents::bucket_lifecycle_put,
            bucket_documents::bucket_lifecycle_delete
        ))
        .routes(routes!(
            bucket_documents::bucket_cors_show,
            bucket_documents::bucket_cors_put,
            bucket_documents::bucket_cors_delete
        ))
        .routes(routes!(bucket_contents::object_list, bucket_contents::object_create))
        .routes(routes!(bucket_contents::version_list))
        .routes(routes!(s3_users::s3_user_list, s3_users::s3_user_create))
        .routes(routes!(s3_users::s3_user_show, s3_users::s3_user_change, s3_users::s3_user_delete))
        .routes(routes!(s3_users::s3_key_list, s3_users::s3_key_create))
        .routes(routes!(s3_users::s3_key_show, s3_users::s3_key_change, s3_users::s3_key_delete))
        .routes(routes!(s3_groups::s3_group_list, s3_groups::s3_group_create))
        .routes(routes!(s3_groups::s3_group_show, s3_groups::s3_group_delete))
        .routes(routes!(s3_groups::s3_member_add, s3_groups::s3_member_remove))
        .routes(routes!(s3_groups::s3_policy_show, s3_groups::s3_policy_put, s3_groups::s3_policy_delete))
        .routes(routes!(settings::config_show))
        .routes(routes!(kafka::kafka_cluster_list))
        .routes(routes!(kafka::kafka_broker_list))
        .routes(routes!(kafka::history::kafka_cluster_history))
        .routes(routes!(kafka::topics::kafka_topic_list))
        .routes(routes!(kafka::topics::kafka_topic_show))
        .routes(routes!(kafka::history::kafka_topic_history))
        .routes(routes!(kafka::topics::kafka_sharing_show))
        .routes(routes!(kafka::snapshot::kafka_snapshot_show))
        .routes(routes!(kafka::snapshot::kafka_snapshot_topic_show))
        .routes(routes!(kafka::kafka_cost_show))
        .routes(routes!(kafka::kafka_what_if))
        .routes(routes!(kafka::kafka_cleanup_show))
        .routes(routes!(jobs::job_list))
        .routes(routes!(jobs::job_show, jobs::job_cancel))
        .routes(routes!(events::event_list))
        .routes(routes!(lab::report_list))
        .routes(routes!(lab::report_show))
        .routes(routes!(lab::report_page, lab::report_open))
        .routes(routes!(metrics::history_show));
    OpenApiRouter::new().nest(BASE, routes).split_for_parts()
}

/// Answers paths outside the API: over TCP with the console's files.
async fn no_route(peer: Option<Extension<Peer>>, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let is_below = |place: &str| {
        uri.path().strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_api = is_below("/api") || is_below(LAB_PAGES);
    if !is_api && matches!(peer, Some(Extension(Peer::Tcp(_)))) {
        return console::respond(&method, uri.path(), &headers);
    }
    let error = ApiError::new(Code::RouteNotFound, format!("path {}", uri.path()), "no such endpoint");
    error.with_remedy(format!("{BASE}/openapi.json lists all endpoints")).into_response()
}

async fn no_monitoring(uri: Uri) -> Response {
    let error = ApiError::new(Code::RouteNotFound, format!("path {}", uri.path()), "no such endpoint");
    error
        .with_remedy("this listener serves /metrics, /health and /livez; the API is at api.listen")
        .into_response()
}

async fn no_method(method: Method, uri: Uri) -> Response {
    let cause = format!("does not support {method}");
    let error = ApiError::new(Code::MethodNotAllowed, format!("path {}", uri.path()), cause);
    error.with_remedy("the header Allow lists the supported methods").into_response()
}

#[cfg(test)]
mod kafka_tests;
#[cfg(test)]
mod s3_tests;
