//! Which requests a CORS setting allows, and the headers of its answers.

use super::*;

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn cors() -> Cors {
    let app = Rule {
        id: None,
        allowed_origins: texts(&["https://*.example.com", "https://exact.org"]),
        allowed_methods: texts(&["GET", "PUT"]),
        allowed_headers: texts(&["X-Amz-*", "Content-Type"]),
        expose_headers: texts(&["ETag", "x-amz-version-id"]),
        max_age_seconds: Some(600),
    };
    let public = Rule { allowed_origins: texts(&["*"]), allowed_methods: texts(&["GET"]), ..Rule::default() };
    Cors { rules: vec![app, public] }
}

fn request(origin: &str, method: &str, headers: &str) -> HeaderMap {
    let mut request = HeaderMap::new();
    for (name, value) in [
        ("origin", origin),
        ("access-control-request-method", method),
        ("access-control-request-headers", headers),
    ] {
        if !value.is_empty() {
            request.insert(name, value.parse().unwrap());
        }
    }
    request
}

fn refusal(origin: &str, method: &str, headers: &str) -> (String, u16) {
    let error = cors().preflight(&request(origin, method, headers)).unwrap_err();
    (error.code().as_str().to_owned(), error.status_code().unwrap().as_u16())
}

#[test]
fn the_first_rule_that_allows_all_of_a_preflight_answers_it() {
    let answer =
        cors().preflight(&request("https://a.example.com", "PUT", "x-amz-date, CONTENT-TYPE")).unwrap();
    for (name, value) in [
        ("access-control-allow-origin", "https://a.example.com"),
        ("access-control-allow-credentials", "true"),
        ("access-control-allow-methods", "GET, PUT"),
        ("access-control-allow-headers", "x-amz-date, content-type"),
        ("access-control-expose-headers", "ETag, x-amz-version-id"),
        ("access-control-max-age", "600"),
        ("vary", VARY),
    ] {
        assert_eq!(answer.get(name).unwrap(), value, "{name}");
    }
}

#[test]
fn any_origin_is_answered_with_a_star_and_without_credentials() {
    let answer = cors().preflight(&request("https://other.org", "GET", "")).unwrap();
    assert_eq!(answer.get("access-control-allow-origin").unwrap(), "*");
    assert!(answer.get("access-control-allow-credentials").is_none());
    assert!(answer.get("access-control-allow-headers").is_none());
}

#[test]
fn what_no_rule_allows_is_forbidden() {
    let forbidden = ("AccessForbidden".to_owned(), 403);
    assert_eq!(refusal("https://other.org", "PUT", ""), forbidden);
    assert_eq!(refusal("https://a.example.com", "DELETE", ""), forbidden);
    assert_eq!(refusal("https://a.example.com", "PUT", "x-other"), forbidden);
}

#[test]
fn requests_that_are_no_preflight_are_refused() {
    let refused = ("BadRequest".to_owned(), 400);
    assert_eq!(refusal("", "GET", ""), refused);
    assert_eq!(refusal("https://a", "", ""), refused);
    assert_eq!(refusal("https://a", "get", ""), refused);
    assert_eq!(refusal("https://a", "GET", "a b"), refused);
    assert_eq!(refusal("https://a", "GET", "a,,b"), refused);
}

#[test]
fn a_bucket_without_the_setting_refuses_all_preflights() {
    assert_eq!(missing_configuration(&request("https://a", "GET", "")).status_code().unwrap(), 403);
    assert_eq!(missing_configuration(&request("", "GET", "")).status_code().unwrap(), 400);
}

#[test]
fn ordinary_answers_get_headers_only_if_a_rule_allows_the_origin() {
    let headers = |origin, method| cors().headers(method, &request(origin, "", ""));
    let answer = headers("https://exact.org", "PUT");
    assert_eq!(answer.get("access-control-allow-origin").unwrap(), "https://exact.org");
    assert_eq!(answer.get("vary").unwrap(), VARY);
    assert!(headers("https://other.org", "PUT").is_empty());
    assert!(headers("", "GET").is_empty());
}

#[test]
fn a_request_with_the_headers_of_a_preflight_is_answered_as_one() {
    let headers = |method, request: &HeaderMap| {
        let answer = cors().headers(method, request);
        let value = answer.get("access-control-allow-origin").map(|value| value.to_str().unwrap().to_owned());
        value.unwrap_or_default()
    };
    let origin = "https://a.example.com";
    assert_eq!(headers("GET", &request(origin, "PUT", "")), origin);
    assert_eq!(headers("PUT", &request("https://other.org", "GET", "")), "*");
    assert_eq!(headers("GET", &request("https://other.org", "PUT", "")), "");
    assert_eq!(headers("GET", &request(origin, "PUT", "x-other")), "");
    assert_eq!(headers("PUT", &request("https://other.org", "", "")), "");
}
