//! The S3 server, by requests over HTTP. One program, because each would link the server with all that it needs once more.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod answers;
mod bad_input;
mod common;
mod copy_file;
mod exchange;
mod limits;
mod settings;
