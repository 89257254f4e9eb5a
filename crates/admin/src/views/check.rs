//! Checks of request bodies that the types of their fields cannot express.

use crate::base::problem::Problem;

/// Checks what the types of a body's fields cannot express.
pub trait Check {
    /// Returns what is wrong and what would be valid: `size: must be at most …`.
    fn check(&self) -> Result<(), Problem> {
        Ok(())
    }
}

/// The largest accepted number of bytes. Many languages have no larger integers.
pub const BYTES_MAX: u64 = i64::MAX.unsigned_abs();

/// The largest user or group id. The next number means "no one".
pub const ID_MAX: u32 = u32::MAX - 1;

/// Checks that a user or group id is valid.
pub fn check_id(field: &str, id: Option<u32>) -> Result<(), Problem> {
    match id {
        Some(id) if id > ID_MAX => Err(Problem::new(
            field,
            format!("must be at most {ID_MAX}: {id} stands for no user and no group"),
        )),
        _ => Ok(()),
    }
}

/// Checks that a number of bytes is within bounds that every language's integers can hold.
pub fn check_bytes(field: &str, bytes: Option<u64>) -> Result<(), Problem> {
    match bytes {
        Some(bytes) if bytes == 0 || bytes > BYTES_MAX => {
            let cause = format!("must be at least 1 byte and at most {BYTES_MAX}");
            Err(Problem::new(field, cause).with_remedy("null removes the limit"))
        }
        _ => Ok(()),
    }
}
