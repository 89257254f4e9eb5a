//! Who a request is from, and whether policies allow it.
//!
//! ```text
//!   access key id ─ users::Users::lookup ─▶ Identity, secret      (the caller checks the signature)
//!   Identity, bucket's rules, request ─ decide ─▶ Verdict
//! ```
//!
//! [`users`] keeps users, groups and keys in the pool. [`seal`] encrypts the secrets of keys. [`policy`] parses and evaluates policies.
//! [`decide()`] combines those of groups and of the bucket. Start reading there.

pub mod access;
mod decide;
mod error;
pub mod policy;
pub mod seal;
pub mod users;

pub use decide::{BucketRules, PublicAccessBlock, Verdict, decide};
pub use error::{Error, Result};
