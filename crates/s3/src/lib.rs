//! The S3 server.
//!
//! A request passes through [`guard`] and the library s3s before an operation sees it. The guard refuses what the library would
//! wrongly obey, and limits and counts the body.

pub mod guard;
