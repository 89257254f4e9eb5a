//! Virtual-host style: the bucket is in the name of the host.

use std::net::IpAddr;

use hyper::header::{HOST, HeaderMap};

/// The bucket that the host names, if the host is below one of `domains`.
pub(crate) fn bucket_of_host(headers: &HeaderMap, domains: &[String]) -> Option<String> {
    let host = headers.get(HOST)?.to_str().ok()?;
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let host = host.to_ascii_lowercase();
    if host.parse::<IpAddr>().is_ok() {
        return None;
    }
    let below = |domain: &String| {
        host.strip_suffix(&domain.to_ascii_lowercase())?.strip_suffix('.').map(str::to_owned)
    };
    domains.iter().find_map(below)
}
