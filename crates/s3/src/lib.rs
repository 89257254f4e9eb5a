//! The S3 server.
