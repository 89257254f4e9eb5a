//! The web console: static files that the build embeds in the binary (`build.rs`), and how they are served.
//!
//! The files contain nothing of the pool, so they need no token. The console gets its data from the API with
//! the token of the signed-in user. What must hold: a browser runs only these files
//! (`Content-Security-Policy`), and never an old version after an upgrade. Only names with a hash of their
//! content are cached without revalidation.

mod answer;
mod files;

use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;

use answer::{html, static_file};
use files::{File, SERVED};

/// The page of a binary that was built without the console.
const WITHOUT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Forebay</title><h1>Forebay</h1>\
<p>This binary was built without the web console. To build one with it, run <code>make build</code> with Node.js 20 or newer \
installed.</p><p>The API is at <a href=\"/api/v1/openapi.json\">/api/v1</a>, and the command line is \
<code>forebay --help</code>.</p>";

/// The response to a path outside the API.
pub fn respond(method: &Method, path: &str, headers: &HeaderMap) -> Response {
    respond_with(&SERVED, method, path, headers)
}

fn respond_with(files: &[File], method: &Method, path: &str, headers: &HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return html(StatusCode::METHOD_NOT_ALLOWED, "The console supports only GET and HEAD.");
    }
    let name = path.trim_start_matches('/');
    let find = |name: &str| files.iter().find(|file| file.embedded.name == name);
    match find(name) {
        Some(file) => static_file(file, headers),
        None if looks_like_a_file(name) => html(StatusCode::NOT_FOUND, "File not found."),
        // The path of a page; the console's router handles it.
        None => find("index.html")
            .map_or_else(|| html(StatusCode::OK, WITHOUT), |index| static_file(index, headers)),
    }
}

/// Page paths may contain dots in volume names, but none that end like a file.
fn looks_like_a_file(name: &str) -> bool {
    const ENDINGS: [&str; 10] =
        [".js", ".css", ".html", ".svg", ".png", ".ico", ".map", ".json", ".txt", ".php"];
    name.starts_with("assets/")
        || (!name.contains('/') && ENDINGS.iter().any(|ending| name.ends_with(ending)))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use axum::http::header;

    use super::files::{Embedded, served};
    use super::*;

    static TABLE: &[Embedded] = &[
        Embedded { name: "assets/index-AbC123_x.js", plain: b"plain", gzip: Some(b"gz") },
        Embedded { name: "index.html", plain: b"<p>", gzip: None },
    ];

    fn ask(path: &str, header: Option<(header::HeaderName, &str)>) -> Response {
        let mut headers = HeaderMap::new();
        if let Some((name, value)) = header {
            headers.insert(name, HeaderValue::from_str(value).unwrap());
        }
        respond_with(&served(TABLE), &Method::GET, path, &headers)
    }

    fn header_of(response: &Response, name: header::HeaderName) -> &str {
        response.headers().get(name).map_or("", |value| value.to_str().unwrap())
    }

    #[test]
    fn pages_are_the_index_and_missing_files_are_not() {
        for page in ["/", "/volumes/a.b", "/volumes", "/index.html"] {
            let response = ask(page, None);
            assert_eq!(response.status(), StatusCode::OK, "{page}");
            assert_eq!(header_of(&response, header::CACHE_CONTROL), "no-cache", "{page}");
            assert!(header_of(&response, header::CONTENT_SECURITY_POLICY).starts_with("default-src 'self'"));
        }
        for missing in ["/assets/gone.js", "/favicon.ico", "/wp-login.php"] {
            assert_eq!(ask(missing, None).status(), StatusCode::NOT_FOUND, "{missing}");
        }
        let posted = respond_with(&served(TABLE), &Method::POST, "/", &HeaderMap::new());
        assert_eq!(posted.status(), StatusCode::METHOD_NOT_ALLOWED);
    }

    #[test]
    fn hashed_names_are_kept_for_good_and_compressed_for_who_can_read_it() {
        let path = "/assets/index-AbC123_x.js";
        let plain = ask(path, None);
        assert_eq!(header_of(&plain, header::CONTENT_ENCODING), "");
        assert!(header_of(&plain, header::CACHE_CONTROL).contains("immutable"));
        let gzip = ask(path, Some((header::ACCEPT_ENCODING, "br, gzip;q=1.0")));
        assert_eq!(header_of(&gzip, header::CONTENT_ENCODING), "gzip");
        assert_eq!(header_of(&gzip, header::VARY), "accept-encoding");
        let refused = ask(path, Some((header::ACCEPT_ENCODING, "gzip;q=0")));
        assert_eq!(header_of(&refused, header::CONTENT_ENCODING), "");
    }

    #[test]
    fn what_the_browser_has_is_not_sent_again() {
        let etag = header_of(&ask("/", None), header::ETAG).to_owned();
        let again = ask("/", Some((header::IF_NONE_MATCH, &format!("\"other\", W/{etag}"))));
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(ask("/", Some((header::IF_NONE_MATCH, "\"other\""))).status(), StatusCode::OK);
    }

    #[test]
    fn without_the_console_the_page_says_how_to_get_it() {
        let response = respond_with(&[], &Method::GET, "/", &HeaderMap::new());
        assert_eq!(response.status(), StatusCode::OK);
    }
}
