//! The id of a request: the client's `X-Request-Id`, or one that is made here.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use hyper::header::HeaderValue;

/// Longest id that is accepted from a client, in bytes.
pub const REQUEST_ID_BYTES_MAX: usize = 64;

/// The client's id, if it is safe to write into a log.
pub fn accepted(given: Option<&HeaderValue>) -> Option<String> {
    let id = given?.to_str().ok()?;
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    (!id.is_empty() && id.len() <= REQUEST_ID_BYTES_MAX && id.bytes().all(sound)).then(|| id.to_owned())
}

/// An id that no other request has, whatever process or start of the daemon answers it. In containers every daemon is process 1, so
/// the process id would not do.
pub fn generate() -> String {
    static START: LazyLock<u32> = LazyLock::new(|| getrandom::u32().unwrap_or_else(|_| std::process::id()));
    static LAST: AtomicU64 = AtomicU64::new(0);
    let number = LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
    format!("{:08x}-{number}", *START)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_taken_if_it_can_stand_in_a_log() {
        let taken = |id: &[u8]| accepted(Some(&HeaderValue::from_bytes(id).unwrap()));
        for id in ["a", "0af7651916cd43dd-8448_eb211c.80319c:1", &"x".repeat(REQUEST_ID_BYTES_MAX)] {
            assert_eq!(taken(id.as_bytes()).as_deref(), Some(id));
        }
        for id in ["", "two words", "\"quoted\"", "a=b", &"x".repeat(REQUEST_ID_BYTES_MAX + 1)] {
            assert_eq!(taken(id.as_bytes()), None, "{id}");
        }
        assert_eq!(taken(b"\xff\xfe"), None);
        assert_eq!(accepted(None), None);
        assert_ne!(generate(), generate());
    }
}
