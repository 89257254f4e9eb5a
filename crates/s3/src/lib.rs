//! The S3 server.

pub mod auth;
