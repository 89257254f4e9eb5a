//! Which requests are traced: those whose client says so in `traceparent` (W3C Trace Context), and a sample of the others.

use hyper::HeaderMap;

/// The parent span in a trace that the client started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// The trace: 32 hexadecimal digits.
    pub trace_id: String,
    /// The span: 16 hexadecimal digits.
    pub span_id: String,
    /// Whether its spans are collected.
    pub is_sampled: bool,
}

impl Parent {
    /// The parent that the headers of a request name.
    pub fn of(headers: &HeaderMap) -> Option<Parent> {
        Parent::read(headers.get("traceparent")?.to_str().ok()?.trim())
    }

    /// Parses a `traceparent`. Returns `None` if it is malformed.
    fn read(header: &str) -> Option<Parent> {
        let mut parts = header.split('-');
        let [version, trace_id, span_id, flags] =
            [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
        let is_hex = |text: &str, digits: usize| {
            text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_zero = |text: &str| text.bytes().all(|byte| byte == b'0');
        // Later versions may have more fields after the flags. Version 00 has none.
        let is_known = is_hex(version, 2) && version != "ff" && (version != "00" || parts.next().is_none());
        if !is_known || !is_hex(trace_id, 32) || !is_hex(span_id, 16) || !is_hex(flags, 2) {
            return None;
        }
        if is_zero(trace_id) || is_zero(span_id) {
            return None;
        }
        let is_sampled = u8::from_str_radix(flags, 16).is_ok_and(|flags| flags & 1 == 1);
        Some(Parent { trace_id: trace_id.to_owned(), span_id: span_id.to_owned(), is_sampled })
    }
}

/// Whether one of many requests is traced: about one in `one_in`, and none if that is 0. The two numbers identify the request. A
/// hash of them decides, so the selection needs no shared state and does not depend on a pattern in a client's requests.
pub fn is_in_sample(one_in: u64, first: u64, second: u64) -> bool {
    one_in != 0 && mixed(first, second).is_multiple_of(one_in)
}

/// The finalizer of SplitMix64.
fn mixed(first: u64, second: u64) -> u64 {
    let mut mixed = first.rotate_left(32).wrapping_add(second).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceparent_is_read_as_the_standard_says() {
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        let read = Parent::read(&format!("00-{trace}-{span}-01")).unwrap();
        assert_eq!((read.trace_id.as_str(), read.span_id.as_str(), read.is_sampled), (trace, span, true));
        assert!(!Parent::read(&format!("00-{trace}-{span}-00")).unwrap().is_sampled);
        assert!(Parent::read(&format!("cc-{trace}-{span}-01-what-will-be")).is_some());
        for wrong in [
            format!("00-{trace}-{span}-01-more"),
            format!("ff-{trace}-{span}-01"),
            format!("00-{}-{span}-01", trace.to_uppercase()),
            format!("00-{}-{span}-01", "0".repeat(32)),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            format!("00-{trace}-{span}"),
            format!("00-{trace}-{span}-1"),
            String::new(),
        ] {
            assert_eq!(Parent::read(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn about_as_many_are_chosen_as_are_to_be_and_not_by_rhythm() {
        for (connection, step) in [(1, 1), (2, 10), (7, 100)] {
            let chosen = (0..100_000_u64).filter(|number| is_in_sample(100, connection, number * step));
            let count = chosen.count();
            assert!((800..1200).contains(&count), "{count} of 100,000, in steps of {step}");
        }
    }
}
