//! Paths that more than one module needs.

/// The path below which the API is served.
pub const BASE: &str = "/api/v1";

/// The path below which pages opened with a ticket are served: outside [`BASE`], since they are not part of the API.
pub const LAB_PAGES: &str = "/lab-pages";

/// The part of a path that may be logged: tickets must not be in the log.
pub fn loggable(path: &str) -> &str {
    if path.starts_with(LAB_PAGES) { LAB_PAGES } else { path }
}
