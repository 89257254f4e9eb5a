//! Responses with a file: content type, caching, and security policy.

use axum::body::Body;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

use super::files::File;

/// The console runs only its own scripts and styles, talks only to its own server, and cannot be framed.
const POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/// Headers of every file.
const GUARDS: [(HeaderName, &str); 4] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
];

/// A page that is not part of the console.
pub fn html(status: StatusCode, text: &'static str) -> Response {
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (status, GUARDS, kind, text).into_response()
}

/// Responds with a file of the console; only with its headers if the browser has a current copy.
pub fn static_file(file: &File, headers: &HeaderMap) -> Response {
    let embedded = file.embedded;
    let mut response = (GUARDS, Body::empty()).into_response();
    let answered = response.headers_mut();
    answered.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching(embedded.name)));
    if let Ok(etag) = HeaderValue::from_str(&file.etag) {
        answered.insert(header::ETAG, etag);
    }
    if embedded.gzip.is_some() {
        answered.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    if has(headers, &file.etag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    answered.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(embedded.name)));
    let bytes = match embedded.gzip.filter(|_| takes_gzip(headers)) {
        Some(gzip) => {
            answered.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            gzip
        }
        None => embedded.plain,
    };
    *response.body_mut() = Body::from(bytes);
    response
}

/// Names below `assets` contain a hash of the content, so a file of that name never changes.
fn caching(name: &str) -> &'static str {
    if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" }
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" | "webmanifest" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Whether the browser's copy is current (RFC 9110, section 13.1.2: weak comparison).
fn has(headers: &HeaderMap, etag: &str) -> bool {
    let known = headers.get_all(header::IF_NONE_MATCH).into_iter().filter_map(|value| value.to_str().ok());
    known.flat_map(|value| value.split(',')).any(|one| one.trim().trim_start_matches("W/") == etag)
}

/// Whether the browser accepts gzip (RFC 9110, section 12.5.3); a quality of 0 means that it does not.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let offered =
        headers.get_all(header::ACCEPT_ENCODING).into_iter().filter_map(|value| value.to_str().ok());
    offered.flat_map(|value| value.split(',')).any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let quality = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok());
        is_gzip && quality.unwrap_or(1.0) > 0.0
    })
}
