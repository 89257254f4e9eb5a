//! The S3 server.
//!
//! A request passes through [`guard`] and the library s3s before an operation sees it. The guard refuses requests that the
//! library would wrongly accept, and limits and counts the body.

pub mod guard;
